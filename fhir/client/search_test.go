package client

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func gzipped(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// document is a DocumentReference of a patient whose file is a Binary.
func document(id, patient, file string) string {
	return fmt.Sprintf(`{"resourceType":"DocumentReference","id":%q,"subject":{"reference":"Patient/%s"},"content":[{"attachment":{"url":%q}}]}`, id, patient, file)
}

func searchset(next string, resources ...string) http.HandlerFunc {
	link := ""
	if next != "" {
		link = fmt.Sprintf(`"link":[{"relation":"self","url":"x"},{"relation":"next","url":%q}],`, next)
	}
	var entries []string
	for _, r := range resources {
		entries = append(entries, `{"resource":`+r+`,"search":{"mode":"match"}}`)
	}
	return resource(`{"resourceType":"Bundle","type":"searchset",` + link + `"entry":[` + strings.Join(entries, ",") + `]}`)
}

func names(list []Resource) (out []string) {
	for _, r := range list {
		out = append(out, r.Node.ResourceType()+"/"+r.Node.Text("id"))
	}
	return out
}

// hospital has a patient with documents on three pages and a report.
func hospital(t *testing.T) *fake {
	t.Helper()
	up := newFake(t)
	up.on["/fhir/Patient/1"] = resource(`{"resourceType":"Patient","id":"1"}`)
	up.on["/fhir/DocumentReference?_count=100&patient=1"] = searchset(up.base()+"?page=2", document("a", "1", "Binary/a"),
		`{"resourceType":"Patient","id":"1"}`, document("b", "1", "Binary/b"))
	up.on["/fhir?page=2"] = searchset("?page=3", document("c", "1/_history/4", "Binary/c"))
	up.on["/fhir?page=3"] = searchset("", document("d", "1", "Binary/d"))
	up.on["/fhir/DiagnosticReport?_count=100&patient=1"] = searchset("", `{"resourceType":"DiagnosticReport","id":"r","subject":{"reference":"`+up.base()+`/Patient/1"}}`)
	return up
}

func TestDocumentsOfAPatient(t *testing.T) {
	up := hospital(t)
	c, _ := newClient(t, Options{Base: up.base()})
	got, err := c.Documents(t.Context(), "Patient/1")
	want := []string{"Patient/1", "DocumentReference/a", "DocumentReference/b", "DocumentReference/c", "DocumentReference/d", "DiagnosticReport/r"}
	if err != nil || !slices.Equal(names(got), want) {
		t.Errorf("%q, %v", names(got), err)
	}
	ctx := As(t.Context(), Caller{MayRead: func(typ string) bool { return typ == "DocumentReference" }})
	if got, err = c.Documents(ctx, "Patient/1"); err != nil || len(got) != 5 {
		t.Errorf("without reports: %q, %v", names(got), err)
	}
	for _, patient := range []string{"DocumentReference/a", "Practitioner/1", up.URL + "/other/Patient/1", "http://elsewhere.example/fhir/Patient/1"} {
		if _, err := c.Documents(t.Context(), patient); !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v", patient, err)
		}
	}
	if _, err := c.Documents(t.Context(), "Patient/absent"); !errors.Is(err, ErrNotFound) {
		t.Errorf("absent: %v", err)
	}
	up.on["/fhir/DiagnosticReport?_count=100&patient=1"] = nil
	if got, err = c.Documents(t.Context(), "Patient/1"); err != nil || len(got) != 5 {
		t.Errorf("a server without reports: %q, %v", names(got), err)
	}
}

func TestSearchesThatGoWrong(t *testing.T) {
	first := "/fhir/DocumentReference?_count=100&patient=1"
	for name, c := range map[string]struct {
		spoil func(up, other *fake)
		want  error
	}{
		"next page on another host":       {func(up, other *fake) { up.on[first] = searchset(other.URL + "/fhir?page=2") }, ErrForbidden},
		"next page beside the base":       {func(up, _ *fake) { up.on[first] = searchset("/admin?page=2") }, ErrForbidden},
		"next page with the base's start": {func(up, _ *fake) { up.on[first] = searchset("/fhirsecrets?page=2") }, ErrForbidden},
		"pages in a circle":               {func(up, _ *fake) { up.on["/fhir?page=3"] = searchset("?page=2") }, ErrTooLarge},
		"pages without end": {func(up, _ *fake) {
			n := 0
			up.on["/fhir"] = func(w http.ResponseWriter, r *http.Request) { n++; searchset(fmt.Sprintf("?page=%d", n+100))(w, r) }
			up.on["/fhir?page=2"] = nil
		}, ErrTooLarge},
		"no Bundle":       {func(up, _ *fake) { up.on[first] = resource(`{"resourceType":"Patient","id":"1"}`) }, ErrUpstream},
		"other's patient": {func(up, _ *fake) { up.on["/fhir?page=3"] = searchset("", document("x", "2", "Binary/x")) }, ErrUpstream},
		"a page is lost":  {func(up, _ *fake) { up.on["/fhir?page=3"] = status(http.StatusInternalServerError) }, ErrUpstream},
	} {
		up, other := hospital(t), newFake(t)
		c.spoil(up, other)
		client, _ := newClient(t, Options{Base: up.base(), MaxPages: 10})
		if got, err := client.Documents(t.Context(), "Patient/1"); !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v, want %v", name, names(got), err, c.want)
		}
		if len(other.seen()) > 0 {
			t.Errorf("%s: another host was asked", name)
		}
	}
}

// TestBoundCaller reads for a token of one patient: what is another's and what is not there are one, in answer and in
// what is asked of the upstream.
func TestBoundCaller(t *testing.T) {
	up := hospital(t)
	search := func(typ, id string) string {
		return "/fhir/" + typ + "?" + url.Values{"_id": {id}, "patient": {"1"}}.Encode()
	}
	up.on[search("DocumentReference", "a")] = searchset("", document("a", "1", "Binary/a"))
	up.on[search("DocumentReference", "foreign")] = searchset("")
	up.on[search("DocumentReference", "absent")] = searchset("")
	up.on[search("DocumentReference", "blind")] = searchset("", document("blind", "2", "Binary/blind")) // ignores the patient
	up.on["/fhir/DocumentReference/foreign"] = resource(document("foreign", "2", "Binary/f"))
	for _, id := range []string{"a", "f", "blind"} {
		up.on["/fhir/Binary/"+id] = resource(`{"resourceType":"Binary","id":"` + id + `"}`)
	}
	up.on["/fhir/Patient/2"] = resource(`{"resourceType":"Patient","id":"2"}`)
	up.on["/fhir/Practitioner/9"] = resource(`{"resourceType":"Practitioner","id":"9"}`)
	c, _ := newClient(t, Options{Base: up.base()})
	ctx := As(t.Context(), Caller{Patient: "1"})
	if _, err := c.Read(ctx, "Binary/a"); !errors.Is(err, ErrForbidden) {
		t.Errorf("a Binary before its document: %v", err)
	}
	if n := len(up.seen()); n > 0 {
		t.Errorf("%d requests before any was allowed", n)
	}
	for _, reference := range []string{"Patient/1", "DocumentReference/a", "Binary/a", "Practitioner/9"} {
		if _, err := c.Read(ctx, reference); err != nil {
			t.Errorf("%s: %v", reference, err)
		}
	}
	asked := func(reference string) ([]string, string) {
		before := len(up.seen())
		_, err := c.Read(ctx, reference)
		if !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v", reference, err)
		}
		return up.seen()[before:], fmt.Sprint(err)
	}
	foreign, foreignError := asked("DocumentReference/foreign")
	absent, absentError := asked("DocumentReference/absent")
	if len(foreign) != 1 || strings.Replace(foreign[0], "foreign", "absent", 1) != absent[0] || foreignError != absentError {
		t.Errorf("foreign: %q %s; absent: %q %s", foreign, foreignError, absent, absentError)
	}
	asked("DocumentReference/blind")
	for _, reference := range []string{"Patient/2", "Binary/f", "Binary/blind", up.URL + "/other/Patient/1"} {
		if list, _ := asked(reference); len(list) > 0 {
			t.Errorf("%s: the upstream was asked for %q", reference, list)
		}
	}
	if _, err := c.Documents(ctx, "Patient/2"); !errors.Is(err, ErrForbidden) {
		t.Errorf("another patient's documents: %v", err)
	}
	if _, err := c.Documents(ctx, "Patient/1"); err != nil {
		t.Error(err)
	}
	up.on["/fhir/Binary/d"] = resource(`{"resourceType":"Binary","id":"d"}`)
	if _, err := c.Read(ctx, "Binary/d"); err != nil {
		t.Errorf("the Binary of a document that was found: %v", err)
	}
	// The next request starts anew.
	if _, err := c.Read(As(t.Context(), Caller{Patient: "1"}), "Binary/a"); !errors.Is(err, ErrForbidden) {
		t.Errorf("a Binary of an earlier request: %v", err)
	}
}
