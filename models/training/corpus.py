"""Reads the corpora of the developer data into one shape.

A document is a dict: id, lang, source, text, spans (start, end, label in code points; label is a type, a category,
a list of them, or "[mask]") and open, the types that the source does not mark.
"""

import gzip
import hashlib
import json
import re
from pathlib import Path

from . import labels, paths

NER = ("de_ler", "de_germeval_dev", "de_europeana", "en_btc", "en_wikigold", "en_wnut17")
CARRIERS = ("en_mtsamples_train", "en_mts_dialog", "en_primock57", "en_synthetic_notes")
MEDDOCAN = ("es_meddocan_train", "es_meddocan_test")
# Never trained on, whatever a caller asks for.
DEV_ONLY = ("en_mtsamples_dev", "en_presidio_v2", "de_gemtex_docs", "es_meddocan_dev", "tricky_dev")


def lines(path: Path):
    """The JSON lines of a file, gzip or plain."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as f:
        for line in f:
            if line.strip():
                yield json.loads(line)


def find(folder: str, name: str) -> Path:
    """data/<folder>/<name>.jsonl[.gz]."""
    for ending in (".jsonl.gz", ".jsonl"):
        path = paths.DATA / folder / (name + ending)
        if path.exists():
            return path
    raise FileNotFoundError(f"{folder}/{name}.jsonl[.gz] not in {paths.DATA} (set DATA)")


def present(folder: str, names) -> list[str]:
    """Those of the corpora that lie in DATA; the repository ships the letters and short lists alone."""
    have = [n for n in names if any((paths.DATA / folder / (n + e)).exists() for e in (".jsonl.gz", ".jsonl"))]
    for n in names:
        if n not in have:
            print(f"data: {folder}/{n} is not in {paths.DATA}, goes on without it")
    return have


def letters(split: str, lang: str | None = None):
    """Our letters: every type but the biometric one is marked."""
    for d in lines(paths.letters_file()):
        if d["split"] == split and lang in (None, d["lang"]):
            yield dict(d, open=[])


HEAD = re.compile(r"^=== ([^|\n]*)\|([^|\n]*)(?:\|[^|\n]*)?(?:\|([^|\n]*))?[^\n]*\n", re.M)
TAG = re.compile(r"<(/?)([A-Z_]+)>")
HELD_OUT = 13  # one in so many of the letters written for training is kept for scoring


def inline(marked: str):
    """Text with inline marks -> text and spans."""
    parts, spans, at, length, begun = [], [], 0, 0, None
    for m in TAG.finditer(marked):
        parts.append(marked[at : m.start()])
        length += m.start() - at
        at = m.end()
        if not m[1] and begun is None:
            begun = (m[2], length)
        elif m[1] and begun and begun[0] == m[2]:
            spans.append({"start": begun[1], "end": length, "label": m[2]})
            begun = None
        else:
            raise ValueError("marks are nested or not closed")
    if begun:
        raise ValueError("marks are not closed")
    return "".join(parts) + marked[at:], spans


def written(held_out: bool = False, lang: str | None = None):
    """The letters of the repository, written for training; a fixed part of them is held out for scoring."""
    for file in sorted(paths.LETTERS.glob("*.txt*")):
        with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as f:
            content = f.read()
        heads = list(HEAD.finditer(content))
        for head, after in zip(heads, [h.start() for h in heads[1:]] + [len(content)]):
            name, language = head[1].strip(), head[2].strip()
            aside = int(hashlib.sha256(name.encode()).hexdigest(), 16) % HELD_OUT == 0
            if aside == held_out and lang in (None, language):
                text, spans = inline(content[head.end() : after].strip("\n"))
                yield {"id": name, "lang": language, "region": (head[3] or "").strip(), "source": "written", "text": text, "spans": spans, "open": []}


def mapped(folder: str, name: str, for_training: bool = True):
    """A corpus with labels of its own, mapped by labels.json."""
    if for_training and name in DEV_ONLY:
        raise ValueError(f"{name} is for scoring only")
    path = find(folder, name)
    table = json.loads((paths.DATA / "labels.json").read_text())
    key = f"{folder}/{path.name}"
    mapping, masked = table["files"][key], set(table["_mask"].get(key, ()))
    marked = {t for v in mapping.values() if v for t in labels.types_of(tuple(v) if isinstance(v, list) else v)}
    # Initials, user names and roles hide in a source that marks persons only in full.
    open_types = [t for t in labels.TYPES if t not in marked]
    for d in lines(path):
        spans = []
        for s in d["spans"]:
            label = labels.MASK if s["label"] in masked else mapping.get(s["label"])
            if name == "en_btc" and label == "NAME" and d["text"][s["start"]] == "@":
                label = "NAME_USERNAME"
            if label is not None:
                spans.append({"start": s["start"], "end": s["end"], "label": label})
        yield {"id": d["id"], "lang": d["lang"], "source": d["source"], "text": d["text"], "spans": spans,
               "open": open_types}  # fmt: skip


def carriers(name: str):
    """Clinical text with slots but without marks."""
    if name in DEV_ONLY:
        raise ValueError(f"{name} is for scoring only")
    yield from lines(find("carriers", name))


def everything():
    """All text that a vocabulary should cover: corpora of both languages and the lists."""
    for d in letters("train"):
        yield d["text"]
    for d in written():
        yield d["text"]
    for name in present("carriers", CARRIERS):
        for d in carriers(name):
            yield d["text"]
    for folder, names in (("ner", NER), ("phi", MEDDOCAN)):
        for name in present(folder, names):
            for d in mapped(folder, name):
                yield d["text"]
    lists = paths.DATA / "gazetteer" if (paths.DATA / "gazetteer").exists() else paths.SHIPPED / "lists"
    for path in sorted(f for f in lists.glob("*.txt.gz") if not f.name.startswith("mesh_de")):
        with gzip.open(path, "rt", encoding="utf-8") as f:
            yield from (line.split("\t", 1)[0].strip() for line in f)
