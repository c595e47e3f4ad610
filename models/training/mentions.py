"""What the training letters call things, by language and type, to be exchanged between letters.

The lists and patterns of values.py are regular: hundreds of employers, but all of them "Firm Surname" or a known brand. The
letters hold thousands of employers, places, wards, jobs and names as people write them. Put into other letters, each of
them stands in many contexts and each context sees many of them.
"""

from functools import lru_cache

from . import corpus
from .values import Values, first_names

LONGEST = 60
# How often a value of that type comes from another letter.
SHARES = {
    "LOCATION_CITY": 0.25, "LOCATION_STATE": 0.25, "LOCATION_COUNTRY": 0.2, "LOCATION_STREET": 0.25, "LOCATION_HOSPITAL": 0.35,
    "LOCATION_ORGANIZATION": 0.4, "LOCATION_OTHER": 0.4, "PROFESSION_PROFESSION": 0.45, "PROFESSION_STATUS": 0.4, "DATE_DATE": 0.06,
}  # fmt: skip
NAME_SHARE = 0.25


def kind(text: str, label: str) -> tuple[str, bool, bool]:
    """What may stand for each other: of one type, with or without digits, of one word or more."""
    return label, any(c.isdigit() for c in text), " " in text


@lru_cache(maxsize=None)
def collected(lang: str):
    """Values by kind, and the words of surnames, each as often as letters name it (once a letter)."""
    values: dict[tuple[str, bool, bool], list[str]] = {}
    names: list[str] = []
    known = first_names(lang)
    for d in (*corpus.letters("train", lang), *corpus.written(lang=lang)):
        for text, label in sorted({(d["text"][s["start"] : s["end"]], s["label"]) for s in d["spans"]}):
            if label in SHARES and "\n" not in text and len(text) <= LONGEST:
                values.setdefault(kind(text, label), []).append(text)
            elif label.startswith("NAME") and label != "NAME_USERNAME":
                names += [w for w in text.split() if len(w) > 2 and w.istitle() and w.isalpha() and w.lower() not in known]
    return {k: tuple(v) for k, v in values.items()}, tuple(names)


def value(text: str, label: str, v: Values) -> str | None:
    """A value from another letter that may stand for this one, or None: most often, or where there is no such."""
    if not v.chance(SHARES.get(label, 0.0)):
        return None
    pool = collected(v.lang)[0].get(kind(text, label), ())
    return v.pick(pool) if len(pool) > 20 else None


def surname(v: Values) -> str | None:
    """A word of a name from another letter, or None."""
    pool = collected(v.lang)[1]
    return v.pick(pool) if pool and v.chance(NAME_SHARE) else None
