"""Builds a small pack whose subclass tagger goes on from the states of its superclass tagger: trunk.py FOLDER.

Three layers below the superclass head, the lowest two of them shared, and two more of its own below the subclass head;
the graphs are those of models/training/graph.py in eight bits, the weights random numbers. Tokenizer and words are
those of the folder foreign. Needs the packages onnx and numpy and models in PYTHONPATH; writes superclass.onnx,
subclass.onnx, tokenizer.json and manifest.json.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np
import onnx
from training import graph

HIDDEN, FFN, POSITIONS, TRUNK = 32, 64, 64, 2
LABELS = {
    "superclass": ["O", "B-NAME", "I-NAME", "B-LOCATION", "I-LOCATION"],
    "subclass": ["O", "B-NAME_PATIENT", "I-NAME_PATIENT", "B-LOCATION_CITY", "I-LOCATION_CITY", "B-AGE"],
}
DEPTH = {"superclass": 3, "subclass": 4}


def state(rng, words, layers, role, shared):
    """Weights by the names that graph.py knows; the layers in shared are taken over."""
    out = dict(shared)
    for i in range(layers):
        p = f"layers.{i}."
        if p + "qkv.weight" in out:
            continue
        for part, shape in (("qkv", (3 * HIDDEN, HIDDEN)), ("out", (HIDDEN, HIDDEN)), ("up", (FFN, HIDDEN)), ("down", (HIDDEN, FFN))):
            out[f"{p}{part}.weight"] = rng.normal(0, 0.2, shape).astype(np.float32)
            out[f"{p}{part}.bias"] = rng.normal(0, 0.1, shape[0]).astype(np.float32)
        for norm in ("norm1", "norm2"):
            out[f"{p}{norm}.weight"], out[f"{p}{norm}.bias"] = np.ones(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)
    out[f"heads.{role}.weight"] = rng.normal(0, 0.5, (len(LABELS[role]), HIDDEN)).astype(np.float32)
    out[f"heads.{role}.bias"] = np.zeros(len(LABELS[role]), np.float32)
    return out


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    foreign = pathlib.Path(__file__).parent / "foreign"
    tokenizer = (foreign / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json").write_bytes(tokenizer)
    words = max(json.loads(tokenizer)["model"]["vocab"].values()) + 1
    rng = np.random.default_rng(5)
    shared = {
        "word": rng.normal(0, 1, (words, HIDDEN)).astype(np.float32),
        "position": rng.normal(0, 0.3, (POSITIONS, HIDDEN)).astype(np.float32),
        "norm.weight": np.ones(HIDDEN, np.float32), "norm.bias": np.zeros(HIDDEN, np.float32),
    }  # fmt: skip
    lowest = state(rng, words, TRUNK, "superclass", shared)
    models = []
    for role, layers in DEPTH.items():
        s = state(rng, words, layers, role, lowest)
        config = dict(hidden=HIDDEN, layers=layers, heads=4, eps=1e-12)
        branch = role == "subclass"
        m = graph.build(s, config, role, len(LABELS[role]), hidden=branch, trunk=TRUNK, branch=branch)
        onnx.save(m, str(folder / f"{role}.onnx"))
        models.append({"role": role, "file": f"{role}.onnx", "sha256": hashlib.sha256((folder / f"{role}.onnx").read_bytes()).hexdigest(),
                       "labels": LABELS[role], **({"trunk": graph.TRUNK} if branch else {}), "layers": layers})  # fmt: skip
    manifest = {
        "schema": 1, "name": "tiny-trunk", "version": "1", "languages": ["de", "en"],
        "tokenizer": {"file": "tokenizer.json", "sha256": hashlib.sha256(tokenizer).hexdigest()},
        "window": {"tokens": 60, "overlap": 12}, "models": models, "encoder": {"file": "subclass.onnx", "output": "hidden"},
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
