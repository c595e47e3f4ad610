package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"fhirdeid/fhir"
)

// documentTypes are the resources that hold a patient's documents, and the search parameter that finds the patient's.
var documentTypes = []string{"DocumentReference", "DiagnosticReport"}

// Documents gives a patient of the upstream server, first, and then all its documents of the types that the caller may
// search.
func (c *Client) Documents(ctx context.Context, patient string) ([]Resource, error) {
	t, err := c.target(patient)
	if err != nil {
		return nil, err
	}
	if t.ref.Type != "Patient" || !t.home {
		return nil, ErrForbidden
	}
	bound := boundOf(ctx)
	if bound != nil && t.ref.ID != bound.caller.Patient {
		return nil, ErrForbidden
	}
	first, err := c.fetch(ctx, t)
	if err != nil {
		return nil, err
	}
	list := []Resource{first}
	for _, resourceType := range documentTypes {
		if !mayRead(ctx, resourceType) {
			continue
		}
		found, err := c.search(ctx, resourceType, url.Values{"patient": {t.ref.ID}, "_count": {"100"}}, c.o.MaxPages)
		if errors.Is(err, ErrNotFound) {
			continue // a server that does not know the type has no document of it
		}
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if !c.about(r.Node, t.ref.ID) {
				return nil, fmt.Errorf("%w: the answer is about another patient", ErrUpstream)
			}
			if bound != nil {
				c.permit(bound, r)
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// search follows the pages of a search. A next page elsewhere than on the upstream server is refused, and so is a search
// that goes on beyond the limit: half of a patient's documents would be taken for all of them.
func (c *Client) search(ctx context.Context, resourceType string, query url.Values, maxPages int) ([]Resource, error) {
	next, err := url.Parse(c.base.String() + "/" + resourceType + "?" + query.Encode())
	if err != nil {
		return nil, ErrForbidden
	}
	var list []Resource
	seen := map[string]bool{}
	for page := 0; next != nil; page++ {
		if page >= maxPages || seen[next.String()] {
			return nil, ErrTooLarge
		}
		seen[next.String()] = true
		body, _, err := c.get(ctx, next, true)
		if err != nil {
			return nil, err
		}
		bundle, err := fhir.Decode(body, fhir.Limits{})
		if err != nil || bundle.ResourceType() != "Bundle" {
			return nil, fmt.Errorf("%w: the answer is no Bundle", ErrUpstream)
		}
		for _, e := range bundle.Get("entry").Items() {
			mode := e.Text("search", "mode")
			if r := e.Get("resource"); r.ResourceType() == resourceType && (mode == "" || mode == "match") {
				list = append(list, Resource{r, c.base.String()})
			}
		}
		if next, err = c.nextPage(next, bundle); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (c *Client) nextPage(current *url.URL, bundle *fhir.Node) (*url.URL, error) {
	for _, l := range bundle.Get("link").Items() {
		if l.Text("relation") != "next" {
			continue
		}
		next, err := current.Parse(l.Text("url"))
		if err != nil || origin(next) != origin(c.base) || next.User != nil || !strings.HasPrefix(next.Path+"/", c.base.Path+"/") {
			return nil, ErrForbidden
		}
		return next, nil
	}
	return nil, nil
}
