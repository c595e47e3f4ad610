// Package canary makes resources in which every string-like element of R4 holds a marked secret, so that a search for
// the mark proves that nothing of an input got somewhere.
package canary

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"fhirdeid/fhir"
)

// Mark is in every secret. It is long enough to stand nowhere by chance, not in hashes or base64 either.
const Mark = "kanarienvogel"

// Generator makes resources. The zero value makes them with secrets in every string-like element; the same calls in the
// same order make the same resources.
type Generator struct {
	// Valid gives elements with a required binding one of its codes, so that what stands around them survives. Without
	// it they hold secrets too.
	Valid bool
	// Secrets counts those made so far.
	Secrets int
	// Coded counts the elements that held a code of their binding instead of a secret, by path.
	Coded map[string]int

	choices int
}

// Address gives a secret as an e-mail address, which is found in any text.
func (g *Generator) Address() string {
	g.Secrets++
	return fmt.Sprintf("s%d%s@%s.example", g.Secrets, Mark, Mark)
}

// Word gives a secret as one word, for what is no text: ids, codes, parts of addresses.
func (g *Generator) Word() string {
	g.Secrets++
	return fmt.Sprintf("s%d%s", g.Secrets, Mark)
}

// Resource fills a resource of a type, depth levels of elements deep.
func (g *Generator) Resource(typ string, depth int) *fhir.Node {
	n := fhir.NewResource(typ)
	g.fill(n, fhir.FieldsOf(typ), depth)
	return n
}

// Bundle puts resources of the types into one Bundle of type collection.
func (g *Generator) Bundle(depth int, types ...string) *fhir.Node {
	entries := fhir.NewArray()
	for _, typ := range types {
		r := g.Resource(typ, depth)
		if typ == "Bundle" {
			r.Set("type", fhir.NewString("collection"))
		}
		entries.Append(fhir.NewObject("fullUrl", fhir.NewString("https://"+Mark+".example/"+typ+"/"+g.Word()), "resource", r))
	}
	return fhir.NewResource("Bundle", "id", fhir.NewString(g.Word()), "type", fhir.NewString("collection"), "entry", entries)
}

func (g *Generator) fill(n *fhir.Node, fields *fhir.Fields, depth int) {
	variants := map[string][]*fhir.Element{}
	for _, el := range fields.Elements {
		if el.Choice != "" && (depth > 0 || el.Primitive()) {
			variants[el.Choice] = append(variants[el.Choice], el)
		}
	}
	for _, el := range fields.Elements {
		if el.Name == "modifierExtension" || depth == 0 && !el.Required && !el.Primitive() {
			continue
		}
		if list := variants[el.Choice]; el.Choice != "" {
			if len(list) == 0 || slices.Index(list, el) != 0 {
				continue
			}
			// One variant of a choice; another each time.
			g.choices++
			el = list[g.choices%len(list)]
		}
		v := g.value(el, fields.Name, depth)
		if v == nil {
			continue
		}
		if el.List {
			v = fhir.NewArray(v)
		}
		n.Set(el.Name, v)
	}
}

func text(s string) *fhir.Node { return fhir.NewString(s) }

func (g *Generator) value(el *fhir.Element, parent string, depth int) *fhir.Node {
	url := "https://" + Mark + ".example/"
	switch el.Type {
	case fhir.TypeString, fhir.TypeMarkdown:
		return text(g.Address())
	case fhir.TypeCode:
		if codes := el.Codes.Codes(); g.Valid && len(codes) > 0 {
			if g.Coded == nil {
				g.Coded = map[string]int{}
			}
			g.Coded[el.Path]++
			return text(codes[0])
		}
		if strings.HasSuffix(el.Path, ".contentType") {
			return text("text/plain")
		}
		return text(g.Word())
	case fhir.TypeID:
		return text(g.Word())
	case fhir.TypeURI, fhir.TypeURL, fhir.TypeCanonical:
		return text(url + g.Word())
	case fhir.TypeOID:
		return text("urn:oid:1.2.3." + g.Word())
	case fhir.TypeUUID:
		return text("urn:uuid:" + g.Word())
	case fhir.TypeXHTML:
		return text(`<div xmlns="http://www.w3.org/1999/xhtml" title="` + g.Address() + `"><!-- ` + g.Address() + ` --><p>` + g.Address() + `</p></div>`)
	case fhir.TypeBase64:
		switch el.Name {
		case "data":
			return text(base64.StdEncoding.EncodeToString([]byte("Bitte an " + g.Address() + " schreiben.")))
		case "hash":
			return nil // has to fit the data
		}
		return text(base64.StdEncoding.EncodeToString([]byte(g.Address())))
	case fhir.TypeDate:
		return text("2020-02-29")
	case fhir.TypeDateTime, fhir.TypeInstant:
		return text("2020-02-29T10:00:00Z")
	case fhir.TypeTime:
		return text("10:00:00")
	case fhir.TypeBoolean:
		return fhir.NewBool(true)
	case fhir.TypeInteger, "positiveInt", "unsignedInt":
		if el.Path == "Attachment.size" {
			return nil // has to fit the data
		}
		return fhir.NewNumber("1")
	case fhir.TypeDecimal:
		return fhir.NewNumber("1.0")
	case fhir.TypeResource:
		return fhir.NewResource("Basic", "id", text(g.Word()), "code", fhir.NewObject("text", text(g.Address())))
	case fhir.TypeReference:
		return fhir.NewObject("reference", text("Patient/"+g.Word()), "display", text(g.Address()), "type", text(g.Word()),
			"identifier", fhir.NewObject("system", text(url+g.Word()), "value", text(g.Word())))
	case fhir.TypeExtension:
		if parent == "Extension" {
			return nil
		}
		return fhir.NewObject("url", text("http://hl7.org/fhir/StructureDefinition/patient-birthPlace"), "valueAddress",
			fhir.NewObject("text", text(g.Address()), "city", text(g.Word())))
	}
	if el.Fields == nil || depth < -2 {
		return nil
	}
	n := fhir.NewObject()
	g.fill(n, el.Fields, depth-1)
	if len(n.Members()) == 0 {
		return nil
	}
	return n
}
