package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fhirdeid/fhir"
)

// Page sizes of searches.
const (
	defaultCount = 50
	maxCount     = 500
)

// read answers one stored resource.
func (s *Server) read(resourceType string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.permitRead(r, resourceType, Read, "read"); err != nil {
			return err
		}
		id := r.PathValue("id")
		if !fhir.ValidID(id) {
			return problemNotFound
		}
		body, err := s.o.Results.Read(r.Context(), resourceType, id)
		if err != nil {
			return err
		}
		return s.writeJSON(w, r, http.StatusOK, body)
	}
}

// permitRead lets tokens of system and user level read results. Results name patients by pseudonym only, so a
// patient-level token, which names its patient by the source's id, reaches none.
//
// What is read is noted in the trail first: what cannot be noted is not answered.
func (s *Server) permitRead(r *http.Request, resourceType string, p Permission, action string) error {
	who, err := s.caller(r)
	if err != nil {
		return err
	}
	if !acceptable(r) {
		return problemAccept
	}
	if !s.rates.allow(who.Client, s.o.Clock()) {
		return problemBusy
	}
	allowed, patientOnly := who.Scopes.Allow(resourceType, p)
	if !allowed || patientOnly {
		s.auditRefusal(r.Context(), who.Client)
		return problemScope
	}
	if err := s.audit(r.Context(), who.Client, action, "success"); err != nil {
		return problemUnavailable
	}
	return nil
}

// search answers a searchset.
func (s *Server) search(resourceType string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.permitRead(r, resourceType, Search, "search"); err != nil {
			return err
		}
		q, err := readQuery(resourceType, r.URL.Query(), lenient(r))
		if err != nil {
			return err
		}
		page, err := s.o.Results.Search(r.Context(), q)
		if err != nil {
			return err
		}
		return s.writeJSON(w, r, http.StatusOK, s.searchset(resourceType, q, page))
	}
}

func readQuery(resourceType string, params url.Values, ignoreUnknown bool) (Query, error) {
	q := Query{Type: resourceType, Count: defaultCount}
	for name, values := range params {
		value := values[0]
		if len(values) > 1 {
			return q, badSearch("a search parameter must not repeat")
		}
		var err error
		switch {
		case name == "_id":
			q.ID = value
		case resourceType == "Observation" && (name == "subject" || name == "patient"):
			q.Subject = typed(value, "Patient")
		case resourceType == "Observation" && name == "focus":
			q.Focus = value
		case resourceType == "Provenance" && name == "target":
			q.Target = value
		case name == "_count":
			q.Count, err = strconv.Atoi(value)
			q.Count = min(q.Count, maxCount)
		case name == "_after":
			q.After, err = strconv.ParseInt(value, 10, 64)
		case name == "_format" || name == "_total" || name == "_sort" || name == "_pretty":
		default:
			if !ignoreUnknown {
				return q, badSearch("a search parameter is not known")
			}
		}
		if err != nil || q.Count < 0 || q.After < 0 {
			return q, badSearch("a search parameter needs a number")
		}
	}
	return q, nil
}

func badSearch(text string) problem {
	return problem{status: http.StatusBadRequest, code: fhir.IssueInvalid, text: text}
}

// typed completes a bare id of a reference parameter.
func typed(value, resourceType string) string {
	if strings.Contains(value, "/") {
		return value
	}
	return resourceType + "/" + value
}

// searchset builds the Bundle of one page; the stored resources are taken as they are.
func (s *Server) searchset(resourceType string, q Query, page Page) []byte {
	type link struct {
		Relation string `json:"relation"`
		URL      string `json:"url"`
	}
	type entry struct {
		FullURL  string            `json:"fullUrl"`
		Resource json.RawMessage   `json:"resource"`
		Search   map[string]string `json:"search"`
	}
	base := strings.TrimSuffix(s.o.Base, "/") + "/" + resourceType
	bundle := struct {
		ResourceType string  `json:"resourceType"`
		Type         string  `json:"type"`
		Total        int     `json:"total"`
		Link         []link  `json:"link"`
		Entry        []entry `json:"entry,omitempty"`
	}{ResourceType: "Bundle", Type: "searchset", Total: page.Total, Link: []link{{"self", base + "?" + q.encode(q.After)}}}
	if page.Next > 0 {
		bundle.Link = append(bundle.Link, link{"next", base + "?" + q.encode(page.Next)})
	}
	for _, resource := range page.Resources {
		var head struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(resource, &head) // stored by us
		bundle.Entry = append(bundle.Entry, entry{base + "/" + head.ID, resource, map[string]string{"mode": "match"}})
	}
	body, _ := json.Marshal(bundle)
	return body
}

// encode writes the query as a URL's, from another place.
func (q Query) encode(after int64) string {
	v := url.Values{}
	for name, value := range map[string]string{"_id": q.ID, "subject": q.Subject, "focus": q.Focus, "target": q.Target} {
		if value != "" {
			v.Set(name, value)
		}
	}
	v.Set("_count", strconv.Itoa(q.Count))
	if after > 0 {
		v.Set("_after", strconv.FormatInt(after, 10))
	}
	return v.Encode()
}

// metadata answers the CapabilityStatement, without a token as clients ask for it.
func (s *Server) metadata(w http.ResponseWriter, r *http.Request) error {
	if !acceptable(r) {
		return problemAccept
	}
	return s.writeNode(w, r, http.StatusOK, s.o.Capability())
}

func (s *Server) definition(w http.ResponseWriter, r *http.Request) error {
	d := s.o.Definitions[r.PathValue("id")]
	if d == nil {
		return problemNotFound
	}
	return s.writeNode(w, r, http.StatusOK, d)
}

func (s *Server) definitions(w http.ResponseWriter, r *http.Request) error {
	var page Page
	for _, id := range sortedKeys(s.o.Definitions) {
		page.Resources = append(page.Resources, s.o.Definitions[id].Encode())
	}
	page.Total = len(page.Resources)
	return s.writeJSON(w, r, http.StatusOK, s.searchset("OperationDefinition", Query{Count: page.Total}, page))
}

func (s *Server) smart(w http.ResponseWriter, r *http.Request) error {
	if s.o.SMART == nil {
		return problemNotFound
	}
	body, err := json.Marshal(s.o.SMART)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, err = w.Write(body)
	return ignoreGone(err)
}

func sortedKeys(m map[string]*fhir.Node) []string { return slices.Sorted(maps.Keys(m)) }
