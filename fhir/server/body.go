package server

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
)

// The outcomes of reading a body other than success.
var (
	errTooLarge = errors.New("body is larger than the limit")
	errEncoding = errors.New("content encoding is not supported")
	errMedia    = errors.New("media type is not supported")
	errBody     = errors.New("body could not be read")
	errSlow     = errors.New("body did not arrive in time")
)

// readBody reads a body of JSON, gzip encoded or not. The limit holds for what was sent and for what it unpacks to; both
// are charged to the share.
func readBody(r *http.Request, limit int64, held *share) ([]byte, error) {
	if err := checkMedia(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	if r.ContentLength > limit {
		return nil, errTooLarge
	}
	raw, err := readAll(r.Body, limit, held)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return raw, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, errBody
		}
		defer func() { _ = z.Close() }()
		return readAll(z, limit, held)
	}
	return nil, errEncoding
}

func readAll(r io.Reader, limit int64, held *share) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(charged{r, held}, limit+1))
	switch {
	case int64(len(data)) > limit:
		return nil, errTooLarge
	case errors.Is(err, errBusy):
		return nil, errBusy
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errSlow
	case err != nil:
		return nil, errBody
	}
	return data, nil
}

// charged takes what is read out of a share.
type charged struct {
	io.Reader
	held *share
}

func (c charged) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if cerr := c.held.take(int64(n)); cerr != nil {
		return 0, cerr
	}
	return n, err
}

// pacedBody gives a body time as it makes progress: a client that sends little or nothing is cut off long before one that
// sends much. It also remembers whether the body was read to its end.
type pacedBody struct {
	io.ReadCloser
	deadline func(time.Time) error // sets that of the connection
	start    time.Time
	limits   Limits
	read     int64
	ended    bool
}

func (b *pacedBody) Read(p []byte) (int, error) {
	allowed := b.limits.BodyGrace
	if b.limits.BodyRate > 0 {
		allowed += time.Duration(float64(b.read) / float64(b.limits.BodyRate) * float64(time.Second))
	}
	if b.limits.BodyTime > 0 {
		allowed = min(allowed, b.limits.BodyTime)
	}
	if allowed > 0 {
		_ = b.deadline(b.start.Add(allowed)) // a connection without deadlines is one of a test
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

// What is read of a body that was refused, so that the client, still sending, gets to read why: closing on it at once
// would reset the connection, and the answer with it.
const (
	lingerBytes = 8 << 20
	lingerTime  = 2 * time.Second
	// net/http itself reads up to this much, where it keeps the connection.
	shortBody = 256 << 10
)

// unread says whether more of a body is to come than net/http reads by itself.
func unread(r *http.Request) (*pacedBody, bool) {
	b, ok := r.Body.(*pacedBody)
	if !ok || b.ended || r.ContentLength == b.read || !r.Close && r.ContentLength >= 0 && r.ContentLength-b.read <= shortBody {
		return nil, false
	}
	// Who waits to be asked for the body does not send it.
	return b, b.read > 0 || !strings.EqualFold(r.Header.Get("Expect"), "100-continue")
}

// linger reads on after a refusal.
func (b *pacedBody) linger() {
	_ = b.deadline(time.Now().Add(lingerTime))
	_, _ = io.CopyN(io.Discard, b.ReadCloser, lingerBytes)
}

// checkMedia accepts FHIR R4 JSON under its names; XML, other FHIR versions and everything else are refused.
func checkMedia(contentType string) error {
	if contentType == "" {
		return errMedia
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return errMedia
	}
	switch media {
	case "application/fhir+json", "application/json", "application/json+fhir", "text/json":
	default:
		return errMedia
	}
	if v, ok := params["fhirversion"]; ok && v != "4.0" && v != "4.0.1" && v != "4" {
		return errMedia
	}
	if c, ok := params["charset"]; ok && !strings.EqualFold(c, "utf-8") {
		return errMedia
	}
	return nil
}

// acceptable says whether JSON may be answered, as the Accept header and the _format parameter have it.
func acceptable(r *http.Request) bool {
	if format := r.URL.Query().Get("_format"); format != "" {
		return jsonName(strings.ReplaceAll(format, " ", "+")) // an unescaped plus arrives as a space
	}
	headers := r.Header.Values("Accept")
	if len(headers) == 0 {
		return true
	}
	for _, part := range strings.Split(strings.Join(headers, ","), ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil || params["q"] == "0" || params["q"] == "0.0" {
			continue
		}
		if v, ok := params["fhirversion"]; ok && v != "4.0" && v != "4.0.1" && v != "4" {
			continue
		}
		if media == "*/*" || media == "application/*" || jsonName(media) {
			return true
		}
	}
	return false
}

func jsonName(name string) bool {
	switch name {
	case "json", "application/json", "application/fhir+json", "application/json+fhir", "text/json":
		return true
	}
	return false
}
