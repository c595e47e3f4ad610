"""Builds a small BERT token classifier in the shape that other makers export: foreign.py FOLDER [SEED].

Embeddings of words, positions and token types with LayerNorm, one layer of self-attention and feed-forward, and a
classifier with labels of its own. The weights are small random numbers but for a few directions that mark the words of
NAMES and PLACES, so that the model finds something. Needs the packages onnx and numpy; writes model.onnx,
tokenizer.json and manifest.json.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN, FFN, POSITIONS = 16, 32, 160
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-DRUG"]
NAMES = ["meier", "schmidt", "##huber", "karl", "anna", "jones", "mary"]
PLACES = ["bonn", "leeds", "graz"]
DRUGS = ["ibuprofen", "heparin"]
PLAIN = [
    "frau", "herr", "aus", "in", "der", "die", "wurde", "am", "mit", "und", "nach", "lives", "was", "seen", "mr",
    "mrs", "from", "the", "nieder", "dose", "patient", "gut", "ist", "##s", "##e", "##n", "##r",
]
PUNCTUATION = list(".,:;-/()'\"!?")
LETTERS = [c for c in "abcdefghijklmnopqrstuvwxyz0123456789"]


def vocabulary():
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + PUNCTUATION + LETTERS + ["##" + c for c in LETTERS]
    for word in NAMES + PLACES + DRUGS + PLAIN:
        if word not in words:
            words.append(word)
    return {word: i for i, word in enumerate(words)}


def tokenizer(vocab):
    special = [
        {"id": vocab[t], "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True}
        for t in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
    ]  # fmt: skip
    return {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 64, "strategy": "LongestFirst", "stride": 0},
        "padding": None,
        "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": {t: {"id": t, "ids": [vocab[t]], "tokens": [t]} for t in ("[CLS]", "[SEP]")},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocab},
    }  # fmt: skip


def weights(vocab, seed):
    rng = np.random.default_rng(seed)

    def noise(*shape):
        return (rng.standard_normal(shape) * 0.02).astype(np.float32)

    words = noise(len(vocab), HIDDEN)
    marks = {word: column for column, group in enumerate((NAMES, PLACES, DRUGS)) for word in group}
    for word, i in vocab.items():
        words[i, marks.get(word, 5)] += 4
    classifier = noise(HIDDEN, len(LABELS))
    for label, column in (("B-PER", 0), ("B-LOC", 1), ("B-DRUG", 2), ("O", 5)):
        classifier[column, LABELS.index(label)] += 4
    for i, word in enumerate(vocab):  # the second half of a word goes on
        if word.startswith("##") and word in NAMES:
            words[i, 3] += 3
    classifier[3, LABELS.index("I-PER")] += 6
    bias = noise(len(LABELS))
    w = {"words": words, "positions": noise(POSITIONS, HIDDEN), "types": noise(2, HIDDEN), "classifier": classifier,
         "classifier_b": bias}  # fmt: skip
    for name in ("q", "k", "v", "o"):
        w[name], w[name + "_b"] = noise(HIDDEN, HIDDEN), noise(HIDDEN)
    w["up"], w["up_b"], w["down"], w["down_b"] = noise(HIDDEN, FFN), noise(FFN), noise(FFN, HIDDEN), noise(HIDDEN)
    for i in range(3):
        w[f"norm{i}"], w[f"norm{i}_b"] = np.ones(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)
    return w


def graph(w):
    nodes = []

    def add(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def linear(x, name, output):
        return add("Add", [add("MatMul", [x, name], output + "_p"), name + "_b"], output)

    def norm(x, i, output):
        return add("LayerNormalization", [x, f"norm{i}", f"norm{i}_b"], output, axis=-1, epsilon=1e-12)

    consts = {"one": np.array(1, np.int64), "one_f": np.array(1, np.float32), "low": np.array(-1e4, np.float32),
              "scale": np.array(HIDDEN**-0.5, np.float32), "zero": np.array([0], np.int64),
              "axes": np.array([1], np.int64), "start": np.array(0, np.int64)}  # fmt: skip
    add("Gather", ["words", "input_ids"], "e_words")
    add("Gather", ["types", "token_type_ids"], "e_types")
    add("Shape", ["input_ids"], "shape")
    add("Gather", ["shape", "one"], "length")
    add("Range", ["start", "length", "one"], "range")
    add("Gather", ["positions", "range"], "e_positions")
    add("Add", [add("Add", ["e_words", "e_types"], "e_sum"), "e_positions"], "e")
    x = norm("e", 0, "x0")
    q, k, v = (linear(x, name, name + "_out") for name in "qkv")
    add("Transpose", [k], "k_t", perm=[0, 2, 1])
    add("Mul", [add("MatMul", [q, "k_t"], "qk"), "scale"], "scores")
    add("Cast", ["attention_mask"], "mask_f", to=TensorProto.FLOAT)
    add("Mul", [add("Sub", ["one_f", "mask_f"], "mask_n"), "low"], "mask_low")
    add("Unsqueeze", ["mask_low", "axes"], "mask_3")
    add("Softmax", [add("Add", ["scores", "mask_3"], "masked")], "attention", axis=-1)
    attended = linear(add("MatMul", ["attention", v], "context"), "o", "o_out")
    x = norm(add("Add", [x, attended], "r1"), 1, "x1")
    inner = add("Relu", [linear(x, "up", "up_out")], "relu")
    x = norm(add("Add", [x, linear(inner, "down", "down_out")], "r2"), 2, "last_hidden_state")
    linear(x, "classifier", "logits")
    ids = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "sequence"])
           for n in ("input_ids", "attention_mask", "token_type_ids")]  # fmt: skip
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "sequence", len(LABELS)]),
               helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", HIDDEN])]  # fmt: skip
    initializers = [numpy_helper.from_array(a, n) for n, a in {**w, **consts}.items() if n != "zero"]
    return helper.make_graph(nodes, "bert", ids, outputs, initializers)


def main(folder, seed=7):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    vocab = vocabulary()
    model = helper.make_model(graph(weights(vocab, seed)), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    (out / "model.onnx").write_bytes(model.SerializeToString())
    (out / "tokenizer.json").write_text(json.dumps(tokenizer(vocab), indent=0) + "\n")

    def sha(name):
        return hashlib.sha256((out / name).read_bytes()).hexdigest()

    manifest = {
        "schema": 1, "name": "tiny-bert", "version": "1", "languages": ["de", "en"],
        "tokenizer": {"file": "tokenizer.json", "sha256": sha("tokenizer.json")},
        "window": {"tokens": 60, "overlap": 12},
        "models": [{"role": "subclass", "file": "model.onnx", "sha256": sha("model.onnx"), "labels": LABELS}],
        "label_map": {"PER": "NAME", "B-LOC": "LOCATION_CITY", "I-LOC": "LOCATION_CITY", "DRUG": "O"},
        "encoder": {"file": "model.onnx", "output": "last_hidden_state"},
    }  # fmt: skip
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
