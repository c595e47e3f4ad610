package surrogate

import (
	"strings"
	"unicode"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/fold"
	"fhirdeid/pipeline/phi/lists"
)

// contact gives the stand-in of a number or address by which somebody can be reached.
func (g *Generator) contact(t phi.Type, surface string, lang phi.Language) string {
	switch t {
	case phi.ContactEmail:
		return g.email(surface, lang)
	case phi.ContactURL:
		return g.url(surface)
	case phi.ContactIP:
		return g.ip(surface)
	}
	return g.phone(surface, lang)
}

// phone replaces the digits of a number. Length, grouping, country and the leading zero stay. Numbers that are reserved
// for drama are used where the form of the number allows it: 555-0100 to 555-0199 in North America, 01632 960000 to
// 960999 and 07700 900000 to 900999 in the United Kingdom (Ofcom), 030 23125 000 to 999, 0171 39200 00 to 99 and
// 0176 040690 00 to 99 in Germany (Bundesnetzagentur).
func (g *Generator) phone(surface string, lang phi.Language) string {
	d := digitsOf(surface)
	if d == "" {
		return ""
	}
	prefix, rest := splitPrefix(surface, d)
	for try := range 16 {
		random := g.own.Bytes(len(d)+8, "phone", g.c.Patient, rest, string(rune('a'+try)))
		drawn := digitsOf(reshape(strings.Repeat("5", len(rest)), random))
		switch {
		case prefix == "1" && len(rest) == 10, prefix == "" && len(rest) == 10 && rest[0] > '1':
			drawn = drawn[:3] + "55501" + drawn[8:]
		case prefix == "" && len(rest) == 7 && rest[0] > '1':
			drawn = "55501" + drawn[5:]
		case prefix == "44" && len(rest) == 10 && rest[0] == '7', prefix == "0" && len(rest) == 10 && rest[0] == '7' && lang == phi.English:
			drawn = "7700900" + drawn[7:]
		case prefix == "44" && len(rest) == 10, prefix == "0" && len(rest) == 10 && rest[0] == '1' && lang == phi.English:
			drawn = "1632960" + drawn[7:]
		case germanMobile(prefix, rest, lang) && len(rest) == 10:
			drawn = "17139200" + drawn[8:]
		case germanMobile(prefix, rest, lang):
			drawn = "176040690" + drawn[9:]
		case (prefix == "49" || prefix == "0" || prefix == "490") && len(rest) == 10 && lang != phi.English:
			drawn = "3023125" + drawn[7:]
		}
		out := putDigits(surface, prefix+drawn)
		if out != surface && !g.forbidden[fold.Key(out)] {
			return out
		}
	}
	return ""
}

// germanMobile says whether a number has the form of a German mobile one: 015x, 016x or 017x and ten or eleven digits.
func germanMobile(prefix, rest string, lang phi.Language) bool {
	german := prefix == "49" || prefix == "490" || prefix == "0049" || prefix == "0" && lang != phi.English
	return german && (len(rest) == 10 || len(rest) == 11) && rest[0] == '1' && rest[1] >= '5' && rest[1] <= '7'
}

// splitPrefix takes the country code, or the zero of the trunk, off the digits.
func splitPrefix(surface, d string) (prefix, rest string) {
	trimmed := strings.TrimLeft(surface, " (")
	for _, code := range []string{"49", "43", "41", "44", "353", "1"} {
		if strings.HasPrefix(trimmed, "+"+code) || strings.HasPrefix(d, "00"+code) {
			n := len(code)
			if !strings.HasPrefix(trimmed, "+") {
				n += 2
			}
			if strings.Contains(surface, "(0)") {
				n++
			}
			if n < len(d) {
				return strings.TrimLeft(d[:n], ""), d[n:]
			}
		}
	}
	if d[0] == '0' && len(d) > 1 {
		return "0", d[1:]
	}
	return "", d
}

// domains are reserved for examples (RFC 2606).
var domains = []string{"example.org", "example.net", "example.com"}

// email rebuilds an address from the surrogates of the names in it.
func (g *Generator) email(surface string, lang phi.Language) string {
	local, host, ok := strings.Cut(surface, "@")
	if !ok {
		return ""
	}
	return g.login(local, lang) + "@" + g.domain(host)
}

func (g *Generator) domain(host string) string {
	return domains[g.shared.PRF("domain", fold.Key(host))%uint64(len(domains))]
}

// username rebuilds a login.
func (g *Generator) username(surface string, lang phi.Language) string {
	out := g.login(surface, lang)
	if sameText(out, surface) {
		return ""
	}
	return out
}

// login replaces the words of a local part or login: names by their surrogates, the rest in its shape.
func (g *Generator) login(s string, lang phi.Language) string {
	var b strings.Builder
	at := 0
	sc := g.scopeOf(Patient)
	for w := range pipeline.Words(s) {
		b.WriteString(s[at:w.Start])
		b.WriteString(g.loginWord(s[w.Start:w.End], sc, lang))
		at = w.End
	}
	b.WriteString(s[at:])
	return b.String()
}

func (g *Generator) loginWord(text string, sc scope, lang phi.Language) string {
	letters := strings.TrimRightFunc(text, unicode.IsDigit)
	digits := text[len(letters):]
	folded := fold.Key(letters)
	out := ""
	switch w := lists.Lookup(folded); {
	case len([]rune(letters)) == 1:
		out = sc.initial(letters)
	case g.tokens[folded] != nil:
		p := familyName
		for _, f := range g.tokens[folded].given {
			if f == folded {
				p = givenName
			}
		}
		out = g.drawName(folded, p, g.scopeOf(g.tokens[folded].Role), g.tokens[folded].Gender, g.locale(lang))
	case w.FirstName() > 1:
		out = g.drawName(folded, givenName, sc, 0, g.locale(lang))
	case w.Surname() > 0:
		out = g.drawName(folded, familyName, sc, 0, g.locale(lang))
	}
	if out == "" {
		out = reshape(letters, g.own.Bytes(2*len(letters)+8, "login", g.c.Patient, folded))
	} else {
		out = fold.Key(out)
		if casingOf(letters) == upper {
			out = strings.ToUpper(out)
		}
	}
	return out + reshape(digits, g.own.Bytes(2*len(digits)+8, "login", g.c.Patient, text))
}

// url keeps the scheme; host and path are replaced.
func (g *Generator) url(surface string) string {
	scheme, rest, ok := strings.Cut(surface, "://")
	if !ok {
		scheme, rest = "", surface
	} else {
		scheme += "://"
	}
	host, path, _ := strings.Cut(rest, "/")
	out := g.domain(host)
	if strings.HasPrefix(strings.ToLower(host), "www.") {
		out = "www." + out
	}
	if path != "" {
		out += "/" + reshape(strings.Map(pathRune, path), g.own.Bytes(2*len(path)+8, "path", g.c.Patient, path))
	}
	return scheme + out
}

func pathRune(r rune) rune {
	if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/-_.", r)) {
		return r
	}
	return 'x'
}

// ip gives an address of the ranges for documentation: 192.0.2.0/24 (RFC 5737), 2001:db8::/32 (RFC 3849).
func (g *Generator) ip(surface string) string {
	random := g.own.Bytes(8, "ip", g.c.Patient, surface)
	const hexDigits = "0123456789abcdef"
	if strings.Contains(surface, ":") {
		out := []byte("2001:db8::")
		for _, b := range random[:2] {
			out = append(out, hexDigits[b>>4], hexDigits[b&15])
		}
		return string(out)
	}
	return "192.0.2." + decimal(int(random[0])%254+1)
}

// Telecom gives the surrogate of a ContactPoint's value: the same as it gets in a text.
func (g *Generator) Telecom(system, value string) string {
	t := phi.ContactPhone
	switch {
	case system == "email" || strings.Contains(value, "@"):
		t = phi.ContactEmail
	case system == "url":
		t = phi.ContactURL
	case system == "fax":
		t = phi.ContactFax
	}
	scheme := ""
	for _, s := range []string{"tel:", "mailto:", "fax:"} {
		if rest, ok := strings.CutPrefix(value, s); ok {
			scheme, value = s, rest
		}
	}
	out := g.contact(t, value, g.c.Lang)
	if out == "" || sameText(out, value) {
		return g.tag(t)
	}
	return scheme + out
}
