package rules

import "fhirdeid/pipeline/phi"

const (
	sourceJob    = "rules.profession.job"
	sourceStatus = "rules.profession.status"
)

// professions finds jobs by context ("von Beruf Maurer", "works as a welder") and employment status by its words.
func (s *scan) professions() {
	for i := s.next(0, mayJob); i < len(s.toks); i = s.next(i+1, mayJob) {
		t := s.at(i)
		if t.kind != word || s.takenAs(i) != phi.NoCategory {
			continue
		}
		switch {
		case t.class&status != 0:
			s.statusWord(i)
		case t.class&jobHead != 0:
			s.jobLabel(i)
		case t.cue&jobCue != 0:
			s.germanJob(i)
		case t.cue&workCue != 0:
			s.englishJob(i)
		case t.cue&formerCue != 0:
			s.formerJob(i)
		case t.cue&formerENCue != 0:
			s.formerEnglish(i)
		}
	}
}

// statusWord records an employment status, with the small words that belong to it: "in Elternzeit", "on disability".
func (s *scan) statusWord(i int) {
	t := s.at(i)
	if s.oneOf(i, "schüler", "schülerin", "student", "studentin", "veteran", "disabled", "teilzeit", "umschulung", "karenz") && s.oneOf(i, "disabled", "veteran", "student") && s.near(i+1) && s.isWord(i+1) && s.oneOf(i+1, "nurse", "affairs", "health", "midwife", "parking", "access", "doctor") {
		return
	}
	if s.oneOf(i, "schüler", "student", "veteran", "teilzeit", "karenz", "disabled") && s.capital(i+1) && s.near(i+1) && s.at(i+1).know.FirstName() > 0 {
		return
	}
	from := i
	if s.near(i) && s.oneOf(i-1, "in", "im") && s.capital(i) && s.lang != phi.English && t.class&status != 0 && s.oneOf(i, "elternzeit", "mutterschutz", "karenz", "ruhestand", "vorruhestand", "altersteilzeit", "teilzeit", "kurzarbeit", "umschulung") {
		from = i - 1
	}
	score := 0.88
	if s.oneOf(i, "disabled", "arbeitsunfähig", "veteran") {
		score = 0.7
	}
	s.add(from, i+1, phi.ProfessionStatus, score, sourceStatus)
	// the job behind it: "retired teacher", "pensionierter Lehrer"
	if s.oneOf(i, "retired", "unemployed", "retd") {
		s.jobRun(i+1, 0.85)
	}
}

// jobLabel reads "Beruf: Maurer", "Occupation: retired teacher", "von Beruf Tischler".
func (s *scan) jobLabel(i int) {
	j, ok := s.labelEnd(i)
	if s.oneOf(i-1, "von") && s.near(i) {
		ok = true
	}
	if s.oneOf(i, "arbeit", "taetigkeit", "tätigkeit", "erwerb", "job", "profession", "employment", "beruflich") && !s.isSign(i+1, ':') {
		return
	}
	if !ok || j >= len(s.toks) || s.at(j).lines > 0 || s.takenAs(j) != phi.NoCategory {
		return
	}
	if s.oneOf(j, "fr", "früher", "ehem", "gelernter", "gelernte") {
		j++
		if s.isSign(j, '.') || s.isSign(j, ':') {
			j++
		}
	}
	s.jobRun(j, 0.9)
}

// germanJob reads "arbeitet als Dachdecker", "als Krankenschwester tätig", "war als Lehrer beschäftigt".
func (s *scan) germanJob(i int) {
	if !s.capital(i+1) || !s.near(i+1) {
		return
	}
	verb := false
	for k := i - 1; k >= 0 && k >= i-9 && !verb; k-- {
		verb = s.oneOf(k, "arbeitet", "arbeitete", "gearbeitet", "arbeite", "tätig", "taetig", "beschäftigt", "ausbildung", "zuletzt", "angestellt", "ausgebildet", "arbeiten", "jobbt", "beruflich", "lehre", "arbeitend")
		if s.isSign(k, '.') && !s.glued(k+1) {
			break
		}
	}
	end := s.jobEnd(i + 1)
	for k := end; k < end+8 && k < len(s.toks) && !verb; k++ {
		verb = s.oneOf(k, "tätig", "taetig", "gearbeitet", "beschäftigt", "angestellt", "arbeitet", "arbeitete", "arbeitend")
		if s.isSign(k, '.') || s.isSign(k, ';') {
			break
		}
	}
	if verb {
		s.jobRun(i+1, 0.85)
	}
}

// jobEnd gives the end of a German job's words: one capitalised word with its hyphens, an adjective before it.
func (s *scan) jobEnd(i int) int {
	j := i
	for n := 0; n < 2 && s.isWord(j) && s.at(j).shape == lower && s.oneOf(j, "selbständiger", "selbstständiger", "gelernter", "leitender", "technischer", "medizinische", "kaufmännischer", "kaufmännische", "wissenschaftlicher", "ehrenamtlicher"); n++ {
		j++
	}
	if s.capital(j) {
		return s.hyphened(j)
	}
	return i
}

// jobRun records the job that begins at token i.
func (s *scan) jobRun(i int, score float64) bool {
	if i >= len(s.toks) || s.at(i).lines > 1 || s.at(i).gap > 1 && s.at(i).lines == 0 && s.isWord(i-1) || s.takenAs(i) != phi.NoCategory || !s.isWord(i) {
		return false
	}
	if s.lang != phi.English && s.capital(i) {
		if s.has(i, ordinary|honorific|doctor|patient|relative|status|idHead|month) || s.at(i).know.Medical() && !s.at(i).know.Job() || s.at(i).shape == upper && s.at(i).runes <= 3 {
			return false
		}
		end := s.hyphened(i)
		found := s.add(i, end, phi.ProfessionProfession, score, sourceJob)
		if found {
			s.workplace(end)
		}
		return found
	}
	// English: an article, then one to four lower-case words up to the end of the phrase
	j := i
	if s.oneOf(j, "a", "an", "the") {
		j++
	}
	if s.has(j, status) {
		s.statusWord(j)
		return true
	}
	end := j
	last := 0
	for n := 0; n < 4 && s.isWord(end) && (end == j || s.near(end)); n++ {
		if s.has(end, function|honorific|month|relative) || s.oneOf(end, "x", "years", "year", "age", "due", "full", "part", "needed", "tolerated", "directed", "well") {
			break
		}
		end++
		if s.at(end-1).know.Job() || agent(s.surface(end-1)) {
			last = end
		}
	}
	if last == 0 {
		return false
	}
	found := s.add(j, last, phi.ProfessionProfession, score, sourceJob)
	if found {
		s.workplace(last)
	}
	return found
}

// workplace reads the employer behind a job: "Maurer bei Holzbau Zell", "welder at Bath Iron".
func (s *scan) workplace(i int) {
	if !s.oneOf(i, "bei", "at", "beim") || !s.near(i) {
		return
	}
	j := i + 1
	if s.oneOf(j, "der", "dem", "den", "the") {
		j++
	}
	if !s.near(j) || !s.capital(j) || s.has(j, ordinary|relative|patient|honorific|doctor|department) || s.plainWord(j) > 1 && !s.capital(j+1) {
		return
	}
	if end := s.properRun(j, 3); end > j {
		s.add(j, end, phi.LocationOrganization, 0.75, sourceOrg)
	}
}

// agent says whether an English word ends like one who does something.
func agent(w string) bool {
	if len(w) < 5 {
		return false
	}
	for _, e := range [...]string{"er", "or", "ist", "ian", "man", "woman", "ant", "ess", "eer", "keeper", "clerk", "nurse", "cook", "chef", "aide", "coach", "pilot", "agent"} {
		if len(w) > len(e) && w[len(w)-len(e):] == e || w == e {
			return true
		}
	}
	return false
}

// englishJob reads "works as a concrete finisher", "employed as an engineer".
func (s *scan) englishJob(i int) {
	j := i + 1
	for n := 0; n < 2 && s.oneOf(j, "full", "part", "time", "currently", "previously", "formerly"); n++ {
		j++
	}
	if s.is(j, "as") && s.oneOf(j+1, "a", "an", "the") && s.sameLine(j) {
		s.jobRun(j+2, 0.9)
	}
}

// formerJob reads "ehemaliger Lokführer", "gelernte Köchin", "Früher Schornsteinfegermeister".
func (s *scan) formerJob(i int) {
	j := i + 1
	if s.isSign(j, '.') && s.glued(j) {
		j++
	}
	if !s.capital(j) || !s.near(j) || s.is(i, "fr") && !s.at(j).know.Job() {
		return
	}
	if s.oneOf(i, "früher", "ehemals", "ehemalige", "pens", "früherer", "ehem") && !s.at(j).know.Job() && !germanAgent(keyOf(s.surface(j))) {
		return
	}
	s.jobRun(j, 0.8)
}

// germanAgent says whether a German word ends like one who does something for a living.
func germanAgent(w string) bool {
	for _, e := range [...]string{
		"meister", "meisterin", "arbeiter", "arbeiterin", "fuehrer", "fuehrerin", "lehrer", "lehrerin", "bauer", "baeuerin", "wirt", "wirtin",
		"fahrer", "fahrerin", "mechaniker", "techniker", "verkaeufer", "verkaeuferin", "maurer", "baecker", "schlosser", "ingenieur", "kaufmann", "kauffrau",
		"angestellte", "angestellter", "beamter", "beamtin", "macher", "macherin", "leger", "naeherin", "schneider", "schneiderin", "koch", "koechin", "gaertner", "gaertnerin", "pfleger", "pflegerin", "bote", "botin", "winzer", "schreiner", "tischler", "monteur", "installateur",
	} {
		if len(w) >= len(e) && w[len(w)-len(e):] == e {
			return true
		}
	}
	return false
}

// formerEnglish reads "former coal miner", "formerly a signalman", "Ret. golf course superintendent".
func (s *scan) formerEnglish(i int) {
	if s.lang == phi.German {
		return
	}
	j := i + 1
	if (s.isSign(j, '.') || s.isSign(j, '-') || s.isSign(j, ':')) && s.glued(j) {
		j++
	}
	if s.oneOf(i, "ret", "retd") {
		if !s.isSign(i+1, '.') {
			return
		}
		if s.jobRun(j, 0.8) {
			s.add(i, i+1, phi.ProfessionStatus, 0.8, sourceStatus)
		}
		return
	}
	if s.oneOf(j, "smoker", "user", "drinker", "iv") || s.oneOf(j+1, "smoker", "user", "drinker") {
		return
	}
	s.jobRun(j, 0.75)
}
