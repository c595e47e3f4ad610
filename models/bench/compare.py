"""Measures Python transformers (fp32, padded batches) and bare onnxruntime on the windows that the program has read.

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
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
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
    p.add_argument("--json", type=Path, help="file for the results")
    return p.parse_args()


def best(repeat, run):
    """Seconds of the fastest of so many runs, after one to warm up."""
    run()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


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


def onnxruntime_seconds(args, folder, manifest, windows):
    """The models of the pack themselves, a window at a time, on as many threads as cores are measured."""
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    sessions = [
        onnxruntime.InferenceSession(str(folder / model["file"]), options, providers=["CPUExecutionProvider"])
        for model in manifest["models"]
    ]

    def feed(session, window):
        row = numpy.array([window], dtype=numpy.int64)
        values = {
            "input_ids": row, "attention_mask": numpy.ones_like(row), "token_type_ids": numpy.zeros_like(row),
            "position_ids": numpy.arange(len(window), dtype=numpy.int64)[None],
        }
        return {i.name: values[i.name] for i in session.get_inputs()}

    feeds = [[feed(s, w) for s in sessions] for w in windows]

    def one(values):
        for session, value in zip(sessions, values):
            session.run(["logits"], value)

    with ThreadPoolExecutor(args.threads) as pool:
        return best(args.repeat, lambda: list(pool.map(one, feeds)))


def main():
    args = arguments()
    windows = {}
    for line in args.windows.read_text().splitlines():
        w = json.loads(line)
        windows.setdefault(w["pack"], []).append(w["ids"])
    program = {m["pack"]: m for m in json.loads(args.program.read_text()) if m["kind"] == "document"}
    results = []
    for file in sorted(args.packs.glob("*/manifest.json")):
        manifest = json.loads(file.read_text())
        name = manifest["name"]
        if name not in program or name not in windows:
            continue
        ours, mine = program[name], windows[name][: args.limit or None]
        share = sum(map(len, mine)) / sum(map(len, windows[name]))  # of the document, where --limit cuts it
        sentences = ours["rate"]["words"] / 20 * share
        results.append({
            "pack": name,
            "windows": len(mine),
            "fhirdeid": ours["sentencesPerSecond"],
            "onnxruntime": sentences / onnxruntime_seconds(args, file.parent, manifest, mine),
            "transformers": sentences / transformers_seconds(args, file.parent, manifest, mine),
        })  # fmt: skip
    if not results:
        print("compare: no pack was measured by both", file=sys.stderr)
        return 1
    print(f"\nsentences/s (20 words), the ensemble of a pack, {args.threads} threads; transformers: fp32, batch {args.batch}")
    print(f"{'pack':<16}{'fhirdeid':>12}{'onnxruntime':>14}{'transformers':>14}{'of onnxruntime':>16}{'x transformers':>16}")
    for r in results:
        r["ofOnnxruntime"], r["timesTransformers"] = r["fhirdeid"] / r["onnxruntime"], r["fhirdeid"] / r["transformers"]
        print(f"{r['pack']:<16}{r['fhirdeid']:>12.0f}{r['onnxruntime']:>14.0f}{r['transformers']:>14.0f}"
              f"{r['ofOnnxruntime']:>16.2f}{r['timesTransformers']:>16.2f}")  # fmt: skip
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
