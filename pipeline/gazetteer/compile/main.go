// Command compile makes the embedded word lists and phrases from the source lists. The same input gives the same
// bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"fhirdeid/pipeline/phi/lists"
)

func main() {
	data := flag.String("data", "", "folder with gazetteer, ner and carriers")
	root := flag.String("root", ".", "root of the repository")
	flag.Parse()
	if err := run(*data, *root); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}

func run(data, root string) error {
	if data == "" {
		return fmt.Errorf("-data is missing")
	}
	src := &source{folder: filepath.Join(data, "gazetteer")}
	freq, err := count(data)
	if err != nil {
		return err
	}
	words, err := buildWords(src, freq)
	if err != nil {
		return err
	}
	stock, err := buildSurrogates(src, words)
	if err != nil {
		return err
	}
	phrases, err := buildPhrases(src, words)
	if err != nil {
		return err
	}
	encoded := lists.Encode(words.entries())
	sum := sha256.New()
	sum.Write(encoded)
	sum.Write(stock)
	for _, packed := range []*[]byte{&encoded, &stock, &phrases} {
		if *packed, err = pack(*packed); err != nil {
			return err
		}
	}
	files := []struct {
		path string
		data []byte
	}{
		{"pipeline/phi/lists/data/words.gz", encoded},
		{"pipeline/phi/lists/data/surrogates.gz", stock},
		{"pipeline/gazetteer/data/phrases.gz", phrases},
		{"pipeline/phi/lists/version.go", version(hex.EncodeToString(sum.Sum(nil))[:12])},
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(root, f.path), f.data, 0o644); err != nil {
			return err
		}
		fmt.Printf("%8d bytes  %s\n", len(f.data), f.path)
	}
	fmt.Printf("%8d words\n", len(words.of))
	return nil
}

func version(v string) []byte {
	return fmt.Appendf(nil, `package lists

// Version names the content of the lists, of those to look up in and of those to draw from; surrogates depend on it.
const Version = %q
`, v)
}

func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
