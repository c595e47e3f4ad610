package server_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fhirdeid/fhir/deidentify"
	"fhirdeid/fhir/server"
)

const audience = "https://deid.klinik.example/fhir"

// issuer is an OpenID provider whose keys and faults a test chooses.
type issuer struct {
	*httptest.Server
	mu    sync.Mutex
	keys  map[string]crypto.Signer // by key id
	name  string                   // the issuer that the discovery document names
	down  bool
	reads int // of the keys
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{keys: map[string]crypto.Signer{"rsa": rsaKey(t), "ec": ecKey(t)}}
	i.Server = httptest.NewServer(http.HandlerFunc(i.answer))
	i.name = i.URL
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) answer(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.down:
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/.well-known/openid-configuration":
		json.NewEncoder(w).Encode(map[string]string{"issuer": i.name, "jwks_uri": i.URL + "/keys"})
	case r.URL.Path == "/keys":
		i.reads++
		list := []map[string]string{{"kty": "oct", "kid": "shared", "k": "c2VjcmV0"}, {"kty": "unheard-of", "kid": "x"}}
		for id, key := range i.keys {
			list = append(list, jwk(id, key))
		}
		json.NewEncoder(w).Encode(map[string]any{"keys": list})
	default:
		http.NotFound(w, r)
	}
}

func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

func (i *issuer) readings() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.reads
}

func jwk(id string, key crypto.Signer) map[string]string {
	b := base64.RawURLEncoding.EncodeToString
	switch public := key.Public().(type) {
	case *rsa.PublicKey:
		return map[string]string{"kty": "RSA", "kid": id, "use": "sig", "alg": "RS256", "n": b(public.N.Bytes()), "e": b(big.NewInt(int64(public.E)).Bytes())}
	case *ecdsa.PublicKey:
		point, _ := public.Bytes()
		return map[string]string{"kty": "EC", "kid": id, "use": "sig", "crv": "P-384", "x": b(point[1:49]), "y": b(point[49:])}
	}
	return nil
}

func rsaKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func ecKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// good are the claims of a token that is taken.
func (i *issuer) good() jwt.MapClaims {
	return jwt.MapClaims{
		"iss": i.URL, "aud": audience, "sub": "someone", "client_id": "registry", "exp": time.Now().Add(time.Hour).Unix(),
		"scope": "system/DocumentReference.rs system/Patient.rs system/Observation.rs",
	}
}

func (i *issuer) with(change jwt.MapClaims) jwt.MapClaims {
	c := i.good()
	maps.Copy(c, change)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

func sign(t *testing.T, method jwt.SigningMethod, key any, header map[string]any, c jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, c)
	maps.Copy(token.Header, header)
	maps.DeleteFunc(token.Header, func(_ string, v any) bool { return v == nil })
	s, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (i *issuer) token(t *testing.T, change jwt.MapClaims) string {
	t.Helper()
	return sign(t, jwt.SigningMethodRS256, i.keys["rsa"], map[string]any{"kid": "rsa"}, i.with(change))
}

// newGuarded makes a server that takes the issuer's tokens.
func newGuarded(t *testing.T, i *issuer, change func(*server.VerifierOptions)) *testServer {
	t.Helper()
	o := server.VerifierOptions{Issuer: i.URL, Audience: audience, Algorithms: []string{"RS256", "ES384"}, UnknownKey: time.Nanosecond}
	if change != nil {
		change(&o)
	}
	v, err := server.NewVerifier(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return newServer(t, func(o *server.Options) {
		o.Auth = v
		o.SMART = server.SMARTConfiguration(i.URL, "", []string{"RS256"})
	})
}

// TestTokens tries every kind of token on an operation that pulls. Whatever is refused is refused before anything is
// read.
func TestTokens(t *testing.T) {
	i := newIssuer(t)
	public, err := x509.MarshalPKIXPublicKey(i.keys["rsa"].Public())
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	publicJWK, _ := json.Marshal(jwk("rsa", i.keys["rsa"]))
	kid := map[string]any{"kid": "rsa"}
	valid := i.token(t, nil)
	parts := strings.Split(valid, ".")
	forged, _ := json.Marshal(i.with(jwt.MapClaims{"scope": "system/*.*"}))
	ago := time.Now().Add(-time.Hour).Unix()
	scope := func(s string) string { return i.token(t, jwt.MapClaims{"scope": s}) }
	other := rsaKey(t)
	const good, bad, late, forbidden = 200, 401, 4010, 403
	for name, c := range map[string]struct {
		token string
		want  int
	}{
		"valid":                   {valid, good},
		"valid, ES384":            {sign(t, jwt.SigningMethodES384, i.keys["ec"], map[string]any{"kid": "ec"}, i.good()), good},
		"no key id":               {sign(t, jwt.SigningMethodRS256, i.keys["rsa"], nil, i.good()), good},
		"audience in a list":      {i.token(t, jwt.MapClaims{"aud": []string{"https://other.example", audience}}), good},
		"expired":                 {i.token(t, jwt.MapClaims{"exp": ago}), late},
		"expired, by a stranger":  {sign(t, jwt.SigningMethodRS256, other, kid, i.with(jwt.MapClaims{"exp": ago})), bad},
		"never expires":           {i.token(t, jwt.MapClaims{"exp": nil}), bad},
		"not yet":                 {i.token(t, jwt.MapClaims{"nbf": time.Now().Add(time.Hour).Unix()}), bad},
		"wrong audience":          {i.token(t, jwt.MapClaims{"aud": "https://other.example/fhir"}), bad},
		"no audience":             {i.token(t, jwt.MapClaims{"aud": nil}), bad},
		"wrong issuer":            {i.token(t, jwt.MapClaims{"iss": "https://other.example"}), bad},
		"no issuer":               {i.token(t, jwt.MapClaims{"iss": nil}), bad},
		"wrong key":               {sign(t, jwt.SigningMethodRS256, other, kid, i.good()), bad},
		"unknown key":             {sign(t, jwt.SigningMethodRS256, other, map[string]any{"kid": "who"}, i.good()), bad},
		"key of another kind":     {sign(t, jwt.SigningMethodRS256, i.keys["rsa"], map[string]any{"kid": "ec"}, i.good()), bad},
		"none":                    {sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, kid, i.good()), bad},
		"none, in capitals":       {base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"NONE","typ":"JWT","kid":"rsa"}`)) + "." + parts[1] + ".", bad},
		"HS256 by the public key": {sign(t, jwt.SigningMethodHS256, publicPEM, kid, i.good()), bad},
		"HS256 by its DER":        {sign(t, jwt.SigningMethodHS256, public, kid, i.good()), bad},
		"HS256 by its JWK":        {sign(t, jwt.SigningMethodHS256, publicJWK, kid, i.good()), bad},
		"HS256 by a listed key":   {sign(t, jwt.SigningMethodHS256, []byte("secret"), map[string]any{"kid": "shared"}, i.good()), bad},
		"algorithm not allowed":   {sign(t, jwt.SigningMethodRS512, i.keys["rsa"], kid, i.good()), bad},
		"key for another RSA":     {sign(t, jwt.SigningMethodPS256, i.keys["rsa"], kid, i.good()), bad},
		"critical extension":      {sign(t, jwt.SigningMethodRS256, i.keys["rsa"], map[string]any{"kid": "rsa", "crit": []string{"b64"}, "b64": false}, i.good()), bad},
		"payload exchanged":       {parts[0] + "." + base64.RawURLEncoding.EncodeToString(forged) + "." + parts[2], bad},
		"signature cut":           {valid[:len(valid)-4], bad},
		"no signature":            {parts[0] + "." + parts[1] + ".", bad},
		"two parts":               {parts[0] + "." + parts[1], bad},
		"garbage":                 {"Zwetschgenbaum", bad},
		"scope is a number":       {i.token(t, jwt.MapClaims{"scope": 7}), bad},

		"missing scope":           {i.token(t, jwt.MapClaims{"scope": nil}), forbidden},
		"other scope":             {scope("system/Immunization.rs"), forbidden},
		"identity only":           {scope("openid fhirUser launch offline_access"), forbidden},
		"v1 read":                 {scope("system/DocumentReference.read system/Patient.read"), good},
		"v1 all types":            {scope("system/*.read"), good},
		"v1 everything":           {scope("user/*.*"), good},
		"v1 write":                {scope("system/DocumentReference.write system/Patient.write"), forbidden},
		"v2 read":                 {scope("system/DocumentReference.r system/Patient.r"), good},
		"v2 all":                  {scope("system/DocumentReference.cruds system/Patient.cruds"), good},
		"v2 search only":          {scope("system/DocumentReference.s system/Patient.s"), forbidden},
		"v2 create only":          {scope("system/DocumentReference.c system/Patient.c"), forbidden},
		"v2 in a wrong order":     {scope("system/DocumentReference.sr system/Patient.sr"), forbidden},
		"v2 narrowed by a search": {scope("system/DocumentReference.rs?category=x system/Patient.rs"), forbidden},
		"no Patient":              {scope("system/DocumentReference.rs"), forbidden},
		"unknown level":           {scope("root/*.*"), forbidden},
		"wrong case":              {scope("SYSTEM/*.*"), forbidden},
		"type that begins so":     {scope("system/DocumentReferences.rs system/Patient.rs"), forbidden},
		"as a list":               {i.token(t, jwt.MapClaims{"scope": []string{"system/*.rs"}}), good},
		"by scp":                  {i.token(t, jwt.MapClaims{"scope": nil, "scp": "system/*.rs"}), good},
		"patient level, nobody":   {scope("patient/*.rs"), forbidden},
		"patient level, somebody": {i.token(t, jwt.MapClaims{"scope": "patient/*.rs", "patient": "p1"}), good},
	} {
		s := newGuarded(t, i, nil)
		r := s.call(t, "POST", "/fhir/DocumentReference/d1/$deidentify", "", "Authorization", "Bearer "+c.token)
		status, code := c.want, map[int]string{bad: "login", late: "expired", forbidden: "forbidden"}[c.want]
		if c.want == late {
			status = bad
		}
		if r.status != status || code != "" && r.code(t) != code {
			t.Errorf("%s: %d %s, want %d %s", name, r.status, r.body, status, code)
		}
		if status != good && len(s.op.requests()) > 0 {
			t.Errorf("%s: the operation was called", name)
		}
		challenge := r.header.Get("WWW-Authenticate")
		switch status {
		case bad:
			if !strings.Contains(challenge, `error="invalid_token"`) {
				t.Errorf("%s: challenge %q", name, challenge)
			}
		case forbidden:
			if !strings.Contains(challenge, `error="insufficient_scope"`) {
				t.Errorf("%s: challenge %q", name, challenge)
			}
			if got := s.trail.actions(); len(got) != 1 || got[0] != "registry refuse forbidden" {
				t.Errorf("%s: trail %q", name, got)
			}
		}
		if log := s.log.String(); strings.Contains(log, c.token) || strings.Contains(log, parts[1][:40]) {
			t.Errorf("%s: the log holds the token", name)
		}
	}
}

func TestNoToken(t *testing.T) {
	i := newIssuer(t)
	s := newGuarded(t, i, nil)
	for _, header := range []string{"", "Basic YTpi", "Bearer", "Bearer "} {
		h := []string{"Authorization", header}
		r := s.call(t, "POST", "/fhir/$deidentify", patient, h...)
		if r.status != 401 || r.code(t) != "login" || !strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%q: %d %v", header, r.status, r.header)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/fhir/$deidentify", strings.NewReader(patient))
	req.Header = http.Header{"Authorization": {"Bearer " + i.token(t, nil), "Bearer " + i.token(t, nil)}, "Content-Type": {"application/json"}}
	if r := s.send(t, req); r.status != 401 {
		t.Errorf("two tokens: %d", r.status)
	}
	for path, want := range map[string]int{"/fhir/metadata": 200, "/fhir/.well-known/smart-configuration": 200, "/.well-known/smart-configuration": 200, "/fhir/OperationDefinition/deidentify": 200, "/healthz": 200, "/fhir/Observation": 401, "/fhir/Provenance/x": 401} {
		if r := s.call(t, "GET", path, ""); r.status != want {
			t.Errorf("%s: %d, want %d", path, r.status, want)
		}
	}
	if len(s.op.requests()) > 0 {
		t.Error("the operation was called")
	}
}

func TestScopesOfEachForm(t *testing.T) {
	i := newIssuer(t)
	s := newGuarded(t, i, nil)
	params := func(name, reference string) string {
		return `{"resourceType":"Parameters","parameter":[{"name":"` + name + `","valueReference":{"reference":"` + reference + `"}}]}`
	}
	for _, c := range []struct {
		scope, method, path, body string
		want                      int
	}{
		{"system/Patient.r system/DocumentReference.rs", "POST", "/fhir/Patient/p/$deidentify", "", 200},
		{"system/Patient.r system/DocumentReference.r", "POST", "/fhir/Patient/p/$deidentify", "", 403},
		{"system/Patient.r system/DocumentReference.s", "POST", "/fhir/Patient/p/$deidentify", "", 403},
		{"system/DocumentReference.rs", "POST", "/fhir/Patient/p/$deidentify", "", 403},
		{"system/Patient.rs", "POST", "/fhir/Patient/p/$deidentify", "", 403},
		{"system/Binary.r", "POST", "/fhir/Binary/b/$deidentify", "", 200},
		{"system/DocumentReference.rs system/Patient.rs", "POST", "/fhir/Binary/b/$deidentify", "", 403},
		{"patient/*.rs", "POST", "/fhir/Binary/b/$deidentify", "", 403},
		{"patient/*.rs", "POST", "/fhir/Patient/p1/$deidentify", "", 200},
		{"patient/*.rs", "POST", "/fhir/Patient/p2/$deidentify", "", 403},
		{"patient/DocumentReference.rs system/Patient.rs", "POST", "/fhir/Patient/p2/$deidentify", "", 403},
		{"patient/*.rs user/*.rs", "POST", "/fhir/Patient/p2/$deidentify", "", 200},
		{"patient/*.rs", "POST", "/fhir/$deidentify", params("patient", "Patient/p1"), 200},
		{"patient/*.rs", "POST", "/fhir/$deidentify", params("patient", "Patient/p2"), 403},
		{"patient/*.rs", "POST", "/fhir/$deidentify", params("patient", "https://other.example/fhir/Patient/p1"), 403},
		{"patient/*.rs", "POST", "/fhir/$deidentify", params("reference", "Patient/p2"), 403},
		{"patient/*.rs", "POST", "/fhir/$deidentify", params("reference", "Binary/b"), 403},
		{"patient/*.rs", "POST", "/fhir/$deidentify", params("reference", "DocumentReference/d"), 200},
		{"patient/*.rs", "POST", "/fhir/$deidentify", `{"resourceType":"Patient","id":"p1"}`, 200},
		{"patient/*.rs", "POST", "/fhir/$deidentify", `{"resourceType":"Patient","id":"p2"}`, 403},
		{"patient/*.rs", "POST", "/fhir/$deidentify", `{"resourceType":"Observation","subject":{"reference":"Patient/p1"}}`, 200},
		{"patient/*.rs", "POST", "/fhir/$deidentify", `{"resourceType":"Observation","subject":{"reference":"Patient/p2"}}`, 403},
		{"patient/*.rs", "POST", "/fhir/$deidentify", `{"resourceType":"Observation"}`, 403},
		{"patient/*.rs", "POST", "/fhir/$deidentify", `{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"p1"}},{"resource":{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"p2"}}]}}]}`, 403},
		{"system/DocumentReference.rs", "POST", "/fhir/$deidentify", `{"resourceType":"Bundle","type":"collection"}`, 200},
		{"system/Patient.rs", "POST", "/fhir/$deidentify", `{"resourceType":"Observation"}`, 403},
		{"system/Observation.rs", "GET", "/fhir/Observation?subject=1", "", 200},
		{"system/Observation.r", "GET", "/fhir/Observation?subject=1", "", 403},
		{"system/Observation.s", "GET", "/fhir/Observation/o1", "", 403},
		{"system/Provenance.r", "GET", "/fhir/Observation/o1", "", 403},
		{"patient/*.rs", "GET", "/fhir/Observation/o1", "", 403},
		{"patient/*.rs", "GET", "/fhir/Observation/gone", "", 403},
	} {
		token := i.token(t, jwt.MapClaims{"scope": c.scope, "patient": "p1"})
		before := len(s.op.requests())
		r := s.call(t, c.method, c.path, c.body, "Authorization", "Bearer "+token)
		if r.status != c.want {
			t.Errorf("%s on %s %s: %d %s, want %d", c.scope, c.path, c.body, r.status, r.body, c.want)
		}
		if c.want != 200 && len(s.op.requests()) != before {
			t.Errorf("%s on %s: the operation was called", c.scope, c.path)
		}
	}
}

// TestForbiddenAndAbsentAreOne compares whole answers: those for what another patient has, and for what nobody has.
func TestForbiddenAndAbsentAreOne(t *testing.T) {
	i := newIssuer(t)
	s := newGuarded(t, i, nil)
	token := "Bearer " + i.token(t, jwt.MapClaims{"scope": "patient/*.rs", "patient": "p1"})
	s.op.do = func(_ context.Context, r deidentify.Request) (*deidentify.Result, error) {
		if len(r.References) > 0 && strings.Contains(r.References[0], "absent") {
			return nil, &deidentify.Error{Kind: deidentify.ErrNotFound, Code: "not-found", Diagnostics: "the other server does not know the target"}
		}
		return nil, &deidentify.Error{Kind: deidentify.ErrForbidden, Code: "forbidden", Diagnostics: "the target may not be read"}
	}
	for _, path := range []string{"/fhir/DocumentReference/", "/fhir/Patient/", "/fhir/Binary/"} {
		foreign := s.call(t, "POST", path+"foreign/$deidentify", "", "Authorization", token)
		absent := s.call(t, "POST", path+"absent/$deidentify", "", "Authorization", token)
		for _, r := range []reply{foreign, absent} {
			r.header.Del("X-Request-Id")
			r.header.Del("Date")
		}
		if foreign.status != 403 || foreign.body != absent.body || foreign.status != absent.status || !maps.EqualFunc(foreign.header, absent.header, func(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }) {
			t.Errorf("%s\nforeign: %d %v %s\nabsent: %d %v %s", path, foreign.status, foreign.header, foreign.body, absent.status, absent.header, absent.body)
		}
	}
	// Only the document was asked for: for Patient and Binary the token alone decides.
	if n := len(s.op.requests()); n != 2 {
		t.Errorf("the operation was called %d times", n)
	}
}

func TestRotatedKey(t *testing.T) {
	i := newIssuer(t)
	s := newGuarded(t, i, nil)
	call := func(token string) int {
		return s.call(t, "GET", "/fhir/Observation/o1", "", "Authorization", "Bearer "+token).status
	}
	old := i.token(t, nil)
	if got := call(old); got != 200 {
		t.Fatalf("before: %d", got)
	}
	fresh := rsaKey(t)
	i.set(func() { i.keys = map[string]crypto.Signer{"new": fresh} })
	if got := call(sign(t, jwt.SigningMethodRS256, fresh, map[string]any{"kid": "new"}, i.good())); got != 200 {
		t.Errorf("the new key: %d", got)
	}
	if got := call(old); got != 401 {
		t.Errorf("the old key: %d", got)
	}
}

// TestStrangersDoNotBurdenTheIssuer: made-up key ids lead to no more than one reading in the pause.
func TestStrangersDoNotBurdenTheIssuer(t *testing.T) {
	i := newIssuer(t)
	s := newGuarded(t, i, func(o *server.VerifierOptions) { o.UnknownKey = time.Hour })
	stranger := rsaKey(t)
	for n := range 20 {
		token := sign(t, jwt.SigningMethodRS256, stranger, map[string]any{"kid": strings.Repeat("x", n+1)}, i.good())
		if r := s.call(t, "GET", "/fhir/Observation/o1", "", "Authorization", "Bearer "+token); r.status != 401 {
			t.Errorf("%d", r.status)
		}
	}
	if n := i.readings(); n != 1 {
		t.Errorf("the keys were read %d times", n)
	}
}

func TestKeysCannotBeRead(t *testing.T) {
	i := newIssuer(t)
	s := newGuarded(t, i, nil)
	token := i.token(t, nil)
	call := func(token string) reply {
		return s.call(t, "GET", "/fhir/Observation/o1", "", "Authorization", "Bearer "+token)
	}
	i.set(func() { i.down = true })
	if r := call(token); r.status != 503 || r.code(t) != "transient" || r.header.Get("Retry-After") == "" {
		t.Errorf("never read: %d %s", r.status, r.body)
	}
	i.set(func() { i.down, i.name = false, "https://other.example" })
	if r := call(token); r.status != 503 {
		t.Errorf("another issuer's document: %d", r.status)
	}
	i.set(func() { i.name = i.URL })
	if r := call(token); r.status != 200 {
		t.Errorf("up again: %d %s", r.status, r.body)
	}
	i.set(func() { i.down = true })
	if r := call(token); r.status != 200 {
		t.Errorf("with the keys read before: %d %s", r.status, r.body)
	}
	if r := call(sign(t, jwt.SigningMethodRS256, rsaKey(t), map[string]any{"kid": "new"}, i.good())); r.status != 503 {
		t.Errorf("an unknown key while the issuer is down: %d %s", r.status, r.body)
	}
	if r := call(token); r.status != 200 {
		t.Errorf("afterwards: %d %s", r.status, r.body)
	}
	if _, err := server.NewVerifier(t.Context(), server.VerifierOptions{Issuer: i.URL, Audience: audience}); err == nil {
		t.Error("a verifier without algorithms would take all of them")
	}
}

// TestClockJump: a token ends by the clock of the server, wherever that jumps to.
func TestClockJump(t *testing.T) {
	i := newIssuer(t)
	var mu sync.Mutex
	now := time.Now()
	s := newGuarded(t, i, func(o *server.VerifierOptions) {
		o.Clock = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	})
	token := i.token(t, jwt.MapClaims{"nbf": now.Add(-time.Hour).Unix()})
	for _, c := range []struct {
		jump time.Duration
		want int
	}{{0, 200}, {365 * 24 * time.Hour, 401}, {-365 * 24 * time.Hour, 401}, {time.Minute, 200}} {
		mu.Lock()
		saved := now
		now = now.Add(c.jump)
		mu.Unlock()
		if r := s.call(t, "GET", "/fhir/Observation/o1", "", "Authorization", "Bearer "+token); r.status != c.want {
			t.Errorf("after %v: %d", c.jump, r.status)
		}
		mu.Lock()
		now = saved
		mu.Unlock()
	}
}
