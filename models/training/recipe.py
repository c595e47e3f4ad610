"""From nothing to both packs, in order. Each step is skipped where its result exists, so that the whole can be stopped
and called again.

One joint run over all languages trains both heads, the one of the superclasses half way up. From its lower half a
superclass tagger goes on alone with another order of the data, so that the two miss different things. Both packs carry
the same two taggers, with the vocabulary of both languages; the second one links to the files of the first.
"""

from . import base, corpus, data, export, paths, train

SEED = 1
EXIT = 8  # the layer after which the superclass head reads
SHARDS = 14
JOINT = dict(tokens=30_900_000, lr=1.2e-4, seed=SEED, freeze=0, exits={"superclass": EXIT})
SECOND = dict(tokens=3_900_000, lr=8e-5, seed=23, freeze=0)
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
