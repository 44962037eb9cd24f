"""Rules files: a terrain's refinements as TOML that a person can edit.

Rules between columns first, then one table per column; only what differs is needed:

    link = [["age", "time_in_job"]]    # these move together
    require = ["installments <= duration"]
    [age]
    change = "increase"                # any, never, increase or decrease
    rate = { amount = 1, per = "year" }
    ages = { amount = 1, per = "year" }  # moves by itself while one waits; nobody chooses it
    [income]
    missing = { found = 0.5 }          # price of a value in the place of a missing one; lost: back
    [months_since_trade]
    missing = [-9, -8]                 # codes, each a state of its own; or { codes = [-9, -8], … }
    [duration]
    levels = [6, 12, 24, 36]           # numbers to stop at; or step = 6
    span = 40                          # the change that counts as 1
    [savings]
    order = ["none", "low", "high"]    # lowest first
    price = { increase = 3.0 }         # or one number for both directions; 1 is ordinary
    [credit_amount]
    between = [500, 8000]              # dates as "2024-02-29"
    [housing]
    forbid = [["own", "rent"]]         # never from the first to the second
    transitions = [{ from = "rent", to = "own", price = 2.0 }]
    [sex]
    change = "never"
    personal = true                    # who somebody is: never advised to do without its rules
    [income]
    worse = "decrease"                 # left out, as it makes people worse off; or "increase"
    [employment]
    worse = ["part time", "none"]      # or levels, each worse than those before and all others
    [months]
    label = "Duration of the loan"     # what people call it
    unit = "months"
    about = "From the first to the last payment."
    [job]
    values = { "A173" = "skilled" }    # what people call its levels

What a raw table needs before it is a terrain (`facelift.prepare`):

    [customer_id]
    leave_out = true                   # no column of the terrain
    [months_since_delay]
    codes = [-9, -8]                   # values that mean missing
    [price]
    read = "money"                     # text such as "$60,000.00 "; or percent, date
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Hashable, Iterator
from datetime import date, datetime
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from facelift._files import written_whole
from facelift.errors import FaceliftError, InvalidInput, InvalidRules, nearest_name
from facelift.terrain.feature import Change, Feature, Level
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain

MOST_BYTES, MOST_DEPTH, MOST_RULES = 1_000_000, 20, 500
"""How large a rules file may be, how deep its tables, and how many rules between columns."""

MOST_TABLES = 20_000
"""How many columns a rules file may speak of."""

MOST_FAULTS, MOST_WORDS = 10, 300
"""How many faults are told at once, and how long the words of another's may be."""

_DEEP_KEY = re.compile(
    rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MOST_DEPTH}}}"""
)
_BRACKETS = re.compile(
    r"""\"{3}(?s:[^\\]|\\.)*?(?:\"{3}|\Z)|'{3}(?s:.)*?(?:'{3}|\Z)"""
    r"""|\"(?:[^"\\\n]|\\.)*+\"?|'[^'\n]*+'?|\#[^\n]*+|[^\[\]{}"'#]++"""
)
"""Everything that is no bracket. No letter is tried twice, or one long word would take minutes."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _PriceRule(_Table):
    increase: float | None = None
    decrease: float | None = None


class _TransitionRule(_Table):
    model_config = ConfigDict(populate_by_name=True)
    start: Level = Field(alias="from")
    end: Level = Field(alias="to")
    price: float


class _RateRule(_Table):
    amount: float = 1.0
    per: str


class _GapRule(_Table):
    codes: list[float] | None = None
    found: float | None = None
    lost: float | None = None


_Amount = float | datetime | date | str
"""A number, or a date in a column of dates."""


class _Rule(_Table):
    change: Change = "any"
    personal: bool = False
    worse: Literal["increase", "decrease"] | list[Level] | None = None
    levels: list[_Amount] | None = None
    span: float | None = None
    step: float | None = None
    rate: _RateRule | None = None
    ages: _RateRule | None = None
    missing: _GapRule | list[float] | None = None
    order: list[Level] | None = None
    price: float | _PriceRule | None = None
    between: tuple[_Amount, _Amount] | None = None
    forbid: list[tuple[Level, Level]] = []
    transitions: list[_TransitionRule] = []
    label: str | None = None
    unit: str | None = None
    about: str | None = None
    values: dict[str, str] = {}
    leave_out: bool = False
    codes: list[Level] = []
    read: Literal["money", "percent", "date"] | None = None

    @property
    def special_codes(self) -> list[float]:
        """Numbers of the column that stand for why it has none."""
        gaps = self.missing
        return gaps if isinstance(gaps, list) else (gaps.codes or []) if gaps else []


def read_rules(path: str | Path, terrain: Terrain) -> Terrain:
    """The terrain refined by a rules file; all faults of the file are named at once.

    >>> import pandas as pd
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "rules.toml")
    ...     _ = path.write_text('age.change = "increase"')
    ...     read_rules(path, Terrain.infer(pd.DataFrame({"age": [20, 40]})))
    column  kind     may rise  may fall  values
    age     numeric  at 1      never     20 to 40
    """
    tables = _tables(path)
    names = {str(feature.name): feature.name for feature in terrain.features}
    _check_same_table(path, tables, list(names))
    terrain, faults = _between_columns(terrain, names, tables)
    for column, table in tables.items():
        if column in ("link", "require") and isinstance(table, list):
            continue
        if column in names:
            terrain, wrong = _refined(terrain, names[column], table)
        elif _leaves_out(table):
            wrong = []
        else:
            wrong = [f"no such column; {nearest_name(column, names)}"]
        faults += [f"[{column}] {each}" for each in wrong]
        if len(faults) > MOST_FAULTS:
            break
    if faults:
        listed = [*faults[:MOST_FAULTS], *(["and more"] if len(faults) > MOST_FAULTS else [])]
        raise InvalidRules(f"Rules in {path}: " + "; ".join(listed))
    return terrain


def _check_same_table(path: str | Path, tables: dict[str, Any], names: list[str]) -> None:
    """One line where most columns of the rules are not in the table: it is another's file."""
    columns = [name for name, table in tables.items() if isinstance(table, dict)]
    unknown = [name for name in columns if name not in names and not _leaves_out(tables[name])]
    if len(unknown) > 2 and 2 * len(unknown) > len(columns):
        raise InvalidRules(
            f"Rules in {path}: {len(unknown)} of their {len(columns)} columns are not in this "
            f"table ({_first(unknown)}), which has {_first(names)}; are they rules of another one?"
        )


def _first(names: list[str]) -> str:
    return ", ".join([*names[:5], *(["…"] if len(names) > 5 else [])])


def column_rules(path: str | Path) -> dict[str, _Rule]:
    """What a rules file says of each column; an error where a table cannot be read."""
    rules = {}
    for column, table in _tables(path).items():
        if column in ("link", "require") and isinstance(table, list):
            continue
        try:
            rules[column] = _Rule.model_validate(table)
        except ValidationError as fault:
            raise InvalidRules(f"Rules in {path}: [{column}] {'; '.join(_faults(fault))}") from None
    return rules


def special_codes(path: str | Path) -> dict[str, list[float]]:
    """Columns with special codes by a rules file, for `Terrain.infer(X, missing=...)`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "rules.toml")
    ...     _ = path.write_text("since.missing = [-9, -8]")
    ...     special_codes(path)
    {'since': [-9.0, -8.0]}
    """
    rules = column_rules(path)
    return {name: rule.special_codes for name, rule in rules.items() if rule.special_codes}


def _leaves_out(table: object) -> bool:
    return isinstance(table, dict) and table.get("leave_out") is True


def _tables(path: str | Path) -> dict[str, Any]:
    """What a file says; one that is too large, or nested too deep, is refused before it is read."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        text = content.decode("utf-8")
        _check_shape(text, len(content))
        tables = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as fault:  # of TOML, UTF-8, huge numbers
        raise InvalidRules(f"Cannot read the rules in {path}: {_short(fault)}.") from None
    for kind in ("link", "require"):
        if isinstance(rules := tables.get(kind), list) and len(rules) > MOST_RULES:
            raise InvalidRules(
                f"Rules in {path}: {kind} has {len(rules):,} rules; at most {MOST_RULES} are taken."
            )
    return tables


def _check_shape(text: str, n_bytes: int) -> None:
    if n_bytes > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    if text.count("\n[") > MOST_TABLES:
        raise ValueError(f"it has more than {MOST_TABLES:,} tables")
    if _DEEP_KEY.search(text) or _depth(text) > MOST_DEPTH:
        raise ValueError(f"it is nested more than {MOST_DEPTH} deep")


def _depth(text: str) -> int:
    """How deep brackets are nested, strings and comments left out."""
    depth = deepest = 0
    for bracket in _BRACKETS.sub("", text):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _short(fault: BaseException) -> str:
    words = " ".join(str(fault).split()).rstrip(".")
    return words if len(words) <= MOST_WORDS else f"{words[:MOST_WORDS]}…"


def write_rules(terrain: Terrain, path: str | Path) -> None:
    """Write the terrain's refinements to a rules file that `read_rules` reads back.

    >>> import pandas as pd
    >>> from tempfile import TemporaryDirectory
    >>> terrain = Terrain.infer(pd.DataFrame({"age": [20, 40]}))
    >>> with TemporaryDirectory() as folder:
    ...     write_rules(terrain.increase_only("age"), Path(folder, "rules.toml"))
    ...     read_rules(Path(folder, "rules.toml"), terrain) == terrain.increase_only("age")
    True
    """
    text = rules_text(terrain)
    with written_whole(path) as fresh:
        fresh.write_text(text, encoding="utf-8")


def rules_text(terrain: Terrain) -> str:
    """The rules file of a terrain, as text.

    >>> import pandas as pd
    >>> terrain = Terrain.infer(pd.DataFrame({"age": [20, 40]})).increase_only("age")
    >>> print(rules_text(terrain))
    # change: any, never, increase or decrease; price: 1 is ordinary.
    <BLANKLINE>
    [age]
    change = "increase"
    span = 20.0
    levels = [20.0, 40.0]
    <BLANKLINE>
    """
    head = "# change: any, never, increase or decrease; price: 1 is ordinary.\n"
    tables = (_feature_text(feature) for feature in terrain.features)
    return "\n".join([head, *_between_lines(terrain), *tables])


def _between_columns(
    terrain: Terrain, names: dict[str, Hashable], tables: dict[str, Any]
) -> tuple[Terrain, list[str]]:
    """The terrain with the links and requirements of a file, and what is wrong with them."""
    faults = []
    for kind in ("link", "require"):
        rules = tables.get(kind)
        for rule in rules if isinstance(rules, list) else []:
            try:
                if kind == "link":
                    if not isinstance(rule, list):
                        raise InvalidInput(f"a link is a list of columns, got {rule!r}")
                    terrain = terrain.link(*(names.get(str(name), name) for name in rule))
                else:
                    terrain = terrain.require(str(rule))
            except (FaceliftError, TypeError) as fault:
                faults.append(f"{kind}: {fault}")
    return terrain, faults


def _refined(terrain: Terrain, name: Hashable, table: object) -> tuple[Terrain, list[str]]:
    """The terrain refined by the table of one column, and what is wrong with the table."""
    try:
        rule = _Rule.model_validate(table)
    except ValidationError as fault:
        return terrain, _faults(fault)
    if raw := _raw(terrain.feature(name), rule):
        return terrain, [raw]
    faults = []
    for refine in _refinements(terrain.feature(name), rule):
        try:
            terrain = refine(terrain)
        except FaceliftError as fault:
            faults.append(str(fault))
    return terrain, faults


def _raw(feature: Feature, rule: _Rule) -> str:
    """What says that the table was not made ready; empty if nothing does."""
    if rule.leave_out:
        return f"leave_out: the table still has this column; {_PREPARE}"
    if rule.read is not None and (feature.has_levels or feature.written):
        return f"read: the column holds text, not yet numbers read as {rule.read}; {_PREPARE}"
    if rule.special_codes and tuple(sorted(rule.special_codes)) != feature.coded:
        return "missing: the terrain does not know these codes; give Terrain.infer(X, missing=...)"
    coded = [code for code in rule.codes if code in feature.levels]
    return f"codes: the column still holds {coded[0]!r}; {_PREPARE}" if coded else ""


_PREPARE = "make the table ready with facelift.prepare first"


def _refinements(feature: Feature, rule: _Rule) -> Iterator[Callable[[Terrain], Terrain]]:
    """Calls of the terrain's refining methods, single changes last: they have the last word."""
    name = feature.name
    if kind_of(feature).settled and "change" in rule.model_fields_set:
        yield methodcaller("price", name, 1.0)
    if rule.order is not None:
        yield methodcaller("order", name, rule.order)
    if isinstance(rule.price, _PriceRule):
        yield methodcaller("price", name, **rule.price.model_dump())
    elif rule.price is not None:
        yield methodcaller("price", name, rule.price)
    if rule.change != "any":
        yield methodcaller(_METHODS[rule.change], name)
    if rule.personal:
        yield methodcaller("personal", name)
    if isinstance(rule.worse, list):
        yield methodcaller("worse", name, order=rule.worse)
    elif rule.worse is not None:
        yield methodcaller("worse", name, rule.worse)
    if rule.between is not None:
        yield methodcaller("between", name, *rule.between)
    if rule.span is not None:
        yield methodcaller("span", name, rule.span)
    if rule.levels is not None or rule.step is not None:
        yield methodcaller("levels", name, rule.levels, step=rule.step)
    if rule.rate is not None:
        yield methodcaller("rate", name, rule.rate.amount, per=rule.rate.per)
    if rule.ages is not None:
        yield methodcaller("ages", name, rule.ages.amount, per=rule.ages.per)
    if isinstance(rule.missing, _GapRule) and rule.missing.model_fields_set - {"codes"}:
        prices = rule.missing.model_dump(exclude={"codes"})
        yield methodcaller("missing", name, **prices)
    if rule.label or rule.unit or rule.about or rule.values:
        yield partial(_labelled, name=name, rule=rule)
    if rule.codes or rule.read is not None:
        yield methodcaller("read_as", name, rule.read, codes=rule.codes)
    for start, end in rule.forbid:
        yield methodcaller("forbid", name, start, end)
    for each in rule.transitions:
        yield methodcaller("transition", name, each.start, each.end, price=each.price)


def _labelled(terrain: Terrain, name: Hashable, rule: _Rule) -> Terrain:
    """The terrain with words for a column; its levels are keys in TOML, and so always text."""
    feature = terrain.feature(name)
    known = {told: level for level in feature.nameable for told in (level_key(level), str(level))}
    values = {known.get(level, level): words for level, words in rule.values.items()}
    return terrain.label(name, rule.label, unit=rule.unit, about=rule.about, values=values)


def level_key(level: Level) -> str:
    """A level as a key in TOML; whole numbers have no decimals.

    >>> level_key("A173"), level_key(1.0), level_key(0.5)
    ('A173', '1', '0.5')
    """
    return f"{level:.15g}" if isinstance(level, float) else str(level)


_METHODS = {"never": "freeze", "increase": "increase_only", "decrease": "decrease_only"}

_TYPES = {"str", "bool", "int", "float", _PriceRule.__name__, _RateRule.__name__, _GapRule.__name__}
"""Parts of pydantic's places that say which of several types was tried."""

_MEANINGS = {
    "missing": "is missing",
    "model_type": "must be a table",
    "tuple_type": "must be a list of two",
}


def _faults(fault: ValidationError) -> list[str]:
    """What is wrong with a table, place by place."""
    meanings: dict[str, str] = {}
    for error in fault.errors():
        place = [str(part) for part in error["loc"] if part not in _TYPES]
        meanings.setdefault(".".join(place), _meaning(error, place))
    return [f"{place}: {meaning}" if place else meaning for place, meaning in meanings.items()]


def _meaning(error: Any, place: list[str]) -> str:
    if error["type"] != "extra_forbidden":
        return str(_MEANINGS.get(error["type"], error["msg"]))
    tables: dict[str, type[BaseModel]] = {
        "price": _PriceRule,
        "transitions": _TransitionRule,
        "rate": _RateRule,
        "ages": _RateRule,
        "missing": _GapRule,
    }
    fields = tables.get(place[0], _Rule).model_fields
    known = [field.alias or name for name, field in fields.items()]
    return f"no such setting; {nearest_name(place[-1], known)}"


def _feature_text(feature: Feature) -> str:
    lines = [f"{key} = {as_toml(value)}" for key, value in _settings(feature).items()]
    return "\n".join([f"[{key_text(str(feature.name))}]", *lines]) + "\n"


def _settings(feature: Feature) -> dict[str, Any]:
    """The table of a column: how it may change, and what else is not ordinary."""
    table: dict[str, Any] = {"change": feature.change}
    told = partial(kind_of(feature).told, feature)
    if feature.personal:
        table["personal"] = True
    if feature.worse:
        table["worse"] = feature.worse if isinstance(feature.worse, str) else list(feature.worse)
    for key in ("label", "unit", "about"):
        if words := getattr(feature, key):
            table[key] = words
    if feature.named:
        table["values"] = {level_key(level): words for level, words in feature.named}
    if feature.read:
        table["read"] = feature.read
    if feature.read_codes:
        table["codes"] = list(feature.read_codes)
    if feature.has_levels and feature.has_order:
        table["order"] = list(feature.levels)
    prices = {"increase": feature.increase, "decrease": feature.decrease}
    if priced := {key: p for key, p in prices.items() if p != 1 and math.isfinite(p)}:
        table["price"] = priced if feature.has_order else feature.increase
    if (feature.lower, feature.upper) != (-math.inf, math.inf):
        table["between"] = [told(feature.lower), told(feature.upper)]
    if not feature.has_levels:
        table["span"] = feature.span
    if feature.stops:
        table["levels"] = [told(stop) for stop in feature.stops]
    if feature.rate is not None:
        table["rate"] = {"amount": feature.rate, "per": feature.per}
    if feature.ages is not None:
        table["ages"] = {"amount": feature.ages, "per": feature.per}
    ordinary = math.inf if feature.change == "never" else 1.0
    if feature.kind == "coded":
        table["missing"] = {"codes": list(feature.coded)}
    if feature.missing and (feature.found, feature.lost) != (ordinary, math.inf):
        prices_of_gaps = {"found": feature.found, "lost": feature.lost}
        table["missing"] = table.get("missing", {}) | prices_of_gaps
    if never := [[start, end] for start, end, price in feature.transitions if math.isinf(price)]:
        table["forbid"] = never
    if rest := [each for each in feature.transitions if math.isfinite(each[2])]:
        table["transitions"] = [dict(zip(("from", "to", "price"), e, strict=True)) for e in rest]
    return table


def _between_lines(terrain: Terrain) -> list[str]:
    """Links and requirements; a requirement that is a function cannot be written."""
    lines = []
    if terrain.links:
        lines.append(f"link = {as_toml([[str(name) for name in link] for link in terrain.links])}")
    if terrain.requirements:
        if any(callable(rule) for rule in terrain.requirements):
            raise InvalidInput(
                "A requirement that is a function cannot be written to a rules file; "
                "write it as an expression."
            )
        lines.append(f"require = {as_toml(list(terrain.requirements))}")
    return ["\n".join(lines) + "\n"] if lines else []


def as_toml(value: object) -> str:
    """A value as TOML writes it on one line.

    >>> as_toml({"amount": 1.0, "per": "year"})
    '{ amount = 1.0, per = "year" }'
    """
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, dict):
        pairs = [f"{key_text(key)} = {as_toml(each)}" for key, each in value.items()]
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # inf and -inf, as in TOML
    if not isinstance(value, str | bool | int | float):
        raise InvalidInput(f"The level {value} cannot be written to a rules file; make it text.")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def key_text(name: str) -> str:
    """A name as TOML writes it before an equals sign or in brackets.

    >>> key_text("credit_amount"), key_text("credit amount")
    ('credit_amount', '"credit amount"')
    """
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else as_toml(name)
