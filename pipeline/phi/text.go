package phi

import (
	"fmt"
	"io"
	"log/slog"
)

// hidden is what a Text shows of itself, whatever prints it.
const hidden = "[phi]"

// Text is a string that may hold PHI. No way of printing, logging or encoding shows it; only Reveal does.
type Text struct{ s string }

// Hide wraps a string.
func Hide(s string) Text { return Text{s} }

// Reveal gives the string itself. Every call of it is a place where PHI can leave; keep them few.
func (t Text) Reveal() string { return t.s }

// Len gives the length in bytes.
func (t Text) Len() int { return len(t.s) }

// String answers [phi].
func (Text) String() string { return hidden }

// GoString answers [phi].
func (Text) GoString() string { return hidden }

// Format answers [phi] whatever the verb.
func (Text) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue answers [phi].
func (Text) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON answers "[phi]".
func (Text) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalText answers [phi].
func (Text) MarshalText() ([]byte, error) { return []byte(hidden), nil }
