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


class Layer(nn.Module):
    """One transformer layer."""

    def __init__(self, hidden: int, heads: int, ffn: int, eps: float):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.norm1 = nn.LayerNorm(hidden, eps=eps)
        self.up = nn.Linear(hidden, ffn)
        self.down = nn.Linear(ffn, hidden)
        self.norm2 = nn.LayerNorm(hidden, eps=eps)

    def forward(self, x, bias, dropout: float):
        b, s, h = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.heads, h // self.heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        a = self.out(a.transpose(1, 2).reshape(b, s, h))
        x = self.norm1(x + F.dropout(a, dropout, self.training))
        f = self.down(F.gelu(self.up(x), approximate="tanh"))
        return self.norm2(x + F.dropout(f, dropout, self.training))


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
        x = F.dropout(self.norm(x), self.dropout, self.training)
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
    if surplus or any(not m.startswith("heads.") for m in missing):
        raise ValueError(f"base does not fit: missing {missing}, surplus {surplus}")
    return model
