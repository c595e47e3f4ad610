"""Packs -> a run to go on from, for those who have the packs alone.

A pack holds its weights in eight bits and a vocabulary cut to its language. Both are turned back: products and
embeddings become floats again, pieces that no pack kept take their rows from the base. What eight bits lost is small
beside what a few hundred steps of training move. The embedding is rounded to the four bits in which packs carry it, so
that a run which leaves it as it is loses nothing at its export.
"""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer

from . import base, labels, model, paths, train


PART = re.compile(r"(.+)\.(\d+)")


def tensors(file: Path) -> dict[str, np.ndarray]:
    """The initialisers of a graph made by graph.py; those that come in parts are whole again."""
    out, parts = {}, {}
    for t in onnx.load(str(file)).graph.initializer:
        m = PART.fullmatch(t.name)
        into = parts.setdefault(m[1], {}) if m else out
        into[int(m[2]) if m else t.name] = numpy_helper.to_array(t)
    return out | {name: np.concatenate([part[k] for k in sorted(part)], axis=-1) for name, part in parts.items()}


def rows(t: dict[str, np.ndarray]) -> np.ndarray:
    """The embedding of a pack as floats: a scale for each block of a row."""
    if "word.s" not in t:
        return t["word"]
    word, scale = t["word"], t["word.s"].astype(np.float32)
    if word.dtype == np.uint8:  # both halves of a row in one byte
        word = np.concatenate([word & 15, word >> 4], axis=1).astype(np.float32) - 8
    q = word.astype(np.float32)
    return (q.reshape(*scale.shape, -1) * scale[..., None]).reshape(q.shape)


def matrix(t: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A weight of a product as floats, [out, in]."""
    w = t[name + ".w"]
    if w.dtype == np.float32:
        return w.T
    w = ((w.astype(np.float32) - t[name + ".z"].astype(np.float32)) * t[name + ".s"]).T
    return w * t[name + ".m"] if name + ".m" in t else w


def body(t: dict[str, np.ndarray], layers: int) -> dict[str, np.ndarray]:
    """Everything but embedding and head, under the names of model.Tagger."""
    out = {"norm.weight": t["norm.w"], "norm.bias": t["norm.b"], "position": t["position"]}
    for i in range(layers):
        for part in ("qkv", "out", "up", "down"):
            out[f"layers.{i}.{part}.weight"] = matrix(t, f"l{i}.{part}")
            out[f"layers.{i}.{part}.bias"] = t[f"l{i}.{part}.b"]
        for ours, theirs in (("norm1", "n1"), ("norm2", "n2")):
            out[f"layers.{i}.{ours}.weight"] = t[f"l{i}.{theirs}.weight"]
            out[f"layers.{i}.{ours}.bias"] = t[f"l{i}.{theirs}.bias"]
    return out


def graph(folder: Path, role: str) -> tuple[dict[str, np.ndarray], int]:
    """The tensors of that role of a pack, with the trunk that it may share, and how many layers it has."""
    manifest = json.loads((folder / "manifest.json").read_text())
    parts = {m["role"]: m for m in manifest["models"]}
    part = parts[role]
    if part["labels"] != list(labels.CLASSES[role]):
        raise SystemExit(f"{folder}: its classes are not ours")
    t = tensors(folder / part["file"])
    return (tensors(folder / parts["superclass"]["file"]) | t if "trunk" in part else t), part["layers"]


def run(name: str, packs: list[Path], roles: tuple[str, ...] = ("subclass",)):
    """Writes WORK/runs/<name>/model.pt from some packs. The first pack gives the body, that of the last of the roles, and
    the heads; all packs give their rows of the embedding. The heads of the other roles read at the depth of their own
    taggers."""
    config, weights = base.load(paths.WORK / "base")
    pieces = {p: i for i, (p, _) in enumerate(json.loads((paths.WORK / "base" / "pieces.json").read_text()))}
    word, known = weights["word"].copy(), np.zeros(config["vocab"], bool)
    graphs = {role: graph(packs[0], role) for role in roles}
    t, layers = graphs[roles[-1]]
    state = body(t, layers)
    for folder in packs:
        if folder != packs[0]:
            t, depth = graph(folder, roles[-1])
            if any(not np.allclose(state[k], v, atol=1e-6) for k, v in body(t, depth).items()):
                raise SystemExit("the packs were trained apart; unpack one of them alone")
        embedding = rows(t)
        tokenizer = json.loads((folder / "manifest.json").read_text())["tokenizer"]["file"]
        for piece, row in Tokenizer.from_file(str(folder / tokenizer)).get_vocab().items():
            if piece in pieces:
                word[pieces[piece]], known[pieces[piece]] = embedding[row], True
    state["word"] = base.in_q4(word)
    for role, (t, _) in graphs.items():
        state |= {f"heads.{role}.weight": t["head.w"].T, f"heads.{role}.bias": t["head.b"]}
    exits = {role: depth for role, (_, depth) in graphs.items() if depth != layers}
    net = model.Tagger(dict(config, layers=layers) | ({"exits": exits} if exits else {}), roles)
    net.restore({k: torch.from_numpy(np.array(v)) for k, v in state.items()})
    folder = paths.WORK / "runs" / name
    folder.mkdir(parents=True, exist_ok=True)
    train.save(folder / "model.pt", dict(config=net.config, roles=list(roles), weights=net.state_dict()))
    print(f"unpack: {known.sum()} of {len(known)} rows come from the packs -> {folder}")
