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
	hidden  bool
	width   int // of the hidden states; 0: not known or none
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
)

var inputNames = map[string]input{
	"input_ids": inputIDs, "attention_mask": inputMask, "token_type_ids": inputTypes, "position_ids": inputPositions,
}

// setup is what a session is made from.
type setup struct {
	model   []byte
	classes []ner.Class
	hidden  string // name of the output with the hidden states; empty: none
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
		if !ok {
			return nil, fmt.Errorf("unknown input %q", name)
		}
		out.inputs = append(out.inputs, in)
	}
	if !slices.Contains(out.inputs, inputIDs) {
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
	if err != nil {
		return nil, err
	}
	columns := len(s.classes)
	return logits[len(s.before)*columns : (len(s.before)+len(ids))*columns], nil
}

// Width is the length of a hidden state.
func (s *session) Width() int { return s.width }

// Encode gives the hidden states of one window.
func (s *session) Encode(ctx context.Context, ids []int64) ([]float32, error) {
	_, hidden, err := s.run(ctx, ids)
	if err != nil {
		return nil, err
	}
	return hidden[len(s.before)*s.width : (len(s.before)+len(ids))*s.width], nil
}

// probe runs a window of the full length, to see that the model can take it, and fits the declared classes.
func (s *session) probe(ids []int64) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	outputs, length, err := s.call(ids, nil)
	defer destroy(outputs)
	if err != nil {
		return fmt.Errorf("a window of %d tokens: %w", len(ids), err)
	}
	for i, o := range outputs {
		tensor, ok := o.(*ort.Tensor[float32])
		shape := o.GetShape()
		if !ok || len(shape) != 3 || shape[0] != 1 || shape[1] != int64(length) {
			return errors.New("an output is not 32-bit floats of [1, tokens, numbers]")
		}
		_ = tensor
		switch columns := int(shape[2]); {
		case i == 0 && columns != len(s.classes):
			return fmt.Errorf("the model has %d classes, the manifest %d labels", columns, len(s.classes))
		case i == 1:
			s.width = columns
		}
	}
	return nil
}

func (s *session) run(ctx context.Context, ids []int64) (logits, hidden []float32, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.inner == nil {
		return nil, nil, ErrClosed
	}
	length := len(s.before) + len(ids) + len(s.behind)
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
	if _, _, err := s.call(ids, into); err != nil {
		return nil, nil, ErrRun // the cause may quote ids, and they are the text
	}
	return logits, hidden, nil
}

// call runs the model into the given outputs, or into new ones when there are none, which the caller destroys. length
// is that of the window with the marks around it. The lock is held.
func (s *session) call(ids []int64, into []ort.Value) (outputs []ort.Value, length int, err error) {
	length = len(s.before) + len(ids) + len(s.behind)
	inputs := make([]ort.Value, 0, len(s.inputs))
	defer func() { destroy(inputs) }()
	shape := ort.NewShape(1, int64(length))
	for _, kind := range s.inputs {
		row := make([]int64, 0, length)
		switch kind {
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
		tensor, err := ort.NewTensor(shape, row)
		if err != nil {
			return nil, length, err
		}
		inputs = append(inputs, tensor)
	}
	if into == nil {
		into = make([]ort.Value, 1)
		if s.hidden {
			into = append(into, nil)
		}
	}
	return into, length, s.inner.Run(inputs, into)
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
