"""The encoder and one head as an ONNX graph, written node by node.

Nothing is left to a tracer: attention is one MultiHeadAttention node, residual and norm are one SkipLayerNormalization,
Gelu is FastGelu, so that onnxruntime finds nothing left to fuse. There is no mask: windows are never padded, and without
a mask onnxruntime has a faster kernel for attention. Large products run in eight bits: activations are scaled when they
are known (per tensor; before the second product of a layer's inner net each row has been brought to a peak of one),
weights per column; the embedding is stored in the blocks of four bits in which the base came.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import base
from .model import BY_ROW, LEAST_PEAK

MS = "com.microsoft"


def per_row(w: np.ndarray, pairs: bool):
    """Symmetric int8 with one scale per row. pairs: no two neighbours 2k, 2k+1 of a row have absolute values that sum to
    more than 128, so that sums of two products with an unsigned byte fit into 16 bits, in which processors without VNNI
    add them. That costs a third of a bit where holding each value below 64 would cost a whole one."""
    peak = np.abs(w).reshape(len(w), -1, 2).sum(2).max(1) if pairs else np.abs(w).max(1)
    scale = np.maximum(peak, 1e-8) / 127
    return np.round(w / scale[:, None]).astype(np.int8), scale.astype(np.float32)


class Graph:
    """Collects nodes and weights."""

    def __init__(self, bits: str):
        self.bits, self.nodes, self.weights, self.count = bits, [], [], 0
        self.quantised: dict[str, list[str]] = {}  # an activation is scaled once for all products that use it

    def const(self, value: np.ndarray, name: str) -> str:
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind: str, inputs, outputs: int = 1, domain: str = "", **attributes):
        self.count += 1
        names = [f"{kind}_{self.count}" + (f"_{i}" if i else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0], domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def embedding(self, rows: np.ndarray) -> str:
        """The rows of input_ids out of four-bit blocks, the left half of a row in the low nibbles and the right half in the
        high ones; their scales are kept in half precision. GatherBlockQuantized would do this in one node and take five
        times as long."""
        q, scale = base.pack_q4(rows)
        left, right = np.split((q + 8).astype(np.uint8), 2, axis=1)
        packed = self.op("Gather", [self.const(left | (right << 4), "word"), "input_ids"])
        low = self.op("BitwiseAnd", [packed, self.const(np.array(15, np.uint8), "word.low")])
        high = self.op("BitShift", [packed, self.const(np.array(4, np.uint8), "word.high")], direction="RIGHT")
        q = self.op("Cast", [self.op("Concat", [low, high], axis=-1)], to=TensorProto.FLOAT)
        q = self.op("Sub", [q, self.const(np.array(8, np.float32), "word.z")])
        scale = self.op("Cast", [self.op("Gather", [self.const(scale, "word.s"), "input_ids"])], to=TensorProto.FLOAT)
        scale = self.op("Unsqueeze", [scale, self.const(np.array([-1], np.int64), "word.axis")])
        blocks = self.op("Reshape", [q, self.const(np.array([0, 0, -1, base.BLOCK], np.int64), "word.blocks")])
        return self.op("Reshape", [self.op("Mul", [blocks, scale]), self.const(np.array([0, 0, rows.shape[1]], np.int64), "word.row")])

    def linear(self, x: str, weight: np.ndarray, bias: np.ndarray, name: str, full: bool = False, smooth=None, parts: int = 1, by_row: bool = False):
        """x · weightᵀ + bias; in eight bits unless full. With several parts, the columns come as so many results of one
        width: products that give them apart are quicker than a node that splits. by_row: each row of x is brought to a
        peak of one first."""

        def apart(value, end):
            """A constant, or one for each part of its columns."""
            if parts == 1:
                return [self.const(value, name + end)]
            return [self.const(v, f"{name}{end}.{k}") for k, v in enumerate(np.split(value, parts, axis=-1))]

        b = apart(bias.astype(np.float32), ".b")
        if full or self.bits == "fp32":
            out = [self.op("Add", [self.op("MatMul", [x, w]), b]) for w, b in zip(apart(weight.T.astype(np.float32), ".w"), b)]
            return out if parts > 1 else out[0]
        if smooth is not None and (smooth != 1).any():
            weight = weight * smooth
            x = self.op("Mul", [x, self.const((1 / smooth).astype(np.float32), name + ".m")])
        if self.bits == "uint8":
            w, scale = per_row(weight, pairs=False)
            w = apart((w.T.astype(np.int16) + 128).astype(np.uint8), ".w")
            zero = self.const(np.array(128, np.uint8), name + ".z")
        else:
            w, scale = per_row(weight, pairs=True)
            w = apart(w.T, ".w")
            zero = self.const(np.array(0, np.int8), name + ".z")
        if by_row:
            peak = self.op("ReduceMax", [x, self.const(np.array([-1], np.int64), name + ".axis")])
            peak = self.op("Max", [peak, self.const(np.array(LEAST_PEAK, np.float32), name + ".least")])
            q, qs, qz = self.op("DynamicQuantizeLinear", [self.op("Div", [x, peak])], 3)
            product = self.op("MatMulIntegerToFloat", [q, w[0], qs, self.const(scale, name + ".s"), qz, zero], domain=MS)
            return self.op("Add", [self.op("Mul", [product, peak]), b[0]])
        if x not in self.quantised:
            self.quantised[x] = self.op("DynamicQuantizeLinear", [x], 3)
        q, qs, qz = self.quantised[x]
        out = [self.op("MatMulIntegerToFloat", [q, w, qs, s, qz, zero, b], domain=MS) for w, s, b in zip(w, apart(scale, ".s"), b)]
        return out if parts > 1 else out[0]


def embedded(g: Graph, state: dict, eps: float) -> str:
    """The first states: words, positions, norm."""
    if g.bits == "fp32":
        x = g.op("Gather", [g.const(state["word"].astype(np.float32), "word"), "input_ids"])
    else:
        x = g.embedding(state["word"].astype(np.float32))
    one = g.const(np.array([1], np.int64), "one")
    length = g.op("Slice", [g.op("Shape", ["input_ids"]), one, g.const(np.array([2], np.int64), "two")])
    position = g.op("Slice", [g.const(state["position"].astype(np.float32), "position"), g.const(np.array([0], np.int64), "zero"), length])
    x = g.op("Add", [x, position])
    return g.op("LayerNormalization", [x, g.const(state["norm.weight"], "norm.w"), g.const(state["norm.bias"], "norm.b")], epsilon=eps)


TRUNK = "trunk"  # the states that one graph gives and another takes


def build(state: dict, config: dict, role: str, classes: int, bits: str = "int8", hidden: bool = True,
          keep: frozenset[str] = frozenset(), trunk: int = 0, branch: bool = False) -> onnx.ModelProto:  # fmt: skip
    """state: numpy weights under the names of model.Tagger. bits: fp32, int8 or uint8. keep: products that stay
    in full precision, as "<layer>.<qkv|out|up|down>". trunk: after so many layers lie the states that a branch takes;
    branch: this is the graph that takes them, else it gives them besides."""
    g = Graph(bits)
    eps = float(config["eps"])
    x = TRUNK if branch else embedded(g, state, eps)
    for i in range(trunk if branch else 0, config["layers"]):
        p = f"layers.{i}."

        def linear(x, part, parts=1, i=i, p=p):
            return g.linear(x, state[f"{p}{part}.weight"], state[f"{p}{part}.bias"], f"l{i}.{part}",
                            f"{i}.{part}" in keep, state.get(f"{p}smooth_{part}"), parts, part in BY_ROW)  # fmt: skip

        a = g.op("MultiHeadAttention", linear(x, "qkv", 3), domain=MS, num_heads=config["heads"])
        n1 = [g.const(state[f"{p}norm1.{w}"], f"l{i}.n1.{w}") for w in ("weight", "bias")]
        x = g.op("SkipLayerNormalization", [x, linear(a, "out"), *n1], domain=MS, epsilon=eps)
        f = g.op("FastGelu", [linear(x, "up")], domain=MS)
        n2 = [g.const(state[f"{p}norm2.{w}"], f"l{i}.n2.{w}") for w in ("weight", "bias")]
        x = g.op("SkipLayerNormalization", [x, linear(f, "down"), *n2], domain=MS, epsilon=eps)
        if i + 1 == trunk:
            g.nodes.append(helper.make_node("Identity", [x], [TRUNK], name=TRUNK))
    w, b = state[f"heads.{role}.weight"], state[f"heads.{role}.bias"]
    product = g.op("MatMul", [x, g.const(w.T.astype(np.float32), "head.w")])
    g.nodes.append(helper.make_node("Add", [product, g.const(b, "head.b")], ["logits"], name="logits"))
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "seq", classes])]
    if hidden:
        g.nodes.append(helper.make_node("Identity", [x], ["hidden"], name="hidden"))
        outputs.append(helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["batch", "seq", config["hidden"]]))
    states = helper.make_tensor_value_info(TRUNK, TensorProto.FLOAT, ["batch", "seq", config["hidden"]])
    if branch:
        taken = states
    else:
        taken = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "seq"])
        outputs += [states] if trunk else []
    graph = helper.make_graph(g.nodes, role, [taken], outputs, g.weights)
    m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(MS, 1)], producer_name="fhirdeid")
    m.ir_version = 10
    return m
