package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

// The outcomes of authentication other than success.
var (
	errNoToken   = errors.New("no bearer token")
	errToken     = errors.New("token is not accepted")
	errExpired   = errors.New("token has expired")
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

// Authenticator tells who calls. It gives errNoToken, errToken, errExpired or errNoKeys.
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
	Clock            func() time.Time
}

// Verifier checks JSON Web Tokens against the issuer's keys.
type Verifier struct {
	issuer *issuerKeys
	keys   keyfunc.Keyfunc
	parser *jwt.Parser
}

// NewVerifier makes a verifier; ctx ends its background refresh. The keys are read when the first token comes, so that
// the server starts while the issuer is down.
func NewVerifier(ctx context.Context, o VerifierOptions) (*Verifier, error) {
	if len(o.Algorithms) == 0 {
		return nil, errors.New("server: no signature algorithm is allowed") // to the parser an empty list would mean all
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 5 * time.Second}
	}
	if o.Refresh == 0 {
		o.Refresh = 10 * time.Minute
	}
	if o.UnknownKey == 0 {
		o.UnknownKey = 10 * time.Second
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	issuer := newIssuerKeys(ctx, o)
	keys, err := keyfunc.New(keyfunc.Options{Ctx: ctx, Storage: issuer, UseWhitelist: []jwkset.USE{jwkset.UseSig, ""}})
	if err != nil {
		return nil, err
	}
	return &Verifier{issuer: issuer, keys: keys, parser: jwt.NewParser(
		jwt.WithValidMethods(o.Algorithms),
		jwt.WithIssuer(o.Issuer),
		jwt.WithAudience(o.Audience),
		jwt.WithExpirationRequired(),
		jwt.WithLeeway(30*time.Second),
		jwt.WithTimeFunc(o.Clock),
	)}, nil
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
	if err := v.issuer.load(r.Context()); err != nil {
		return Principal{}, err
	}
	var c claims
	if _, err := v.parser.ParseWithClaims(token, &c, v.key(r.Context())); err != nil {
		if errors.Is(err, errNoKeys) {
			return Principal{}, errNoKeys
		}
		if errors.Is(err, jwt.ErrTokenExpired) {
			return Principal{}, errExpired // said only of a token whose signature holds
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

// key finds the key of a token. A token that names extensions which its reader must understand is refused, since none is
// understood here (RFC 7515, section 4.1.11).
func (v *Verifier) key(ctx context.Context) jwt.Keyfunc {
	find := v.keys.KeyfuncCtx(ctx)
	return func(token *jwt.Token) (any, error) {
		if _, has := token.Header["crit"]; has {
			return nil, errToken
		}
		return find(token)
	}
}
