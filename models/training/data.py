"""Corpora and generators -> shards of training text.

A shard is one new pass over everything: each training letter rewritten anew (in shard 0 as written), newly composed
texts, slices of the carriers with values put in, and samples of the name corpora and of MEDDOCAN. The trainer walks
shard after shard, so that more training means more variety instead of more of the same. Everything follows from the
seed and the number of the shard.
"""

import gzip
import json
import random
import re
from functools import lru_cache
from pathlib import Path

from . import compose, corpus, labels, rewrite, segments
from .values import Values, column, first_names

NER_PER_SHARD = 150_000  # characters
MEDDOCAN_PER_SHARD = 110_000
CARRIERS_PER_SHARD = 300_000
COMPOSED_PER_SHARD = 800  # documents
# The letters of the developer data are marked most carefully: they come twice a shard, and oftener in those that a run
# ends with, while its rate falls.
COPIES, LAST_COPIES, LAST = 2, 4, 4
# Carriers are marked by slots alone: what else may hide in them takes no loss from O.
CARRIER_OPEN = ("PROFESSION_PROFESSION", "PROFESSION_STATUS", "OTHER", "LOCATION_ORGANIZATION", "LOCATION_OTHER")


def pieces(text: str, spans, size: int):
    """Cuts a document at blank lines, line ends or sentence ends into pieces of about size characters."""
    inside = {i for s in spans for i in range(s["start"] + 1, s["end"])}
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text):
            for mark in ("\n\n", "\n", ". ", " "):
                at = text.rfind(mark, start + size // 2, end)
                if at > 0 and at + len(mark) not in inside:
                    end = at + len(mark)
                    break
            while end in inside:
                end += 1
        part = [dict(s, start=s["start"] - start, end=s["end"] - start) for s in spans if start <= s["start"] and s["end"] <= end]
        yield text[start:end], part
        start = end


def sample(name: str, folder: str, chars: int, rng: random.Random, size: int = 1500):
    """Random pieces of a mapped corpus, chars in all."""
    docs = cached(folder, name)
    order = rng.sample(range(len(docs)), len(docs))
    for i in order:
        d = docs[i]
        cut = list(pieces(d["text"], d["spans"], size))
        text, spans = rng.choice(cut)
        if not text.strip():
            continue
        chars -= len(text)
        yield d, text, spans
        if chars < 0:
            return


@lru_cache(maxsize=None)
def cached(folder: str, name: str):
    return list(corpus.mapped(folder, name)) if folder != "carriers" else list(corpus.carriers(name))


@lru_cache(maxsize=None)
def harmless_words() -> frozenset[str]:
    return frozenset(w.lower() for w in column("safe_words_en_philter"))


NAMELIKE = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})?")


def doubtful(text: str, taken) -> list[dict]:
    """Words of a carrier that look like names which no slot marks: to be masked."""
    out = []
    first = first_names("en")
    for m in NAMELIKE.finditer(text):
        word = m.group().split()[0].lower()
        if word in first and word not in harmless_words() and not any(s["start"] < m.end() and m.start() < s["end"] for s in taken):
            out.append({"start": m.start(), "end": m.end(), "label": labels.MASK})
    return out


def slot_value(kind: str, form: str, old: str, v: Values, people: dict) -> str:
    """A value for a slot of a carrier; the same person throughout."""
    if kind == "NAME_PATIENT":
        p = people.setdefault("patient", v.person())
        return v.pick((p.last, p.full(), p.first)) if form == "placeholder" else v.pick((p.last, p.full()))
    if kind == "NAME_STAFF":
        p = people.setdefault(old, v.person())
        return v.pick((p.last, p.last, p.full(), p.short()))
    if kind == "AGE":
        return old if form == "natural" else v.age()
    if kind == "DATE_DATE":
        return v.date() if form == "placeholder" or v.chance(0.5) else rewrite.Rewriter(v).date(old, False)
    makers = {
        "DATE_BIRTHDATE": v.birthdate, "LOCATION_HOSPITAL": v.hospital, "LOCATION_ORGANIZATION": v.organisation,
        "LOCATION_CITY": v.city, "LOCATION_STATE": v.state, "LOCATION_STREET": v.street, "LOCATION_ZIP": v.zip,
        "LOCATION_OTHER": v.landmark, "CONTACT_PHONE": v.phone, "ID_PATIENT": lambda: compose.mrn(v),
        "ID_DEVICE": lambda: v.shape("@@@######@"),
    }  # fmt: skip
    return makers[kind]() if kind in makers else old


def carrier(d, v: Values, size: int):
    """One piece of a carrier with its slots filled; now and then a composed header before and a footer behind it."""
    slots = [{"start": s["start"], "end": s["end"], "label": (s["kind"], s["form"])} for s in d["slots"]]
    text, spans = v.pick(list(pieces(d["text"], slots, size)))
    spans = spans + doubtful(text, spans)
    people, out = {}, []
    for part, label in segments.split(text, spans):
        if label is None or label == labels.MASK:
            out.append((part, label))
        elif label[0] == "UNKNOWN":
            out.append((part, labels.MASK))
        else:
            out.append((slot_value(label[0], label[1], part, v, people), label[0]))
    if v.chance(0.45):
        out = compose.insert(out, v)
    return out


def shard(index: int, seed: int, lang: str | None = None):
    """The documents of one shard, shuffled. lang: that language's own sources, for the second stage of training."""
    rng = random.Random(f"{seed}/{index}/{lang}")
    docs = []

    def add(name, language, source, segs, open_types=()):
        docs.append(segments.document(name, language, source, segs, open_types))

    def letter(d, as_written: bool):
        v = Values(random.Random(rng.random()), d["lang"])
        segs = segments.split(d["text"], d["spans"])
        if not as_written:
            segs = rewrite.roughen(rewrite.rewrite(segs, v, keep=v.pick((0.0, 0.0, 0.3))), v)
        add(f"{d['id']}/{index}", d["lang"], d["source"], segs)

    for d in corpus.letters("train", lang):
        for copy in range(LAST_COPIES if index >= LAST else COPIES):
            letter(d, copy == 0 and index % 3 == 0)
    for d in corpus.written(lang=lang):
        letter(d, index % 3 == 2)

    for i in range(COMPOSED_PER_SHARD):
        language = lang or rng.choice(("de", "de", "en"))
        v = Values(random.Random(rng.random()), language)
        segs = compose.document(v)
        add(f"composed/{index}/{i}", language, "composed", rewrite.roughen(segs, v, 0.6))

    share = {None: 1.0, "de": 0.0, "en": 1.0}[lang]
    budget = CARRIERS_PER_SHARD * share
    weights = {"en_mtsamples_train": 0.6, "en_mts_dialog": 0.15, "en_primock57": 0.05, "en_synthetic_notes": 0.2}
    for name in corpus.present("carriers", weights) if share else ():
        w = weights[name]
        left = budget * w
        while left > 0:
            d = rng.choice(cached("carriers", name))
            v = Values(random.Random(rng.random()), "en")
            segs = carrier(d, v, rng.choice((500, 900, 1400)))
            left -= sum(len(t) for t, _ in segs)
            add(f"{d['id']}/{index}", "en", name, rewrite.roughen(segs, v, 0.4), CARRIER_OPEN)

    for name in corpus.present("ner", corpus.NER):
        if lang in (None, name[:2]):
            share = {"de_ler": 0.2, "de_germeval_dev": 0.3, "de_europeana": 0.1, "en_btc": 0.1, "en_wikigold": 0.2, "en_wnut17": 0.1}[name]
            for d, text, spans in sample(name, "ner", NER_PER_SHARD * share * (0.5 if lang else 1), rng, 700):
                add(f"{d['id']}/{index}", d["lang"], d["source"], segments.split(text, spans), d["open"])

    if lang is None:
        for name in corpus.present("phi", corpus.MEDDOCAN):
            for d, text, spans in sample(name, "phi", MEDDOCAN_PER_SHARD / 2, rng):
                add(f"{d['id']}/{index}", d["lang"], d["source"], segments.split(text, spans), d["open"])

    rng.shuffle(docs)
    return docs


def write(folder: Path, name: str, shards, seed: int = 1, lang: str | None = None, left_out=frozenset()):
    """folder/<name>-NN.jsonl.gz for each number in shards, without the letters whose ids are left out; a file appears only
    when it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    for index in shards:
        docs = [d for d in shard(index, seed, lang) if d["id"].split("/")[0] not in left_out]
        part = folder / f".{name}-{index:02d}.part"
        with gzip.open(part, "wt", encoding="utf-8", compresslevel=3) as f:
            for d in docs:
                f.write(json.dumps(d, ensure_ascii=False) + "\n")
        part.rename(folder / f"{name}-{index:02d}.jsonl.gz")
        print(f"data: {name}-{index:02d}: {len(docs)} documents, {sum(len(d['text']) for d in docs):,} characters", flush=True)
