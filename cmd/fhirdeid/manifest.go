package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fhirdeid/config"
	"fhirdeid/config/policies"
	"fhirdeid/fhir/deidentify"
)

// manifestSuffix ends the name of the list that is kept beside the input.
const manifestSuffix = ".fhirdeid-manifest.jsonl"

// manifest says which output came from which input. It holds the names of the inputs, so it is kept beside them,
// readable by its owner alone, and never in the output.
type manifest struct {
	file    *os.File
	entries map[string]entry // by input
	order   []string
	last    int
}

// entry is one line of the manifest.
type entry struct {
	Input   string   `json:"input"`
	Hash    string   `json:"sha256,omitempty"`
	Number  int      `json:"number,omitempty"`
	Output  string   `json:"output,omitempty"`
	Results string   `json:"results,omitempty"`
	Error   string   `json:"error,omitempty"`
	Lines   []string `json:"failed_lines,omitempty"`
}

// header is the first line: what the entries are true for.
type header struct {
	Out      string `json:"out"`
	Settings string `json:"settings"`
}

// manifestPath is beside the argument that the first input came from.
func manifestPath(in input) string {
	if in.root == "-" {
		return "stdin" + manifestSuffix
	}
	return strings.TrimRight(filepath.Clean(in.root), string(filepath.Separator)) + manifestSuffix
}

// openManifest reads what an earlier run with the same output and settings has done, and goes on from there.
func openManifest(path, out, settings string, force bool) (*manifest, error) {
	m := &manifest{entries: map[string]entry{}}
	absolute, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	want := header{absolute, settings}
	if !force {
		if err := m.load(path, want, out); err != nil {
			return nil, err
		}
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if len(m.entries) == 0 {
		flags |= os.O_TRUNC
	}
	m.file, err = os.OpenFile(path, flags, 0o600)
	if err != nil {
		// The input may stand on a medium that cannot be written: then the list stands beside the output folder.
		m.file, err = os.OpenFile(filepath.Clean(out)+manifestSuffix, flags, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if len(m.entries) == 0 {
		return m, m.write(want)
	}
	return m, nil
}

func (m *manifest) load(path string, want header, out string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if file, err = os.Open(filepath.Clean(out) + manifestSuffix); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	var got header
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &got) != nil || got != want {
		return nil // of another output or other settings: begin anew
	}
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Input == "" {
			continue // the last line of a run that was killed
		}
		m.keep(e)
	}
	return lines.Err()
}

func (m *manifest) keep(e entry) {
	if _, ok := m.entries[e.Input]; !ok {
		m.order = append(m.order, e.Input)
	}
	m.entries[e.Input] = e
	m.last = max(m.last, e.Number)
}

// done says whether an input is done: the same content without any failure, and its output is still there.
func (m *manifest) done(input, hash, out string) bool {
	e := m.entries[input]
	if e.Output == "" || e.Hash != hash || e.Error != "" || len(e.Lines) > 0 {
		return false
	}
	for _, name := range e.outputs() {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			return false
		}
	}
	return true
}

// withdraw removes what an earlier run wrote of an input that now fails.
func (m *manifest) withdraw(input, out string) error {
	var errs []error
	for _, name := range m.entries[input].outputs() {
		if err := os.Remove(filepath.Join(out, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// outputs names the files in the output folder.
func (e entry) outputs() (names []string) {
	for _, name := range []string{e.Output, e.Results} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// number gives the number of an input's output: the one it had, else the next.
func (m *manifest) number(input string) int {
	if e, ok := m.entries[input]; ok && e.Number > 0 {
		return e.Number
	}
	return m.last + 1
}

func (m *manifest) add(e entry) error {
	m.keep(e)
	return m.write(e)
}

func (m *manifest) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := m.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	return m.file.Sync()
}

// Close ends the list.
func (m *manifest) Close() error { return m.file.Close() }

// failures lists which of the inputs failed, by number of the input in the manifest: names of files may be names of
// patients.
func (m *manifest) failures(inputs []input) []string {
	now := map[string]bool{}
	for _, in := range inputs {
		now[in.name] = true
	}
	var list []string
	for i, name := range m.order {
		if !now[name] {
			continue // of an earlier run
		}
		e := m.entries[name]
		if e.Error != "" {
			list = append(list, fmt.Sprintf("input %d of the manifest: %s", i+1, e.Error))
		}
		for _, line := range e.Lines {
			list = append(list, fmt.Sprintf("input %d of the manifest, line %s", i+1, line))
		}
	}
	return list
}

func contentHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// settingsHash tells runs with other settings apart, so that a resumed output is of one piece. Files that the settings
// name count by what is in them, the key by a hash that it keys.
func (a *app) settingsHash(f deidentifyFlags, cfg config.Config, rt *program) (string, error) {
	policy := cmp.Or(f.policy, cfg.Policy.Default)
	text, ok := policies.Read(policy)
	if !ok {
		var err error
		if text, err = a.sitePolicy(cfg, policy); err != nil {
			return "", err
		}
	}
	var named []string
	for _, name := range slices.Concat(cfg.Dicts, cfg.Templates, []string{f.patient}) {
		if name == "" {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		named = append(named, contentHash(data))
	}
	all, err := json.Marshal([]any{
		version, policy, contentHash(text), f.method, f.context, cfg.Context, f.language, cfg.Language, cfg.AllowAny, f.onUnsupported, named, cfg.Shift,
		cfg.Models.Lambda, rt.pipeline.packNames(), f.pipeline.without, deidentify.SubjectHash(rt.master, "", "manifest"),
	})
	return contentHash(all), err
}
