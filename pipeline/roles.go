package pipeline

import (
	"regexp"
	"strings"
	"unicode"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// agreeOnRoles gives the mentions of a person one role: that which is likeliest over all of them; what the patient's own
// resources say goes before all. A person with two roles would have two surrogates.
func (r *resolver) agreeOnRoles(spans []phi.Span) {
	all := r.fullNames(spans)
	byGiven, bySurname := map[string]*fullName{}, map[string]*fullName{}
	for i := range all {
		for given := range strings.FieldsSeq(all[i].given) {
			callSo(byGiven, given, &all[i])
		}
		callSo(bySurname, all[i].surname, &all[i])
	}
	mentions := map[string][]int{}
	var others []int // further names of whom the name before is of
	for i := range spans {
		s := &spans[i]
		if !ofRole(s.Type) {
			continue
		}
		if r.sameOne(spans, i) {
			others = append(others, i)
			continue
		}
		who := strings.ToLower(r.text[s.Start:s.End])
		if n, full := inFull(who); full {
			who = n.whole()
		} else if n, in := r.inForm(spans, i); in {
			who = n.whole()
		} else if n := byGiven[who]; n != nil && !strings.Contains(s.Source, "name.title") { // behind a title stands a surname
			who = n.whole()
		}
		mentions[who] = append(mentions[who], i)
	}
	for _, of := range mentions {
		r.agree(spans, of)
	}
	if len(all) > 0 {
		r.followSurnames(spans, bySurname, mentions)
		all = r.fullNames(spans)
		r.followGivenNames(spans, all)
		r.followTitles(spans, all)
	}
	for _, i := range others {
		if s := &spans[i]; s.Entity == "" {
			s.Type = spans[i-1].Type
		}
	}
}

// givenLabel stands in a form between the surname and the first names of one person.
var givenLabel = regexp.MustCompile(`(?i)^[\s:|.,_]*(?:vornamen?|rufname|first names?|given names?|forenames?)[\s:|.(en)_]*$`)

// inForm gives the full name of which the span is one half in a form: "Name WEBER  Vorname Anna".
func (r *resolver) inForm(spans []phi.Span, i int) (fullName, bool) {
	const widest = 40 // bytes between the two
	for _, j := range [...]int{i, i - 1} {
		if j < 0 || j+1 >= len(spans) || !ofRole(spans[j].Type) || !ofRole(spans[j+1].Type) {
			continue
		}
		between := r.text[spans[j].End:spans[j+1].Start]
		if len(between) <= widest && givenLabel.MatchString(between) {
			return fullName{
				given:   strings.ToLower(r.text[spans[j+1].Start:spans[j+1].End]),
				surname: strings.ToLower(r.text[spans[j].Start:spans[j].End]),
			}, true
		}
	}
	return fullName{}, false
}

// callSo notes what else somebody is called; what several are called stands for nobody.
func callSo(called map[string]*fullName, name string, n *fullName) {
	name = strings.ToLower(name)
	if other, taken := called[name]; taken && (other == nil || other.whole() != n.whole()) {
		n = nil
	}
	called[name] = n
}

// otherName stands between two names of one person: "Anna Weber, geb. Klein", "Home with Mrs. Rhodes (Hyun-ju)", "Mary-Kate
// Connors (Mrs. Cash on the green card)".
var otherName = regexp.MustCompile(`(?i)^(?:,? {1,2}\(?(?:née|nee|geb\.|geborener?|a\.?k\.?a\.?|alias) | \((?:(?:mrs?|ms|miss|fr|frau|hr|herr)\.? )?)$`)

// ofWhom stands before the name of somebody whose relative follows in brackets: "Schwester von Sandra (Anita)".
var ofWhom = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:von|vom|of)(?: (?:mrs?|ms|fr|frau|hr|herrn?)\.?)? $`)

// possessed follows the name of somebody to whom somebody else belongs.
var possessed = regexp.MustCompile(`^['’][sS]`)

// sameOne says whether the span, a name, is another one of whom the name before it is of. In the marks of our letters, of 140 maiden names
// all have the role of the name before, of names in brackets 195 in 210; a possessive tells most of the others.
func (r *resolver) sameOne(spans []phi.Span, i int) bool {
	const widest, longest = 16, 16 // bytes between the two names, and of what stands before them
	if i == 0 || !ofRole(spans[i-1].Type) {
		return false
	}
	before, s := spans[i-1], spans[i]
	gap := r.text[before.End:s.Start]
	return len(gap) <= widest && otherName.MatchString(gap) && !possessed.MatchString(r.text[s.End:min(len(r.text), s.End+len("’s"))]) &&
		!ofWhom.MatchString(r.text[max(0, before.Start-longest):before.Start])
}

// agree gives the mentions of one person, by their place among the spans, the role that is likeliest over all of them.
func (r *resolver) agree(spans []phi.Span, mentions []int) {
	const known = 1e6
	var weights [phi.NameOther + 1]float64
	for _, i := range mentions {
		s := &spans[i]
		if role, weight := r.evidence(spans, i); role != phi.NoType {
			weights[role] += weight
		}
		patient, staff, other := float64(s.Roles.Patient), float64(s.Roles.Staff), float64(s.Roles.Other)
		switch sum := patient + staff + other; {
		case s.Entity != "":
			weights[s.Type] += known
		case r.signsForOthers(s.Start):
			weights[phi.NameStaff] += known / 2
		case sum == 0:
			weights[s.Type] += s.Score
		default:
			weights[phi.NamePatient] += s.Score * patient / sum
			weights[phi.NameStaff] += s.Score * staff / sum
			weights[phi.NameOther] += s.Score * other / sum
		}
	}
	role := spans[mentions[0]].Type
	for _, t := range [...]phi.Type{phi.NamePatient, phi.NameStaff, phi.NameOther} {
		if weights[t] > weights[role] {
			role = t
		}
	}
	for _, i := range mentions {
		if s := &spans[i]; s.Entity == "" {
			s.Type = role
		}
	}
}

// carers follow the name of a member of staff, in brackets or as a grade of the British health service.
var carers = regexp.MustCompile(`(?i)^(?: \((?:trauma|cards?|cardiology|neuro|nsgy|neurosurgery|(?:tx )?id|renal|ortho|ob|ob/gyn|ent|gi|heme(?:/onc)?|onc|surgery|gen surg|` +
	`vascular|pulm|psych|peds|m?icu|anesthesia|derm|uro(?:logy)?|plastics|rads|p\.?t|ot|slp|sw|gp|pcp|cpn)\)|` +
	` \((?:support worker|key ?worker|care co-?ordinator)\b|,? \(?band [2-9]\b)`)

// evidence gives the role for which speaks what stands beside a name, and how many mentions it outweighs: in the marks of our
// letters, of 680 names before a number of a patient 670 are the patient's, but for initials, and so are 283 of 304 behind one.
func (r *resolver) evidence(spans []phi.Span, i int) (phi.Type, float64) {
	const (
		numberBehind, numberBefore = 3, 2
		carer                      = 2
		widest                     = 14 // bytes between a name and a number with its label
	)
	s := spans[i]
	if carers.MatchString(r.text[s.End:min(len(r.text), s.End+longestCarer)]) {
		return phi.NameStaff, carer
	}
	if !strings.ContainsFunc(r.text[s.Start:s.End], unicode.IsLower) && s.Len() <= len("K.-H.") {
		return phi.NoType, 0 // initials sign a line beside a number as well
	}
	beside := func(from, to, widest int) bool {
		return to-from <= widest && !strings.Contains(r.text[from:to], "\n") && !strings.HasPrefix(r.text[from:to], ".")
	}
	switch {
	case i+1 < len(spans) && spans[i+1].Type == phi.IDPatient && beside(s.End, spans[i+1].Start, widest):
		return phi.NamePatient, numberBehind
	case i > 0 && spans[i-1].Type == phi.IDPatient && beside(spans[i-1].End, s.Start, len("   ")):
		return phi.NamePatient, numberBefore
	}
	return phi.NoType, 0
}

const longestCarer = 28 // bytes

// onBehalf stands before the name of somebody who signs for the house.
var onBehalf = regexp.MustCompile(`(?:^|[^\p{L}.])i\. ?[AV]\.\s{1,3}$`)

// signsForOthers says so of the name that begins at start.
func (r *resolver) signsForOthers(start int) bool {
	const longest = 10 // bytes
	return onBehalf.MatchString(r.text[max(0, start-longest):start])
}

// fullName is a mention of somebody with first name and surname.
type fullName struct {
	given, surname string
	gender         byte // 'f', 'm', or 0 where the first name does not tell
	role           phi.Type
}

// whole is the name as the key of a person.
func (n *fullName) whole() string { return strings.ToLower(n.given + " " + n.surname) }

func (r *resolver) fullNames(spans []phi.Span) []fullName {
	var all []fullName
	for _, s := range spans {
		if !ofRole(s.Type) {
			continue
		}
		if n, ok := inFull(r.text[s.Start:s.End]); ok {
			n.role = s.Type
			all = append(all, n)
		}
	}
	return all
}

// generations tell two of one name apart; they are no surname: "Lupe Snr".
var generations = lists.Set("sr snr senior jr jnr junior sen jun ii iii iv")

// inFull reads "Weber, Anna" and "Anna Weber".
func inFull(name string) (fullName, bool) {
	surname, given, turned := strings.Cut(name, ",")
	if !turned {
		last := strings.LastIndexByte(name, ' ')
		if last < 0 {
			return fullName{}, false
		}
		given, surname = name[:last], name[last+1:]
	}
	given, surname = strings.TrimSpace(given), strings.TrimSpace(surname)
	if given == "" || surname == "" || generations[strings.TrimSuffix(strings.ToLower(surname), ".")] {
		return fullName{}, false
	}
	first, _, _ := strings.Cut(given, " ")
	first, _, _ = strings.Cut(first, "-")
	return fullName{given: given, surname: surname, gender: lists.Lookup(fold.Key(first)).Gender()}, true
}

// followGivenNames makes a first name that stands alone the patient's where patients alone are called so in full:
// "Valentin Schöpflin", later "Valentin". Behind a title stands a surname.
func (r *resolver) followGivenNames(spans []phi.Span, all []fullName) {
	patients, others := map[string]bool{}, map[string]bool{}
	for _, n := range all {
		called := others
		if n.role == phi.NamePatient {
			called = patients
		}
		for given := range strings.FieldsSeq(n.given) {
			called[strings.ToLower(given)] = true
		}
	}
	for i := range spans {
		s := &spans[i]
		if !ofRole(s.Type) || s.Entity != "" || strings.Contains(s.Source, "name.title") {
			continue
		}
		if name := strings.ToLower(r.text[s.Start:s.End]); patients[name] && !others[name] {
			s.Type = phi.NamePatient
		}
	}
}

// followSurnames gives a surname that stands alone the role of the patient or the member of staff who alone is named so in
// full; a relative of that name is called by more. A title of the other gender means somebody else.
func (r *resolver) followSurnames(spans []phi.Span, bySurname map[string]*fullName, mentions map[string][]int) {
	for i := range spans {
		s := &spans[i]
		n := bySurname[strings.ToLower(r.text[s.Start:s.End])]
		if n == nil || !ofRole(s.Type) || s.Entity != "" {
			continue
		}
		if gender := r.titleBefore(s.Start); gender != 0 && gender != n.gender {
			continue
		}
		if of := mentions[n.whole()]; len(of) > 0 && spans[of[0]].Type != phi.NameOther {
			s.Type = spans[of[0]].Type
		}
	}
}

// title stands before a surname and tells the gender.
var title = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:(frau|fr|mrs|ms|miss)|(herrn?|hrn?|mr))\.?\s$`)

// titleBefore gives the gender of the title before a name, 'f' or 'm', or 0.
func (r *resolver) titleBefore(start int) byte {
	const longest = 12 // bytes of a title
	m := title.FindStringSubmatchIndex(r.text[max(0, start-longest):start])
	switch {
	case m == nil:
		return 0
	case m[2] >= 0:
		return 'f'
	}
	return 'm'
}

// followTitles gives "Frau Weber" the role of the woman of that surname, where one is named in full; where the patient of
// that name is a man, she is somebody else.
func (r *resolver) followTitles(spans []phi.Span, all []fullName) {
	for i := range spans {
		s := &spans[i]
		if !ofRole(s.Type) || s.Entity != "" {
			continue
		}
		gender := r.titleBefore(s.Start)
		if gender == 0 {
			continue
		}
		if role := bearer(all, r.text[s.Start:s.End], gender, s.Type); role != phi.NoType {
			s.Type = role
		}
	}
}

// bearer gives the role of those who bear the surname and are of the gender; NoType where the one there is now may be right.
func bearer(all []fullName, surname string, gender byte, now phi.Type) phi.Type {
	role, stranger := phi.NoType, false
	for _, n := range all {
		switch {
		case !strings.EqualFold(n.surname, surname):
		case n.gender == 0:
			return phi.NoType
		case n.gender != gender:
			stranger = stranger || n.role == phi.NamePatient
		case role != phi.NoType && role != n.role:
			return phi.NoType
		default:
			role = n.role
		}
	}
	switch {
	case role == phi.NoType && stranger:
		return phi.NameOther
	case now == phi.NamePatient && !stranger:
		return phi.NoType // the patient may be named in full nowhere
	}
	return role
}

// wholeDate is a date with its year.
var wholeDate = regexp.MustCompile(`^(?:\d{1,2}[./-] ?\d{1,2}[./-] ?(?:\d{2}|\d{4})|\d{4}-\d{2}-\d{2}|\d{1,2}\.? ?\p{L}+\.? \d{4}|\p{L}+\.? \d{1,2}, ?\d{4})$`)

// findBirthdates takes a whole date directly behind a patient's full name for the date of birth: "Emmerich Skopnik, 12. Jänner 1950", "SHORT,BILL,1938-03-19".
func (r *resolver) findBirthdates(spans []phi.Span) {
	for i := 1; i < len(spans); i++ {
		name, date := spans[i-1], &spans[i]
		if name.Type != phi.NamePatient || date.Type != phi.DateDate || date.Entity != "" {
			continue
		}
		full := false
		switch r.text[name.End:date.Start] {
		case " ", ", ", " (":
			_, full = inFull(r.text[name.Start:name.End])
		case ",": // a cell behind those of surname and first name
			full = i > 1 && spans[i-2].Type == phi.NamePatient && r.text[spans[i-2].End:name.Start] == ","
		}
		if full && wholeDate.MatchString(r.text[date.Start:date.End]) {
			date.Type = phi.DateBirthdate
		}
	}
}

// ofRole says whether a type is that of a person with a role.
func ofRole(t phi.Type) bool {
	return t == phi.NamePatient || t == phi.NameStaff || t == phi.NameOther
}
