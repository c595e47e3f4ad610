package deidentify

import (
	"context"
	"errors"
	"strings"

	"fhirdeid/fhir"
)

// pull reads the references and patients of a request, and the Binaries that their attachments point to.
func (s *Service) pull(ctx context.Context, r Request) ([]input, error) {
	if s.o.Puller == nil {
		return nil, fail(ErrForbidden, "", "this server reads from no other server")
	}
	p := &pulling{s: s, seen: map[string]bool{}}
	for _, reference := range r.References {
		got, err := s.o.Puller.Read(ctx, reference)
		if err != nil {
			return nil, pullError(ctx, err)
		}
		if err := p.add(got); err != nil {
			return nil, err
		}
		if err := p.company(ctx, got, r.OnUnsupported == "remove"); err != nil {
			return nil, err
		}
	}
	for _, patient := range r.Patients {
		got, err := s.o.Puller.Documents(ctx, patient)
		if err != nil {
			return nil, pullError(ctx, err)
		}
		for _, g := range got {
			if err := p.add(g); err != nil {
				return nil, err
			}
		}
		for _, g := range got {
			if err := p.company(ctx, g, r.OnUnsupported == "remove"); err != nil {
				return nil, err
			}
		}
	}
	return p.list, nil
}

// pulling gathers resources, each once.
type pulling struct {
	s    *Service
	list []input
	seen map[string]bool
}

func (p *pulling) add(g Pulled) error {
	if err := fhir.CheckResource(g.Resource); err != nil {
		return fail(ErrUpstream, "", "the other server answered with something that is no resource")
	}
	key := p.key(g.Base, g.Resource.ResourceType()+"/"+g.Resource.Text("id"))
	if p.seen[key] {
		return nil
	}
	p.seen[key] = true
	if len(p.list) >= p.s.o.Limits.Pulled {
		return fail(ErrTooLarge, "", "more resources had to be read than the limit")
	}
	p.list = append(p.list, input{node: g.Resource.Clone(), base: g.Base})
	return nil
}

func (p *pulling) key(base, literal string) string {
	if ref, err := fhir.ParseReference(literal); err == nil && ref.Kind == fhir.RefAbsolute {
		return ref.Base + ref.Type + "/" + ref.ID
	}
	return strings.TrimSuffix(base, "/") + "/" + literal
}

// company reads what is needed to understand a resource: the patient it is about, whose names stand in its texts, and
// the Binaries of its attachments, which are its content. A Binary that cannot be read fails the request, or with strip
// is left out: its attachment then loses the address, with a warning, as any whose content was not read.
func (p *pulling) company(ctx context.Context, g Pulled, strip bool) error {
	var wanted []string
	for _, name := range subjects {
		if literal := g.Resource.Text(name, "reference"); isType(literal, "Patient") {
			wanted = append(wanted, literal)
		}
	}
	eachURL(g.Resource, func(url string) {
		if isType(url, "Binary") {
			wanted = append(wanted, url)
		}
	})
	for _, literal := range wanted {
		if p.seen[p.key(g.Base, literal)] {
			continue
		}
		got, err := p.s.o.Puller.Read(ctx, literal)
		if err != nil && isType(literal, "Binary") {
			if strip && ctx.Err() == nil {
				continue
			}
			return linkError(ctx, err)
		}
		if err != nil {
			return pullError(ctx, err)
		}
		if err := p.add(got); err != nil {
			return err
		}
	}
	return nil
}

// linkError is pullError for what a document points to: that it may not be read, or is not there, is the document's
// fault and not the caller's.
func linkError(ctx context.Context, err error) error {
	if ctx.Err() == nil && (errors.Is(err, ErrForbidden) || errors.Is(err, ErrNotFound)) {
		return fail(ErrUnsupported, "", "a document points to content that may not or cannot be read")
	}
	return pullError(ctx, err)
}

func isType(literal, typ string) bool {
	ref, err := fhir.ParseReference(literal)
	return err == nil && ref.Type == typ && ref.ID != "" && ref.Kind != fhir.RefContained
}

// pullError keeps the kind of a puller's error and nothing else.
func pullError(ctx context.Context, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	switch {
	case errors.Is(err, ErrForbidden):
		return fail(ErrForbidden, "", "the target may not be read")
	case errors.Is(err, ErrNotFound):
		return fail(ErrNotFound, "", "the other server does not know the target")
	case errors.Is(err, ErrTooLarge):
		return fail(ErrTooLarge, "", "the other server's answer passes a limit")
	case errors.Is(err, ErrTimeout):
		return fail(ErrTimeout, "", "the other server did not answer in time")
	}
	return fail(ErrUpstream, "", "the other server failed")
}
