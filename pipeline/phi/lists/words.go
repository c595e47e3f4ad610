package lists

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"iter"
	"sync"

	"fhirdeid/pipeline/phi"
)

// Word is what the lists know of one folded word or place name; zero: nothing.
type Word uint32

// Layout of a Word. Levels run from 0, not listed, to 3, frequent or certain.
const (
	FemaleBit    Word = 1 << 0 // first name of women
	MaleBit      Word = 1 << 1 // first name of men; both bits: either
	FirstShift        = 2      // level of the first name, 2 bits
	RankShift         = 4      // surname: 8 - rank, 3 bits; 0: no surname
	EnglishShift      = 7      // level as an everyday or clinical English word, 2 bits
	GermanShift       = 9      // the same for German
	MedicalBit   Word = 1 << 11
	DrugBit      Word = 1 << 12
	EponymBit    Word = 1 << 13
	CityShift         = 14 // level as a place, 2 bits
	CountryBit   Word = 1 << 16
	StateBit     Word = 1 << 17
	JobBit       Word = 1 << 18 // occupation of one word
)

// FirstName gives the level of the word as a first name.
func (w Word) FirstName() int { return int(w >> FirstShift & 3) }

// Gender gives 'f', 'm', or 0 for a name of both or of neither.
func (w Word) Gender() byte {
	switch w & (FemaleBit | MaleBit) {
	case FemaleBit:
		return 'f'
	case MaleBit:
		return 'm'
	}
	return 0
}

// Surname gives the level of the word as a surname: 0 none, 1 rare, to 7 among the most frequent.
func (w Word) Surname() int { return int(w >> RankShift & 7) }

// Common gives the level of the word as one of the language; without a language the higher of both.
func (w Word) Common(lang phi.Language) int {
	en, de := int(w>>EnglishShift&3), int(w>>GermanShift&3)
	switch lang {
	case phi.English:
		return en
	case phi.German:
		return de
	}
	return max(en, de)
}

// Medical says whether the word is one of medicine: a finding, an organ, a procedure.
func (w Word) Medical() bool { return w&MedicalBit != 0 }

// Drug says whether the word names a drug.
func (w Word) Drug() bool { return w&DrugBit != 0 }

// Eponym says whether diseases, signs or tools are named after a person of this name.
func (w Word) Eponym() bool { return w&EponymBit != 0 }

// City gives the level of the word as a place: 1 a village, 2 a town, 3 a city.
func (w Word) City() int { return int(w >> CityShift & 3) }

// Country says whether the word names a country.
func (w Word) Country() bool { return w&CountryBit != 0 }

// State says whether the word names a state, a canton or a province.
func (w Word) State() bool { return w&StateBit != 0 }

// Job says whether the word is an occupation.
func (w Word) Job() bool { return w&JobBit != 0 }

//go:embed data/words.gz
var wordData []byte

// dictionary is a hash table over one block of records: no pointer per word, so that the collector has nothing to do,
// and a word that is listed costs two places of memory, one that is not costs one.
type dictionary struct {
	records []byte   // of each word its length, the number of its Word (low byte, high byte), its text
	kinds   []Word   // by number
	slots   []uint32 // where a record begins + 1 in the low bits, hash bits above
}

const (
	slotBits   = 20
	offsetBits = 23
	offsetMask = 1<<offsetBits - 1
	headSize   = 3 // of a record
)

var words = sync.OnceValue(func() *dictionary {
	raw := inflate(wordData)
	return decode(raw)
})

// inflate reads an embedded file, which cannot be broken unless the build is.
func inflate(data []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic("lists: embedded data: " + err.Error()) //nolint:forbidigo // the data is part of the binary
	}
	size := int(binary.LittleEndian.Uint32(data[len(data)-4:]))
	raw := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := io.Copy(raw, r); err != nil {
		panic("lists: embedded data: " + err.Error()) //nolint:forbidigo // the data is part of the binary
	}
	return raw.Bytes()
}

// decode reads the format that Encode writes.
func decode(raw []byte) *dictionary {
	n := int(binary.LittleEndian.Uint32(raw))
	raw = raw[4:]
	shared, own := raw[:n], raw[n:2*n]
	low, high := raw[2*n:3*n], raw[3*n:4*n]
	raw = raw[4*n:]
	kinds := make([]Word, binary.LittleEndian.Uint32(raw))
	for i := range kinds {
		kinds[i] = Word(binary.LittleEndian.Uint32(raw[4+4*i:]))
	}
	tails := raw[4+4*len(kinds):]
	total := 0
	for i := range n {
		total += headSize + int(shared[i]) + int(own[i])
	}
	d := &dictionary{records: make([]byte, 0, total), kinds: kinds, slots: make([]uint32, 1<<slotBits)}
	last := 0
	for i := range n {
		start := len(d.records)
		d.records = append(d.records, shared[i]+own[i], low[i], high[i])
		d.records = append(d.records, d.records[last+headSize:last+headSize+int(shared[i])]...)
		d.records = append(d.records, tails[:own[i]]...)
		tails = tails[own[i]:]
		last = start
		d.insert(start, Hash(d.records[start+headSize:]))
	}
	return d
}

func (d *dictionary) insert(offset int, h uint32) {
	at := h >> (32 - slotBits)
	for d.slots[at] != 0 {
		at = (at + 1) & (1<<slotBits - 1)
	}
	d.slots[at] = uint32(offset+1) | h<<offsetBits
}

// record gives the word whose record begins at offset, and where the next begins.
func (d *dictionary) record(offset int) (text []byte, w Word, next int) {
	head := d.records[offset : offset+headSize]
	next = offset + headSize + int(head[0])
	return d.records[offset+headSize : next], d.kinds[int(head[1])|int(head[2])<<8], next
}

func find[T string | []byte](d *dictionary, word T) Word {
	h := Hash(word)
	at := h >> (32 - slotBits)
	for {
		slot := d.slots[at]
		if slot == 0 {
			return 0
		}
		if (slot^h<<offsetBits)&^offsetMask == 0 {
			if text, w, _ := d.record(int(slot&offsetMask - 1)); string(text) == string(word) {
				return w
			}
		}
		at = (at + 1) & (1<<slotBits - 1)
	}
}

// Lookup tells what the lists know of a folded word, or of a folded place name of several words.
func Lookup[T string | []byte](folded T) Word {
	if len(folded) == 0 || len(folded) > 255 {
		return 0
	}
	return find(words(), folded)
}

// Phrases lists the entries of more than one word, all of them places.
func Phrases() iter.Seq2[string, Word] {
	return func(yield func(string, Word) bool) {
		d := words()
		for at := 0; at < len(d.records); {
			text, w, next := d.record(at)
			if bytes.ContainsAny(text, " -'/.") && !yield(string(text), w) {
				return
			}
			at = next
		}
	}
}

// Entry is one word of a dictionary to be written.
type Entry struct {
	Key  string // folded, at most 255 bytes
	Word Word
}

// Encode writes the file that words are read from: their number; how many bytes each shares with the one before, and
// how many are its own; the number of its Word, low and high bytes apart; the Words; the own bytes. Like beside like
// is packed best. Entries must be sorted by key, each key once. It is for the
// tool that compiles the lists.
func Encode(entries []Entry) []byte {
	size := 0
	for _, e := range entries {
		size += headSize + len(e.Key)
	}
	if size >= offsetMask || len(entries) > 9<<slotBits/10 {
		panic("lists: too many words") //nolint:forbidigo // of the compiler of the lists alone
	}
	n := len(entries)
	out := binary.LittleEndian.AppendUint32(nil, uint32(n))
	shared, own := make([]byte, n), make([]byte, n)
	low, high := make([]byte, n), make([]byte, n)
	numbers := map[Word]int{}
	var kinds []byte
	var tails []byte
	last := ""
	for i, e := range entries {
		k := 0
		for k < len(last) && k < len(e.Key) && k < 255 && last[k] == e.Key[k] {
			k++
		}
		shared[i], own[i] = byte(k), byte(len(e.Key)-k)
		tails = append(tails, e.Key[k:]...)
		number, ok := numbers[e.Word]
		if !ok {
			number = len(numbers)
			if number >= 1<<16 {
				panic("lists: too many kinds of words") //nolint:forbidigo // of the compiler of the lists alone
			}
			numbers[e.Word] = number
			kinds = binary.LittleEndian.AppendUint32(kinds, uint32(e.Word))
		}
		low[i], high[i] = byte(number), byte(number>>8)
		last = e.Key
	}
	out = append(out, shared...)
	out = append(out, own...)
	out = append(out, low...)
	out = append(out, high...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(numbers)))
	out = append(out, kinds...)
	return append(out, tails...)
}
