package fhir

import "strings"

const ucumSystem = "http://unitsofmeasure.org"

// knownUnit says whether s is a unit: one of the policy's list, or an expression in UCUM whose every part is known.
func (p *Policy) knownUnit(s string) bool {
	return p.units.Has(s) || isUCUM(s)
}

// isUCUM reads an expression of the Unified Code for Units of Measure: units parted by . and /, each with an exponent and
// an annotation in braces, such as mmol/L, 10*3/uL, mL/min/{1.73_m2}.
func isUCUM(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	s = strings.TrimPrefix(s, "/")
	for part := range strings.FieldsFuncSeq(strings.ReplaceAll(s, "{1.73_m2}", "{1_73_m2}"), func(r rune) bool { return r == '/' || r == '.' }) {
		if !isUnit(part) {
			return false
		}
	}
	return !strings.ContainsAny(s, " \t") && !strings.Contains(s, "//") && !strings.Contains(s, "..")
}

func isUnit(part string) bool {
	unit, note, annotated := strings.Cut(part, "{")
	if annotated {
		note, closed := strings.CutSuffix(note, "}")
		if !closed || !unitNotes.Has(strings.ToLower(note)) {
			return false
		}
		if unit == "" {
			return true
		}
	}
	if numeric(unit) {
		return len(unit) <= 4
	}
	if rest, ok := strings.CutPrefix(unit, "10*"); ok {
		return exponent(rest)
	}
	if rest, ok := strings.CutPrefix(unit, "10^"); ok {
		return exponent(rest)
	}
	atom := strings.TrimRight(unit, "0123456789+-")
	if !exponent(unit[len(atom):]) {
		return false
	}
	if unitAtoms.Has(atom) || metricAtoms.Has(atom) {
		return true
	}
	for _, prefix := range unitPrefixes {
		if rest, ok := strings.CutPrefix(atom, prefix); ok && metricAtoms.Has(rest) {
			return true
		}
	}
	return false
}

func numeric(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// exponent is empty or a small number with or without a sign.
func exponent(s string) bool {
	return s == "" || len(s) <= 3 && numeric(strings.TrimLeft(s, "+-"))
}

var (
	unitPrefixes = []string{"da", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "d", "c", "m", "u", "n", "p", "f", "a", "Ki", "Mi", "Gi"}
	metricAtoms  = newCodeSet(strings.Fields(
		`m g s K rad sr mol cd Hz N Pa J W A V F Ohm S Wb T H lm lx Bq Gy Sv L l eq osm bar u eV Cel cal cal_th kat U [iU]
		[IU] katal R Ci RAD REM B Np bit By Bd t ar b gf dyn erg P St Mx G Oe Ky m[Hg] m[H2O] pc C tex g% [arb'U] a`))
	unitAtoms = newCodeSet(strings.Fields(
		`% 10* [ppth] [ppm] [ppb] [pptr] min h d wk mo a mo_j a_j mo_g a_g ' '' deg gon [pH] [degF] [degR] [degRe] [ft_i]
		[in_i] [yd_i] [mi_i] [lb_av] [oz_av] [lb_tr] [oz_tr] [gr] [stone_av] [gal_us] [qt_us] [pt_us] [foz_us] [foz_br]
		[tbs_us] [tsp_us] [cup_us] [tbs_m] [tsp_m] [cup_m] [drp] [sft_i] [sin_i] [cin_i] [lbf_av] [psi] [in_i'Hg] [in_i'H2O]
		mm[Hg] cm[H2O] [Ch] [diop] [p'diop] [hnsf'U] [MET] [Cal] [hp_X] [hp_C] [GPL'U] [MPL'U] [APL'U] [beth'U] [anti'Xa'U]
		[todd'U] [dye'U] [smgy'U] [bdsk'U] [ka'U] [knk'U] [mclg'U] [tb'U] [CCID_50] [TCID_50] [EID_50] [PFU] [FFU] [CFU]
		[IR] [BAU] [AU] [Amb'a'1'U] [PNU] [Lf] [D'ag'U] [FEU] [ELU] [EU] [HPF] [LPF] [USP'U] [rad] [rem] [bbl_us] [degC]
		[car_m] [pouce] [g] B[V] B[mV] B[SPL] bit_s [m/s2/Hz^0.5] [kn_i] [nmi_i] [acr_us] atm att lb g/g kg/m2 {INR}`))
	unitNotes = newCodeSet(strings.Fields(
		`# inr score count counts counts_per_minute nominal presence ratio titer copies copy cells cell cfu pfu hpf lpf
		rbc wbc rbcs wbcs h'b hb creat creatinine crt protein prot total tbl tab tablet tablets cap capsule capsules pill
		puff puffs puffs_per_day dose doses spray drop drops beat beats bpm breath breaths rr bts pack packs packs/day
		cigarettes cigarette drink drinks drinks/day steps events episodes visit visits seconds min event pulse pulses
		index index_val ehrlich_u ehrlichu ehrlich'u gfr gfr_af_am 1_73_m2 1.73_m2 body_surface_area bsa m2 od absorbance cutoff s/co
		s_co_ratio tscore t-score zscore z-score t_score z_score age year years percentile pctl percent qualitative
		ratio'ed standard_deviation sd fraction log log10 mets met arb_unit arb'u_unit arbitrary_unit units unit u au iu
		mg_albumin_per_g_creat igg igm iga gpl mpl apl eqv equivalents feu ddu ige kua kau wet_weight dry_weight
		fibrinogen phenotype genotype mutation serving servings teaspoon bottle vial ampule ampoule patch suppository
		application applicator each ea pieces piece person persons people population day days week weeks month months
		glasses glass times time sessions session minutes hours hour kit lozenge scoop packet sachet inhalation inhalations`))
)
