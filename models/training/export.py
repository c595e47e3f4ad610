"""Runs -> a pack: vocabulary trimmed to the language, ONNX in eight bits, manifest with hashes and dev scores."""

import hashlib
import json
import random
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch
from tokenizers import Tokenizer

from . import base, corpus, evaluate, graph, infer, labels, paths, train, windows
from .values import column

VOCABULARY = 25_000
LISTS = {
    "de": ("de_surnames", "de_first_names_berlin", "de_first_names_koeln", "cities_de", "cities_at", "cities_ch", "streets_de_faker",
           "streets_ch", "de_hospitals", "de_health_insurers", "occupations_de_faker", "medical_terms_de", "drugs_de", "cities_world", "countries_de"),
    "en": ("us_surnames", "us_first_names_long", "cities_us", "us_hospitals", "us_counties", "occupations_en", "icd9_terms_en", "eponyms_en",
           "cities_world", "countries_en", "safe_words_en_philter"),
}  # fmt: skip
SOURCES = (
    ("letters of this project", "Apache-2.0", "written for this project"),
    ("MTSamples via ctakes-examples (carriers)", "Apache-2.0", "MTSamples (mtsamples.com), via ctakes-examples, Apache-2.0; texts not shipped"),
    ("MTS-Dialog (carriers)", "CC BY 4.0", "Ben Abacha et al., EACL 2023, MTS-Dialog; changed"),
    ("PriMock57 (carriers)", "CC BY 4.0", "Papadopoulos Korfiatis et al., ACL 2022, PriMock57; changed"),
    ("clinical-rag-retrieval-benchmark synthetic notes (carriers)", "MIT", "Y. Mikkelsen, 2026"),
    ("German LER", "CC BY 4.0", "Leitner et al., LREC 2020; changed"),
    ("GermEval 2014 NER", "CC BY 4.0", "Benikova et al., 2014; changed"),
    ("Europeana Newspapers NER", "CC0", "Europeana Newspapers NER corpora"),
    ("Wikigold", "CC BY 4.0", "Balasuriya et al. 2009; changed"),
    ("WNUT 2017", "CC BY 4.0", "Derczynski et al., WNUT 2017; changed"),
    ("Broad Twitter Corpus", "CC BY 4.0", "Derczynski et al., COLING 2016; changed"),
    ("MEDDOCAN train and test", "CC BY 4.0", "Marimon et al., IberLEF 2019, MEDDOCAN; changed"),
    ("name, place and occupation lists", "Apache-2.0, MIT, CC0, CC BY 4.0, CC BY 3.0 DE", "see gazetteer/SOURCES.tsv"),
)


# How the taggers of a pack decide, see package ner. Chosen on the dev letters and the letters kept out, category by
# category: a bias against O finds half a true word for each wrong one among places and next to nothing elsewhere; a
# superclass tagger alone is believed of places and occupations sooner than of dates and numbers.
DECISION = {
    "lambda": 0.0,
    "lambdas": {},
    "quiet": 0.003,  # in 2,644 windows of letters and notes the subclass tagger found nothing where .01 was not reached
    "superclass_threshold": 0.7,
    "superclass_thresholds": {c: 0.9 for c in ("NAME", "AGE", "DATE", "CONTACT", "ID")},
    "thresholds": {"OTHER": 0.8, "AGE": 0.7, "DATE": 0.8, "CONTACT": 0.8, "ID": 0.8},
}
OWN = {
    "de": {
        "lambda": 0.6,
        "lambdas": {"LOCATION": 0.87, "NAME": 0.5, "PROFESSION": 0.0},
        "superclass_threshold": 0.6,
        "superclass_thresholds": DECISION["superclass_thresholds"] | {"NAME": 0.7},
        "thresholds": {"OTHER": 0.7, "AGE": 0.5, "DATE": 0.7, "CONTACT": 0.6, "ID": 0.8},
    },
    "en": {
        "lambda": 0.3,
        "lambdas": {"LOCATION": 0.6, "NAME": 0.9},
        "thresholds": DECISION["thresholds"] | {"OTHER": 0.6, "DATE": 0.9, "PROFESSION": 0.8},
    },
}

VERSION = "0.12.0"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def vocabulary(lang: str, size: int = VOCABULARY) -> list[int]:
    """Which pieces of the base a pack keeps, most used first; remembered in WORK."""
    cache = paths.WORK / f"vocabulary-{lang}-{size}.json"
    if cache.exists():
        return json.loads(cache.read_text())
    pieces = json.loads((paths.WORK / "base" / "pieces.json").read_text())
    tok = Tokenizer.from_file(str(paths.WORK / "base" / "tokenizer.json"))

    def texts():
        for d in corpus.letters("train", lang):
            yield d["text"]
        for f in sorted((paths.WORK / "shards").glob("*.jsonl.gz")):
            for d in corpus.lines(f):
                if d["lang"] == lang:
                    yield d["text"]
        for name in corpus.present("ner", corpus.NER):
            if name.startswith(lang):
                for d in corpus.mapped("ner", name):
                    yield d["text"]
        if lang == "en":
            for name in corpus.present("carriers", corpus.CARRIERS):
                for d in corpus.carriers(name):
                    yield d["text"]

    counts = base.count_pieces(tok, texts(), len(pieces)) * 3
    counts += base.count_pieces(tok, (w for name in LISTS[lang] for w in column(name)), len(pieces))
    always = [i for i, (p, _) in enumerate(pieces) if i < 4 or p == base.LINE_FEED or len(p.lstrip("▁")) <= 1]
    rest = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i] > 0 and i not in set(always)]
    kept = sorted(always + rest[: size - len(always)])
    cache.write_text(json.dumps(kept))
    return kept


def calibration(count: int = 40) -> list:
    """Some windows of the training letters as (ids, mask) batches."""
    tok = Tokenizer.from_file(str(paths.WORK / "base" / "tokenizer.json"))
    docs = list(corpus.letters("train"))
    rng = random.Random(5)
    sets = windows.ClassSets()
    free = sets.of(labels.allowed(labels.MASK, "B"))
    items = windows.windows(rng.sample(docs, min(count, len(docs))), tok, sets, rng)
    return [windows.stack(items, group, free)[:2] for group in windows.batches(items, train.BATCH_TOKENS, rng)]


def weights(run: str, role: str):
    """Config and numpy weights of a run, with smoothing factors for its eight-bit form."""
    net = train.lower(train.load(paths.WORK / "runs" / run / "model.pt"), role)
    net.calibrate((torch.from_numpy(ids), torch.from_numpy(mask)) for ids, mask in calibration())
    return net.config, {k: v.detach().numpy() for k, v in net.state_dict().items()}


def shared(states) -> int:
    """How many of the lowest layers are the same in all of these, with what lies below them."""

    def same(prefix: str) -> bool:
        first, *rest = ({k: v for k, v in s.items() if k.startswith(prefix)} for s in states)
        return bool(first) and all(first.keys() == o.keys() and all(np.array_equal(first[k], o[k]) for k in first) for o in rest)

    if len(states) < 2 or not all(same(p) for p in ("word", "position", "norm.")):
        return 0
    depth = 0
    while same(f"layers.{depth}."):
        depth += 1
    return depth


def onnx_models(runs: dict[str, str], kept, bits: str) -> dict[str, tuple[onnx.ModelProto, int, bool]]:
    """The taggers with the kept rows of the embedding: by role the graph, how many layers deep its head lies, and whether
    it goes on from the superclass tagger, with which it then shares its lowest layers."""
    made = {role: weights(run, role) for role, run in runs.items()}
    trunk = shared([state for _, state in made.values()])
    out = {}
    for role, (config, state) in made.items():
        state = dict(state, word=state["word"][kept])
        branch = bool(trunk) and role == "subclass"
        m = graph.build(state, config, role, len(labels.CLASSES[role]), bits, role == "subclass", trunk=trunk, branch=branch)
        out[role] = m, config["layers"], branch
    return out


def decision(lang: str, bias: float | None = None) -> dict:
    """How the pack of a language decides, as its manifest says it; a bias that is given goes for all categories."""
    own = DECISION | OWN.get(lang, {})
    return own if bias is None else own | {"lambda": bias, "lambdas": {}}


def pack(lang: str, runs: dict[str, str], target: Path | None = None, bits: str = "int8", version: str = VERSION,
         bias: float | None = None, threshold: float = 0.0, size: int = VOCABULARY, others: tuple[str, ...] = ()):  # fmt: skip
    """Writes the pack beside its place and then swaps it in, so that no reader sees half of it.

    bias: λ of this pack and its twins for all categories, those of its language unless given.
    others: further languages that the same taggers serve; the vocabulary then holds the pieces of all, and `twin` makes
    their packs.
    """
    target = target or paths.PACKS / lang
    part = target.with_name(f".{target.name}.new")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    pieces = json.loads((paths.WORK / "base" / "pieces.json").read_text())
    base_config = json.loads((paths.WORK / "base" / "config.json").read_text())
    kept = sorted({i for l in (lang, *others) for i in vocabulary(l, size)})
    tok = base.tokenizer([tuple(pieces[i]) for i in kept])
    (part / "tokenizer.json").write_text(tok.to_str(pretty=False), encoding="utf-8")
    models = []
    for role, (m, layers, branch) in onnx_models({r: runs[r] for r in ("superclass", "subclass")}, kept, bits).items():
        file = part / f"{role}.onnx"
        onnx.save(m, str(file))
        models.append({"role": role, "file": file.name, "sha256": sha256(file), "labels": list(labels.CLASSES[role]),
                       **({"trunk": graph.TRUNK} if branch else {}), "layers": layers, "quantisation": bits})  # fmt: skip
    manifest = {
        "schema": 1, "name": f"fhirdeid-{lang}", "version": version, "languages": [lang], "licence": "Apache-2.0",
        "base": {"name": base.MODEL, "package": base.PACKAGE, "package_version": base.VERSION, "licence": base.LICENCE, "sha256": base_config["sha256"]},
        "data": [{"name": n, "licence": l, "attribution": a} for n, l, a in SOURCES],
        "tokenizer": {"file": "tokenizer.json", "sha256": sha256(part / "tokenizer.json")},
        "window": {"tokens": infer.WINDOW, "overlap": infer.OVERLAP},
        "special": {"bos": base.BOS, "eos": base.EOS, "pad": base.PAD},
        **decision(lang, bias), "threshold": threshold, "models": models, "label_map": {},
        "encoder": {"file": "subclass.onnx", "output": "hidden"},
    }  # fmt: skip
    write(part, manifest)
    summary = measure(part, manifest, lang)
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    part.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    megabytes = sum(f.stat().st_size for f in target.iterdir()) / 1e6
    print(f"export: {target} {megabytes:.1f} MB, {len(kept)} pieces, dev {summary}", flush=True)
    for other in others:
        twin(target, other, bias)


def measure(folder: Path, manifest: dict, lang: str) -> dict:
    """Writes the scores on the dev letters of the language into the manifest of a pack."""
    docs = evaluate.letters_dev(lang)
    s = evaluate.scored(docs, evaluate.of_pack(folder)([d["text"] for d in docs]), manifest["lambda"], manifest["threshold"])
    manifest["metrics"] = {
        "corpus": f"letters dev ({lang})", "lambda": manifest["lambda"], "word_recall": round(s.recall(), 4), "word_precision": round(s.precision(), 4),
        "types": {t: {"recall": v["recall"], "precision": v["precision"], "n": v["n"]} for t, v in s.types().items()},
    }  # fmt: skip
    write(folder, manifest)
    return s.summary()


def twin(of: Path, lang: str, bias: float | None = None):
    """A pack for another language beside `of` with the same files: links, so that nothing lies in the repository twice."""
    folder = of.with_name(lang)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    manifest = json.loads((of / "manifest.json").read_text())
    for file in [manifest["tokenizer"]["file"], *(m["file"] for m in manifest["models"])]:
        (folder / file).symlink_to(Path("..") / of.name / file)
    manifest |= {"name": f"fhirdeid-{lang}", "languages": [lang], **decision(lang, bias)}
    write(folder, manifest)
    print(f"export: {folder}, dev {measure(folder, manifest, lang)}", flush=True)


def write(folder: Path, manifest: dict):
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def compare(lang: str, runs: dict[str, str], bits=("int8", "uint8"), size: int = VOCABULARY, texts=None) -> dict:
    """Class agreement of each way to quantise with fp32 on the dev letters."""
    import onnxruntime as ort

    kept = vocabulary(lang, size)
    pieces = json.loads((paths.WORK / "base" / "pieces.json").read_text())
    tok = base.tokenizer([tuple(pieces[i]) for i in kept])
    texts = texts or [d["text"] for d in evaluate.letters_dev(lang)]

    def runner(kind):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        made = onnx_models(runs, kept, kind)
        sessions = {r: ort.InferenceSession(m.SerializeToString(), options, ["CPUExecutionProvider"]) for r, (m, _, _) in made.items()}
        return evaluate.Runner(tok, infer.onnx_forward(sessions), 0)

    full = runner("fp32")
    out = {}
    for kind in bits:
        out[kind] = evaluate.agreement(full, runner(kind), texts)
        print(lang, kind, out[kind], flush=True)
    return out
