package lists

import (
	"runtime"
	"slices"
	"testing"

	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
)

func TestNamesAreKnown(t *testing.T) {
	for _, name := range []string{"Anna", "Jürgen", "Hans", "Mary", "John", "Mehmet", "Ayşe", "Agnieszka", "Karl-Heinz", "Li"} {
		if !IsFirstName(fold.Key(name)) {
			t.Errorf("%s is no first name", name)
		}
	}
	for _, name := range []string{"Müller", "Schmidt", "Nguyen", "O'Brien", "Smith", "Yılmaz", "Kowalski", "García"} {
		if _, ok := IsSurname(fold.Key(name)); !ok {
			t.Errorf("%s is no surname", name)
		}
	}
	smith, _ := IsSurname("smith")
	rare, _ := IsSurname("bobbio")
	if smith != 1 || rare <= smith {
		t.Errorf("ranks of smith and bobbio: %d, %d", smith, rare)
	}
	for _, name := range []string{"Frankfurt am Main", "Köln", "Garmisch-Partenkirchen", "St. Gallen", "Boston", "Graz"} {
		if !IsCity(fold.Key(name)) {
			t.Errorf("%s is no city", name)
		}
	}
}

func TestCommonWords(t *testing.T) {
	for word, lang := range map[string]phi.Language{
		"Klein": phi.German, "Herz": phi.German, "Patient": phi.German, "Klinik": phi.German, "schmerzen": phi.German, "wurde": phi.German,
		"young": phi.English, "hand": phi.English, "patient": phi.English, "may": phi.English, "catheter": phi.English,
	} {
		if !IsCommonWord(fold.Key(word), lang) {
			t.Errorf("%s is no common word of %s", word, lang)
		}
	}
	for word, lang := range map[string]phi.Language{
		"Müller-Lüdenscheidt": phi.German, "Schmidt": phi.German, "Katharina": phi.German, "Smith": phi.English, "Nguyen": phi.English, "Kowalski": "",
	} {
		if IsCommonWord(fold.Key(word), lang) {
			t.Errorf("%s is a common word of %q", word, lang)
		}
	}
}

func TestGender(t *testing.T) {
	for name, want := range map[string]byte{
		"Anna": 'f', "Jürgen": 'm', "KARL-HEINZ": 'm', "Anna-Lena": 'f', "Mary Ann": 'f', "Andrea": 'f', "Xyzzy": 0, "": 0, "-": 0,
	} {
		if got := Gender(name); got != want && !(name == "Andrea" && got == 0) {
			t.Errorf("Gender(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSurrogateLists(t *testing.T) {
	for _, locale := range []string{"de", "at", "ch", "en"} {
		f, m, all := FirstNames(locale, 'f'), FirstNames(locale, 'm'), FirstNames(locale, 0)
		if len(f) < 150 || len(m) < 150 || len(all) < len(f) || len(all) > len(f)+len(m) {
			t.Errorf("%s: %d, %d, %d first names", locale, len(f), len(m), len(all))
		}
		if n := len(Surnames(locale)); n < 250 {
			t.Errorf("%s: %d surnames", locale, n)
		}
		for _, name := range slices.Concat(all, Surnames(locale)) {
			key := fold.Key(name)
			if IsCommonWord(key, "") {
				t.Errorf("%s: %s is a common word", locale, name)
			}
		}
		for _, name := range f {
			if Gender(name) != 'f' {
				t.Errorf("%s: %s is not a woman's name", locale, name)
			}
		}
	}
	for _, country := range []string{"de", "at", "ch", "us"} {
		places := Cities(country)
		if len(places) < 1000 {
			t.Errorf("%s: %d places", country, len(places))
		}
		for _, p := range places[:100] {
			if !slices.ContainsFunc(ZIP(country, p.ZIP), func(o Place) bool { return o.Name == p.Name }) {
				t.Errorf("%s: the code of %s leads elsewhere", country, p.Name)
			}
		}
		if len(Streets(country)) < 100 || len(Hospitals(country)) < 300 {
			t.Errorf("%s: %d streets, %d hospitals", country, len(Streets(country)), len(Hospitals(country)))
		}
	}
	if len(Insurers()) < 100 || len(Occupations(phi.English, 0)) < 500 || len(Occupations(phi.German, 'f')) < 500 ||
		len(Occupations(phi.German, 'm')) < 500 || len(Occupations(phi.German, 0)) < 1000 {
		t.Error("too few insurers or occupations")
	}
	if Cities("xx") != nil || ZIP("de", "00000") != nil {
		t.Error("unknown places are answered")
	}
}

func TestLookupOfOddities(t *testing.T) {
	for _, s := range []string{"", " ", "\x00", "zzzzzzzzzzzz", string(make([]byte, 10000))} {
		if w := Lookup(s); w != 0 {
			t.Errorf("Lookup(%q) = %x", s, w)
		}
	}
}

func TestEncodeIsReadBack(t *testing.T) {
	entries := []Entry{{"ab", 1}, {"abc", 1<<31 | 5}, {"b", 7}, {"bad homburg", 9}}
	d := decode(Encode(entries))
	for _, e := range entries {
		if got := find(d, e.Key); got != e.Word {
			t.Errorf("%s: %x, want %x", e.Key, got, e.Word)
		}
	}
	if find(d, "a") != 0 || find(d, "abcd") != 0 {
		t.Error("words that were not written are found")
	}
}

// TestLoad holds the memory that the lists take to its limit; the time is measured by the benchmark.
func TestLoad(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d := decode(inflate(wordData))
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d KB of records, %d KB in all", len(d.records)>>10, used>>10)
	if used > 60<<20 {
		t.Errorf("the lists take %d bytes", used)
	}
	runtime.KeepAlive(d)
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		decode(inflate(wordData))
	}
}

func BenchmarkLookup(b *testing.B) {
	d := words()
	keys := make([][]byte, 0, 1<<14)
	for n, at := 0, 0; at < len(d.records) && len(keys) < cap(keys); n++ {
		text, _, next := d.record(at)
		if n%37 == 0 {
			keys = append(keys, text)
		}
		at = next
	}
	keys = keys[:1<<13] // a power of two, for the mask below
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		Lookup(keys[i&(len(keys)-1)])
		i++
	}
}
