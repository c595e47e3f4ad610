package risk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"hash/fnv"
	"slices"
	"strings"

	"fhirdeid/pipeline/phi"
)

// Similarity turns contexts into vectors whose cosine says how similar they are. It must be safe for concurrent use
// and give the same vectors for the same text.
type Similarity interface {
	// Method is the name and version, such as lexical-1. Only vectors of one method are compared.
	Method() string
	// Vectors gives one vector for each span; the spans are sorted and disjoint.
	Vectors(ctx context.Context, text string, spans []phi.Span) ([]Vector, error)
}

// Lexical compares contexts by their words and by the letter trigrams of those. Entities, whose surrogates say
// nothing, count as their category. With a Key the features are keyed hashes, so that stored vectors cannot be
// searched for words.
type Lexical struct{ Key []byte }

// Method says lexical-1, or lexical-1-keyed with a key.
func (l Lexical) Method() string {
	if l.Key != nil {
		return "lexical-1-keyed"
	}
	return "lexical-1"
}

// Weights of a word and of all its trigrams together: words carry the meaning, trigrams forgive inflection.
const (
	wordWeight    = 1
	trigramWeight = 0.5
	entityWeight  = 0.5
)

// Vectors never fails but for a context that ended. Its time is linear in the text and in the number of spans: the features
// of each different word are made once, and a context adds up those of its words.
func (l Lexical) Vectors(ctx context.Context, text string, spans []phi.Span) ([]Vector, error) {
	list := tokens(text, spans)
	ws := windows(list)
	maker := l.maker()
	features := make([][]feature, len(list))
	for _, w := range ws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := w.from; i < w.to; i++ {
			if features[i] == nil {
				features[i] = maker.token(text, list[i], spans)
			}
		}
	}
	ids := maker.rank()
	vectors := make([]Vector, 0, len(ws))
	sums := make([]float32, len(ids))
	in := make([]bool, len(ids))
	var touched []uint32
	for _, w := range ws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		touched = touched[:0]
		for i := w.from; i < w.to; i++ {
			for _, f := range features[i] {
				if !in[f.rank] {
					in[f.rank] = true
					touched = append(touched, f.rank)
				}
				sums[f.rank] += f.weight
			}
		}
		slices.Sort(touched)
		v := Vector{Index: make([]uint32, len(touched)), Value: make([]float32, len(touched))}
		for i, rank := range touched {
			v.Index[i], v.Value[i] = ids[rank], sums[rank]
			sums[rank], in[rank] = 0, false
		}
		vectors = append(vectors, v.unit())
	}
	return vectors, nil
}

// feature is one feature of a word. id says which; rank is its place among all of the text, once they are ranked.
type feature struct {
	id, rank uint32
	weight   float32
}

// featureMaker makes the features of the words of one text.
type featureMaker struct {
	mac   hash.Hash // nil: without a key
	words map[string][]feature
	kinds map[phi.Category][]feature
}

func (l Lexical) maker() *featureMaker {
	m := &featureMaker{words: map[string][]feature{}, kinds: map[phi.Category][]feature{}}
	if l.Key != nil {
		m.mac = hmac.New(sha256.New, l.Key)
	}
	return m
}

// token gives the features of a word or of an entity.
func (m *featureMaker) token(text string, t token, spans []phi.Span) []feature {
	if t.entity >= 0 {
		kind := spans[t.entity].Type.Category()
		if m.kinds[kind] == nil {
			m.kinds[kind] = []feature{{id: m.id('e', kind.String()), weight: entityWeight}}
		}
		return m.kinds[kind]
	}
	word := strings.ToLower(text[t.start:t.end])
	if m.words[word] == nil {
		m.words[word] = m.word(word)
	}
	return m.words[word]
}

func (m *featureMaker) word(word string) []feature {
	list := []feature{{id: m.id('w', word), weight: wordWeight}}
	add := func(id uint32, weight float32) {
		for i := range list {
			if list[i].id == id {
				list[i].weight += weight
				return
			}
		}
		list = append(list, feature{id: id, weight: weight})
	}
	runes := []rune("^" + word + "$")
	if len(runes) > 64 {
		runes = runes[:64] // a "word" of that length is noise; its beginning is enough
	}
	share := float32(trigramWeight) / float32(max(1, len(runes)-2))
	for i := 0; i+3 <= len(runes); i++ {
		add(m.id('t', string(runes[i:i+3])), share)
	}
	return list
}

func (m *featureMaker) id(kind byte, s string) uint32 {
	h := m.mac
	if h != nil {
		h.Reset()
		h.Write([]byte{kind})
		h.Write([]byte(s))
		return binary.LittleEndian.Uint32(h.Sum(nil))
	}
	f := fnv.New64a()
	f.Write([]byte{kind})
	f.Write([]byte(s))
	x := f.Sum64()
	return uint32(x ^ x>>32)
}

// rank puts all features in order and gives their ids.
func (m *featureMaker) rank() []uint32 {
	var ids []uint32
	each := func(visit func(*feature)) {
		for _, list := range m.words {
			for i := range list {
				visit(&list[i])
			}
		}
		for _, list := range m.kinds {
			for i := range list {
				visit(&list[i])
			}
		}
	}
	each(func(f *feature) { ids = append(ids, f.id) })
	slices.Sort(ids)
	ids = slices.Compact(ids)
	each(func(f *feature) {
		rank, _ := slices.BinarySearch(ids, f.id)
		f.rank = uint32(rank)
	})
	return ids
}

// Encoder is a model that turns windows of a text, given by byte offsets, into vectors of one length.
type Encoder interface {
	Embed(ctx context.Context, text string, windows [][2]int) ([][]float32, error)
}

// ErrEncoder says that an encoder gave another number of vectors than it was given windows.
var ErrEncoder = errors.New("encoder gave a wrong number of vectors")

// Embedding compares contexts by a model's encoder. The method should name the model and its version.
func Embedding(method string, e Encoder) Similarity { return embedding{method, e} }

type embedding struct {
	method  string
	encoder Encoder
}

func (e embedding) Method() string { return e.method }

func (e embedding) Vectors(ctx context.Context, text string, spans []phi.Span) ([]Vector, error) {
	if len(spans) == 0 {
		return nil, nil
	}
	dense, err := e.encoder.Embed(ctx, text, Windows(text, spans))
	if err != nil {
		return nil, err
	}
	if len(dense) != len(spans) {
		return nil, ErrEncoder
	}
	vectors := make([]Vector, len(dense))
	for i, d := range dense {
		vectors[i] = Vector{Value: d}
	}
	return vectors, nil
}
