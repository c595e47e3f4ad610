package date

import (
	"strings"
	"testing"

	"fhirdeid/pipeline/phi"
)

// marked takes [ ] out of a sentence and gives what they enclosed.
func marked(s string) (text string, want []string) {
	for {
		a := strings.IndexByte(s, '[')
		if a < 0 {
			return text + s, want
		}
		b := a + strings.IndexByte(s[a:], ']')
		want = append(want, s[a+1:b])
		text += s[:a] + s[a+1:b]
		s = s[b+1:]
	}
}

func TestScan(t *testing.T) {
	for _, c := range []struct {
		lang phi.Language
		text string
	}{
		// German
		{"de", "Stationär vom [12.]-[14.03.2021] und [28.12.20] – [03.01.21]."},
		{"de", "Behandlung vom [07.02.] bis [18.02.2022], Entlassung am [13.4.]; Albuminquotient 13.4, pH 7.35, Ca 2.12"},
		{"de", "vom [12.] bis [14.03.2021] bei uns"},
		{"de", "ED [12/2019], Rezidiv [Frühjahr 2020], Kontrolle [KW 14], [Mitte März], [Silvester]."},
		{"de", "geb. [04.11.1948], *[3.6.57], verstorben [Ostern 2020]"},
		{"de", "Kraft 5/5, RR 120/80, Visus 20/40, NRS 3/10, 1/2 Tbl., HWK 4/5, 14:30 Uhr, pT2 pN1 (2/19)"},
		{"de", "Nach Schulz et al. 2019 und S3-Leitlinie 2021; ESC 2024; EULAR-Kriterien 2019; Berlin-Definition 2012"},
		{"de", "Z. n. Appendektomie [1978], Nikotin seit [2016] sistiert, im Jahr [2003], seit [’98], ([2010])"},
		{"de", "Straße des 17. Juni 135, Charge 4711815, Fallnr.: 2021-0044, ICD J15.9, OPS 5-820.00"},
		{"de", "Heparin 2000 E, 1900 kcal, 2000 ml; um 10.15 Uhr; 3 Wochen; montags; Montag"},
		{"de", "Wiedervorstellung am [Montag, den 3. Mai], 9:00; [Mi 20.01.] 15:00; [Do, 06.10.] 07:58"},
		{"de", "[2. Quartal 2022], [II. Quartal 2020], [1. Halbjahr 2012], WS"},
		{"de", "im [Jänner], am [8. Feber 2022], [2. Nov. 2016], [23.IX.2025], [14-SEP-2022]"},
		{"de", "geboren [zwölfter elfter neunundsiebzig], Vorstellung am [dritten Mai zweitausendneunzehn]"},
		{"de", "Herr August und Frau Mai; Jan Müller; Silvester Huber kommt"},
		{"de", "am 3. postoperativen Tag, zum 2. Mal, im 77. LJ, seit dem 18. Lebensjahr, bis 4. LWK"},
		{"de", "Versionen 1.2.3, IP 192.168.1.12, Tel. 0711/12-34 56, IBAN DE02 1203 0000 0000 2020 51"},
		{"de", "am [18.] und [22.]; EPDS 12"},
		{"de", "seit dem [1. Advent], am [zweiten Weihnachtstag], zu [Pfingsten], bis [Karfreitag 2023]"},
		{"de", "OP O. B. [l2.O3.2O18], [2O13]"},
		// English
		{"en", "Normal colonoscopy in [03/14], repeat in 5 years; visual acuity 20/40. Seen [07/19/1948]."},
		{"en", "converted the morning of [3/1]. Creatinine [2/28] 1.2, [3/2] 1.4. Admitted [02/27/2019]."},
		{"en", "admitted[12Mar2021]stable"},
		{"en", "Lot C6 [Jul 18], stool x3. [Aug 12] home, HSC at 22.\n[Aug 4] 10:00, [22 Aug 2021]"},
		{"de", "Protokoll [2025-03-02]T06:41:00-05:00, am [22.\nAugust 2021]"},
		{"de", "Beginn im Frühjahr, seit [Sommerferien] besser, am Morgen des [28.] gefunden; Spülung bis zum Morgen des 1. Tages."},
		{"de", "Pat.-Etikett: neumann gudrun [02051941] w 90011847, Hr. Salzmann (Jg. [51]), ein Sommertyp"},
		{"en", "Out of work since the summer, back by spring, [spring 2021]; weak since the fall. [Labor Day weekend], [Cinco de Mayo], before [Christmas break]."},
		{"en", "[12-24]  7-3   Up in w/c, tree program\n[12-25]  11-7  Slept.\nHospice RN visit #11        [9-30]\nGait 4-5 of 5"},
		{"en", "Labs\n        [8/1]    [5/2]    [2/7]    [11/17]\nCr      1.41   1.22   1.19   1.20"},
		{"en", "Lab\n| wt | [3/4] | [3/5] | [3/6] |\nMotor   5/5   4/5   5/5"},
		{"en", "Keisha covers the [19th] and [20th]; the 19th century, the 20th percentile, the 14th rib"},
		{"en", "POD#3, fever since Tuesday, worse on the [14th], x2 weeks, q8h."},
		{"en", "Jordan flew home in [June] with June; he may march; in [May 2019]; [March 5th, 2021]; the [5th of March]"},
		{"en", "5th rib, 90th percentile, 2nd degree burn, 4th metacarpal, the 3rd day"},
		{"en", "since [’08], in [1999], since [early 2019], [fall of 2019], [Q3 2019], [Labor Day 2024], on [Christmas Eve]"},
		{"en", "strength 5/5, pain 3/10, Apgar 8/9, MoCA 19/30, BP 98/60, GDS 4/15"},
		{"en", "at 1930 hours, 2000 mg, 2000 units, room 2014, CRASH-2 (2010), ATS/IDSA 2019, the 2023 ACC/AHA guideline"},
		{"en", "5/7 prednisolone then 2/52, review in 6/12, seen [28/02/2022]"},
		{"en", "[Tuesday, September 3, 2024], [Mon 10/24/22], [Sat 9 March]"},
		{"en", "start [29May22] stop [03Jun22]; [2024-Sep-05]; [06.30.2015]"},
		{"en", "date of birth [july fourth nineteen seventy]"},
		{"de", "Dienst [10.]/[11.11.], EK [24.] + [25.4.], [18.], [19.], [21.], [24.4.], [6.]-[14. März], erlernt [1977]-[79], Saison [2018/19]"},
		{"en", "in [5]-[7 March 2021], [March 5-7, 2021], [10]-[24 Dec], [2011]-[14]"},
		{"en", "ratio 1/2, type 2, C5/6, L4/5, version 2.3.1, ISO 9001:2015"},
	} {
		text, want := marked(c.text)
		var got []string
		for _, m := range Scan(text, c.lang) {
			got = append(got, text[m.Start:m.End])
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestContext: what an expression lacks comes from its neighbours.
func TestContext(t *testing.T) {
	cases := []struct {
		lang phi.Language
		text string
		want []int32 // first days
	}{
		{"de", "vom 12. bis 14.03.2021", []int32{serial(2021, 3, 12), serial(2021, 3, 14)}},
		{"de", "vom 28.-30.12. und 29.12.–3.1.2021", []int32{serial(2020, 12, 28), serial(2020, 12, 30), serial(2020, 12, 29), serial(2021, 1, 3)}},
		{"de", "vom 28.12. bis 03.01.2021", []int32{serial(2020, 12, 28), serial(2021, 1, 3)}},
		{"de", "Graz, 19.04.2024. Am 29.02. Sturz", []int32{serial(2024, 4, 19), serial(2024, 2, 29)}},
		{"en", "Seen 23/10/2018. Again 3/11/2018.", []int32{serial(2018, 10, 23), serial(2018, 11, 3)}},
		{"en", "Seen 10/23/2018. Again 3/11/2018.", []int32{serial(2018, 10, 23), serial(2018, 3, 11)}},
		{"en", "Worse on 5th August 2019, again on the 16th.", []int32{serial(2019, 8, 5), serial(2019, 8, 16)}},
	}
	for _, c := range cases {
		var got []int32
		for _, m := range Scan(c.text, c.lang) {
			if m.HasInterval {
				got = append(got, m.Interval.From)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.text, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", c.text, got, c.want)
			}
		}
	}
}

// TestLinear reads hostile texts of a megabyte: in time that is not linear it would not come to an end.
func TestLinear(t *testing.T) {
	for _, unit := range []string{"1", "1.", "12.-", "1/", "1-", "2019-", "Mai ", "the ", "Mo ", "Anfang ", "'9", "1. und ", "Winter 18/", "zwei", "zweiter ", "KW ", "O", "l0.", "March the ", "ersten advent ", "\xff", "[", "4th of ", "\n", "III. "} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		for _, m := range Scan(text, "") {
			if m.Start < 0 || m.End > len(text) || m.Start >= m.End {
				t.Fatalf("%q: a date at %d to %d of %d bytes", unit, m.Start, m.End, len(text))
			}
		}
	}
}

// TestTell: what the words around it make another thing is told apart, and no date is among it.
func TestTell(t *testing.T) {
	for _, c := range []struct {
		lang phi.Language
		text string
	}{
		{"en", "soft [2/6] PPS murmur, strength [4/5], pain [3/10], GA 28 [3/7] wk, recheck in 3 weeks on 3/12"},
		{"en", "seen 28/02/2022; thyroid bloods in [3/12], prednisolone for [5/7], nebs [4/24], port by IR 9/8, PPD 6/29 read 0 mm"},
		{"en", "Seror et al. ([1993]) suggest a trial; seen in 1993"},
		{"de", "Tinetti [4/28], NRS [2/10], pN2a ([5/21]), Kontrolle am 3/12, am 5.6."},
	} {
		text, want := marked(c.text)
		var got []string
		_, refuted := Tell(text, c.lang)
		for _, m := range refuted {
			got = append(got, text[m.Start:m.End])
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	var text strings.Builder
	for n, l := range loadLetters(b, "train") {
		if n == 200 {
			break
		}
		text.WriteString(l.Text)
	}
	s := text.String()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Scan(s, "de")
	}
}
