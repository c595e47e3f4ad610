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
	client := c.Client
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Second}
	}
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
	c.ends = time.Now().Add(time.Duration(answer.Expires)*time.Second - 10*time.Second)
	return c.token, nil
}
