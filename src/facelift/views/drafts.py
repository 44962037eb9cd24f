"""The drafted rules of a table that somebody brings, to be checked and changed on the page."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidInput
from facelift.language import joined, message, number, say
from facelift.terrain.drafting import CHECK, Draft, Drafted
from facelift.terrain.feature import plain_name
from facelift.terrain.kinds.numeric import drawn_range, histogram

N_BARS = 12
"""Bars of the small histogram of a column."""

MOST_ANSWERS = 20
"""An outcome with more different values is a number, of which a range is wanted."""

LONGEST = 24
"""Letters of a value that are shown."""

Kind = Literal["number", "yes or no", "money", "percent", "date", "category", "ordered", "left out"]
Change = Literal["any", "never", "increase", "decrease"]
Price = Literal["easy", "normal", "hard", "very hard"]

_WRITTEN: dict[str, Kind] = {
    "date": "date",
    "duration": "number",
    "money": "money",
    "percent": "percent",
    "truth": "yes or no",
}
"""Columns of text that say themselves what they are, and in which unit."""

PRICES: dict[Price, float] = {"easy": 0.5, "normal": 1.0, "hard": 2.0, "very hard": 4.0}


@dataclass(frozen=True)
class Edit:
    """What somebody says of a column; None leaves it as it was drafted."""

    kind: Kind | None = None
    change: Change | None = None
    price: Price | None = None
    unit: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class DraftColumn:
    """A column: what it is, what was guessed of it, and why that should be checked."""

    name: str
    label: str
    kind: Kind
    kinds: tuple[Kind, ...]
    unit: str
    has_unit: bool
    has_order: bool
    change: Change
    price: Price
    values: str
    bars: tuple[float, ...]
    checks: tuple[str, ...]


@dataclass(frozen=True)
class Rules:
    """The rules of a table, as columns and as the file that `facelift` reads."""

    table: str
    title: str
    facts: str
    targets: tuple[str, ...]
    target_column: str
    answers: tuple[str, ...]
    target: str
    columns: tuple[DraftColumn, ...]
    n_checks: int
    text: str


_UNSAID = {
    "order": message("the order of its levels is guessed"),
    "rate": message("how fast it moves is guessed"),
    "ages": message("how fast it moves is guessed"),
}
"""What to check, where the draft gives no reason."""

_REASONS = (
    message("far from all others, may mean missing"),
    message("may mean missing"),
    message("not like the rest, may mean missing"),
    message("holds no value"),
    message("differs in every row"),
    message("names somebody or something"),
    message("says nothing"),
    message("says who somebody is"),
    message("a date"),
    message("a time of day"),
    message("has happened already"),
    message("says where somebody lives"),
    message("is not theirs to change"),
    message("is for a doctor to decide"),
    message("says the same as the outcome"),
    message("follows from another column"),
    message("tells the outcome alone, leave it out if it came after"),
    message("gets older"),
    message("is not lost again"),
    message("is not lost again, which is more nobody knows"),
    message("nobody is advised to have less"),
    message("nobody is advised to have more"),
    message("nobody is advised to get there"),
    message("nobody is advised to begin"),
)
"""What a draft says of columns, so that it is translated; other reasons stay English."""


def edited(drafted: Drafted, edits: Mapping[str, Edit]) -> Drafted:
    """A draft as somebody changed it."""
    changed = deepcopy(drafted)
    known = {str(name): name for name in changed.columns}
    for name, edit in edits.items():
        if name not in known:
            raise InvalidInput(f"There is no column {name!r} to say something of.")
        changed.columns[known[name]] = _edited(changed.columns[known[name]], edit)
    return changed


def _edited(draft: Draft, edit: Edit) -> Draft:
    if edit.kind == "left out":
        return Draft(settings={"leave_out": True})
    if edit.kind is not None:
        draft.settings.pop("leave_out", None)
        draft.why.pop("leave_out", None)
    if edit.kind == "category":
        draft.settings.pop("order", None)
    if edit.kind == "number":
        draft.settings.pop("values", None)
    if edit.change is not None:
        draft.settings["change"] = edit.change
        draft.why.pop("change", None)
    if edit.price is not None:
        draft.settings["price"] = PRICES[edit.price]
    if draft.settings.get("price") == 1:
        draft.settings.pop("price")
    for name in ("unit", "label"):
        if (said := getattr(edit, name)) is not None:
            draft.settings[name] = said.strip()
            if not said.strip():
                draft.settings.pop(name)
    return draft


def rules(
    table: str,
    title: str,
    frame: pd.DataFrame,
    drafted: Drafted,
    edits: Mapping[str, Edit],
    target_column: str,
    target: str | None,
) -> Rules:
    """The page of a draft."""
    changed = edited(drafted, edits)
    columns = tuple(
        _column(name, frame[name], drafted.columns[name], changed.columns[name], str(name) in edits)
        for name in drafted.columns
    )
    answers = outcomes(frame[target_column])
    return Rules(
        table=table,
        title=title,
        facts=say("{n} rows · {m} columns", n=number(len(frame), grouped=True), m=len(columns)),
        targets=tuple(map(str, frame.columns)),
        target_column=target_column,
        answers=answers,
        target=target if target is not None else "",
        columns=columns,
        n_checks=sum(bool(column.checks) for column in columns),
        text=changed.text(),
    )


def outcomes(column: pd.Series[Any]) -> tuple[str, ...]:
    """The outcomes there are; none where they are numbers of which a range is wanted."""
    values = column.dropna().unique()
    return tuple(sorted(map(str, values))) if len(values) <= MOST_ANSWERS else ()


def _column(
    name: Hashable, column: pd.Series[Any], first: Draft, draft: Draft, is_edited: bool
) -> DraftColumn:
    settings = draft.settings
    kind = _kind(column, draft)
    plain: Kind = "number" if pd.api.types.is_numeric_dtype(column.dtype) else "category"
    kinds = dict.fromkeys([_kind(column, first), plain, "left out"])
    if "read" in first.settings or first.kind in _WRITTEN:
        kinds.pop("category", None)
    checks = [_check(key, why, draft) for key, why in draft.why.items() if CHECK in why]
    price = float(settings.get("price", 1.0))
    return DraftColumn(
        name=str(name),
        label=str(settings.get("label", plain_name(str(name)))),
        kind=kind,
        kinds=tuple(kinds),
        unit=str(settings.get("unit", "")),
        has_unit=kind in ("number", "money", "percent") and first.kind not in _WRITTEN,
        has_order=kind not in ("category", "left out"),
        change=settings.get("change", "any"),
        price=min(PRICES, key=lambda each: abs(PRICES[each] - price)),
        values=_values(column),
        bars=_bars(column),
        checks=() if is_edited else tuple(checks),
    )


def _check(key: str, why: str, draft: Draft) -> str:
    """What is to be checked of a column, in words."""
    said = draft.settings.get(key)
    if key == "worse" and len(draft.levels) == 2 and isinstance(said, str):
        said = [draft.levels[said == "increase"]]
    if key == "worse" and isinstance(said, list):
        return say("nobody is advised to get to {levels}", levels=_quoted(said))
    told = say(_UNSAID.get(key, why) if why == CHECK else why.replace(f": {CHECK}", ""))
    if key == "codes" and isinstance(said, list):
        return say("{name}: {value}", name=told, value=_quoted(said))
    return told


def _quoted(values: Iterable[object]) -> str:
    return joined([say("“{words}”", words=_short(value)) for value in values])


def _kind(column: pd.Series[Any], draft: Draft) -> Kind:
    if draft.settings.get("leave_out"):
        return "left out"
    if "read" in draft.settings:
        read: Kind = draft.settings["read"]
        return read
    if "order" in draft.settings:
        return "ordered"
    if "values" in draft.settings:
        return "yes or no"
    if draft.kind in _WRITTEN:
        return _WRITTEN[draft.kind]
    is_number = pd.api.types.is_numeric_dtype(column.dtype) or "span" in draft.settings
    return "number" if is_number else "category"


def _values(column: pd.Series[Any]) -> str:
    """A few words on what a column holds."""
    n = column.nunique()
    first = [_value(value) for value in column.dropna().unique()[:3]]
    some = joined(first + (["…"] if n > 3 else []), " · ")
    told = say("{n} different: {some}", n=number(n, grouped=True), some=some)
    numbers = _numbers(column)
    if n <= N_BARS or not len(numbers):
        return told
    ends = float(numbers.min()), float(numbers.max())
    if drawn_range(numbers) == ends:
        return told
    low, high = (number(end, grouped=True) for end in ends)
    return say(
        "{told}; from {low} to {high}, outliers in the outermost bar", told=told, low=low, high=high
    )


def _numbers(column: pd.Series[Any]) -> Floats:
    """The numbers of a column, if it has numbers."""
    if not pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        return np.empty(0)
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(numbers[np.isfinite(numbers)])


def _value(value: object) -> str:
    """A value as one would write it."""
    return number(float(value)) if isinstance(value, float) else _short(value)


def _short(value: object) -> str:
    """A value, or its beginning where it is long."""
    told = str(value)
    return told if len(told) <= LONGEST else f"{told[: LONGEST - 2].rstrip(' ,')} …"


def _bars(column: pd.Series[Any]) -> tuple[float, ...]:
    """Heights from 0 to 1: of few numbers or ranges of many, or of the commonest values.

    Outliers are in the outermost ranges.
    """
    numbers = _numbers(column)
    if not len(numbers):
        counts = tuple(column.value_counts().tolist()[:N_BARS])
    elif len(np.unique(numbers)) <= N_BARS:
        counts = tuple(np.unique(numbers, return_counts=True)[1].tolist())
    else:
        counts = histogram(numbers, drawn_range(numbers), N_BARS)
    most = max(counts, default=1)
    return tuple(round(float(count) / most, 3) for count in counts)
