"""Measures the patterns of Python tools on texts, as main.go does, and prints one table of all with ratios.

Only regular expressions run, none of the tools' models, word lists or taggers.
"""

import gzip
import json
import sys
import time
from pathlib import Path

ROUNDS = 1


def load(name):
    opener = gzip.open if name.endswith(".gz") else open
    with opener(name, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def philter():
    """The regular expressions of philter-lite's own configuration."""
    import philter_lite

    config = Path(philter_lite.__file__).parent / "configs" / "philter_delta.toml"
    patterns = [f.data for f in philter_lite.load_filters(str(config)) if f.type == "regex"]
    return lambda text: sum(1 for p in patterns for _ in p.finditer(text))


def presidio():
    """The pattern recognisers of presidio-analyzer, with their own checks."""
    import tldextract
    from presidio_analyzer import PatternRecognizer, predefined_recognizers

    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())  # its own list, not the network's
    recognisers = []
    for name in ("CreditCardRecognizer", "DateRecognizer", "EmailRecognizer", "IbanRecognizer", "IpRecognizer",
                 "MedicalLicenseRecognizer", "UrlRecognizer", "UsSsnRecognizer", "UsLicenseRecognizer", "NhsRecognizer"):
        kind = getattr(predefined_recognizers, name, None)
        if kind is not None and issubclass(kind, PatternRecognizer):
            recognisers.append(kind())
    return lambda text: sum(len(r.analyze(text, r.supported_entities)) for r in recognisers)


TOOLS = {"philter-lite (Python)": philter, "presidio-analyzer (Python)": presidio}


def main(measured, corpora):
    rows = [json.loads(line) for line in Path(measured).read_text(encoding="utf-8").splitlines()]
    for name, make in TOOLS.items():
        try:
            read = make()
        except ImportError as error:
            print(f"{name}: left out, {error.name} is not installed", file=sys.stderr)
            continue
        for corpus in corpora:
            texts = load(corpus)
            started = time.process_time()
            for _ in range(ROUNDS):
                found = sum(read(text) for text in texts)
            seconds = time.process_time() - started
            size = sum(len(text.encode()) for text in texts)
            rows.append({"corpus": corpus, "tool": name, "rate": ROUNDS * size / 1e6 / seconds, "found": found})
    for corpus in corpora:
        ours = next(r["rate"] for r in rows if r["corpus"] == corpus and r["tool"] == "fhirdeid")
        print(Path(corpus).name)
        for r in rows:
            if r["corpus"] == corpus:
                print(f"  {r['tool']:28} {r['rate']:8.3f} MB/s of one core  {r['found']:7d} found  fhirdeid is {ours / r['rate']:7.1f} times as fast")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
