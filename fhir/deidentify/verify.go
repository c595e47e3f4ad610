package deidentify

import (
	"context"
	"slices"

	"fhirdeid/fhir"
	"fhirdeid/pipeline/known"
	"fhirdeid/pipeline/phi"
)

// verify searches everything that was written for the identifiers that the request named, as a recipient would read
// it: attachments and narratives are decoded once more. One found is a failure of the whole request.
func (w *writer) verify(ctx context.Context, inputs []input) error {
	for _, j := range w.jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if j.output == "" {
			continue
		}
		if w.leaks(j.patient, j.output, j.kept) {
			return fail(ErrLeak, j.path, "the text still holds an identifier of the patient; nothing is answered")
		}
	}
	for _, x := range w.rewritten {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := x.text(ctx, w.o.Limits.Attachment)
		if err != nil {
			return fail(ErrDetect, x.path, "the new content cannot be read again")
		}
		if text == x.job.output {
			continue
		}
		if w.leaks(x.job.patient, text, nil) {
			return fail(ErrLeak, x.path, "the content still holds an identifier of the patient; nothing is answered")
		}
	}
	for _, in := range inputs {
		path, leak := w.verifyResource(ctx, in.node, w.x.byNode[in.node])
		if err := ctx.Err(); err != nil {
			return err
		}
		if leak {
			return fail(ErrLeak, in.node.ResourceType()+path, "the element still holds an identifier of the patient; nothing is answered")
		}
	}
	return nil
}

// leaks says whether the text holds a known identifier outside of what was just written. What the policy lets stand is
// none.
func (w *writer) leaks(p *patient, text string, written []phi.Span) bool {
	inside := func(start, end int) bool {
		i, _ := slices.BinarySearchFunc(written, start, func(s phi.Span, at int) int {
			if s.End <= at {
				return -1
			}
			return 1
		})
		return i < len(written) && written[i].Start < end && start < written[i].End
	}
	found := append(w.detectors[p].Leaks(text, inside), w.detectors[nil].Leaks(text, inside)...)
	return slices.ContainsFunc(found, func(l known.Leak) bool {
		rule := w.policy.Text(l.Type)
		return rule.Detect && rule.Action != phi.Keep
	})
}

// verifyResource searches the strings that neither are codes nor were written from keys. Those that were read as text are
// searched already. Of a leak it tells where it stands. It gives up when the context ends.
func (w *writer) verifyResource(ctx context.Context, n *fhir.Node, outer *resource) (path string, leak bool) {
	if ctx.Err() != nil {
		return "", false
	}
	r := w.x.byNode[n]
	if r == nil {
		r = outer
	}
	return w.verifyTree(ctx, n, fhir.FieldsOf(n.ResourceType()), r)
}

func (w *writer) verifyTree(ctx context.Context, n *fhir.Node, fields *fhir.Fields, r *resource) (path string, leak bool) {
	for _, m := range n.Members() {
		if k := m.Value.Kind(); k != fhir.Object && k != fhir.Array && (k != fhir.String || m.Value.Mark() != 0) {
			continue
		}
		el := fields.Element(m.Key)
		if el == nil {
			continue // resourceType; a companion, whose extensions hold codes that the policy knows
		}
		if path, leak := w.verifyValue(ctx, m.Value, el, r); leak {
			return "." + m.Key + path, true
		}
	}
	return "", false
}

func (w *writer) verifyValue(ctx context.Context, n *fhir.Node, el *fhir.Element, r *resource) (path string, leak bool) {
	switch n.Kind() {
	case fhir.Array:
		for _, i := range n.Items() {
			if path, leak := w.verifyValue(ctx, i, el, r); leak {
				return path, true
			}
		}
	case fhir.Object:
		if el.Type == fhir.TypeResource {
			return w.verifyResource(ctx, n, r)
		}
		return w.verifyTree(ctx, n, el.Fields, r)
	case fhir.String:
		if n.Mark() != 0 || coded(el) {
			return "", false
		}
		s, _ := n.Str()
		return "", w.holds(r.patient, s)
	}
	return "", false
}

// holds says whether a string of the tree holds a known identifier. The same strings stand in many resources.
func (w *writer) holds(p *patient, s string) bool {
	key := searchKey{p, s}
	leak, ok := w.searched[key]
	if !ok {
		leak = w.leaks(p, s, nil)
		w.searched[key] = leak
	}
	return leak
}

// coded says whether the walk lets a value of the element stand only if it belongs to a list or has a form of its own.
func coded(el *fhir.Element) bool {
	switch el.Type {
	case fhir.TypeCode, fhir.TypeURI, fhir.TypeCanonical, fhir.TypeOID, fhir.TypeTime, fhir.TypeBase64:
		return true
	}
	switch el.Path {
	case "Coding.version", "Quantity.unit":
		return true
	}
	return false
}
