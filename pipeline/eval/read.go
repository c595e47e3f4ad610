package eval

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"fhirdeid/pipeline/phi"
)

// Format names the way in which a corpus is written.
type Format string

// The formats.
const (
	Auto     Format = "auto"   // by the names and the heads of the files
	JSONL    Format = "jsonl"  // one document a line: text, spans in code points
	I2B2     Format = "i2b2"   // XML of the 2006 (tags in the text) or 2014 (stand-off) shared task
	BRAT     Format = "brat"   // .txt with .ann beside it
	CoNLL    Format = "conll"  // a token a line, the label in the last column
	XMI      Format = "xmi"    // UIMA CAS
	CASJSON  Format = "cas"    // UIMA CAS as JSON
	Inline   Format = "inline" // tags around the words, documents parted by === lines
	maxInput        = 1 << 30  // bytes of one file, unpacked
)

// ErrCorpus says that a corpus cannot be read.
var ErrCorpus = errors.New("corpus cannot be read")

// ReadOptions steer reading. The zero value finds out for itself.
type ReadOptions struct {
	Format Format
	// Labels is a labels.json; empty: the one found beside the corpus or in a folder above it, if any.
	Labels string
	// Map gives our label for a source label that no other table knows; "O" for what is not PHI.
	Map      map[string]string
	Language phi.Language // of documents that do not say
	Split    string       // only this split, where documents have one
}

// Read reads a file, or all files of a folder, in the given format (empty or auto: by their look).
func Read(path, format string) (*Corpus, error) {
	return ReadWith(path, ReadOptions{Format: Format(format)})
}

// ReadWith reads a file, or all files of a folder.
func ReadWith(path string, options ReadOptions) (*Corpus, error) {
	files, err := list(path)
	if err != nil {
		return nil, err
	}
	corpus := &Corpus{Name: strings.TrimSuffix(strings.TrimSuffix(filepath.Base(filepath.Clean(path)), ".gz"), filepath.Ext(strings.TrimSuffix(path, ".gz")))}
	read := 0
	for _, name := range files {
		format := options.Format
		if format == "" || format == Auto {
			format = guess(name)
		}
		parse := parsers[format]
		if parse == nil {
			if options.Format == "" || options.Format == Auto {
				continue // something else that lies in the folder
			}
			return nil, fmt.Errorf("%w: unknown format %q", ErrCorpus, options.Format)
		}
		if len(files) > 1 && !belongs(name, format) {
			continue
		}
		table, err := tableFor(name, options)
		if err != nil {
			return nil, err
		}
		docs, err := parse(name, table)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
		read++
		for i := range docs {
			d := &docs[i]
			if options.Split != "" && d.Split != "" && d.Split != options.Split {
				continue
			}
			d.Language = cmp.Or(d.Language, options.Language)
			if err := d.check(); err != nil {
				return nil, fmt.Errorf("%s: document %s: %w", filepath.Base(name), d.ID, err)
			}
			d.settle()
			corpus.Documents = append(corpus.Documents, *d)
		}
	}
	if read == 0 {
		return nil, fmt.Errorf("%w: no file of a known format", ErrCorpus)
	}
	return corpus, nil
}

// parsers read one file each.
var parsers = map[Format]func(name string, labels *table) ([]Document, error){
	JSONL:   readJSONL,
	I2B2:    readI2B2,
	BRAT:    readBRAT,
	CoNLL:   readCoNLL,
	XMI:     readXMI,
	CASJSON: readCASJSON,
	Inline:  readInline,
}

func list(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorpus, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, name)
		}
		return err
	})
	slices.Sort(files)
	return files, err
}

// guess tells the format by the name of a file, and by its head where the name does not say.
func guess(name string) Format {
	switch filepath.Ext(strings.TrimSuffix(name, ".gz")) {
	case ".jsonl", ".ndjson":
		return JSONL
	case ".ann":
		return BRAT
	case ".txt":
		if _, err := os.Stat(strings.TrimSuffix(name, ".txt") + ".ann"); err == nil {
			return BRAT
		}
		if bytes.HasPrefix(head(name), []byte("=== ")) {
			return Inline
		}
	case ".conll", ".iob", ".bio", ".tsv":
		return CoNLL
	case ".xmi":
		return XMI
	case ".xml":
		switch start := head(name); {
		case bytes.Contains(start, []byte("http://www.omg.org/XMI")):
			return XMI
		case bytes.Contains(start, []byte("<TEXT>")):
			return I2B2
		}
	case ".json":
		if start := head(name); bytes.Contains(start, []byte(`"%TYPES"`)) || bytes.Contains(start, []byte(`"%FEATURE_STRUCTURES"`)) ||
			bytes.Contains(start, []byte(`"_views"`)) || bytes.Contains(start, []byte(`"_context"`)) {
			return CASJSON
		}
	}
	return ""
}

func head(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil
		}
	}
	start, _ := io.ReadAll(io.LimitReader(r, 4096))
	return bytes.TrimPrefix(start, []byte("\ufeff"))
}

// belongs says whether a file of a folder is one to read in the format; others lie beside them.
func belongs(name string, format Format) bool {
	ext := filepath.Ext(strings.TrimSuffix(name, ".gz"))
	switch format {
	case JSONL:
		return ext == ".jsonl" || ext == ".ndjson"
	case I2B2:
		return ext == ".xml"
	case BRAT:
		return ext == ".ann"
	case XMI:
		return ext == ".xmi" || ext == ".xml"
	case CASJSON:
		return ext == ".json"
	case Inline:
		return ext == ".txt" && bytes.HasPrefix(head(name), []byte("=== "))
	}
	return true
}

// load reads a file whole, unpacks it if it is packed, and makes sure that it is UTF-8.
func load(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		packed, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%w: not gzip", ErrCorpus)
		}
		r = packed
	}
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: broken file", ErrCorpus)
	case len(data) > maxInput:
		return nil, fmt.Errorf("%w: larger than %d bytes", ErrCorpus, maxInput)
	case !utf8.Valid(data):
		return nil, fmt.Errorf("%w: not UTF-8", ErrCorpus)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

func (d *Document) check() error {
	for _, g := range d.Gold {
		if g.Start < 0 || g.End > len(d.Text) || g.Start > g.End {
			return fmt.Errorf("%w: a mark lies outside of the text", ErrCorpus)
		}
	}
	return nil
}
