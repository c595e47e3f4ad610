"""The taxonomy, the classes of the two taggers and the sets of classes that a partial annotation allows.

A subclass tagger has O and B/I of each type, a superclass tagger O and B/I of each category. Training text carries,
for every token, a *set* of classes: those that its source does not contradict. A source that marks persons only says
nothing about dates, so a token that it left unmarked may be O or a date; a person of unknown role may be any name.
"""

from functools import lru_cache

TYPES = (
    "NAME_PATIENT", "NAME_STAFF", "NAME_OTHER", "NAME_USERNAME",
    "AGE",
    "DATE_BIRTHDATE", "DATE_DATE",
    "LOCATION_HOSPITAL", "LOCATION_ORGANIZATION", "LOCATION_STREET", "LOCATION_ZIP", "LOCATION_CITY",
    "LOCATION_STATE", "LOCATION_COUNTRY", "LOCATION_OTHER",
    "CONTACT_PHONE", "CONTACT_FAX", "CONTACT_EMAIL", "CONTACT_URL", "CONTACT_IP",
    "ID_PATIENT", "ID_SSN", "ID_HEALTHPLAN", "ID_ACCOUNT", "ID_LICENSE", "ID_VEHICLE", "ID_DEVICE", "ID_STUDY",
    "ID_OTHER",
    "PROFESSION_PROFESSION", "PROFESSION_STATUS",
    "OTHER",
)  # fmt: skip
CATEGORIES = ("NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER")

SUBCLASS = ("O",) + tuple(f"{p}-{t}" for t in TYPES for p in "BI")
SUPERCLASS = ("O",) + tuple(f"{p}-{c}" for c in CATEGORIES for p in "BI")
CLASSES = {"subclass": SUBCLASS, "superclass": SUPERCLASS}

# What a span may be labelled with where nothing is known: every class is allowed, so the loss is zero.
MASK = "[mask]"


def category(label: str) -> str:
    """NAME_PATIENT -> NAME; a category stays itself."""
    return label.split("_", 1)[0]


@lru_cache(maxsize=None)
def types_of(label) -> tuple[str, ...]:
    """The types that a label stands for: a type itself, all types of a category, the union of a list."""
    if isinstance(label, tuple):
        return tuple(dict.fromkeys(t for part in label for t in types_of(part)))
    if label in TYPES:
        return (label,)
    if label in CATEGORIES:
        return tuple(t for t in TYPES if category(t) == label)
    if label == "ID_BIOMETRIC":  # too rare to be a class of its own
        return ("ID_OTHER",)
    raise ValueError(f"unknown label {label!r}")


@lru_cache(maxsize=None)
def allowed(label, prefix: str, open_types: tuple[str, ...] = ()) -> frozenset[str]:
    """The subclass classes that a token may have.

    label None is an unmarked token, MASK one about which nothing is known, anything else a type, a category or a
    tuple of them; prefix is B or I. open_types are those that the source does not mark.
    """
    if label == MASK:
        return frozenset(SUBCLASS)
    if label is None:
        return frozenset({"O"} | {f"{p}-{t}" for t in open_types for p in "BI"})
    return frozenset(f"{prefix}-{t}" for t in types_of(label))


def project(classes: frozenset[str]) -> frozenset[str]:
    """The same set in classes of the superclass tagger."""
    return frozenset("O" if c == "O" else f"{c[0]}-{category(c[2:])}" for c in classes)
