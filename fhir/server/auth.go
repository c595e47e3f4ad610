package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"
)

// The outcomes of authentication other than success.
var (
	errNoToken   = errors.New("no bearer token")
	errToken     = errors.New("token is not accepted")
	errNoKeys    = errors.New("the issuer's keys cannot be read")
	errForbidden = errors.New("the token does not permit this")
)

// Principal is the caller that a token speaks for.
type Principal struct {
	Client  string // client_id or azp, else sub
	Patient string // SMART launch context: the one patient of a patient-level token
	Token   string // as sent, for passing on; never logged
	Scopes  Scopes
}

// Authenticator tells who calls. It gives errNoToken, errToken or errNoKeys.
type Authenticator interface {
	Authenticate(r *http.Request) (Principal, error)
}

// VerifierOptions says whose tokens a Verifier accepts.
type VerifierOptions struct {
	Issuer, Audience string
	JWKS             string   // empty: read from the issuer's discovery document
	Algorithms       []string // only asymmetric ones
	Client           *http.Client
	Refresh          time.Duration // how often keys are read again; 0: 10 minutes
	UnknownKey       time.Duration // least time between two reads because of an unknown key id; 0: 10 seconds
}

// Verifier checks JSON Web Tokens against the issuer's keys, which it caches and reads again when a key is not known.
type Verifier struct {
	o      VerifierOptions
	ctx    context.Context //nolint:containedctx // ends the refresh of the keys with the server
	parser *jwt.Parser

	mu      sync.Mutex
	storage jwkset.Storage
	keys    keyfunc.Keyfunc
	tried   time.Time
}

// NewVerifier makes a verifier; ctx ends its background refresh. The keys are read when the first token comes, so that
// the server starts while the issuer is down.
func NewVerifier(ctx context.Context, o VerifierOptions) *Verifier {
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 5 * time.Second}
	}
	if o.Refresh == 0 {
		o.Refresh = 10 * time.Minute
	}
	if o.UnknownKey == 0 {
		o.UnknownKey = 10 * time.Second
	}
	return &Verifier{o: o, ctx: ctx, parser: jwt.NewParser(
		jwt.WithValidMethods(o.Algorithms),
		jwt.WithIssuer(o.Issuer),
		jwt.WithAudience(o.Audience),
		jwt.WithExpirationRequired(),
		jwt.WithLeeway(30*time.Second),
	)}
}

// claims are those that are read beyond the registered ones.
type claims struct {
	jwt.RegisteredClaims
	ClientID string     `json:"client_id"`
	Azp      string     `json:"azp"`
	Patient  string     `json:"patient"`
	Scope    scopeClaim `json:"scope"`
	Scp      scopeClaim `json:"scp"`
}

// scopeClaim is a space-separated string, or an array as some issuers write it.
type scopeClaim []string

func (s *scopeClaim) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err == nil {
		*s = list
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errToken
	}
	*s = strings.Fields(text)
	return nil
}

// Authenticate checks the bearer token of a request.
func (v *Verifier) Authenticate(r *http.Request) (Principal, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return Principal{}, errNoToken
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	if !ok || len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return Principal{}, errToken
	}
	keys, err := v.keyfunc(r.Context())
	if err != nil {
		return Principal{}, err
	}
	var c claims
	if _, err := v.parser.ParseWithClaims(token, &c, keys); err != nil {
		if v.empty(r.Context()) {
			return Principal{}, errNoKeys
		}
		return Principal{}, errToken
	}
	p := Principal{Client: c.ClientID, Patient: c.Patient, Token: token, Scopes: ParseScopes(append(c.Scope, c.Scp...))}
	if p.Client == "" {
		p.Client = c.Azp
	}
	if p.Client == "" {
		p.Client = c.Subject
	}
	return p, nil
}

// keyfunc gives the issuer's keys, reading them first if there are none yet.
func (v *Verifier) keyfunc(ctx context.Context) (jwt.Keyfunc, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys == nil {
		if time.Since(v.tried) < time.Second {
			return nil, errNoKeys // another request has just failed to read them
		}
		if err := v.connect(ctx); err != nil {
			v.tried = time.Now()
			return nil, errNoKeys
		}
	}
	return v.keys.KeyfuncCtx(ctx), nil
}

func (v *Verifier) connect(ctx context.Context) error {
	address := v.o.JWKS
	if address == "" {
		var err error
		if address, err = v.discover(ctx); err != nil {
			return err
		}
	}
	remote, err := jwkset.NewStorageFromHTTP(address, jwkset.HTTPClientStorageOptions{
		Client: v.o.Client, Ctx: v.ctx, HTTPTimeout: 5 * time.Second, RefreshInterval: v.o.Refresh,
		RefreshErrorHandler: func(context.Context, error) {}, // the keys read before stay; readiness tells
	})
	if err != nil {
		return err
	}
	storage, err := jwkset.NewHTTPClient(jwkset.HTTPClientOptions{
		HTTPURLs:          map[string]jwkset.Storage{address: remote},
		RateLimitWaitMax:  time.Millisecond,
		RefreshUnknownKID: rate.NewLimiter(rate.Every(v.o.UnknownKey), 1),
	})
	if err != nil {
		return err
	}
	keys, err := keyfunc.New(keyfunc.Options{Ctx: v.ctx, Storage: storage, UseWhitelist: []jwkset.USE{jwkset.UseSig, ""}})
	if err != nil {
		return err
	}
	v.storage, v.keys = storage, keys
	return nil
}

func (v *Verifier) empty(ctx context.Context) bool {
	v.mu.Lock()
	storage := v.storage
	v.mu.Unlock()
	if storage == nil {
		return true
	}
	all, err := storage.KeyReadAll(ctx)
	return err == nil && len(all) == 0
}

// discoveryLimit bounds the discovery document.
const discoveryLimit = 1 << 20

// discover reads the address of the keys. A document that names another issuer is refused, as OpenID Connect Discovery
// 1.0, section 4.3, asks.
func (v *Verifier) discover(ctx context.Context) (string, error) {
	address := strings.TrimSuffix(v.o.Issuer, "/") + "/.well-known/openid-configuration"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", errNoKeys
	}
	res, err := v.o.Client.Do(req)
	if err != nil {
		return "", errNoKeys
	}
	defer res.Body.Close()
	var doc struct {
		Issuer string `json:"issuer"`
		JWKS   string `json:"jwks_uri"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, discoveryLimit)).Decode(&doc) != nil {
		return "", errNoKeys
	}
	if doc.Issuer != v.o.Issuer || doc.JWKS == "" {
		return "", fmt.Errorf("%w: the discovery document names another issuer", errNoKeys)
	}
	return doc.JWKS, nil
}
