"""The encoder and its taggers, written plainly: the export (export.py) builds the same graph node by node.

BERT body (post-norm), one fused matrix for query, key and value, Gelu in its tanh form: the base was trained with the
exact form, the difference is below what fine-tuning moves, and the tanh form is cheaper to run.
"""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from . import labels


# Products whose rows are brought to a peak of one before they are rounded: behind Gelu few tokens have values many times
# those of the others, and one scale for all of a window would leave these a handful of steps.
BY_ROW = frozenset({"down"})
LEAST_PEAK = 0.25  # of a row; Gelu goes down to -.17, which must not become the peak


class RoundTo8Bits(torch.autograd.Function):
    """What eight-bit arithmetic does to an activation: one scale per window, gradients pass as if nothing happened."""

    @staticmethod
    def forward(ctx, x):
        low = x.amin((1, 2), keepdim=True).clamp(max=0)
        step = (x.amax((1, 2), keepdim=True).clamp(min=0) - low).clamp(min=1e-8) / 255
        zero = torch.round(-low / step)
        return (torch.round(x / step) + zero).clamp_(0, 255).sub_(zero).mul_(step)

    @staticmethod
    def backward(ctx, grad):
        return grad


class RoundWeight(torch.autograd.Function):
    """The same for a weight: one symmetric scale per row, from the largest sum of two neighbours (see graph.per_row)."""

    @staticmethod
    def forward(ctx, w):
        step = w.abs().view(len(w), -1, 2).sum(2).amax(1, keepdim=True).clamp(min=1e-8) / 127
        return torch.round(w / step).mul_(step)

    @staticmethod
    def backward(ctx, grad):
        return grad


def attend(q, k, v, bias):
    """softmax(q·kᵀ/√d + bias)·v over [batch, heads, seq, d].

    On a CPU the fused kernel takes four times as long for its gradients in bfloat16 as plain products do.
    """
    if q.dtype != torch.bfloat16 or q.device.type != "cpu":
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    b, h, s, d = q.shape
    with torch.autocast("cpu", enabled=False):
        q, k, v = (x.reshape(b * h, s, d) for x in (q, k, v))
        scores = torch.bmm(q * d**-0.5, k.transpose(1, 2))
        if bias is not None:
            scores = scores + bias[:, :, 0].to(q.dtype).repeat_interleave(h, 0)
        return torch.bmm(torch.softmax(scores, -1), v).view(b, h, s, d)


class Coins:
    """Dropout masks for a CPU, where torch's own generator takes a tenth of a training step: slices, begun anywhere, of
    one long row of coins that is thrown anew each time it was handed out once."""

    SIZE = 1 << 23

    def __init__(self):
        self.source = np.random.Generator(np.random.SFC64(1))
        self.rows: dict = {}

    def mask(self, x, share: float):
        """1 / (1 - share) where a value stays, 0 where it goes."""
        n, edge, key = x.numel(), round(share * 256), (x.dtype, share)
        row, used = self.rows.get(key, (None, 0))
        if row is None or used > self.SIZE:
            thrown = torch.from_numpy(self.source.integers(0, 256, max(self.SIZE, 2 * n), dtype=np.uint8))
            row, used = (thrown >= edge).to(x.dtype).mul_(256 / (256 - edge)), 0
        self.rows[key] = row, used + n
        at = int(self.source.integers(0, len(row) - n + 1))
        return row[at : at + n].view(x.shape)


coins = Coins()


def drop(x, share: float, training: bool):
    """Dropout."""
    if not training or not share or x.device.type != "cpu":
        return F.dropout(x, share, training)
    return x * coins.mask(x, share)


def gelu(x):
    """Gelu in its tanh form; in bfloat16 the exact form, which lies within its rounding and has a quick kernel."""
    return F.gelu(x, approximate="none" if x.dtype == torch.bfloat16 else "tanh")


class Layer(nn.Module):
    """One transformer layer.

    smooth holds, for the inputs of the two products that need it, a factor per channel that moves large channels from
    the activation into the weight before both are rounded; it changes nothing in full precision. With rounding on, the
    layer computes as the exported eight-bit graph does, so that training can get used to it.
    """

    def __init__(self, hidden: int, heads: int, ffn: int, eps: float):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.norm1 = nn.LayerNorm(hidden, eps=eps)
        self.up = nn.Linear(hidden, ffn)
        self.down = nn.Linear(ffn, hidden)
        self.norm2 = nn.LayerNorm(hidden, eps=eps)
        self.rounding = False
        for part, width in (("qkv", hidden), ("up", hidden)):
            self.register_buffer(f"smooth_{part}", torch.ones(width))

    def product(self, part: str, x):
        """x times the matrix of that part."""
        linear = getattr(self, part)
        if not self.rounding:
            return linear(x)
        smooth = getattr(self, f"smooth_{part}", None)
        weight = linear.weight if smooth is None else linear.weight * smooth
        x = x if smooth is None else x / smooth
        if part in BY_ROW:
            peak = x.detach().amax(-1, keepdim=True).clamp(min=LEAST_PEAK)
            return F.linear(RoundTo8Bits.apply(x / peak), RoundWeight.apply(weight)) * peak + linear.bias
        return F.linear(RoundTo8Bits.apply(x), RoundWeight.apply(weight), linear.bias)

    def forward(self, x, bias, dropout: float):
        b, s, h = x.shape
        q, k, v = self.product("qkv", x).view(b, s, 3, self.heads, h // self.heads).permute(2, 0, 3, 1, 4)
        a = attend(q, k, v, bias)
        a = self.product("out", a.transpose(1, 2).reshape(b, s, h))
        x = self.norm1(x + drop(a, dropout, self.training))
        f = self.product("down", gelu(self.product("up", x)))
        return self.norm2(x + drop(f, dropout, self.training))


class Tagger(nn.Module):
    """Encoder with one linear head for each role ("superclass", "subclass").

    config["exits"] may name a layer after which a role's head reads; by default all read after the last. A head half
    way up costs nothing to train beside the other, and the lower half is then a small tagger of its own.
    """

    def __init__(self, config: dict, roles=("superclass", "subclass"), dropout: float = 0.1):
        super().__init__()
        h = config["hidden"]
        self.config, self.roles, self.dropout = dict(config), tuple(roles), dropout
        self.word = nn.Parameter(torch.zeros(config["vocab"], h))
        self.position = nn.Parameter(torch.zeros(config["positions"], h))
        self.norm = nn.LayerNorm(h, eps=config["eps"])
        self.layers = nn.ModuleList(
            Layer(h, config["heads"], config["ffn"], config["eps"]) for _ in range(config["layers"])
        )
        self.heads = nn.ModuleDict({r: nn.Linear(h, len(labels.CLASSES[r])) for r in roles})
        for head in self.heads.values():
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def encode(self, ids, mask=None):
        """Token ids [batch, seq] -> hidden states after each layer; mask is 1 where there is text, None if that is everywhere."""
        x = F.embedding(ids, self.word) + self.position[: ids.shape[1]]
        x = drop(self.norm(x), self.dropout, self.training)
        bias = None
        if mask is not None and not bool(mask.all()):
            bias = torch.zeros(mask.shape, dtype=x.dtype, device=x.device)
            bias = bias.masked_fill(mask == 0, -math.inf)[:, None, None, :]
        states = []
        for layer in self.layers:
            x = layer(x, bias, self.dropout)
            states.append(x)
        return states

    def forward(self, ids, mask=None):
        """Hidden states of the last layer and the logits of each role."""
        states = self.encode(ids, mask)
        exits = self.config.get("exits", {})
        return states[-1], {r: head(states[exits.get(r, 0) - 1]) for r, head in self.heads.items()}

    def restore(self, state: dict):
        """load_state_dict that takes states without smoothing factors, too, and those of before with more of them."""
        state = {k: v for k, v in state.items() if not k.endswith(".smooth_down")}
        missing, surplus = self.load_state_dict(state, strict=False)
        if surplus or any(".smooth_" not in m for m in missing):
            raise ValueError(f"weights do not fit: missing {missing}, surplus {surplus}")

    def rounding(self, on: bool):
        """Computes as the eight-bit graph does, or in full precision."""
        for layer in self.layers:
            layer.rounding = on

    @torch.no_grad()
    def calibrate(self, batches, alpha: float = 0.65):
        """Sets the smoothing factors from the largest values per channel on some (ids, mask) batches."""
        peak: dict = {}

        def watch(i, part):
            def hook(_, args):
                peak[i, part] = torch.maximum(peak.get((i, part), args[0].new_zeros(())), args[0].abs().amax((0, 1)))

            return hook

        hooks = [getattr(l, p).register_forward_pre_hook(watch(i, p)) for i, l in enumerate(self.layers) for p in ("qkv", "up")]
        training = self.training
        self.eval()
        self.rounding(False)
        for ids, mask in batches:
            self(ids, mask)
        for h in hooks:
            h.remove()
        self.train(training)
        for (i, part), top in peak.items():
            weight = getattr(self.layers[i], part).weight.abs().amax(0).clamp(min=1e-4)
            factor = top.clamp(min=1e-3) ** alpha / weight ** (1 - alpha)
            getattr(self.layers[i], f"smooth_{part}").copy_(factor / factor.median())

    def freeze(self, layers: int):
        """Takes the embeddings and the lowest layers out of training."""
        for p in [self.word, self.position, *self.norm.parameters(), *self.layers[:layers].parameters()]:
            p.requires_grad_(False)


def set_loss(logits, allowed, weight=None):
    """-log of the probability of the allowed classes. logits [n, classes], allowed bool of the same shape.

    A set of one class gives cross-entropy, the set of all classes gives zero.
    """
    free = torch.logsumexp(logits, -1)
    kept = torch.logsumexp(logits.masked_fill(~allowed, -math.inf), -1)
    loss = free - kept
    return loss.mean() if weight is None else (loss * weight).sum() / weight.sum()


def from_base(config: dict, weights: dict[str, np.ndarray], roles=("superclass", "subclass"), layers: int = 0) -> Tagger:
    """A tagger with fresh heads over the base; fewer layers are taken evenly from it, the last one included."""
    total = config["layers"]
    layers = layers or total
    chosen = [round((i + 1) * total / layers) - 1 for i in range(layers)]
    config = {k: v for k, v in config.items() if k != "exits"}
    model = Tagger(dict(config, layers=layers), roles)
    state = {}
    for name, value in weights.items():
        if name.startswith("layers."):
            _, index, rest = name.split(".", 2)
            if int(index) in chosen:
                state[f"layers.{chosen.index(int(index))}.{rest}"] = torch.from_numpy(np.ascontiguousarray(value))
        else:
            state[name] = torch.from_numpy(np.ascontiguousarray(value))
    missing, surplus = model.load_state_dict(state, strict=False)
    if surplus or any(not m.startswith("heads.") and ".smooth_" not in m for m in missing):
        raise ValueError(f"base does not fit: missing {missing}, surplus {surplus}")
    return model
