"""Measures Python transformers (fp32, padded batches) and bare onnxruntime on the windows that the program has read,
and with --fp32 how often the models give the class that they give in 32-bit floats.

The transformers models have the size of those in the packs: a BERT body with a token classifier, its layers and
classes from the manifest, its vocabulary from the tokenizer. Their weights are random, on which the time does not
depend: a dense product of 32-bit floats takes as long whatever the numbers are.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def arguments():
    p = argparse.ArgumentParser(description=" ".join(__doc__.split("\n\n")[0].split()))
    p.add_argument("--packs", type=Path, required=True)
    p.add_argument("--program", type=Path, required=True, help="what `fhirdeid models bench --json` wrote")
    p.add_argument("--windows", type=Path, required=True, help="what `fhirdeid models bench --windows` wrote")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--repeat", type=int, default=3, help="the best of so many runs counts")
    p.add_argument("--limit", type=int, default=0, help="windows of each pack; 0: all")
    p.add_argument("--layers", type=int, default=0, help="layers of the transformers models, to try this script out")
    p.add_argument("--hidden", type=int, default=384)
    p.add_argument("--heads", type=int, default=12)
    p.add_argument("--ffn", type=int, default=1536)
    p.add_argument("--positions", type=int, default=512)
    p.add_argument("--fp32", type=Path, help="folder of the same packs in 32-bit floats: prints how often the classes agree")
    p.add_argument("--no-transformers", action="store_true", help="leave transformers out")
    p.add_argument("--json", type=Path, help="file for the results")
    return p.parse_args()


def best(repeat, run):
    """Seconds of the fastest of so many runs, after one to warm up, and the least seconds of processor, all cores together:
    these do not depend on what else the machine does."""
    run()
    walls, processors = [], []
    for _ in range(repeat):
        wall, processor = time.perf_counter(), time.process_time()
        run()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def rates(sentences, seconds):
    wall, processor = seconds
    return {"wall": sentences / wall, "processor": sentences / processor}


def transformers_seconds(args, folder, manifest, windows):
    """Both taggers of a pack over all windows, longest first so that a batch holds windows of about one length."""
    import torch
    from transformers import BertConfig, BertForTokenClassification

    torch.set_num_threads(args.threads)
    vocabulary = len(json.loads((folder / manifest["tokenizer"]["file"]).read_text())["model"]["vocab"])
    models = []
    for model in manifest["models"]:
        torch.manual_seed(1)
        config = BertConfig(
            vocab_size=vocabulary, hidden_size=args.hidden, num_hidden_layers=args.layers or model.get("layers", 12),
            num_attention_heads=args.heads, intermediate_size=args.ffn, max_position_embeddings=args.positions,
            num_labels=len(model["labels"]),
        )
        models.append(BertForTokenClassification(config).eval())
    batches = []
    order = sorted(windows, key=len, reverse=True)
    for i in range(0, len(order), args.batch):
        part = order[i : i + args.batch]
        width = len(part[0])
        ids = torch.tensor([w + [0] * (width - len(w)) for w in part])
        mask = torch.tensor([[1] * len(w) + [0] * (width - len(w)) for w in part])
        batches.append((ids, mask))

    def run():
        with torch.inference_mode():
            for ids, mask in batches:
                for model in models:
                    model(input_ids=ids, attention_mask=mask).logits.argmax(-1)

    return best(args.repeat, run)


def sessions_of(folder, manifest):
    """The models of a pack, set up as the program does."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return [
        onnxruntime.InferenceSession(str(folder / model["file"]), options, providers=["CPUExecutionProvider"])
        for model in manifest["models"]
    ]


def feed(window):
    """What a model may want to be given for one window."""
    import numpy

    row = numpy.array([window], dtype=numpy.int64)
    return {
        "input_ids": row, "attention_mask": numpy.ones_like(row), "token_type_ids": numpy.zeros_like(row),
        "position_ids": numpy.arange(len(window), dtype=numpy.int64)[None],
    }


def ensemble_of(sessions):
    """A function from what `feed` gives for a window to the logits of the models of a pack, one after the other: a later
    one may go on from what an earlier one gives besides. Names are looked up here, not while the time is taken."""
    taken = [[i.name for i in s.get_inputs()] for s in sessions]
    wanted = {name for names in taken for name in names}
    given = [["logits", *(o.name for o in s.get_outputs() if o.name in wanted)] for s in sessions]

    def run(values):
        values, out = dict(values), []
        for session, inputs, outputs in zip(sessions, taken, given):
            logits, *states = session.run(outputs, {name: values[name] for name in inputs})
            values.update(zip(outputs[1:], states))
            out.append(logits[0])
        return out

    return run


def onnxruntime_seconds(args, folder, manifest, windows):
    """The models of the pack themselves, a window at a time, on as many threads as cores are measured."""
    run = ensemble_of(sessions_of(folder, manifest))
    feeds = [feed(w) for w in windows]
    with ThreadPoolExecutor(args.threads) as pool:
        return best(args.repeat, lambda: list(pool.map(run, feeds)))


def agreement(folder, manifest, full_folder, windows):
    """How often each model gives a token the class that it gives in 32-bit floats, and how the rest is spread.

    The marks around a window are no tokens of the text and do not count.
    """
    full_manifest = json.loads((full_folder / "manifest.json").read_text())
    if full_manifest["tokenizer"]["sha256"] != manifest["tokenizer"]["sha256"]:
        raise SystemExit(f"compare: {full_folder} has another tokenizer")
    special = manifest.get("special") or {}
    first, behind = int("bos" in special), int("eos" in special)
    order = [m["role"] for m in full_manifest["models"]]
    ours, full = ensemble_of(sessions_of(folder, manifest)), ensemble_of(sessions_of(full_folder, full_manifest))
    out = [{"role": m["role"], "tokens": 0, "same": 0, "sameDecision": 0, "lost": 0, "gained": 0} for m in manifest["models"]]
    for window in windows:
        values = feed(window)
        scores, references = ours(values), full(values)
        for r, model, logits in zip(out, manifest["models"], scores):
            outside = model["labels"].index("O") if "O" in model["labels"] else 0
            mine, theirs = (l.argmax(-1)[first : len(window) - behind] for l in (logits, references[order.index(model["role"])]))
            r["tokens"] += len(mine)
            r["same"] += int((mine == theirs).sum())
            r["sameDecision"] += int(((mine == outside) == (theirs == outside)).sum())
            r["lost"] += int(((mine == outside) & (theirs != outside)).sum())
            r["gained"] += int(((mine != outside) & (theirs == outside)).sum())
    return out


def print_rates(args, results):
    print(f"\nsentences (20 words), the ensemble of a pack, {args.threads} threads; transformers: fp32, batch {args.batch}")
    print(f"{'pack':<16}{'a second of':<14}{'of 20 tokens':>13}{'fhirdeid':>10}{'onnxruntime':>13}{'transformers':>14}{'of onnxruntime':>16}{'x transformers':>16}")
    for r in results:
        for of in ("wall", "processor"):
            ours, python, times = r["fhirdeid"][of], "–", "–"
            if "transformers" in r:
                python, times = f"{r['transformers'][of]:.0f}", f"{ours / r['transformers'][of]:.2f}"
            print(f"{r['pack']:<16}{of:<14}{ours * r['tokenSentences']:>13.0f}{ours:>10.0f}{r['onnxruntime'][of]:>13.0f}{python:>14}{ours / r['onnxruntime'][of]:>16.2f}{times:>16}")


def print_agreement(results):
    print("\nclasses of tokens, as shipped against 32-bit floats")
    print(f"{'pack':<16}{'model':<12}{'tokens':>9}{'same class':>12}{'same PHI or not':>17}{'PHI lost':>10}{'gained':>8}")
    for r in results:
        for m in r["agreement"]:
            print(f"{r['pack']:<16}{m['role']:<12}{m['tokens']:>9}{m['same'] / m['tokens']:>12.2%}"
                  f"{m['sameDecision'] / m['tokens']:>17.2%}{m['lost']:>10}{m['gained']:>8}")  # fmt: skip


def main():
    args = arguments()
    windows = {}
    for line in args.windows.read_text().splitlines():
        w = json.loads(line)
        windows.setdefault(w["pack"], []).append(w["ids"])
    program = {m["pack"]: m for m in json.loads(args.program.read_text()) if m["kind"] == "documents"}
    results = []
    for file in sorted(args.packs.glob("*/manifest.json")):
        manifest = json.loads(file.read_text())
        name = manifest["name"]
        if name not in program or name not in windows:
            continue
        ours, mine = program[name], windows[name][: args.limit or None]
        share = sum(map(len, mine)) / sum(map(len, windows[name]))  # of the documents, where --limit cuts it
        sentences = ours["rate"]["words"] / 20 * share
        results.append({
            "pack": name,
            "windows": len(mine),
            "tokenSentences": ours["rate"]["textTokens"] / ours["rate"]["words"],  # sentences of 20 tokens in one of 20 words
            "fhirdeid": {"wall": ours["sentencesPerSecond"], "processor": ours["sentencesPerProcessorSecond"]},
            "onnxruntime": rates(sentences, onnxruntime_seconds(args, file.parent, manifest, mine)),
        })  # fmt: skip
        if not args.no_transformers:
            results[-1]["transformers"] = rates(sentences, transformers_seconds(args, file.parent, manifest, mine))
        if args.fp32:
            full = args.fp32 if (args.fp32 / "manifest.json").exists() else args.fp32 / file.parent.name
            results[-1]["agreement"] = agreement(file.parent, manifest, full, mine)
    if not results:
        print("compare: no pack was measured by both", file=sys.stderr)
        return 1
    print_rates(args, results)
    if args.fp32:
        print_agreement(results)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
