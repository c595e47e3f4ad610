package fhir

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// UUIDOf gives the UUID that belongs to a pseudonym: itself where it is one, else one made of its hash. It tells no more
// than the pseudonym does, which is a keyed hash already.
func UUIDOf(pseudonym string) string {
	if uuidForm.MatchString(pseudonym) {
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
