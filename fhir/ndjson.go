package fhir

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// Line is one line of newline delimited JSON: a resource, or why it could not be read.
type Line struct {
	Number   int // from 1
	Resource *Node
	Err      error
}

// Lines reads newline delimited JSON, one resource a line; empty lines are passed over. A line that cannot be read does not
// end the sequence, except one longer than the limit of bytes, or an error of the reader itself.
func Lines(r io.Reader, limits Limits) iter.Seq[Line] {
	limits = limits.withDefaults()
	return func(yield func(Line) bool) {
		scan := bufio.NewScanner(r)
		scan.Buffer(make([]byte, 0, min(64<<10, limits.Bytes)), limits.Bytes+2)
		number := 0
		for scan.Scan() {
			number++
			data := bytes.TrimSpace(scan.Bytes())
			if len(data) == 0 {
				continue
			}
			n, err := DecodeResource(data, limits)
			if !yield(Line{number, n, err}) {
				return
			}
		}
		switch err := scan.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(Line{Number: number + 1, Err: &Error{Code: IssueTooLong, Detail: "a line is longer than the limit"}})
		case err != nil:
			yield(Line{Number: number + 1, Err: err})
		}
	}
}
