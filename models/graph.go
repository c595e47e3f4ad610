package models

import (
	"encoding/binary"
	"errors"
)

// graph holds the names of what goes into and comes out of an ONNX model.
type graph struct{ inputs, outputs []string }

var errGraph = errors.New("not an ONNX model")

// The fields of the protocol buffers that are read: ModelProto.graph; GraphProto.initializer, input and output;
// the name of an input or output, and of an initializer.
const (
	modelGraph       = 7
	graphInitializer = 5
	graphInput       = 11
	graphOutput      = 12
	valueName        = 1
	tensorName       = 8
)

// readGraph finds the names without loading the model, which would take as long as starting it.
func readGraph(model []byte) (graph, error) {
	var g graph
	weights := map[string]bool{}
	found := false
	err := fields(model, func(field int, value []byte) error {
		if field != modelGraph {
			return nil
		}
		found = true
		return fields(value, func(field int, value []byte) error {
			switch field {
			case graphInput:
				name, err := nameOf(value, valueName)
				g.inputs = append(g.inputs, name)
				return err
			case graphOutput:
				name, err := nameOf(value, valueName)
				g.outputs = append(g.outputs, name)
				return err
			case graphInitializer:
				name, err := nameOf(value, tensorName)
				weights[name] = true
				return err
			}
			return nil
		})
	})
	if err != nil || !found {
		return graph{}, errGraph
	}
	inputs := g.inputs[:0]
	for _, name := range g.inputs {
		if !weights[name] { // old exporters list the weights among the inputs
			inputs = append(inputs, name)
		}
	}
	g.inputs = inputs
	return g, nil
}

func nameOf(message []byte, field int) (name string, err error) {
	err = fields(message, func(f int, value []byte) error {
		if f == field {
			name = string(value)
		}
		return nil
	})
	return name, err
}

// fields visits the length-delimited fields of a message.
func fields(message []byte, visit func(field int, value []byte) error) error {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return errGraph
		}
		message = message[n:]
		skip := 0
		switch tag & 7 {
		case 0:
			_, skip = binary.Uvarint(message)
			if skip <= 0 {
				return errGraph
			}
		case 1:
			skip = 8
		case 5:
			skip = 4
		case 2:
			size, n := binary.Uvarint(message)
			if n <= 0 || size > uint64(len(message)-n) {
				return errGraph
			}
			if err := visit(int(tag>>3), message[n:n+int(size)]); err != nil {
				return err
			}
			skip = n + int(size)
		default:
			return errGraph
		}
		if skip > len(message) {
			return errGraph
		}
		message = message[skip:]
	}
	return nil
}
