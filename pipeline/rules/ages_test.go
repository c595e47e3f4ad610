package rules_test

import (
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
	"fhirdeid/pipeline/rules"
)

func TestAges(t *testing.T) {
	pipetest.Accept(t, rules.Ages, phi.German,
		"Die [AGE:73]-jährige Patientin, [AGE:81]jähriger Mann, [AGE:91]-Jähriger",
		"Mutter mit [AGE:93] J. verstorben, Vater im [AGE:77]. LJ; 92 kg, 95 %",
		"Vater mit [AGE:54] Jahren an Herzinfarkt verstorben, Bruder gesund",
		"Ordnungszwänge seit dem [AGE:11]. Lebensjahr",
		"der [AGE:fünfundvierzig]jährige Patient",
		"[AGE:6]-jähriges Mädchen, Säugling [AGE:3] Monate alt",
		"Alter: [AGE:59] J., Alter [AGE:68]     w",
		"Ihre Tochter Lea ([AGE:21], Lehrerin) und der Sohn Karl, [AGE:17], leben hier",
		"zwei Töchter: Wiebke ([AGE:30]) und Antje ([AGE:27])",
		"seit 5 Jahren, vor 3 Monaten, für 10 Jahre, nach 2 Wochen, alle 4 Wochen, 45 pack years",
		"SSW 24, 120 mg, 5 Tage, Score 8, NRS 3/10, HF 84, seit 20 Jahren Raucher",
		"im Alter von [AGE:48] Jahren",
		"Kontrolle ab 60 J., Kinder unter 12 Jahren nicht, Patienten 75 Jahre und älter; die [AGE:75]-jährige und ältere Wunden",
	)
	pipetest.Accept(t, rules.Ages, phi.English,
		"[AGE:94]-year-old woman living with her [AGE:71] y/o son; enoxaparin 90 mg; 95% on RA.",
		"aged [AGE:67], a [AGE:42] yo male, [AGE:44]M w/ EtOH cirrhosis",
		"Age: [AGE:41]   Eval date pending",
		"his daughter Kendra, [AGE:34], the veterinarian",
		"Baby boy, [AGE:6]-week-old, [AGE:9] months old",
		"10-year history of diabetes, for 20 years, 5 years ago, 24 weeks gestation, 3 days later",
		"children aged [AGE:3], [AGE:5] and [AGE:7]",
		"mother had breast cancer at [AGE:44] and died at [AGE:58].",
		"Foley 16F, 500 mL, BP 98/60, at 10 am, at 45 degrees, room 214",
		"the [AGE:seventy-three]-year-old Marine veteran",
		"at the age of [AGE:48] she may not sit",
		"those aged 75 and over, 18 years of age or older; he is [AGE:75] years old and older than his wife",
	)
}
