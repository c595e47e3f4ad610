"""What a hospital gains by fitting a tagger to its own letters: a measured example.

Letters of Austria and Switzerland are the hospital: a tagger is trained on German sources without any of them, then
tuned (localise.py) with 15, 30 and 60 of them and scored on the others, and on German dev letters of other regions, to
see what it forgets. The tagger has eight layers and 2 M tokens behind it: the gain is to be seen, not the best score.
"""

import random

from . import corpus, data, evaluate, localise, paths, score, train

REGIONS = ("österreich", "austria", "schweiz", "switzerland", "wien", "steiermark", "tirol", "kärnten", "salzburg", "vorarlberg", "burgenland",
           "aargau", "basel", "bern", "zürich", "luzern", "graubünden", "glarus", "solothurn", "st. gallen", "schaffhausen", "uri", "wallis",
           "freiburg (ch)", "thurgau", "tessin", "zug")  # fmt: skip
SHORT = ("at", "ch")
SHARDS, LAYERS, TOKENS, SIZES = 3, 8, 2_000_000, (15, 30, 60)
NAME = "elsewhere"


def local(d: dict) -> bool:
    """Whether a letter comes from the hospital of the experiment."""
    region = d.get("region", "").strip().lower()
    return region in SHORT or any(r in region for r in REGIONS)


def ids() -> set[str]:
    """The letters that only the hospital has."""
    letters = [*corpus.letters("train", "de"), *corpus.letters("dev", "de"), *corpus.written(lang="de")]
    return {d["id"] for d in letters if local(d)}


def scores(run: str, docs) -> score.Score:
    runner = evaluate.of_run([run])
    return evaluate.scored(docs, runner([d["text"] for d in docs]))


def run(seed: int = 1, threads: int = 2):
    """Prints a line for the tagger without local letters and for each number of them; each run is kept and not done again."""
    letters = [d for d in corpus.letters("train", "de") if local(d)]
    random.Random(seed).shuffle(letters)
    pool, test = letters[: max(SIZES)], letters[max(SIZES) :] + [d for d in corpus.letters("dev", "de") if local(d)]
    elsewhere = [d for d in corpus.letters("dev", "de") if not local(d)]
    if not (paths.WORK / "runs" / NAME / "done.json").exists():
        data.write(paths.WORK / "shards", NAME, range(SHARDS), seed, "de", left_out=ids())
        train.run(NAME, [NAME], layers=LAYERS, tokens=TOKENS, lr=1.5e-4, seed=seed, threads=threads, freeze=0)
    rows = []
    for size in (0, *SIZES):
        name = f"{NAME}-{size}" if size else NAME
        if size and not (paths.WORK / "runs" / name / "done.json").exists():
            localise.tune(pool[:size], name, NAME, seed=seed, threads=threads)
        rows.append((size, scores(name, test), scores(name, elsewhere)))
    print(f"{len(test)} local letters kept out, {len(elsewhere)} letters of other regions; words, recall/precision")
    for size, here, there in rows:
        print(f"{size:3d} letters: local {here.recall():.3f}/{here.precision():.3f}, elsewhere {there.recall():.3f}/{there.precision():.3f}")
