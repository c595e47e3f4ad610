"""Marked text as a list of (text, label) segments, so that whatever rewrites text never has to move offsets."""

Segments = list[tuple[str, object]]


def split(text: str, spans) -> Segments:
    """Text and spans -> segments; label None where nothing is marked. Overlapping spans are not expected."""
    out, at = [], 0
    for s in sorted(spans, key=lambda s: s["start"]):
        if s["start"] < at:
            continue
        if s["start"] > at:
            out.append((text[at : s["start"]], None))
        label = tuple(s["label"]) if isinstance(s["label"], list) else s["label"]
        out.append((text[s["start"] : s["end"]], label))
        at = s["end"]
    if at < len(text):
        out.append((text[at:], None))
    return out


def join(segments: Segments):
    """Segments -> text and spans. White space at the rim of a marked segment falls out of the span."""
    parts, spans, at = [], [], 0
    for text, label in segments:
        if label is not None and text.strip():
            lead = len(text) - len(text.lstrip())
            spans.append({"start": at + lead, "end": at + len(text.rstrip()), "label": label})
        parts.append(text)
        at += len(text)
    return "".join(parts), spans


def document(name: str, lang: str, source: str, segments: Segments, open_types=()):
    """Segments as a document of corpus.py."""
    text, spans = join(segments)
    return {"id": name, "lang": lang, "source": source, "text": text, "spans": spans, "open": list(open_types)}
