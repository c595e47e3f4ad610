package attachment

import "strings"

// decodePlain reads text without structure.
func decodePlain(s source) (*Document, error) {
	text, err := toUTF8(s.data, s.charset)
	if err != nil {
		return nil, err
	}
	b := newBuilder(s.limits)
	m := modePlain
	if strings.Contains(text, "\r\n") {
		m = modeCRLF
	}
	for text != "" {
		i := strings.IndexByte(text, '\r')
		if i < 0 {
			b.verbatim(text, m)
			break
		}
		b.verbatim(text[:i], m)
		if strings.HasPrefix(text[i:], "\r\n") {
			b.atom("\n", "\r\n", m)
			text = text[i+2:]
			continue
		}
		b.atom("\n", "\r", m)
		text = text[i+1:]
	}
	return b.document(single(s.media + "; charset=utf-8"))
}
