package rules_test

import (
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
	"fhirdeid/pipeline/rules"
)

func TestIDsGerman(t *testing.T) {
	pipetest.Accept(t, rules.IDs, phi.German,
		"Fall-Nr.:[ID_PATIENT:4711002], Aufnahme-Nr.: [ID_PATIENT:1804-33912]",
		"Fallnummer [ID_PATIENT:22-0014987] | Pat.-ID [ID_PATIENT:553.871.09]",
		"PID: [ID_PATIENT:0004417723]   Fall: [ID_PATIENT:7720081544]",
		"KV-Nr. [ID_HEALTHPLAN:A123456780], LANR [ID_LICENSE:123456601], BSNR [ID_LICENSE:933014800]",
		"Vers.-Nr. [ID_HEALTHPLAN:L 337 904 118]",
		"RV-Nr. [ID_SSN:65 170839 J 003]",
		"SVNR [ID_SSN:1234 010150]; AHV [ID_SSN:756.1234.5678.97]",
		"IBAN [ID_ACCOUNT:DE89 3704 0044 0532 0130 00]",
		"Konto [ID_ACCOUNT:AT611904300234573201]",
		"Schrittmacher, Seriennr. [ID_DEVICE:PJN602345H], S/N [ID_DEVICE:217 448 303]",
		"Histologie-Nr. [ID_OTHER:H/21-19927], Auftragsnummer: [ID_OTHER:2301-118-5520]",
		"Az. [ID_OTHER:S 14 R 1127/18]",
		"Konserven-Nrn. [ID_OTHER:D 81 662], [ID_OTHER:D 81 670] und [ID_OTHER:D 81 693].",
		"KK-Karte [ID_HEALTHPLAN:80756005012244910386]",
		"Studie [ID_STUDY:NCT01234567], EudraCT [ID_STUDY:2020-004417-39]",
		"Unfall mit Pkw [ID_VEHICLE:E-UK 1234].",
		"Steuer-ID [ID_SSN:86095742719]",
	)
}

func TestNoIDsGerman(t *testing.T) {
	pipetest.Accept(t, rules.IDs, phi.German,
		"Impfung, Charge 4711815; Lot 61330288",
		"Diagnosen: J15.9, F32.1, OPS 5-377.1, TNM pT3 pN1b",
		"Ramipril 5 mg 1-0-0, Palacos 2x40, Leuko 16400 /nl",
		"im Fall 2019 war der Befund 3,5 x 2 cm groß",
		"Vitalzeichen 108/66, BDI-II 41, TUR-P 2011",
		"Seite 2 von 3, Zimmer Nr. 5, Ziffer Nr. 34",
		"am 12.03.2021 von 10:30 bis 11:45 Uhr, KW 14",
		"CYP2C19, HLA-B27, Th8, L4/5, CD20, G20210A",
	)
}

func TestIDsEnglish(t *testing.T) {
	pipetest.Accept(t, rules.IDs, phi.English,
		"MRN[ID_PATIENT:00482913], MR #: [ID_PATIENT:00-41-77-93]",
		"Hosp. No. [ID_PATIENT:81-20-55]",
		"SSN [ID_SSN:078 05 1120], acct #[ID_ACCOUNT:A-77812/03], DEA [ID_LICENSE:BM1234563], pacemaker serial [ID_DEVICE:PJN602345H]; B12 1234 pg/mL.",
		"SSN: [ID_SSN:241-90-7735], last four [ID_SSN:7735]",
		"NPI [ID_LICENSE:1234567893], CLIA [ID_LICENSE:22D0998471]",
		"NHS number was [ID_PATIENT:943 476 5919]",
		"Medicare [ID_HEALTHPLAN:1EG4-TE5-MK73]",
		"policy no. [ID_HEALTHPLAN:W4T-8819-0026]",
		"VIN [ID_VEHICLE:1M8GDM9AXKP042788]",
		"card [ID_ACCOUNT:4111 1111 1111 1111]",
		"Accession [ID_PATIENT:RA2231907]; order #[ID_OTHER:HH-77120], read back",
		"enrolled in [ID_STUDY:NCT09917345]",
		"OR plate [ID_VEHICLE:418 KQD]",
	)
}

func TestNoIDsEnglish(t *testing.T) {
	pipetest.Accept(t, rules.IDs, phi.English,
		"BP 120/80, WBC 12,400, K 4.1, B12 1234 pg/mL",
		"Case discussed in 2019; order placed; no 5 mm lesion",
		"lot 4711815, page 3 of 5, ICD J15.9, CPT 99213",
		"20/40 vision, POD#3, x2 weeks, q8h, L4-L5, C5-6",
		"#1 pneumonia #2 sepsis",
		"T2N0M0, EF 55, A1c 8.1, 6F EBU 3.5",
	)
}
