package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

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
	shelf     *shelf
	closing   sync.Once
	release   []func()
}

// Open reads a pack, checks every file against its hash, loads the models and runs each once. A pack with a fault is
// refused with the reason.
func Open(dir string, options Options) (*Pack, error) {
	return named(dir, func(dir string) (*Pack, error) { return open(newShelf(), dir, options) })
}

// named opens a pack and names it in every error. A panic of a library is one: it would end the program.
func named(dir string, open func(dir string) (*Pack, error)) (p *Pack, err error) {
	if err = contained(func() (err error) { p, err = open(dir); return err }); err != nil {
		return nil, fmt.Errorf("model pack %s: %w", filepath.Base(filepath.Clean(dir)), err)
	}
	return p, nil
}

func open(on *shelf, dir string, options Options) (_ *Pack, err error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if err := startRuntime(options.Library); err != nil {
		return nil, err
	}
	p := &Pack{Manifest: m, Dir: dir, sessions: map[string]*session{}, pool: options.Pool, shelf: on}
	if p.pool == nil {
		p.pool = ner.NewPool(0, 0)
	}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	if err := p.loadAll(max(1, options.Threads)); err != nil {
		return nil, err
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

// loadAll loads the tokenizer and the models side by side: each takes a core for a good part of the start. Of several
// faults the first in the order of the manifest is reported.
func (p *Pack) loadAll(threads int) error {
	type loaded struct {
		session *session
		release func()
		err     error
	}
	var releaseTokenizer func()
	tokenizer := sync.OnceValues(func() (t *tokenizer, err error) {
		t, releaseTokenizer, err = take(p.shelf, p.Dir, p.Manifest.Tokenizer, p.Manifest.Tokenizer.SHA256, newTokenizer)
		return t, err
	})
	list := make([]loaded, len(p.Manifest.Models))
	var group sync.WaitGroup
	var trunk sync.WaitGroup // the superclass model, which a branch needs before it can be tried
	trunk.Add(1)
	loadTrunk := func() (*session, error) {
		trunk.Wait()
		i := slices.IndexFunc(p.Manifest.Models, func(m Model) bool { return m.Role == Superclass })
		return list[i].session, list[i].err
	}
	for i, model := range p.Manifest.Models {
		group.Go(func() {
			l := &list[i]
			if model.Role == Superclass {
				defer trunk.Done()
			}
			l.err = contained(func() (err error) {
				l.session, l.release, err = p.load(model, tokenizer, loadTrunk, threads)
				return err
			})
		})
	}
	var err error
	tokenizerErr := contained(func() error { p.tokenizer, err = tokenizer(); return err })
	group.Wait()
	p.keep(releaseTokenizer)
	for i, model := range p.Manifest.Models {
		p.keep(list[i].release)
		p.sessions[model.Role] = list[i].session
	}
	if tokenizerErr != nil {
		return tokenizerErr
	}
	for i, model := range p.Manifest.Models {
		if list[i].err != nil {
			return fmt.Errorf("%s: %w", model.File, list[i].err)
		}
		if e := p.Manifest.Encoder; p.encoder == nil && e != nil && e.File == model.File {
			p.encoder = list[i].session
		}
	}
	return nil
}

// keep remembers how to give back what was taken.
func (p *Pack) keep(release func()) {
	if release != nil {
		p.release = append(p.release, release)
	}
}

// contained turns a panic into an error: loading runs in goroutines, where nobody else would hold it back.
func contained(work func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = ErrModel
		}
	}()
	return work()
}

// frame gives the ids around each window: those of the manifest, else what the tokenizer adds by itself.
func (p *Pack) frame(t *tokenizer) (before, behind []int64, err error) {
	if p.Manifest.Special == nil {
		return t.frame()
	}
	if id := p.Manifest.Special.BOS; id != nil {
		before = []int64{*id}
	}
	if id := p.Manifest.Special.EOS; id != nil {
		behind = []int64{*id}
	}
	return before, behind, nil
}

// hidden is the output of a model that embeddings are taken from, or that another model goes on from; empty: none.
func (p *Pack) hidden(model Model) string {
	if e := p.Manifest.Encoder; e != nil && e.File == model.File {
		return e.Output
	}
	if sub, _ := p.Manifest.model(Subclass); model.Role == Superclass {
		return sub.Trunk
	}
	return ""
}

// load takes a model from the shelf. It starts while the tokenizer and the trunk are still being loaded.
func (p *Pack) load(model Model, loadTokenizer func() (*tokenizer, error), loadTrunk func() (*session, error), threads int) (*session, func(), error) {
	classes, err := p.Manifest.classes(model)
	if err != nil {
		return nil, nil, err
	}
	m := p.Manifest
	special, err := json.Marshal(m.Special)
	if err != nil {
		return nil, nil, err
	}
	// All that makes a session what it is: packs which agree in it can share one.
	key := fmt.Sprint(model.SHA256, m.Tokenizer.SHA256, classes, string(special), m.Window.Tokens, p.hidden(model), threads)
	if model.Trunk != "" {
		trunk, _ := m.model(Superclass)
		key += fmt.Sprint(trunk.SHA256, trunk.Labels, m.LabelMap, model.Trunk)
	}
	return take(p.shelf, p.Dir, File{model.File, model.SHA256}, key, func(data []byte) (*session, error) {
		s, err := newSession(setup{model: data, classes: classes, hidden: p.hidden(model), trunk: model.Trunk, threads: threads})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrModel, err)
		}
		if model.Trunk != "" {
			if s.trunk, err = loadTrunk(); err != nil {
				s.close()
				return nil, err
			}
		}
		if err := p.try(s, loadTokenizer); err != nil {
			s.close()
			return nil, err
		}
		return s, nil
	})
}

// try runs a new session once.
func (p *Pack) try(s *session, loadTokenizer func() (*tokenizer, error)) error {
	t, err := loadTokenizer()
	if err != nil {
		return err
	}
	if s.before, s.behind, err = p.frame(t); err != nil {
		return err
	}
	if err := s.probe(probeWindow(p.Manifest.Window.Tokens, t.last)); err != nil {
		return fmt.Errorf("%w: %w", ErrModel, err)
	}
	return nil
}

// probeWindow is a window of the greatest length that holds the highest id.
func probeWindow(length int, last int64) []int64 { return slices.Repeat([]int64{last}, length) }

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

// Close gives back the models, which are freed unless another pack that was opened together with this one still uses
// them. It waits for windows that are being scored; later ones fail with ErrClosed.
func (p *Pack) Close() {
	p.closing.Do(func() {
		for _, release := range p.release {
			release()
		}
	})
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

// OpenAll opens packs side by side, in the order given. Files that several of them hold are loaded once. If one pack is
// faulty, none is left open.
func OpenAll(dirs []string, options Options) ([]*Pack, error) {
	on := newShelf()
	return openAll(dirs, func(dir string) (*Pack, error) { return open(on, dir, options) })
}

func openAll(dirs []string, open func(dir string) (*Pack, error)) ([]*Pack, error) {
	packs := make([]*Pack, len(dirs))
	group := errgroup.Group{}
	group.SetLimit(2) // loading holds a model in memory twice
	for i, dir := range dirs {
		group.Go(func() (err error) {
			packs[i], err = named(dir, open)
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
	debug.FreeOSMemory() // the bytes of the files, as much as the models themselves, are not needed any more
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
