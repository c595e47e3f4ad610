package rules

import "strings"

// cue is a set of words that begin a pattern. The lexicon is asked once for a word's classes and cues, so that the
// scanners compare bits where they would compare each word of the text with lists.
type cue uint32

const (
	atCue       cue = 1 << iota // (at) in a spelled mail address
	schemeCue                   // http, www
	greetingCue                 // dear, Liebe
	agentCue                    // by, durch: a name may follow
	jobCue                      // als
	workCue                     // works, employed
	formerCue                   // gelernter, ehemaliger
	formerENCue                 // former, ex
	studyCue                    // study, Registerstudie
	payerCue                    // Krankenkasse, employer: labels of organisations
	firmCue                     // Fa, Firma
	stateCue                    // abbreviations of US states
	boxCue                      // Postfach, Box
	famousCue                   // the first words of houses known by two words, and those known by one
	spokenCue                   // digits as they are spoken
)

var cueWords = map[cue]string{
	atCue:       "at ät",
	schemeCue:   "www http https ftp sftp",
	greetingCue: "dear hi hello hallo hoi liebe lieber moin servus hey salut grüezi guten",
	agentCue:    "mit to by durch per with w",
	jobCue:      "als",
	workCue:     "works worked working work employed",
	formerCue: `gelernter gelernte ehemaliger ehemalige ehem pensionierter pensionierte pens früherer frühere selbständiger selbstständiger
		selbständige selbstständige ausgebildete ausgebildeter berenteter berentete fr früher ehemals`,
	formerENCue: "former formerly occupation ex retd ret",
	studyCue:    "studie study trial protocol protokoll registry registerstudie biomarkerstudie nachfolgestudie studienprotokoll register",
	payerCue: `krankenkasse kasse kk insurance insurer versicherung arbeitgeber employer kostenträger payer kv pharmacy apotheke
		schule school`,
	firmCue:   "fa firma",
	stateCue:  "ark mich ariz ind conn mass calif tex minn wis penn tenn wash ore fla ill colo j y",
	boxCue:    "postfach box pf",
	famousCue: "mayo charité",
	spokenCue: `null eins zwo zwei drei vier fünf sechs sieben acht neun oh zero one two three four five six seven eight nine
		double triple doppel`,
}

// entry is what the lexicon says of a word.
type entry struct {
	class class
	cue   cue
}

func addCues(m map[string]entry) {
	add := func(list string, c cue) {
		for w := range strings.FieldsSeq(list) {
			key := keyOf(w)
			e := m[key]
			e.cue |= c
			m[key] = e
		}
	}
	for c, list := range cueWords {
		add(list, c)
	}
	for pair := range famousHouses {
		first, _, _ := strings.Cut(pair, "|")
		add(first, famousCue)
	}
}

// cued says whether the word at token i is one of the cues.
func (s *scan) cued(i int, c cue) bool { return i >= 0 && i < len(s.toks) && s.toks[i].cue&c != 0 }
