package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"fhirdeid/pipeline/ner"
)

// Errors of running a model.
var (
	ErrClosed = errors.New("model pack is closed")
	ErrRun    = errors.New("model failed")
)

// session is one loaded model. Its methods are safe for concurrent use: each call scores one window on the thread
// that it comes from.
type session struct {
	mu      sync.RWMutex
	inner   *ort.DynamicAdvancedSession
	classes []ner.Class
	inputs  []input
	hidden  bool     // it gives hidden states: those of an encoder, or those that a branch goes on from
	width   int      // of the hidden states; 0: not known or none
	trunk   *session // whose hidden states it takes instead of ids; nil: none
	// The ids around each window; set before the first is scored.
	before, behind []int64
}

// input is what a model wants to be given.
type input uint8

const (
	inputIDs input = iota
	inputMask
	inputTypes
	inputPositions
	inputTrunk
)

var inputNames = map[string]input{
	"input_ids": inputIDs, "attention_mask": inputMask, "token_type_ids": inputTypes, "position_ids": inputPositions,
}

// setup is what a session is made from.
type setup struct {
	model   []byte
	classes []ner.Class
	hidden  string // name of the output with the hidden states; empty: none
	trunk   string // name of the input that takes the hidden states of another session; empty: none
	threads int
}

func newSession(s setup) (*session, error) {
	g, err := readGraph(s.model)
	if err != nil {
		return nil, err
	}
	out := &session{classes: s.classes, hidden: s.hidden != ""}
	for _, name := range g.inputs {
		in, ok := inputNames[name]
		if name == s.trunk {
			in, ok = inputTrunk, true
		}
		if !ok {
			return nil, fmt.Errorf("unknown input %q", name)
		}
		out.inputs = append(out.inputs, in)
	}
	switch {
	case s.trunk != "" && !slices.Contains(out.inputs, inputTrunk):
		return nil, fmt.Errorf("no input %q", s.trunk)
	case s.trunk != "" && slices.Contains(out.inputs, inputIDs):
		return nil, errors.New("a model that goes on from another must not read input_ids")
	case s.trunk == "" && !slices.Contains(out.inputs, inputIDs):
		return nil, errors.New("no input input_ids")
	}
	outputs, err := chooseOutputs(g.outputs, s.hidden)
	if err != nil {
		return nil, err
	}
	options, err := sessionOptions(s.threads)
	if err != nil {
		return nil, err
	}
	defer func() { _ = options.Destroy() }()
	out.inner, err = ort.NewDynamicAdvancedSessionWithONNXData(s.model, g.inputs, outputs, options)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// chooseOutputs takes logits, or the only output there is, and the hidden states if they are asked for.
func chooseOutputs(have []string, hidden string) ([]string, error) {
	logits := "logits"
	if !slices.Contains(have, logits) {
		rest := slices.DeleteFunc(slices.Clone(have), func(name string) bool { return name == hidden })
		if len(rest) != 1 {
			return nil, errors.New("no output logits")
		}
		logits = rest[0]
	}
	if hidden == "" {
		return []string{logits}, nil
	}
	if !slices.Contains(have, hidden) {
		return nil, fmt.Errorf("no output %q", hidden)
	}
	return []string{logits, hidden}, nil
}

func sessionOptions(threads int) (*ort.SessionOptions, error) {
	o, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		o.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		o.SetExecutionMode(ort.ExecutionModeSequential),
		o.SetIntraOpNumThreads(threads),
		o.SetInterOpNumThreads(1),
		o.SetMemPattern(false), // windows differ in length
		o.SetLogSeverityLevel(ort.LoggingLevelError),
		o.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
	)
	if err != nil {
		_ = o.Destroy()
		return nil, err
	}
	return o, nil
}

// Classes are what the columns of the scores mean.
func (s *session) Classes() []ner.Class { return s.classes }

// Tag scores one window.
func (s *session) Tag(ctx context.Context, ids []int64) ([]float32, error) {
	logits, _, err := s.run(ctx, ids)
	return s.inside(logits, err)
}

// TagTrunk scores one window and gives the states that a branch goes on from, those of the marks around it included.
func (s *session) TagTrunk(ctx context.Context, ids []int64) (logits, states []float32, err error) {
	logits, states, err = s.run(ctx, ids)
	logits, err = s.inside(logits, err)
	return logits, states, err
}

// Trunk is the session whose states this one takes.
func (s *session) Trunk() ner.Trunk {
	if s.trunk == nil {
		return nil
	}
	return s.trunk
}

// TagFrom scores the window that the states of the trunk are of.
func (s *session) TagFrom(ctx context.Context, states []float32) ([]float32, error) {
	logits, _, err := s.goOn(ctx, nil, states)
	return s.inside(logits, err)
}

// inside leaves out the rows of the marks around a window.
func (s *session) inside(logits []float32, err error) ([]float32, error) {
	if err != nil {
		return nil, err
	}
	columns := len(s.classes)
	return logits[len(s.before)*columns : len(logits)-len(s.behind)*columns], nil
}

// Width is the length of a hidden state.
func (s *session) Width() int { return s.width }

// Encode gives the hidden states of one window.
func (s *session) Encode(ctx context.Context, ids []int64) ([]float32, error) {
	_, hidden, err := s.run(ctx, ids)
	if err != nil {
		return nil, err
	}
	return hidden[len(s.before)*s.width : len(hidden)-len(s.behind)*s.width], nil
}

// probe runs a window of the full length, to see that the model can take it, and fits the declared classes.
func (s *session) probe(ids []int64) error {
	var states []float32
	if s.trunk != nil {
		var err error
		if _, states, err = s.trunk.run(context.Background(), ids); err != nil {
			return err
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	length := len(s.before) + len(ids) + len(s.behind)
	outputs, err := s.call(length, ids, states, nil)
	defer destroy(outputs)
	if err != nil {
		return fmt.Errorf("a window of %d tokens: %w", len(ids), err)
	}
	for i, o := range outputs {
		_, ok := o.(*ort.Tensor[float32])
		shape := o.GetShape()
		if !ok || len(shape) != 3 || shape[0] != 1 || shape[1] != int64(length) {
			return errors.New("an output is not 32-bit floats of [1, tokens, numbers]")
		}
		switch columns := int(shape[2]); {
		case i == 0 && columns != len(s.classes):
			return fmt.Errorf("the model has %d classes, the manifest %d labels", columns, len(s.classes))
		case i == 1:
			s.width = columns
		}
	}
	return nil
}

// run scores one window from its ids; a branch lets its trunk begin.
func (s *session) run(ctx context.Context, ids []int64) (logits, hidden []float32, err error) {
	if s.trunk == nil {
		return s.goOn(ctx, ids, nil)
	}
	_, states, err := s.trunk.run(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	return s.goOn(ctx, ids, states)
}

// goOn scores one window from its ids, or from the states of the trunk if there is one.
func (s *session) goOn(ctx context.Context, ids []int64, states []float32) (logits, hidden []float32, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.inner == nil {
		return nil, nil, ErrClosed
	}
	length := len(s.before) + len(ids) + len(s.behind)
	if s.trunk != nil {
		length = len(states) / s.trunk.width
	}
	logits = make([]float32, length*len(s.classes))
	sizes := []int{len(s.classes)}
	rows := [][]float32{logits}
	if s.hidden {
		hidden = make([]float32, length*s.width)
		sizes, rows = append(sizes, s.width), append(rows, hidden)
	}
	into := make([]ort.Value, len(rows))
	defer destroy(into)
	for i := range rows {
		tensor, err := ort.NewTensor(ort.NewShape(1, int64(length), int64(sizes[i])), rows[i])
		if err != nil {
			return nil, nil, ErrRun
		}
		into[i] = tensor
	}
	if _, err := s.call(length, ids, states, into); err != nil {
		return nil, nil, ErrRun // the cause may quote ids, and they are the text
	}
	return logits, hidden, nil
}

// call runs the model on a window of that length, the marks around it included, into the given outputs, or into new
// ones when there are none, which the caller destroys. The lock is held.
func (s *session) call(length int, ids []int64, states []float32, into []ort.Value) (outputs []ort.Value, err error) {
	inputs := make([]ort.Value, 0, len(s.inputs))
	defer func() { destroy(inputs) }()
	for _, kind := range s.inputs {
		tensor, err := s.given(kind, length, ids, states)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, tensor)
	}
	if into == nil {
		into = make([]ort.Value, 1)
		if s.hidden {
			into = append(into, nil)
		}
	}
	return into, s.inner.Run(inputs, into)
}

// given makes what one input of the model is given for a window.
func (s *session) given(kind input, length int, ids []int64, states []float32) (ort.Value, error) {
	shape := ort.NewShape(1, int64(length))
	row := make([]int64, 0, length)
	switch kind {
	case inputTrunk:
		return ort.NewTensor(ort.NewShape(1, int64(length), int64(s.trunk.width)), states)
	case inputIDs:
		row = append(append(append(row, s.before...), ids...), s.behind...)
	case inputMask:
		row = row[:length]
		for i := range row {
			row[i] = 1
		}
	case inputTypes:
		row = row[:length]
	case inputPositions:
		for i := range length {
			row = append(row, int64(i))
		}
	}
	return ort.NewTensor(shape, row)
}

func destroy(values []ort.Value) {
	for _, v := range values {
		if v != nil {
			_ = v.Destroy()
		}
	}
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inner != nil {
		_ = s.inner.Destroy()
		s.inner = nil
	}
}
