package surrogate

import "sync"

// listKey names a part of a shared list: by the list itself, which is never changed.
type listKey struct {
	list   *string
	length int
	letter byte
}

// byLetter holds the parts of the lists that were asked for.
var byLetter sync.Map
