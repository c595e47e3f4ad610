"""From nothing to both packs, in order. Each step is skipped where its result exists, so that the whole can be stopped
and called again.

One joint run over all languages with both heads; from it, with the sources of one language alone, a subclass tagger of
twelve layers and a superclass tagger of six. Another depth, seed and order let the two miss different things.
"""

from . import base, corpus, data, export, paths, train

SEED = 1
JOINT = dict(tokens=3_500_000, lr=1.2e-4, seed=SEED)
SECOND = {
    "subclass": dict(layers=0, tokens=700_000, lr=7e-5, seed=11),
    "superclass": dict(layers=6, tokens=1_200_000, lr=1.2e-4, seed=23),
}
LANGUAGES = ("de", "en")


def finished(run: str) -> bool:
    return (paths.WORK / "runs" / run / "done.json").exists()


def packs(threads: int = 2, bits: str = "int7"):
    """base -> shards -> joint run -> four taggers -> two packs."""
    if not (paths.WORK / "base" / "tokenizer.json").exists():
        base.run(paths.WORK / "base", corpus.everything())
    shards = paths.WORK / "shards"

    def missing(name, count):
        return [i for i in range(count) if not (shards / f"{name}-{i:02d}.jsonl.gz").exists()]

    data.write(shards, "joint", missing("joint", 6), SEED)
    for lang in LANGUAGES:
        data.write(shards, lang, missing(lang, 4), SEED + 1, lang)
    if not finished("joint"):
        train.run("joint", ["joint"], threads=threads, **JOINT)
    for lang in LANGUAGES:
        for role, how in SECOND.items():
            if not finished(f"{lang}-{role}"):
                train.run(f"{lang}-{role}", [lang], "joint", (role,), threads=threads, **how)
        export.pack(lang, {role: f"{lang}-{role}" for role in SECOND}, bits=bits)
