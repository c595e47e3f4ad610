package fhir

import (
	"mime"
	"regexp"
	"slices"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// CodeSet is what a coded element may hold: a list of codes, or a form narrow enough to carry nothing else.
type CodeSet struct {
	codes map[string]struct{}
	check func(string) bool
}

func newCodeSet(codes []string) *CodeSet {
	s := &CodeSet{codes: make(map[string]struct{}, len(codes))}
	for _, c := range codes {
		s.codes[c] = struct{}{}
	}
	return s
}

// Has says whether the code belongs to the set. A nil set has none.
func (s *CodeSet) Has(code string) bool {
	switch {
	case s == nil:
		return false
	case s.check != nil:
		return s.check(code)
	}
	_, ok := s.codes[code]
	return ok
}

// Codes lists the codes in order; nil where the set is a form.
func (s *CodeSet) Codes() []string {
	if s == nil || s.codes == nil {
		return nil
	}
	list := make([]string, 0, len(s.codes))
	for c := range s.codes {
		list = append(list, c)
	}
	slices.Sort(list)
	return list
}

var (
	languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)
	currency    = regexp.MustCompile(`^[A-Z]{3}$`)
)

// patternSets are the code sets whose values are too many for a list.
var patternSets = map[string]*CodeSet{
	"@language":   {check: languageTag.MatchString},
	"@currency":   {check: currency.MatchString},
	"@mime":       {check: isMediaType},
	"@expression": newCodeSet([]string{"text/cql", "text/fhirpath", "application/x-fhir-query"}),
}

// isMediaType knows the media types that occur in FHIR, with the parameters that are usual there.
func isMediaType(s string) bool {
	if len(s) > 120 {
		return false
	}
	base, parameters, err := mime.ParseMediaType(s)
	if err != nil || !slices.Contains(mediaTypes, base) {
		return false
	}
	for name, value := range parameters {
		switch name {
		case "charset":
			if enc, err := ianaindex.MIME.Encoding(value); (err != nil || enc == nil) && !webCharset(value) {
				return false
			}
		case "version", "fhirversion":
			if !slices.Contains([]string{"1.0", "2.0", "3.0", "4.0", "4.0.1"}, value) {
				return false
			}
		case "format":
			if value != "flowed" && value != "fixed" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// webCharset knows the short names that browsers know, such as utf8 and latin1.
func webCharset(name string) bool {
	_, err := htmlindex.Get(name)
	return err == nil
}

var mediaTypes = []string{
	"application/cda+xml", "application/dicom", "application/dicom+json", "application/fhir+json", "application/fhir+xml",
	"application/fhir+ndjson", "application/fhir+turtle", "application/gzip", "application/hl7-cda+xml",
	"application/hl7-sda+xml", "application/hl7-v2", "application/hl7-v2+xml", "application/jose", "application/json",
	"application/json-patch+json", "application/msword", "application/ndjson", "application/octet-stream",
	"application/ogg", "application/pdf", "application/pkcs7-mime", "application/pkcs7-signature", "application/rtf",
	"application/vnd.ms-excel", "application/vnd.ms-outlook", "application/vnd.ms-powerpoint",
	"application/vnd.oasis.opendocument.text",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/x-fhir-query",
	"application/x-hl7-cda-level-one+xml", "application/x-zip-compressed", "application/xhtml+xml", "application/xml",
	"application/zip", "audio/aac", "audio/basic", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm",
	"audio/x-wav", "image/bmp", "image/gif", "image/jp2", "image/jpeg", "image/png", "image/svg+xml", "image/tiff",
	"image/webp", "message/rfc822", "multipart/related", "text/cql", "text/csv", "text/fhirpath", "text/html",
	"text/markdown", "text/plain", "text/richtext", "text/rtf", "text/turtle", "text/xml", "text/x-hl7-ft",
	"text/x-hl7-text+xml", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/webm",
}
