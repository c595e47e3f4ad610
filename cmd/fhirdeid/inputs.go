package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxInput bounds one input file, unpacked.
const maxInput = 512 << 20

var errInputTooLarge = errors.New("the file is larger than the limit")

// input is one file to work on.
type input struct {
	name string // path as given, "-" for standard input
	root string // the argument it came from
	kind string // extension in lower case, without .gz

	// What was read of standard input, which comes only once.
	data   []byte
	failed error
}

// fhir says whether the input is FHIR JSON or NDJSON.
func (in input) fhir() bool { return in.kind == ".json" || in.kind == ".ndjson" || in.name == "-" }

// mediaTypes are the kinds of documents that are not FHIR, by extension.
var mediaTypes = map[string]string{
	".txt": "text/plain", ".text": "text/plain", ".md": "text/plain", ".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
	".rtf": "application/rtf", ".pdf": "application/pdf", ".xml": "application/xml", ".cda": "application/xml",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}

// findInputs walks the arguments in a stable order. Files of kinds that are not known are inputs too: they fail by name
// rather than be passed over.
func findInputs(args []string) ([]input, error) {
	var list []input
	for _, arg := range args {
		if arg == "-" {
			list = append(list, input{name: "-", root: "-"})
			continue
		}
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != arg && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case d.IsDir() || !d.Type().IsRegular() && path != arg || strings.HasSuffix(path, manifestSuffix):
				return nil
			}
			list = append(list, input{name: path, root: arg, kind: kindOf(path)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b input) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(list, func(a, b input) bool { return a.name == b.name }), nil
}

func kindOf(path string) string {
	return strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz")))
}

// read gives the bytes of an input, unpacked.
func (in input) read(stdin io.Reader) ([]byte, error) {
	if in.data != nil || in.failed != nil {
		return in.data, in.failed
	}
	if in.name == "-" {
		return readInput(stdin)
	}
	file, err := os.Open(in.name)
	if err != nil {
		return nil, errors.New("the file cannot be opened")
	}
	r, err := gunzip(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readLimited(r)
}

// readInput reads a stream that may be gzip.
func readInput(r io.Reader) ([]byte, error) {
	r, err := unpacked(r)
	if err != nil {
		return nil, err
	}
	return readLimited(r)
}

func readLimited(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, errors.New("the file cannot be read to its end")
	}
	if len(data) > maxInput {
		return nil, errInputTooLarge
	}
	return data, nil
}

// gunzip unpacks a file whose first bytes say that it is gzip.
func gunzip(file *os.File) (io.ReadCloser, error) {
	r, err := unpacked(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return readCloser{r, file}, nil
}

func unpacked(r io.Reader) (io.Reader, error) {
	head := make([]byte, 2)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, errors.New("the input cannot be read")
	}
	whole := io.MultiReader(bytes.NewReader(head[:n]), r)
	if n < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return whole, nil
	}
	z, err := gzip.NewReader(whole)
	if err != nil {
		return nil, errors.New("the input is broken gzip")
	}
	return z, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}
