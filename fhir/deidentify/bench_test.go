package deidentify_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/pipeline"
)

// BenchmarkStructure takes Synthea Bundles through the whole service with a pipeline that finds nothing: what the structure
// costs, with the contents of attachments left out and with their texts decoded, searched for what is known and written anew.
func BenchmarkStructure(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(data(b, "fhir/synthea_r4"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		b.Skip("SKIP synthea: no files")
	}
	var whole, bare []*fhir.Node
	for _, file := range files {
		n, err := fhir.DecodeResource(readGzip(b, file), fhir.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		whole = append(whole, n)
		bare = append(bare, withoutContents(n.Clone()))
	}
	b.Run("structure", func(b *testing.B) { benchmarkStructure(b, bare) })
	b.Run("texts", func(b *testing.B) { benchmarkStructure(b, whole) })
}

func benchmarkStructure(b *testing.B, inputs []*fhir.Node) {
	s := newService(b, func(o *deidentify.Options) { o.Pipeline = &pipeline.Pipeline{} })
	size, resources := 0, 0
	for _, n := range inputs {
		size += len(n.Encode())
		resources += len(fhir.Resources(n))
	}
	all := func() {
		for _, n := range inputs {
			if _, err := s.Deidentify(b.Context(), deidentify.Request{Resource: n, Raw: true, Trusted: true}); err != nil {
				b.Fatal(err)
			}
		}
	}
	all() // word lists and tables are read once in the life of a program
	b.SetBytes(int64(size))
	b.ReportAllocs()
	cpu := processorTime()
	for b.Loop() {
		all()
	}
	b.ReportMetric(float64(resources)*float64(b.N)/b.Elapsed().Seconds(), "resources/s")
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(processorTime()-cpu), "MB/core-s")
}

// withoutContents takes the data out of every attachment.
func withoutContents(n *fhir.Node) *fhir.Node {
	if n.Get("contentType") != nil {
		n.Delete("data")
	}
	for _, m := range n.Members() {
		withoutContents(m.Value)
	}
	for _, i := range n.Items() {
		withoutContents(i)
	}
	return n
}

// processorTime is what this process has used of all cores, in seconds.
func processorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
