"""Where things lie. Nothing else in the package knows a folder."""

import os
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DATA", REPO.parent / "shared" / "data"))
WORK = Path(os.environ.get("WORK", REPO / "build" / "training"))
PACKS = REPO / "models" / "packs"
LETTERS = Path(__file__).resolve().parent / "letters"
SHIPPED = Path(__file__).resolve().parent / "data"


def letters_file() -> Path:
    """The letters of the developer data, or the compressed copy that the repository carries."""
    full = DATA / "letters" / "letters.jsonl"
    return full if full.exists() else SHIPPED / "letters.jsonl.gz"


def gazetteer(name: str) -> Path:
    """One list of the developer data, or its shortened copy in the repository."""
    full = DATA / "gazetteer" / f"{name}.txt.gz"
    return full if full.exists() else SHIPPED / "lists" / f"{name}.txt.gz"
