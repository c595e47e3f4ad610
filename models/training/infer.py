"""Text -> spans, the way the server does it: windows with overlap that never cut a word, a bias against O, one
decision per word, and the agreement of a superclass and a subclass tagger."""

import re

import numpy as np

from . import labels
from .base import BOS, EOS, LINE_FEED, PAD

WINDOW, OVERLAP = 254, 32
WORD = re.compile(r"\w+")


def ranges(begins, window: int = WINDOW, overlap: int = OVERLAP):
    """Windows over tokens; begins says where a word begins. A word longer than a window is cut, nothing else is."""
    n, out, at = len(begins), [], 0
    while True:
        end = min(n, at + window)
        if end < n:
            back = end
            while back > at + 1 and not begins[back]:
                back -= 1
            end = back if back > at + 1 else end
        out.append((at, end))
        if end >= n:
            return out
        nxt = max(at + 1, end - overlap)
        while nxt < end and not begins[nxt]:
            nxt += 1
        at = nxt


def probabilities(forward, tok, texts, batch_tokens: int = 1000):
    """forward(ids, mask) -> {role: logits}; gives for each text its token offsets and {role: p [tokens, classes]}.

    Where windows overlap, the one in which the token stands further from the rim decides.
    """
    encoded, jobs = [], []
    for t, text in enumerate(texts):
        e = tok.encode(text.replace("\0", " "), add_special_tokens=False)
        encoded.append(e)
        begins = [p.startswith("▁") or p == LINE_FEED for p in e.tokens]
        if e.ids:
            jobs += [(t, a, b) for a, b in ranges(begins)]
    order = sorted(range(len(jobs)), key=lambda i: jobs[i][2] - jobs[i][1])
    results = [None] * len(jobs)
    at = 0
    while at < len(order):
        longest = jobs[order[at]][2] - jobs[order[at]][1] + 2
        take = [order[at]]
        while batch_tokens and at + len(take) < len(order):
            j = jobs[order[at + len(take)]]
            if (j[2] - j[1] + 2) * (len(take) + 1) > batch_tokens:
                break
            take.append(order[at + len(take)])
        longest = max(jobs[i][2] - jobs[i][1] + 2 for i in take)
        ids = np.full((len(take), longest), PAD, np.int64)
        mask = np.zeros_like(ids)
        for row, i in enumerate(take):
            t, a, b = jobs[i]
            n = b - a + 2
            ids[row, :n] = [BOS, *encoded[t].ids[a:b], EOS]
            mask[row, :n] = 1
        for role, logits in forward(ids, mask).items():
            p = np.exp(logits - logits.max(-1, keepdims=True))
            p /= p.sum(-1, keepdims=True)
            for row, i in enumerate(take):
                results[i] = results[i] or {}
                results[i][role] = p[row, 1 : jobs[i][2] - jobs[i][1] + 1]
        at += len(take)
    out = [(e.offsets, {}) for e in encoded]
    rim = [np.full(len(e.ids), -1) for e in encoded]
    for (t, a, b), result in zip(jobs, results):
        inner = np.minimum(np.arange(b - a) + (10**6 if a == 0 else 0), np.arange(b - a)[::-1] + (10**6 if b == len(rim[t]) else 0))
        better = inner > rim[t][a:b]
        rim[t][a:b] = np.where(better, inner, rim[t][a:b])
        for role, p in result.items():
            whole = out[t][1].setdefault(role, np.zeros((len(rim[t]), p.shape[1]), np.float32))
            whole[a:b][better] = p[better]
    return out


def units(text: str, offsets):
    """Groups of tokens that are decided together: those that touch one word, else each token for itself."""
    words = [m.span() for m in WORD.finditer(text)]
    out, w = [], 0
    for i, (start, end) in enumerate(offsets):
        while w < len(words) and words[w][1] <= start:
            w += 1
        inside = w < len(words) and words[w][0] < end
        if inside and out and out[-1][2] == w:
            out[-1][1].append(i)
        elif inside:
            out.append((words[w], [i], w))
        else:
            out.append(((start, end), [i], None))
    return [(span, tokens) for span, tokens, _ in out]


def votes(p: np.ndarray, groups, names, bias: float = 0.0, threshold: float = 0.0):
    """One (class name, probability of not being O) per unit: the strongest non-O decision of its tokens."""
    q = p.copy()
    q[:, 0] *= 1 - bias
    best = q.argmax(-1)
    out = []
    for _, tokens in groups:
        said = [i for i in tokens if best[i] and 1 - p[i, 0] >= threshold]
        if not said:
            out.append(("O", float(1 - p[tokens, 0].min())))
            continue
        i = max(said, key=lambda i: q[i, best[i]])
        # The first token decides whether a new span begins here.
        prefix = names[best[tokens[0]]][0] if best[tokens[0]] else names[best[i]][0]
        out.append((prefix + names[best[i]][1:], float(1 - p[i, 0])))
    return out


def agree(over: str, sub: str) -> str:
    """Superclass and subclass decision -> class with the type that both allow."""
    if over == "O" or sub == "O":
        return sub if over == "O" else over
    if labels.category(sub[2:]) == over[2:]:
        return sub
    return sub[:2] + "OTHER"


def spans(groups, decisions):
    """Unit decisions -> spans. Neighbours of one category belong together unless one says that it begins; the type of
    a span is that on which most of its score lies, so that a number or a name does not fall apart into types."""
    out = []
    joined = False
    for ((start, end), _), (name, score) in zip(groups, decisions):
        if name == "O":
            joined = False
            continue
        label = name[2:]
        if joined and name[0] == "I" and labels.category(out[-1]["label"]) == labels.category(label):
            last = out[-1]
            last["end"], last["score"] = end, max(last["score"], score)
            # A bare category supports whatever type its neighbours name.
            last["types"][label] = last["types"].get(label, 0.0) + (score if label in labels.TYPES else 0.0)
            last["label"] = max(last["types"], key=last["types"].get)
        else:
            out.append({"start": start, "end": end, "label": label, "score": score, "types": {label: score if label in labels.TYPES else 0.0}})
        joined = True
    for s in out:
        s.pop("types")
    return out


def prefix(over: str, sub: str) -> str:
    """Where both taggers speak, a span begins only if both say so."""
    return "B" if over[0] != "I" and sub[0] != "I" else "I"


def detect(text: str, offsets, p: dict, bias: float = 0.0, threshold: float = 0.0, roles=("superclass", "subclass")):
    """The spans of a text from the probabilities of one or both taggers."""
    groups = units(text, offsets)
    said = {r: votes(p[r], groups, labels.CLASSES[r], bias, threshold) for r in roles if r in p}
    if len(said) == 1:
        return spans(groups, next(iter(said.values())))
    both = []
    for over, sub in zip(said["superclass"], said["subclass"]):
        name = agree(over[0], sub[0])
        if name != "O":
            name = prefix(over[0], sub[0]) + name[1:]
        both.append((name, max(over[1], sub[1])))
    return spans(groups, both)


def torch_forward(net):
    """A forward function over a torch tagger."""
    import torch

    def forward(ids, mask):
        with torch.inference_mode():
            _, logits = net(torch.from_numpy(ids), torch.from_numpy(mask))
        return {r: l.float().numpy() for r, l in logits.items()}

    net.eval()
    return forward


def onnx_forward(sessions: dict):
    """A forward function over ONNX sessions by role, for windows without padding: only graphs of before 0.8.0 take a mask.
    What the superclass tagger gives besides its logits may be what the subclass tagger goes on from."""
    order = [r for r in ("superclass", "subclass") if r in sessions]
    wanted = {i.name for s in sessions.values() for i in s.get_inputs()}

    def forward(ids, mask):
        if not mask.all():
            raise ValueError("a padded window")
        out, known = {}, {"input_ids": ids, "attention_mask": mask}
        for role in order:
            s = sessions[role]
            names = ["logits", *(o.name for o in s.get_outputs() if o.name in wanted)]
            out[role], *states = s.run(names, {i.name: known[i.name] for i in s.get_inputs()})
            known.update(zip(names[1:], states))
        return out

    return forward
