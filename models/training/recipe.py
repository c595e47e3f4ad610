"""From nothing to both packs, in order. Each step is skipped where its result exists, so that the whole can be stopped
and called again.

One joint run over all languages trains both heads, the one of the superclasses two thirds of the way up, and goes over to
the arithmetic of the eight-bit export at its end. A superclass tagger keeps the lowest layers, the trunk that a pack runs
once, and goes on alone with those above and another order of the data, so that the two miss different things. Both packs
carry the same two taggers, with the vocabulary of both languages; the second one links to the files of the first.
"""

from . import base, corpus, data, export, paths, train

SEED = 1
EXIT = 8  # the layer after which the superclass head reads
SHARDS = 14
TRUNK = 6  # layers that both taggers share
JOINT = dict(tokens=16_600_000, lr=1.4e-4, seed=SEED, freeze=0, exits={"superclass": EXIT}, rounding=0.92)
SECOND = dict(tokens=1_200_000, lr=1.2e-4, seed=23, freeze=TRUNK, rounding=0.7)
RUNS = {"superclass": "super", "subclass": "joint"}
LANGUAGES = ("de", "en")


def finished(run: str) -> bool:
    return (paths.WORK / "runs" / run / "done.json").exists()


def packs(threads: int = 2, bits: str = "int7"):
    """base -> shards -> joint run -> superclass run -> two packs."""
    if not (paths.WORK / "base" / "tokenizer.json").exists():
        base.run(paths.WORK / "base", corpus.everything())
    shards = paths.WORK / "shards"
    data.write(shards, "joint", [i for i in range(SHARDS) if not (shards / f"joint-{i:02d}.jsonl.gz").exists()], SEED)
    if not finished("joint"):
        train.run("joint", ["joint"], threads=threads, **JOINT)
    if not finished("super"):
        train.run("super", ["joint"], "joint", ("superclass",), threads=threads, **SECOND)
    first, *others = LANGUAGES
    export.pack(first, RUNS, bits=bits, others=tuple(others))
