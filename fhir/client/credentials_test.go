package client

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// issuer gives tokens t1, t2 … by the client credentials grant.
func issuer(t *testing.T, life int) (f *fake, given func() int) {
	t.Helper()
	f = newFake(t)
	var mu sync.Mutex
	n := 0
	f.on["/token"] = func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		if r.Method != http.MethodPost || id != "a%3Ab" || secret != "top+secret" || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "system/*.rs" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		n++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":"t%d","token_type":"bearer","expires_in":%d}`, n, life)
	}
	return f, func() int { mu.Lock(); defer mu.Unlock(); return n }
}

func TestClientCredentials(t *testing.T) {
	up := newFake(t)
	idp, given := issuer(t, 3600)
	want := "Bearer t1"
	up.on["/fhir/Patient/1"] = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != want {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		resource(`{"resourceType":"Patient","id":"1"}`)(w, r)
	}
	credentials := &Credentials{URL: idp.URL + "/token", ID: "a:b", Secret: "top secret", Scope: "system/*.rs"}
	c, _ := newClient(t, Options{Base: up.base(), Token: credentials, Retries: 2})
	ctx := As(t.Context(), Caller{Token: "the-callers-token"})
	for range 3 {
		if _, err := c.Read(ctx, "Patient/1"); err != nil {
			t.Fatal(err)
		}
	}
	if given() != 1 {
		t.Errorf("%d tokens were asked for", given())
	}
	want = "Bearer t2" // the upstream has taken the first one back
	if _, err := c.Read(ctx, "Patient/1"); err != nil || given() != 2 {
		t.Errorf("%d tokens, %v", given(), err)
	}
	if slices.ContainsFunc(up.tokens(), func(s string) bool { return strings.Contains(s, "callers") }) {
		t.Error("the caller's token was passed on")
	}
}

func TestTokenThatNeverSuits(t *testing.T) {
	up := newFake(t)
	up.on["/fhir/Patient/1"] = status(http.StatusUnauthorized)
	idp, given := issuer(t, 3600)
	c, _ := newClient(t, Options{Base: up.base(), Retries: 2, Token: &Credentials{URL: idp.URL + "/token", ID: "a:b", Secret: "top secret", Scope: "system/*.rs"}})
	if _, err := c.Read(t.Context(), "Patient/1"); !errors.Is(err, ErrUpstream) || given() != 3 {
		t.Errorf("%d tokens, %v", given(), err)
	}
}

func TestNoToken(t *testing.T) {
	up, other := newFake(t), newFake(t)
	idp, _ := issuer(t, 3600)
	idp.on["/elsewhere"] = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/token", http.StatusTemporaryRedirect)
	}
	idp.on["/odd"] = says("application/json", `{"access_token":"x","token_type":"mac"}`)
	idp.on["/broken"] = says("application/json", `{"access_token":"geheim`)
	for name, c := range map[string]*Credentials{
		"wrong secret": {URL: idp.URL + "/token", ID: "a:b", Secret: "geheim", Scope: "system/*.rs"},
		"redirect":     {URL: idp.URL + "/elsewhere", ID: "a:b", Secret: "geheim"},
		"other type":   {URL: idp.URL + "/odd", ID: "a:b", Secret: "geheim"},
		"broken":       {URL: idp.URL + "/broken", ID: "a:b", Secret: "geheim"},
		"down":         {URL: "http://127.0.0.1:1/token", ID: "a:b", Secret: "geheim"},
	} {
		client, _ := newClient(t, Options{Base: up.base(), Token: c})
		if _, err := client.Read(t.Context(), "Patient/1"); !errors.Is(err, ErrUpstream) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(up.seen()) + len(other.seen()); n > 0 {
		t.Errorf("%d requests without a token", n)
	}
}
