package main

import (
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strings"
	"testing"
)

// TestOIDC takes tokens of a real OpenID provider, good ones and bad ones, to a server that pulls.
func TestOIDC(t *testing.T) {
	dir := tool(t, "oidc", "node_modules/oidc-provider/package.json", "npm ci --no-audit --no-fund")
	port := freePort(t)
	issuer := startTool(t, dir, "node", "oidc.js", "serve", port)
	node := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "node", append([]string{"oidc.js"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("node %s: %v", args[0], err)
		}
		return strings.TrimSpace(string(out))
	}
	up := newUpstream(t)
	base := up.URL + "/fhir"
	for _, p := range []string{"p1", "p2"} {
		document := documentOf("d-"+p, p, "Binary/"+p)
		up.set("/fhir/Patient/"+p, fhirJSON(strings.Replace(thePatient, "p1", p, 1)))
		up.set("/fhir/Binary/"+p, fhirJSON(binaryOf(p, letter)))
		up.set("/fhir/DocumentReference/d-"+p, fhirJSON(document))
		up.set("/fhir/DocumentReference?_count=100&patient="+p, fhirJSON(bundleOf(document)))
		up.set("/fhir/DiagnosticReport?_count=100&patient="+p, fhirJSON(bundleOf()))
		for _, asked := range []string{"d-p1", "d-p2", "d-none"} {
			found := bundleOf()
			if asked == "d-"+p {
				found = bundleOf(document)
			}
			up.set("/fhir/DocumentReference?"+url.Values{"_id": {asked}, "patient": {p}}.Encode(), fhirJSON(found))
		}
	}
	const audience = "https://deid.klinik.example/fhir"
	s := startProcess(t, settings{"auth.issuer": issuer, "auth.audience": audience, "upstream.base": base}, childPlan{})
	call := func(path, token string) (got, []string) {
		t.Helper()
		before := len(up.requests())
		header := []string{}
		if token != "" {
			header = []string{"Authorization", "Bearer " + token}
		}
		r := mustSend(t, "POST", s.base+path, "", header...)
		return r, up.requests()[before:]
	}
	const onePatient = "/Patient/p1/$deidentify"

	kinds := map[string]string{"": ""}
	for _, line := range strings.Split(node("tokens", "--aud", audience, "--iss", issuer), "\n") {
		kind, token, _ := strings.Cut(line, "\t")
		kinds[kind] = token
	}
	if len(kinds) != 11 {
		t.Errorf("%d kinds of tokens", len(kinds))
	}
	for kind, token := range kinds {
		want, issue := 401, "login"
		switch kind {
		case "valid":
			want, issue = 200, ""
		case "other-scope", "missing-scope":
			want, issue = 403, "forbidden"
		case "expired":
			issue = "expired"
		}
		r, asked := call(onePatient, token)
		if r.status != want || r.issue() != issue {
			t.Errorf("%s: %d %.300s, want %d %s", kind, r.status, r.body, want, issue)
		}
		if want != 200 && len(asked) > 0 {
			t.Errorf("%s: the upstream was asked for %q", kind, asked)
		}
		if want == 200 {
			mustBeClean(t, kind, r)
		}
	}
	fetch := func(args ...string) string {
		return node(append([]string{"fetch", issuer, "--aud", audience}, args...)...)
	}
	for _, c := range []struct {
		args []string
		want int
	}{
		{nil, 200},
		{[]string{"--alg", "ES384"}, 200},
		{[]string{"--scope", "system/*.read"}, 200},
		{[]string{"--scope", "system/DocumentReference.read system/Patient.read"}, 200},
		{[]string{"--scope", "system/DocumentReference.rs system/Patient.rs"}, 200},
		{[]string{"--scope", "system/DocumentReference.rs"}, 403},
		{[]string{"--scope", "system/Observation.cruds"}, 403},
		{[]string{"--scope", "patient/*.rs", "--patient", "p1"}, 200},
		{[]string{"--scope", "patient/*.read", "--patient", "p1"}, 200},
		{[]string{"--scope", "patient/*.rs", "--patient", "p2"}, 403},
		{[]string{"--scope", "patient/*.rs"}, 403},
	} {
		r, asked := call(onePatient, fetch(c.args...))
		if r.status != c.want || c.want != 200 && len(asked) > 0 {
			t.Errorf("%q: %d %.300s, want %d; the upstream was asked for %q", c.args, r.status, r.body, c.want, asked)
		}
	}

	// A patient's token: another's document and none at all differ in nothing, neither in the answer nor in what is done.
	token := fetch("--scope", "patient/*.rs", "--patient", "p1")
	if r, _ := call("/DocumentReference/d-p1/$deidentify", token); r.status != 200 {
		t.Errorf("the own document: %d %.300s", r.status, r.body)
	}
	foreign, didForeign := call("/DocumentReference/d-p2/$deidentify", token)
	absent, didAbsent := call("/DocumentReference/d-none/$deidentify", token)
	if foreign.status != 403 || absent.status != 403 || string(foreign.body) != string(absent.body) {
		t.Errorf("foreign: %d %s; absent: %d %s", foreign.status, foreign.body, absent.status, absent.body)
	}
	if a, b := fmt.Sprint(didForeign), strings.ReplaceAll(fmt.Sprint(didAbsent), "d-none", "d-p2"); a != b || len(didForeign) != 1 {
		t.Errorf("for the foreign one was done %s, for the absent one %s", a, b)
	}
	for _, path := range []string{"/Patient/p2/$deidentify", "/Patient/none/$deidentify", "/Binary/p2/$deidentify", "/Binary/none/$deidentify"} {
		if r, did := call(path, token); r.status != 403 || len(did) > 0 || string(r.body) != string(foreign.body) {
			t.Errorf("%s: %d %s after %q", path, r.status, r.body, did)
		}
	}
	if log := s.log.String(); strings.Contains(log, token) || strings.Contains(log, "Quittenbaum") {
		t.Error("the log holds a token or a name")
	}
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
