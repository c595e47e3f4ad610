package phi

// Action says what becomes of an element or of a span. The zero value removes, so that what no policy names is
// never passed through.
type Action uint8

// The actions. Scan, Pseudonymise and Copy are for elements only, Surrogate to Mask for spans and elements.
const (
	Remove       Action = iota // element or span goes
	Keep                       // stays as it is
	Scan                       // free text: detect and replace inside
	Pseudonymise               // ids and references: keyed hash
	Shift                      // dates: the patient's offset
	Generalise                 // year, age band, first ZIP digits
	Surrogate                  // consistent stand-in
	Tag                        // Name_Patient
	Redact                     // XXX-Name
	Mask                       // █ for every letter and digit
	ToCategory                 // the category's label
	actionCount
)

var actionNames = [actionCount]string{
	"remove", "keep", "scan", "pseudonymise", "shift", "generalise", "surrogate", "tag", "redact", "mask", "category",
}

// String gives the name that policies use.
func (a Action) String() string {
	if a >= actionCount {
		return "remove"
	}
	return actionNames[a]
}

// ParseAction reads a name as policies write it; keep-category is the API's word for category.
func ParseAction(name string) (Action, bool) {
	if name == "keep-category" {
		return ToCategory, true
	}
	for a, n := range actionNames {
		if n == name {
			return Action(a), true
		}
	}
	return Remove, false
}
