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

// BenchmarkStructure measures Synthea Bundles with a pipeline that finds nothing: what the structure alone costs.
func BenchmarkStructure(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(data(b, "fhir/synthea_r4"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		b.Skip("SKIP synthea: no files")
	}
	s := newService(b, func(o *deidentify.Options) { o.Pipeline = &pipeline.Pipeline{} })
	var inputs []*fhir.Node
	size, resources := 0, 0
	for _, file := range files {
		body := readGzip(b, file)
		n, err := fhir.DecodeResource(body, fhir.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		inputs = append(inputs, n)
		size += len(n.Encode())
		resources += len(fhir.Resources(n))
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	cpu := processorTime()
	for b.Loop() {
		for _, n := range inputs {
			if _, err := s.Deidentify(b.Context(), deidentify.Request{Resource: n, Raw: true, Trusted: true}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(resources)*float64(b.N)/b.Elapsed().Seconds(), "resources/s")
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(processorTime()-cpu), "MB/core-s")
}

// processorTime is what this process has used of all cores, in seconds.
func processorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
