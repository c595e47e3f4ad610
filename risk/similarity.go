package risk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
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

// Vectors never fails but for a context that ended.
func (l Lexical) Vectors(ctx context.Context, text string, spans []phi.Span) ([]Vector, error) {
	list := tokens(text, spans)
	features := make([]map[uint32]float32, len(list))
	vectors := make([]Vector, 0, len(spans))
	for _, w := range windows(list) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sum := map[uint32]float32{}
		for i := w.from; i < w.to; i++ {
			if features[i] == nil {
				features[i] = l.features(text, list[i], spans)
			}
			for f, x := range features[i] {
				sum[f] += x
			}
		}
		vectors = append(vectors, sparse(sum))
	}
	return vectors, nil
}

func (l Lexical) features(text string, t token, spans []phi.Span) map[uint32]float32 {
	if t.entity >= 0 {
		return map[uint32]float32{l.feature('e', spans[t.entity].Type.Category().String()): entityWeight}
	}
	word := strings.ToLower(text[t.start:t.end])
	m := map[uint32]float32{l.feature('w', word): wordWeight}
	runes := []rune("^" + word + "$")
	if len(runes) > 64 {
		runes = runes[:64] // a "word" of that length is noise; its beginning is enough
	}
	share := float32(trigramWeight) / float32(max(1, len(runes)-2))
	for i := 0; i+3 <= len(runes); i++ {
		m[l.feature('t', string(runes[i:i+3]))] += share
	}
	return m
}

func (l Lexical) feature(kind byte, s string) uint32 {
	if l.Key != nil {
		h := hmac.New(sha256.New, l.Key)
		h.Write([]byte{kind})
		h.Write([]byte(s))
		return binary.LittleEndian.Uint32(h.Sum(nil))
	}
	h := fnv.New64a()
	h.Write([]byte{kind})
	h.Write([]byte(s))
	x := h.Sum64()
	return uint32(x ^ x>>32)
}

func sparse(sum map[uint32]float32) Vector {
	v := Vector{Index: make([]uint32, 0, len(sum)), Value: make([]float32, 0, len(sum))}
	for f := range sum {
		v.Index = append(v.Index, f)
	}
	slices.Sort(v.Index)
	for _, f := range v.Index {
		v.Value = append(v.Value, sum[f])
	}
	return v.unit()
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
