package fhir

// DeviceInfo is what the Device says about the software that de-identified.
type DeviceInfo struct {
	ID       string
	Name     string // default fhirdeid
	Version  string
	Packs    []Pack // model packs, in order
	Lists    string // version of the word lists that surrogates come from; "" says nothing
	Policies []Pack // policies with their versions
}

// Pack is a part of the software with a version of its own.
type Pack struct{ Name, Version string }

// NewDevice builds the Device.
func NewDevice(d DeviceInfo) *Node {
	name := cmpOr(d.Name, "fhirdeid")
	versions := NewArray(deviceVersion("software", d.Version))
	for _, p := range d.Packs {
		versions.Append(deviceVersion("model pack", p.Name+" "+p.Version))
	}
	if d.Lists != "" {
		versions.Append(deviceVersion("word lists", d.Lists))
	}
	for _, p := range d.Policies {
		versions.Append(deviceVersion("policy", p.Name+" "+p.Version))
	}
	n := NewResource("Device")
	if d.ID != "" {
		n.Set("id", NewString(d.ID))
	}
	n.Set("status", NewString("active"))
	n.Set("manufacturer", NewString(name))
	n.Set("deviceName", NewArray(NewObject("name", NewString(name), "type", NewString("model-name"))))
	n.Set("type", Concept("de-identification software"))
	n.Set("version", versions)
	return n
}

func deviceVersion(kind, value string) *Node {
	return NewObject("type", Concept(kind), "value", NewString(cmpOr(value, "unknown")))
}
