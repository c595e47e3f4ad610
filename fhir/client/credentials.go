package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Credentials gets tokens by the OAuth 2.0 client credentials grant (RFC 6749, section 4.4) and keeps each until shortly
// before it ends. It is safe for concurrent use.
type Credentials struct {
	URL, ID, Secret, Scope string
	Client                 *http.Client // nil: one with a time limit

	mu    sync.Mutex
	token string
	ends  time.Time
}

// Token gives a token that is valid for a while yet.
func (c *Credentials) Token(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != "" && time.Now().Before(c.ends) {
		return c.token, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if c.Scope != "" {
		form.Set("scope", c.Scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return "", fmt.Errorf("%w: no token", ErrUpstream)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret))
	client := http.Client{Timeout: 10 * time.Second}
	if c.Client != nil {
		client = *c.Client
	}
	// The secret is for the address that the configuration names.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("%w: no token", ErrUpstream)
	}
	defer res.Body.Close()
	var answer struct {
		Token   string `json:"access_token"`
		Type    string `json:"token_type"`
		Expires int64  `json:"expires_in"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&answer) != nil ||
		answer.Token == "" || !strings.EqualFold(answer.Type, "bearer") {
		return "", fmt.Errorf("%w: no token", ErrUpstream)
	}
	if answer.Expires <= 0 {
		answer.Expires = 60
	}
	c.token = answer.Token
	life := time.Duration(min(answer.Expires, 24*3600)) * time.Second
	c.ends = time.Now().Add(life - min(10*time.Second, life/2))
	return c.token, nil
}

// Reject forgets a token that the server did not take.
func (c *Credentials) Reject(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token == token {
		c.token = ""
	}
}
