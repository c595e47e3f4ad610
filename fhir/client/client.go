// Package client reads from other FHIR servers: the upstream that documents are pulled from, and the origins that its
// attachments may point to. Where it connects to is decided by an allow-list, and checked again for every redirect and
// every address that a name resolves to.
package client

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fhirdeid/fhir"
)

// The outcomes of a read other than success. No error quotes an address or an answer.
var (
	ErrForbidden = errors.New("not permitted")
	ErrNotFound  = errors.New("not found")
	ErrTooLarge  = errors.New("answer is larger than the limit")
	ErrUpstream  = errors.New("other server failed")
	ErrTimeout   = errors.New("other server did not answer in time")
)

// Options says what may be read, and how.
type Options struct {
	Base         string   // FHIR base of the upstream server
	Origins      []string // further origins, scheme://host:port, that attachments may point to
	AllowPrivate bool     // origins may resolve to private addresses though they did not when the client was made
	Transport    *http.Transport
	Timeout      time.Duration // of one answer; 0: 20 seconds
	MaxBytes     int64         // of one answer, unpacked; 0: 64 MiB
	Retries      int           // of an answer that says to come again
	Token        TokenSource   // nil: none, or that of the caller
	PassToken    bool          // hand the caller's token on to the upstream server
	MaxPages     int           // of a search; 0: 200
	Resolver     Resolver      // nil: the system's
}

// Resolver finds the addresses of a name.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// TokenSource gives the bearer token for the upstream server.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
	// Reject says that the server did not take the token, so that it is not given again.
	Reject(token string)
}

// Resource is what was read.
type Resource struct {
	Node *fhir.Node
	Base string // FHIR base that it came from, without a slash at its end
}

// Client reads resources. It is safe for concurrent use.
type Client struct {
	o       Options
	base    *url.URL
	origins map[string]bool
	http    *http.Client
	wait    func(ctx context.Context, d time.Duration) error
}

// New makes a client. The names of all origins are resolved once, so that a name which later turns to an address of
// another kind is noticed.
func New(ctx context.Context, o Options) (*Client, error) {
	if o.Timeout <= 0 {
		o.Timeout = 20 * time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	if o.MaxPages <= 0 {
		o.MaxPages = 200
	}
	base, err := url.Parse(strings.TrimRight(o.Base, "/"))
	if err != nil || base.Host == "" {
		return nil, errors.New("client: the base is no URL")
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	c := &Client{o: o, base: base, origins: map[string]bool{}, wait: sleep}
	for _, text := range append([]string{o.Base}, o.Origins...) {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("client: an origin is no http or https URL")
		}
		c.origins[origin(u)] = true
	}
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	transport.Proxy = nil // a proxy would resolve names for us, past the check
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	guard := newGuard(ctx, o.Resolver, c.origins, o.AllowPrivate)
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return guard.dial(ctx, dialer, network, address)
	}
	transport.ResponseHeaderTimeout = o.Timeout
	c.http = &http.Client{Transport: transport, Timeout: o.Timeout, CheckRedirect: c.redirect}
	return c, nil
}

// origin gives scheme, host and port, the port always written.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

const maxRedirects = 3

// redirect lets a redirect be followed within the allowed origins. net/http keeps the token on its way to another port of
// the same host, which is another server.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || !c.origins[origin(req.URL)] || req.URL.User != nil {
		return ErrForbidden
	}
	if origin(req.URL) != origin(c.base) {
		req.Header.Del("Authorization")
	}
	return nil
}

// Read gives the resource that a reference points to: relative to the upstream, absolute within the allowed origins, or
// the URL of a file, which comes as a Binary. A caller that is bound to a patient gets that patient's documents only.
func (c *Client) Read(ctx context.Context, reference string) (Resource, error) {
	target, err := c.target(reference)
	if err != nil {
		return Resource{}, err
	}
	bound := boundOf(ctx)
	if bound != nil {
		return c.readBound(ctx, bound, target)
	}
	return c.fetch(ctx, target)
}

// target is a reference made absolute.
type target struct {
	url      *url.URL
	ref      fhir.Ref // Type and ID are empty for the URL of a file
	base     string
	upstream bool // lies on the upstream's origin, so that its token is meant for it
	home     bool // lies below the upstream's FHIR base
}

func (c *Client) target(reference string) (target, error) {
	ref, err := fhir.ParseReference(reference)
	if err == nil && ref.Kind == fhir.RefRelative {
		u, err := url.Parse(c.base.String() + "/" + ref.Type + "/" + url.PathEscape(ref.ID))
		if err != nil || !fhir.IsResource(ref.Type) || !fhir.ValidID(ref.ID) {
			return target{}, ErrNotFound
		}
		return target{u, ref, c.base.String(), true, true}, nil
	}
	u, perr := url.Parse(reference)
	if perr != nil || u.Host == "" || u.User != nil || !c.origins[origin(u)] {
		return target{}, ErrForbidden
	}
	t := target{url: u, base: origin(u), upstream: origin(u) == origin(c.base)}
	if err == nil && ref.Kind == fhir.RefAbsolute {
		t.ref, t.base = ref, strings.TrimSuffix(ref.Base, "/")
		t.home = t.base == c.base.String()
	}
	return t, nil
}

// fetch reads a resource, or a file as a Binary.
func (c *Client) fetch(ctx context.Context, t target) (Resource, error) {
	body, contentType, err := c.get(ctx, t.url, t.upstream)
	if err != nil {
		return Resource{}, err
	}
	media, _, _ := mime.ParseMediaType(contentType)
	if media == "application/fhir+json" || media == "application/json" && t.ref.Type != "" {
		node, err := fhir.Decode(body, fhir.Limits{})
		if err != nil || node.ResourceType() == "" {
			return Resource{}, fmt.Errorf("%w: the answer is no FHIR resource", ErrUpstream)
		}
		if t.ref.Type != "" && (node.ResourceType() != t.ref.Type || node.Text("id") != t.ref.ID) {
			return Resource{}, fmt.Errorf("%w: the answer is another resource", ErrUpstream)
		}
		return Resource{node, t.base}, nil
	}
	if t.ref.Type != "" && t.ref.Type != "Binary" {
		return Resource{}, fmt.Errorf("%w: the answer is no FHIR resource", ErrUpstream)
	}
	node := fhir.NewResource("Binary")
	if t.ref.ID != "" {
		node.Set("id", fhir.NewString(t.ref.ID))
	}
	node.Set("contentType", fhir.NewString(contentType))
	node.Set("data", fhir.NewString(base64.StdEncoding.EncodeToString(body)))
	return Resource{node, t.base}, nil
}

// get reads one answer, and comes again when that may help.
func (c *Client) get(ctx context.Context, u *url.URL, upstream bool) (body []byte, contentType string, err error) {
	for try := 0; ; try++ {
		a, err := c.getOnce(ctx, u, upstream)
		if err == nil || !a.again || try >= c.o.Retries {
			return a.body, a.contentType, err
		}
		pause := max(time.Duration(try+1)*firstPause, a.after)
		if err := c.wait(ctx, pause); err != nil {
			return nil, "", err
		}
	}
}

// firstPause is how long is waited before the first new try; longestPause the most that a server may ask for.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
)

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer is what one request gave.
type answer struct {
	body        []byte
	contentType string
	again       bool          // another try may give something else
	after       time.Duration // how long the server asked to wait
}

func (c *Client) getOnce(ctx context.Context, u *url.URL, upstream bool) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return answer{}, ErrForbidden
	}
	req.Header.Set("Accept", "application/fhir+json, application/json;q=0.9, */*;q=0.1")
	// A token is for the upstream server; what its documents point to elsewhere must not see it.
	token := ""
	if upstream {
		if token, err = c.token(ctx); err != nil {
			return answer{}, err
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
	}
	res, err := c.http.Do(req)
	if err != nil {
		err = c.failure(ctx, err)
		return answer{again: errors.Is(err, ErrUpstream)}, err // a server that hangs is not asked to hang again
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return c.refusal(res, token)
	}
	if res.ContentLength > c.o.MaxBytes {
		return answer{}, ErrTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, c.o.MaxBytes+1))
	if err != nil {
		err = c.failure(ctx, err)
		return answer{again: errors.Is(err, ErrUpstream)}, err
	}
	if int64(len(body)) > c.o.MaxBytes {
		return answer{}, ErrTooLarge
	}
	return answer{body: body, contentType: res.Header.Get("Content-Type")}, nil
}

// refusal gives the error for a status other than success.
func (c *Client) refusal(res *http.Response, token string) (answer, error) {
	switch code := res.StatusCode; {
	case c.o.PassToken && (code == http.StatusNotFound || code == http.StatusGone || code == http.StatusUnauthorized || code == http.StatusForbidden):
		// The other server decides what this caller may see; whether there is something it may not see is not for us to tell.
		return answer{}, ErrForbidden
	case code == http.StatusNotFound || code == http.StatusGone:
		return answer{}, ErrNotFound
	case code == http.StatusUnauthorized && c.o.Token != nil && token != "":
		c.o.Token.Reject(token)
		return answer{again: true}, fmt.Errorf("%w: status %d", ErrUpstream, code)
	case code == http.StatusForbidden:
		return answer{}, ErrForbidden
	default:
		a := answer{again: code == http.StatusTooManyRequests || code >= http.StatusBadGateway}
		if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
			a.after = min(time.Duration(min(seconds, 3600))*time.Second, longestPause)
		}
		return a, fmt.Errorf("%w: status %d", ErrUpstream, code)
	}
}

// failure names the kind of a network error; its text can quote the address.
func (c *Client) failure(ctx context.Context, err error) error {
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrForbidden):
		return ErrForbidden
	case errors.As(err, &timeout) && timeout.Timeout():
		return ErrTimeout
	}
	return fmt.Errorf("%w: no connection", ErrUpstream)
}

func (c *Client) token(ctx context.Context) (string, error) {
	if c.o.PassToken {
		return callerToken(ctx), nil
	}
	if c.o.Token != nil {
		return c.o.Token.Token(ctx)
	}
	return "", nil
}
