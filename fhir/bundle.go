package fhir

import "time"

// BundleInfo is what a collection says about itself.
type BundleInfo struct {
	ID        string
	Type      string // default collection
	Timestamp time.Time
}

// NewBundle builds a Bundle of resources. An entry gets the fullUrl that belongs to the id of its resource.
func NewBundle(b BundleInfo, resources ...*Node) *Node {
	n := NewResource("Bundle")
	if b.ID != "" {
		n.Set("id", NewString(b.ID))
	}
	n.Set("type", NewString(cmpOr(b.Type, "collection")))
	if !b.Timestamp.IsZero() {
		n.Set("timestamp", NewInstant(b.Timestamp))
	}
	for _, r := range resources {
		AddEntry(n, r)
	}
	return n
}

// AddEntry puts a resource behind the others. One without id gets a fullUrl made of its content.
func AddEntry(bundle, resource *Node) {
	list := bundle.Get("entry")
	if list == nil {
		list = NewArray()
		bundle.Set("entry", list)
	}
	name := resource.Text("id")
	if name == "" {
		name = string(resource.Encode())
	}
	list.Append(NewObject("fullUrl", NewString(FullURL(name)), "resource", resource))
}

// Resources gives the resources of a Bundle in order, those of Bundles inside included; for any other resource, itself.
// Contained resources stay inside.
func Resources(n *Node) []*Node {
	if n.ResourceType() != "Bundle" {
		if n.Kind() != Object {
			return nil
		}
		return []*Node{n}
	}
	var list []*Node
	for _, entry := range n.Get("entry").Items() {
		if r := entry.Get("resource"); r != nil {
			list = append(list, Resources(r)...)
		}
	}
	return list
}
