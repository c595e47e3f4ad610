package lists

import "slices"

// Batch looks up the words of a text together. The lists are far larger than the processor's caches, so that a single
// look-up is little else than waiting for memory; those of a batch wait at the same time. It is used by one goroutine
// and its room is used again.
type Batch struct {
	keys   []byte
	ends   []int32  // of each key
	hashes []uint32 // of each key
	found  []uint32
	words  []Word
}

// Reset forgets the words added before.
func (b *Batch) Reset() {
	b.keys, b.ends, b.hashes = b.keys[:0], b.ends[:0], b.hashes[:0]
}

// Len is the number of words added.
func (b *Batch) Len() int { return len(b.ends) }

// Room gives an empty slice with room for n bytes, in which the next word can be written; Take then adds it.
func (b *Batch) Room(n int) []byte {
	at := len(b.keys)
	b.keys = slices.Grow(b.keys, n)
	return b.keys[at : at : at+n]
}

// Take adds the word of n bytes that was written where Room said.
func (b *Batch) Take(n int) {
	at := len(b.keys)
	b.keys = b.keys[:at+n]
	b.ends = append(b.ends, int32(len(b.keys)))
	b.hashes = append(b.hashes, Hash(b.keys[at:]))
}

// AddHashed adds a folded word of which the hash is h. Words that Lookup would not know for their length are not known
// here either.
func (b *Batch) AddHashed(folded string, h uint32) {
	b.keys = append(b.keys, folded...)
	b.ends = append(b.ends, int32(len(b.keys)))
	b.hashes = append(b.hashes, h)
}

// Hash gives the hash of the word that was added as number i.
func (b *Batch) Hash(i int) uint32 { return b.hashes[i] }

// Key gives the word that was added as number i.
func (b *Batch) Key(i int) []byte {
	from := int32(0)
	if i > 0 {
		from = b.ends[i-1]
	}
	return b.keys[from:b.ends[i]]
}

// Lookup gives what Lookup says of each word, in the order of adding. The answer is valid until the next call.
func (b *Batch) Lookup() []Word {
	d := words()
	n := len(b.ends)
	if cap(b.words) < n {
		b.words, b.found = make([]Word, n+n/4), make([]uint32, n+n/4)
	}
	out, slots := b.words[:n], b.found[:n]
	// The slot of each word, or 0: loads that do not depend on each other.
	for i, h := range b.hashes {
		slot := d.slots[h>>(32-slotBits)]
		if slot != 0 && (slot^h<<offsetBits)&^offsetMask != 0 {
			slot = d.next(h)
		}
		slots[i] = slot
	}
	// The head of each record, which brings its text along.
	for i, slot := range slots {
		out[i] = 0
		if slot != 0 {
			head := d.records[slot&offsetMask-1:]
			out[i] = Word(head[0]) | Word(head[1])<<8 | Word(head[2])<<16
		}
	}
	from := int32(0)
	for i, slot := range slots {
		end := b.ends[i]
		key := b.keys[from:end]
		from = end
		switch {
		case slot == 0:
		case len(key) == 0 || len(key) > 255:
			out[i] = 0
		default:
			at := int(slot&offsetMask-1) + headSize
			if int(out[i]&0xff) == len(key) && string(d.records[at:at+len(key)]) == string(key) {
				out[i] = d.kinds[out[i]>>8]
			} else {
				out[i] = find(d, key) // another word of the same hash bits
			}
		}
	}
	return out
}

// next gives the first slot at or behind the place of the hash whose bits are those of the hash, or 0.
func (d *dictionary) next(h uint32) uint32 {
	for at := h >> (32 - slotBits); ; at = (at + 1) & (1<<slotBits - 1) {
		if slot := d.slots[at]; slot == 0 || (slot^h<<offsetBits)&^offsetMask == 0 {
			return slot
		}
	}
}
