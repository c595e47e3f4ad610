package risk

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// Vector stands for a context. With an Index it is sparse (Value[i] is the weight of feature Index[i], ascending),
// without one it is dense.
type Vector struct {
	Index []uint32
	Value []float32
}

// Cosine gives the cosine of two vectors, 0 if either is empty or they are of different kinds.
func Cosine(a, b Vector) float64 {
	if (a.Index == nil) != (b.Index == nil) {
		return 0
	}
	n := a.norm() * b.norm()
	if n == 0 {
		return 0
	}
	return max(-1, min(1, dot(a, b)/n))
}

func (v Vector) norm() float64 {
	var sum float64
	for _, x := range v.Value {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func dot(a, b Vector) (sum float64) {
	if a.Index == nil {
		for i := range min(len(a.Value), len(b.Value)) {
			sum += float64(a.Value[i]) * float64(b.Value[i])
		}
		return sum
	}
	for i, j := 0, 0; i < len(a.Index) && j < len(b.Index); {
		switch {
		case a.Index[i] < b.Index[j]:
			i++
		case a.Index[i] > b.Index[j]:
			j++
		default:
			sum += float64(a.Value[i]) * float64(b.Value[j])
			i++
			j++
		}
	}
	return sum
}

// unit scales the vector to length 1; an empty one stays.
func (v Vector) unit() Vector {
	n := v.norm()
	if n == 0 {
		return v
	}
	u := Vector{Index: v.Index, Value: make([]float32, len(v.Value))}
	for i, x := range v.Value {
		u.Value[i] = float32(float64(x) / n)
	}
	return u
}

// minus gives the dense vector less a centre of the same length; others stay as they are.
func (v Vector) minus(centre []float32) Vector {
	if v.Index != nil || len(centre) != len(v.Value) {
		return v
	}
	d := Vector{Value: slices.Clone(v.Value)}
	for i, c := range centre {
		d.Value[i] -= c
	}
	return d
}

// ErrVectors says that stored vectors cannot be read.
var ErrVectors = errors.New("stored vectors are damaged")

// AppendVectors writes vectors for storage.
func AppendVectors(b []byte, vectors []Vector) []byte {
	b = binary.AppendUvarint(b, uint64(len(vectors)))
	for _, v := range vectors {
		kind := uint64(0)
		if v.Index != nil {
			kind = 1
		}
		b = binary.AppendUvarint(b, uint64(len(v.Value))<<1|kind)
		last := uint32(0)
		for _, i := range v.Index {
			b = binary.AppendUvarint(b, uint64(i-last))
			last = i
		}
		for _, x := range v.Value {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b
}

// ParseVectors reads what AppendVectors wrote.
func ParseVectors(b []byte) ([]Vector, error) {
	count, b, ok := uvarint(b)
	if !ok || count > uint64(len(b)) {
		return nil, ErrVectors
	}
	vectors := make([]Vector, 0, count)
	for range count {
		var head uint64
		if head, b, ok = uvarint(b); !ok || head>>1 > uint64(len(b))/4 {
			return nil, ErrVectors
		}
		v := Vector{Value: make([]float32, head>>1)}
		if head&1 == 1 {
			v.Index = make([]uint32, head>>1)
			last := uint64(0)
			for i := range v.Index {
				var d uint64
				if d, b, ok = uvarint(b); !ok || d > math.MaxUint32 || i > 0 && d == 0 {
					return nil, ErrVectors
				}
				if last += d; last > math.MaxUint32 {
					return nil, ErrVectors
				}
				v.Index[i] = uint32(last)
			}
		}
		if len(b) < 4*len(v.Value) {
			return nil, ErrVectors
		}
		for i := range v.Value {
			v.Value[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
			if x := float64(v.Value[i]); math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, ErrVectors
			}
		}
		b = b[4*len(v.Value):]
		vectors = append(vectors, v)
	}
	if len(b) > 0 {
		return nil, ErrVectors
	}
	return vectors, nil
}

func uvarint(b []byte) (uint64, []byte, bool) {
	x, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return x, b[n:], true
}
