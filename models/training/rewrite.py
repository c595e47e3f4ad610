"""Rewrites the marked values of a document and roughens its text.

The same entity gets the same new value within a document and keeps its shape: "A. Wittkopp" and "Ansgar Wittkopp"
become "T. Brunner" and "Tobias Brunner", capitals stay capitals, "07.02." stays a day and a month.
"""

import re

from . import labels, mentions
from .segments import Segments
from .values import HOLIDAYS, MONTHS, NUMBERS, WEEKDAYS, Values, ascii_fold, first_names

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
PARTICLES = set("von van der den de del della di da dos la le zu zum zur of al el bin ibn ter ten st und and y v vd ben abu geb née dr prof med".split())
GENERIC_PLACE = set(
    """klinik klinikum krankenhaus universitätsklinikum uniklinik universitätsklinik kreiskrankenhaus hospital spital praxis
    gemeinschaftspraxis hausarztpraxis institut zentrum medizin medizinische abteilung station ambulanz fachklinik für und der die
    das am an im in bei zur zum innere chirurgie kardiologie neurologie radiologie pathologie onkologie gynäkologie pädiatrie
    rehaklinik reha pflegeheim haus labor apotheke schule grundschule gymnasium kita kindergarten gmbh ag kg firma verein
    krankenkasse bett zimmer raum zi zi. intensivstation its imc box center centre medical clinic general health healthcare
    university department division of the for and at memorial regional family practice surgery ward room bed unit north south east
    west floor suite icu micu sicu ed er or theatre nursing home rehab rehabilitation heart cancer eye dental associates group
    pharmacy school high elementary church county hospice care services system community children's women's st saint santa royal
    district trust company inc llc ltd co insurance plan police fire""".split()
)
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def recase(new: str, like: str) -> str:
    """Gives new the case pattern of like."""
    if len(like) > 1 and like.isupper():
        return new.upper()
    if like.islower():
        return new.lower()
    return new


class Rewriter:
    """One pass over one document."""

    def __init__(self, values: Values):
        self.v, self.lang = values, values.lang
        self.words: dict[str, str] = {}
        self.whole: dict[tuple[str, str], str] = {}
        self.genders = first_names(self.lang)

    def name_word(self, word: str) -> str:
        key = word.lower()
        if key in PARTICLES and not word.isupper():
            return word
        if len(word) == 1:
            for old, new in self.words.items():
                if old[0] == key and len(old) > 1:
                    return recase(new[0].upper(), word)
            return recase(self.v.pick("ABCDEFGHJKLMNPRSTW"), word)
        if key not in self.words:
            if len(word) <= 3 and key not in self.genders and not (word.istitle() and len(word) == 3):
                new = "".join(self.v.pick("abcdefghijklmnoprstuvwz") for _ in word)
                new = "".join(n.upper() if w.isupper() else n for n, w in zip(new, word))
                self.words[key] = new
                return new
            gender = self.genders.get(key)
            if gender and (not word.isupper() or self.v.chance(0.8)):
                self.words[key] = self.v.first(gender[:1]).split("-")[0]
            else:
                self.words[key] = mentions.surname(self.v) or (self.v.simple_surname() if self.v.chance(0.75) else self.v.surname().split("-")[0])
        return recase(self.words[key], word)

    def place_word(self, word: str) -> str:
        key = word.lower()
        if key in GENERIC_PLACE or len(word) < 3 or word.islower():
            return word
        if key not in self.words:
            r = self.v.rng.random()
            self.words[key] = (self.v.city() if r < 0.5 else self.v.simple_surname() if r < 0.9 else word).split(" ")[0]
        return recase(self.words[key], word)

    def date(self, text: str, birth: bool) -> str:
        v, lang = self.v, self.lang
        if text in HOLIDAYS[lang]:
            return v.pick(HOLIDAYS[lang])
        if v.chance(0.12) and not birth:
            return v.date()
        if v.chance(0.05) and birth:
            return v.birthdate()
        fields = [0]

        def word(m):
            w = m.group()
            for names in (MONTHS[lang], MONTHS["de3"] if lang == "de" else MONTHS["en3"], WEEKDAYS[lang], WEEKDAYS["de2"] if lang == "de" else WEEKDAYS["en3"]):
                bare = [n.rstrip(".") for n in names]
                for n in bare:
                    if n.lower() == w.lower():
                        return recase(v.pick(bare), w)
            if w.lower() in NUMBERS[lang]:
                return recase(v.pick(NUMBERS[lang][1:13]), w)
            for h in HOLIDAYS[lang]:
                if h.lower() == w.lower():
                    return recase(v.pick([x for x in HOLIDAYS[lang] if " " not in x]), w)
            return w

        def number(m):
            s = m.group()
            if len(s) == 4:
                return str(v.year(birth)) if s[:2] in ("19", "20") else v.digits(4)
            if len(s) == 8:
                return f"{v.year(birth)}{v.rng.randint(1, 12):02d}{v.rng.randint(1, 28):02d}"
            if len(s) > 2:
                return v.reshape(s)
            fields[0] += 1
            if text[m.start() - 1 : m.start()] in ("'", "’") or fields[0] == 3:
                return f"{v.year(birth) % 100:02d}"
            first_is_month = lang == "en" and fields[0] == 1 and int(s) <= 12
            n = v.rng.randint(1, 12) if fields[0] == 2 and int(s) <= 12 or first_is_month else v.rng.randint(1, 28)
            if int(s) > 31:
                n = v.rng.randint(40, 99)
            return f"{n:02d}" if s[0] == "0" or (len(s) == 2 and n > 9) else str(n)

        return re.sub(r"\d+", number, WORD.sub(word, text))

    def value(self, text: str, label) -> str:
        key = (labels.category(label) if label.startswith(("NAME", "LOCATION_C", "LOCATION_S")) else label, text)
        if key not in self.whole:
            self.whole[key] = self.fresh(text, label)
        return self.whole[key]

    def fresh(self, text: str, label: str) -> str:
        v = self.v
        upper = len(text) > 3 and text.isupper()
        borrowed = mentions.value(text, label, v)
        if borrowed is not None:
            return borrowed.upper() if upper else borrowed
        if label == "NAME_USERNAME":
            return v.username() if v.chance(0.6) else v.reshape(text)
        if label.startswith("NAME"):
            return WORD.sub(lambda m: self.name_word(m.group()), text)
        if label.startswith("DATE"):
            return self.date(text, label == "DATE_BIRTHDATE")
        if label == "AGE":
            if text.isdigit():
                n = int(text)
                return str(v.rng.randint(1, 17) if n < 18 else v.rng.randint(18, 99))
            return v.number_word(v.rng.randint(2, 95)) if text.lower() in NUMBERS[self.lang] else re.sub(r"\d+", lambda m: str(v.rng.randint(1, 95)), text)
        if label in ("CONTACT_PHONE", "CONTACT_FAX"):
            return v.phone() if v.chance(0.25) and len(text) > 6 else v.reshape(text, letters=False)
        if label == "CONTACT_EMAIL":
            return v.email() if v.chance(0.6) else v.reshape(text.split("@")[0], True) + "@" + text.partition("@")[2]
        if label == "CONTACT_URL":
            return v.url() if v.chance(0.6) else v.reshape(text, letters=False)
        if label == "CONTACT_IP":
            return v.ip()
        if label == "LOCATION_ZIP":
            return v.zip() if v.chance(0.4) else v.reshape(text)
        if label.startswith("ID"):
            return v.reshape(text, letters=v.chance(0.5) and text.upper() == text)
        new = None
        if label == "LOCATION_CITY":
            new = v.city() if v.chance(0.9) else text
        elif label == "LOCATION_STREET":
            new = v.street() if any(c.isdigit() for c in text) else v.street_name()
            if v.chance(0.25):
                new = re.sub(r"\d", lambda m: v.digits(1), WORD.sub(lambda m: self.place_word(m.group()), text))
        elif label == "LOCATION_STATE":
            new = v.state()
        elif label == "LOCATION_COUNTRY":
            new = v.country() if v.chance(0.8) else text
        elif label in ("LOCATION_HOSPITAL", "LOCATION_ORGANIZATION", "LOCATION_OTHER"):
            wardish = label == "LOCATION_HOSPITAL" and (any(c.isdigit() for c in text) or len(text) < 5)
            if v.chance(0.35):
                new = (v.ward() if wardish else v.hospital()) if label.endswith("HOSPITAL") else v.organisation() if label.endswith("ORGANIZATION") else v.landmark()
            else:
                new = v.reshape(text, letters=False) if any(c.isdigit() for c in text) else text
                if not wardish and v.chance(0.8):
                    new = WORD.sub(lambda m: self.place_word(m.group()), new)
        elif label == "PROFESSION_PROFESSION":
            new = v.job() if v.chance(0.65) else text
        elif label == "PROFESSION_STATUS":
            new = v.status() if v.chance(0.35) else text
        if new is None:
            return text
        return new.upper() if upper else new.lower() if text.islower() and v.chance(0.7) else new


def rewrite(segments: Segments, values: Values, keep: float = 0.0) -> Segments:
    """New values for all marked segments; keep is the share of values that stay as they are."""
    r = Rewriter(values)
    kept: dict[str, bool] = {}
    out = []
    for text, label in segments:
        if label is None or not isinstance(label, str) or label == labels.MASK:
            out.append((text, label))
        elif kept.setdefault(text, values.chance(keep)):
            out.append((text, label))
        else:
            out.append((r.value(text, label), label))
    return out


# Roughening: each takes segments and returns segments.

OCR = {"l": "1", "1": "l", "O": "0", "0": "O", "I": "l", "S": "5", "5": "S", "ü": "u", "ä": "a", "ö": "o", "rn": "m", "m": "rn", "B": "8",
       "e": "c", "h": "b", "t": "f", "cl": "d", "ß": "B", "i": "1", "w": "vv", "g": "q", "8": "B", "6": "b", "u": "ii", "E": "F"}  # fmt: skip


def ocr(segments: Segments, v: Values, rate: float = 0.03) -> Segments:
    def spoil(text):
        return "".join(OCR.get(c, c) if v.chance(rate) else ("" if v.chance(rate / 12) else c) for c in text)

    return [(spoil(t), l) for t, l in segments]


def typos(segments: Segments, v: Values, rate: float = 0.012) -> Segments:
    def spoil(text):
        c = list(text)
        for i in range(len(c) - 1):
            if c[i].isalpha() and c[i + 1].isalpha() and v.chance(rate):
                r = v.rng.random()
                if r < 0.4:
                    c[i], c[i + 1] = c[i + 1], c[i]
                elif r < 0.7:
                    c[i] = ""
                else:
                    c[i] = c[i] * 2
        return "".join(c)

    return [(spoil(t), l) for t, l in segments]


def upper(segments: Segments, v: Values) -> Segments:
    return [(t.upper(), l) for t, l in segments]


def lower(segments: Segments, v: Values) -> Segments:
    return [(t.lower(), l) for t, l in segments]


def folded(segments: Segments, v: Values) -> Segments:
    return [(ascii_fold(t), l) for t, l in segments]


def wrapped(segments: Segments, v: Values) -> Segments:
    """Hard line breaks at a new width: a space becomes a line feed, so names break over lines, too."""
    width, at, out = v.rng.randint(38, 82), 0, []
    for t, l in segments:
        c = list(t)
        for i, ch in enumerate(c):
            at = 0 if ch == "\n" else at + 1
            if ch == " " and at > width and (i == 0 or c[i - 1] not in " \n"):
                c[i], at = "\n", 0
        out.append(("".join(c), l))
    return out


def flattened(segments: Segments, v: Values) -> Segments:
    """No line breaks, as after a careless copy."""
    return [(re.sub(r"\s*\n\s*", " ", t) if "\n" in t else t, l) for t, l in segments]


def names_upper(segments: Segments, v: Values) -> Segments:
    return [(t.upper() if isinstance(l, str) and l.startswith(("NAME", "LOCATION")) else t, l) for t, l in segments]


def names_lower(segments: Segments, v: Values) -> Segments:
    return [(t.lower() if isinstance(l, str) and l.startswith(("NAME", "LOCATION")) else t, l) for t, l in segments]


ROUGH = ((upper, 0.05), (lower, 0.06), (ocr, 0.05), (typos, 0.05), (folded, 0.06), (wrapped, 0.08), (flattened, 0.07),
         (names_upper, 0.04), (names_lower, 0.05))  # fmt: skip


def roughen(segments: Segments, v: Values, strength: float = 1.0) -> Segments:
    """At most two of the changes above, most documents none."""
    done = 0
    for change, p in ROUGH:
        if done < 2 and v.chance(p * strength):
            if change is folded and v.lang != "de":
                continue
            segments, done = change(segments, v), done + 1
    return segments
