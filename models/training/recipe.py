"""From nothing to both packs, in order. Each step is skipped where its result exists, so that the whole can be stopped
and called again.

One joint run over all languages trains both heads, the one of the superclasses two thirds of the way up: its tagger is the
lower part of the other, which a pack runs once. The run is warmed up again where its rate has come down, four times, and goes
over to the arithmetic of the eight-bit export at the end of each leg. Both packs carry the same two taggers, with the
vocabulary of both languages; the second one links to the files of the first.
"""

import json
import shutil

from . import base, corpus, data, export, paths, train

SEED = 1
EXIT = 8  # the layer after which the superclass head reads
SHARDS = 13
JOINT = dict(seed=SEED, freeze=0, exits={"superclass": EXIT})
# Tokens count from the run's beginning: the second leg begins at a third of its rate, the third one at a quarter, the
# fourth one at half and the last one at a sixth of it.
LEGS = (
    dict(tokens=13_000_000, lr=1.5e-4, rounding=0.97),
    dict(tokens=19_500_000, lr=3.4e-4, rounding=0.97),
    dict(tokens=25_200_000, lr=4.9e-4, rounding=0.98),
    dict(tokens=48_000_000, lr=2.5e-4, rounding=0.945),
    dict(tokens=57_000_000, lr=7.4e-4, rounding=0.991),
)
# A pack holds the mean of the weights of the last three legs: each knows words on letters of other hands that the others miss.
MEAN = {f"joint-{len(LEGS) - 2}": 0.26, f"joint-{len(LEGS) - 1}": 0.39, f"joint-{len(LEGS)}": 0.35}
RUNS = {"superclass": "mean", "subclass": "mean"}
LANGUAGES = ("de", "en")


def finished(run: str, tokens: int) -> bool:
    done = paths.WORK / "runs" / run / "done.json"
    return done.exists() and json.loads(done.read_text())["tokens"] >= tokens


def packs(threads: int = 2, bits: str = "int8"):
    """base -> shards -> joint run -> two packs."""
    if not (paths.WORK / "base" / "tokenizer.json").exists():
        base.run(paths.WORK / "base", corpus.everything())
    shards = paths.WORK / "shards"
    data.write(shards, "joint", [i for i in range(SHARDS) if not (shards / f"joint-{i:02d}.jsonl.gz").exists()], SEED)
    for number, leg in enumerate(LEGS, 1):
        if not finished("joint", leg["tokens"]):
            train.run("joint", ["joint"], threads=threads, **JOINT, **leg)
        end = paths.WORK / "runs" / f"joint-{number}"
        if not end.exists():
            if any(finished("joint", later["tokens"]) for later in LEGS[number:]):
                raise SystemExit(f"runs/joint has gone on and {end.name} is lost: delete runs/joint to begin anew")
            part = end.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(paths.WORK / "runs" / "joint", part, ignore=shutil.ignore_patterns("state.pt"))
            part.rename(end)
    train.mean("mean", MEAN)
    first, *others = LANGUAGES
    export.pack(first, RUNS, bits=bits, others=tuple(others))
