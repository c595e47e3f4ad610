package ner

import (
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

// part is the span of that part of a text.
func part(t *testing.T, text, of string, kind phi.Type, score float64) phi.Span {
	t.Helper()
	start := strings.Index(text, of)
	if start < 0 {
		t.Fatalf("%q is not in %q", of, text)
	}
	return phi.Span{Start: start, End: start + len(of), Type: kind, Score: score}
}

func TestDoubtful(t *testing.T) {
	for _, c := range []struct {
		text, of string
		language phi.Language
		kind     phi.Type
		score    float64
		want     bool
	}{
		{"Liste:\n 002 | MKO", "002", phi.German, phi.LocationHospital, 0.5, true},
		{"Liste:\n 002 | MKO", "002", phi.German, phi.LocationHospital, 0.95, false},
		{"005 | E-L", "005", phi.German, phi.LocationZIP, 0.95, true},
		{"Liste:\n 4600 Olten", "4600", phi.German, phi.LocationZIP, 0.5, false},
		{"verlegt auf 12", "12", phi.German, phi.LocationHospital, 0.5, false},
		{"12 Müller", "12", phi.German, phi.Age, 0.5, false},
		{"Ausschlag am bauch", "bauch", phi.German, phi.LocationOther, 0.3, true},
		{"Ausschlag am bauch", "bauch", phi.German, phi.LocationOther, 0.8, false},
		{"WOUND TO THE LEFT BUTTOCK IN", "LEFT BUTTOCK", phi.English, phi.LocationHospital, 0.85, true},
		{"WOUND TO THE LEFT BUTTOCK IN", "LEFT BUTTOCK", phi.English, phi.LocationHospital, 0.92, false},
		{"Wohnhaft in Bauchheim", "Bauchheim", phi.German, phi.LocationCity, 0.3, false},
		{"an Fach 4711 senden", "Fach 4711", phi.German, phi.LocationOther, 0.3, false},
		{"an Fach 47 senden", "Fach 47", phi.German, phi.LocationOther, 0.3, true},
		{"the electric company", "company", phi.English, phi.LocationOrganization, 0.2, true},
		{"bringt wolle mit", "wolle", phi.German, phi.NameStaff, 0.6, true},
		{"bringt wolle mit", "wolle", phi.German, phi.NameStaff, 0.8, false},
		{"bringt wolle mit", "wolle", phi.German, phi.NameUsername, 0.3, false},
		{"von koch gebracht", "koch", phi.German, phi.NameStaff, 0.6, false},
		{"abgesprochen (an)", "an", phi.German, phi.NameStaff, 0.3, false},
		{"als koch tätig", "koch", phi.German, phi.ProfessionProfession, 0.3, false},
		{"ich nehme januvia", "januvia", phi.German, phi.NamePatient, 0.8, true},
		{"ich nehme januvia", "januvia", phi.German, phi.NamePatient, 0.96, false},
		{"ich nehme Januvia", "Januvia", phi.German, phi.NamePatient, 0.8, false}, // the dictionaries protect it
		{"ich nehme rennie", "rennie", phi.German, phi.NamePatient, 0.8, false},
		{"Adelsberger e. h.", "e. h.", phi.German, phi.NameStaff, 0.9, true},
		{"Adelsberger i. V.", "i. V.", phi.German, phi.NameStaff, 0.9, true},
		{"Adelsberger I. V.", "I. V.", phi.German, phi.NameStaff, 0.9, false},
		{"he should call #911 or", "911", phi.English, phi.ContactPhone, 0.96, true},
		{"ward, extension 911 or", "911", phi.English, phi.LocationHospital, 0.96, false},
		{"pager 3356   45 min", "45", phi.English, phi.ContactPhone, 0.96, true},
		{"ext. 45, mint", "45", phi.English, phi.ContactPhone, 0.96, false},
		{"CC: I. Kestenbaum", "CC", phi.English, phi.NameStaff, 0.9, true},
		{"Cc patient", "Cc", phi.English, phi.NameStaff, 0.9, true},
		{"signed CC, RN", "CC", phi.English, phi.NameStaff, 0.9, false},
		{"TD: 7:48 P\nCC", "P", phi.English, phi.NameStaff, 0.7, true},
		{"signed P\nCC", "P", phi.English, phi.NameStaff, 0.7, false},
		{"call 9110 or", "9110", phi.English, phi.ContactPhone, 0.96, false},
		{"The 11th thoracic vertebra", "11th", phi.English, phi.DateDate, 0.9, true},
		{"left 5th\nfinger", "5th", phi.English, phi.DateDate, 0.9, true},
		{"Antonia, 5. Sem. in Greifswald", "5. Sem", phi.German, phi.DateDate, 0.9, true},
		{"Antonia, 5. Sem. in Greifswald", "5.", phi.German, phi.DateDate, 0.9, true},
		{"am 5. Semper", "5.", phi.German, phi.DateDate, 0.9, false},
		{"seen on the 11th by", "11th", phi.English, phi.DateDate, 0.9, false},
		{"wieder im Frühjahr", "Frühjahr", phi.German, phi.DateDate, 0.9, true},
		{"wieder im Frühjahr 2020", "Frühjahr 2020", phi.German, phi.DateDate, 0.9, false},
		{"seen by Summer", "Summer", phi.English, phi.NameStaff, 0.9, false},
		{"7 mm canal at C5-6 with", "C5-6", phi.English, phi.LocationHospital, 0.94, true},
		{"transferred to C5 today", "C5", phi.English, phi.LocationHospital, 0.94, false},
		{"Die Ehefrau reinigt Büros in Unna.", "reinigt Büros", phi.German, phi.ProfessionProfession, 0.94, true},
		{"Sie arbeitet im Mercedeswerk.", "arbeitet im Mercedeswerk", phi.German, phi.ProfessionProfession, 0.94, false},
		{"Er ist gelernter Koch.", "gelernter Koch", phi.German, phi.ProfessionProfession, 0.94, false},
		{"a former cigarette smoker", "cigarette smoker", phi.English, phi.ProfessionProfession, 0.94, true},
		{"Exraucher seit", "Exraucher", phi.German, phi.ProfessionProfession, 0.94, true},
		{"He is a vague historian.", "vague historian", phi.English, phi.ProfessionProfession, 0.94, true},
		{"She is an art historian.", "art historian", phi.English, phi.ProfessionProfession, 0.94, false},
		{"works part -time now", "-time", phi.English, phi.ProfessionStatus, 0.9, true},
		{"still on light duty", "on light duty", phi.English, phi.ProfessionStatus, 0.95, true},
		{"an eighth grader at Middle\nSchool", "Middle\nSchool", phi.English, phi.LocationOrganization, 0.92, true},
		{"besucht das Gymnasium", "Gymnasium", phi.German, phi.LocationOrganization, 0.92, true},
		{"besucht das Goethe-Gymnasium", "Goethe-Gymnasium", phi.German, phi.LocationOrganization, 0.92, false},
		{"LOCATION: ED", "ED", phi.English, phi.LocationHospital, 0.96, true},
		{"as I said", "I", phi.English, phi.LocationOrganization, 0.96, true},
		{"auf der ITS 2", "ITS 2", phi.German, phi.LocationHospital, 0.96, false},
		{"works as a smokejumper", "smokejumper", phi.English, phi.ProfessionProfession, 0.94, false},
	} {
		if got := doubtful(c.text, part(t, c.text, c.of, c.kind, c.score), c.language); got != c.want {
			t.Errorf("%q in %q as %s with %.2f: %v", c.of, c.text, c.kind, c.score, got)
		}
	}
}

// The time of day behind a date stays in the text.
func TestTrimLeavesTimes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2025-03-02T06:41:00-05:00", "2025-03-02"},
		{"2025-03-02T06:41:00.250Z", "2025-03-02"},
		{"4.3.2021, 14:30 Uhr", "4.3.2021"},
		{"12/3/2021 9:15", "12/3/2021"},
		{"March 5, 2021", "March 5, 2021"},
		{"14:30", "14:30"},
	} {
		s := trim(c.text, phi.Span{End: len(c.text), Type: phi.DateDate, Score: 0.9}, 0, phi.German)
		if got := c.text[s.Start:s.End]; got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// The full stop of a German day belongs to it, the lines and carets of a form to nothing but a user's name.
func TestTrimSigns(t *testing.T) {
	for _, c := range []struct {
		text, of string
		language phi.Language
		kind     phi.Type
		want     string
	}{
		{"am 13. wieder", "13", phi.German, phi.DateDate, "13."},
		{"ab 2005. Er", "05", phi.German, phi.DateDate, "05"},
		{"on the 13. He", "13", phi.English, phi.DateDate, "13"},
		{"13, am", "13", phi.German, phi.DateDate, "13"},
		{"Name __Demetra__ MI", "__Demetra__", phi.English, phi.NamePatient, "Demetra"},
		{"BREAUX^LA^70517", "^LA^", phi.English, phi.LocationState, "LA"},
		{"came to L&D at St. Brigid's last", "L&D at St. Brigid's", phi.English, phi.LocationHospital, "St. Brigid's"},
		{"Peds at the Crossings", "Peds at the Crossings", phi.English, phi.LocationHospital, "Peds at the Crossings"},
		{"Mistry, ext. 3-1180.", "ext. 3-1180", phi.English, phi.ContactPhone, "3-1180"},
		{"call 555-0184 ext 22", "555-0184 ext 22", phi.English, phi.ContactPhone, "555-0184 ext 22"},
		{"Gesehen am Fenstertag, 17.6. um", "Fenstertag, 17.6.", phi.German, phi.DateDate, "17.6."},
		{"Gesehen am Freitag, 17.6. um", "Freitag, 17.6.", phi.German, phi.DateDate, "Freitag, 17.6."},
		{"user _otto_", "_otto_", phi.English, phi.NameUsername, "_otto_"},
	} {
		s := trim(c.text, part(t, c.text, c.of, c.kind, 0.9), 0, c.language)
		if got := c.text[s.Start:s.End]; got != c.want {
			t.Errorf("%q in %q as %s: %q, want %q", c.of, c.text, c.kind, got, c.want)
		}
	}
}
