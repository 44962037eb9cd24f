"""A first rules file for a raw table: what its names and values suggest, for a person to check.

Every guess stands beside the words "check this". What a column is called, or what its levels are,
is looked up in short lists of English words, and of a few in other languages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from keyword import iskeyword
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.terrain import tables
from facelift.terrain.feature import Feature, plain_name
from facelift.terrain.kinds import KINDS, kind_of
from facelift.terrain.preparing import ColumnReading, as_numbers, read_column
from facelift.terrain.rules import as_toml, key_text
from facelift.terrain.terrain import Terrain

MOST_LEVELS, MANY_LEVELS, MOST_IN_ALL = 200, 50, 1000
"""Different values of a column of text from which on it holds names rather than levels.

Columns of more than the second are too many, too, where all columns have more than the third."""

OFTEN = 5
"""Rows that a level has, on average, where it is a level however many there are."""

FEW_ROWS, MANY_ROWS = 50, 1000
"""In fewer rows, whole numbers may well all differ; in so many, only identifiers do."""

NEARLY_ALL = 0.995
"""Share of the rows in which one column must not exceed another to be a requirement."""

BY_ITSELF = 0.95
"""What holds in this share of rows, were the two columns shuffled, is no requirement."""

FEW_VALUES = 10
"""A number with fewer different values is no amount to compare."""

TOLD_APART = 20
"""Different values from which on a column called a name or a number tells people apart."""

LEAST_AGE, MOST_AGE, MOST_SPENT = 18, 130, 65
"""An age, or a time spent, of which nobody has as much, or anybody more, is not told in years."""

CALENDAR = 1800, 2100
"""Whole numbers between these are years of the calendar where the column is called so."""

NOON = 12 * 3600
"""Seconds of half a day: clock times from then on are times of day rather than how long."""

CHECK = "check this"

_BLANK = {"", "?", "-", "--", ".", "n/a", "na", "#n/a", "null", "nil", "missing", "unknown"}
_ID = {"id", "ids", "key", "number", "nr", "no", "name", "uuid", "guid", "index", "email", "phone"}
_ID |= {"iban", "ssn", "address", "zip", "zipcode", "postcode"}
_NAMES = {"id", "ids", "nr", "name", "uuid", "guid", "email", "phone", "iban", "ssn", "address"}
_NAMES |= {"zip", "zipcode", "postcode", "plz", "nom", "nombre", "nazwisko", "adresse", "telefon"}
_NAMES |= {"firstname", "lastname", "surname", "fullname", "username", "vorname", "nachname"}
"""Last words of what tells one from another, and what nobody changes to be told yes."""


def _singular(word: str) -> str:
    """A word without the s of a plural: "kids", but not "religious" or "address"."""
    plural = len(word) > 3 and not word.endswith(("ss", "us"))
    return word.removesuffix("s") if plural else word


_WHO = """
sex gender male female race ethnicity ethnic ethn religion religious nationality citizenship
marital marriage married relationship widowed divorced foreign foreigner immigrant migrant
disability disabled pregnant native birthplace orientation caste
black white nonwhite nwhite hispanic hispan hisp latino latina asian caucasian indigenous
african afam citizen height menopause tongue
diabetes diabetic cancer tumor tumour hiv asthma stroke hypertension copd dementia depression
polio hepatitis colitis ulcer allergy allergie infection migraine arthritis bronchitis epilepsy
anemia anaemia tuberculosis pneumonia angina cirrhosis edema oedema ascites
symptom pain rash itch fever cough nausea headache
disease diseased illness ill sick disorder syndrome comorbidity diagnosis diagnosed
mother father parent hage fage mage motheduc fatheduc meduc feduc meducation feducation heducation
geschlecht rasse ethnie nationalität staatsangehörigkeit staatsbürgerschaft familienstand
behinderung ausländer herkunft geburtsort
sexe genre nationalité matrimonial handicap
sexo género raza etnia religión nacionalidad discapacidad
płeć rasa religia narodowość obywatelstwo
children child kid dkid dykid youngkid oldkid babie baby pregnancie pregnancy npreg dependent
sibling family partner spouse husband wife fiancé girlfriend boyfriend ehemann ehefrau
boy girl son daughter twin infant toddler preteen teen teenager household hhsize orphan
divorce separated cohabiting nation veteran refugee iq church mosque synagogue relig ideology
political freshman frosh sophomore chronic injury injured limited limitation impaired impairment
birth born dob birthday birthdate birthyear
kinder enfant hijo dzieci
"""
_HAPPENED = """
prior priors previous historical convicted conviction felon felony arrest arrested death died dead
deceased vorstrafe vorstrafen bankrupt bankruptcy evicted eviction foreclosure failure
prison jail sentence sentenced offence offense misdemeanor misdemeanour dismissed dismissal layoff
rejection refusal incident accident crash collision witness witnesse
"""
_TOGETHER = (
    {"home", "language"}, {"first", "language"}, {"first", "name"}, {"last", "name"},
)  # fmt: skip
"""Words that say who somebody is only together."""
_KIN = re.compile(r"[a-z]*kid|n?child|(fath|moth)[a-z]*|(mom|dad)(ed|educ|my|dy)?")
_RANGES = "group|grp|cat|category|categorie|band|bracket|range|class|classe|month"
_AGE_NOW = re.compile(rf"age({_RANGES})")
_SOME_AGE = re.compile(rf"age(?!n|d$|less|ism$|ist$|ing$|({_RANGES})$)[a-z]+")
"""Words for children and parents, an age now, as "agegroup", and at some time, as "agefbrth"."""
_EVENTS_TOGETHER = (
    {"hospital", "stay"}, {"criminal", "record"}, {"public", "record"}, {"bad", "record"},
    {"police", "record"}, {"police", "report"}, {"drug", "history"}, {"medical", "history"},
    {"criminal", "history"},
)  # fmt: skip
"""Words that say what has happened only together."""

_PLACES = {"region", "country", "county", "province", "continent", "village", "urban", "rural"}
_PLACES |= {"northeast", "northwest", "southeast", "southwest", "midwest", "smsa", "bundesland"}
_LIVES = {"state", "city", "town", "north", "south", "east", "west", "residence"}
_BESIDE = {"home", "of", "code", "name", "big", "small", "land", "live", "in", "the"}
"""Words for where somebody lives; those that say so alone; and those that may stand beside."""
_EVERYBODYS = ({"unemployment", "rate"}, {"inflation"}, {"gdp"}, {"jobless", "rate"})
"""Words of what nobody decides for themselves."""

_DOCTORS = {"medication", "medicine", "prescription", "prescribed", "treatment", "therapy", "dose"}
_DOCTORS |= {"dosage", "insulin", "chemotherapy", "radiotherapy", "statin", "surgery"}
_DOCTORS |= {"histology", "histological", "biopsy", "lesion", "metastasis"}
_DOCTORS |= {"antidepressant", "medikament", "medikamente", "médicament", "medicamento"}
"""Words of what a doctor decides, and no letter."""

_HEALTH = {"health", "gesundheit", "santé", "salud", "zdrowie"}
_RATED = {"self", "rated", "general", "overall", "perceived", "physical", "mental", "status"}
_RATED |= {"state", "rating", "condition", "level", "score"}
"""Words beside which health is somebody's own; beside others it is an insurance or a service.

Whether more of it is better no name tells."""
_AGES = {"age", "agew", "ageh", "agesq", "ageyear", "alter", "âge", "edad", "wiek"}
_OLDER = """
tenure seniority experience exper ancienneté antigüedad staż betriebszugehörigkeit berufserfahrung
"""
_THINGS = {"account", "car", "vehicle", "house", "building", "loan", "credit", "company", "firm"}
_THINGS |= {"home", "trade", "file"}
"""Words of things that grow old, too: somebody can wait for that."""

_IDLE = {"unemployed", "jobless", "arbeitslo", "homeless", "obdachlo"}
"""What nobody is advised to be for longer (the s of a plural is off)."""
_MONTHS = {"january", "february", "april", "june", "july", "august", "september", "october"}
_MONTHS |= {"november", "december", "januar", "februar", "juni", "juli", "oktober", "dezember"}
_MONTHS |= {"janvier", "février", "avril", "juin", "juillet", "août", "septembre", "octobre"}
_MONTHS |= {"novembre", "décembre"}
_DATED = re.compile(r"(?<!\d)(19|20)\d\d(?!\d)")
"""A month or a year within a name says when something was, which is over."""
_LEVELS_OF_LANGUAGE = {"a1", "a2", "b1", "b2", "c1", "c2"}
_BESIDE_THESE = {"", "none", "no", "keine", "aucun", "ninguno", "native"}
"""How well somebody knows a language, and what else such a column says."""

_PERSONAL, _EVENTS = ({_singular(word) for word in text.split()} for text in (_WHO, _HAPPENED))
_PAST = dict.fromkeys([*_OLDER.split(), *_AGES], "years")
_PERSONS = (
    {"male", "female", "m", "f", "man", "men", "woman", "women", "other", "unknown"},
    {"white", "black", "asian", "hispanic", "latino", "african american", "other", "others"},
    {"single", "married", "divorced", "separated", "widowed", "never married"},
)
"""Levels that say who somebody is, whatever the column is called."""

_KINDS_OF = {"sex", "gender", "race", "religion", "geschlecht", "sexe", "sexo", "płeć"}
_KINDS_OF |= {"class", "group", "type", "kind"}
"""Last words of columns whose 0 and 1 are two kinds of something, rather than no and yes."""

_LEARNT = re.compile(
    r"edu(c[a-z]{,2}|cation|cate)|schooling|diploma|qualification|(schul|aus)?bildung"
    r"|schulabschluss|[^\W\d]*kenntnisse|éducation|educación|wykształcenie"
)
_NOT_LEARNT = {"hour", "day", "per", "during", "req", "required", "requirement", "job"}
"""Words beside which learning is a time, or wanted by somebody else."""
_MEASURED = {"level", "year", "yr", "of", "num", "number", "high", "highest", "completed"}
"""Words that may stand beside what is learnt; beside any other a school is a place."""
_GAIN = re.compile(
    r"incomes?|wage[a-z]?|salary|salarie|h?earn([a-z]|ing)?|saving|wealth|bonus"
    r"|[^\W\d]*(einkommen|gehalt)|revenu|ingreso|salario|dochód"
)
_SPENT = {"expenditure", "expense", "spending", "consumption", "rent", "debt", "loan"}
_WISHED = re.compile(r"wunsch[^\W\d]*|desired|expected|requested|asked|wanted")
"""Words for money that goes out, and beside which less of it makes nobody worse off."""
_BURDEN = re.compile(
    r"smok(e|er|ing)|drug|arrear|delinq(uen(t|cy|cie))?|overdue|unemployed|jobless|debt|alcohol"
    r"|homeless|arbeitslo|obdachlo"
    r"|drinking"
    r"|cig|cigarette|tobacco|schulden|raucher|mahnung|dette|deuda|dług"
)
_PAID_LATE = {"late", "missed", "overdue", "skipped"}
_PAYMENTS = {"payment", "instalment", "installment"}
_UNITS = {"month": "months", "year": "years", "yr": "years", "yrs": "years", "day": "days"}
_UNITS |= {"week": "weeks", "hour": "hours", "minute": "minutes", "min": "minutes"}
_SAME = dict.fromkeys(["seit", "depuis", "desde"], "since")
_SAME |= dict.fromkeys(["monate", "monaten", "mois", "meses", "miesiące", "miesięcy"], "months")
_SAME |= dict.fromkeys(["jahre", "jahren", "ans", "années", "años", "lata", "lat"], "years")
"""Words of time in other languages."""
_SHARES = {"percent", "pct"}
_RATIO = _SHARES | {"to", "per", "ratio", "rate"}
"""Words beside which an income is what something else is divided by."""
_WINDOW = {"last", "past", "previous", "next", "new", "per", "each", "every", "within"}
"""Words after which a time says when something was counted, and is no unit."""

_SCALES: tuple[tuple[str, ...], ...] = (
    ("no|n|false|f", "yes|y|true|t"),
    ("none|nothing|no", "very low|tiny", "low|little|small|light|mild|slight",
     "mid|middle|medium|moderate|some", "high|large|much|big|heavy|vigorous|intense|severe",
     "very high|huge|very severe|extreme"),
    ("never", "rarely|seldom", "sometimes|occasionally", "often|frequently", "usually", "always"),
    ("very bad|very poor|terrible", "bad|poor", "fair|average|ok|medium", "good", "very good",
     "excellent|outstanding"),
    ("unskilled", "semi skilled", "skilled", "highly skilled"),
    ("none|no|keine|aucun|ninguno", "a1", "a2", "b1", "b2", "c1", "c2", "native"),
    ("trainee|intern", "junior", "mid|regular", "senior", "lead|principal"),
    ("preschool|none|no school", "primary|elementary|1st 4th", "5th 6th", "7th 8th|middle school",
     "9th", "10th", "11th", "12th|secondary", "hs grad|high school|highschool", "some college",
     "assoc voc|vocational", "assoc acdm|associate|tertiary", "bachelors|bachelor|college|graduate",
     "masters|master|postgraduate|graduate school|university", "prof school|professional",
     "doctorate|phd|doctoral"),
    ("ohne abschluss|kein abschluss", "hauptschule|volksschule", "realschule|mittlere reife",
     "fachabitur|fachhochschulreife", "abitur|matura", "studium|hochschule|universität"),
)  # fmt: skip
"""Levels from the least to the most; each a few words for the same."""

_GRADES = {"stage", "grade", "level", "tier", "stufe", "grad", "stade", "niveau", "nivel"}
"""What is numbered from less to more; zones, types and groups are just numbered."""

_LEAST = re.compile(r"\b(no|none|not|never|unemployed|without|zero)\b")
_HARM = re.compile(
    r"(?<!\bno )(?<!\bnot )(?<!\bnon )(?<!\bnever )(?<!\bwithout )(?<!\bex )(?<!\bformer )"
    r"\b(unemployed|jobless|unskilled|homeless|bankrupt(cy)?|critical|delinquent|arrears|overdue"
    r"|retired|pensioner|smoker|smokes|arbeitslos|arbeitssuchend|rentner(in)?)\b"
)
_HABIT = re.compile(r"smok(e|er|ing)|alcohol|drink(er|ing)?|tobacco|drug")
_NEVER, _ONCE, _NOW = {"never", "no"}, {"former", "formerly", "ex", "past", "quit"}, {"current"}
_NOW |= {"currently", "now", "yes"}
"""Whether somebody has a habit: who once had it can never again be somebody who never had."""
_ABOVE = re.compile(r">|\d\s*\+|\b(over|above|more)\b")
_BELOW = re.compile(r"<|\b(under|below|less|up to|fewer)\b")


@dataclass
class Draft:
    """The table of one column: settings, and why they are as they are; what it was taken for."""

    reading: ColumnReading = field(default_factory=ColumnReading)
    settings: dict[str, Any] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    kind: str = ""
    levels: tuple[Any, ...] = ()

    def add(self, why: str = "", **settings: Any) -> None:
        """Set something, and say why."""
        self.settings.update(settings)
        if why:
            self.why[next(iter(settings))] = why

    def text(self, name: Hashable) -> str:
        """The table as TOML."""
        lines = [f"[{key_text(str(name))}]"]
        for key, value in self.settings.items():
            why = f"  # {self.why[key]}" if key in self.why else ""
            lines.append(f"{key} = {as_toml(_short(value))}{why}")
        return "\n".join(lines) + "\n"


def draft_rules(X: Any, target: Hashable | None = None) -> str:
    """A rules file for a raw table, as text: guesses from names and values, each marked.

    Parameters
    ----------
    X
        The table as it is.
    target
        The column of the outcome, which gets no rules.

    Returns
    -------
    str
        What `prepare` and `read_rules` accept as it stands.

    Examples
    --------
    >>> X = pd.DataFrame({"id": range(60), "age": [30, 40, 50] * 20, "paid": ["$1,200.00"] * 60})
    >>> print(draft_rules(X).partition("[id]")[2])
    <BLANKLINE>
    leave_out = true  # differs in every row: check this
    <BLANKLINE>
    [age]
    change = "never"  # gets older: check this
    personal = true
    label = "Age"
    unit = "years"
    ages = { amount = 1, per = "year" }  # check this
    span = 20
    levels = [30, 40, 50]
    <BLANKLINE>
    [paid]
    change = "any"
    label = "Paid"
    span = 1
    levels = [1200]
    <BLANKLINE>
    """
    return drafted(X, target).text()


@dataclass
class Drafted:
    """What is guessed of every column of a table, and requirements between columns, as TOML."""

    columns: dict[Hashable, Draft]
    required: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The rules file."""
        parts = (draft.text(name) for name, draft in self.columns.items())
        return "\n".join([_HEAD, *self.required, *parts])


def drafted(X: Any, target: Hashable | None = None) -> Drafted:
    """The same as `draft_rules` gives, column by column, before it is text.

    >>> found = drafted(pd.DataFrame({"age": [30, 40, 50] * 20}))
    >>> found.columns["age"].settings["change"], found.columns["age"].why["change"]
    ('never', 'gets older: check this')
    """
    whole, _ = tables.describe(X)
    frame = whole.drop(columns=[] if target is None else [target])
    tables.check_unique(frame.columns)
    drafts: dict[Hashable, Draft] = {name: _read(name, frame[name]) for name in frame.columns}
    ready = _ready(frame, drafts)
    for name, n in too_many_levels(ready).items():
        _leave_out(drafts[name], f"{n:,} different values")
    telling = [] if target is None else _telling(frame, whole[target])
    for name, same in telling:
        if same:
            _leave_out(drafts[name], "says the same as the outcome")
    dates = [name for name in ready.columns if drafts[name].reading.read == "date"]
    for name in _following(_ready(frame, drafts).drop(columns=dates)):
        _leave_out(drafts[name], "follows from another column")
    ready = ready[[name for name in ready.columns if not drafts[name].reading.leave_out]]
    required: list[str] = []
    if ready.shape[1]:
        terrain = Terrain.infer(ready)
        for feature in terrain.features:
            draft = drafts[feature.name]
            draft.kind, draft.levels = feature.kind, feature.levels
            _guess(draft, feature)
        for name, _ in telling:
            if "change" in drafts[name].settings:
                drafts[name].why.setdefault("change", f"{_TELLS}: {CHECK}")
        _share_period(drafts.values())
        units = {str(name): draft.settings.get("unit") for name, draft in drafts.items()}
        required = _requirements(ready, terrain, units)
    return Drafted(drafts, required)


_TELLS = "tells the outcome alone, leave it out if it came after"


def _telling(frame: pd.DataFrame, outcome: pd.Series[Any]) -> list[tuple[Hashable, bool]]:
    """Columns of which every value, or every range, has one outcome; whether each is its copy."""
    known = outcome.notna()
    n = outcome.nunique()
    if not 2 <= n <= FEW_VALUES or outcome.value_counts().min() < OFTEN or known.sum() < FEW_ROWS:
        return []
    found: list[tuple[Hashable, bool]] = []
    for name in frame.columns:
        there = known & frame[name].notna()
        column, said = frame[name][there], outcome[there]
        if said.nunique() < n or said.value_counts().min() < OFTEN:
            continue
        n_values = column.nunique()
        alone = n_values * OFTEN <= len(column) and said.groupby(column).nunique().max() == 1
        if alone or (pd.api.types.is_numeric_dtype(column.dtype) and _apart_by(column, said)):
            found.append((name, bool(alone and n_values == n and there.sum() == known.sum())))
    return found


def _apart_by(column: pd.Series[Any], outcome: pd.Series[Any]) -> bool:
    """Whether each outcome has a range of its own."""
    ends = column.groupby(outcome).agg(["min", "max"]).sort_values("min").to_numpy()
    return bool((ends[:-1, 1] < ends[1:, 0]).all())


def _following(ready: pd.DataFrame) -> list[Hashable]:
    """Numbers in the same order as others: copies, squares or logarithms of one that stays.

    Of copies the one with the longest name stays, else the first.
    """
    groups: dict[bytes, list[Hashable]] = {}
    for name in ready.columns:
        column = ready[name]
        if pd.api.types.is_numeric_dtype(column.dtype) and column.nunique() >= FEW_VALUES:
            ranks = column.rank(method="dense").fillna(0).astype(np.int64)
            groups.setdefault(ranks.to_numpy().tobytes(), []).append(name)
    found: list[Hashable] = []
    for first, *others in groups.values():
        same = [name for name in others if ready[name].equals(ready[first])]
        stays = max([first, *same], key=lambda name: len(str(name)))
        found += [name for name in (first, *others) if name != stays]
    return found if len(ready) >= FEW_ROWS else []


def too_many_levels(frame: pd.DataFrame) -> dict[Hashable, int]:
    """Columns of text with more different values than anybody chooses among, and how many.

    >>> too_many_levels(pd.DataFrame({"name": [f"Firm {i}" for i in range(300)], "size": 1}))
    {'name': 300}
    """
    text = frame.select_dtypes(exclude="number")
    counts: dict[Hashable, int] = {
        name: n
        for name in text.columns
        if (n := text[name].nunique()) <= MANY_LEVELS
        or (n * OFTEN > len(frame) and not known_as_it_is(name, text[name].dropna()))
    }
    few = {name: n for name, n in counts.items() if n <= MOST_LEVELS}
    most = MANY_LEVELS if sum(few.values()) > MOST_IN_ALL else MOST_LEVELS
    return {name: n for name, n in counts.items() if n > most}


def known_as_it_is(name: Hashable, there: pd.Series[Any]) -> bool:
    """Whether a terrain reads cells that are no numbers as numbers, such as dates and money.

    >>> known_as_it_is("c", pd.Series(["$5", "$6"])), known_as_it_is("c", pd.Series(["a", "b"]))
    (True, False)
    """
    plain = [kind for kind in KINDS.values() if not kind.has_levels]
    return any(kind.infer(name, there) is not None for kind in plain)


def _ready(frame: pd.DataFrame, drafts: Mapping[Hashable, Draft]) -> pd.DataFrame:
    """The table as these drafts would read it."""
    kept = {name: each.reading for name, each in drafts.items() if not each.reading.leave_out}
    return pd.DataFrame({name: read_column(frame[name], kept[name]) for name in kept})


_HEAD = """\
# A draft of rules for this table. Look at every line that says "check this", and at every
# change = "any": nothing speaks against it, as far as names and values tell.
# change: any, never, increase or decrease; price: 1 is ordinary; levels: numbers to stop at;
# span: the change that counts as 1. docs: how-to/rule-out-changes.
"""


def _read(name: Hashable, column: pd.Series[Any]) -> Draft:
    """How the column becomes one of a terrain: left out, with codes, or read as something else."""
    draft = Draft()
    there = column.dropna()
    if there.empty:
        _leave_out(draft, "holds no value")
    elif pd.api.types.is_numeric_dtype(column.dtype):
        _read_numbers(draft, name, there)
    elif not known_as_it_is(name, there):
        _read_text(draft, name, there.astype(str).str.strip())
    return draft


def _leave_out(draft: Draft, why: str) -> None:
    draft.reading = ColumnReading(leave_out=True)
    draft.settings.clear()
    draft.add(f"{why}: {CHECK}", leave_out=True)


def _read_numbers(draft: Draft, name: Hashable, there: pd.Series[Any]) -> None:
    if pd.api.types.is_bool_dtype(there.dtype):
        return
    if numbers_rows(name, there):
        _leave_out(draft, "differs in every row")
    elif _tells_apart(name, there):
        _leave_out(draft, "names somebody or something")
    elif codes := special_codes(there.to_numpy(dtype=np.float64)):
        draft.reading = ColumnReading(codes=codes)
        draft.add(f"far from all others, may mean missing: {CHECK}", codes=codes)


def numbers_rows(name: Hashable, column: pd.Series[Any]) -> bool:
    """Whether a column of whole numbers that all differ looks like an identifier.

    So many numbers so close together, none of them twice, are no accident.

    >>> numbers_rows("loan_id", pd.Series(range(100))), numbers_rows("age", pd.Series([30, 31]))
    (True, False)
    """
    whole = column.dtype.kind in "iu"
    if column.dtype.kind == "f":  # as a file of other software may have it
        whole = bool(column.is_monotonic_increasing and (column % 1 == 0).all())
    if not whole or len(column) < FEW_ROWS or not column.is_unique:
        return False
    named = bool(_ID & set(_words(name)))
    dense = column.max() - column.min() < 2 * len(column)
    return bool(dense or column.is_monotonic_increasing) or named or len(column) >= MANY_ROWS


def _tells_apart(name: Hashable, there: pd.Series[Any]) -> bool:
    """Whether text or whole numbers are names by what the column is called."""
    words = _words(name)
    named = not _NAMES.isdisjoint(words[-1:]) and not _past(words) and there.dtype.kind not in "fc"
    return named and there.nunique() > TOLD_APART


def special_codes(values: Floats) -> list[int]:
    """Numbers such as -9 or 999 that stand apart from all others, and do so more than once.

    >>> special_codes(np.array([0, 1, 2, 3, 4, 5, 6, 7, 9, -8, -8, -9, -9.0]))
    [-9, -8]
    >>> special_codes(np.array([30, 35, 41, 52, 999, 999.0])), special_codes(np.arange(-2, 9.0))
    ([999], [])
    """
    distinct, counts = np.unique(values, return_counts=True)
    coded = np.array([_may_be_code(value) for value in distinct.tolist()])
    low, high = int(np.argmin(coded)), int(np.argmin(coded[::-1]))
    found: list[int] = []
    for group, rest in (
        (distinct[:low], distinct[low:]),
        (distinct[len(distinct) - high :], distinct[: len(distinct) - high]),
    ):
        often = counts[np.isin(distinct, group)].sum()
        if len(group) and len(rest) > 2 and often > 1 and _apart(group, rest):
            found += [int(code) for code in group]
    return found


def _may_be_code(value: float) -> bool:
    """Nines, eights or sevens only, at least two of them if positive; or -1."""
    if not float(value).is_integer():
        return False
    digits = str(abs(int(value)))
    alike = set(digits) <= {"9"} or (value < 0 and len(set(digits)) == 1 and digits[0] in "789")
    return value == -1 or (alike and (value < 0 or len(digits) > 1))


def _apart(group: Floats, rest: Floats) -> bool:
    """Whether codes are negative where nothing else is and leave a gap, or lie far beyond all."""
    gap = rest[0] - group[-1] if group[-1] < rest[0] else group[0] - rest[-1]
    if group[-1] < 0 <= rest[0]:
        return bool(gap > 3 * np.median(np.diff(rest)))
    return bool(gap > rest[-1] - rest[0])


def _read_text(draft: Draft, name: Hashable, cells: pd.Series[Any]) -> None:
    counts = cells.value_counts()
    levels = [str(level) for level in counts.index]
    blank = [level for level in levels if level.lower() in _BLANK]
    said = cells[~cells.isin(blank)]
    left = [level for level in levels if level not in blank]
    for read in (None, "percent", "date", "money"):
        odd = _odd(left, read)
        if counts[odd].sum() <= 0.05 * len(said) and len(odd) <= 5 and len(odd) < len(left):
            _read_as(draft, read, said[~said.isin(odd)], blank + odd)
            return
    if not left:
        _leave_out(draft, "says nothing")
    elif len(cells) >= FEW_ROWS and len(left) > max(MANY_LEVELS, len(cells) / 2):
        _leave_out(draft, f"{len(left):,} different values in {len(cells):,} rows, as names have")
    elif _tells_apart(name, said):
        _leave_out(draft, "names somebody or something")
    elif blank:
        draft.reading = ColumnReading(codes=blank)
        draft.add(f"may mean missing: {CHECK}", codes=blank)


def _odd(levels: Sequence[str], read: str | None) -> list[str]:
    """Levels that are no number, or none when read as money, percent or dates."""
    if read is None:
        numbers = pd.to_numeric(pd.Series(levels, dtype=object), errors="coerce").tolist()
    else:
        numbers = as_numbers(levels, read)
    return [level for level, number in zip(levels, numbers, strict=True) if math.isnan(number)]


def _read_as(draft: Draft, read: str | None, cells: pd.Series[Any], odd: list[str]) -> None:
    if read is None:
        odd = odd + [str(code) for code in special_codes(pd.to_numeric(cells).to_numpy(float))]
    draft.reading = ColumnReading(codes=odd, read=read)
    if read is not None:
        draft.add(f"text such as {as_toml(str(cells.iloc[0]))}", read=read)
    if odd:
        draft.add(f"not like the rest, may mean missing: {CHECK}", codes=odd)
    if read == "percent":
        draft.settings["unit"] = "%"
    signs = re.findall("[$€£¥₹]", str(cells.iloc[0]))
    if read == "money" and signs:
        draft.settings["unit"] = signs[0]


def _guess(draft: Draft, feature: Feature) -> None:
    """What may change and how, by the name of a column and by its levels."""
    words = _words(feature.name)
    unit = draft.settings.pop("unit", "") or _unit(feature, words)
    draft.add(**_changes(draft, feature, words))
    draft.add(label=plain_name(str(feature.name)))
    if feature.has_levels:
        _guess_order(draft, feature)
        _guess_harm(draft, feature)
        if feature.has_order or "order" in draft.settings:
            _guess_loss(draft, words)
        return
    if feature.stops == (0, 1) and _KINDS_OF.isdisjoint(words[-1:]):
        _guess_loss(draft, words)
        draft.add(values={"0": "no", "1": "yes"})
        return
    past, most = _past(words), MOST_AGE if _is_age(words) else MOST_SPENT
    if not unit and (past != "years" or LEAST_AGE <= feature.high <= most):  # logarithms are none
        unit = past
    if unit and not _is_when(feature, words):
        draft.add(unit=unit)
    if feature.kind == "date":
        return
    _guess_time(draft, words, unit.removesuffix("s"))
    _guess_loss(draft, words)
    draft.add(span=float(f"{feature.span:.6g}"), levels=list(feature.stops))


def _unit(feature: Feature, words: Sequence[str]) -> str:
    """The unit that a name says: "months_employed", but not "calls last year" or "last 12 months".

    Of a singular such as "pay_month" nobody knows whether it counts months or says which.
    """
    if not _SHARES.isdisjoint(words):
        return "%" if feature.high > 1 else ""
    for place, (word, plural) in enumerate(zip(words, _bare_words(feature.name), strict=True)):
        after = words[place + 1 :]
        before = [each for each in words[:place] if not each.isdigit()]  # "last 5 years"
        alone = not after or after[0] in _BETWEEN or place == 0
        several = word in _UNITS and plural.endswith("s")
        if several and alone and _WINDOW.isdisjoint(before[-1:]):
            return _UNITS[word]
    return ""


def _changes(draft: Draft, feature: Feature, words: list[str]) -> dict[str, Any]:
    past = "" if _is_when(feature, words) else _past(words)
    if _has_happened(feature, words, past):
        draft.why["change"] = f"has happened already: {CHECK}"
        return {"change": "never", "personal": True}  # nobody is told that undoing it would help
    if _is_age(words):
        draft.why["change"] = f"gets older: {CHECK}"
        return {"change": "never", "personal": True}
    if not feature.has_levels and past and words[-1] not in _PERSONAL - _SINCE:
        draft.why["change"] = f"gets older: {CHECK}"
        return {"change": "increase"}
    single = words == ["single"] and feature.has_levels
    who = not _PERSONAL.isdisjoint(_without_shared_money(words))
    who = who and words[-1:] != ["satisfaction"]
    who = who or _is_health(words) or any(pair <= set(words) for pair in _TOGETHER)
    who = who or any(map(_KIN.fullmatch, words))
    if who or single or _of_persons(feature):
        draft.why["change"] = f"says who somebody is: {CHECK}"
        return {"change": "never", "personal": True}
    if not _DOCTORS.isdisjoint(words):
        draft.why["change"] = f"is for a doctor to decide: {CHECK}"
        return {"change": "never", "personal": True}
    if any(pair <= set(words) for pair in _EVERYBODYS):
        draft.why["change"] = f"is not theirs to change: {CHECK}"
        return {"change": "never"}
    if _is_place(feature, words):
        draft.why["change"] = f"says where somebody lives: {CHECK}"
        return {"change": "never"}
    if "date" in (draft.reading.read, feature.kind) or _is_when(feature, words):
        when = "a time of day" if _is_time_of_day(feature) else "a date"
        draft.why["change"] = f"{when}: {CHECK}"
        return {"change": "never"}
    if (past or _counts_years(feature, words)) and _has_scale(feature):
        draft.why["change"] = f"gets older: {CHECK}"
        return {"change": "increase"}
    if _is_learnt(words) or _is_language(feature):
        scale = _has_scale(feature)
        lacks = "" if scale else ", which is more nobody knows"
        draft.why["change"] = f"is not lost again{lacks}: {CHECK}"
        return {"change": "increase" if scale else "never"}
    return {"change": "any"}


def _has_happened(feature: Feature, words: Sequence[str], past: str) -> bool:
    """Whether a column says what is over: an event, a stay, an amount of some year or month."""
    said = set(words)
    if "at" in said and not _AGES.isdisjoint(said):
        return True
    if past and not _IDLE.isdisjoint(said):
        return True
    if "since" in said:  # grows while one waits
        return False
    refused = len(words) > 1 and not {"denied", "rejected", "refused"}.isdisjoint(said)
    dated = len(words) > 1 and not _MONTHS.isdisjoint(said)
    after = words[words.index("last") + 1] if "last" in words[:-1] else "name"
    last = after != "name" and not _is_window(after)
    return (
        refused
        or dated
        or last
        or _DATED.search(str(feature.name)) is not None
        or {"length", "stay"} <= said
        or not _EVENTS.isdisjoint(said)
        or any(pair <= said for pair in _EVENTS_TOGETHER)
        or any(map(_SOME_AGE.fullmatch, said - _AGES))
    )


def _without_shared_money(words: Sequence[str]) -> list[str]:
    """The words without those that say whose money it is: a household can come to earn more."""
    shared = any(map(_GAIN.fullmatch, words)) or not _SPENT.isdisjoint(words)
    return [word for word in words if not (shared and word in ("family", "household"))]


def _is_window(word: str) -> bool:
    """Whether a word after "last" makes it a time, as in "last 12 months"."""
    return word.isdigit() or word in _UNITS or word in ("quarter", "few")


def _is_place(feature: Feature, words: Sequence[str]) -> bool:
    """Whether a column says where somebody lives; of "land" only levels may be German states."""
    said = set(words)
    if said == {"land"}:
        return feature.has_levels and not _has_scale(feature)
    alone = not _LIVES.isdisjoint(said) or said == {"live", "in"}
    return not _PLACES.isdisjoint(said) or (alone and said <= _LIVES | _BESIDE)


def _is_language(feature: Feature) -> bool:
    """Whether levels say how well somebody knows a language, as no grade of credit such as A3."""
    levels = {str(level).strip().lower() for level in feature.levels}
    known = levels & _LEVELS_OF_LANGUAGE
    return len(known) > 1 and levels - known <= _BESIDE_THESE and _has_scale(feature)


def _has_scale(feature: Feature) -> bool:
    """Whether values have an order, or the words of levels say one."""
    return feature.has_order or guessed_order([str(level) for level in feature.levels]) is not None


def _counts_years(feature: Feature, words: Sequence[str]) -> bool:
    """Whether the levels are how long somebody has been employed, or has lived somewhere."""
    lasting = not {"employment", "employed", "residence", "occupation"}.isdisjoint(words)
    timed = [not {"year", "month"}.isdisjoint(_words(level)) for level in feature.levels]
    return lasting and len(timed) > 1 and sum(timed) >= len(timed) - 1


def _is_learnt(words: Sequence[str]) -> bool:
    """Whether a column says what somebody has learnt, and not where a school or how warm it is."""
    rest = [word for word in words if word not in _MEASURED]
    if not rest or rest in (["school"], ["degree"]):
        return bool(rest)
    return bool(_LEARNT.fullmatch(rest[-1])) and _NOT_LEARNT.isdisjoint(rest)


def _is_health(words: Sequence[str]) -> bool:
    """Whether a column says how healthy somebody is, and not how somebody is insured."""
    return not _HEALTH.isdisjoint(words) and set(words) <= _HEALTH | _RATED


def _of_persons(feature: Feature) -> bool:
    """Whether all levels are words for people, at least two of them."""
    levels = {str(level).strip().lower().replace("-", " ") for level in feature.levels}
    return len(levels) > 1 and any(levels <= persons for persons in _PERSONS)


def _is_age(words: Sequence[str]) -> bool:
    """Whether a column says how old somebody is, and not a thing, nor somebody at some time."""
    old = not _AGES.isdisjoint(words) or any(map(_AGE_NOW.fullmatch, words))
    return old and _THINGS.isdisjoint(words) and "at" not in words


def _guess_time(draft: Draft, words: Sequence[str], period: str) -> None:
    """How fast a column moves: by itself, or where somebody waits for it."""
    if _is_age(words) and period in _PERIODS:
        draft.add(CHECK, ages={"amount": 1, "per": period})
    elif draft.settings["change"] == "increase" and _past(words) and period in _PERIODS:
        draft.add(CHECK, rate={"amount": 1, "per": period})


def _guess_loss(draft: Draft, words: Sequence[str]) -> None:
    """The direction in which more, or a yes, makes people worse off, by the name.

    What only grows never falls, also where other rules are relaxed.
    """
    grows = draft.settings["change"] == "increase"
    late = not _PAID_LATE.isdisjoint(words) and not _PAYMENTS.isdisjoint(words)
    burden = not grows and (late or any(map(_BURDEN.fullmatch, words)))
    asked = not _RATIO.isdisjoint(words) or any(map(_WISHED.fullmatch, words))
    gain = grows or (any(map(_GAIN.fullmatch, words)) and not asked)
    settled = draft.settings["change"] == "never" or "worse" in draft.settings
    if not settled and (burden or gain):
        how = "more" if burden else "less"
        worse = "increase" if burden else "decrease"
        draft.add(f"nobody is advised to have {how}: {CHECK}", worse=worse)


def _is_when(feature: Feature, words: Sequence[str]) -> bool:
    """Whether a column says when: called just "month", years of our times, or times of a day."""
    low, high = CALENDAR
    if len(words) == 1 and words[0] in _UNITS and not _bare_words(feature.name)[0].endswith("s"):
        return True
    if _is_time_of_day(feature):
        return True
    named = not {"year", "yr", "jahr", "année", "año", "rok"}.isdisjoint(words)
    return named and not feature.has_levels and low <= feature.low and feature.high <= high


def _is_time_of_day(feature: Feature) -> bool:
    """Whether what is written as 01:00:00 gets past noon but never past the day."""
    return feature.written == "01:00:00" and feature.low >= 0 and NOON <= feature.high < 2 * NOON


_BETWEEN = {"per", "at", "in", "with", "of", "since", "to", "on", "as", "employed", "worked"}
"""Words that may follow a unit within a name."""

_SINCE = {"married", "widowed", "divorced", "disabled"}
"""What one has been for a time, where a column counts years or months of it."""

_BELONGING = {"customer", "member", "client", "kunde", "mitglied", "cliente"}
"""What somebody has been for so many months or years."""


def _past(words: Sequence[str]) -> str:
    """The unit of a column that grows with time: an age, months since, years at; else empty."""
    for word in words:
        if word in _PAST:
            return _PAST[word]
    if "since" in words:
        return "months" if words[0] == "m" or "month" in words else "years"
    timed = [_UNITS[w] for w in words[:-1] if _UNITS.get(w) in ("months", "years")]
    done = any(word.endswith("ed") or word == "working" for word in words)
    if _UNITS.get("".join(words[-1:])) in ("months", "years") and not _BELONGING.isdisjoint(words):
        return _UNITS[words[-1]]
    if timed and (done or not {"at", "in", "with", "of", "as"}.isdisjoint(words)):
        return timed[0]
    return "years" if done and words[-1] in ("year", "yr", "yrs") else ""


def _guess_order(draft: Draft, feature: Feature) -> None:
    if feature.has_order or len(feature.levels) > MOST_LEVELS:
        return
    order = guessed_order([str(level) for level in feature.levels])
    if order is not None:
        draft.add(CHECK, order=order)


def _guess_harm(draft: Draft, feature: Feature) -> None:
    """Levels that nobody is advised to get to, by their words."""
    levels = [str(level) for level in feature.levels]
    if draft.settings["change"] == "any" and (habit := _habit(feature, levels)):
        never, once, now = habit
        draft.add(f"nobody is advised to begin: {CHECK}", worse=[once, now])
        draft.add(f"what was, was: {CHECK}", forbid=[[once, never], [now, never]])
        return
    harm = [level for level in levels if _HARM.search(re.sub(r"[_-]+", " ", level.lower()))]
    if draft.settings["change"] == "any" and 0 < len(harm) < len(levels):
        draft.add(f"nobody is advised to get there: {CHECK}", worse=harm)


def _habit(feature: Feature, levels: Sequence[str]) -> list[str] | None:
    """The levels of a habit that one never had, once had and has now; None of anything else."""
    texts = [*_words(feature.name), *(word for level in levels for word in _words(level))]
    if not any(map(_HABIT.fullmatch, texts)) or len(levels) != 3:
        return None
    ranks = [
        [not said.isdisjoint(_words(level)) for said in (_NEVER, _ONCE, _NOW)].index(True)
        if not (_NEVER | _ONCE | _NOW).isdisjoint(_words(level))
        else 2
        for level in levels
    ]
    order = [level for _, level in sorted(zip(ranks, levels, strict=True))]
    return order if sorted(ranks) == [0, 1, 2] else None


def guessed_order(levels: Sequence[str]) -> list[str] | None:
    """Levels from the least to the most, if their words or numbers say so.

    >>> guessed_order(["high", "none", "low"]), guessed_order(["red", "green"])
    (['none', 'low', 'high'], None)
    >>> guessed_order(["100-500", "<100", "500 or more", "no account"])
    ['no account', '<100', '100-500', '500 or more']
    """
    if len(levels) < 2:
        return None
    ranks = next(filter(None, (_scale_ranks(levels, scale) for scale in _SCALES)), None)
    ranks = ranks or _number_ranks(levels)
    if ranks is None or len(set(ranks)) < len(ranks):
        return None
    return [level for _, level in sorted(zip(ranks, levels, strict=True))]


def _scale_ranks(levels: Sequence[str], scale: Sequence[str]) -> list[Any] | None:
    known = {word: rank for rank, words in enumerate(scale) for word in words.split("|")}
    said = [re.sub(r"[\s_-]+", " ", level.strip().lower()) for level in levels]
    return [known[word] for word in said] if all(word in known for word in said) else None


def _number_ranks(levels: Sequence[str]) -> list[Any] | None:
    """By the first number in each; what says no or none comes first, of which there is one."""
    ranks: list[Any] = []
    for level in levels:
        numbers = re.findall(r"\d+(?:\.\d+)?", level.replace(",", ""))
        if numbers:
            beyond = bool(_ABOVE.search(level.lower())) - bool(_BELOW.search(level.lower()))
            ranks.append((float(numbers[0]), beyond))
        elif _LEAST.search(level.lower()):
            ranks.append((-math.inf, 0))
        else:
            return None
    ranges = any(re.search(r"\d\D+\d|<|>|\d\s*\+|more|over|under", level) for level in levels)
    units = {re.sub(r"^\s*\d+(?:[.,]\d+)?\s+", "", level) for level in levels}
    graded = {re.sub(r"[\s_-]*\d+\s*$", "", level).strip().lower() for level in levels}
    if len(graded) == 1 and graded <= _GRADES:
        return ranks
    one = min(units, key=len)
    counted = all(unit.startswith(one) and len(unit) <= len(one) + 2 for unit in units)
    return ranks if ranges or (counted and not re.search(r"\d", one)) else None


_PERIODS = {"year": 12, "month": 1}


def _share_period(drafts: Iterable[Draft]) -> None:
    """All rates in one period: months, if some are."""
    rates = [
        draft.settings[key] for draft in drafts for key in ("rate", "ages") if key in draft.settings
    ]
    if {rate["per"] for rate in rates} == set(_PERIODS):
        for rate in rates:
            rate.update(amount=rate["amount"] / _PERIODS[rate["per"]], per="month")


def _requirements(
    ready: pd.DataFrame, terrain: Terrain, units: Mapping[str, str | None]
) -> list[str]:
    """Pairs of numbers of which the first hardly ever exceeds the second, though it well could.

    What is counted in years is not compared with what is not.
    """
    numbers = {
        str(feature.name): kind_of(feature).amounts(feature, ready[feature.name])
        for feature in terrain.numbers
        if feature.kind != "date"
        and str(feature.name).isidentifier()
        and not iskeyword(str(feature.name))
        and ready[feature.name].nunique() >= FEW_VALUES
    }
    alike = [pair for pair in permutations(numbers, 2) if units[pair[0]] == units[pair[1]]]
    held = {(a, b): share for a, b in alike if (share := _held(numbers, a, b))}
    sure = [pair for pair in held if held[pair] == 1]
    implied = {(a, c) for a, b in sure for b_, c in sure if b == b_}
    lines = [_requirement(pair, held[pair]) for pair in held if pair not in implied]
    return ["\n".join(["require = [", *lines, "]\n"])] if lines else []


def _requirement(pair: tuple[str, str], share: float) -> str:
    """A line of the list; one that some rows break is a remark, or they would have no ways."""
    rule = f'"{pair[0]} <= {pair[1]}",'
    if share == 1:
        return f"    {rule}  # holds in all rows: {CHECK}"
    return f"    # {rule}  # holds in {math.floor(share * 1000) / 10:g}% of the rows: {CHECK}"


def _held(numbers: Mapping[str, Floats], a: str, b: str) -> float:
    """The share of rows in which a column does not exceed another; 0 if it is not nearly all."""
    both = np.isfinite(numbers[a]) & np.isfinite(numbers[b])
    if both.sum() < FEW_ROWS:
        return 0.0
    small, large = numbers[a][both], numbers[b][both]
    share = float((small <= large).mean())
    if share < NEARLY_ALL or not _alike(small, large) or np.array_equal(small, large):
        return 0.0
    by_itself = np.searchsorted(np.sort(small), large, side="right").mean() / len(small)
    return share if by_itself <= BY_ITSELF else 0.0


def _alike(small: Floats, large: Floats) -> bool:
    """Whether two columns can be in one unit: ordinary sizes within a factor of ten."""
    sizes = [max(float(np.abs(values).mean()), 1e-12) for values in (small, large)]
    return max(sizes) <= 10 * min(sizes)


def _words(name: Hashable) -> list[str]:
    """The words of a name, in small letters, the singular and without numbers at their end.

    >>> _words("Years_employed"), _words("age76"), _words("Beschäftigt seit")
    (['year', 'employed'], ['age'], ['beschäftigt', 'since'])
    """
    return [_singular(word) for word in _bare_words(name)]


def _bare_words(name: Hashable) -> list[str]:
    """The same as they stand, plurals too."""
    words = re.split(r"[\W_]+", plain_name(str(name)).lower())
    bare = [word.rstrip("0123456789") or word for word in words if word]
    return [_SAME.get(word, word) for word in bare]


def _short(value: Any) -> Any:
    """Whole numbers without a point."""
    if isinstance(value, list):
        return [_short(each) for each in value]
    if isinstance(value, dict):
        return {key: _short(each) for key, each in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value
