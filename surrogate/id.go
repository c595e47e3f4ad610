package surrogate

import (
	"strings"

	"fhirdeid/pipeline/phi/check"
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
			return check.LANR(d)
		case 10:
			return check.Luhn(d) || check.Luhn("80840"+d) || check.NHS(d) || check.SVNR(d)
		case 11:
			return check.ISO7064(d)
		case 13:
			return check.EAN13(d)
		}
		return len(d) >= 12 && check.Luhn(d)
	}
	switch {
	case len(id) == 10 && len(d) == 9 && id[0] >= 'A': // KVNR
		return check.KVNR(id)
	case len(id) >= 15 && len(id) <= 34 && id[0] >= 'A' && id[1] >= 'A' && isDigit(id[2]):
		return check.Mod97(id)
	case len(id) == 9 && len(d) == 7: // DEA
		return check.DEA(d)
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
