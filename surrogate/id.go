package surrogate

import (
	"math/big"
	"strings"

	"fhirdeid/pipeline/phi/fold"
)

// Identifier gives a stand-in for an id: the same letters, digits, case and separators in kind, and no valid check digit
// of any scheme that is known, so that it can never be somebody's.
func (g *Generator) Identifier(value string) string {
	key := fold.Key(alphanumeric(value))
	if key == "" {
		return ""
	}
	for try := range 64 {
		random := g.own.Bytes(2*len(value)+16, "id", g.c.Patient, key, string(rune('a'+try)))
		out := reshape(value, random)
		for n := 0; validCheckDigit(out) && n < 9; n++ {
			out = bumpLastDigit(out)
		}
		if !sameText(out, value) && !g.forbidden[fold.Key(out)] {
			return out
		}
	}
	return ""
}

func alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r > 127:
			return r
		}
		return -1
	}, s)
}

func bumpLastDigit(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] >= '0' && s[i] <= '9' {
			return s[:i] + string('0'+(s[i]-'0'+1)%10) + s[i+1:]
		}
	}
	return s
}

// validCheckDigit says whether the id passes the check of a scheme of its length and form.
func validCheckDigit(s string) bool {
	id := strings.ToUpper(alphanumeric(s))
	d := digitsOf(id)
	if len(d) == len(id) {
		switch len(d) {
		case 9:
			return lanr(d)
		case 10:
			return luhn(d) || luhn("80840"+d) || mod11(d) || svnr(d)
		case 11:
			return iso7064(d)
		case 13:
			return ean13(d)
		}
		return len(d) >= 12 && luhn(d)
	}
	switch {
	case len(id) == 10 && len(d) == 9 && id[0] >= 'A': // KVNR
		return kvnr(id)
	case len(id) >= 15 && len(id) <= 34 && id[0] >= 'A' && id[1] >= 'A' && isDigit(id[2]):
		return iban(id)
	case len(id) == 9 && len(d) == 7: // DEA
		return dea(d)
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// luhn is the check of ISO/IEC 7812 (cards), and with the prefix 80840 that of the US NPI.
func luhn(d string) bool {
	sum := 0
	for i := range len(d) {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// mod11 is the check of the British NHS number.
func mod11(d string) bool {
	sum := 0
	for i := range 9 {
		sum += int(d[i]-'0') * (10 - i)
	}
	check := (11 - sum%11) % 11
	return check == int(d[9]-'0')
}

// svnr is the check of the Austrian social insurance number: weights 3 7 9, check, 5 8 4 2 1 6.
func svnr(d string) bool {
	weights := [10]int{3, 7, 9, 0, 5, 8, 4, 2, 1, 6}
	sum := 0
	for i, w := range weights {
		sum += int(d[i]-'0') * w
	}
	return sum%11 == int(d[3]-'0')
}

// lanr is the check of the German physician number: weights 4 and 9 over six digits.
func lanr(d string) bool {
	sum := 0
	for i := range 6 {
		sum += int(d[i]-'0') * [2]int{4, 9}[i%2]
	}
	return (10-sum%10)%10 == int(d[6]-'0')
}

// kvnr is the check of the German health insurance number: the letter as two digits, weights 1 2, digit sums.
func kvnr(id string) bool {
	n := int(id[0]-'A') + 1
	digits := string([]byte{byte('0' + n/10), byte('0' + n%10)}) + id[1:9]
	sum := 0
	for i := range 10 {
		p := int(digits[i]-'0') * (1 + i%2)
		sum += p/10 + p%10
	}
	return sum%10 == int(id[9]-'0')
}

// iso7064 is MOD 11,10 of ISO 7064, the check of the German tax id.
func iso7064(d string) bool {
	p := 10
	for i := range len(d) - 1 {
		s := (int(d[i]-'0') + p) % 10
		if s == 0 {
			s = 10
		}
		p = s * 2 % 11
	}
	return (11-p)%10 == int(d[len(d)-1]-'0')
}

// ean13 is the check of the Swiss AHV number and of GTINs.
func ean13(d string) bool {
	sum := 0
	for i := range 13 {
		sum += int(d[i]-'0') * (1 + 2*(i%2))
	}
	return sum%10 == 0
}

// dea is the check of the US DEA number over its seven digits.
func dea(d string) bool {
	sum := int(d[0]-'0') + int(d[2]-'0') + int(d[4]-'0') + 2*(int(d[1]-'0')+int(d[3]-'0')+int(d[5]-'0'))
	return sum%10 == int(d[6]-'0')
}

// iban is MOD 97 of ISO 13616.
func iban(id string) bool {
	var b strings.Builder
	for _, r := range id[4:] + id[:4] {
		if r >= 'A' && r <= 'Z' {
			n := int(r-'A') + 10
			b.WriteByte(byte('0' + n/10))
			b.WriteByte(byte('0' + n%10))
			continue
		}
		b.WriteRune(r)
	}
	n, ok := new(big.Int).SetString(b.String(), 10)
	return ok && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}
