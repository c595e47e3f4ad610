package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"
)

// issuerKeys are the public keys of an issuer. They are read when the first token comes, read again in the background
// when they grow old, and at once, though not too often, when a token names a key that is not among them.
type issuerKeys struct {
	jwkset.Storage
	o VerifierOptions
	// ctx ends the reading in the background with the server.
	ctx context.Context //nolint:containedctx // lives as long as the verifier

	reading chan struct{} // holds the one that reads

	mu      sync.Mutex
	read    time.Time // last success; zero: never
	tried   time.Time
	failing bool // the last try failed
}

// keyLimits bound what is read of an issuer, and how long keys are believed that cannot be read again.
const (
	issuerBytes = 1 << 20
	keysBelieve = 24 * time.Hour
	firstPause  = time.Second // between two tries while there are no keys at all
)

func newIssuerKeys(ctx context.Context, o VerifierOptions) *issuerKeys {
	return &issuerKeys{Storage: jwkset.NewMemoryStorage(), o: o, ctx: ctx, reading: make(chan struct{}, 1)}
}

// load sees to it that there are keys. It gives errNoKeys where there are none, or only ones too old to be believed.
func (k *issuerKeys) load(ctx context.Context) error {
	age, known := k.age()
	switch {
	case known && age < k.o.Refresh:
		return nil
	case known && age < keysBelieve:
		k.refreshInBackground()
		return nil
	}
	return k.refresh(ctx, min(firstPause, k.o.UnknownKey))
}

func (k *issuerKeys) age() (age time.Duration, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Since(k.read), !k.read.IsZero()
}

func (k *issuerKeys) refreshInBackground() {
	select {
	case k.reading <- struct{}{}:
	default:
		return // is being read
	}
	go func() {
		defer func() { <-k.reading }()
		if k.mayTry(k.o.UnknownKey) {
			_ = k.fetch(k.ctx) // the keys read before stay
		}
	}()
}

// KeyRead gives the key of an id, reading the issuer's keys again where the id is not known. errNoKeys says that they
// could not be read, so that nothing can be said about the key.
func (k *issuerKeys) KeyRead(ctx context.Context, id string) (jwkset.JWK, error) {
	key, err := k.Storage.KeyRead(ctx, id)
	if err == nil {
		return key, nil
	}
	if err := k.refresh(ctx, k.o.UnknownKey); err != nil {
		return jwkset.JWK{}, err
	}
	return k.Storage.KeyRead(ctx, id)
}

// refresh reads the keys unless that was tried within the pause.
func (k *issuerKeys) refresh(ctx context.Context, pause time.Duration) error {
	select {
	case k.reading <- struct{}{}:
		defer func() { <-k.reading }()
	case <-ctx.Done():
		return errNoKeys
	}
	if k.mayTry(pause) {
		return k.fetch(ctx)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing || k.read.IsZero() {
		return errNoKeys
	}
	return nil
}

func (k *issuerKeys) mayTry(pause time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.tried.IsZero() && time.Since(k.tried) < pause {
		return false
	}
	k.tried = time.Now()
	return true
}

// fetch replaces the keys by those that the issuer has now.
func (k *issuerKeys) fetch(ctx context.Context) error {
	// A caller who hangs up must not spoil the try for those behind them.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), issuerTime)
	defer cancel()
	keys, err := k.readKeys(ctx)
	if err == nil {
		err = k.KeyReplaceAll(ctx, keys)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failing = err != nil; k.failing {
		return errNoKeys
	}
	k.read = time.Now()
	return nil
}

// issuerTime bounds the reading of discovery document and keys together.
const issuerTime = 10 * time.Second

func (k *issuerKeys) readKeys(ctx context.Context) ([]jwkset.JWK, error) {
	address := k.o.JWKS
	if address == "" {
		var err error
		if address, err = k.discover(ctx); err != nil {
			return nil, err
		}
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := k.get(ctx, address, &set); err != nil {
		return nil, err
	}
	var keys []jwkset.JWK
	for _, raw := range set.Keys {
		var m jwkset.JWKMarshal
		if json.Unmarshal(raw, &m) != nil || m.KTY == jwkset.KtyOct {
			continue // a shared secret checks no signature here
		}
		m.X5U, m.X5C = "", nil // the key itself counts; no further address is read
		key, err := jwkset.NewJWKFromMarshal(m, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
		if err == nil {
			keys = append(keys, key) // of a kind that is not known: not for our tokens
		}
	}
	if len(keys) == 0 {
		return nil, errNoKeys
	}
	return keys, nil
}

// discover reads the address of the keys. A document that names another issuer is refused, as OpenID Connect Discovery
// 1.0, section 4.3, asks.
func (k *issuerKeys) discover(ctx context.Context) (string, error) {
	var doc struct {
		Issuer string `json:"issuer"`
		JWKS   string `json:"jwks_uri"`
	}
	if err := k.get(ctx, strings.TrimSuffix(k.o.Issuer, "/")+"/.well-known/openid-configuration", &doc); err != nil {
		return "", err
	}
	if doc.Issuer != k.o.Issuer || doc.JWKS == "" {
		return "", fmt.Errorf("%w: the discovery document names another issuer", errNoKeys)
	}
	return doc.JWKS, nil
}

func (k *issuerKeys) get(ctx context.Context, address string, target any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errNoKeys
	}
	res, err := k.o.Client.Do(req)
	if err != nil {
		return errNoKeys
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, issuerBytes)).Decode(target) != nil {
		return errNoKeys
	}
	return nil
}
