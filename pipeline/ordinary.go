package pipeline

import (
	"fhirdeid/pipeline/phi"
	"fhirdeid/pipeline/phi/lists"
)

// ordinary says that a word is so common as a noun, a verb or a medical term that a name made of it must not be looked
// for without its context: Herz, Klein, Rose, Young.
func (m *Memory) ordinary(word string) bool {
	w := lists.Lookup(m.fold.Fold(word).Text)
	return w.Common(phi.German) > 0 || w.Common(phi.English) > 0 || w.Medical() || w.Drug()
}
