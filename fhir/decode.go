package fhir

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits bounds what Decode takes. A zero field stands for its default.
type Limits struct {
	Bytes int // length of the input; default 64 MiB
	Depth int // nesting of objects and arrays; default 64
	Text  int // length of one string as written; default 44 MiB, which holds 32 MiB in base64
	Nodes int // number of values; default 4 million
}

// The defaults of Limits.
const (
	DefaultBytes = 64 << 20
	DefaultDepth = 64
	DefaultText  = 44 << 20
	DefaultNodes = 4 << 20
)

// maxNumber is the length of a number as written; no R4 number needs more.
const maxNumber = 64

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		field *int
		value int
	}{{&l.Bytes, DefaultBytes}, {&l.Depth, DefaultDepth}, {&l.Text, DefaultText}, {&l.Nodes, DefaultNodes}} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	return l
}

// Decode reads one JSON value and nothing behind it but white space. It refuses what two readers could understand in
// two ways: a key twice in one object, bytes that are not UTF-8, lone surrogates, NUL. Compact input comes out of
// Encode byte by byte, apart from escapes inside keys. The error is an *Error without any value of the input.
//
// The tree shares memory with one copy of the input; data itself may be used again afterwards.
func Decode(data []byte, limits Limits) (*Node, error) {
	limits = limits.withDefaults()
	if len(data) > limits.Bytes {
		return nil, &Error{Code: IssueTooLong, Detail: "the input is longer than the limit"}
	}
	d := decoder{s: string(data), limits: limits, left: limits.Nodes}
	if !utf8.ValidString(d.s) {
		return nil, &Error{Code: IssueStructure, Detail: "the input is not valid UTF-8"}
	}
	d.s = strings.TrimPrefix(d.s, "\uFEFF")
	d.space()
	n, err := d.value(0)
	if err == nil {
		d.space()
		if d.pos < len(d.s) {
			err = d.fault("something follows the JSON value")
		}
	}
	if err != nil {
		return nil, d.located(err)
	}
	return n, nil
}

// DecodeResource is Decode for a FHIR resource: an object whose resourceType R4 knows.
func DecodeResource(data []byte, limits Limits) (*Node, error) {
	if first := strings.TrimLeft(string(data[:min(len(data), 64)]), "\uFEFF \t\r\n"); strings.HasPrefix(first, "<") {
		return nil, &Error{Code: IssueNotSupported, Detail: "FHIR XML is not supported, send application/fhir+json"}
	}
	n, err := Decode(data, limits)
	if err != nil {
		return nil, err
	}
	if err := CheckResource(n); err != nil {
		return nil, err
	}
	return n, nil
}

// CheckResource says whether the node is an object whose resourceType is one of R4.
func CheckResource(n *Node) error {
	if n.Kind() != Object {
		return &Error{Code: IssueStructure, Detail: "a resource must be a JSON object"}
	}
	name, ok := n.Get("resourceType").Str()
	if !ok || name == "" {
		return &Error{Code: IssueStructure, Detail: "resourceType is missing"}
	}
	if !IsResource(name) {
		return &Error{Code: IssueNotSupported, Detail: "resourceType is not a resource type of FHIR R4"}
	}
	return nil
}

// decoder reads one input. Nodes, members and items are cut from blocks, which saves most allocations.
type decoder struct {
	s       string
	pos     int
	limits  Limits
	left    int // nodes that may still come
	nodes   []Node
	members []Member
	items   []*Node
	stack   []Member // members of the objects that are open
	open    []*Node  // items of the arrays that are open
	trail   []step   // where the error lies, innermost first
}

// step is one key or index on the way to an error.
type step struct {
	key   string
	index int
}

func (d *decoder) fault(detail string) error {
	return &Error{Code: IssueStructure, Detail: detail}
}

func (d *decoder) limit(detail string) error {
	return &Error{Code: IssueTooCostly, Detail: detail}
}

// located gives the error its path. The path ends before the first key that R4 does not know, since a key may hold
// anything.
func (d *decoder) located(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	var b strings.Builder
	for i := len(d.trail) - 1; i >= 0; i-- {
		t := d.trail[i]
		if t.index >= 0 {
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(t.index))
			b.WriteByte(']')
			continue
		}
		if !isElementName(t.key) {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(t.key)
	}
	e.Path = b.String()
	return e
}

func (d *decoder) space() {
	for d.pos < len(d.s) {
		switch d.s[d.pos] {
		case ' ', '\n', '\t', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) node() *Node {
	if len(d.nodes) == 0 {
		d.nodes = make([]Node, block((len(d.s)-d.pos)/32, 1024))
	}
	n := &d.nodes[0]
	d.nodes = d.nodes[1:]
	return n
}

// block gives the size of the next block: what the rest of the input may need, within bounds.
func block(estimate, most int) int { return min(max(estimate, 8), most) }

func (d *decoder) value(depth int) (*Node, error) {
	if d.pos >= len(d.s) {
		return nil, d.fault("the input ends early")
	}
	if d.left--; d.left < 0 {
		return nil, d.limit("the input holds more values than the limit")
	}
	switch c := d.s[d.pos]; {
	case c == '"':
		text, raw, err := d.str()
		if err != nil {
			return nil, err
		}
		n := d.node()
		n.kind, n.text, n.raw = String, text, raw
		return n, nil
	case c == '{':
		if depth >= d.limits.Depth {
			return nil, d.limit("the input is nested deeper than the limit")
		}
		return d.object(depth + 1)
	case c == '[':
		if depth >= d.limits.Depth {
			return nil, d.limit("the input is nested deeper than the limit")
		}
		return d.array(depth + 1)
	case c == '-' || '0' <= c && c <= '9':
		end := numberEnd(d.s, d.pos)
		if end == d.pos {
			return nil, d.fault("a number is malformed")
		}
		if end-d.pos > maxNumber {
			return nil, d.fault("a number is too long")
		}
		n := d.node()
		n.kind, n.text = Number, d.s[d.pos:end]
		d.pos = end
		return n, nil
	default:
		return d.word()
	}
}

func (d *decoder) word() (*Node, error) {
	for _, w := range [...]struct {
		text string
		kind Kind
	}{{"true", Bool}, {"false", Bool}, {"null", Null}} {
		if strings.HasPrefix(d.s[d.pos:], w.text) {
			n := d.node()
			n.kind = w.kind
			if w.kind == Bool {
				n.text = w.text
			}
			d.pos += len(w.text)
			return n, nil
		}
	}
	return nil, d.fault("this is not a JSON value")
}

func (d *decoder) object(depth int) (*Node, error) {
	d.pos++ // {
	base := len(d.stack)
	d.space()
	if d.pos < len(d.s) && d.s[d.pos] == '}' {
		d.pos++
		n := d.node()
		n.kind = Object
		return n, nil
	}
	var seen map[string]struct{}
	for {
		d.space()
		if d.pos >= len(d.s) {
			return nil, d.fault("the input ends early")
		}
		if d.s[d.pos] != '"' {
			return nil, d.fault("a key is missing")
		}
		key, _, err := d.str()
		if err != nil {
			return nil, err
		}
		if seen, err = d.once(key, base, seen); err != nil {
			return nil, err
		}
		d.space()
		if d.pos >= len(d.s) || d.s[d.pos] != ':' {
			return nil, d.fault("a colon is missing")
		}
		d.pos++
		d.space()
		v, err := d.value(depth)
		if err != nil {
			d.trail = append(d.trail, step{key, -1})
			return nil, err
		}
		d.stack = append(d.stack, Member{key, v})
		d.space()
		if d.pos >= len(d.s) {
			return nil, d.fault("the input ends early")
		}
		c := d.s[d.pos]
		d.pos++
		if c == '}' {
			break
		}
		if c != ',' {
			return nil, d.fault("a comma is missing")
		}
	}
	n := d.node()
	n.kind = Object
	n.members = d.keepMembers(d.stack[base:])
	d.stack = d.stack[:base]
	return n, nil
}

// manyKeys is the number of keys from which on a map finds a duplicate sooner than a look at each.
const manyKeys = 24

func (d *decoder) once(key string, base int, seen map[string]struct{}) (map[string]struct{}, error) {
	own := d.stack[base:]
	if len(own) < manyKeys {
		for i := range own {
			if own[i].Key == key {
				return seen, d.duplicate(key)
			}
		}
		return seen, nil
	}
	if seen == nil {
		seen = make(map[string]struct{}, 2*manyKeys)
		for i := range own {
			seen[own[i].Key] = struct{}{}
		}
	}
	if _, twice := seen[key]; twice {
		return seen, d.duplicate(key)
	}
	seen[key] = struct{}{}
	return seen, nil
}

func (d *decoder) duplicate(key string) error {
	d.trail = append(d.trail, step{key, -1})
	return d.fault("a key stands twice in one object")
}

func (d *decoder) array(depth int) (*Node, error) {
	d.pos++ // [
	base := len(d.open)
	d.space()
	if d.pos < len(d.s) && d.s[d.pos] == ']' {
		d.pos++
		n := d.node()
		n.kind = Array
		return n, nil
	}
	for {
		d.space()
		v, err := d.value(depth)
		if err != nil {
			d.trail = append(d.trail, step{"", len(d.open) - base})
			return nil, err
		}
		d.open = append(d.open, v)
		d.space()
		if d.pos >= len(d.s) {
			return nil, d.fault("the input ends early")
		}
		c := d.s[d.pos]
		d.pos++
		if c == ']' {
			break
		}
		if c != ',' {
			return nil, d.fault("a comma is missing")
		}
	}
	n := d.node()
	n.kind = Array
	n.items = d.keepItems(d.open[base:])
	d.open = d.open[:base]
	return n, nil
}

// keepMembers copies members to a block. The capacity is cut, so that a later append moves them.
func (d *decoder) keepMembers(own []Member) []Member {
	if len(own) > len(d.members) {
		d.members = make([]Member, max(len(own), block((len(d.s)-d.pos)/40, 1024)))
	}
	n := copy(d.members, own)
	kept := d.members[:n:n]
	d.members = d.members[n:]
	return kept
}

func (d *decoder) keepItems(own []*Node) []*Node {
	if len(own) > len(d.items) {
		d.items = make([]*Node, max(len(own), block((len(d.s)-d.pos)/160, 512)))
	}
	n := copy(d.items, own)
	kept := d.items[:n:n]
	d.items = d.items[n:]
	return kept
}

// plain marks the bytes that stand for themselves inside a string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return t
}()

// str reads a string from its opening quote to behind its closing one. raw is the spelling where it has escapes.
func (d *decoder) str() (text, raw string, err error) {
	start := d.pos + 1
	i := start
	for i < len(d.s) && plain[d.s[i]] {
		i++
	}
	if i < len(d.s) && d.s[i] == '"' {
		if i-start > d.limits.Text {
			return "", "", &Error{Code: IssueTooLong, Detail: "a string is longer than the limit"}
		}
		d.pos = i + 1
		return d.s[start:i], "", nil
	}
	return d.escaped(start, i)
}

func (d *decoder) escaped(start, i int) (text, raw string, err error) {
	var b []byte
	done := start
	for {
		for i < len(d.s) && plain[d.s[i]] {
			i++
		}
		if i >= len(d.s) {
			return "", "", d.fault("the input ends inside a string")
		}
		if i-start > d.limits.Text {
			return "", "", &Error{Code: IssueTooLong, Detail: "a string is longer than the limit"}
		}
		switch c := d.s[i]; c {
		case '"':
			d.pos = i + 1
			b = append(b, d.s[done:i]...)
			return string(b), d.s[start:i], nil
		case '\\':
			b = append(b, d.s[done:i]...)
			var size int
			if b, size, err = d.escape(b, i); err != nil {
				return "", "", err
			}
			i += size
			done = i
		default:
			return "", "", d.fault("a string holds a control character")
		}
	}
}

// escape appends what the escape at i stands for and gives its length.
func (d *decoder) escape(b []byte, i int) ([]byte, int, error) {
	if i+1 >= len(d.s) {
		return b, 0, d.fault("the input ends inside a string")
	}
	switch c := d.s[i+1]; c {
	case '"', '\\', '/':
		return append(b, c), 2, nil
	case 'n':
		return append(b, '\n'), 2, nil
	case 't':
		return append(b, '\t'), 2, nil
	case 'r':
		return append(b, '\r'), 2, nil
	case 'b':
		return append(b, '\b'), 2, nil
	case 'f':
		return append(b, '\f'), 2, nil
	case 'u':
	default:
		return b, 0, d.fault("a string holds an unknown escape")
	}
	r, ok := hex4(d.s, i+2)
	switch {
	case !ok:
		return b, 0, d.fault("a string holds a malformed escape")
	case r == 0:
		return b, 0, d.fault("a string holds NUL")
	case !utf16.IsSurrogate(r):
		return utf8.AppendRune(b, r), 6, nil
	}
	if i+7 < len(d.s) && d.s[i+6] == '\\' && d.s[i+7] == 'u' {
		if low, ok := hex4(d.s, i+8); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return utf8.AppendRune(b, both), 12, nil
			}
		}
	}
	return b, 0, d.fault("a string holds a lone surrogate")
}

func hex4(s string, i int) (rune, bool) {
	if i+4 > len(s) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[i : i+4]) {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// numberEnd gives the end of the JSON number that starts at i, or i where none does.
func numberEnd(s string, i int) int {
	start := i
	digits := func() bool {
		from := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	zero := i
	if !digits() || s[zero] == '0' && i > zero+1 {
		return start
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return start
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return start
		}
	}
	return i
}
