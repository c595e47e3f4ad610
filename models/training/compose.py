"""Composes new marked texts from templates.

templates/<lang>.txt holds texts between lines of "---". In them {name} stands for a value (marked with its label, or
unmarked filler such as a drug), [[a|b|]] for one of several wordings, and a line that begins with "?" is left out half
the time. templates/<lang>.inserts.txt holds single lines that are put into carriers and between paragraphs.
"""

import re
from functools import lru_cache
from pathlib import Path

from .segments import Segments
from .values import Values, column, rows

FOLDER = Path(__file__).resolve().parent / "templates"
TOKEN = re.compile(r"\{([a-zA-Z0-9_.]+)\}|\[\[((?:[^\[\]]|\[(?!\[)|\](?!\]))*)\]\]")
ROLES = {"pat": "NAME_PATIENT", "doc": "NAME_STAFF", "rel": "NAME_OTHER"}


@lru_cache(maxsize=None)
def templates(name: str) -> tuple[str, ...]:
    """The texts of one template file."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    parts = re.split(r"^---[^\n]*\n", text, flags=re.M)
    return tuple(p.rstrip("\n") for p in parts if p.strip())


@lru_cache(maxsize=None)
def inserts(name: str) -> tuple[str, ...]:
    return tuple(l for l in (FOLDER / f"{name}.inserts.txt").read_text(encoding="utf-8").splitlines() if l.strip())


def mrn(v: Values) -> str:
    return v.shape(v.pick(("#######", "########", "##########", "#####-####", "@#######", "##-#######", "@@-######", "###.###.###", "####/#####", "@##/#####", "###-##-##", "######", "####### ##", "@@@#####", "##/####", "####-######")))


def number(v: Values) -> str:
    """An order, sample, case or document number."""
    return v.shape(v.pick(("@ ##-#####", "@##-#####", "####/##", "##-####", "@@-####-##", "E ####/##", "H##-#####", "@##/#####", "##########", "#######", "@@@-#####", "L ##-#####", "##/#####", "S##-#####", "#-###-###", "@####", "########-#", "####-##-@@")))


FILL = {
    "ssn": ("ID_SSN", lambda v: v.shape(v.pick(("## ###### @ ###", "##########", "#### ######", "756.####.####.##", "########@###") if v.lang == "de" else ("###-##-####", "### ## ####", "#########", "### ### ####", "####")))),
    "plan": ("ID_HEALTHPLAN", lambda v: v.shape(v.pick(("@#########", "@ ### ### ###", "#########", "80756##############", "#.###.###-#") if v.lang == "de" else ("@@@#########", "#########@", "@########", "###########", "#@@#-@@#-@@##", "@@@ #### ###")))),
    "acct": ("ID_ACCOUNT", lambda v: v.shape(v.pick(("DE## #### #### #### #### ##", "AT## #### #### #### ####", "CH## #### #### #### #### #", "DE####################") if v.lang == "de" else ("#########", "@###########", "####-####-####", "##-#######-##", "@@-#######")))),
    "lic": ("ID_LICENSE", lambda v: v.shape("#########" if v.lang == "de" else v.pick(("@@#######", "##########", "@#####", "##-######", "#######")))),
    "vehicle": ("ID_VEHICLE", lambda v: v.shape(v.pick(("@@-@@ ####", "@-@@ ###", "@@@-@ ##", "@@ ######", "RTW #/##-#", "@@ @@ ###") if v.lang == "de" else ("@@@ ####", "###-@@@", "@@## @@@", "#@@@###", "Medic ##", "Unit ##")))),
    "device": ("ID_DEVICE", lambda v: v.shape(v.pick(("@@@######@", "######", "@@-#####", "##@@#####", "@@@######", "####-####")))),
    "study": ("ID_STUDY", lambda v: v.pick(("####-######-##", "NCT########", "@@@@-##", "@@@@@-#", "###-####", "site ##, subj ####")) and v.shape(v.pick(("20##-00####-##", "NCT########", "@@@@-##", "@@@@@-#", "####-####", "@@@-###-####")))),
    "mrn": ("ID_PATIENT", mrn),
    "case": ("ID_PATIENT", mrn),
    "num": ("ID_OTHER", number),
    "date": ("DATE_DATE", Values.date),
    "date2": ("DATE_DATE", Values.date),
    "bdate": ("DATE_BIRTHDATE", Values.birthdate),
    "age": ("AGE", Values.age),
    "year": ("DATE_DATE", lambda v: str(v.year())),
    "phone": ("CONTACT_PHONE", Values.phone),
    "fax": ("CONTACT_FAX", Values.phone),
    "ext": ("CONTACT_PHONE", lambda v: v.shape(v.pick(("####", "###", "#####", "##-####", "-####")))),
    "email": ("CONTACT_EMAIL", Values.email),
    "url": ("CONTACT_URL", Values.url),
    "ip": ("CONTACT_IP", Values.ip),
    "user": ("NAME_USERNAME", Values.username),
    "init": ("NAME_STAFF", Values.initials),
    "init2": ("NAME_STAFF", Values.initials),
    "hosp": ("LOCATION_HOSPITAL", Values.hospital),
    "ward": ("LOCATION_HOSPITAL", Values.ward),
    "org": ("LOCATION_ORGANIZATION", Values.organisation),
    "street": ("LOCATION_STREET", Values.street),
    "state": ("LOCATION_STATE", Values.state),
    "country": ("LOCATION_COUNTRY", Values.country),
    "landmark": ("LOCATION_OTHER", Values.landmark),
    "job": ("PROFESSION_PROFESSION", Values.job),
    "status": ("PROFESSION_STATUS", Values.status),
    "fame": ("OTHER", Values.fame),
}  # fmt: skip

EPONYMS = {
    "de": """Morbus Parkinson|M. Bechterew|Morbus Crohn|Morbus Basedow|Hashimoto-Thyreoiditis|Sjögren-Syndrom|Romberg|Babinski|Lasègue|Billroth II|Foley-Katheter|Redon-Drainage|Kocher|Trendelenburg|Lachman|Gleason 7|Glasgow Coma Scale|Barthel-Index|
Braden-Skala|Apgar 9/10/10|Virchow-Trias|Quincke-Ödem|Baker-Zyste|Meniere|Weber B|Lisfranc|AO-Klassifikation|Child-Pugh B|Karnofsky|Ann Arbor|Hodgkin|Addison-Krise|Guillain-Barré|Alzheimer|Dupuytren|Sudeck|Borrelien|Murphy-Zeichen|McBurney|
Wells-Score|Norton|Mayo-Score|Killip I|Forrest Ib|Lansz|Blumberg|Charcot-Fuß|Marcumar|Kehr|Whipple-OP|Bankart|Pipkin|Garden III|Neer|Larson|Hoffmann-Tinel|Kirschner-Draht|Jackson-Pratt|Veres|Wertheim|Bishop-Score""",
    "en": """Parkinson disease|Crohn's|Graves disease|Hashimoto's|Babinski|Romberg|Foley catheter|Swan-Ganz|Glasgow Coma Scale|Apgar 8 and 9|Gleason 3+4|Braden|Tanner stage II|Child-Pugh B|Hodgkin lymphoma|Down syndrome|Bell's palsy|Murphy sign|McBurney's|Wells score|
Lachman|Phalen's|Tinel's|Kerley B|Osler nodes|Charcot foot|Jackson-Pratt drain|Penrose|Bovie|Metzenbaum|Allis clamp|Balfour|Mayo scissors|Trendelenburg|Killip I|Mallampati II|Cobb angle|Baker's cyst|Barrett's|Cushing's|Addison's|Wegener's|Kaplan-Meier|
Sjogren's|Guillain-Barre|Ehlers-Danlos|Marfan|Alzheimer's|Lou Gehrig's|Colles fracture|Steri-Strips|Vicryl|Monocryl|Marcaine|Hemovac|Pfannenstiel|Hasson|Kelly clamp|Army-Navy|Adson|Weitlaner|Whipple|Nissen|Bankart|Hill-Sachs|Salter-Harris II|Bruce protocol""",
}
EPONYMS = {k: t.replace("\n", "").split("|") for k, t in EPONYMS.items()}
VITALS = {
    "de": ("RR 142/78 mmHg", "HF 88/min", "SpO2 96 %", "Temp. 37,4 °C", "GCS 15", "VAS 4/10", "120/80", "5/5", "AF 18/min", "BMI 27,4", "78 kg, 172 cm", "NRS 3/10", "RASS -1", "um 14:30 Uhr", "pH 7.35", "3/6 Systolikum"),
    "en": ("BP 120/80", "HR 72", "RR 18", "T 98.6", "SpO2 97% RA", "GCS 15", "pain 4/10", "5/5 strength", "2+ pulses", "BMI 31.2", "wt 182 lb", "20/40 OD", "3/6 SEM", "at 0730", "ROM 0-110", "pH 7.32", "EF 55%"),
}
LABS = {
    "de": ("Hb 11,2 g/dl", "Kreatinin 1,4 mg/dl", "CRP 54 mg/l", "INR 2,3", "TSH 2,1", "Leukozyten 12.4/nl", "Kalium 4,1", "HbA1c 7,8 %", "Troponin T 14 ng/l", "GOT 34 U/l", "Na 138 / K 4,2", "Quick 68 %", "pCO2 48", "B12 1234 pg/ml"),
    "en": ("Hgb 11.2", "Cr 1.4", "WBC 12.4", "INR 2.3", "TSH 2.1", "K 4.1", "A1c 7.8%", "troponin 0.04", "AST/ALT 34/28", "Na 138", "lactate 2.1", "BNP 412", "plt 188", "B12 1234 pg/mL"),
}
DRUGS_EN = "aspirin 81 mg|metoprolol 25 mg bid|lisinopril 10 mg|Lasix 40 mg IV|Zofran 4 mg|Lantus 18 units|Eliquis 5 mg|Tylenol 650 mg|vancomycin 1 g|Zosyn 3.375 g q6h|metformin 1000 mg|Synthroid 88 mcg|gabapentin 300 mg tid|Coumadin 5 mg|Yasmin|Camila|Allegra|Percocet 5/325|prednisone 20 mg|Advair 250/50".split("|")
DX_EN = "CHF exacerbation|COPD|NSTEMI|community-acquired pneumonia|type 2 diabetes|CKD stage 3|hip fracture|acute cholecystitis|UTI|AFib|migraine with aura|colon cancer T3N1M0|L4-L5 radiculopathy|DVT|asthma|cellulitis|CVA|rheumatoid arthritis|atrial flutter|GERD".split("|")
DX_DE = "NSTEMI|COPD GOLD III|ambulant erworbene Pneumonie|Vorhofflimmern|Kolonkarzinom pT3 pN1 M0|Diabetes mellitus Typ 2|Schenkelhalsfraktur|Niereninsuffizienz KDIGO G3a|akute Cholezystitis|Migräne mit Aura|Z. n. TVT|LWK-3-Fraktur|arterielle Hypertonie|Hüft-TEP rechts|Psoriasis|Asthma bronchiale|BPS L5/S1|Harnwegsinfekt|HFrEF|Prostatakarzinom".split("|")
TITLES = {"de": ("Dr. ", "Dr. med. ", "Prof. Dr. ", "OA Dr. ", "Frau Dr. ", "Herr ", "Frau ", "PD Dr. ", "Dr. med. univ. ", "Schwester ", "Pfleger ", "CA Prof. ", "Ass.-Ärztin ", "Hr. ", "Fr. "),
          "en": ("Dr. ", "Dr ", "Mr. ", "Ms. ", "Prof ", "Nurse ", "Mrs. ", "Sr. ", "PA ")}  # fmt: skip


class Context:
    """The people and the place of one text."""

    def __init__(self, v: Values):
        self.v, self.people, self.at = v, {}, None

    def person(self, name: str):
        if name not in self.people:
            p = self.v.person()
            if name.startswith("rel") and "pat" in self.people and self.v.chance(0.4):
                p.last = self.people["pat"].last
            self.people[name] = p
        return self.people[name]

    def resolve(self, key: str) -> Segments:
        v = self.v
        name, _, form = key.partition(".")
        role = name.rstrip("0123456789")
        if role in ROLES:
            p = self.person(name)
            if form == "title":
                return [(v.pick(TITLES[v.lang]), None)]
            if form == "mr":
                return [(({"f": "Frau", "m": "Herr"} if v.lang == "de" else {"f": "Ms.", "m": "Mr."})[p.gender], None)]
            text = {"f": p.full, "l": lambda: p.last, "li": p.listed, "s": p.short, "n": lambda: p.first, "": p.any,
                    "up": lambda: p.full().upper(), "lup": lambda: p.last.upper(), "low": lambda: p.first.lower(),
                    "i": lambda: f"{p.first[0]}. {p.last}", "ab": lambda: (p.first[0] + p.last[0]), "lo": lambda: p.full().lower(),
                    "c": lambda: f"{p.last}, {p.first}", "r": lambda: f"{p.last} {p.first}"}[form]()  # fmt: skip
            return [(text, ROLES[role])]
        if name in ("zip", "city", "place_state"):
            if self.at is None or name in self.at[1]:
                self.at = (v.place(), set())
            self.at[1].add(name)
            value = self.at[0][("zip", "city", "place_state").index(name)]
            if name == "city" and v.chance(0.35) and "zip" not in self.at[1]:
                value = v.city()
            return [(value, {"zip": "LOCATION_ZIP", "city": "LOCATION_CITY", "place_state": "LOCATION_STATE"}[name])]
        if name == "drug":
            return [((v.pick(column("drugs_de")) + v.pick((" 5 mg 1-0-1", " 40 mg", " 100 mg 1-0-0", " 2x1"))) if v.lang == "de" else v.pick(DRUGS_EN), None)]
        if name == "dx":
            return [(v.pick(DX_DE if v.chance(0.6) else column("medical_terms_de")) if v.lang == "de" else v.pick(DX_EN) if v.chance(0.6) else v.pick(rows("icd9_terms_en"))[0].lower(), None)]
        if name == "eponym":
            return [(v.pick(EPONYMS[v.lang]) if v.lang == "de" or v.chance(0.7) else v.pick(column("eponyms_en")), None)]
        if name == "vital":
            return [(v.pick(VITALS[v.lang]), None)]
        if name == "lab":
            return [(v.pick(LABS[v.lang]), None)]
        if name == "time":
            h, m = v.rng.randint(0, 23), v.rng.randint(0, 59)
            return [(v.pick((f"{h}:{m:02d}", f"{h:02d}:{m:02d}", f"{h:02d}{m:02d}" if v.lang == "en" else f"{h}.{m:02d} Uhr", f"{h} Uhr" if v.lang == "de" else f"{h % 12 + 1}pm")), None)]
        if name == "n":
            return [(str(v.rng.randint(1, 40)), None)]
        label, make = FILL[name]
        text = make(v)
        return [(text, label)]


def render(template: str, context: Context) -> Segments:
    """A template -> segments."""
    v = context.v
    lines = []
    for line in template.split("\n"):
        if line.startswith("?"):
            if v.chance(0.5):
                continue
            line = line[1:]
        lines.append(line)
    out: Segments = []

    def walk(text):
        at = 0
        for m in TOKEN.finditer(text):
            if m.start() > at:
                out.append((text[at : m.start()], None))
            if m.group(1):
                out.extend(context.resolve(m.group(1)))
            else:
                walk(v.pick(m.group(2).split("|")))
            at = m.end()
        if at < len(text):
            out.append((text[at:], None))

    walk("\n".join(lines))
    return out


def document(v: Values) -> Segments:
    """One composed text: a template, or several inserts as a short note, with inserts strewn in now and then."""
    context = Context(v)
    if v.chance(0.25):
        out: Segments = []
        for _ in range(v.rng.randint(1, 5)):
            out += render(v.pick(inserts(v.lang)), context) + [(v.pick((" ", "\n", " ", "\n\n")), None)]
            if v.chance(0.5):
                context = Context(v)
        return out
    out = render(v.pick(templates(v.lang)), context)
    if v.chance(0.3):
        out = insert(out, v, context)
    return out


def insert(segments: Segments, v: Values, context: Context | None = None) -> Segments:
    """Puts inserts at line or sentence ends of unmarked segments, sometimes a whole template before."""
    context = context or Context(v)
    out: Segments = []
    if v.chance(0.3):
        out += render(v.pick(templates(v.lang)), context) + [("\n\n", None)]
    left = v.rng.randint(1, 3)
    for text, label in segments:
        if label is None and left:
            places = [m.end() for m in re.finditer(r"[.!?][ \n]|\n", text)]
            if places and v.chance(0.5):
                at = v.pick(places)
                out += [(text[:at], None)] + render(v.pick(inserts(v.lang)), context) + [(v.pick((" ", "\n")), None)]
                text = text[at:]
                left -= 1
        out.append((text, label))
    return out
