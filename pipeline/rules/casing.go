package rules

// nameState remembers what is computed once per text.
type nameState struct {
	known, lower bool

	last  name // what hintedRun read last
	read  bool
	spans int // findings then
}

func (n *nameState) reset() { *n = nameState{} }

// lowerCase says whether the text hardly uses capitals: a fifth of its sentences' words, sampled from its beginning.
func (n *nameState) lowerCase(s *scan) bool {
	if n.known {
		return n.lower
	}
	words, capitals := 0, 0
	for i := range s.toks {
		if s.at(i).kind != word || s.at(i).runes < 3 {
			continue
		}
		words++
		if s.at(i).shape != lower {
			capitals++
		}
		if words == 2000 {
			break
		}
	}
	n.known, n.lower = true, words > 8 && capitals*12 < words
	return n.lower
}

// keyOf folds a word for a look-up in the lexicon.
func keyOf(w string) string {
	key, _, _, _ := readWord(make([]byte, 0, 64), w)
	return string(key)
}
