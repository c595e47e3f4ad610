"""Fits a tagger to one hospital with a few hundred of its own marked letters, and reviews the marks.

`tune` goes on from an earlier run with the letters (each epoch once as written and once rewritten). `review` splits
the letters into folds, tunes on all but one and reads the one left out: where the tagger is sure and the mark is
missing, or the mark is there and the tagger sees nothing, a person should look again. Letters come as JSON Lines
(text, spans, our labels) or as i2b2 2014 XML.
"""

import gzip
import json
import random
import xml.etree.ElementTree as ET
from pathlib import Path

from . import evaluate, infer, labels, paths, rewrite, segments, train
from .values import Values

I2B2 = {
    "PATIENT": "NAME_PATIENT", "DOCTOR": "NAME_STAFF", "USERNAME": "NAME_USERNAME", "PROFESSION": "PROFESSION_PROFESSION",
    "HOSPITAL": "LOCATION_HOSPITAL", "DEPARTMENT": "LOCATION_HOSPITAL", "ROOM": "LOCATION_HOSPITAL", "ORGANIZATION": "LOCATION_ORGANIZATION",
    "STREET": "LOCATION_STREET", "CITY": "LOCATION_CITY", "STATE": "LOCATION_STATE", "COUNTRY": "LOCATION_COUNTRY", "ZIP": "LOCATION_ZIP",
    "LOCATION-OTHER": "LOCATION_OTHER", "OTHER": "OTHER", "AGE": "AGE", "DATE": "DATE", "PHONE": "CONTACT_PHONE", "FAX": "CONTACT_FAX",
    "EMAIL": "CONTACT_EMAIL", "URL": "CONTACT_URL", "IPADDR": "CONTACT_IP", "IPADDRESS": "CONTACT_IP", "SSN": "ID_SSN",
    "MEDICALRECORD": "ID_PATIENT", "HEALTHPLAN": "ID_HEALTHPLAN", "ACCOUNT": "ID_ACCOUNT", "LICENSE": "ID_LICENSE",
    "VEHICLE": "ID_VEHICLE", "DEVICE": "ID_DEVICE", "BIOID": "ID_OTHER", "IDNUM": "ID_OTHER",
}  # fmt: skip


def read_i2b2(path: Path, lang: str = "en") -> dict:
    """One i2b2 2014 file as a document."""
    root = ET.parse(path).getroot()
    text = root.findtext("TEXT") or ""
    spans = []
    for tag in root.findall("TAGS/*"):
        label = I2B2.get((tag.get("TYPE") or tag.tag).upper())
        start, end = int(tag.get("start")), int(tag.get("end"))
        spans.append({"start": start, "end": end, "label": label or labels.MASK})
    spans.sort(key=lambda s: (s["start"], -s["end"]))
    return {"id": path.stem, "lang": lang, "source": "local", "text": text, "spans": spans, "open": []}


def read(path: Path, lang: str):
    """A JSONL file, or a folder of XML files."""
    if path.is_dir():
        return [read_i2b2(f, lang) for f in sorted(path.glob("*.xml"))]
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as f:
        docs = [json.loads(line) for line in f if line.strip()]
    return [dict({"id": str(i), "lang": lang, "source": "local", "open": []}, **d) for i, d in enumerate(docs)]


def write_shards(docs, name: str, copies: int = 4, seed: int = 1):
    """Shards with the letters: as written, then rewritten anew."""
    folder = paths.WORK / "shards"
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(copies):
        with gzip.open(folder / f"{name}-{index:02d}.jsonl.gz", "wt", encoding="utf-8") as f:
            for d in docs:
                v = Values(random.Random(f"{seed}/{index}/{d['id']}"), d["lang"] if d["lang"] in ("de", "en") else "en")
                segs = segments.split(d["text"], d["spans"])
                if index % 2:
                    segs = rewrite.roughen(rewrite.rewrite(segs, v), v, 0.5)
                f.write(json.dumps(segments.document(d["id"], d["lang"], "local", segs, d.get("open", ())), ensure_ascii=False) + "\n")


def tune(docs, name: str, source: str, tokens: int = 0, lr: float = 5e-5, seed: int = 1, roles=None, threads: int = 2):
    """Run `name`: `source` trained further on docs; about six passes unless tokens says otherwise."""
    write_shards(docs, name, seed=seed)
    tokens = tokens or max(2000, 6 * sum(len(d["text"]) for d in docs) // 3)
    net = train.load(paths.WORK / "runs" / source / "model.pt")
    train.run(name, [name], source, tuple(roles or net.roles), 0, tokens, lr=lr, seed=seed, threads=threads)


def differences(doc: dict, found, sure: float = 0.9):
    """Suspected missing and surplus marks of one document."""
    text, gold = doc["text"], doc["spans"]

    def touches(s, others):
        return any(s["start"] < x["end"] and x["start"] < s["end"] for x in others)

    def row(kind, s):
        around = text[max(0, s["start"] - 40) : s["end"] + 40].replace("\n", " ")
        return {"id": doc["id"], "kind": kind, "start": s["start"], "end": s["end"], "label": s["label"], "text": text[s["start"] : s["end"]], "context": around}

    missing = [row("missing", s) for s in found if s["score"] >= sure and not touches(s, gold)]
    surplus = [row("surplus", s) for s in gold if s["label"] != labels.MASK and not touches(s, found)]
    return missing + surplus


def review(docs, source: str, out: Path, folds: int = 5, seed: int = 1, **tuning):
    """Writes the suspects of all folds as JSON Lines, to be looked at by a person."""
    order = list(docs)
    random.Random(seed).shuffle(order)
    rows = []
    for k in range(folds):
        held = order[k::folds]
        rest = [d for i, d in enumerate(order) if i % folds != k]
        name = f"review-{source}-{k}"
        tune(rest, name, source, seed=seed + k, **tuning)
        runner = evaluate.of_run([name])
        for d, (offsets, p) in zip(held, runner([d["text"] for d in held])):
            rows += differences(d, infer.detect(d["text"], offsets, p))
    with open(out, "w", encoding="utf-8") as f:
        for r in rows:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")
    count = {k: sum(r["kind"] == k for r in rows) for k in ("missing", "surplus")}
    print(f"localise: {len(docs)} letters, {folds} folds: {count['missing']} marks may be missing, {count['surplus']} may be surplus -> {out}")
    return rows
