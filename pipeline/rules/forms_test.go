package rules_test

import (
	"context"
	"slices"
	"testing"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
	"fhirdeid/pipeline/rules"
)

// The forms in this file are of each class several, and beside them what must stay.

func TestDictatedAndCalledNumbers(t *testing.T) {
	pipetest.Accept(t, rules.Contacts, phi.German,
		"bitte rufen sie zurück unter [CONTACT_PHONE:null fünf fünf sechs vier vier null zwo acht] punkt",
		"durchwahl [CONTACT_PHONE:vier vier null]",
		"Anmeldung unter [CONTACT_PHONE:81177], danke.",
		"Tel. [CONTACT_PHONE:03834 86-6712], Stationen: SZT [CONTACT_PHONE:86-6741], C3 [CONTACT_PHONE:86-6733]",
		"Tel. [CONTACT_PHONE:O5121 - 88 20 4l], Fax [CONTACT_FAX:O5121 - 88 2O 44], geb. O4.11.l939",
		"Einmal eins zwei drei, dann Pause. Merkfähigkeit drei von drei.",
		"Blutdruck unter 140, Temperatur unter 38,5, Frequenz auf 1200 eingestellt, 5l Sauerstoff, O2 2 l/min.",
		"Ab 2021 unter 5000 Thrombozyten, unter 2000 ml Trinkmenge.",
	)
	pipetest.Accept(t, rules.Contacts, phi.English,
		"Ring [CONTACT_PHONE:1199] NOW.",
		"Page me at [CONTACT_PHONE:60422], day shift.",
		"Please call the reg on [CONTACT_PHONE:2288].",
		"call [CONTACT_PHONE:oh seven seven double oh nine four six one] please",
		"Call me at 1430, dose at 2000 units, on page 12 of 30.",
		"MoCA: remembered one two three of five words.",
	)
}

func TestStreetForms(t *testing.T) {
	pipetest.Accept(t, rules.Addresses, phi.German,
		"Frau\nGerlinde Breit\n[LOCATION_STREET:Wiener Straße 151/Stg. 3/Top 9]\n[LOCATION_ZIP:4020] [LOCATION_CITY:Linz]",
		"wohnhaft [LOCATION_STREET:Heidestraße 118], [LOCATION_ZIP:06842] [LOCATION_CITY:Dessau-Roßlau]",
		"Praxis, [LOCATION_STREET:Altmarkt 14] in [LOCATION_ZIP:01587] [LOCATION_CITY:Riesa]",
		"[LOCATION_STREET:Türrschmidtstr. 20 VH 3. OG] links",
		"ich bin jetzt gerade bei der frau in der [LOCATION_STREET:neugasse elf] und sie hat wieder stark geblutet",
		"Ärztehaus, [LOCATION_STREET:St. Gallerstrasse 51], Flawil",
		"Am 12 Uhr, im Zimmer 3, am Tag 5, im Segment 7, auf Station 4 in Ruhe.",
		"Bewegungsweg 20 cm, Bergstation 2, Befundbericht 3.",
	)
	pipetest.Accept(t, rules.Addresses, phi.English,
		"Mrs Sohal, [LOCATION_STREET:17 Quarry Bank], [LOCATION_CITY:Ossett] [LOCATION_ZIP:WF5 0ZZ].",
		"Royal Infirmary, [LOCATION_STREET:Castle Gate], [LOCATION_CITY:Shrewsbury] [LOCATION_ZIP:SY1 9QX]",
		"Address [LOCATION_STREET:71844 Road 433], [LOCATION_CITY:Oconto], [LOCATION_STATE:NE] [LOCATION_ZIP:68860]",
		"the Walgreens on [LOCATION_STREET:Kestrel Pkwy], thanks",
		"Lives at [LOCATION_STREET:12 Elm St., Apt 3B], [LOCATION_CITY:Worcester], [LOCATION_STATE:MA] [LOCATION_ZIP:01604-1234].",
		"[LOCATION_STREET:PSC 4821, Box 17]\n[LOCATION_CITY:APO] [LOCATION_STATE:AE] [LOCATION_ZIP:09498]",
		"to [LOCATION_STREET:Unit 3050 Box 12], [LOCATION_CITY:DPO], [LOCATION_STATE:AA] [LOCATION_ZIP:34002-0012]",
		"[LOCATION_OTHER:USS Tern Bay]\n[LOCATION_CITY:FPO] [LOCATION_STATE:AP] [LOCATION_ZIP:96601]. Apo E4, PSC trough, Unit 3, box 2.",
		"Gait steady, bank of lights, 5 mg at the gate of the unit, road test 3.",
	)
}

func TestIDForms(t *testing.T) {
	pipetest.Accept(t, rules.IDs, phi.German,
		"Betreuung laut Amtsgericht ([ID_OTHER:XVII 714/21]) seit 20.04.2021",
		"Unterbringung ([ID_OTHER:7 XIV 118/84])",
		"Rega, Heli [ID_VEHICLE:HB-ZPQ]",
		"Verlegung mit ITH [ID_VEHICLE:Christoph 14] um 11:25",
		"Labor: BSG 24/51, CK 640, GGT 412, MCV 106. Echo: EF 55 %.",
		"Ergänzung Labor: LDH 2400, PSA 11, HPI: 11:50, Ruhe-EKG: PQ 240.",
		"Befund: RR 134/72, HF 66, Gerät: MAC 2000.",
		"Befund (Gerät GIF-HQ190, Sedierung)",
		"Stadium IV 3/12, XII 5 Hirnnerv, L V 12/2021.",
		"Novaminsulfon 500 mg/ml PZN 01234886, PZN-00811866; Charge unbekannt.",
	)
	pipetest.Accept(t, rules.IDs, phi.English,
		"Driver number [ID_LICENSE:PEVER 808036 MA9XY 21].",
		"He drives a Mini, [ID_VEHICLE:WX15 KOD], parked at the pub.",
		"Transferred by air, crew of [ID_VEHICLE:VH-NQX] waits.",
		"CHI [ID_PATIENT:140971 3358], NHS no [ID_PATIENT:500 118 7742]; lidocaine NDC 00409427601.",
		"ECG: PR 240, QRS 90. Vitals: BP 124/80, HR 72. IOL SN60AT 21.0 D.",
	)
}

// The abbreviation of a room is part of its name, as the word is; behind a colon stands the name alone.
func TestRooms(t *testing.T) {
	pipetest.Accept(t, rules.Hospitals, phi.German,
		"Verlegt auf [LOCATION_HOSPITAL:Zi. 214], dann [LOCATION_HOSPITAL:Zimmer 9], Bett: [LOCATION_HOSPITAL:3]",
	)
}

func TestDateForms(t *testing.T) {
	pipetest.Accept(t, rules.Dates, phi.German,
		"Zeckenstich [DATE_DATE:August], Kontrolle im [DATE_DATE:Okt.], [DATE_DATE:Ende März], [DATE_DATE:Mitte Februar].",
		"seit [DATE_DATE:Samichlaus], zu [DATE_DATE:Allerheiligen], [DATE_DATE:KW 14], [DATE_DATE:Herbst 1982].",
		"var. Dez., FBA pH 7,28; Frau März und Herr August kamen.",
	)
	pipetest.Accept(t, rules.Dates, phi.English,
		"OCP stopped by me [DATE_DATE:March]. Retired [DATE_DATE:June], home for [DATE_DATE:Turkey Day].",
		"Creatinine of 1.4. During the stay potassium was 3.2. The March hare. She may go; they march on.",
		"on the [DATE_DATE:fourth of July] and in [DATE_DATE:early March 2019]",
	)
}

// A birth date behind a record number is no part of it, and the label none of either, unless a hyphen joins it.
func TestNumberBesideBirthDate(t *testing.T) {
	pipetest.Accept(t, rules.IDs, phi.English,
		"[ID_PATIENT:MRN-00482913] DOB 07/05/1929 seen today",
		"MRN: [ID_PATIENT:00482913] DOB 07/05/1929",
		"series #102 images #10-14; sagittal images #56-59 show",
		"Pid [ID_PATIENT:4401277], born 07/05/1929",
	)
}

// Streets without a number need a preposition before them.
func TestStreetsWithoutNumber(t *testing.T) {
	pipetest.Accept(t, rules.Addresses, phi.German,
		"Sturz in der [LOCATION_STREET:Utenbacher Straße], auf der anderen Straße stand niemand.",
		"Er ging über die große Straße.",
	)
	pipetest.Accept(t, rules.Addresses, phi.English,
		"Brenda on [LOCATION_STREET:Sandpiper Close] has a cough.",
		"Brought by Medic 14 from [LOCATION_STREET:900 block of Prospect Ave], GCS 7.",
		"She is on Close observation; they went the Long Way home.",
	)
}

// Numbers side by side in the columns of a row are measurements, those before the points of a list number them; days, years
// and ages among other things are left open.
func TestMeasurements(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"06:00  BIPAP   18     5     14   480   96    Absaugen", []string{"18", "5", "14", "480", "96"}},
		{"M\t2420\t2290\t2510\nL\t2205\t1.9\t2270\n", []string{"2420", "2290", "2510"}},
		{"Year   2019   2020   17\n", []string{"17"}},
		{"Boost     12  13  14  15  18 Sep", nil},
		{"Sep    12  13  14  15", nil},
		{"3   4   5   6   7\n8   9   10\n", nil},
		{"A    3    NGUYEN, L     39   6    PANC", nil},
		{"Telefon   0228   471   12345", nil},
		{"Er wog 18 5 14 kg.", nil},
		{"und zwar\n1.) vom 14.1. bis 2.2.\n2) ambulant (Zimmer 3)", []string{"1.)", "2)"}},
	} {
		spans, err := rules.Context.Detect(context.Background(), &pipeline.Document{Text: c.text, Language: phi.German})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range spans {
			if s.Type == phi.Protected {
				got = append(got, c.text[s.Start:s.End])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
