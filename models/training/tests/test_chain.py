"""A tiny random model through the whole chain: shards, training with interruption, export, pack, scores, localising."""

import json
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnxruntime = pytest.importorskip("onnxruntime")

from training import base, compose, corpus, data, evaluate, export, graph, infer, labels, localise, paths, segments, train, unpack  # noqa: E402
from training.values import Values  # noqa: E402

CONFIG = dict(hidden=32, layers=2, heads=2, ffn=64, positions=512, eps=1e-12, sha256="0")


def letters(n, lang="de"):
    out = []
    for i in range(n):
        v = Values(random.Random(i), lang)
        out.append(segments.document(f"t{i}", lang, "test", compose.render(compose.templates(lang)[i], compose.Context(v))))
    return out


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "WORK", tmp_path)
    monkeypatch.setattr(evaluate, "letters_dev", lambda lang: letters(3, lang))
    words = sorted({w for d in letters(6) for w in d["text"].split()})
    chars = sorted({c for w in words for c in w} | {"▁"})
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(c, -8.0) for c in chars] + [("▁" + w, -3.0) for w in words if len(w) > 1]
    rng = np.random.default_rng(1)
    h, f = CONFIG["hidden"], CONFIG["ffn"]
    weights = {"word": rng.normal(0, 0.1, (len(pieces), h)), "position": rng.normal(0, 0.1, (512, h)), "norm.weight": np.ones(h), "norm.bias": np.zeros(h)}
    for i in range(CONFIG["layers"]):
        for part, shape in (("qkv", (3 * h, h)), ("out", (h, h)), ("up", (f, h)), ("down", (h, f))):
            weights[f"layers.{i}.{part}.weight"], weights[f"layers.{i}.{part}.bias"] = rng.normal(0, 0.1, shape), np.zeros(shape[0])
        for part in ("norm1", "norm2"):
            weights[f"layers.{i}.{part}.weight"], weights[f"layers.{i}.{part}.bias"] = np.ones(h), np.zeros(h)
    weights = {k: v.astype(np.float32) for k, v in weights.items()}
    config, pieces, weights = base.trim(dict(CONFIG, vocab=len(pieces)), pieces, weights, list(range(len(pieces))))
    base.save(tmp_path / "base", config, pieces, weights)
    (tmp_path / "vocabulary-de-25000.json").write_text(json.dumps(list(range(len(pieces)))))
    localise.write_shards(letters(6), "tiny", copies=2)
    return tmp_path


def test_chain(work):
    train.run("joint", ["tiny"], tokens=6000, lr=1e-3, threads=1)
    assert (work / "runs" / "joint" / "done.json").exists()
    done = torch.load(work / "runs" / "joint" / "state.pt", weights_only=True)["done"]
    train.run("joint", ["tiny"], tokens=9000, lr=1e-3, threads=1)
    assert torch.load(work / "runs" / "joint" / "state.pt", weights_only=True)["done"]["tokens"] > done["tokens"]

    train.run("sub", ["tiny"], "joint", ("subclass",), tokens=3000, threads=1)
    train.run("super", ["tiny"], "joint", ("superclass",), layers=1, tokens=3000, threads=1)
    runs = {"superclass": "super", "subclass": "sub"}
    export.pack("de", runs, work / "packs" / "de")
    manifest = json.loads((work / "packs" / "de" / "manifest.json").read_text())
    assert [m["layers"] for m in manifest["models"]] == [1, 2]
    assert manifest["models"][1]["labels"] == list(labels.SUBCLASS)
    for m in manifest["models"]:
        assert export.sha256(work / "packs" / "de" / m["file"]) == m["sha256"]

    texts = [d["text"] for d in letters(4)]
    pack = evaluate.of_pack(work / "packs" / "de")
    first, again = pack(texts), pack(list(reversed(texts)))[::-1]
    for (_, a), (_, b) in zip(first, again):
        assert all((a[r] == b[r]).all() for r in a), "a text decides alone, whatever stands beside it"
    for (offsets, p), text in zip(first, texts):
        for s in infer.detect(text, offsets, p, bias=0.9):
            assert 0 <= s["start"] < s["end"] <= len(text)

    full = evaluate.of_run(["super", "sub"])
    assert min(v for k, v in evaluate.agreement(full, pack, texts).items() if k != "tokens") > 0.9
    assert evaluate.report(pack, ["de"], sweep=(0.0,), details=False)["letters dev (de)"]["rows"]

    unpack.run("again", [work / "packs" / "de"])
    again = evaluate.of_run(["again"])
    assert evaluate.agreement(evaluate.of_run(["sub"]), again, texts)["subclass"] > 0.9
    unpack.run("both", [work / "packs" / "de"], ("superclass", "subclass"))
    both, alone = (train.load(work / "runs" / n / "model.pt") for n in ("both", "super"))
    assert both.config["exits"] == {"superclass": 1}, "a head reads as deep as in its own tagger"
    assert torch.allclose(both.heads["superclass"].weight, alone.heads["superclass"].weight, atol=1e-2)
    train.run("further", ["tiny"], "both", tokens=600, threads=1)

    rows = localise.review(letters(4), "joint", work / "suspects.jsonl", folds=2, tokens=600, threads=1)
    assert (work / "suspects.jsonl").exists() and all(r["kind"] in ("missing", "surplus") for r in rows)


def test_taggers_with_the_same_lowest_layers_share_them_in_a_pack(work):
    train.run("joint", ["tiny"], tokens=4000, lr=1e-3, threads=1, freeze=0)
    train.run("super", ["tiny"], "joint", ("superclass",), tokens=3000, threads=1, freeze=1)
    train.run("apart", ["tiny"], "joint", ("superclass",), tokens=3000, threads=1, freeze=0)
    texts = [d["text"] for d in letters(4)]
    sizes = {}
    for name in ("super", "apart"):
        folder = work / "packs" / name
        export.pack("de", {"superclass": name, "subclass": "joint"}, folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        assert [m["layers"] for m in manifest["models"]] == [2, 2]
        assert [m.get("trunk") for m in manifest["models"]] == [None, "trunk" if name == "super" else None]
        sizes[name] = (folder / "subclass.onnx").stat().st_size
        assert min(v for k, v in evaluate.agreement(evaluate.of_run(["joint", name]), evaluate.of_pack(folder), texts).items() if k != "tokens") > 0.9
        unpack.run(f"{name}-again", [folder])
        assert evaluate.agreement(evaluate.of_run([f"{name}-again"]), evaluate.of_run(["joint"]), texts)["subclass"] > 0.9
    assert sizes["super"] < 0.6 * sizes["apart"]


def test_a_run_can_end_in_the_arithmetic_of_eight_bits(work):
    for name, rounding in (("plain", 1.0), ("rounded", 0.5)):
        train.run(name, ["tiny"], tokens=3000, lr=1e-3, threads=1, rounding=rounding)
    plain, rounded = (train.load(work / "runs" / n / "model.pt") for n in ("plain", "rounded"))
    assert all(bool((l.smooth_up == 1).all()) for l in plain.layers), "no factors where nothing is rounded"
    assert all(bool((l.smooth_up != 1).any()) for l in rounded.layers)
    assert not torch.equal(plain.layers[0].up.weight, rounded.layers[0].up.weight)


def test_training_rounds_as_the_graph_does(work):
    train.run("rounded", ["tiny"], tokens=3000, lr=1e-3, threads=1, rounding=0.5)
    net = train.load(work / "runs" / "rounded" / "model.pt").eval()
    net.word.data = torch.from_numpy(base.in_q4(net.word.detach().numpy()))
    state = {k: v.detach().numpy() for k, v in net.state_dict().items()}
    ids = np.arange(5, 69)[None]
    logits = {}
    for bits in ("fp32", "int8"):
        made = graph.build(state, net.config, "subclass", len(labels.SUBCLASS), bits)
        logits[bits] = onnxruntime.InferenceSession(made.SerializeToString()).run(["logits"], {"input_ids": ids})[0]
    with torch.no_grad():
        full = net(torch.from_numpy(ids))[1]["subclass"].numpy()
        net.rounding(True)
        rounded = net(torch.from_numpy(ids))[1]["subclass"].numpy()
    assert np.abs(full - logits["fp32"]).max() < 1e-3
    assert np.abs(rounded - logits["int8"]).mean() < 0.3 * np.abs(full - logits["int8"]).mean(), "a value at an edge may fall to either side"


def test_dev_corpora_are_refused():
    for name in corpus.DEV_ONLY:
        with pytest.raises(ValueError):
            next(corpus.mapped("phi", name))


def test_carrier_pieces_keep_slots_whole():
    text = "A b c. " * 60 + "On 3/4/2020 seen.\n" + "D e f. " * 60
    at = text.index("3/4/2020")
    found = [t[s["start"] : s["end"]] for t, ss in data.pieces(text, [{"start": at, "end": at + 8, "label": "x"}], 200) for s in ss]
    assert found == ["3/4/2020"]
    assert "".join(t for t, _ in data.pieces(text, [], 200)) == text
