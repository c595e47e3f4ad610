package fhir

import (
	"crypto/sha256"
	"unicode/utf8"
)

// Encode writes the tree as compact JSON without escaping for HTML.
func (n *Node) Encode() []byte { return n.AppendJSON(nil) }

// MarshalJSON is Encode.
func (n *Node) MarshalJSON() ([]byte, error) { return n.Encode(), nil }

// AppendJSON appends the tree as compact JSON to b.
func (n *Node) AppendJSON(b []byte) []byte { return n.appendJSON(b, nil) }

// Sum256 gives the SHA-256 of what Encode gives, without room for the whole of it.
func (n *Node) Sum256() (sum [sha256.Size]byte) {
	h := sha256.New()
	b := n.appendJSON(make([]byte, 0, 2*digestBlock), func(b []byte) []byte {
		h.Write(b)
		return b[:0]
	})
	h.Write(b)
	h.Sum(sum[:0])
	return sum
}

// digestBlock is how much is encoded before it goes into a hash, in bytes.
const digestBlock = 16 << 10

// appendJSON hands what it has to flush, if that is not nil, whenever digestBlock is reached, and goes on with what flush
// gives back.
func (n *Node) appendJSON(b []byte, flush func([]byte) []byte) []byte {
	if flush != nil && len(b) >= digestBlock {
		b = flush(b)
	}
	switch n.Kind() {
	case Object:
		b = append(b, '{')
		for i := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendQuoted(b, n.members[i].Key)
			b = append(b, ':')
			b = n.members[i].Value.appendJSON(b, flush)
		}
		return append(b, '}')
	case Array:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b, flush)
		}
		return append(b, ']')
	case String:
		if n.raw != "" {
			b = append(b, '"')
			b = append(b, n.raw...)
			return append(b, '"')
		}
		return appendQuoted(b, n.text)
	case Number, Bool:
		return append(b, n.text...)
	default:
		return append(b, "null"...)
	}
}

// EncodeIndent writes the tree as JSON over several lines, for people to read.
func (n *Node) EncodeIndent(indent string) []byte {
	return append(n.appendIndent(nil, "\n", indent), '\n')
}

func (n *Node) appendIndent(b []byte, line, indent string) []byte {
	inner := line + indent
	switch {
	case n.Kind() == Object && len(n.members) > 0:
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inner...)
			b = appendQuoted(b, m.Key)
			b = append(b, ": "...)
			b = m.Value.appendIndent(b, inner, indent)
		}
		return append(append(b, line...), '}')
	case n.Kind() == Array && len(n.items) > 0:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inner...)
			b = item.appendIndent(b, inner, indent)
		}
		return append(append(b, line...), ']')
	default:
		return n.AppendJSON(b)
	}
}

const hexDigits = "0123456789abcdef"

// asIs are the bytes that stand for themselves in a JSON string, those of multi-byte characters excepted.
var asIs = func() (list [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		list[c] = c != '"' && c != '\\'
	}
	return list
}()

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if asIs[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(b, s[done:i]...)
				b = append(b, "\uFFFD"...)
				done = i + 1
			}
			i += size
			continue
		}
		b = append(b, s[done:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		done = i
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}
