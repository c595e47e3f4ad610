package surrogate

import (
	"strconv"
	"strings"
	"unicode"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// hospital gives the stand-in of a hospital, ward, room or bed. Of "Ward 12, Royal Infirmary" ward and house are replaced
// apart, so that the house has the same name wherever it is spoken of.
func (g *Generator) hospital(surface, country string) string {
	if out := g.ward(surface); out != "" {
		return out
	}
	if room(surface) {
		return reshape(surface, g.shared.Bytes(2*len(surface)+8, "ward", fold.Key(surface)))
	}
	if before, behind, two := strings.Cut(surface, ","); two {
		first, second := g.wardPart(before), g.wardPart(behind)
		switch {
		case first != "" && second == "":
			second = g.house(behind, country)
		case first == "" && second != "":
			first = g.house(before, country)
		}
		if first, second = strings.TrimSpace(first), strings.TrimSpace(second); first != "" && second != "" {
			return first + ", " + second
		}
	}
	return g.house(surface, country)
}

// house draws another hospital.
func (g *Generator) house(surface, country string) string {
	return g.cased(surface, g.draw("hospital", strings.TrimSpace(surface), lists.Hospitals(country)))
}

// wardPart gives another ward, the same words where they say nothing but its kind, or nothing where it is no ward.
func (g *Generator) wardPart(part string) string {
	if genericWard(part) {
		return part
	}
	return g.ward(part)
}

// room says whether a place is a ward, room or bed: short, with a number or a single letter.
func room(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters <= 3 && len(s) <= 12
}

// ward gives another ward, room or bed of the same kind: "Ward 6 West" may become "Ward 4 East". Words that say nothing
// but the kind stay; numbers, letters and quarters are replaced. It is empty where a surface holds any other word or
// nothing to replace.
func (g *Generator) ward(surface string) string {
	key := fold.Key(surface)
	for salt := range 4 {
		random := g.shared.Bytes(2*len(surface)+8, "ward", key+strconv.Itoa(salt))
		if out := g.wardWith(surface, random); out == "" || !sameText(out, surface) {
			return out
		}
	}
	return ""
}

// wardWith does so with the randomness given; by chance the ward may be the same.
func (g *Generator) wardWith(surface string, random []byte) string {
	var b strings.Builder
	at, replaced := 0, false
	for w := range wardWords(surface) {
		part := surface[w.Start:w.End]
		low := strings.ToLower(part)
		draw := random[w.Start%len(random):]
		out := otherQuarter(low, draw[0])
		switch {
		case wardKinds[low]:
			out = part
		case out != "":
			out = g.cased(part, out)
		case low != "i" && len(low) > 1 && strings.Trim(low, "iv") == "":
			out = g.cased(part, romans[int(draw[0])%len(romans)])
		case unicode.IsDigit(rune(part[0])), len(part) == 1:
			out = reshape(part, draw)
		default:
			return ""
		}
		replaced = replaced || !wardKinds[low]
		b.WriteString(surface[at:w.Start])
		b.WriteString(out)
		at = w.End
	}
	if !replaced {
		return ""
	}
	b.WriteString(surface[at:])
	return b.String()
}

// wardWords walks over the runs of letters and the runs of digits: "7b" is two.
func wardWords(surface string) func(func(pipeline.Word) bool) {
	return func(yield func(pipeline.Word) bool) {
		for w := range pipeline.Words(surface) {
			for from := w.Start; from < w.End; {
				digit := unicode.IsDigit(rune(surface[from]))
				to := from + 1
				for to < w.End && unicode.IsDigit(rune(surface[to])) == digit {
					to++
				}
				if !yield(pipeline.Word{Start: from, End: to}) {
					return
				}
				from = to
			}
		}
	}
}

// genericWard says whether a surface consists of words of kind alone, such as "Schockraum".
func genericWard(surface string) bool {
	some := false
	for w := range wardWords(surface) {
		if some = true; !wardKinds[strings.ToLower(surface[w.Start:w.End])] {
			return false
		}
	}
	return some
}

// otherQuarter gives another word for a quarter than the given one, in its language, or nothing where it is none.
func otherQuarter(word string, draw byte) string {
	for _, quarters := range [...][4]string{{"North", "South", "East", "West"}, {"Nord", "Süd", "Ost", "West"}} {
		for i, q := range quarters {
			if strings.EqualFold(q, word) {
				other := int(draw) % 3
				if other >= i {
					other++
				}
				return quarters[other]
			}
		}
	}
	return ""
}

var romans = [...]string{"II", "III", "IV"}

// wardKinds are the words that say what kind of place a ward is and what is done there, and nothing of which house it is.
var wardKinds = lists.Set(`ward room bed bay cubicle cube unit floor wing level suite theatre theater side pod bays beds rooms
	clinic or er ed icu ccu nicu picu micu sicu mau amu cdu pacu hdu endo recovery resus hallway tower block building day
	outpatient inpatient medical surgical surgery medicine cardiology oncology pediatric paediatric pediatrics paediatrics maternity
	labor labour delivery stroke trauma burns dialysis infusion step down stepdown telemetry tele med surg observation
	number no the on and of for
	station stationen zimmer bett bettplatz betten platz box saal op haus ebene etage stock stockwerk trakt flügel gebäude bau
	koje raum kabine kreißsaal kreissaal ambulanz tagesklinik klinik abteilung abt abtl intensivstation intensiv ips its imc imcu
	wachstation aufwachraum schockraum notaufnahme poliklinik sektion bereich zi st
	innere inneren innerer medizin medizinische medizinischen chirurgie chirurgische chirurgischen unfallchirurgie kardiologie
	neurologie neurologische onkologie pädiatrie gynäkologie urologie geriatrie psychiatrie psychiatrische dialyse
	für und der die das am im nr`)
