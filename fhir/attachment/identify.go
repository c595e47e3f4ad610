package attachment

import (
	"bytes"
	"mime"
	"strings"
)

type format uint8

const (
	formatNone format = iota
	formatPlain
	formatHTML
	formatXHTML
	formatXML
	formatJSON
	formatRTF
	formatDOCX
	formatPDF
)

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

var formats = map[string]format{
	"text/plain":                formatPlain,
	"text/csv":                  formatPlain,
	"text/tab-separated-values": formatPlain,
	"text/markdown":             formatPlain,
	"text/html":                 formatHTML,
	"application/xhtml+xml":     formatXHTML,
	"text/xml":                  formatXML,
	"application/xml":           formatXML,
	"application/hl7-cda+xml":   formatXML,
	"application/hl7-sda+xml":   formatXML,
	"text/x-hl7-text+xml":       formatXML,
	"text/cda+xml":              formatXML,
	"application/json":          formatJSON,
	"text/json":                 formatJSON,
	"text/rtf":                  formatRTF,
	"application/rtf":           formatRTF,
	"text/richtext":             formatRTF,
	"application/x-rtf":         formatRTF,
	docxType:                    formatDOCX,
	"application/pdf":           formatPDF,
	"application/x-pdf":         formatPDF,
}

type identity struct {
	format  format
	media   string
	charset string
}

// identify settles what the content is: what its type says, when the bytes do not speak against it. Without a type,
// or with that of any bytes, only formats with a signature of their own are taken.
func identify(contentType string, data []byte) (identity, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		// Parameters are often malformed; the type before them counts.
		media, _, _ = strings.Cut(contentType, ";")
		media = strings.ToLower(strings.TrimSpace(media))
		params = nil
	}
	id := identity{media: media, charset: strings.ToLower(params["charset"])}
	seen, foreign := sniff(data)
	if foreign {
		if media == docxType && bytes.HasPrefix(data, ole) {
			return id, ErrEncrypted
		}
		return id, ErrUnsupported
	}
	if media == "" || media == "application/octet-stream" {
		switch seen {
		case formatPDF:
			id.format, id.media = seen, "application/pdf"
		case formatRTF:
			id.format, id.media = seen, "application/rtf"
		case formatDOCX:
			id.format, id.media = seen, docxType
		default:
			return id, ErrUnsupported
		}
		return id, nil
	}
	f, ok := formats[media]
	switch {
	case ok:
	case media == "image/svg+xml":
		return id, ErrUnsupported
	case strings.HasSuffix(media, "+xml"):
		f = formatXML
	case strings.HasSuffix(media, "+json"):
		f = formatJSON
	default:
		return id, ErrUnsupported
	}
	// Formats with a signature must show it, and no other may.
	switch f {
	case formatPDF, formatRTF, formatDOCX:
		if seen != f {
			return id, ErrUnsupported
		}
	case formatPlain:
		if seen != formatNone {
			return id, ErrUnsupported
		}
	case formatHTML, formatXHTML:
		if seen != formatNone && seen != formatHTML && seen != formatXML {
			return id, ErrUnsupported
		}
	case formatXML:
		if seen != formatNone && seen != formatXML && seen != formatHTML {
			return id, ErrUnsupported
		}
	case formatJSON:
		if seen != formatNone {
			return id, ErrUnsupported
		}
	}
	id.format = f
	return id, nil
}

var ole = []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")

// signatures of content that is never read.
var signatures = [][]byte{
	ole,
	[]byte("\x89PNG"), []byte("\xFF\xD8\xFF"), []byte("GIF87a"), []byte("GIF89a"), []byte("II*\x00"), []byte("MM\x00*"),
	[]byte("RIFF"), []byte("OggS"), []byte("ID3"), []byte("fLaC"), []byte("\x00\x00\x01\x00"),
	[]byte("\x1F\x8B"), []byte("BZh"), []byte("\xFD7zXZ"), []byte("7z\xBC\xAF\x27\x1C"), []byte("Rar!\x1A"), []byte("\x28\xB5\x2F\xFD"),
	[]byte("\x7FELF"), []byte("MZ\x90\x00"), []byte("%!PS"), []byte("\x1A\x45\xDF\xA3"), []byte("{\\urtf"),
}

// sniff says what the first bytes show. Foreign means a kind that is never read.
func sniff(data []byte) (seen format, foreign bool) {
	head := data[:min(len(data), 1024)]
	for _, s := range signatures {
		if bytes.HasPrefix(head, s) {
			return formatNone, true
		}
	}
	switch {
	case len(head) > 132 && string(head[128:132]) == "DICM",
		len(head) > 12 && string(head[4:8]) == "ftyp":
		return formatNone, true
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		if bytes.Contains(data, []byte("word/document.xml")) {
			return formatDOCX, false
		}
		return formatNone, true
	case bytes.HasPrefix(head, []byte("{\\rtf")):
		return formatRTF, false
	case bytes.Contains(head, []byte("%PDF-")):
		return formatPDF, false
	}
	// Text in UTF-16 shows its first letters with zeros between them.
	lean := bytes.TrimPrefix(bytes.ReplaceAll(head[:min(len(head), 512)], []byte{0}, nil), []byte{0xEF, 0xBB, 0xBF})
	lean = bytes.TrimPrefix(bytes.TrimPrefix(lean, []byte{0xFF, 0xFE}), []byte{0xFE, 0xFF})
	lean = bytes.ToLower(bytes.TrimLeft(lean, " \t\r\n"))
	switch {
	case bytes.HasPrefix(lean, []byte("<?xml")), bytes.HasPrefix(lean, []byte("<clinicaldocument")):
		return formatXML, false
	case bytes.HasPrefix(lean, []byte("<!doctype")), bytes.HasPrefix(lean, []byte("<html")), bytes.HasPrefix(lean, []byte("<div xmlns")):
		return formatHTML, false
	case bytes.HasPrefix(lean, []byte("{\\rtf")):
		return formatRTF, false
	}
	return formatNone, false
}
