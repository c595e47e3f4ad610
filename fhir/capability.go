package fhir

import "slices"

const serverName = "fhirdeid"

// ServerInfo is what the CapabilityStatement says about the server.
type ServerInfo struct {
	Version   string
	Date      string // date of the release, YYYY-MM-DD
	URL       string // base of the server, without a slash at its end
	Security  SecurityInfo
	Resources []ResourceInfo // what can be read and searched besides operations
}

// SecurityInfo is how clients log in; nothing where they need not.
type SecurityInfo struct {
	SMART        bool
	AuthorizeURL string // with TokenURL, for clients that read no .well-known/smart-configuration
	TokenURL     string
	Description  string
}

// ResourceInfo is a resource type with what the server does with it.
type ResourceInfo struct {
	Type         string
	Interactions []string // read, search-type …
	Search       []SearchParam
}

// SearchParam is a search parameter, its type a code such as reference, token or date.
type SearchParam struct{ Name, Type, Documentation string }

// NewCapabilityStatement builds the statement. Operations carry no $ in their names.
func NewCapabilityStatement(s ServerInfo) *Node {
	rest := NewObject("mode", NewString("server"))
	if sec := s.Security.node(); sec != nil {
		rest.Set("security", sec)
	}
	rest.Set("resource", s.resources())
	system := NewArray()
	for _, o := range Operations() {
		if o.System {
			system.Append(o.mention(s.URL))
		}
	}
	rest.Set("operation", system)
	return NewResource("CapabilityStatement",
		"id", NewString(serverName),
		"url", NewString(s.URL+"/metadata"),
		"version", NewString(cmpOr(s.Version, "0")),
		"name", NewString(serverName),
		"title", NewString("De-identification of FHIR resources and their text"),
		"status", NewString("active"),
		"date", NewString(s.Date),
		"publisher", NewString(serverName),
		"description", NewString("Takes FHIR R4 resources with their free text and attachments and answers with de-identified ones, Provenance and an estimate of the risk."),
		"kind", NewString("instance"),
		"software", NewObject("name", NewString(serverName), "version", NewString(cmpOr(s.Version, "0"))),
		"implementation", NewObject("description", NewString("De-identification server"), "url", NewString(s.URL)),
		"fhirVersion", NewString("4.0.1"),
		"format", newStrings([]string{"application/fhir+json", "json"}),
		"rest", NewArray(rest),
	)
}

func (o Operation) mention(base string) *Node {
	return NewObject("name", NewString(o.Code), "definition", NewString(o.URL(base)), "documentation", NewString(o.Description))
}

// resources lists the types that can be read, and those that have operations, in alphabetical order.
func (s ServerInfo) resources() *Node {
	byType := map[string]*Node{}
	var names []string
	get := func(name string) *Node {
		if byType[name] == nil {
			byType[name] = NewObject("type", NewString(name))
			names = append(names, name)
		}
		return byType[name]
	}
	for _, r := range s.Resources {
		n := get(r.Type)
		if len(r.Interactions) > 0 {
			list := NewArray()
			for _, code := range r.Interactions {
				list.Append(NewObject("code", NewString(code)))
			}
			n.Set("interaction", list)
		}
		if len(r.Search) > 0 {
			list := NewArray()
			for _, p := range r.Search {
				param := NewObject("name", NewString(p.Name), "type", NewString(p.Type))
				if p.Documentation != "" {
					param.Set("documentation", NewString(p.Documentation))
				}
				list.Append(param)
			}
			n.Set("searchParam", list)
		}
	}
	for _, o := range Operations() {
		for _, name := range o.Resources {
			n := get(name)
			if n.Get("operation") == nil {
				n.Set("operation", NewArray())
			}
			n.Get("operation").Append(o.mention(s.URL))
		}
	}
	slices.Sort(names)
	list := NewArray()
	for _, name := range names {
		list.Append(byType[name])
	}
	return list
}

const oauthURIs = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"

func (s SecurityInfo) node() *Node {
	if !s.SMART && s.Description == "" {
		return nil
	}
	n := NewObject()
	if s.TokenURL != "" && s.AuthorizeURL != "" {
		n.Set("extension", NewArray(NewObject("url", NewString(oauthURIs), "extension", NewArray(
			NewObject("url", NewString("authorize"), "valueUri", NewString(s.AuthorizeURL)),
			NewObject("url", NewString("token"), "valueUri", NewString(s.TokenURL)),
		))))
	}
	if s.SMART {
		n.Set("service", NewArray(Concept("", Coded{
			"http://terminology.hl7.org/CodeSystem/restful-security-service", "SMART-on-FHIR", "SMART-on-FHIR",
		})))
	}
	if s.Description != "" {
		n.Set("description", NewString(s.Description))
	}
	return n
}
