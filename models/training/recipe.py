"""From nothing to both packs, in order. Each step is skipped where its result exists, so that the whole can be stopped
and called again.

One joint run over all languages trains both heads, the one of the superclasses two thirds of the way up. It is warmed up a
second time where its rate has come down once, and goes over to the arithmetic of the eight-bit export at the end of both
legs. A superclass tagger keeps the lowest layers, the trunk that a pack runs once, and goes on alone with those above and
another order of the data, so that the two miss different things. Both packs carry the same two taggers, with the vocabulary
of both languages; the second one links to the files of the first.
"""

import json

from . import base, corpus, data, export, paths, train

SEED = 1
EXIT = 8  # the layer after which the superclass head reads
SHARDS = 14
TRUNK = 6  # layers that both taggers share
JOINT = dict(seed=SEED, freeze=0, exits={"superclass": EXIT})
# Tokens count from the run's beginning: the second leg begins at half of its rate.
LEGS = dict(tokens=16_600_000, lr=1.4e-4, rounding=0.92), dict(tokens=32_600_000, lr=2.2e-4, rounding=0.96)
SECOND = dict(tokens=1_500_000, lr=1.2e-4, seed=23, freeze=TRUNK, rounding=0.7)
RUNS = {"superclass": "super", "subclass": "joint"}
LANGUAGES = ("de", "en")


def finished(run: str, tokens: int) -> bool:
    done = paths.WORK / "runs" / run / "done.json"
    return done.exists() and json.loads(done.read_text())["tokens"] >= tokens


def packs(threads: int = 2, bits: str = "int7"):
    """base -> shards -> joint run -> superclass run -> two packs."""
    if not (paths.WORK / "base" / "tokenizer.json").exists():
        base.run(paths.WORK / "base", corpus.everything())
    shards = paths.WORK / "shards"
    data.write(shards, "joint", [i for i in range(SHARDS) if not (shards / f"joint-{i:02d}.jsonl.gz").exists()], SEED)
    for leg in LEGS:
        if not finished("joint", leg["tokens"]):
            train.run("joint", ["joint"], threads=threads, **JOINT, **leg)
    if not finished("super", SECOND["tokens"]):
        train.run("super", ["joint"], "joint", ("superclass",), threads=threads, **SECOND)
    first, *others = LANGUAGES
    export.pack(first, RUNS, bits=bits, others=tuple(others))
