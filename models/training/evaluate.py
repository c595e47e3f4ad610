"""Scores of a run or a pack on the dev corpora: λ sweep, types, categories, leaks, spans outside slots."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from . import corpus, infer, paths, score, train

SWEEP = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98)


def letters_dev(lang: str):
    return list(corpus.letters("dev", lang))


def corpora(names):
    """Dev corpora by short name."""
    out = {}
    for name in names:
        if name in ("de", "en"):
            out[f"letters dev ({name})"] = letters_dev(name)
        elif name == "presidio":
            out["presidio v2"] = list(corpus.mapped("phi", "en_presidio_v2", False))
        elif name == "gemtex":
            out["gemtex docs"] = list(corpus.mapped("phi", "de_gemtex_docs", False))
        elif name == "meddocan":
            out["MEDDOCAN dev"] = list(corpus.mapped("phi", "es_meddocan_dev", False))[:60]
    return out


class Runner:
    """Tokenizer and taggers of a run (torch) or a pack (onnxruntime), by role."""

    def __init__(self, tok: Tokenizer, forward, batch_tokens: int = 1000):
        self.tok, self.forward, self.batch_tokens = tok, forward, batch_tokens

    def __call__(self, texts):
        return infer.probabilities(self.forward, self.tok, texts, self.batch_tokens)


def of_run(names: list[str], threads: int = 1) -> Runner:
    """Runs that share the base tokenizer; later ones override the roles of earlier ones."""
    import torch

    torch.set_num_threads(threads)
    parts = [infer.torch_forward(train.load(paths.WORK / "runs" / n / "model.pt")) for n in names]

    def forward(ids, mask):
        out = {}
        for part in parts:
            out.update(part(ids, mask))
        return out

    return Runner(Tokenizer.from_file(str(paths.WORK / "base" / "tokenizer.json")), forward)


def of_pack(folder: Path, threads: int = 1) -> Runner:
    """A pack as the server reads it, one window at a time."""
    import onnxruntime as ort

    manifest = json.loads((folder / "manifest.json").read_text())
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    sessions = {m["role"]: ort.InferenceSession(str(folder / m["file"]), options, ["CPUExecutionProvider"]) for m in manifest["models"]}
    return Runner(Tokenizer.from_file(str(folder / manifest["tokenizer"]["file"])), infer.onnx_forward(sessions), 0)


def scored(docs, probabilities, bias=0.0, threshold=0.0, roles=("superclass", "subclass")) -> score.Score:
    s = score.Score()
    for d, (offsets, p) in zip(docs, probabilities):
        s.add(d["text"], d["spans"], infer.detect(d["text"], offsets, p, bias, threshold, roles), d.get("open", ()))
    return s


def report(runner: Runner, names, sweep=SWEEP, details: bool = True) -> dict:
    """Everything, printed as tables and returned."""
    out = {}
    for title, docs in corpora(names).items():
        probs = runner([d["text"] for d in docs])
        have = tuple(probs[0][1])
        rows = {}
        for roles in [have] + ([(r,) for r in have] if len(have) > 1 else []):
            for bias in sweep if roles == have else (0.0, 0.9):
                rows["+".join(roles) + f" λ={bias}"] = scored(docs, probs, bias, roles=roles).summary()
        print(f"\n## {title}")
        for k, v in rows.items():
            print(f"{k:32}", " ".join(f"{a}={b}" for a, b in v.items()))
        s = scored(docs, probs)
        out[title] = {"rows": rows, "types": s.types(), "macro": s.macro()}
        if details:
            for t, v in s.types().items():
                print(f"  {t:24}", " ".join(f"{a}={b}" for a, b in v.items()))
            print("  macro", s.macro())
            print("  missed ", s.missed.most_common(60))
            print("  surplus", s.surplus.most_common(60))
    return out


def outside_slots(runner: Runner, limit: int = 374, bias: float = 0.0) -> dict:
    """Spans per 1,000 words outside the slots of the MTSamples dev notes, and the most frequent ones."""
    docs = list(corpus.lines(corpus.find("carriers", "en_mtsamples_dev")))[:limit]
    words, count, seen = 0, 0, Counter()
    for d, (offsets, p) in zip(docs, runner([d["text"] for d in docs])):
        words += len(score.WORD.findall(d["text"]))
        for s in infer.detect(d["text"], offsets, p, bias):
            if not any(s["start"] < x["end"] and x["start"] < s["end"] for x in d["slots"]):
                count += 1
                seen[s["label"], d["text"][s["start"] : s["end"]].replace("\n", " ")] += 1
    out = {"docs": len(docs), "words": words, "spans": count, "per_1000_words": round(1000 * count / words, 2)}
    print("\n## MTSamples dev, outside slots", out)
    print(seen.most_common(100))
    return dict(out, most=[[*k, n] for k, n in seen.most_common(100)])


def agreement(a: Runner, b: Runner, texts) -> dict:
    """Share of tokens with the same class, by role."""
    same, total = Counter(), 0
    for (_, p), (_, q) in zip(a(texts), b(texts)):
        for role in p:
            same[role] += int((p[role].argmax(-1) == q[role].argmax(-1)).sum())
        total += len(next(iter(p.values()))) if p else 0
    return {role: round(n / total, 5) for role, n in same.items()} | {"tokens": total}


def sweep_picture(rows: dict, path: Path):
    """Recall against precision over λ as an SVG, without a plotting library."""
    pts = [(v["word_precision"], v["word_recall"], k) for k, v in rows.items()]
    lo = min(min(p, r) for p, r, _ in pts) - 0.01
    scale = lambda x: 40 + (x - lo) / (1 - lo) * 420  # noqa: E731
    body = "".join(f'<circle cx="{scale(p):.1f}" cy="{500 - scale(r):.1f}" r="4"/><text x="{scale(p) + 6:.1f}" y="{500 - scale(r):.1f}" font-size="10">{k}</text>' for p, r, k in pts)
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="500">{body}<text x="250" y="495">precision</text><text x="2" y="20">recall</text></svg>\n')


__all__ = ["Runner", "agreement", "corpora", "np", "of_pack", "of_run", "outside_slots", "report", "scored", "sweep_picture"]
