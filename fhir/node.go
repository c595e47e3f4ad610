package fhir

import "slices"

// Kind says what a Node holds.
type Kind uint8

// The kinds. The zero value is null.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "boolean", "number", "string", "array", "object"}

// String names the kind as JSON does.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// Node is one value of an ordered JSON tree. Members keep their order, numbers their spelling, and strings that nobody
// set anew keep the escapes they were written with. Reading methods work on a nil Node, which behaves as an absent
// value. A tree may be read by many goroutines at once, but changed by one only.
type Node struct {
	kind    Kind
	mark    uint8
	text    string // value of a string, spelling of a number, "true" or "false"
	raw     string // spelling of a string that was written with escapes
	members []Member
	items   []*Node
}

// Member is one key of an object with its value.
type Member struct {
	Key   string
	Value *Node
}

// NewObject makes an object of keys and values in turn: NewObject("use", NewString("official")). A nil value leaves
// its key out. It panics where the arguments are not pairs of a string and a *Node, a programming error.
func NewObject(pairs ...any) *Node {
	if len(pairs)%2 != 0 {
		panic("fhir: NewObject wants pairs of key and value") //nolint:forbidigo // a programming error
	}
	n := &Node{kind: Object, members: make([]Member, 0, len(pairs)/2)}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			continue
		}
		n.Set(pairs[i].(string), pairs[i+1].(*Node))
	}
	return n
}

// NewResource makes a resource of that type with further keys and values in turn, as NewObject takes them.
func NewResource(resourceType string, pairs ...any) *Node {
	return NewObject(append([]any{"resourceType", NewString(resourceType)}, pairs...)...)
}

// NewArray makes an array; nil items become null.
func NewArray(items ...*Node) *Node {
	n := &Node{kind: Array, items: make([]*Node, 0, len(items))}
	n.Append(items...)
	return n
}

// NewString makes a string. It must be valid UTF-8; Encode writes U+FFFD for what is not.
func NewString(s string) *Node { return &Node{kind: String, text: s} }

// NewNumber makes a number of its JSON spelling; what is not one becomes null.
func NewNumber(spelling string) *Node {
	if end := numberEnd(spelling, 0); end != len(spelling) || end == 0 {
		return NewNull()
	}
	return &Node{kind: Number, text: spelling}
}

// NewBool makes true or false.
func NewBool(b bool) *Node {
	if b {
		return &Node{kind: Bool, text: "true"}
	}
	return &Node{kind: Bool, text: "false"}
}

// NewNull makes null.
func NewNull() *Node { return &Node{} }

// Kind says what the node holds; Null for a nil node.
func (n *Node) Kind() Kind {
	if n == nil {
		return Null
	}
	return n.kind
}

// IsNull says whether the node is absent or null.
func (n *Node) IsNull() bool { return n.Kind() == Null }

// Get gives the value of a key, or nil.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if n.members[i].Key == key {
			return n.members[i].Value
		}
	}
	return nil
}

// At follows keys downwards and gives the value there, or nil. An array on the way stands for its first item.
func (n *Node) At(keys ...string) *Node {
	for _, key := range keys {
		if n.Kind() == Array {
			n = n.Item(0)
		}
		n = n.Get(key)
	}
	return n
}

// Text gives the string at the end of the keys as At follows them, or "".
func (n *Node) Text(keys ...string) string {
	s, _ := n.At(keys...).Str()
	return s
}

// Set gives a key its value, in its old place or at the end; a nil value deletes the key. It does nothing where the
// node is no object.
func (n *Node) Set(key string, value *Node) {
	if n.Kind() != Object {
		return
	}
	if value == nil {
		n.Delete(key)
		return
	}
	for i := range n.members {
		if n.members[i].Key == key {
			n.members[i].Value = value
			return
		}
	}
	n.members = append(n.members, Member{key, value})
}

// SetAfter is Set, but puts a new key right behind the key before.
func (n *Node) SetAfter(before, key string, value *Node) {
	if n.Kind() != Object || value == nil || n.Get(key) != nil {
		n.Set(key, value)
		return
	}
	at := slices.IndexFunc(n.members, func(m Member) bool { return m.Key == before }) + 1
	if at == 0 {
		at = len(n.members)
	}
	n.members = slices.Insert(n.members, at, Member{key, value})
}

// Delete takes a key out of an object.
func (n *Node) Delete(key string) {
	if n == nil {
		return
	}
	n.members = slices.DeleteFunc(n.members, func(m Member) bool { return m.Key == key })
}

// Members gives the members of an object in their order. The slice is the node's own: do not keep it over a change.
func (n *Node) Members() []Member {
	if n == nil {
		return nil
	}
	return n.members
}

// Items gives the items of an array in their order. The slice is the node's own: do not keep it over a change.
func (n *Node) Items() []*Node {
	if n == nil {
		return nil
	}
	return n.items
}

// Len counts the members of an object or the items of an array.
func (n *Node) Len() int { return len(n.Members()) + len(n.Items()) }

// Item gives an item of an array, or nil.
func (n *Node) Item(i int) *Node {
	if items := n.Items(); i >= 0 && i < len(items) {
		return items[i]
	}
	return nil
}

// Append adds items to an array; nil items become null. It does nothing where the node is no array.
func (n *Node) Append(items ...*Node) {
	if n.Kind() != Array {
		return
	}
	for _, item := range items {
		if item == nil {
			item = NewNull()
		}
		n.items = append(n.items, item)
	}
}

// DeleteItem takes an item out of an array.
func (n *Node) DeleteItem(i int) {
	if i >= 0 && i < len(n.Items()) {
		n.items = slices.Delete(n.items, i, i+1)
	}
}

// Str gives the value of a string; ok is false for anything else.
func (n *Node) Str() (s string, ok bool) {
	if n.Kind() != String {
		return "", false
	}
	return n.text, true
}

// Num gives the spelling of a number; ok is false for anything else.
func (n *Node) Num() (spelling string, ok bool) {
	if n.Kind() != Number {
		return "", false
	}
	return n.text, true
}

// Bool gives the value of true or false; ok is false for anything else.
func (n *Node) Bool() (b, ok bool) {
	if n.Kind() != Bool {
		return false, false
	}
	return n.text == "true", true
}

// SetString makes the node a string, whatever it was before.
func (n *Node) SetString(s string) { *n = Node{kind: String, text: s} }

// Replace makes the node what other is. Both share members and items afterwards, so other must not be used on.
func (n *Node) Replace(other *Node) {
	if other == nil {
		other = &Node{}
	}
	*n = *other
}

// ResourceType gives the resourceType of an object, or "".
func (n *Node) ResourceType() string { return n.Text("resourceType") }

// Clone copies the tree.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	var c cloner
	c.count(n)
	c.nodes = make([]Node, 0, c.nodeCount)
	c.members = make([]Member, 0, c.memberCount)
	c.items = make([]*Node, 0, c.itemCount)
	return c.clone(n)
}

// cloner cuts the copies of all nodes from three blocks, which saves nearly all allocations.
type cloner struct {
	nodeCount, memberCount, itemCount int

	nodes   []Node
	members []Member
	items   []*Node
}

func (c *cloner) count(n *Node) {
	if n == nil {
		return
	}
	c.nodeCount++
	c.memberCount += len(n.members)
	c.itemCount += len(n.items)
	for i := range n.members {
		c.count(n.members[i].Value)
	}
	for _, item := range n.items {
		c.count(item)
	}
}

func (c *cloner) clone(n *Node) *Node {
	if n == nil {
		return nil
	}
	c.nodes = append(c.nodes, Node{kind: n.kind, text: n.text, raw: n.raw})
	copied := &c.nodes[len(c.nodes)-1]
	if n.members != nil {
		at, end := len(c.members), len(c.members)+len(n.members)
		c.members = c.members[:end]
		// A member that is added later must not run into the next object's.
		copied.members = c.members[at:end:end]
		for i, m := range n.members {
			copied.members[i] = Member{m.Key, c.clone(m.Value)}
		}
	}
	if n.items != nil {
		at, end := len(c.items), len(c.items)+len(n.items)
		c.items = c.items[:end]
		copied.items = c.items[at:end:end]
		for i, item := range n.items {
			copied.items[i] = c.clone(item)
		}
	}
	return copied
}

// SetMark notes a number with the node for whoever works on the tree. It is no part of the value: SetString and Clone
// leave it out.
func (n *Node) SetMark(mark uint8) { n.mark = mark }

// Mark gives what SetMark noted, else 0.
func (n *Node) Mark() uint8 { return n.mark }

// Equal says whether two trees hold the same values in the same order, however their strings are escaped.
func (n *Node) Equal(o *Node) bool {
	if n.Kind() != o.Kind() {
		return false
	}
	if n.IsNull() {
		return true
	}
	return n.text == o.text &&
		slices.EqualFunc(n.members, o.members, func(a, b Member) bool { return a.Key == b.Key && a.Value.Equal(b.Value) }) &&
		slices.EqualFunc(n.items, o.items, (*Node).Equal)
}
