package fhir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStructured takes a Synthea Bundle through decoder, policy walk and encoder. References and ids are hashed, dates
// looked at; free text is left alone.
func BenchmarkStructured(b *testing.B) {
	p := policy(b, "all")
	for _, c := range []struct {
		name string
		data []byte
	}{{"indented", bundles(b)[0]}, {"compact", compact(b, bundles(b)[0])}} {
		b.Run(c.name, func(b *testing.B) {
			resources := bytes.Count(c.data, []byte(`"resourceType"`))
			b.SetBytes(int64(len(c.data)))
			b.ReportAllocs()
			var out []byte
			cpu := processorTime()
			for b.Loop() {
				n, err := DecodeResource(c.data, Limits{})
				if err != nil {
					b.Fatal(err)
				}
				if err := structural(p, n).Walk(n); err != nil {
					b.Fatal(err)
				}
				out = n.AppendJSON(out[:0])
			}
			b.ReportMetric(float64(resources)*float64(b.N)/b.Elapsed().Seconds(), "resources/s")
			b.ReportMetric(float64(len(c.data))*float64(b.N)/1e6/(processorTime()-cpu), "MB/core-s")
		})
	}
}

// processorTime is what this process has used of all cores, in seconds: what a core does in a second does not depend on
// who else uses it.
func processorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// structural is a walker that does all but read text: ids and references are hashed, as the real visitor does.
func structural(p *Policy, bundle *Node) *Walker {
	name := hashed()
	types := map[string]string{} // of the entries, by the last part of their fullUrl
	for _, e := range bundle.Get("entry").Items() {
		if ref, err := ParseReference(e.Text("fullUrl")); err == nil {
			types[ref.ID] = e.At("resource").ResourceType()
		}
	}
	rewrite := func(s string) (string, bool) {
		ref, err := ParseReference(s)
		switch {
		case err != nil:
			return "", false
		case ref.Kind == RefURN:
			return FullURL(name(types[ref.ID], ref.ID)), true
		case ref.Kind == RefContained:
			return "#" + name("", ref.ID), true
		case ref.ID != "":
			ref.Base, ref.ID, ref.Version = "", name(ref.Type, ref.ID), ""
			ref.Kind = RefRelative
		}
		return ref.String(), true
	}
	return &Walker{Policy: p, Visit: func(pl *Place) error {
		switch pl.Element.Type {
		case TypeID:
			typ := pl.Resource.ResourceType()
			if types[pl.Node.text] != typ {
				typ = "" // contained
			}
			pl.Node.SetString(name(typ, pl.Node.text))
		case TypeReference:
			ref := pl.Node.Get("reference")
			if s, ok := ref.Str(); ok {
				if s, ok = rewrite(s); ok {
					ref.SetString(s)
				} else {
					pl.Node.Delete("reference")
				}
			}
			pl.Node.Delete("display")
		case TypeURI:
			if s, ok := rewrite(pl.Node.text); ok {
				pl.Node.SetString(s)
			}
		}
		return nil
	}}
}

// hashed gives ids by a hash of type and id.
func hashed() func(resourceType, id string) string {
	seen := map[[2]string]string{}
	return func(resourceType, id string) string {
		key := [2]string{resourceType, id}
		if seen[key] == "" {
			sum := sha256.Sum256([]byte("test/" + resourceType + "/" + id))
			seen[key] = hex.EncodeToString(sum[:16])
		}
		return seen[key]
	}
}

func BenchmarkDecode(b *testing.B) {
	data := compact(b, bundles(b)[0])
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	data := compact(b, bundles(b)[0])
	n, err := Decode(data, Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out = n.AppendJSON(out[:0])
	}
}

// BenchmarkStandardLibrary is what the tree is measured against.
func BenchmarkStandardLibrary(b *testing.B) {
	data := compact(b, bundles(b)[0])
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			b.Fatal(err)
		}
		if _, err := json.Marshal(v); err != nil {
			b.Fatal(err)
		}
	}
}
