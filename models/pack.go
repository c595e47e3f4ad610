package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"fhirdeid/pipeline/ner"
)

// Errors of opening a pack, beside ErrManifest, ErrTokenizer and ErrRuntime.
var (
	ErrMissing = errors.New("file is missing")
	ErrHash    = errors.New("file is not the one that the manifest names")
	ErrModel   = errors.New("model does not fit the manifest")
)

// Options of opening packs. The zero value fits one process on one machine.
type Options struct {
	// Library is the path of the onnxruntime library; empty: beside the program, or in build/native.
	Library string
	// Threads is how many threads work on one window; 0 means 1, which gives the highest rate: windows and requests
	// are spread over the cores by the detector's pool.
	Threads int
	// Pool is used for embeddings; nil: one of the pack's own.
	Pool *ner.Pool
}

// Pack is an opened pack. It is safe for concurrent use.
type Pack struct {
	Manifest *Manifest
	Dir      string

	tokenizer *tokenizer
	sessions  map[string]*session // by role
	encoder   *session            // nil: the pack has none
	ensemble  *ner.Ensemble
	pool      *ner.Pool
}

// Open reads a pack, checks every file against its hash, loads the models and runs each once. A pack with a fault is
// refused with the reason.
func Open(dir string, options Options) (*Pack, error) {
	p, err := open(dir, options)
	if err != nil {
		return nil, fmt.Errorf("model pack %s: %w", filepath.Base(filepath.Clean(dir)), err)
	}
	return p, nil
}

func open(dir string, options Options) (_ *Pack, err error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if err := startRuntime(options.Library); err != nil {
		return nil, err
	}
	p := &Pack{Manifest: m, Dir: dir, sessions: map[string]*session{}, pool: options.Pool}
	if p.pool == nil {
		p.pool = ner.NewPool(0, 0)
	}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	data, err := readFile(dir, m.Tokenizer.File, m.Tokenizer.SHA256)
	if err != nil {
		return nil, err
	}
	if p.tokenizer, err = newTokenizer(data); err != nil {
		return nil, err
	}
	before, behind, err := p.frame()
	if err != nil {
		return nil, err
	}
	for _, model := range m.Models {
		s, err := p.load(model, before, behind, options.Threads)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", model.File, err)
		}
		p.sessions[model.Role] = s
	}
	p.ensemble, err = p.newEnsemble()
	return p, err
}

func readManifest(dir string) (*Manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", ManifestFile, ErrMissing)
	}
	if err != nil {
		return nil, err
	}
	return ParseManifest(data)
}

// readFile reads a file of the pack once, so that what is checked is what is used.
func readFile(dir, name, want string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, ErrMissing)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); !strings.EqualFold(got, want) {
		return nil, fmt.Errorf("%s: %w: sha256 is %s, not %s", name, ErrHash, got, want)
	}
	return data, nil
}

// frame gives the ids around each window: those of the manifest, else what the tokenizer adds by itself.
func (p *Pack) frame() (before, behind []int64, err error) {
	if p.Manifest.Special == nil {
		return p.tokenizer.frame()
	}
	if id := p.Manifest.Special.BOS; id != nil {
		before = []int64{*id}
	}
	if id := p.Manifest.Special.EOS; id != nil {
		behind = []int64{*id}
	}
	return before, behind, nil
}

func (p *Pack) load(model Model, before, behind []int64, threads int) (*session, error) {
	data, err := readFile(p.Dir, model.File, model.SHA256)
	if err != nil {
		return nil, err
	}
	classes, err := p.Manifest.classes(model)
	if err != nil {
		return nil, err
	}
	wanted := setup{model: data, classes: classes, before: before, behind: behind, threads: threads}
	encoder := p.Manifest.Encoder
	if encoder != nil && encoder.File == model.File && p.encoder == nil {
		wanted.hidden = encoder.Output
	}
	s, err := newSession(wanted)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	if err := s.probe(p.probeWindow()); err != nil {
		s.close()
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	if wanted.hidden != "" {
		p.encoder = s
	}
	return s, nil
}

// probeWindow is a window of the greatest length that holds the highest id.
func (p *Pack) probeWindow() []int64 {
	ids := make([]int64, p.Manifest.Window.Tokens)
	for i := range ids {
		ids[i] = p.tokenizer.last
	}
	return ids
}

func (p *Pack) newEnsemble() (*ner.Ensemble, error) {
	decision, err := p.Manifest.decision()
	if err != nil {
		return nil, err
	}
	e := &ner.Ensemble{
		Name: p.Manifest.source(), Languages: p.Manifest.Languages, Tokenizer: p.tokenizer,
		Window: p.Manifest.Window.Tokens, Overlap: p.Manifest.Window.Overlap, Decision: decision,
	}
	if s := p.sessions[Superclass]; s != nil {
		e.Superclass = s
	}
	if s := p.sessions[Subclass]; s != nil {
		e.Subclass = s
	}
	return e, nil
}

// Ensemble is the pack at work, for use with others.
func (p *Pack) Ensemble() *ner.Ensemble { return p.ensemble }

// Detector reads documents with this pack alone.
func (p *Pack) Detector(options ner.Options) (*ner.Detector, error) {
	return Detector(options, p)
}

// Detector reads documents with several packs: with those for their language, or with all where the language is not
// known.
func Detector(options ner.Options, packs ...*Pack) (*ner.Detector, error) {
	ensembles := make([]*ner.Ensemble, len(packs))
	for i, p := range packs {
		ensembles[i] = p.ensemble
	}
	return ner.NewDetector(options, ensembles...)
}

// ErrNoEncoder says that a pack has no hidden states to give.
var ErrNoEncoder = errors.New("model pack has no encoder output")

// Embed gives the mean-pooled contextual embedding of each window of the text, a range of bytes. A window without any
// token gets nil.
func (p *Pack) Embed(ctx context.Context, text string, windows [][2]int) ([][]float32, error) {
	if p.encoder == nil {
		return nil, ErrNoEncoder
	}
	ranges := make([]ner.Stretch, len(windows))
	for i, w := range windows {
		ranges[i] = ner.Stretch{Start: w[0], End: w[1]}
	}
	return p.ensemble.Embed(ctx, p.pool, p.encoder, text, ranges)
}

// Close frees the models. It waits for windows that are being scored; later ones fail with ErrClosed.
func (p *Pack) Close() {
	for _, s := range p.sessions {
		s.close()
	}
	if p.tokenizer != nil {
		p.tokenizer.close()
	}
}

// Discover lists the packs in the given folders, each of which is a pack or holds packs. The list is sorted and free
// of repetitions.
func Discover(dirs ...string) ([]string, error) {
	var found []string
	for _, dir := range dirs {
		if isPack(dir) {
			found = append(found, filepath.Clean(dir))
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("model packs: %w", err)
		}
		for _, entry := range entries {
			if sub := filepath.Join(dir, entry.Name()); isPack(sub) {
				found = append(found, sub)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func isPack(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, ManifestFile))
	return err == nil && info.Mode().IsRegular()
}

// OpenAll opens packs side by side, in the order given. If one is faulty, none is left open.
func OpenAll(dirs []string, options Options) ([]*Pack, error) {
	packs := make([]*Pack, len(dirs))
	group := errgroup.Group{}
	group.SetLimit(2) // loading holds a model in memory twice
	for i, dir := range dirs {
		group.Go(func() (err error) {
			defer func() {
				if recover() != nil {
					err = fmt.Errorf("model pack %s: %w", filepath.Base(filepath.Clean(dir)), ErrModel)
				}
			}()
			packs[i], err = Open(dir, options)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		for _, p := range packs {
			if p != nil {
				p.Close()
			}
		}
		return nil, err
	}
	return packs, nil
}

// Verify opens a pack, runs it and closes it again: it says what Open would.
func Verify(dir string, options Options) (*Manifest, error) {
	p, err := Open(dir, options)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Manifest, nil
}
