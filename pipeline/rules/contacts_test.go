package rules_test

import (
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
	"fhirdeid/pipeline/rules"
)

func TestContactsGerman(t *testing.T) {
	pipetest.Accept(t, rules.Contacts, phi.German,
		"Tel. [CONTACT_PHONE:030 / 450-12345], Fax [CONTACT_FAX:030 / 450-12346]",
		"Telefon: [CONTACT_PHONE:+49 (0)30 123456-0]",
		"Tel.: [CONTACT_PHONE:(0 64 21) 28 - 42 13]",
		"erreichbar unter [CONTACT_PHONE:0171 / 60 55 903] oder [CONTACT_PHONE:0 55 24 - 92 07 11].",
		"Sekretariat [CONTACT_PHONE:05523/88-2210], Durchwahl [CONTACT_PHONE:-155]",
		"App. [CONTACT_PHONE:1234], DECT [CONTACT_PHONE:16-24917], Piepser [CONTACT_PHONE:2-883]",
		"Natel [CONTACT_PHONE:079 661 20 84] (Partner)",
		"Rückfragen [CONTACT_PHONE:3077]",
		"Tel. [CONTACT_PHONE:+43 (0)2822 9004-21750], DW [CONTACT_PHONE:2210]",
		"Zentrale [CONTACT_PHONE:0421-6694 0] / [CONTACT_PHONE:-6694 44]",
		"Mail [CONTACT_EMAIL:m.o'neil@klinik-nord.example.de], KIM: [CONTACT_EMAIL:praxis.weiss@arzt.kim.telematik].",
		"Anfragen an [CONTACT_EMAIL:befund (at) labor-sued.de] oder [CONTACT_URL:www.labor-sued.de/befund].",
		"Portal [CONTACT_URL:https://pacs.klinik.example/v?acc=AX771] und [CONTACT_URL:klinik-nord.de]",
		"Zugriff von [CONTACT_IP:10.44.7.218] und [CONTACT_IP:2a02:8109:9e40::77]",
	)
}

func TestNoContactsGerman(t *testing.T) {
	pipetest.Accept(t, rules.Contacts, phi.German,
		"RR 120/80 mmHg, Puls 72, SpO2 98 %, Temp. 37,2 °C",
		"Ramipril 5 mg 1-0-0-0, Metformin 1000 1-0-1, Insulin 10-8-12 IE",
		"Labor: Leuko 16,4 /nl, Krea 0,9 mg/dl, GFR 79, CRP 187, NT-proBNP 412",
		"Aufnahme am 04.11.2021 um 10:30 Uhr, Entlassung 2021-11-12",
		"rief selbst an per Handy.\n15.01. HFNC 60 l",
		"Flexion/Extension 100-0-0, Abduktion 30°, Kraft 5/5",
		"OID 1.2.276.0.76.4.17, ICD J15.9, OPS 5-377.1, TNM pT3 pN1b (2/19)",
		"Dialysator FX 80, Blutfluss 250 ml/min",
		"Fall-Nr. 4711002, Auftrag 20-05-18-5537",
		"Apgar 9/10/10, GCS 15, L4/5, 3 x 500 ml NaCl 0,9 %",
	)
}

func TestContactsEnglish(t *testing.T) {
	pipetest.Accept(t, rules.Contacts, phi.English,
		"Phone: [CONTACT_PHONE:(617) 555-0142], fax [CONTACT_FAX:617.555.0143]",
		"call [CONTACT_PHONE:1-800-555-0121] ext. [CONTACT_PHONE:418]",
		"pager [CONTACT_PHONE:40618], x[CONTACT_PHONE:5512]",
		"Tel [CONTACT_PHONE:+44 20 7946 0123] or [CONTACT_PHONE:01632 960 117]",
		"Ring mum on [CONTACT_PHONE:+353 (0)87 555 0143].",
		"[CONTACT_PHONE:(08) 9555 0177], mob [CONTACT_PHONE:087 555 0193]",
		"mail [CONTACT_EMAIL:jane_doe+x@hosp.example.com], see [CONTACT_URL:http://hosp.example.com/a_(b)].",
		"logged from [CONTACT_IP:172.16.254.1].",
	)
}

func TestNoContactsEnglish(t *testing.T) {
	pipetest.Accept(t, rules.Contacts, phi.English,
		"BP 120/80, HR 72, visual acuity 20/40 PH 20/25, strength 5/5",
		"Amoxicillin 500 mg x10 days, q8h, x2 weeks, 1-0-1",
		"WBC 12,400, platelets 250,000, creatinine 1.2, INR 2.4",
		"seen 03/14/2019 at 10:30, NDC 12345, CPT 99213",
		"extension lag 10 degrees; page 3 of 5; version 1.2.3",
		"pacing 0100-0340, basal 0000-0600",
	)
}
