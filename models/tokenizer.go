package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/daulet/tokenizers"

	"fhirdeid/pipeline/ner"
)

// ErrTokenizer says that a tokenizer cannot be used.
var ErrTokenizer = errors.New("tokenizer")

// tokenizer cuts texts into tokens by a tokenizer.json. It is safe for concurrent use; close waits for users.
type tokenizer struct {
	mu    sync.RWMutex
	inner *tokenizers.Tokenizer
	last  int64 // the highest id
}

func newTokenizer(data []byte) (*tokenizer, error) {
	data, err := unbounded(data)
	if err != nil {
		return nil, err
	}
	// What looks like a special token in a text is text.
	inner, err := tokenizers.FromBytes(data, tokenizers.WithEncodeSpecialTokens())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTokenizer, err)
	}
	// Counting the vocabulary copies it: once is enough.
	return &tokenizer{inner: inner, last: int64(inner.VocabSize()) - 1}, nil
}

// unbounded takes truncation and padding out of a tokenizer.json: a tokenizer that cuts its input would let the rest
// of a text pass unread.
func unbounded(data []byte) ([]byte, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return nil, fmt.Errorf("%w: no well-formed JSON", ErrTokenizer)
	}
	changed := false
	for _, name := range []string{"truncation", "padding"} {
		if value, ok := parts[name]; ok && string(value) != "null" {
			parts[name] = json.RawMessage("null")
			changed = true
		}
	}
	if !changed {
		return data, nil
	}
	return json.Marshal(parts)
}

// Tokenize gives the tokens of a text with their byte offsets.
func (t *tokenizer) Tokenize(text string) ([]ner.Token, error) {
	// The text goes to the library as a C string, which a NUL would end.
	text = strings.ReplaceAll(text, "\x00", " ")
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.inner == nil {
		return nil, ErrClosed
	}
	encoding := t.inner.EncodeWithOptions(text, false, tokenizers.WithReturnOffsets())
	if len(encoding.IDs) != len(encoding.Offsets) {
		return nil, ErrTokenizer
	}
	if len(encoding.IDs) == 0 && strings.ContainsFunc(text, visible) {
		return nil, fmt.Errorf("%w: no tokens for a text with words", ErrTokenizer)
	}
	tokens := make([]ner.Token, len(encoding.IDs))
	for i, id := range encoding.IDs {
		start, end := int(encoding.Offsets[i][0]), int(encoding.Offsets[i][1])
		if start < 0 || start > end || end > len(text) {
			return nil, fmt.Errorf("%w: an offset lies outside of the text", ErrTokenizer)
		}
		// Some tokenizers count the space before a word as a part of it.
		for start < end && (text[start] == ' ' || text[start] == '\n' && end-start > 1) {
			start++
		}
		tokens[i] = ner.Token{ID: int64(id), Start: start, End: end}
	}
	return tokens, nil
}

func visible(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' }

// frame gives the ids that the tokenizer itself puts before and behind a text.
func (t *tokenizer) frame() (before, behind []int64, err error) {
	bare, _ := t.inner.Encode("a", false)
	full, _ := t.inner.Encode("a", true)
	for i := 0; i+len(bare) <= len(full); i++ {
		if slices.Equal(full[i:i+len(bare)], bare) {
			return wide(full[:i]), wide(full[i+len(bare):]), nil
		}
	}
	return nil, nil, fmt.Errorf("%w: its special tokens are unclear; name them in the manifest", ErrTokenizer)
}

func wide(ids []uint32) []int64 {
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	return out
}

func (t *tokenizer) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inner != nil {
		_ = t.inner.Close()
		t.inner = nil
	}
}
