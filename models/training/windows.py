"""Documents -> windows of token ids and allowed classes -> batches of about the same number of tokens."""

import random

import numpy as np
from tokenizers import Tokenizer

from . import labels
from .base import BOS, EOS, LINE_FEED, PAD

# Longer windows show more of a letter and are read twice less often; shorter ones stay in use, so that a pack may choose.
LENGTHS = (160, 256)


class ClassSets:
    """Numbers each set of allowed subclass classes; gives the sets as boolean matrices over the classes of a role."""

    def __init__(self):
        self.number: dict[frozenset[str], int] = {}

    def of(self, classes: frozenset[str]) -> int:
        return self.number.setdefault(classes, len(self.number))

    def matrix(self, role: str) -> np.ndarray:
        names = labels.CLASSES[role]
        index = {c: i for i, c in enumerate(names)}
        out = np.zeros((len(self.number), len(names)), bool)
        for classes, i in self.number.items():
            for c in classes if role == "subclass" else labels.project(classes):
                out[i, index[c]] = True
        return out


def encode(doc: dict, tok: Tokenizer, sets: ClassSets):
    """Token ids, set numbers and, for each token, whether a window may begin there (a new word, a new line)."""
    e = tok.encode(doc["text"], add_special_tokens=False)
    open_types = tuple(doc.get("open", ()))
    spans = sorted(doc["spans"], key=lambda s: s["start"])
    ids = np.array(e.ids, np.int32)
    allowed = np.empty(len(ids), np.int32)
    begins = np.array([t.startswith("▁") or t == LINE_FEED for t in e.tokens], bool)
    at, last = 0, -1
    for i, (start, end) in enumerate(e.offsets):
        while at < len(spans) and spans[at]["end"] <= start:
            at += 1
        label, prefix = None, "B"
        if at < len(spans) and spans[at]["start"] < end and start < spans[at]["end"]:
            label = spans[at]["label"]
            label = tuple(label) if isinstance(label, list) else label
            prefix = "I" if last == at else "B"
            last = at
        allowed[i] = sets.of(labels.allowed(label, prefix, open_types))
    return ids, allowed, begins


def cut(count: int, begins, rng: random.Random, length: int):
    """Ranges that cover count tokens, cut at random places where a word begins; none is longer than length - 2."""
    room, out, at = length - 2, [], 0
    while at < count:
        end = min(count, at + (rng.randint(room // 3, room) if at == 0 and count > room else room))
        if end < count:
            back = end
            while back > at + (end - at) // 2 and not begins[back]:
                back -= 1
            end = back if begins[back] else end
        out.append((at, end))
        at = end
    return out


def windows(docs, tok: Tokenizer, sets: ClassSets, rng: random.Random, lengths=LENGTHS):
    """All windows of some documents, each cut to one of the lengths: (ids, set numbers) with the marks of begin and end."""
    free = sets.of(labels.allowed(labels.MASK, "B"))
    out = []
    for doc in docs:
        ids, allowed, begins = encode(doc, tok, sets)
        for a, b in cut(len(ids), begins, rng, rng.choice(lengths)):
            out.append((np.concatenate([[BOS], ids[a:b], [EOS]]), np.concatenate([[free], allowed[a:b], [free]])))
    return out


def batches(items, tokens: int, rng: random.Random):
    """Groups windows of like length into batches of about tokens tokens, padding included, in random order."""
    order = sorted(range(len(items)), key=lambda i: len(items[i][0]) + rng.random() * 8)
    groups, group, longest = [], [], 0
    for i in order:
        longest = max(longest, len(items[i][0]))
        if group and longest * (len(group) + 1) > tokens:
            groups.append(group)
            group, longest = [], len(items[i][0])
        group.append(i)
    if group:
        groups.append(group)
    rng.shuffle(groups)
    return groups


def stack(items, group, free: int):
    """One batch: ids, attention mask, set numbers."""
    longest = max(len(items[i][0]) for i in group)
    ids = np.full((len(group), longest), PAD, np.int64)
    sets = np.full((len(group), longest), free, np.int64)
    mask = np.zeros((len(group), longest), np.int64)
    for row, i in enumerate(group):
        n = len(items[i][0])
        ids[row, :n], sets[row, :n], mask[row, :n] = items[i][0], items[i][1], 1
    return ids, mask, sets
