package gazetteer

import (
	"strings"

	"fhirdeid/pipeline/phi/lists"
)

// shorthand are abbreviations of laboratory, wards, records, scores and diagnoses of three letters and more, in both
// languages. In capitals they are initials of a person far less often than themselves.
var shorthand = lists.Set(`aaa aao ab0 abcd abg abo abr acdf acl acr acs acvb adhd adhs adl adls ados adt afib afo afp ahi aids aig ail ais ajcc
aki al1 alk all alnd alp als alt amb amd aml ana anamn anamnese anca anv apache apgar apob aptt ards arf arvc asa asap
asb asct asd aspects ass ast atc aufn avb avk avnrt avrt bal basdai bdi bdmard bef befund benzodiazepine benzos bga
bhcg bid bims bipap birads bisap bks bmi bmp bnp bpd bph bpp bppv bps braf brca bsa bsg bso bun bwk bws caarms cabg
cabgx cad cavk cbc cbt ccs ccu cda cdad cdai cdi cea ced cellcept chf cit ciwa ckd ckmb cll cmc cml cmm cmp cmv cnb
cop copd covid cows cpap cpra cpt crp crrt crs crt csa cst cta ctab ctg ctpa cts ctv curb cva cvat cvc cvp cvvhd
cvvhdf cwe cxr cyfra dash dat dbd dbt dcd dcis dcm ddx dexa dg1 dgi diagn diagnose diagnosen dip dka dlbcl dlco dlqi
dm1 dm2 dmard dmards dmmr dnacpr dni dnr doac doacs doak dpm dpoae dre drg dsa dsas dtr dtrs dvt dxa easi ebm ebus ebv
ecd ecg ecls ecmo ecog eda edc edd edh edss eeg efw egd egfr ehr ekg eks emdr emg emr ena eng entl eomi epa epds
epikrise ercp eri esbl esr esrd ess eswl etdrs ett euroscore eus evn fdg fenno feno fev1 ffp ffr fhr fht figo fim fio2
fna fobt fta fvc gad gbs gcs gdm gfr ggt gord got gpt gtv gvhd hamd hap haq hasbled hbv hcc hcg hcm hcq hct hcv hdf
hdl heent hellp her2 hfnc hfpef hfr hfref hgb hhs hida hiv hkafo hkb hl7 hla hld hnscc hocm hpi hpv hrs hsct hsv htep
htn hwi hwk hws iabp iadl ibd ibs icans icb icd ich icm icu idc ifr iga ige igg igm igra igrt il6 ilc ild imc imp imrt
in1 inr iop ipf isg iss its iugr iup ivc ivf ivig ivom ivp ivus jak jvd kafo kdpi kennz khk kis kps kras ktep kub
kurve labor lad lae lahb lasik lavh lbbb lbo lbp lcis lcl lcx ldh ldl ldr lft lfts lga lima linac lirads lis llq lma
lmp lmwh loinc lpa lrti lsb lscs lsd lso ltbi luq lvad lvedp lvh lvot lwk lws maoi masld mbq mch mchc mci mcj mcl mcp
mcv mdd mdma mdq mds medikation meld mfi mfm mgus mhz micu mlh1 mmf mmrc mmse mmst mmt moca molst mra mrcp mrgn mri
mrsa mrt msa msh msh2 msi msk mss mtp mtx mvp nabs nad nafld nash ngt nhl nicm nicu nihss nins niv nk1 nka nkda nlg
nmes nmh noac noak npdr npo nras nrs nsaid nsaids nsar nsclc nse nsip nst nstemi nte ntnd ntprobnp nvd nyha oae oar
obgyn obr obx ocd ocn oct odi ogt oms opiate ops orc organe orif orm oru osa osas osg paare pac pacs pacu pad palb2
panss pao2 pasi pavk pbc pca pci pcl pcnl pco2 pcos pcp pct pcwp pda pdl1 pdr peep peg pej perrla pesi pet pex pfo pft
pfts phq picc picu pid pip pirads pku plex plif plt pmh pmmr pmr pnd poag polst ponv pph ppi ppn pprom pra prbc prbcs
prbs prn procedere prom prvc psa psc psh psv pta ptbs ptca ptcra ptsd ptt ptv ptx ptz pv1 pv2 pvc pvcs pvd pzn qam qhs
qid qsofa rapd rass rast rbbb rbc rca rcc rcx rdi recist rfa rhd rima ris rlq rom rpda rpr rrr rsb rsbi rsi rsv rtms
rtx ruq rvad rvh rvot sab sah sao2 sars sbft sbo sbrt sch sclc scorad sdb sdh sga sgrq siadh sicu simv siu slap sle
slnb slp slums snhl snomed snri snris soap sob sofa sop spect spender spo2 srs ssri ssris sss ssw stat stemi sulfa svc
svd svg svt taa tah tavi tavr tbc tca tcas tcc tee tep tfcc tft tfts tha thc therapie thr tia tici tid timi
tirads tiva tka tkr tlc tlif tlso tmb tmj tms tnf tnm toe tof tos tox tpe tpn tpo trak tsh tte tur turb turp tvh tvt
uacr uds ufh ugi uicc uip uri usg uti vad vaecmo vap vas vats vbac vbg vdrl vegf vemp vhf visite vkb vldl vmat vre vsd
vte vzv wais wbc wbrt wdwn wisc wit wnl woc womac wpw ymrs zbe zvk`)

// shorthandAt says whether token i is such an abbreviation and no name.
func (r *reader) shorthandAt(i int) bool {
	t := &r.tokens[i]
	return (t.shape == capitals || t.shape == mixed) && t.gap != hyphen && shorthand[r.word(i)] && nameless(t.word)
}

// graded are scores, stages and counts of days that a small number follows: "POD 6", "ECOG 1". They are taken for wards.
// Scores that are names as well ("Tanner 3") are left to the eponyms, since a list may hold a patient and an age.
var graded = lists.Set(`pod dol pma ecog nyha asa gcs nihss mrs rass zargar apgar qsofa sofa curb perc timi meld tinetti kellgren
outerbridge bosniak fuhrman isup pirads birads tirads lirads fazekas scheltens moca mmse mmst phq gad ciwa cows flacc nrs vas
mallampati killip ccs tnm kdigo rifle akin deauville rai iss bromage`)

// grade gives the end of a score with its number that begins at token i, i where there is none.
func (r *reader) grade(i int) int {
	t := &r.tokens[i]
	w := r.word(i)
	if i+1 == len(r.tokens) || r.tokens[i+1].gap != space || !nameless(t.word) || !r.smallNumber(i+1) {
		return i
	}
	if graded[w] || w == "ps" && t.shape == capitals && t.gap != hyphen {
		return i + 2
	}
	return i
}

// smallNumber says whether token i is a number of at most two digits and nothing goes on behind it.
func (r *reader) smallNumber(i int) bool {
	t, w := &r.tokens[i], r.word(i)
	if len(w) > 2 || strings.Trim(w, "0123456789") != "" {
		return false
	}
	return i+1 == len(r.tokens) || r.tokens[i+1].gap != hyphen && !(r.tokens[i+1].gap == dot && r.tokens[i+1].shape == number && r.tokens[i+1].start == t.end+1)
}

// blank gives the end of the placeholder that begins at token i: "XXX", "XX.XX.XXXX", "Dr. X". Digits beside it are the
// rest of a number that somebody masked ("XXX-XX-4471"), and a stop behind it makes the letter an initial.
func (r *reader) blank(i int) int {
	if r.word(i) == "xyz" {
		return i + 1
	}
	if t := &r.tokens[i]; t.initial {
		if w := r.word(i); (w == "x" || w == "y" || w == "z") && i > 0 && r.cue(i-1)&honorific != 0 && (t.gap == space || t.gap == dot) &&
			(t.end == len(r.folded) || r.folded[t.end] != '.' && r.folded[t.end] != '-' && r.folded[t.end] != '\'') {
			return i + 1
		}
		return i
	}
	end, longest := i, 0
	for end < len(r.tokens) && (end == i || r.tokens[end].gap == dot || r.tokens[end].gap == slash || r.tokens[end].gap == hyphen) {
		n := crosses(r.word(end))
		if n < 2 {
			break
		}
		longest = max(longest, n)
		end++
	}
	if longest < 3 && end-i < 3 {
		return i
	}
	first, last := i, end
	for first > 0 && crosses(r.word(first-1)) > 1 {
		first--
	}
	for last < len(r.tokens) && crosses(r.word(last)) > 1 {
		last++
	}
	if first > 0 && r.tokens[first-1].shape == number && r.beside(first) || last < len(r.tokens) && r.tokens[last].shape == number && r.beside(last) {
		return i
	}
	return end
}

// beside says whether token i goes on where the one before it ended.
func (r *reader) beside(i int) bool {
	g := r.tokens[i].gap
	return g == space || g == hyphen || g == dot || g == slash
}

// crosses gives the number of letters of a word that consists of x alone, 0 of another.
func crosses(w string) int {
	if strings.Trim(w, "x") != "" {
		return 0
	}
	return len(w)
}
