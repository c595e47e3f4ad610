package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"mime"

	"fhirdeid/fhir"
	"fhirdeid/fhir/deidentify"
)

// worker de-identifies inputs by the same service that the server runs.
type worker struct {
	service *deidentify.Service
	people  *people
	request deidentify.Request
}

// output is a de-identified input.
type output struct {
	data        []byte
	extension   string
	results     []byte // NDJSON of Provenance, Device and Observations
	failedLines []failedLine
}

type failedLine struct {
	number int
	reason string
}

var (
	errKind     = errors.New("unsupported: the kind of file is not known")
	errNotFHIR  = errors.New("structure: not a FHIR R4 resource in JSON")
	errNothing  = errors.New("required: the file holds no resource")
	errNoResult = errors.New("exception: the result is not what went in")
)

// reasonOf says of an error what may be printed.
func reasonOf(err error) string {
	var d *deidentify.Error
	if errors.As(err, &d) {
		return d.Code + ": " + d.Error()
	}
	var f *fhir.Error
	if errors.As(err, &f) {
		return f.Error()
	}
	return err.Error()
}

// do de-identifies one input as a whole; of NDJSON, each line.
func (w worker) do(ctx context.Context, in input, data []byte) (output, error) {
	switch {
	case in.kind == ".ndjson" || in.fhir() && looksLikeLines(data):
		return w.lines(ctx, data)
	case in.fhir():
		resource, results, err := w.resource(ctx, data)
		return output{data: append(resource, '\n'), extension: ".json", results: results}, err
	}
	media := mediaTypes[in.kind]
	if media == "" {
		return output{}, errKind
	}
	return w.document(ctx, media, data)
}

// looksLikeLines tells NDJSON on standard input from one resource: a first line that is an object by itself.
func looksLikeLines(data []byte) bool {
	first, rest, found := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	if !found || len(bytes.TrimSpace(rest)) == 0 {
		return false
	}
	_, err := fhir.Decode(bytes.TrimSpace(first), fhir.Limits{})
	return err == nil
}

// resource de-identifies one FHIR resource.
func (w worker) resource(ctx context.Context, data []byte) (resource, results []byte, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	node, err := fhir.Decode(bytes.TrimSpace(data), fhir.Limits{})
	if err != nil {
		return nil, nil, err
	}
	if node.ResourceType() == "" {
		return nil, nil, errNotFHIR
	}
	wrapped, unwrap := w.people.with(node)
	req := w.request
	req.Resource = wrapped
	result, err := w.service.Deidentify(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	out := unwrap(result.Resource)
	if out == nil {
		return nil, nil, errNoResult
	}
	return out.Encode(), resultLines(result), nil
}

// lines de-identifies NDJSON; a line that fails is left out and listed.
func (w worker) lines(ctx context.Context, data []byte) (output, error) {
	out := output{extension: ".ndjson"}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		resource, results, err := w.resource(ctx, line)
		if ctx.Err() != nil {
			return output{}, ctx.Err()
		}
		if err != nil {
			out.failedLines = append(out.failedLines, failedLine{number, reasonOf(err)})
			continue
		}
		out.data = append(append(out.data, resource...), '\n')
		out.results = append(out.results, results...)
	}
	if len(out.data) == 0 && len(out.failedLines) == 0 {
		return output{}, errNothing
	}
	return out, nil
}

// document de-identifies a file that is no FHIR, as the attachment of a DocumentReference.
func (w worker) document(ctx context.Context, media string, data []byte) (output, error) {
	node := fhir.NewResource("DocumentReference", "status", fhir.NewString("current"),
		"content", fhir.NewArray(fhir.NewObject("attachment", fhir.NewObject(
			"contentType", fhir.NewString(media), "data", fhir.NewString(base64.StdEncoding.EncodeToString(data)),
		))))
	if p := w.people.only(); p != "" {
		node.SetAfter("status", "subject", fhir.NewObject("reference", fhir.NewString(p)))
	}
	wrapped, unwrap := w.people.with(node)
	req := w.request
	req.Resource = wrapped
	result, err := w.service.Deidentify(ctx, req)
	if err != nil {
		return output{}, err
	}
	attachment := unwrap(result.Resource).Get("content").Item(0).Get("attachment")
	text, ok := attachment.Get("data").Str()
	if !ok {
		return output{}, deidentifyUnsupported
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return output{}, errNoResult
	}
	return output{data: content, extension: extensionOf(attachment.Text("contentType"), media), results: resultLines(result)}, nil
}

var deidentifyUnsupported = &deidentify.Error{Kind: deidentify.ErrUnsupported, Code: "not-supported", Diagnostics: "the content was removed"}

// extensionOf gives the extension of what came out: a PDF may come out as text.
func extensionOf(contentType, asked string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = asked
	}
	for _, ext := range []string{".txt", ".html", ".xhtml", ".rtf", ".pdf", ".xml", ".docx"} {
		if mediaTypes[ext] == media {
			return ext
		}
	}
	return ".txt"
}

func resultLines(r *deidentify.Result) []byte {
	var out []byte
	add := func(n *fhir.Node) {
		if n != nil {
			out = append(n.AppendJSON(out), '\n')
		}
	}
	add(r.Device)
	for _, p := range r.Provenance {
		add(p)
	}
	for _, o := range r.Observations {
		add(o)
	}
	return out
}
