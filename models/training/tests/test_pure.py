"""The pure functions."""

import random

import numpy as np
import pytest

from training import base, compose, corpus, infer, labels, localise, mentions, rewrite, score, segments, windows
from training.values import Values, ascii_fold


def test_class_sets():
    assert len(labels.SUBCLASS) == 2 * len(labels.TYPES) + 1
    assert labels.allowed("NAME", "B") == {"B-NAME_PATIENT", "B-NAME_STAFF", "B-NAME_OTHER", "B-NAME_USERNAME"}
    assert labels.allowed(None, "B", ("AGE",)) == {"O", "B-AGE", "I-AGE"}
    assert labels.allowed(labels.MASK, "B") == set(labels.SUBCLASS)
    assert labels.project(labels.allowed("DATE", "I")) == {"I-DATE"}
    assert labels.allowed(("LOCATION_CITY", "AGE"), "I") == {"I-LOCATION_CITY", "I-AGE"}
    with pytest.raises(ValueError):
        labels.types_of("NAME_TITLE")


def test_four_bit_blocks():
    scale = np.array([0.5], "<f2").view(np.uint8)
    packed = np.arange(16, dtype=np.uint8) | (np.uint8(8) << 4)
    out = base.unpack_q4(np.concatenate([scale, packed]), 32)
    assert out[:16].tolist() == [(i - 8) * 0.5 for i in range(16)]
    assert out[16:].tolist() == [0.0] * 16


def pieces(words):
    chars = sorted({c for w in words for c in w} | set("▁.,0123456789-/"))
    return [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(c, -6.0) for c in chars] + [("▁" + w, -2.0) for w in words] + [("\n", -20.0)]


def test_line_feed_is_a_token_and_invisible_characters_vanish():
    tok = base.tokenizer(pieces(["Frau", "Müller"]))
    text = "Frau\n\nMü\u00adller"
    e = tok.encode(text)
    assert e.tokens == ["▁Frau", "\n", "\n", "▁Müller"]
    assert e.offsets[1] == (4, 5) and e.offsets[3] == (6, len(text))


def test_segments_keep_offsets():
    text = "Frau Müller, geb. 3.4.50"
    spans = [{"start": 5, "end": 11, "label": "NAME_PATIENT"}, {"start": 18, "end": 24, "label": "DATE_BIRTHDATE"}]
    assert segments.join(segments.split(text, spans)) == (text, spans)
    assert segments.join([("a", None), (" b ", "AGE"), ("", "ID")]) == ("a b ", [{"start": 2, "end": 3, "label": "AGE"}])


def test_rewriting_is_consistent_and_keeps_shape():
    v = Values(random.Random(3), "de")
    segs = [("Ansgar Wittkopp", "NAME_STAFF"), (", ", None), ("A. WITTKOPP", "NAME_STAFF"), (" ", None), ("07.02.", "DATE_DATE"), (" ", None), ("PKX440218H", "ID_DEVICE")]
    out = rewrite.rewrite(segs, v)
    full, short = out[0][0], out[2][0]
    assert full != "Ansgar Wittkopp" and short[0] == full[0].upper() and short.split(". ")[1] == full.split(" ", 1)[1].upper()
    assert len(out[4][0]) >= 2 and out[6][0][3:9].isdigit() and len(out[6][0]) == 10
    again = rewrite.rewrite(segs, Values(random.Random(3), "de"))
    assert again == out


def test_values_of_other_letters_stand_for_those_of_their_kind():
    pool, names = mentions.collected("en")
    assert len(names) > 1000 and not set(names) & {"Mary", "John"}
    for kind, values in pool.items():
        assert all(mentions.kind(v, kind[0]) == kind for v in values)
    aside = {d["text"][s["start"] : s["end"]] for d in corpus.written(held_out=True) for s in d["spans"] if s["label"] == "LOCATION_ORGANIZATION"}
    seen = {v for kind, values in pool.items() if kind[0] == "LOCATION_ORGANIZATION" for v in values}
    assert aside - seen  # what stands in letters kept out alone is not learnt
    drawn = [mentions.value("Acme Foods", "LOCATION_ORGANIZATION", Values(random.Random(i), "en")) for i in range(200)]
    assert 0.2 < sum(v is not None for v in drawn) / 200 < 0.6 and set(drawn) - {None} <= set(pool["LOCATION_ORGANIZATION", False, True])
    assert mentions.value("Acme Foods", "AGE", Values(random.Random(1), "en")) is None


def test_roughening_never_loses_marks():
    for seed in range(40):
        v = Values(random.Random(seed), "de")
        segs = rewrite.roughen([("Frau ", None), ("Müller-Lüdenscheidt", "NAME_PATIENT"), (" schläft.\n", None)], v, 5)
        assert [l for _, l in segs] == [None, "NAME_PATIENT", None]
    assert ascii_fold("Größe é") == "Groesse e"
    wrapped = rewrite.wrapped([("ein Wort " * 40, None)], Values(random.Random(1), "de"))
    assert max(map(len, wrapped[0][0].split("\n"))) < 92


@pytest.mark.parametrize("lang", ["de", "en"])
def test_every_template_renders(lang):
    known = set(labels.TYPES) | {None}
    for text in compose.templates(lang) + compose.inserts(lang):
        segs = compose.render(text, compose.Context(Values(random.Random(7), lang)))
        assert {l for _, l in segs} <= known
        assert not compose.TOKEN.search("".join(t for t, _ in segs))


def test_windows_cover_and_never_cut_a_word():
    begins = [True, False, False, True, True, False] * 30
    for length in (20, 160):
        parts = windows.cut(len(begins), begins, random.Random(1), length)
        assert parts[0][0] == 0 and parts[-1][1] == len(begins)
        assert all(a[1] == b[0] and begins[b[0]] for a, b in zip(parts, parts[1:]))
        assert all(b - a <= length - 2 for a, b in parts)
    parts = infer.ranges(begins, 50, 12)
    assert parts[-1][1] == len(begins) and all(begins[a] for a, _ in parts)
    assert all(a[1] > b[0] for a, b in zip(parts, parts[1:]))
    assert infer.ranges([True] + [False] * 299, 126, 32)[-1][1] == 300


def test_set_loss():
    torch = pytest.importorskip("torch")
    from training import model

    logits = torch.tensor([[1.0, 2.0, 3.0]])
    exact = model.set_loss(logits, torch.tensor([[False, True, False]]))
    assert torch.isclose(exact, torch.nn.functional.cross_entropy(logits, torch.tensor([1])))
    assert model.set_loss(logits, torch.tensor([[True, True, True]])).abs() < 1e-6


def test_decisions():
    names = labels.SUPERCLASS
    p = np.full((3, len(names)), 0.01, np.float32)
    p[0, 0], p[1, names.index("B-NAME")], p[2, 0], p[2, names.index("I-NAME")] = 0.9, 0.9, 0.6, 0.35
    text = "Frau Wit-tkopp"
    offsets = [(0, 4), (5, 8), (9, 14)]
    groups = infer.units(text, offsets)
    assert [g[0] for g in groups] == [(0, 4), (5, 8), (9, 14)]
    assert infer.spans(groups, infer.votes(p, groups, names)) == [{"start": 5, "end": 8, "label": "NAME", "score": pytest.approx(0.99)}]
    wide = infer.spans(groups, infer.votes(p, groups, names, bias=0.9))
    assert (wide[0]["start"], wide[0]["end"]) == (5, 14)
    assert infer.agree("B-NAME", "B-NAME_STAFF") == "B-NAME_STAFF"
    assert infer.agree("O", "B-AGE") == "B-AGE" and infer.agree("I-NAME", "O") == "I-NAME"
    assert infer.agree("B-NAME", "I-DATE_DATE") == "I-OTHER"


def test_score():
    s = score.Score()
    text = "Frau Müller am 3. Mai in Ulm, [x]"
    gold = [{"start": 5, "end": 11, "label": "NAME_PATIENT"}, {"start": 15, "end": 21, "label": "DATE_DATE"}, {"start": 25, "end": 28, "label": "LOCATION_CITY"}]
    found = [{"start": 5, "end": 11, "label": "NAME"}, {"start": 18, "end": 21, "label": "DATE_DATE"}, {"start": 0, "end": 4, "label": "AGE"}]
    s.add(text, gold, found)
    assert (s.tp, s.fn, s.fp) == (2, 2, 1)
    assert s.recall() == 0.5 and s.leaks == 2
    assert s.span_f1(s.strict) == pytest.approx(1 / 3) and s.relaxed["DATE_DATE"]["hit"] == 1
    clean = score.Score()
    clean.add("GCS 15", [], [{"start": 4, "end": 6, "label": "AGE"}])
    assert (clean.touched, clean.clean) == (1, 1)
    clean.add("GCS 15", [], [{"start": 4, "end": 6, "label": "AGE"}], ("AGE",))
    assert (clean.touched, clean.clean) == (1, 2)


def test_i2b2_and_differences(tmp_path):
    xml = '<?xml version="1.0"?><deIdi2b2><TEXT><![CDATA[Mr. Hope, 12/3]]></TEXT><TAGS><NAME id="P0" start="4" end="8" text="Hope" TYPE="PATIENT"/><DATE id="P1" start="10" end="14" text="12/3" TYPE="DATE"/></TAGS></deIdi2b2>'
    (tmp_path / "1.xml").write_text(xml)
    (doc,) = localise.read(tmp_path, "en")
    assert [(s["start"], s["label"]) for s in doc["spans"]] == [(4, "NAME_PATIENT"), (10, "DATE")]
    rows = localise.differences(doc, [{"start": 0, "end": 3, "label": "NAME", "score": 0.99}, {"start": 4, "end": 8, "label": "NAME", "score": 0.9}])
    assert [(r["kind"], r["text"]) for r in rows] == [("missing", "Mr."), ("surplus", "12/3")]


def test_inline_marks():
    text, spans = corpus.inline("Hr. <NAME_PATIENT>Klein</NAME_PATIENT>, *<DATE_BIRTHDATE>3.6.57</DATE_BIRTHDATE>")
    assert text == "Hr. Klein, *3.6.57"
    assert [(text[s["start"] : s["end"]], s["label"]) for s in spans] == [("Klein", "NAME_PATIENT"), ("3.6.57", "DATE_BIRTHDATE")]
    for wrong in ("<AGE>5", "5</AGE>", "<AGE><NAME>x</NAME></AGE>", "<AGE>5</NAME>"):
        with pytest.raises(ValueError):
            corpus.inline(wrong)


def test_letters_of_the_repository_are_marked_well():
    docs = [*corpus.written(), *corpus.written(held_out=True)]
    assert len({d["id"] for d in docs}) == len(docs) > 500
    for d in docs:
        for s in d["spans"]:
            assert labels.types_of(s["label"]) and d["text"][s["start"] : s["end"]].strip() == d["text"][s["start"] : s["end"]] != "", d["id"]


def test_four_bits_keep_what_came_out_of_four_bits():
    rows = np.random.default_rng(3).normal(size=(5, 64)).astype(np.float32)
    once = base.in_q4(rows)
    assert np.abs(once - rows).max() < 0.3
    assert (base.in_q4(once) == once).all()
    assert (base.in_q4(np.zeros((1, 32), np.float32)) == 0).all()
