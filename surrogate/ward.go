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
		out, changed, ok := wardOf(surface, random)
		if !ok || !changed {
			return ""
		}
		if !sameText(out, surface) {
			return out
		}
	}
	return ""
}

// wardOf does so with the randomness given; changed says whether anything was replaced, ok whether the surface is a ward's.
func wardOf(surface string, random []byte) (out string, changed, ok bool) {
	var b strings.Builder
	at := 0
	for w := range wardWords(surface) {
		part := surface[w.Start:w.End]
		low := strings.ToLower(part)
		b.WriteString(surface[at:w.Start])
		at = w.End
		draw := random[w.Start%len(random):]
		switch quarters := quartersOf(low); {
		case wardKinds[low]:
			b.WriteString(part)
		case quarters != nil:
			b.WriteString(casingOf(part).apply(titled(part, quarters[int(draw[0])%len(quarters)])))
			changed = true
		case low != "i" && len(low) > 1 && strings.Trim(low, "iv") == "":
			b.WriteString(casingOf(part).apply(strings.ToUpper(romans[int(draw[0])%len(romans)])))
			changed = true
		case unicode.IsDigit(rune(part[0])), len(part) == 1:
			b.WriteString(reshape(part, draw))
			changed = true
		default:
			return "", false, false
		}
	}
	b.WriteString(surface[at:])
	return b.String(), changed, at > 0
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

// quartersOf gives the words that may stand for a quarter, in its language.
func quartersOf(word string) []string {
	for _, quarters := range [...][]string{{"north", "south", "east", "west"}, {"nord", "süd", "ost", "west"}} {
		for i, q := range quarters {
			if q == word {
				return append(append([]string(nil), quarters[:i]...), quarters[i+1:]...)
			}
		}
	}
	return nil
}

// titled gives a word with the capital of the original.
func titled(original, word string) string {
	if unicode.IsUpper(rune(original[0])) {
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}

var romans = [...]string{"ii", "iii", "iv"}

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
