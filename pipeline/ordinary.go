package pipeline

import "fhirdeid/pipeline/phi"

// ordinary says that a word is used so commonly as a noun, a verb or a medical term that a name made of it must not be
// looked for without its context: Herz, Klein, Rose, Young.
func ordinary(word string, _ phi.Type) bool {
	return commonWord(word)
}
