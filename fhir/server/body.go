package server

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

// The outcomes of reading a body other than success.
var (
	errTooLarge = errors.New("body is larger than the limit")
	errEncoding = errors.New("content encoding is not supported")
	errMedia    = errors.New("media type is not supported")
	errBody     = errors.New("body could not be read")
)

// readBody reads a body of JSON, gzip encoded or not. The limit holds for what was sent and for what it unpacks to.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	if err := checkMedia(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	if r.ContentLength > limit {
		return nil, errTooLarge
	}
	raw, err := readAll(r.Body, limit)
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
		defer z.Close()
		return readAll(z, limit)
	}
	return nil, errEncoding
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge), int64(len(data)) > limit:
		return nil, errTooLarge
	case err != nil:
		return nil, errBody
	}
	return data, nil
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
