package known

import (
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/pipetest"
)

// TestMonograms: initials without a title, names that are spread out, and initials behind the family name.
func TestMonograms(t *testing.T) {
	d := New(Identity{Entities: []Entity{
		{Key: "a", Given: []string{"Uwe"}, Family: []string{"Langenohl"}},
		{Key: "b", Given: []string{"Ernst-August"}, Family: []string{"Kaiserling"}},
		{Key: "c", Given: []string{"Therese"}, Family: []string{"von Reibnitz"}},
		{Key: "d", Given: []string{"Valentin"}, Family: []string{"Schöpflin"}},
		{Key: "e", Role: Staff, Given: []string{"Norvell", "Lee"}, Family: []string{"Chismore"}},
	}})
	pipetest.Accept(t, d, phi.German,
		"Die Erklärung des [NAME_PATIENT:U.L.] liegt bei.",
		"Heute [NAME_PATIENT:U. L.], morgen [NAME_PATIENT:U-L].",
		"Für [NAME_PATIENT:E.-A.] und [NAME_PATIENT:EAK] gilt dies.",
		"Station 3: [NAME_PATIENT:T-v-R] schläft.",
		"Herr [NAME_PATIENT:L a n g e n o h l] kam.",
		"[NAME_PATIENT:Langenohl, U.] und [NAME_PATIENT:Langenohl,U]",
		"Rufname „[NAME_PATIENT:Vali]“.",
		"Kürzel [NAME_STAFF:NLC], gelesen.",
		"Vitamin B.D. und U/L sowie 12 U L-Thyroxin, D.E. nicht.",
		"Hb 12, LDH 240 U/l, EKG o. B., KHK.",
	)
}
