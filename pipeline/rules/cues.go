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
	boxCue                      // Postfach, Box, APO
	famousCue                   // the first words of houses known by two words, and those known by one
	spokenCue                   // digits as they are spoken
	callCue                     // ring, page, erreichbar: a number may follow at a distance
	underCue                    // of these, the ones that need no joint before the number
	flightCue                   // Heli, crew
	eponymCue                   // the first words of names of two words after which things are named
	vitalCue                    // RR, BP, CK: a measurement, never the beginning of an id
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
	boxCue:    "postfach box pf apo fpo dpo",
	famousCue: "mayo charité",
	spokenCue: `null eins zwo zwei drei vier fünf sechs sieben acht neun oh zero one two three four five six seven eight nine
		double triple doppel`,
	callCue: `ring call page bleep phone rings rufen anrufen rückruf erreichbar anmeldung rückfragen melden pager bleeps ascom
		spectra vocera funk spectralink text txt dial`,
	underCue: "ring call page bleep ascom spectra vocera anrufen",
	flightCue: `heli helikopter hubschrauber intensivhubschrauber rettungshubschrauber rth ith nah flug flight helicopter aircraft maschine rega
		crew pilot rfds pc kennz kennzeichen transport verlegung`,
	vitalCue: `rr bp hr pr af hf bpm spo sao sat temp puls gcs nihss mmse moca ck ckmb crp bsg bks hb hkt leu leuko thr throm got gpt ggt ast alt
		ldh ap alp tsh ft inr ptt aptt quick qt qtc qrs pq bz be hba ph pco po na ca mg cl krea gfr egfr bnp ntprobnp trop wbc rbc plt hgb hct
		bun cr glu ef lvef lvedd mcv mch psa cea afp ca cd ct hu bmi fev fvc pef ck-mb esr alb tp bili lac hco fio peep vt rf uo ga
		tmax map cvp iop va od os cup dfr bfr ktv nsvd kub ecg ekg mac vas nrs`,
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
	for pair := range eponymPairs {
		first, _, _ := strings.Cut(pair, "|")
		add(first, eponymCue)
	}
}

// cued says whether the word at token i is one of the cues.
func (s *scan) cued(i int, c cue) bool { return i >= 0 && i < len(s.toks) && s.toks[i].cue&c != 0 }
