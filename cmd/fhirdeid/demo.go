package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"fhirdeid/fhir"
	"fhirdeid/fhir/attachment"
	"fhirdeid/fhir/deidentify"
	"fhirdeid/testdata/demo"
)

func newDemo(a *app) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "demo",
		Short: "De-identify two bundled patients and show before, after, Provenance and risk",
		Long:  "Needs no configuration, no key of its own and no network. Files are left in the output folder.",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), out) },
	}
	c.Flags().StringVarP(&out, "out", "o", "demo-out", "folder for the files")
	return c
}

// demoDocuments are the files of a patient, in the order in which they are shown.
var demoDocuments = map[string][]string{
	"de": {"brief.txt", "befund.pdf", "notiz.rtf", "physio.docx", "cda.xml"},
	"en": {"letter.txt", "report.pdf", "note.rtf", "physio.docx", "cda.xml"},
}

func (a *app) demo(ctx context.Context, out string) error {
	data, err := os.MkdirTemp("", "fhirdeid-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	cfg, err := a.config(map[string]any{"data_dir": data, "context": "demo"})
	if err != nil {
		return err
	}
	rt, err := a.program(ctx, cfg, programOptions{})
	if err != nil {
		return err
	}
	defer rt.Close()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	started := time.Now()
	for _, language := range []string{"de", "en"} {
		if err := a.demoPatient(ctx, rt, language, out); err != nil {
			return fmt.Errorf("demo %s: %w", language, err)
		}
	}
	fmt.Fprintf(a.stdout, "\n%d documents of 2 patients in %.1f s. Input, output and extracted files: %s\n",
		len(demoDocuments["de"])+len(demoDocuments["en"]), time.Since(started).Seconds(), out)
	fmt.Fprintln(a.stdout, "No tool guarantees complete removal: review samples before data leaves the hospital.")
	return nil
}

func (a *app) demoPatient(ctx context.Context, rt *program, language, out string) error {
	bundle, err := demoBundle(language)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, language+"-before.json"), bundle.EncodeIndent("  "), 0o644); err != nil {
		return err
	}
	result, err := rt.service.Deidentify(ctx, deidentify.Request{
		Resource: bundle, IncludeProvenance: true, IncludeRisk: true, Trusted: true,
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, language+"-after.json"), result.Resource.EncodeIndent("  "), 0o644); err != nil {
		return err
	}
	before, after := attachments(bundle), attachments(result.Resource)
	if len(before) != len(after) {
		return errors.New("the answer has another number of attachments")
	}
	color := isTerminal(a.stdout)
	sideBySide(a.stdout, "Patient, before", "Patient, after", patientSummary(find(bundle, "Patient")), patientSummary(find(result.Resource, "Patient")), color)
	for i, name := range demoDocuments[language] {
		left, err := textOf(ctx, before[i])
		if err != nil {
			return err
		}
		right, err := textOf(ctx, after[i])
		if err != nil {
			return err
		}
		sideBySide(a.stdout, name+", before", name+", after", left, right, color)
		file := filepath.Join(out, fmt.Sprintf("%s-after-%d%s", language, i+1, filepath.Ext(name)))
		if err := os.WriteFile(file, after[i].data, 0o644); err != nil {
			return err
		}
	}
	demoProvenance(a.stdout, result)
	demoRisk(a.stdout, result)
	return nil
}

// demoBundle packs a patient's files the way a document server would send them.
func demoBundle(language string) (*fhir.Node, error) {
	data, err := demo.Files.ReadFile(language + "/patient.json")
	if err != nil {
		return nil, err
	}
	patient, err := fhir.Decode(data, fhir.Limits{})
	if err != nil {
		return nil, err
	}
	reference := "Patient/" + patient.Text("id")
	entries := []*fhir.Node{entryOf(patient)}
	for i, name := range demoDocuments[language] {
		content, err := demo.Files.ReadFile(language + "/" + name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entryOf(fhir.NewResource("DocumentReference",
			"id", fhir.NewString(fmt.Sprintf("doc-%s-%d", language, i+1)),
			"status", fhir.NewString("current"),
			"subject", fhir.NewObject("reference", fhir.NewString(reference)),
			"date", fhir.NewString("2021-03-17T09:00:00+01:00"),
			"content", fhir.NewArray(fhir.NewObject("attachment", fhir.NewObject(
				"contentType", fhir.NewString(mediaTypes[filepath.Ext(name)]),
				"language", fhir.NewString(language),
				"data", fhir.NewString(base64.StdEncoding.EncodeToString(content)),
			))),
		)))
	}
	return fhir.NewResource("Bundle", "type", fhir.NewString("collection"), "entry", fhir.NewArray(entries...)), nil
}

func entryOf(resource *fhir.Node) *fhir.Node { return fhir.NewObject("resource", resource) }

type demoAttachment struct {
	contentType string
	data        []byte
}

// attachments lists the attachments of a Bundle's DocumentReferences.
func attachments(bundle *fhir.Node) []demoAttachment {
	var list []demoAttachment
	for _, e := range bundle.Get("entry").Items() {
		if e.Get("resource").ResourceType() != "DocumentReference" {
			continue
		}
		for _, c := range e.Get("resource").Get("content").Items() {
			at := c.Get("attachment")
			data, _ := base64.StdEncoding.DecodeString(at.Text("data"))
			list = append(list, demoAttachment{at.Text("contentType"), data})
		}
	}
	return list
}

func textOf(ctx context.Context, at demoAttachment) (string, error) {
	doc, err := attachment.Decode(ctx, at.contentType, at.data, attachment.Limits{})
	if err != nil {
		return "", err
	}
	return doc.Text(), nil
}

func find(bundle *fhir.Node, resourceType string) *fhir.Node {
	for _, e := range bundle.Get("entry").Items() {
		if r := e.Get("resource"); r.ResourceType() == resourceType {
			return r
		}
	}
	return nil
}

func patientSummary(p *fhir.Node) string {
	var b strings.Builder
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s %s\n", label, value)
		}
	}
	name := p.Get("name").Item(0)
	var given []string
	for _, g := range name.Get("given").Items() {
		s, _ := g.Str()
		given = append(given, s)
	}
	address := p.Get("address").Item(0)
	street := ""
	if s, ok := address.Get("line").Item(0).Str(); ok {
		street = s
	}
	line("id:", p.Text("id"))
	line("name:", strings.Join(given, " ")+" "+name.Text("family"))
	line("born:", p.Text("birthDate"))
	line("address:", strings.TrimSpace(street+", "+address.Text("postalCode")+" "+address.Text("city")))
	for _, t := range p.Get("telecom").Items() {
		line(t.Text("system")+":", t.Text("value"))
	}
	for _, i := range p.Get("identifier").Items() {
		line("identifier:", i.Text("value"))
	}
	return b.String()
}

// columnWidth is that of one of the two columns.
const columnWidth = 64

// sideBySide prints two texts in columns; lines that differ are marked.
func sideBySide(w io.Writer, leftTitle, rightTitle, left, right string, color bool) {
	fmt.Fprintf(w, "\n%s | %s\n%s-+-%s\n", pad(leftTitle), rightTitle, strings.Repeat("-", columnWidth), strings.Repeat("-", columnWidth))
	l, r := strings.Split(strings.TrimRight(left, "\n"), "\n"), strings.Split(strings.TrimRight(right, "\n"), "\n")
	for i := range max(len(l), len(r)) {
		lw, rw := wrap(at(l, i)), wrap(at(r, i))
		for j := range max(len(lw), len(rw)) {
			a, b, mark := at(lw, j), at(rw, j), "|"
			if at(l, i) != at(r, i) {
				mark = "»"
				if color {
					b = "\x1b[32m" + b + "\x1b[0m"
				}
			}
			fmt.Fprintf(w, "%s %s %s\n", pad(a), mark, b)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return strings.ReplaceAll(lines[i], "\t", "    ")
	}
	return ""
}

func pad(s string) string {
	return s + strings.Repeat(" ", max(0, columnWidth-utf8.RuneCountInString(s)))
}

func wrap(s string) []string {
	var lines []string
	for utf8.RuneCountInString(s) > columnWidth {
		runes := []rune(s)
		cut := columnWidth
		for i := columnWidth; i > columnWidth/2; i-- {
			if runes[i] == ' ' {
				cut = i
				break
			}
		}
		lines = append(lines, string(runes[:cut]))
		s = strings.TrimLeft(string(runes[cut:]), " ")
	}
	return append(lines, s)
}

func demoProvenance(w io.Writer, result *deidentify.Result) {
	for _, p := range result.Provenance {
		var targets []string
		for _, t := range p.Get("target").Items() {
			targets = append(targets, shorten(t.Text("reference")))
		}
		fmt.Fprintf(w, "\nProvenance %s: activity %s, agent %s, targets %s\n", shorten(p.Text("id")),
			p.Get("activity").Get("coding").Item(0).Text("code"), shorten(p.Get("agent").Item(0).Text("who", "reference")), strings.Join(targets, " "))
		break // one stands for all in the terminal; the file has them all
	}
	fmt.Fprintf(w, "%d Provenance in all; %d warnings\n", len(result.Provenance), len(result.Warnings))
	for _, warning := range result.Warnings {
		fmt.Fprintf(w, "  warning %s: %s %s\n", warning.Code, warning.Text, warning.Expression)
	}
}

func demoRisk(w io.Writer, result *deidentify.Result) {
	for _, o := range result.Observations {
		fmt.Fprintf(w, "Risk of %s:", shorten(o.Get("focus").Item(0).Text("reference")))
		for _, c := range o.Get("component").Items() {
			code := c.Get("code").Get("coding").Item(0).Text("code")
			switch {
			case !c.Get("valueQuantity").IsNull():
				value, _ := c.Get("valueQuantity").Get("value").Num()
				fmt.Fprintf(w, " %s=%s", code, value)
			case !c.Get("valueInteger").IsNull():
				value, _ := c.Get("valueInteger").Num()
				fmt.Fprintf(w, " %s=%s", code, value)
			case !c.Get("valueBoolean").IsNull():
				value, _ := c.Get("valueBoolean").Bool()
				fmt.Fprintf(w, " %s=%v", code, value)
			}
		}
		fmt.Fprintln(w)
	}
}

func shorten(reference string) string {
	reference = strings.TrimPrefix(reference, "urn:uuid:")
	if head, id, ok := strings.Cut(reference, "/"); ok && len(id) > 8 {
		return head + "/" + id[:8]
	}
	return reference[:min(len(reference), 8)]
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd()))
}
