"""Invented values: names, places, dates, numbers. Drawn from the lists, recombined, and partly made of syllables, so
that a model learns where a value stands and how it is built instead of the lists."""

import gzip
import random
import re
from functools import lru_cache

from . import paths


@lru_cache(maxsize=None)
def rows(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of a list, split into columns."""
    with gzip.open(paths.gazetteer(name), "rt", encoding="utf-8") as f:
        return tuple(tuple(line.rstrip("\n").split("\t")) for line in f if line.strip())


@lru_cache(maxsize=None)
def column(name: str, kind: str | None = None) -> tuple[str, ...]:
    """First column, of the rows whose second column is kind."""
    return tuple(r[0] for r in rows(name) if kind is None or (len(r) > 1 and r[1] == kind))


@lru_cache(maxsize=None)
def states(name: str) -> tuple[str, ...]:
    """Third column of a list of postcodes, where there is one; a state as often as it has postcodes."""
    return tuple(r[2] for r in rows(name) if len(r) > 2 and r[2])


@lru_cache(maxsize=None)
def first_names(lang: str) -> dict[str, str]:
    """Lower-cased first name -> f, m or fm."""
    out = {}
    lists = ("de_first_names_berlin", "us_first_names") if lang == "de" else ("us_first_names", "us_first_names_alvearie")
    for name in lists:
        for r in rows(name):
            if len(r) > 1 and r[1] in ("f", "m", "fm"):
                out.setdefault(r[0].lower(), r[1])
    for country in ("DE", "AT", "CH"):
        for r in rows(f"names_faker_de_{country}"):
            if r[1].startswith("first_"):
                out.setdefault(r[0].lower(), r[1][-1])
    return out


WORD_NAMES = {
    "de": """Klein Lang Koch Herz Sommer Winter Kaiser König Graf Herr Fuchs Wolf Vogel Baum Stein Berg Bach Wald
    Sonntag Freitag Montag April Mai Kurz Groß Schwarz Weiß Braun Roth Grün Stark Kraft Engel Teufel Bischof Richter
    Bauer Becker Schäfer Zimmermann Kopf Hals Fuß Bein Haut Leber Niere Magen Blut Puls Ader Nagel Hammer Amboss Blank
    Scharf Sauer Süß Bitter Salz Pfeffer Kern Krebs Hase Hecht Frost Hagel Sturm Nebel Reich Arm Gut Ehrlich Fromm
    Morgenstern Abend Mittag Parkinson Basedow Crohn Hodgkin Addison Virchow Koch Billroth Wilson Down Reiter Meniere
    Cushing Alzheimer Pick Marfan Graves Hashimoto Bechterew Sudeck Raynaud""".split(),
    "en": """Young Brown Rose Hope March April May June August Summer Winter Day Long Short Small Rich Poor Black White
    Green Gray Gold Silver Stone Wood Fields Rivers Brook Lake Hill Ford Bridge Church Abbott Bishop Pope King Prince
    Duke Knight Page Cook Baker Carpenter Mason Smith Taylor Miller Fisher Hunter Archer Fox Wolf Lamb Bird Swan Crane
    Foley Parkinson Hodgkin Addison Graves Wilson Down Bell Murphy Grant Will Mark Bill Art Chase Joy Faith Grace Ivy
    Lily Violet Heather Dawn Eve Sunny Christian Dean Drew Pace Block Head Hand Foot Bones Heart Blood Payne Akers Cross
    Price Love Sharp Strong Swift Wise Best Moody Frost Snow Storm Fry Berry Rice Bean Lemon Olive Babinski Romberg
    Kerr Mayo Crohn Tanner Apgar Gleason Breslow Osler Down Charcot""".split(),
}
FOREIGN = {
    "tr": ("Ayşe Fatma Mehmet Emre Zeynep Hüseyin Elif Gülcan Ramazan Şule Ufuk Tülay Orhan Çiğdem İbrahim",
           "Yılmaz Kaya Demir Çelik Şahin Öztürk Arslan Doğan Kılıç Aslan Çetin Koç Özdemir Güneş Taş Karabulut Erdoğdu"),
    "pl": ("Agnieszka Krzysztof Małgorzata Grzegorz Ewa Zbigniew Bożena Paweł Jadwiga Wojciech Halina Stanisław",
           "Kowalski Nowakowska Wiśniewski Wójcik Kamińska Lewandowski Zieliński Szymańska Dąbrowski Kozłowska Jankowski"),
    "ar": ("Ahmed Fatima Mohammed Aisha Omar Layla Yusuf Khadija Hassan Mariam Ibrahim Nour Samir Abdelkader",
           "Al-Khatib El-Sayed Haddad Mansour Abu-Rahma Benali Bouazizi Khalil Nasser Al-Jabari Ben-Youssef Hamdan"),
    "vi": ("Nguyễn Thị Văn Minh Hoa Lan Đức Thanh Tuấn Ngọc Phương", "Nguyễn Trần Lê Phạm Hoàng Huỳnh Phan Vũ Đặng Bùi Đỗ"),
    "ua": ("Oleksandr Olena Dmytro Kateryna Volodymyr Iryna Mykola Svitlana Yaroslav Oksana",
           "Shevchenko Kovalenko Bondarenko Tkachenko Kravchuk Onyschtschenko Melnyk Lysenko Hrytsenko"),
    "in": ("Rajesh Priya Sanjay Lakshmi Arjun Deepa Venkat Anjali Suresh Kavitha Harpreet Manpreet",
           "Patel Sharma Iyer Reddy Krishnamurthy Singh Kaur Chatterjee Venkataraman Subramanian Nair Deshpande"),
    "cn": ("Wei Li Jing Xiaoming Hui Yan Mei-Ling Jun Zhiyuan Ying", "Wang Zhang Chen Liu Zhao Huang Zhou Xu Ouyang Lin Ng Cheung"),
    "es": ("José María Guadalupe Carlos Lucía Javier Concepción Rafael Ximena Hernán Yolanda",
           "García Hernández Rodríguez López Núñez Gutiérrez Peña Ibáñez Castañeda Villaseñor Ortega-Ruiz Zúñiga"),
    "af": ("Chukwuemeka Adaeze Kwame Abena Oluwaseun Folasade Tendai Wanjiru Thabo Nomvula Amadou Fatoumata",
           "Okafor Adeyemi Mensah Boateng Oyelaran Nwosu Mwangi Odhiambo Dlamini Ndlovu Diallo Traoré Asante Eze"),
    "gr": ("Georgios Eleni Konstantinos Vasiliki Dimitrios Stavroula", "Papadopoulos Georgiou Karagiannis Economou Tsakalidis Angelopoulou"),
    "yu": ("Dragan Snežana Zoran Jelena Goran Mirjana Slobodan Vesna", "Jovanović Petrović Kovačević Nikolić Đorđević Marković Hadžić Begić"),
    "hu": ("Zsófia László Ilona Gábor Erzsébet István", "Nagy Szabó Horváth Kovács Tóth Farkas Bárány Szűcs"),
    "it": ("Giuseppe Chiara Salvatore Concetta Gianluca Rosaria", "Esposito Lo_Bianco Di_Stefano De_Luca Caruso D'Angelo Ferrari"),
    "ie": ("Siobhán Niamh Ciarán Aoife Pádraig Gráinne", "O'Sullivan McCarthy Ó_Briain FitzGerald MacNamara O'Shaughnessy Nic_Dhonnchadha"),
    "nl": ("Joost Marijke Pieter Annelies Willem Tineke", "van_der_Velde de_Vries Van_den_Boom Bakker ter_Horst Dijkstra"),
    "ko": ("Ji-hye Min-jun Soo-jin Hyun-woo Eun-kyung", "Kim Park Choi Jeong Kang Yoon Bae"),
    "pt": ("João Inês Gonçalo Luísa Tiago Conceição", "Gonçalves Teixeira Magalhães da_Silva dos_Santos Simões"),
}  # fmt: skip
FOREIGN = {k: tuple([w.replace("_", " ") for w in part.split()] for part in pair) for k, pair in FOREIGN.items()}

MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "de3": "Jan. Feb. Mrz. Apr. Mai Jun. Jul. Aug. Sept. Okt. Nov. Dez.".split(),
    "en": "January February March April May June July August September October November December".split(),
    "en3": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(),
}
WEEKDAYS = {
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split(),
    "de2": "Mo Di Mi Do Fr Sa So".split(),
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "en3": "Mon Tue Wed Thu Fri Sat Sun".split(),
}
HOLIDAYS = {
    "de": """Ostern Pfingsten Weihnachten Silvester Neujahr Karneval Fasching Rosenmontag Aschermittwoch Karfreitag
    Ostermontag Himmelfahrt Fronleichnam Allerheiligen Totensonntag Nikolaus Heiligabend Dreikönig Lichtmess Muttertag
    Erntedank Martini Advent Auffahrt Fasnacht Bundesfeier Nationalfeiertag Ramadan Zuckerfest Tet Nouruz Pessach
    Jahreswechsel Frühjahr Frühling Frühsommer Sommer Spätsommer Herbst Spätherbst Winter Wintersemester""".split(),
    "en": ["Christmas", "Christmas Eve", "Easter", "Easter Sunday", "Thanksgiving", "Labor Day", "Memorial Day", "Boxing Day",
           "New Year's", "New Year's Eve", "July 4th", "the Fourth of July", "Halloween", "Valentine's Day", "Mother's Day",
           "St. Patrick's Day", "Good Friday", "Ash Wednesday", "Passover", "Ramadan", "Eid", "Diwali", "Tet", "Lunar New Year",
           "Hanukkah", "Veterans Day", "Columbus Day", "Bank Holiday Monday", "Martin Luther King Day", "Super Bowl Sunday",
           "spring", "summer", "fall", "autumn", "winter", "early spring", "late fall", "mid-summer", "Michaelmas"],
}  # fmt: skip
NUMBERS = {
    "de": """null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
    siebzehn achtzehn neunzehn""".split(),
    "en": """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split(),
}
TENS = {
    "de": "_ _ zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(),
    "en": "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split(),
}
ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth
twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first""".split()
ORDINALS_DE = """ersten zweiten dritten vierten fünften sechsten siebten achten neunten zehnten elften zwölften
dreizehnten vierzehnten fünfzehnten sechzehnten siebzehnten achtzehnten neunzehnten zwanzigsten einundzwanzigsten
zweiundzwanzigsten dreiundzwanzigsten vierundzwanzigsten fünfundzwanzigsten sechsundzwanzigsten siebenundzwanzigsten
achtundzwanzigsten neunundzwanzigsten dreißigsten einunddreißigsten""".split()
SYLLABLES = {
    "de": (["Hol", "Brun", "Stef", "Kro", "Wend", "Lind", "Ober", "Nie", "Schlü", "Trau", "Quer", "Vog", "Zieg", "Ha", "Mer", "Ros",
            "Tie", "Wal", "Grü", "Fen", "Pil", "Dör", "Eck", "Ger", "Kött", "Bött", "Schwa", "Pfan", "Reh", "Zorn"],
           ["ner", "ber", "den", "ter", "gel", "zen", "ken", "lin", "mer", "sel", "tin", "der", "bach", "hof", "feld"],
           ["mann", "er", "meier", "ke", "ski", "hardt", "stein", "berger", "hausen", "sen", "el", "ig", "ow", "itz", "huber", "li"]),
    "en": (["Har", "Whit", "Cald", "Pem", "Thorn", "Ash", "Brad", "Wex", "Stan", "Hol", "Ked", "Lath", "Mar", "Nor", "Pren", "Rad",
            "Sel", "Tal", "Wor", "Fair", "Lang", "Mc", "Fitz", "Gar", "Dun", "Bren", "Kil", "Tre", "Pol", "Vander"],
           ["ing", "er", "le", "en", "ber", "ring", "der", "mont", "wick", "bor", "ter", "gan"],
           ["ton", "field", "ley", "worth", "man", "son", "well", "ham", "by", "wood", "ford", "shaw", "more", "ie", "ick", "an"]),
}  # fmt: skip


class Values:
    """Draws values for one document; rng makes it repeatable."""

    def __init__(self, rng: random.Random, lang: str):
        self.rng, self.lang = rng, lang

    def pick(self, options):
        return self.rng.choice(options)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    # names

    def surname(self) -> str:
        r, lang = self.rng.random(), self.lang
        if r < 0.10:
            return self.pick(WORD_NAMES[lang])
        if r < 0.28:
            return self.pick(FOREIGN[self.pick(list(FOREIGN))][1])
        if r < 0.38:
            a, b, c = SYLLABLES[lang]
            return self.pick(a) + (self.pick(b) if self.chance(0.6) else "") + self.pick(c)
        if r < 0.48:
            x, y = self.simple_surname(), self.simple_surname()
            return f"{x}-{y}"
        if r < 0.53:
            particle = self.pick(("von", "von der", "van", "van der", "de", "zu", "di", "del", "le", "v.", "vom")
                                 if lang == "de" else ("de la", "van", "von", "del", "St.", "Le", "De", "ter", "al-"))
            return f"{particle} {self.simple_surname()}"
        return self.simple_surname()

    def simple_surname(self) -> str:
        r = self.rng.random()
        if self.lang == "de":
            if r < 0.3:
                return self.pick(column(f"names_faker_de_{self.pick(('DE', 'AT', 'CH'))}", "last"))
            if r < 0.9:
                return self.pick(column("de_surnames"))
        elif r < 0.35:
            return self.pick(column("us_last_names_faker"))
        return self.proper(self.pick(column("us_surnames")))

    @staticmethod
    def proper(word: str) -> str:
        return word[:1].upper() + word[1:].lower() if word.isupper() or word.islower() else word

    def first(self, gender: str = "") -> str:
        r = self.rng.random()
        if r < 0.04:
            return self.pick(WORD_NAMES[self.lang][-40:] if self.lang == "en" else ("Rose", "Wolf", "Ernst", "Frank", "Mai", "Heide"))
        if r < 0.16:
            return self.pick(FOREIGN[self.pick(list(FOREIGN))][0])
        if self.lang == "de":
            if r < 0.55:
                kind = f"first_{gender}" if gender in ("f", "m") else self.pick(("first_f", "first_m"))
                pool = column(f"names_faker_de_{self.pick(('DE', 'AT', 'CH'))}", kind)
            else:
                pool = column("de_first_names_berlin", gender if gender in ("f", "m") else None)
        elif r < 0.6:
            pool = column("us_first_names", gender if gender in ("f", "m") else None)
        else:
            pool = column("us_first_names_long")
        name = self.proper(self.pick(pool))
        if self.chance(0.05):
            name += "-" + self.proper(self.pick(pool))
        return name

    def person(self, gender: str = "") -> "Person":
        gender = gender or self.pick("fm")
        return Person(self, self.first(gender), self.surname(), gender)

    def initials(self) -> str:
        """A dictation mark or signature: wi, KJO, Kr, Mb., rdw."""
        n = self.pick((2, 2, 2, 3, 3, 3, 1, 4))
        s = "".join(self.pick("abcdefghijklmnoprstuvwz") for _ in range(n))
        s = self.pick((str.lower, str.lower, str.upper, str.upper, str.capitalize))(s)
        return s

    def username(self) -> str:
        p = self.person()
        last = re.sub(r"[^a-z]", "", ascii_fold(p.last.lower())) or "user"
        f = ascii_fold(p.first.lower())[:1]
        n = str(self.rng.randint(1, 99)) if self.chance(0.5) else ""
        s = self.pick((f + last[:7] + n, last[:6] + n, f"{last}.{f}", f"{f}.{last}", f"{last[:4]}{f}{self.rng.randint(1,99):02d}",
                       f"{self.pick('abcdehkrsz')}{self.pick('abcdeirstz')}_{last[:8]}", f"{last[:3]}{self.rng.randint(100,9999)}",
                       f"{f}{last[:5]}_{self.pick(('rn','md','an','icu','lab','pfl'))}"))  # fmt: skip
        return s.upper() if self.chance(0.15) else s

    # numbers

    def digits(self, n: int) -> str:
        return "".join(self.pick("0123456789") for _ in range(n))

    def shape(self, pattern: str) -> str:
        """# a digit, @ an upper-case letter, % a lower-case one, the rest as written."""
        out = []
        for c in pattern:
            out.append(self.pick("0123456789") if c == "#" else self.pick("ABCDEFGHJKLMNPRSTUVWXYZ") if c == "@"
                       else self.pick("abcdefghkmnprstuvwxyz") if c == "%" else c)  # fmt: skip
        return "".join(out)

    def reshape(self, text: str, letters: bool = True) -> str:
        """New characters of the same class: digits by digits, letters by letters of the same case."""
        out = []
        for c in text:
            if c.isdigit():
                out.append(self.pick("0123456789"))
            elif letters and c.isascii() and c.isalpha():
                out.append(self.pick("abcdefghklmnprstuvwxyz" if c.islower() else "ABCDEFGHKLMNPRSTUVWXYZ"))
            else:
                out.append(c)
        return "".join(out)

    def phone(self) -> str:
        if self.lang == "de":
            area = self.pick(rows("phone_area_de"))[0] if self.chance(0.4) else self.pick(("030", "089", "0171", "0176", "0664", "079", "0316"))
            area = area if area.startswith("0") else "0" + area
            shape = self.pick(("{a}/######", "{a} / ## ## ##", "{a}-#####", "{a} ####-###", "({a}) ######", "+49 {b} #######", "{a} #### ####",
                               "+43 {b} ######", "+41 {b} ### ## ##", "{a}/####-##", "{a} ## ## ###", "-####", "####", "{a}.######"))  # fmt: skip
            return self.shape(shape.replace("{a}", "¤").replace("{b}", "¥")).replace("¤", area).replace("¥", area.lstrip("0"))
        return self.shape(self.pick(("(###) ###-####", "###-###-####", "###.###.####", "+1 ### ### ####", "### ### ####", "x####", "0### ### ####",
                                     "0## #### ####", "07### ######", "+44 #### ######", "1-800-###-####", "(###) ###-#### x###", "###-####",
                                     "ext. ####", "####", "##-#### ####", "+61 # #### ####")))  # fmt: skip

    def email(self) -> str:
        p = self.person()
        a, b = (re.sub(r"[^a-z-]", "", ascii_fold(x.lower())) or "post" for x in (p.first, p.last))
        host = self.word_host()
        local = self.pick((f"{a}.{b}", f"{a[0]}.{b}", b, f"{a}{b}", f"{b}{self.rng.randint(1, 99)}", "info", "praxis", f"{a}_{b}", "sekretariat"))
        tld = self.pick(("de", "at", "ch", "example", "net", "kim.telematik") if self.lang == "de" else ("org", "com", "example", "co.uk", "edu", "net"))
        return f"{local}@{host}.{tld}"

    def word_host(self) -> str:
        a = re.sub(r"[^a-z]", "", ascii_fold(self.city().lower()))[:12] or "host"
        return self.pick((f"klinik-{a}", f"{a}-med", f"praxis-{a}", f"{a}", f"kh-{a}", f"post.{a}") if self.lang == "de"
                         else (f"{a}health", f"{a}-clinic", f"{a}med", f"mail.{a}", a, f"{a}hospital"))  # fmt: skip

    def url(self) -> str:
        host = self.word_host() + (self.pick((".de", ".at", ".ch", ".example")) if self.lang == "de" else self.pick((".org", ".com", ".example", ".nhs.uk")))
        path = self.pick(("", "", "/termin", "/portal", "/v?id=" + self.digits(6), "/befund/" + self.digits(5)))
        return self.pick(("https://", "www.", "http://www.", "portal.", "")) + host + path

    def ip(self) -> str:
        return ".".join(str(self.rng.randint(1, 254)) for _ in range(4))

    # places

    def city(self) -> str:
        r = self.rng.random()
        if r < 0.08:
            return self.pick(column("cities_world"))
        if self.lang == "de":
            return self.pick(column(self.pick(("cities_de", "cities_de", "cities_at", "cities_ch"))))
        if r < 0.2:
            a, b, c = SYLLABLES["en"]
            return self.pick(a) + self.pick(("bury", "ton", "ville", "field", "mouth", "port", "burgh", "stead", " Springs", " Falls"))
        return self.pick(column("cities_us"))

    def zip(self) -> str:
        if self.lang == "de":
            return self.pick(column(self.pick(("zip_de", "zip_de", "zip_at", "zip_ch"))))
        if self.chance(0.75):
            z = self.pick(column("zip_us"))
            return z + "-" + self.digits(4) if self.chance(0.1) else z
        return self.shape(self.pick(("@@## #@@", "@# #@@", "@@# #@@", "@#@ #@#", "####", "@## @###")))

    def place(self):
        """A postcode with its city and state."""
        name = self.pick(("zip_de", "zip_de", "zip_at", "zip_ch")) if self.lang == "de" else "zip_us"
        r = self.pick(rows(name))
        return r[0], r[1], (r[2] if len(r) > 2 else "")

    def state(self) -> str:
        if self.lang == "de":
            return self.pick(states(self.pick(("zip_de", "zip_at", "zip_ch"))))
        if self.chance(0.15):
            return self.pick(column("us_counties")) + self.pick((" County", " Co.", " County"))
        r = self.pick(rows("us_states"))
        return self.pick((r[0], r[1] if len(r) > 1 else r[0]))

    def country(self) -> str:
        return self.pick(column("countries_de" if self.lang == "de" else "countries_en")).split(",")[0]

    def street_name(self) -> str:
        if self.lang == "de":
            r = self.rng.random()
            if r < 0.35:
                return self.pick(column("streets_de_faker"))
            if r < 0.45:
                return self.pick(column("streets_at_faker"))
            if r < 0.65:
                return self.pick(column("streets_ch"))
            if r < 0.8:
                return self.pick(("Am ", "An der ", "Im ", "Auf dem ", "Zum ", "Hinter der ", "Unter den ", "In der ")) + self.pick(
                    ("Anger", "Mühlbach", "Kirchplatz", "Sonnenhang", "Bahndamm", "Brühl", "alten Ziegelei", "Weinberg", "Kranen", "Linden",
                     "Stadtmauer", "Dorfteich", "Hopfengarten", "Steinbruch", "Kirche", "Rain"))  # fmt: skip
            base = self.pick((self.simple_surname(), self.city()))
            return self.pick((f"{base}straße", f"{base}str.", f"{base}er Str.", f"{base}weg", f"{base}gasse", f"{base}er Weg",
                              f"{self.first()}-{base}-Straße", f"{base}platz", f"{base}allee", f"{base}strasse", f"{base}ring"))
        base = self.pick((self.simple_surname(), self.simple_surname(), self.pick(("Oak", "Maple", "Cedar Ridge", "Old Mill", "Harbor View", "Station",
                         "Elm", "Church", "High", "Kestrel", "Willow Bend", "County Line", "Lake Shore", "Martin Luther King", "2nd", "14th"))))  # fmt: skip
        way = self.pick(("St", "Street", "Ave", "Avenue", "Rd", "Road", "Dr", "Drive", "Lane", "Ln", "Blvd", "Court", "Ct", "Way", "Pkwy", "Close",
                         "Crescent", "Terrace", "Place", "Trail", "Hwy", "Loop", "Circle"))  # fmt: skip
        return f"{self.pick(('', '', '', 'N. ', 'West ', 'S '))}{base} {way}"

    def street(self) -> str:
        name = self.street_name()
        n = self.rng.randint(1, 199)
        if self.lang == "de":
            if self.chance(0.06):
                return name
            return name + " " + self.pick((f"{n}", f"{n}", f"{n}", f"{n}a", f"{n} b", f"{n}-{n+2}", f"{n}/{self.rng.randint(1,30)}", f"{n}/{self.rng.randint(1,5)}/{self.rng.randint(1,20)}"))
        n = self.pick((n, n, self.rng.randint(200, 19999)))
        if self.chance(0.06):
            return name
        return f"{n} {name}" + self.pick(("", "", "", f", Apt {self.rng.randint(1, 40)}{self.pick('ABCD')}", f" #{self.rng.randint(1, 999)}", f", Unit {self.rng.randint(1, 30)}"))

    def hospital(self) -> str:
        """A hospital, clinic or practice by name, often abbreviated, sometimes in capitals."""
        c = re.sub(r"\s*[(,/].*", "", self.city())
        n = self.simple_surname()
        if self.lang == "de":
            r = self.rng.random()
            if r < 0.12:
                s = self.pick(column("de_hospitals"))
            else:
                saint = self.pick(("St. Josef", "St. Marien", "St. Elisabeth", "Heilig Geist", "St. Vinzenz", "Maria Hilf", "St.-Anna", "Josefs"))
                s = self.pick((f"Klinikum {c}", f"Universitätsklinikum {c}", f"Uniklinik {c}", f"Kreiskrankenhaus {c}", f"{saint}-Krankenhaus {c}",
                     f"KH {c}", f"UKL {c}", f"Klinik {c}", f"Städt. Klinikum {c}", f"Reha-Klinik {c}", f"Rehazentrum {c}", f"Fachklinik {self.pick(('Sonnenhof','Waldblick','Am See','Bergfried'))}",
                     f"Praxis Dr. {n}", f"Hausarztpraxis {n}", f"Gemeinschaftspraxis {n} und {self.simple_surname()}", f"MVZ {c}", f"Radiologie {c}", f"LKH {c}", f"Landesklinikum {c}",
                     f"Kantonsspital {c}", f"Spital {c}", f"Bezirksspital {c}", f"BG-Klinik {c}", f"Diakonissenkrankenhaus {c}", f"{saint}-Hospital", f"{c}er Klinik",
                     f"Zentrum für Strahlentherapie {c}", f"Klinik für Neurologie, Klinikum {c}", f"Medizinische Klinik {self.pick(('I','II','III'))}", f"Notaufnahme {c}",
                     f"Dialysezentrum {c}", f"Kardiologie {c}", f"{self.pick(('UKE','UKSH','UMG','UKD','UKB','USZ','AKH','KSSG','MHH','UKW','LMU','KAGes','UKGM','HUK','EKO'))}",
                     f"{self.pick(('UKE','UKSH','AKH','USZ','KS','KKH','SKH','EvK','DRK-KH','RKH'))} {c}", f"Pflegeheim {self.pick(('Haus Abendsonne','St. Anna','Am Park','Lindenhof'))}",
                     f"Schmerzambulanz {c}", f"Augenklinik {c}", f"Kinderklinik {c}", f"Frauenklinik {c}", f"Praxis am {self.pick(('Markt','Rathaus','Ring','Dom'))}"))  # fmt: skip
        else:
            r = self.rng.random()
            if r < 0.2:
                s = self.proper_case(self.pick(column("us_hospitals")))
            else:
                saint = self.pick(("St. Mary's", "St Luke's", "St. Vincent", "Holy Cross", "Good Samaritan", "Mercy", "Providence", "Sacred Heart", "St. Jude"))
                s = self.pick((f"{c} General Hospital", f"{c} Medical Center", f"{saint} Hospital", f"{saint}", f"{c} General", f"University of {c} Hospital", f"{c} Memorial",
                     f"{n} Clinic", f"{c} Family Practice", f"{c} Community Hospital", f"{c} Health Centre", f"{n} & {self.simple_surname()} Orthopaedics", f"VA {c}",
                     f"{c} VAMC", f"{n} Cancer Center", f"{c} Heart Institute", f"{n} Nursing Home", f"{c} Rehab", f"Royal {c} Infirmary", f"{c} Surgery", f"{c} Urgent Care",
                     f"{c} Children's", f"{c} Regional", f"{n} Memorial Hospital", f"{c} ED", f"{self.pick(('MGH','UCSF','BIDMC','NYP','UPMC','CHOP','RCH','GRI','QEH','UCLH','BWH','JPH','OSH','LGH'))}",
                     f"{c} Imaging", f"{c} Hospice", f"{n} House", f"{c} Skilled Nursing", f"{c} Pain Clinic", f"{c} Eye Associates", f"{c} Dialysis"))  # fmt: skip
        return s.upper() if self.chance(0.08) else s

    @staticmethod
    def proper_case(s: str) -> str:
        return " ".join(w.capitalize() if w.isupper() and len(w) > 3 else w for w in s.split(" "))

    def ward(self) -> str:
        """A ward, bed or room."""
        n, m = self.rng.randint(1, 12), self.rng.randint(1, 499)
        if self.lang == "de":
            return self.pick((f"Station {n}", f"Station {n}{self.pick('ABCDab')}", f"Station {self.pick('ABCDEM')}{m}", f"Stat. {n}", f"ITS {n}", f"ITS {n} Bett {m % 20 + 1}", f"IMC {n}", f"Zimmer {m}", f"Zi. {m}",
                f"Zi {m}", f"Bett {m % 4 + 1}", f"Zi. {m} Bett {m % 3 + 1}", f"{self.pick('ABCDEM')}{n}.{m % 9}", f"Intensivstation {n}", f"IPS {n}", f"Station {n} {self.pick(('Nord','Süd','West','Ost'))}",
                f"{self.pick('ABCDEKP')}{n}-{self.pick(('Süd','Nord','West','Ost'))}", f"Box {n}", f"Raum {self.pick('ABEU')} {m}", f"OP {n}", f"OP-Saal {n}", f"Kreißsaal {n}", f"Ambulanz {n}", f"Stroke Unit Bett {n}",
                f"Station {self.pick(('Rose','Ahorn','Linde','Birke','Sauerbruch','Virchow','Elisabeth'))}", f"Ebene {n}, Raum {m}", f"Aufwachraum {n}", f"{self.pick(('CPU','ZNA','INA','NFA'))} {n}", f"{m}/{n % 4 + 1}", f"St. {n}{self.pick('abc')}"))  # fmt: skip
        return self.pick((f"{n} {self.pick(('North','South','East','West'))}", f"{n}{self.pick(('W','E','N','S'))}", f"{n}{self.pick(('W','E'))}-{m}", f"Room {m}", f"Rm {m}", f"room {m}{self.pick('ABab')}", f"Bed {m % 30 + 1}", f"bed {m % 30 + 1}",
            f"ICU {n}", f"MICU Bed {n}", f"SICU {n}", f"Ward {n}", f"Ward {n}{self.pick('ABC')}", f"OR {n}", f"OR{n}", f"Theatre {n}", f"Bay {n}", f"Bay {self.pick('ABCD')} bed {n}", f"ED {m % 40}", f"Trauma Bay {n}", f"{n} {self.pick(('Tower','Pavilion','East'))} {m}",
            f"LDR {n}", f"NICU pod {self.pick('ABC')}", f"CCU-{n}", f"Main {n}", f"{self.pick(('Majors','Resus','Minors'))} {n}", f"{self.pick(('Oak','Rowan','Nightingale','Lister'))} Ward", f"Unit {n}{self.pick('ABC')}", f"{self.pick(('Farley','Kinau','Ellison','Blake'))} {n}"))  # fmt: skip

    def organisation(self) -> str:
        c, n = re.sub(r"\s*[(,/].*", "", self.city()), self.simple_surname()
        if self.lang == "de":
            if self.chance(0.35):
                full = self.pick(column("de_health_insurers"))
                short = self.pick(("AOK", "TK", "Barmer", "DAK", "IKK classic", "KKH", "HEK", "hkk", "Knappschaft", "Debeka", "Allianz", "ÖGK", "SVS", "BVAEB", "CSS", "Helsana", "Swica", "Concordia",
                    "Sanitas", "Visana", "SBK", "VdK", "AOK Plus", "AOK Bayern", "BKK", "SUVA", "AUVA", "PVA", "DRV Bund", "BG Bau", "BGW", "Atupri", "KPT", "Assura", "Signal Iduna", "Axa", "HUK", f"AOK {c}", f"BKK {n}"))  # fmt: skip
                return self.pick((full, short, short))
            return self.pick((f"Fa. {n}", f"{n} GmbH", f"{n} AG", f"{n} & Söhne", f"Grundschule {c}", f"Gymnasium {c}", f"Kita {self.pick(('Sonnenschein','Regenbogen','Villa Kunterbunt','Spatzennest'))}", f"{self.pick(('Löwen','Stadt','Rats','Hirsch','Adler','Bären'))}-Apotheke",
                f"Apotheke am {self.pick(('Markt','Ring','Bahnhof'))}", f"Sanitätshaus {n}", f"Labor Dr. {n}", f"Pflegedienst {n}", f"Caritas {c}", f"Diakonie {c}", f"DRK {c}", f"Rettungsdienst {c}", f"Amtsgericht {c}", f"Jugendamt {c}", f"Bäckerei {n}",
                f"Stadtwerke {c}", f"Deutsche Bahn", "Siemens", "Thyssen", "VW", "BASF", "Migros", "Coop", "ÖBB", "voestalpine", "Aldi", "Bosch", f"Universität {c}", f"TSV {c}", f"FF {c}", f"Labor {c}", f"Lebenshilfe {c}", f"Sparkasse {c}", f"Polizei {c}", f"MDK {c}"))  # fmt: skip
        return self.pick((f"{n} Inc.", f"{n} & Sons", f"{c} Elementary", f"{c} High School", f"{n} Trucking", f"{c} Pharmacy", "Walgreens", "CVS", "Walmart", "Amazon", "Aetna", "Medicare", "Medicaid", "Cigna", "Blue Cross", "BCBS", "Humana", "Kaiser",
            "UnitedHealthcare", "Bupa", "Tricare", f"{c} Health Plan", f"{n} Insurance", f"{c} EMS", f"{c} Fire Dept", f"{c} Police Department", "LabCorp", "Quest", f"{c} Pathology", f"{c} Community College", f"University of {c}", f"{n} Foundation", "Boeing", "Ford",
            "UPS", "FedEx", "Tesco", "Medtronic", f"{n} Logistics", f"First Baptist Church of {c}", f"{c} Unified School District", f"{n} Dental Lab", f"{n} Home Care", f"{c} Hospice Care", f"{c} Steel", f"{n}'s Garage", "U.S. Army", "Boots", f"{c} United"))  # fmt: skip

    def landmark(self) -> str:
        c, n = self.city(), self.simple_surname()
        if self.lang == "de":
            return self.pick((f"Postfach {self.rng.randint(10, 9999)}", f"{n}-Park", f"Flughafen {c}", f"{c}er Tal", f"Haus {self.pick('ABCDE')}, Ebene {self.rng.randint(0, 5)}", f"Gebäude {self.rng.randint(1, 80)}", f"Bahnhof {c}", f"{n}-Halle", f"Schloss {c}", f"B{self.rng.randint(1, 500)}", f"A{self.rng.randint(1, 99)}", f"{c}er See", f"Marktplatz {c}"))  # fmt: skip
        return self.pick((f"P.O. Box {self.rng.randint(10, 9999)}", f"Lake {n}", f"{n} Park", f"{c} Airport", f"Building {self.rng.randint(1, 80)}", f"{n} Hall", f"Highway {self.rng.randint(1, 99)}", f"I-{self.rng.randint(5, 95)}", f"Mount {n}", f"{n} County Fairgrounds", f"Suite {self.rng.randint(1, 900)}", f"the {n} Building", f"{c} Mall"))  # fmt: skip

    # work

    def job(self) -> str:
        if self.lang == "de":
            s = self.pick(column("occupations_de_faker", self.pick("mf")) or column("occupations_de_faker"))
            s = re.sub(r"\s*\(.*", "", s)
            return s if len(s) < 45 else self.pick(("Maurer", "Lehrerin", "Landwirt", "Köchin"))
        s = self.pick(column(self.pick(("occupations_en_faker", "occupations_en_corpora", "occupations_en_corpora"))))
        s = re.sub(r"\s*[(,].*", "", s)
        return s if self.chance(0.15) else s.lower()

    def status(self) -> str:
        if self.lang == "de":
            return self.pick("""berentet|arbeitslos|Rentner|Rentnerin|pensioniert|in Rente|Frührentner|erwerbsunfähig|arbeitsunfähig|krankgeschrieben|selbstständig|Hausfrau|Schüler|Schülerin|Student|Studentin|in Elternzeit|EU-Rente|Altersrente|Erwerbsminderungsrente|
AU|emeritiert|in Altersteilzeit|arbeitssuchend|Azubi|in Ausbildung|teilzeitbeschäftigt|verrentet|Frührente|Invalidenrente|IV-Rente|in Pension|Pensionist|Pensionistin|Bürgergeld|ohne Arbeit|beurlaubt|in Umschulung|Freiberufler|Witwenrente|Minijob""".replace("\n", "").split("|"))
        return self.pick("""retired|unemployed|on disability|disabled|homemaker|student|on medical leave|on SSDI|self-employed|semi-retired|laid off|on FMLA|works part time|housewife|stay-at-home mother|on workers' comp|out of work|between jobs|pensioner|on sick leave|
works full time|full-time student|receiving SSI|on unemployment|on maternity leave|early retirement|retiree|part-time|furloughed|on light duty""".replace("\n", "").split("|"))

    def fame(self) -> str:
        """A fact that gives a person away without a name."""
        c = self.city()
        if self.lang == "de":
            role = self.pick(("Bürgermeister", "Ortsvorsteherin", "Weinkönigin", "Landrat", "Schützenkönig", "Olympiasiegerin", "Skirennläufer", "Bundesligaspieler",
                "Fernsehkoch", "Domkantor", "Landtagsabgeordnete", "Nationalspielerin", "Schlagersänger", "Karnevalsprinz", "Bergführerin", "Äbtissin", "Stadtarchivar", "Gründer der Molkerei",
                "Tatort-Kommissar", "Hoteldirektor", "Dirigent der Stadtkapelle", "Präsidentin des Turnvereins", "Gemeinderätin", "Feuerwehrkommandant"))  # fmt: skip
            return self.pick((f"ehemaliger {role}", f"früherer {role} von {c}", f"{role} der Gemeinde", f"bekannt aus dem Fernsehen als {role}", f"Sohn des früheren {role}s", f"Tochter der {role}",
                f"Zwillingsbruder des {role}s", f"der einzige {role} im Tal", f"{role} {self.year()}", f"Witwe des {role}s", f"stadtbekannter {role}", f"sitzt im Stadtrat", "bekannt aus der Presse",
                f"erster {role} der Stadt", f"Mitglied der Nationalmannschaft", f"{role} und Ehrenbürger"))  # fmt: skip
        role = self.pick(("mayor", "weatherman", "Olympic rower", "state senator", "town crier", "lottery winner", "rodeo champion", "morning-show host", "county sheriff", "church organist",
            "voice of the local radio", "minor league pitcher", "prima ballerina", "astronaut", "homecoming queen", "television chef", "city councillor", "hurling captain", "lighthouse keeper"))  # fmt: skip
        return self.pick((f"the former {role}", f"former {role} of {c}", f"known from TV as the {role}", f"the {role}'s daughter", f"twin sister of the {role}", f"the only {role} in town", f"first female {role}",
            f"the {self.year()} {role}", f"widow of the {role}", f"was the {role}", f"famous in town as the {role}", f"ex-{role}", f"sits on the town council"))  # fmt: skip

    # dates and ages

    def year(self, birth=False) -> int:
        return self.rng.randint(1923, 2021) if birth else self.pick((self.rng.randint(2005, 2026), self.rng.randint(2015, 2026), self.rng.randint(1958, 2026)))

    def number_word(self, n: int) -> str:
        if n < 20:
            return NUMBERS[self.lang][n]
        t, u = divmod(n, 10)
        if self.lang == "de":
            return (("ein" if u == 1 else NUMBERS["de"][u]) + "und" if u else "") + TENS["de"][t]
        return TENS["en"][t] + ("-" + NUMBERS["en"][u] if u else "")

    def age(self) -> str:
        n = self.pick((self.rng.randint(1, 17), self.rng.randint(18, 99), self.rng.randint(40, 99), self.rng.randint(40, 92)))
        return self.number_word(n) if self.chance(0.08) else str(n)

    def birthdate(self) -> str:
        return self.date(birth=True)

    def date(self, birth: bool = False) -> str:
        """A date in one of the ways in which clinicians write them, words and fragments included."""
        d, m, y = self.rng.randint(1, 28), self.rng.randint(1, 12), self.year(birth)
        yy = f"{y % 100:02d}"
        if self.lang == "de":
            full = (f"{d:02d}.{m:02d}.{y}", f"{d:02d}.{m:02d}.{y}", f"{d}.{m}.{y}", f"{d:02d}.{m:02d}.{yy}", f"{d}.{m}.{yy}", f"{d}. {MONTHS['de'][m-1]} {y}", f"{d:02d}. {MONTHS['de'][m-1]} {y}", f"{d}. {m}. {y}",
                    f"{y}-{m:02d}-{d:02d}", f"{d:02d}/{m:02d}/{y}", f"{d}. {MONTHS['de3'][m-1]} {y}", f"{d:02d}-{m:02d}-{y}", f"{d:02d}{m:02d}{y}")  # fmt: skip
            if birth:
                return self.pick(full)
            w = self.pick(WEEKDAYS["de"])
            part = (f"{d:02d}.{m:02d}.", f"{d}.{m}.", f"{d}.{m}", f"{m:02d}/{y}", f"{m}/{yy}", f"{y}", f"{y}", f"{MONTHS['de'][m-1]} {y}", MONTHS["de"][m - 1], f"{d}. {MONTHS['de'][m-1]}", f"'{yy}", f"KW {self.rng.randint(1, 52)}", f"KW{self.rng.randint(1, 52)}/{y}",
                    f"{self.pick(HOLIDAYS['de'])} {y}", f"{self.pick(HOLIDAYS['de'])}", f"{self.pick(HOLIDAYS['de'])} {yy}", f"{w}, {d:02d}.{m:02d}.", f"{w}, den {d}. {MONTHS['de'][m-1]}", f"{self.pick(WEEKDAYS['de2'])} {d}.{m}.", f"Q{self.rng.randint(1, 4)}/{y}",
                    f"Anfang {MONTHS['de'][m-1]}", f"Mitte {y}", f"Ende {MONTHS['de'][m-1]} {y}", f"{ORDINALS_DE[d-1]} {MONTHS['de'][m-1]}", f"{MONTHS['de3'][m-1]} {yy}", f"{m}-{y}", f"{y}er Jahre", f"{MONTHS['de'][m-1]} '{yy}", f"{d:02d}.{m:02d}.-{min(d+3, 30):02d}.{m:02d}.{y}")  # fmt: skip
        else:
            M, m3 = MONTHS["en"][m - 1], MONTHS["en3"][m - 1]
            th = f"{d}" + ("th" if 10 < d < 14 else {1: "st", 2: "nd", 3: "rd"}.get(d % 10, "th"))
            full = (f"{m:02d}/{d:02d}/{y}", f"{m}/{d}/{y}", f"{m}/{d}/{yy}", f"{m:02d}/{d:02d}/{yy}", f"{d:02d}/{m:02d}/{y}", f"{M} {d}, {y}", f"{d} {M} {y}", f"{d:02d}-{m3}-{y}", f"{m3} {d}, {y}", f"{y}-{m:02d}-{d:02d}", f"{m}-{d}-{yy}", f"{M} {th}, {y}", f"{d:02d}.{m:02d}.{y}", f"{d:02d}{m3.upper()}{y}", f"{d} {m3} {yy}")  # fmt: skip
            if birth:
                return self.pick(full)
            w = self.pick(WEEKDAYS["en"])
            part = (f"{m}/{d}", f"{m:02d}/{d:02d}", f"{m}-{d}", f"{y}", f"{y}", f"{M} {y}", M, f"{M} {th}", f"{m3} {d}", f"{m}/{y}", f"{m:02d}/{yy}", f"'{yy}", f"{self.pick(HOLIDAYS['en'])} {y}", self.pick(HOLIDAYS["en"]), f"{self.pick(('fall', 'spring', 'summer', 'winter'))} {y}", f"{self.pick(('fall', 'spring', 'summer', 'winter'))} {yy}",
                    f"{w}, {M} {d}", f"{self.pick(WEEKDAYS['en3'])} {m}/{d}", f"the {ORDINALS[d-1]} of {M}", f"{M} {ORDINALS[d-1]}", f"{M} the {th}", f"the {th}", f"early {y}", f"late {M}", f"mid-{M}", f"Q{self.rng.randint(1, 4)} {y}", f"{y // 10 * 10}s", f"week of {m}/{d}", f"{w} the {th}", f"{M} of {y}", f"{M} of {yy}", f"the {ORDINALS[d-1]}", f"{m3} '{yy}")  # fmt: skip
            part = tuple(p.removeprefix("the ") if p.startswith("the ") and p != "the Fourth of July" else p for p in part)
        return self.pick(full) if self.chance(0.5) else self.pick(part)


class Person:
    """One person with the forms in which a text may name them."""

    def __init__(self, values: Values, first: str, last: str, gender: str):
        self.v, self.first, self.last, self.gender = values, first, last, gender

    def full(self):
        middle = self.v.pick(("", "", "", f" {self.v.pick('ABCDEFGHJKLMRST')}."))
        return f"{self.first}{middle} {self.last}"

    def listed(self):
        return self.v.pick((f"{self.last}, {self.first}", f"{self.last} {self.first}", f"{self.last.upper()}, {self.first}", f"{self.last.upper()}, {self.first.upper()}", f"{self.last}, {self.first[0]}.", f"{self.last.upper()} {self.first.upper()}"))

    def short(self):
        return self.v.pick((f"{self.first[0]}. {self.last}", self.last, self.last, f"{self.first} {self.last[0]}.", f"{self.first[0]}{self.last[0]}"))

    def any(self):
        return self.v.pick((self.full(), self.full(), self.listed(), self.short(), self.last, self.first))


FOLD = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


def ascii_fold(text: str) -> str:
    """Umlauts as two letters, other accents dropped."""
    import unicodedata

    return "".join(c for c in unicodedata.normalize("NFD", text.translate(FOLD)) if not unicodedata.combining(c))
