package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fhirdeid/pipeline"
	"fhirdeid/pipeline/eval"
	"fhirdeid/pipeline/phi"
)

const evalInline = `=== n1 | de | Befund | Bonn
Frau <NAME_PATIENT>Meier</NAME_PATIENT> aus <LOCATION_CITY>Bonn</LOCATION_CITY>, geb. <DATE_BIRTHDATE>12.03.1948</DATE_BIRTHDATE>.
=== n2 | de | Befund | Graz
RR 120/80, kein Befund.
`

// evalFiles writes corpora and a configuration that knows the small pack of another maker, and gives their folder.
func evalFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	pack, err := filepath.Abs(filepath.Join("..", "..", "models", "testdata", "foreign"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"config.yaml":         "models:\n  dirs: [" + pack + "]\npolicy:\n  dir: " + filepath.Join(dir, "policies") + "\n",
		"policies/eager.yaml": "name: eager\nextends: all\ntext: {lambda: 1}\n",
		"a/notes.txt":         evalInline,
		"b/notes.txt":         strings.NewReplacer("<LOCATION_CITY>", "", "</LOCATION_CITY>", "").Replace(evalInline),
		"i2b2/220.xml":        `<?xml version="1.0"?><deIdi2b2><TEXT><![CDATA[Mrs. Meier, seen 3/14/2019]]></TEXT><TAGS><NAME id="P0" start="5" end="10" text="Meier" TYPE="PATIENT"/><DATE id="P1" start="17" end="26" text="3/14/2019" TYPE="DATE"/></TAGS></deIdi2b2>`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// evalRun runs the command and gives what it prints.
func evalRun(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, environ: []string{"HOME=" + dir}}
	root := newRoot(a)
	root.SetArgs(append([]string{"eval", "--config", filepath.Join(dir, "config.yaml")}, args...))
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func TestEvalReport(t *testing.T) {
	dir := evalFiles(t)
	folder := filepath.Join(dir, "report")
	out, err := evalRun(t, dir, filepath.Join(dir, "a"), "--ablation", "--sweep", "0,0.5,1", "-o", folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2 documents", "spans strict, type", "left out", "rules", "gazetteers", "models", "memory", "models alone", "whole pipeline",
		"lambda", "recall_merged", "beside the marks",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report eval.Report
	if err := json.Unmarshal(data, &report); err != nil || report.Word.Gold != 5 || report.Word.Hit != 5 || report.Leaks.Leaky != 0 {
		t.Errorf("%+v, %v", report.Word, err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "What each part brings", "gazetteers alone", "λ 0.5", "whole pipeline"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %q in the page", want)
		}
	}
	// The report of this run beside one without rules.
	again := filepath.Join(dir, "again")
	out, err = evalRun(t, dir, filepath.Join(dir, "a"), "--without", "rules", "--before", filepath.Join(folder, "report.json"), "-o", again)
	if err != nil || !strings.Contains(out, "before") {
		t.Errorf("%v\n%s", err, out)
	}
	if page, err = os.ReadFile(filepath.Join(again, "report.html")); err != nil || !bytes.Contains(page, []byte("before → fhirdeid")) {
		t.Errorf("no comparison in the page (%v)", err)
	}
}

// What eval scores is what the server's pipeline finds, witnesses included, in the plain run and at each point of a sweep.
func TestEvalScoresThePipeline(t *testing.T) {
	dir := evalFiles(t)
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, environ: []string{"HOME=" + dir}, configFile: filepath.Join(dir, "config.yaml")}
	cfg, err := a.config(nil)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := a.pipeline(cfg, pipelineFlags{lambda: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = parts.Close() }()
	text := "Frau Meier aus Bonn trinkt in Hof und Singen gern Essen mit Rose und Mai; am 3.5 kam Herr Schmidt."
	corpus := &eval.Corpus{Documents: []eval.Document{{ID: "1", Language: "de", Text: text}, {ID: "2", Text: text}}}
	run, err := a.newEvaluation(evalFlags{html: "kept", pipeline: pipelineFlags{lambda: -1}}, corpus)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.parts.Close() }()
	report, err := run.score(context.Background(), "", run.parts.Detectors, true)
	if err != nil {
		t.Fatal(err)
	}
	sweeps, err := run.sweep(context.Background(), []float64{0, 0.5})
	if err != nil || len(sweeps) != 2 {
		t.Fatal(sweeps, err)
	}
	words := 0
	for i := range corpus.Documents {
		doc := &corpus.Documents[i]
		spans, _, err := parts.Detect(context.Background(), doc.Text, pipeline.Options{Language: doc.Language})
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, s := range spans {
			if s.Type != phi.Protected {
				want = append(want, s.Type.String()+":"+text[s.Start:s.End])
				words += len(eval.Words(text[s.Start:s.End]))
			}
		}
		for _, e := range report.Notes[i].Errors {
			got = append(got, e.Found+":"+e.Text)
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("document %s: %q, want %q", doc.ID, got, want)
		}
	}
	if found := sweeps[0].Points[0].Word.Found; found != words || report.Word.Found != words {
		t.Errorf("%d words found in the sweep, %d in the run, want %d", found, report.Word.Found, words)
	}
	for _, d := range run.parts.Detectors {
		if _, ok := d.(pipeline.Witness); ok != isModels(d) {
			t.Errorf("%s: a witness: %v", d.Name(), ok)
		}
	}
}

// A text without marks, with slots: what is found outside of them is listed, and judged.
func TestEvalSurplus(t *testing.T) {
	dir := evalFiles(t)
	for name, content := range map[string]string{
		"notes.jsonl":  `{"id":"1","lang":"es","text":"Meier and Jones in Bonn","spans":[],"labels":[],"slots":[{"start":0,"end":5}]}` + "\n" + `{"id":"2","lang":"es","text":"Bonn","spans":[],"slots":[]}` + "\n",
		"verdicts.tsv": "# verdict\ttype\ttext\nphi\tLOCATION_CITY\tBonn\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{filepath.Join(dir, "notes.jsonl"), "--without", "rules,gazetteers,memory", "--surplus", "5", "--verdicts", filepath.Join(dir, "verdicts.tsv"), "--html", filepath.Join(dir, "page.html")}
	for _, c := range []struct {
		more []string
		want []string
	}{
		{nil, []string{"2 documents", "3 spans beside the marks, 500.00 per 1,000 words", "2  phi", "1  not judged", "phi: 2 spans"}},
		{[]string{"--read-as", "de"}, []string{"3 spans beside the marks"}},
		{[]string{"--limit", "1"}, []string{"1 documents", "2 spans beside the marks"}},
	} {
		out, err := evalRun(t, dir, append(args, c.more...)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%q: no %q in\n%s", c.more, want, out)
			}
		}
	}
	if page, err := os.ReadFile(filepath.Join(dir, "page.html")); err != nil || !bytes.Contains(page, []byte("beside the marks")) {
		t.Errorf("the page: %v", err)
	}
}

// Lambda 1 makes every word PHI: the flag reaches the models, and so does the policy.
func TestEvalLambda(t *testing.T) {
	dir := evalFiles(t)
	for _, c := range []struct {
		args []string
		want float64 // words found
	}{
		{[]string{"--lambda", "0"}, 5},
		{[]string{"--lambda", "1"}, 13},
		{[]string{"--lambda", "1", "--models", "none"}, 5},
		{[]string{"--policy", "eager"}, 13},
		{[]string{"--policy", "eager", "--lambda", "0"}, 5},
	} {
		folder := t.TempDir()
		if _, err := evalRun(t, dir, append(c.args, filepath.Join(dir, "a"), "-o", folder)...); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(folder, "report.json"))
		var report eval.Report
		if err != nil || json.Unmarshal(data, &report) != nil || float64(report.Word.Found) != c.want {
			t.Errorf("%q: %+v, want %v words found (%v)", c.args, report.Word, c.want, err)
		}
	}
}

func TestEvalI2B2AndAnnotators(t *testing.T) {
	dir := evalFiles(t)
	out, err := evalRun(t, dir, "--i2b2", filepath.Join(dir, "i2b2"))
	if err != nil || !strings.Contains(out, "1 documents") || !strings.Contains(out, "patient names found whole 1 of 1") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = evalRun(t, dir, filepath.Join(dir, "a"), "--annotator", filepath.Join(dir, "b"))
	if err != nil || !strings.Contains(out, "Krippendorff's alpha") || !strings.Contains(out, "2 annotators, 2 documents") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestEvalRefuses(t *testing.T) {
	dir := evalFiles(t)
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"no corpus", nil, exitUsage},
		{"two corpora", []string{"x", "--i2b2", "y"}, exitUsage},
		{"recall below the gate", []string{filepath.Join(dir, "a"), "--models", "none", "--without", "rules", "--min-recall", "0.99"}, exitGateFailed},
		{"no such language", []string{filepath.Join(dir, "a"), "--lang", "fr"}, exitError},
		{"a report that is none", []string{filepath.Join(dir, "a"), "--before", filepath.Join(dir, "config.yaml")}, exitError},
		{"sweep without models", []string{filepath.Join(dir, "a"), "--models", "none", "--sweep", "0.5"}, exitError},
		{"sweep beyond 1", []string{filepath.Join(dir, "a"), "--sweep", "1.5"}, exitError},
		{"sweep over words", []string{filepath.Join(dir, "a"), "--sweep", "0,much"}, exitUsage},
		{"verdicts that are none", []string{filepath.Join(dir, "a"), "--surplus", "5", "--verdicts", filepath.Join(dir, "none.tsv")}, exitError},
	} {
		_, err := evalRun(t, dir, c.args...)
		code := exitError
		var coded codedError
		if errors.As(err, &coded) {
			code = coded.code
		}
		if err == nil || code != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The rates of models bench are given in sentences of 20 words.
func TestBenchSentencesHaveTwentyWords(t *testing.T) {
	for language, list := range benchText {
		for _, s := range list {
			if n := len(strings.Fields(s)); n != 20 {
				t.Errorf("%s: %d words in %q", language, n, s)
			}
		}
	}
}
