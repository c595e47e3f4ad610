// Package surrogate makes the stand-ins for PHI: keyed, repeatable, in the shape of what they replace, and the same for
// all variants of one name. No table of originals is needed: key and value decide.
package surrogate

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// Key is a secret for one purpose within one project.
type Key []byte

// Derive makes the key of a purpose within a context (the project) from the master key: HKDF (RFC 5869) with SHA-256
// and the info "fhirdeid/v1/" ‖ context ‖ "/" ‖ purpose.
func Derive(master []byte, context, purpose string) Key {
	key, err := hkdf.Key(sha256.New, master, nil, "fhirdeid/v1/"+context+"/"+purpose, sha256.Size)
	if err != nil { // only for lengths that HKDF cannot give
		panic("surrogate: HKDF refused a fixed length") //nolint:forbidigo // a missing key must stop everything
	}
	return key
}

// Bytes gives n pseudorandom bytes for the parts: HMAC-SHA-256 over their lengths and contents, in counter mode.
func (k Key) Bytes(n int, parts ...string) []byte {
	out := make([]byte, 0, n+sha256.Size)
	mac := hmac.New(sha256.New, k)
	var length [8]byte
	for counter := uint64(0); len(out) < n; counter++ {
		mac.Reset()
		binary.BigEndian.PutUint64(length[:], counter)
		mac.Write(length[:])
		for _, p := range parts {
			// Lengths keep ("ab", "c") and ("a", "bc") apart.
			binary.BigEndian.PutUint64(length[:], uint64(len(p)))
			mac.Write(length[:])
			mac.Write([]byte(p))
		}
		out = mac.Sum(out)
	}
	return out[:n]
}

// PRF gives 64 pseudorandom bits for the parts.
func (k Key) PRF(parts ...string) uint64 { return binary.BigEndian.Uint64(k.Bytes(8, parts...)) }

// ShiftRange bounds the date shift.
type ShiftRange struct {
	Days  int  // at most this many days in either direction; 0: 365
	Weeks bool // whole weeks only, so that weekdays stay true
}

const defaultShift = 365

// DateShift gives the patient's offset in days: never 0, repeatable, within the range.
func DateShift(k Key, patient string, r ShiftRange) int {
	if r.Days <= 0 {
		r.Days = defaultShift
	}
	unit := 1
	if r.Weeks {
		unit = 7
	}
	steps := max(1, r.Days/unit)
	n := int(k.PRF("date-shift", patient)%uint64(2*steps)) - steps // -steps … steps-1
	if n >= 0 {
		n++
	}
	return n * unit
}
