package pipeline

import (
	"regexp"
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// agreeOnRoles gives a name that is written several times the role of most of its mentions, weighed by their scores;
// what the patient's own resources say goes before all. A person with two roles would have two surrogates.
func (r *resolver) agreeOnRoles(spans []phi.Span) {
	r.keys = r.keys[:0]
	var buf [48]byte
	for i := range spans {
		if ofRole(spans[i].Type) {
			hash := lists.Hash(appendLower(buf[:0], r.text[spans[i].Start:spans[i].End]))
			r.keys = append(r.keys, uint64(hash)<<32|uint64(i))
		}
	}
	slices.Sort(r.keys)
	for from := 0; from < len(r.keys); {
		to := from + 1
		for to < len(r.keys) && r.keys[to]>>32 == r.keys[from]>>32 {
			to++
		}
		if to-from > 1 {
			r.agree(spans, r.keys[from:to])
		}
		from = to
	}
	if all := r.fullNames(spans); len(all) > 0 {
		r.followGivenNames(spans, all)
		r.followTitles(spans, all)
	}
}

// fullName is a mention of somebody with first name and surname.
type fullName struct {
	given, surname string
	gender         byte // 'f', 'm', or 0 where the first name does not tell
	role           phi.Type
}

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
	if given == "" || surname == "" {
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

// title stands before a surname and tells the gender.
var title = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:(frau|fr|mrs|ms|miss)|(herrn?|hrn?|mr))\.?\s$`)

// followTitles gives "Frau Weber" the role of the woman of that surname, where one is named in full; where the patient of
// that name is a man, she is somebody else.
func (r *resolver) followTitles(spans []phi.Span, all []fullName) {
	const longest = 12 // bytes of a title
	for i := range spans {
		s := &spans[i]
		if !ofRole(s.Type) || s.Entity != "" {
			continue
		}
		m := title.FindStringSubmatchIndex(r.text[max(0, s.Start-longest):s.Start])
		if m == nil {
			continue
		}
		gender := byte('m')
		if m[2] >= 0 {
			gender = 'f'
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

// agree does so for the mentions with one hash; keys hold their indices.
func (r *resolver) agree(spans []phi.Span, keys []uint64) {
	const known = 1e6
	var weights [phi.NameOther + 1]float64
	first := &spans[uint32(keys[0])]
	name := r.text[first.Start:first.End]
	for _, k := range keys {
		s := &spans[uint32(k)]
		if !strings.EqualFold(r.text[s.Start:s.End], name) {
			return // two names with one hash
		}
		weights[s.Type] += s.Score
		if s.Entity != "" {
			weights[s.Type] += known
		}
	}
	role := first.Type
	for _, t := range [...]phi.Type{phi.NamePatient, phi.NameStaff, phi.NameOther} {
		if weights[t] > weights[role] {
			role = t
		}
	}
	for _, k := range keys {
		if s := &spans[uint32(k)]; s.Entity == "" {
			s.Type = role
		}
	}
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
