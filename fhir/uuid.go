package fhir

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// UUIDOf gives the UUID that belongs to a pseudonym: itself where it is one, else one made of its hash. It tells no more
// than the pseudonym does, which is a keyed hash already.
func UUIDOf(pseudonym string) string {
	if isUUID(pseudonym) {
		return strings.ToLower(pseudonym)
	}
	sum := sha256.Sum256([]byte("fhirdeid/uuid/" + pseudonym))
	return FormatUUID([16]byte(sum[:16]))
}

// FormatUUID prints 16 bytes as a UUID of version 8, which leaves their meaning open.
func FormatUUID(b [16]byte) string {
	b[6] = b[6]&0x0f | 0x80
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// isUUID says whether s has the form of a UUID in hexadecimal digits of either case.
func isUUID(s string) bool {
	if len(s) != len("01234567-0123-0123-0123-0123456789ab") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c < '0' || c > '9' && c < 'A' || c > 'F' && c < 'a' || c > 'f':
			return false
		}
	}
	return true
}
