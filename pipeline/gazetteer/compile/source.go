package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"fhirdeid/pipeline/phi/fold"
)

// source reads the source lists. The first error stays and later reads give nothing.
type source struct {
	folder string
	err    error
}

// rows gives the columns of each line of a list.
func (s *source) rows(name string) [][]string {
	var rows [][]string
	if s.err == nil {
		s.err = lines(filepath.Join(s.folder, name+".txt.gz"), func(line string) error {
			if strings.TrimSpace(line) != "" {
				rows = append(rows, strings.Split(line, "\t"))
			}
			return nil
		})
	}
	return rows
}

// column gives one column of a list.
func (s *source) column(name string, n int) []string {
	var values []string
	for _, r := range s.rows(name) {
		if n < len(r) {
			values = append(values, strings.TrimSpace(r[n]))
		}
	}
	return values
}

func lines(path string, each func(string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	sc := bufio.NewScanner(z)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		if err := each(sc.Text()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return sc.Err()
}

// frequency counts the words of running text, folded, small and capitalised apart. Marked entities are left out.
type frequency struct {
	english, english2 map[string]int // small, capitalised
	german, german2   map[string]int
	modern            map[string]int // capitalised, German, of texts whose marks are complete
}

type document struct {
	Text  string `json:"text"`
	Spans []struct {
		Start int `json:"start"`
		End   int `json:"end"`
	} `json:"spans"`
}

func count(data string) (*frequency, error) {
	f := &frequency{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
	read := func(file string, small, capital, modern map[string]int) error {
		return lines(filepath.Join(data, file+".jsonl.gz"), func(line string) error {
			var d document
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				return err
			}
			text := []rune(d.Text)
			for _, s := range d.Spans {
				for i := s.Start; i < s.End && i < len(text); i++ {
					text[i] = ' '
				}
			}
			for w := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
				key := fold.Key(w)
				switch {
				case strings.ToLower(w) == w:
					small[key]++
				default:
					capital[key]++
					if modern != nil {
						modern[key]++
					}
				}
			}
			return nil
		})
	}
	for _, name := range []string{"en_mtsamples_train", "en_primock57", "en_mts_dialog", "en_synthetic_notes"} {
		if err := read("carriers/"+name, f.english, f.english2, nil); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"de_ler", "de_germeval_dev"} {
		if err := read("ner/"+name, f.german, f.german2, f.modern); err != nil {
			return nil, err
		}
	}
	return f, read("ner/de_europeana", f.german, f.german2, nil)
}
