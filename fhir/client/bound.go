package client

import (
	"context"
	"net/url"
	"sync"

	"fhirdeid/fhir"
)

// Caller is on whose behalf is read.
type Caller struct {
	Token   string // bearer token, for passing on
	Patient string // id of the one patient that the caller is bound to; empty: not bound
	// MayRead says which types of a patient's documents the caller may read; nil: all.
	MayRead func(resourceType string) bool
}

type callerKey struct{}

// As prepares a context for reading on a caller's behalf.
func As(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, &bound{caller: c, files: map[string]bool{}})
}

// bound remembers, for one request of a caller bound to a patient, which files the patient's documents point to.
type bound struct {
	caller Caller

	mu    sync.Mutex
	files map[string]bool
}

func callerToken(ctx context.Context) string {
	if b, ok := ctx.Value(callerKey{}).(*bound); ok {
		return b.caller.Token
	}
	return ""
}

func mayRead(ctx context.Context, resourceType string) bool {
	b, ok := ctx.Value(callerKey{}).(*bound)
	return !ok || b.caller.MayRead == nil || b.caller.MayRead(resourceType)
}

func boundOf(ctx context.Context) *bound {
	if b, ok := ctx.Value(callerKey{}).(*bound); ok && b.caller.Patient != "" {
		return b
	}
	return nil
}

// readBound reads within the compartment of the caller's patient. Documents are searched for by patient, so that a
// foreign one is as absent as one that does not exist. A Binary belongs to no compartment and is read only when a
// document of the patient points to it.
func (c *Client) readBound(ctx context.Context, b *bound, t target) (Resource, error) {
	switch t.ref.Type {
	case "Patient":
		if t.ref.ID != b.caller.Patient || !t.home {
			return Resource{}, ErrForbidden
		}
		return c.fetch(ctx, t)
	case "Binary", "":
		if !b.permits(t.url) {
			return Resource{}, ErrForbidden
		}
		return c.fetch(ctx, t)
	case "Practitioner", "PractitionerRole", "Organization", "Location":
		return c.fetch(ctx, t) // belong to no patient; their names are needed to find them in the text
	}
	if !t.home {
		return Resource{}, ErrForbidden
	}
	query := url.Values{"_id": {t.ref.ID}, "patient": {b.caller.Patient}}
	found, err := c.search(ctx, t.ref.Type, query, 1)
	if err != nil {
		return Resource{}, err
	}
	for _, r := range found {
		if r.Node.Text("id") == t.ref.ID && c.about(r.Node, b.caller.Patient) {
			c.permit(b, r)
			return r, nil
		}
	}
	return Resource{}, ErrForbidden
}

// about says whether a resource names the patient as the one it is about, so that a server which ignores a search
// parameter is not believed.
func (c *Client) about(n *fhir.Node, patient string) bool {
	for _, name := range []string{"subject", "patient", "beneficiary"} {
		if t, err := c.target(n.Text(name, "reference")); err == nil && t.home && t.ref.Type == "Patient" && t.ref.ID == patient {
			return true
		}
	}
	return false
}

// permit lets the files be read that a document of the patient points to.
func (c *Client) permit(b *bound, r Resource) {
	b.mu.Lock()
	defer b.mu.Unlock()
	visitURLs(r.Node, func(reference string) {
		if t, err := c.target(reference); err == nil {
			b.files[t.url.String()] = true
		}
	})
}

func (b *bound) permits(u *url.URL) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.files[u.String()]
}

// visitURLs visits the URL of every attachment of a resource.
func visitURLs(n *fhir.Node, visit func(string)) {
	for _, m := range n.Members() {
		if m.Key == "attachment" || m.Key == "presentedForm" || m.Key == "content" {
			for _, a := range append(m.Value.Items(), m.Value) {
				if u := a.Text("url"); u != "" {
					visit(u)
				}
			}
		}
		visitURLs(m.Value, visit)
	}
	for _, item := range n.Items() {
		visitURLs(item, visit)
	}
}
