package rules_test

import (
	"context"
	"testing"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
	"fhirdeid/pipeline/rules"
)

func TestDates(t *testing.T) {
	pipetest.Accept(t, rules.Dates, phi.German,
		"Aufnahme vom [DATE_DATE:07.02.] bis [DATE_DATE:18.02.2022], Station 3",
		"Patientin: Poschmann, Adelheid, geb. [DATE_BIRTHDATE:04.11.1948]",
		"Pat.: Klein, Sieglinde, *[DATE_BIRTHDATE:3.6.57]",
		"Geburtsdatum: [DATE_BIRTHDATE:27/03/1963], OP [DATE_DATE:12.05.2020]",
		"KARTEI: Grabowski, Heinz-Dieter | [DATE_BIRTHDATE:17.2.51] | Knappschaft; Kontrolle [DATE_DATE:3.4.2020]",
		"Kraft 5/5, RR 120/80, pH 7.35, Tabletten 1-0-1",
		"Z. n. Strumaresektion [DATE_DATE:1987], Sauerstoff seit [DATE_DATE:2019]",
		"Rezidiv [DATE_DATE:Frühjahr 2020], Kontrolle [DATE_DATE:KW 14]",
		"Klinikum Süd [DATE_DATE:04.08.2024]\nGrieder Moritz, Kontrolle [DATE_DATE:12.08.2024]",
		"Grieder Moritz [DATE_BIRTHDATE:04.08.1964]\nKontrolle [DATE_DATE:12.08.2024]",
		"Betrifft: Frau Hannelore Twiefel, geb. Behnken, [DATE_BIRTHDATE:21.5.1957], Scheeßel; Kontrolle [DATE_DATE:3.4.2020]",
		"Die am [DATE_BIRTHDATE:4. Oktober 1960] in Suhl geborene Klägerin; am [DATE_DATE:3.4.2020] in Suhl operiert",
		"Anatol ([DATE_BIRTHDATE:2.9.2007], 9) war mit der Mutter da; Anna Zumsteg, [DATE_BIRTHDATE:29.07.2022] (3 Mt.); Hans Meier, [DATE_DATE:30.07.2022] (3 mg)",
		"NAME GEBDAT AUFN\nHUSSEINI, NOOR   [DATE_BIRTHDATE:1966-03-05] [DATE_DATE:2024-06-03]\nMEIER, ALBERT   [DATE_BIRTHDATE:1981-12-12] [DATE_DATE:2024-06-04]",
	)
	pipetest.Accept(t, rules.Dates, phi.English,
		"her birthday is [DATE_BIRTHDATE:March 5th, 1951], seen [DATE_DATE:May 3, 2019]",
		"DOB: [DATE_BIRTHDATE:07/19/1948]  ADMITTED: [DATE_DATE:02/27/2019]",
		"She was born on [DATE_BIRTHDATE:March 5th, 1951] and died in [DATE_DATE:May 2019].",
		"BP 120/80, strength 5/5, visual acuity 20/40, CRASH-2 (2010)",
		"seen on [DATE_DATE:3/14] and again on [DATE_DATE:March 20]",
		"Booked for [DATE_DATE:20 Aug]. She was well on [DATE_DATE:Nov. 3] and in [DATE_DATE:Dec.] at home.",
	)
}

// TestDateIntervals: a span says which days it means, and what is none is protected.
func TestDateIntervals(t *testing.T) {
	doc := &pipeline.Document{Text: "vom 12. bis 14.03.2021, Kraft 5/5", Language: phi.German}
	spans, err := rules.Dates.Detect(context.Background(), doc)
	if err != nil || len(spans) != 3 {
		t.Fatal(spans, err)
	}
	if spans[2].Type != phi.Protected {
		t.Error("the strength of a muscle is not kept from being taken for a date")
	}
	if spans[0].Interval == nil || spans[1].Interval == nil || spans[1].Interval.From-spans[0].Interval.From != 2 {
		t.Error("12. and 14.03.2021 are not two days apart")
	}
}
