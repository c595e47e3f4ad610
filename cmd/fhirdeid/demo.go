package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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

// demoTitles say whose documents are shown.
var demoTitles = map[string]string{"de": "A German patient", "en": "An English-speaking patient"}

// demoKinds name the formats.
var demoKinds = map[string]string{".txt": "plain text", ".pdf": "PDF", ".rtf": "RTF", ".docx": "Word", ".xml": "CDA"}

func (a *app) demo(ctx context.Context, out string) error {
	data, err := os.MkdirTemp("", "fhirdeid-demo-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(data) }()
	cfg, err := a.config(map[string]any{"data_dir": data, "context": "demo"})
	if err != nil {
		return err
	}
	rt, err := a.program(ctx, cfg, programOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = rt.Close() }()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	d := demoPrinter{newColumns(a.stdout), out}
	d.say("fhirdeid de-identifies FHIR resources and the documents in them. Here two invented patients, each a Bundle of a Patient and",
		"five documents. Left what went in, right what came out: names, addresses and numbers have become others of the same kind,",
		"one and the same wherever they stand, and all dates of a patient have moved by the same hidden number of days.")
	started := time.Now()
	for _, language := range []string{"de", "en"} {
		if err := d.patient(ctx, rt, language); err != nil {
			return fmt.Errorf("demo %s: %w", language, err)
		}
	}
	d.heading("Done")
	d.say(fmt.Sprintf("%d documents of 2 patients in %.1f s. In %s: the Bundles before and after, and each document as it came out.",
		len(demoDocuments["de"])+len(demoDocuments["en"]), time.Since(started).Seconds(), out))
	d.say("No tool guarantees complete removal: review samples before data leaves the hospital.")
	return nil
}

// demoPrinter shows patients and keeps their files.
type demoPrinter struct {
	columns
	out string
}

func (d demoPrinter) patient(ctx context.Context, rt *program, language string) error {
	bundle, err := demoBundle(language)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.out, language+"-before.json"), bundle.EncodeIndent("  "), 0o644); err != nil {
		return err
	}
	result, err := rt.service.Deidentify(ctx, deidentify.Request{
		Resource: bundle, IncludeProvenance: true, IncludeRisk: true, Trusted: true,
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.out, language+"-after.json"), result.Resource.EncodeIndent("  "), 0o644); err != nil {
		return err
	}
	before, after := attachments(bundle), attachments(result.Resource)
	if len(before) != len(after) {
		return errors.New("the answer has another number of attachments")
	}
	d.heading(demoTitles[language])
	d.sideBySide("Patient", patientSummary(find(bundle, "Patient")), patientSummary(find(result.Resource, "Patient")))
	for i, name := range demoDocuments[language] {
		left, err := textOf(ctx, before[i])
		if err != nil {
			return err
		}
		right, err := textOf(ctx, after[i])
		if err != nil {
			return err
		}
		d.sideBySide(name+" ("+demoKinds[filepath.Ext(name)]+")", left, right)
		file := filepath.Join(d.out, fmt.Sprintf("%s-after-%d%s", language, i+1, filepath.Ext(name)))
		if err := os.WriteFile(file, after[i].data, 0o644); err != nil {
			return err
		}
	}
	d.provenance(result)
	d.risk(result, demoDocuments[language], after)
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
	id          string // of the DocumentReference
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
			list = append(list, demoAttachment{e.Get("resource").Text("id"), at.Text("contentType"), data})
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

// provenance prints who did what to what, as the Provenance has it.
func (d demoPrinter) provenance(result *deidentify.Result) {
	for _, p := range result.Provenance {
		kinds := map[string]int{}
		for _, t := range p.Get("target").Items() {
			kind, _, _ := strings.Cut(t.Text("reference"), "/")
			kinds[kind]++
		}
		var versions []string
		for _, v := range result.Device.Get("version").Items() {
			versions = append(versions, v.Text("type", "text")+" "+v.Text("value"))
		}
		activity := p.Get("activity").Get("coding").Item(0)
		policy, _ := p.Get("policy").Item(0).Str()
		d.table("Provenance "+shorten(p.Text("id")), [][]string{
			{"activity", activity.Text("code") + " (" + activity.Text("display") + "), " + p.Text("recorded")},
			{"agent", "Device " + result.Device.Get("deviceName").Item(0).Text("name") + ": " + strings.Join(versions, ", ")},
			{"policy", policy},
			{"target", counted(kinds)},
			{"source", fmt.Sprintf("%d, each named by a keyed hash only", p.Get("entity").Len())},
		})
	}
}

// risk prints the risk Observations as a table, a document a line.
func (d demoPrinter) risk(result *deidentify.Result, names []string, documents []demoAttachment) {
	rows := [][]string{{"document", "risk", "level", "missed?", "quasi-ids", "known ids left", "replaced"}}
	note := ""
	for i, doc := range documents {
		for _, o := range result.Observations {
			if !strings.HasSuffix(o.Get("focus").Item(0).Text("reference"), "/"+doc.id) {
				continue
			}
			values, replaced := map[string]string{}, map[string]int{}
			for _, c := range o.Get("component").Items() {
				code := c.Get("code").Get("coding").Item(0).Text("code")
				values[code] = valueOf(c)
				if entity, ok := strings.CutPrefix(code, "count-"); ok {
					category, _, _ := strings.Cut(entity, "_")
					n, _ := strconv.Atoi(values[code])
					replaced[category] += n
				}
			}
			note = o.Get("note").Item(0).Text("text")
			rows = append(rows, []string{
				names[i], values["joint-score"], values["level"], values["leak-probability"], values["quasi-identifiers"], values["leak-gate"], counted(replaced),
			})
		}
	}
	d.table("Risk of re-identification, an Observation for each document", rows)
	d.say("risk: joint probability; missed?: that an identifier was missed; quasi-ids: kinds of what may tell a person in combination.", note)
	for _, warning := range result.Warnings {
		place := warning.Expression
		for i, name := range names {
			if strings.HasPrefix(place, fmt.Sprintf("Bundle.entry[%d].", i+1)) {
				place = name
			}
		}
		d.say(strings.TrimSpace("Note: " + strings.TrimPrefix(place+": ", ": ") + warning.Text))
	}
}

// valueOf gives the value of a component as text; percentages rounded.
func valueOf(c *fhir.Node) string {
	if q := c.Get("valueQuantity"); q != nil {
		number, _ := q.Get("value").Num()
		if f, err := strconv.ParseFloat(number, 64); err == nil && q.Text("unit") == "%" {
			return fmt.Sprintf("%.0f %%", f)
		}
		return number
	}
	if n, ok := c.Get("valueInteger").Num(); ok {
		return n
	}
	return c.Text("valueString")
}

// counted lists what there is how often, the most frequent first.
func counted(kinds map[string]int) string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", kinds[name], name)
	}
	return strings.Join(names, ", ")
}

func shorten(reference string) string {
	return reference[:min(len(reference), 8)]
}
