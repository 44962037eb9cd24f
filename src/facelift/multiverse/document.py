"""The multiverse as a versioned JSON document: the contract with other programs.

Infinite remaining costs (out of reach) and undefined numbers are written as null.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift.arrays import Floats
from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal
from facelift.multiverse.journey import Journey
from facelift.multiverse.survey import Survey
from facelift.multiverse.whynot import WhyNot

if TYPE_CHECKING:
    from facelift.multiverse.multiverse import Multiverse

SCHEMA = "facelift/multiverse/1"


def to_json(multiverse: Multiverse) -> str:
    """The document, with sorted keys, so that equal multiverses give equal bytes."""
    content = {
        "schema": SCHEMA,
        "goal": asdict(multiverse.goal) if multiverse.goal else None,
        "survey": asdict(multiverse.survey) if multiverse.survey else None,
        "why_not": asdict(multiverse.why_not) if multiverse.why_not else None,
        "destinations": [members.tolist() for members in multiverse.destinations],
        "columns": _columns(multiverse.journeys),
        "journeys": [_journey(journey) for journey in multiverse.journeys],
        "opportunity": _numbers(multiverse.opportunity),
        "scores": _numbers(multiverse.scores),
    }
    return json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=1)


def from_json(text: str, kind: type[Multiverse]) -> Multiverse:
    """The multiverse of a document; an error says what is wrong with it."""
    try:
        content = json.loads(text)
    except ValueError as fault:
        raise InvalidInput(f"Not a JSON document: {fault}.") from None
    found = content.get("schema") if isinstance(content, dict) else None
    if found != SCHEMA:
        raise InvalidInput(f"Not a multiverse document: schema {found!r}, needed {SCHEMA!r}.")
    try:
        return _multiverse(content, kind)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as fault:
        raise InvalidInput(f"The multiverse document is damaged: {fault!r}.") from None


def _multiverse(content: dict[str, Any], kind: type[Multiverse]) -> Multiverse:
    why_not = content["why_not"]
    return kind(
        tuple(_read_journey(each, content["columns"]) for each in content["journeys"]),
        tuple(np.array(members, dtype=np.int64) for members in content["destinations"]),
        why_not=WhyNot(**why_not) if why_not else None,
        goal=_goal(content["goal"]),
        survey=Survey(**content["survey"]) if content["survey"] else None,
    )


def _goal(content: dict[str, Any] | None) -> Goal | None:
    if content is None:
        return None
    return Goal(tuple(content["target"]), content["threshold"], tuple(content["classes"]))


def _journey(journey: Journey) -> dict[str, Any]:
    return {
        "vertices": journey.vertices.tolist(),
        "waypoints": _numbers(journey.waypoints),
        "step_costs": _numbers(journey.step_costs),
        "remaining": _numbers(journey.remaining),
        "own": journey.own,
        "cost": journey.cost,
        "probabilities": _numbers(journey.probabilities),
        "chances": _numbers(journey.chances),
        "rarity": _numbers(journey.rarity),
        "times": _numbers(journey.times),
        "period": journey.period,
        "rows": None if journey.rows is None else _records(journey.rows),
    }


def _read_journey(content: dict[str, Any], columns: list[dict[str, Any]] | None) -> Journey:
    rows = content["rows"]
    return Journey(
        np.array(content["vertices"], dtype=np.int64),
        _floats(content["waypoints"]),
        _floats(content["step_costs"]),
        _floats(content["remaining"], null=np.inf),
        int(content["own"]),
        probabilities=_maybe_floats(content["probabilities"]),
        chances=_maybe_floats(content["chances"]),
        rarity=_maybe_floats(content["rarity"]),
        times=_maybe_floats(content["times"]),
        period=content["period"],
        decode=None if rows is None else partial(_same, _frame(rows, columns or [])),
    )


def _same(frame: pd.DataFrame, waypoints: Floats) -> pd.DataFrame:  # noqa: ARG001  (a decoder)
    return frame


def _columns(journeys: tuple[Journey, ...]) -> list[dict[str, Any]] | None:
    """Name and type of every column of the journeys' rows."""
    if not journeys or journeys[0].rows is None:
        return None
    rows = journeys[0].rows
    return [{"name": name, **_dtype(rows[name])} for name in rows.columns]


def _dtype(column: pd.Series[Any]) -> dict[str, Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = column.cat.categories
        return {"dtype": "category", "levels": levels.tolist(), "ordered": bool(column.cat.ordered)}
    return {"dtype": str(column.dtype)}


def _records(rows: pd.DataFrame) -> list[list[Any]]:
    return [[_plain(value) for value in row] for row in rows.astype(object).to_numpy().tolist()]


def _frame(rows: list[list[Any]], columns: list[dict[str, Any]]) -> pd.DataFrame:
    names = [column["name"] for column in columns]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    return pd.DataFrame({c["name"]: frame[c["name"]].astype(_read_dtype(c)) for c in columns})


def _read_dtype(column: dict[str, Any]) -> Any:
    if column["dtype"] == "category":
        return pd.CategoricalDtype(column["levels"], ordered=column["ordered"])
    return column["dtype"]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _numbers(values: Floats | None) -> Any:
    """An array as nested lists, NaN and infinity as null."""
    if values is None:
        return None
    cells = values.astype(object)
    cells[~np.isfinite(values)] = None
    return cells.tolist()


def _maybe_floats(values: Any) -> Floats | None:
    return None if values is None else _floats(values)


def _floats(values: Any, null: float = np.nan) -> Floats:
    array = np.array(values, dtype=np.float64)  # null becomes NaN
    return np.where(np.isnan(array), null, array)
