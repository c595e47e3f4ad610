package fold

import "math/bits"

// Eight bytes of a text as one number: what most bytes of a text are not is told of all eight together.
const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// eightBytes gives the bytes at i, of which there must be eight; the first is the lowest.
func eightBytes(text string, i int) uint64 {
	b := text[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// between sets the high bit of each of eight bytes that is from first to last, which are ASCII, and no other bit. The
// sums carry nothing into the byte above.
func between(b uint64, first, last byte) uint64 {
	low := b &^ highBits
	return (low + uint64(0x80-first)*everyByte) &^ (low + uint64(0x80-last-1)*everyByte) &^ b & highBits
}

// NextDigit gives the place of the first digit of ASCII at or behind i, or the length of the text.
func NextDigit(text string, i int) int {
	for ; i+8 <= len(text); i += 8 {
		if digits := between(eightBytes(text, i), '0', '9'); digits != 0 {
			return i + bits.TrailingZeros64(digits)/8
		}
	}
	for i < len(text) && text[i]-'0' >= 10 {
		i++
	}
	return i
}
