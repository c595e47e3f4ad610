"""Trains one tagger; can be stopped at any time and goes on from its last checkpoint.

The trainer walks shard after shard (data.py) until it has seen `tokens` tokens or worked for `minutes` minutes,
whichever comes first; the learning rate follows the further of the two. A run lives in WORK/runs/<name>: state.pt to go on
from, model.pt with the weights alone, log.txt.
"""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from . import base, corpus, model, paths, windows

BATCH_TOKENS = 1280  # half of the trial's batch: with few tokens to spend, more steps pay
WARM_UP = 0.06
SAVE_EVERY = 150  # seconds


def rate(progress: float) -> float:
    """Linear warm-up, then linear decay to zero."""
    return progress / WARM_UP if progress < WARM_UP else max(0.0, (1 - progress) / (1 - WARM_UP))


def half(device: str) -> bool:
    """Whether the machine multiplies in bfloat16 faster than in single precision.

    Processors with the tile instructions do, and those with the AVX-512 products for it (five times as fast). Some
    virtual machines announce the tile instructions and hide their description (CPUID leaf 1Dh); oneDNN then dies of an
    illegal instruction. So a child tries one product first.
    """
    if device == "cuda":
        return True
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists() or not {"amx_bf16", "avx512_bf16"} & set(cpuinfo.read_text().split()):
        return False
    product = "import torch; x = torch.ones(256, 256, dtype=torch.bfloat16); x @ x"
    return subprocess.run([sys.executable, "-c", product], stderr=subprocess.DEVNULL).returncode == 0


def optimiser(net: model.Tagger, lr: float, head_factor: float):
    """AdamW with a higher rate for the heads and no decay for norms, biases and embeddings."""
    groups = {}
    for name, p in net.named_parameters():
        head, plain = name.startswith("heads."), p.ndim < 2 or name in ("word", "position")
        groups.setdefault((head, plain), []).append(p)
    return torch.optim.AdamW(
        [{"params": ps, "lr": lr * (head_factor if head else 1), "base": lr * (head_factor if head else 1),
          "weight_decay": 0.0 if plain else 0.01} for (head, plain), ps in groups.items()], betas=(0.9, 0.98), fused=True)  # fmt: skip


def save(path: Path, value):
    """Writes beside, then renames: a reader never sees half a file."""
    part = path.with_suffix(".part")
    torch.save(value, part)
    part.rename(path)


def load(path: Path, roles=None) -> model.Tagger:
    """The tagger of a model.pt."""
    d = torch.load(path, map_location="cpu", weights_only=True)
    net = model.Tagger(d["config"], d["roles"])
    net.restore(d["weights"])
    if roles:
        net.heads = torch.nn.ModuleDict({r: net.heads[r] for r in roles})
        net.roles = tuple(roles)
    return net


def lower(net: model.Tagger, role: str) -> model.Tagger:
    """The layers below the head of that role, as a tagger of its own."""
    depth = net.config.get("exits", {}).get(role, net.config["layers"])
    config = {k: v for k, v in net.config.items() if k != "exits"}
    out = model.Tagger(dict(config, layers=depth), (role,))
    out.restore({k: v for k, v in net.state_dict().items() if k in out.state_dict()})
    return out


def thin(net: model.Tagger, layers: int) -> model.Tagger:
    """The same tagger with evenly chosen layers, to be trained further."""
    state = {k: v.detach().numpy() for k, v in net.state_dict().items()}
    body = {k: v for k, v in state.items() if not k.startswith("heads.")}
    out = model.from_base(net.config, body, net.roles, layers)
    out.load_state_dict({k: torch.from_numpy(v) for k, v in state.items() if k.startswith("heads.")}, strict=False)
    return out


def start(source: str, roles, layers: int) -> model.Tagger:
    """A tagger to begin with: "base", or the name of an earlier run."""
    if source == "base":
        config, weights = base.load(paths.WORK / "base")
        return model.from_base(config, weights, roles, layers)
    net = load(paths.WORK / "runs" / source / "model.pt", roles)
    if len(roles) == 1:
        net = lower(net, roles[0])
    return thin(net, layers) if layers and layers != net.config["layers"] else net


def mean(name: str, parts: dict[str, float]):
    """Makes a run of that name whose weights are the weighted mean of those of other runs, which began alike; what rounding
    needs comes from the last of them."""
    states = {run: torch.load(paths.WORK / "runs" / run / "model.pt", map_location="cpu", weights_only=True) for run in parts}
    last = list(states.values())[-1]
    total = sum(parts.values())
    weights = {k: v if ".smooth_" in k else sum(share / total * states[run]["weights"][k].float() for run, share in parts.items()) for k, v in last["weights"].items()}
    (paths.WORK / "runs" / name).mkdir(parents=True, exist_ok=True)
    save(paths.WORK / "runs" / name / "model.pt", dict(config=last["config"], roles=last["roles"], weights=weights))


def shard_docs(pattern: list[str], index: int):
    """The documents of the shard with that number, counting over and over through the files there are. The list is
    read anew each time, so that shards may be added while a run goes on."""
    files = sorted(f for p in pattern for f in (paths.WORK / "shards").glob(p + "-*.jsonl.gz"))
    if not files:
        raise SystemExit(f"no shards {pattern} in {paths.WORK / 'shards'}: run `data` first")
    return files[index % len(files)].name, list(corpus.lines(files[index % len(files)]))


def run(name, shards, source="base", roles=("superclass", "subclass"), layers=0, tokens=2_000_000, minutes=0.0, lr=1.2e-4,
        head_factor=10.0, seed=1, threads=2, freeze=-1, exits=None, rounding=1.0):  # fmt: skip
    """Trains the run `name` to its end; call again with the same arguments after an interruption.

    freeze: number of lowest layers that stay as they are, together with the embeddings; -1 trains everything.
    rounding: the share of the run after which it goes on in the arithmetic of the eight-bit export.
    exits: after which layer the head of a role reads, where that is not the last one.
    """
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    bfloat16 = half(device)
    folder = paths.WORK / "runs" / name
    folder.mkdir(parents=True, exist_ok=True)
    tok = Tokenizer.from_file(str(paths.WORK / "base" / "tokenizer.json"))
    net = start(source, roles, layers).to(device).train()
    if exits:
        net.config["exits"] = dict(exits)
    if freeze >= 0:
        net.freeze(freeze)
    opt = optimiser(net, lr, head_factor if source == "base" else min(head_factor, 3.0))
    done = dict(tokens=0, seconds=0.0, shard=0, batch=0)
    if (folder / "state.pt").exists():
        s = torch.load(folder / "state.pt", map_location=device, weights_only=True)
        net.restore(s["weights"])
        bases = [g["base"] for g in opt.param_groups]
        opt.load_state_dict(s["optimiser"])
        for g, b in zip(opt.param_groups, bases):
            g["base"] = b  # the rate may be changed on the way
        done = s["done"]
        print(f"{name}: goes on at {done}", flush=True)

    def checkpoint():
        save(folder / "state.pt", dict(weights=net.state_dict(), optimiser=opt.state_dict(), done=done))
        save(folder / "model.pt", dict(config=net.config, roles=list(net.roles),
             weights={k: v.detach().cpu() for k, v in net.state_dict().items()}))  # fmt: skip

    def progress():
        return max(done["tokens"] / tokens, done["seconds"] / 60 / minutes if minutes else 0.0)

    log = open(folder / "log.txt", "a")
    saved = shown = clock = time.time()
    since, losses = 0, []
    while progress() < 1:
        file, docs = shard_docs(shards, done["shard"])
        rng = random.Random(f"{seed}/{done['shard']}")
        rng.shuffle(docs)
        sets = windows.ClassSets()
        items = windows.windows(docs, tok, sets, rng)
        free = sets.of(frozenset(windows.labels.SUBCLASS))
        allowed = {r: torch.from_numpy(sets.matrix(r)).to(device) for r in net.roles}
        groups = windows.batches(items, BATCH_TOKENS, rng)
        print(f"{name}: {file}: {len(items)} windows, {sum(len(i[0]) for i in items):,} tokens", flush=True)
        while done["batch"] < len(groups) and progress() < 1:
            if progress() >= rounding and not net.layers[0].rounding:
                some = [windows.stack(items, g, free)[:2] for g in groups[:12]]
                net.calibrate((torch.from_numpy(a).to(device), torch.from_numpy(b).to(device)) for a, b in some)
                net.rounding(True)
            ids, mask, target = (torch.from_numpy(x).to(device) for x in windows.stack(items, groups[done["batch"]], free))
            for g in opt.param_groups:
                g["lr"] = g["base"] * rate(progress())
            with torch.autocast(device, torch.bfloat16, enabled=bfloat16):
                _, logits = net(ids, mask)
            keep = mask.reshape(-1).bool()
            loss = 0
            for role, l in logits.items():
                l = l.float().reshape(-1, l.shape[-1])[keep]
                loss = loss + model.set_loss(l, allowed[role][target.reshape(-1)[keep]])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            n = int(mask.sum())
            now = time.time()
            done["tokens"] += n
            done["seconds"] += now - clock
            done["batch"] += 1
            clock = now
            since += n
            losses.append(loss.item())
            if now - shown > 20:
                speed, p = since / (now - shown), progress()
                left = done["seconds"] / p * (1 - p) if p else 0
                line = f"{name} {p:6.1%} shard {done['shard']} tokens {done['tokens']:,} loss {np.mean(losses):.4f} {speed:.0f} tokens/s, {left / 60:.0f} min left"
                print(line, flush=True)
                log.write(line + "\n")
                log.flush()
                shown, since, losses = now, 0, []
            if now - saved > SAVE_EVERY:
                checkpoint()
                saved = time.time()
        if progress() < 1:
            done["shard"] += 1
            done["batch"] = 0
    checkpoint()
    (folder / "done.json").write_text(json.dumps(dict(done, shards=shards, source=source, seed=seed, lr=lr)) + "\n")
    print(f"{name}: finished, {done['tokens']:,} tokens in {done['seconds'] / 60:.1f} minutes", flush=True)
