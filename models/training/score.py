"""Scores: words without type, spans with type (strict and relaxed), leaks per document."""

import re
from collections import Counter, defaultdict

from . import labels

WORD = re.compile(r"\w+")


def ratio(a: float, b: float) -> float:
    return a / b if b else 1.0


def f1(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


def covered(text: str, spans):
    """For each word of text the label of the first span that touches it, or None."""
    spans = sorted(spans, key=lambda s: s["start"])
    out, at = [], 0
    for m in WORD.finditer(text):
        while at < len(spans) and spans[at]["end"] <= m.start():
            at += 1
        hit = at < len(spans) and spans[at]["start"] < m.end()
        out.append(spans[at]["label"] if hit else None)
    return out


def same(gold: str, found: str) -> bool:
    """Whether labels fit: equal, or one of them is only the category of the other."""
    return gold == found or gold == labels.category(found) or found == labels.category(gold)


class Score:
    """Adds up documents."""

    def __init__(self):
        self.tp = self.fn = self.fp = self.docs = self.leaking = self.leaks = 0
        self.clean = self.touched = 0
        self.words = defaultdict(Counter)
        self.strict = defaultdict(Counter)
        self.relaxed = defaultdict(Counter)
        self.missed: Counter = Counter()
        self.surplus: Counter = Counter()

    def add(self, text: str, gold, found, open_types=()):
        """gold may hold masked spans, inside which nothing counts; findings of open types never count as wrong."""
        open_set = set(open_types) | {labels.category(t) for t in open_types}
        masked = [s for s in gold if s["label"] == labels.MASK]
        gold = [dict(s, label=s["label"] if isinstance(s["label"], str) else s["label"][0]) for s in gold if s["label"] != labels.MASK]
        self.docs += 1
        words = [m.group() for m in WORD.finditer(text)]
        g, f, m = covered(text, gold), covered(text, found), covered(text, masked)
        wrong = 0
        for word, a, b, hidden in zip(words, g, f, m):
            if a is not None:
                self.words[a]["n"] += 1
                if b is not None:
                    self.tp += 1
                    self.words[a]["hit"] += 1
                else:
                    self.fn += 1
                    self.missed[a, word] += 1
            if b is not None and not hidden:
                if a is None and b in open_set:
                    continue
                self.words[b]["said"] += 1
                if a is None:
                    self.fp += 1
                    wrong += 1
                    self.surplus[b, word] += 1
                else:
                    self.words[b]["right"] += 1
        if not gold:
            self.clean += 1
            self.touched += bool(wrong)
        at = [x.start() for x in WORD.finditer(text)]
        ends = [x.end() for x in WORD.finditer(text)]
        lost = 0
        for s in gold:
            inside = [i for i in range(len(at)) if at[i] < s["end"] and s["start"] < ends[i]]
            whole = all(f[i] is not None for i in inside)
            self.words[s["label"]]["spans"] += 1
            self.words[s["label"]]["whole"] += whole
            lost += not whole
        self.leaks += lost
        self.leaking += bool(lost)
        exact = {(s["start"], s["end"]): s["label"] for s in gold}
        found = [s for s in found if not (s["label"] in open_set and not any(s["start"] < x["end"] and x["start"] < s["end"] for x in gold))]
        for s in found:
            hit = exact.get((s["start"], s["end"]))
            label = s["label"]
            ok = hit is not None and same(hit, label)
            self.strict[hit if ok else label]["tp" if ok else "fp"] += 1
            near = [x for x in gold if s["start"] < x["end"] and x["start"] < s["end"]]
            ok = [x for x in near if same(x["label"], label)]
            self.relaxed[ok[0]["label"] if ok else label]["tp" if ok else "fp"] += 1
        for s in gold:
            self.strict[s["label"]]["n"] += 1
            self.relaxed[s["label"]]["n"] += 1
            if any(s["start"] < x["end"] and x["start"] < s["end"] and same(s["label"], x["label"]) for x in found):
                self.relaxed[s["label"]]["hit"] += 1

    def recall(self) -> float:
        return ratio(self.tp, self.tp + self.fn)

    def precision(self) -> float:
        return ratio(self.tp, self.tp + self.fp)

    def span_f1(self, table) -> float:
        tp = sum(c["tp"] for c in table.values())
        hit = tp if table is self.strict else sum(c["hit"] for c in table.values())
        p = ratio(tp, tp + sum(c["fp"] for c in table.values()))
        return f1(p, ratio(hit, sum(c["n"] for c in table.values())))

    def summary(self) -> dict:
        """The numbers of one line of a report."""
        patient = self.words["NAME_PATIENT"]
        return {
            "docs": self.docs,
            "word_recall": round(self.recall(), 4),
            "word_precision": round(self.precision(), 4),
            "strict_f1": round(self.span_f1(self.strict), 4),
            "relaxed_f1": round(self.span_f1(self.relaxed), 4),
            "patient_names": f"{patient['whole']}/{patient['spans']}",
            "leaks_per_doc": round(ratio(self.leaks, self.docs), 3),
            "docs_leaking": self.leaking,
            "clean_touched": f"{self.touched}/{self.clean}",
        }

    def types(self) -> dict:
        """Per type: share of its words that any label covers, share of the words so labelled that are PHI at all,
        strict typed precision and recall, number of spans."""
        out = {}
        for t in sorted(self.words):
            w, s, r = self.words[t], self.strict[t], self.relaxed[t]
            if w["n"] or w["said"]:
                out[t] = {
                    "recall": round(ratio(w["hit"], w["n"]), 4),
                    "precision": round(ratio(w["right"], w["said"]), 4),
                    "strict_p": round(ratio(s["tp"], s["tp"] + s["fp"]), 4),
                    "strict_r": round(ratio(s["tp"], s["n"]), 4),
                    "relaxed_p": round(ratio(r["tp"], r["tp"] + r["fp"]), 4),
                    "relaxed_r": round(ratio(r["hit"], r["n"]), 4),
                    "n": w["spans"],
                }
        return out

    def macro(self) -> dict:
        """Relaxed F1 per category, and their mean."""
        groups = defaultdict(Counter)
        for t, c in self.relaxed.items():
            groups[labels.category(t)].update(c)
        out = {k: round(f1(ratio(c["tp"], c["tp"] + c["fp"]), ratio(c["hit"], c["n"])), 4) for k, c in sorted(groups.items()) if c["n"]}
        return dict(out, macro=round(sum(out.values()) / len(out), 4)) if out else {}
