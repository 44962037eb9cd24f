"""The multiverse as a versioned JSON document: the contract with other programs.

Infinite remaining costs (out of reach) and undefined numbers are written as null.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import chain, pairwise
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from pydantic import TypeAdapter, ValidationError

from facelift._arrays import Floats, Ints, finite_floats
from facelift.errors import InvalidInput
from facelift.multiverse.certificate import Bridge, Certificate, Obstacle, Offer, Proof, Relaxation
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.whynot import Survey, WhyNot
from facelift.terrain.feature import Feature
from facelift.terrain.rulebook import Rule

if TYPE_CHECKING:
    from facelift.multiverse.multiverse import Multiverse

SCHEMA = "facelift/multiverse/1"

T = TypeVar("T")

_PER_WAYPOINT = ("agreement", "rarity", "times")


def to_json(multiverse: Multiverse) -> str:
    """The document, with sorted keys, so that equal multiverses give equal bytes."""
    why_not = multiverse.why_not
    content = {
        "schema": SCHEMA,
        "goal": asdict(multiverse.goal) if multiverse.goal else None,
        "survey": asdict(multiverse.survey) if multiverse.survey else None,
        "why_not": None if why_not is None else why_not.to_dict(),
        "certificate": _certificate(why_not),
        "offers": [] if why_not is None else [asdict(each) for each in why_not.offers],
        "proof": multiverse.proof.to_dict(),
        "destinations": [members.tolist() for members in multiverse.destinations],
        "columns": _columns(multiverse.journeys),
        "journeys": [_journey(journey) for journey in multiverse.journeys],
        "opportunity": _numbers(multiverse.opportunity),
        "scores": _numbers(multiverse.scores),
    }
    if multiverse.kept:
        content |= {"kept": list(multiverse.kept)}
        content |= {"class_opportunity": _numbers(multiverse.class_opportunity)}
    if multiverse.variants:
        content["variants"] = [[_journey(each) for each in some] for some in multiverse.variants]
    return json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=1)


def from_json(text: str, kind: type[Multiverse]) -> Multiverse:
    """The multiverse of a document; an error says what is wrong with it."""
    try:
        content = json.loads(text, parse_constant=_no_constant)
    except (ValueError, TypeError, RecursionError) as fault:
        raise InvalidInput(f"Not a JSON document: {fault}.") from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise InvalidInput(f"Not a multiverse document: schema {schema!r}, needed {SCHEMA!r}.")
    try:
        return _multiverse(content, kind)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as fault:
        raise InvalidInput(f"The multiverse document is damaged: {fault!r}.") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _multiverse(content: dict[str, Any], kind: type[Multiverse]) -> Multiverse:
    destinations = tuple(_whole(members, "vertices") for members in content["destinations"])
    columns, goal = content["columns"], _goal(content["goal"])
    journeys = tuple(
        _read_journey(each, columns, len(destinations), goal) for each in content["journeys"]
    )
    if len(journeys) != len(destinations):
        raise ValueError(f"{len(journeys)} journeys to {len(destinations)} destinations")
    variants = tuple(
        tuple(_read_journey(each, columns, len(destinations), goal) for each in some)
        for some in content.get("variants", [])
    )
    if variants and len(variants) != len(journeys):
        raise ValueError(f"further routes to {len(variants)} of {len(journeys)} destinations")
    every = [*content["journeys"], *chain.from_iterable(content.get("variants", []))]
    if any((each["rows"] is None) != (columns is None) for each in every):
        raise ValueError("either all journeys have rows, with columns, or none has")
    return kind(
        journeys,
        destinations,
        why_not=_with_offers(
            _read_why_not(content["why_not"], content["certificate"], goal),
            content.get("offers", []),
        ),
        goal=goal,
        survey=_validated(Survey, content["survey"]),
        proof=_proof(content.get("proof")),
        variants=variants,
        kept=tuple(map(str, content.get("kept", []))),
    )


def _goal(content: Any) -> Goal | Range | None:
    predicts = isinstance(content, dict) and "low" in content
    return _validated(Range, content) if predicts else _validated(Goal, content)


def _proof(content: Any) -> Proof:
    """What is proven; documents from before there were proofs say nothing."""
    if content is None:
        return Proof()
    if missing := set(Proof().to_dict()) - set(content):
        raise ValueError(f"the proof has no {', '.join(sorted(missing))}")
    bound = np.inf if content["bound"] is None else content["bound"]
    return _needed(Proof, {**content, "bound": bound})


def _validated(kind: type[T], content: Any) -> T | None:
    """A small value of `kind`, or None; an error names its first wrong field."""
    if content is None:
        return None
    try:
        return TypeAdapter(kind).validate_json(json.dumps(content), strict=True)
    except ValidationError as fault:
        first = fault.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ValueError(f"{kind.__name__} {field}: {first['msg']}") from None


def _certificate(why_not: WhyNot | None) -> dict[str, Any] | None:
    """What would open a journey; searched for now, if it was not before."""
    certificate = None if why_not is None else why_not.certificate
    if certificate is None:
        return None
    return {
        "kind": certificate.kind,
        "complete": certificate.complete,
        "threshold": certificate.threshold,
        "searched": certificate.searched,
        "personal": list(certificate.personal),
        "worse": list(certificate.worse),
        "n_having": certificate.n_having,
        "proven": certificate.proven,
        "bridge": None if certificate.bridge is None else asdict(certificate.bridge),
        "columns": _columns(tuple(each.journey for each in certificate.relaxations)),
        "relaxations": [
            {"rules": [asdict(rule) for rule in each.rules], "journey": _journey(each.journey)}
            for each in certificate.relaxations
        ],
    }


def _read_why_not(content: Any, certificate: Any, goal: Goal | Range | None) -> WhyNot | None:
    why_not = _validated(WhyNot, content)
    if why_not is None or certificate is None:
        return why_not
    columns = certificate["columns"]
    relaxations = tuple(
        Relaxation(
            tuple(_needed(Rule, rule) for rule in each["rules"]),
            _read_journey(each["journey"], columns, 1, goal),
        )
        for each in certificate["relaxations"]
    )
    plain = {each.name for each in fields(_Head)} & set(certificate)
    head = _needed(_Head, {name: certificate[name] for name in plain})
    bridge = _validated(Bridge, certificate["bridge"])
    read = Certificate(relaxations=relaxations, bridge=bridge, **vars(head))
    return replace(why_not, certify=partial(_as_read, read))


def _with_offers(why_not: WhyNot | None, content: list[Any]) -> WhyNot | None:
    """The reason with what was offered; documents from before there were offers have none."""
    if why_not is None or not content:
        return why_not
    read = tuple(_needed(Offer, each) for each in content)
    return replace(why_not, offer=partial(_as_read, read))


@dataclass(frozen=True)
class _Head:
    """The plain part of a certificate."""

    kind: Obstacle
    complete: bool
    threshold: float | None
    searched: str = ""
    personal: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    n_having: int | None = None
    proven: str = ""


def _as_read(value: T) -> T:
    return value


def _needed(kind: type[T], content: Any) -> T:
    value = _validated(kind, content)
    if value is None:
        raise ValueError(f"a {kind.__name__} is missing")
    return value


def _journey(journey: Journey) -> dict[str, Any]:
    """A journey step by step; where steps pass waypoints, all of these stand in `passed`."""
    steps = journey.in_steps
    several = isinstance(journey.goal, Goal) and len(journey.goal.target) > 1
    reaches = {"reaches": journey.reaches} if several else {}
    passed = {}
    if journey.stops is not None:
        passed = {"passed": _waypoints(journey) | {"stops": journey.stops.tolist()}}
    return (
        reaches
        | passed
        | _waypoints(steps)
        | {
            "own": journey.own,
            "cost": journey.cost,
            "dips": journey.dips,
            "chances": _numbers(steps.chances),
            "predictions": _numbers(steps.predictions),
            "period": journey.period,
        }
    )


def _waypoints(journey: Journey) -> dict[str, Any]:
    """What there is to say of each waypoint."""
    towards = {} if journey.towards is None else {"towards": _numbers(journey.towards)}
    return towards | {
        "vertices": journey.vertices.tolist(),
        "waypoints": _numbers(journey.waypoints),
        "step_costs": _numbers(journey.step_costs),
        "remaining": _numbers(journey.remaining),
        "probabilities": _numbers(journey.probabilities),
        "agreement": _numbers(journey.agreement),
        "rarity": _numbers(journey.rarity),
        "times": _numbers(journey.times),
        "rows": None if journey.rows is None else records_of(journey.rows),
    }


def _read_journey(
    content: dict[str, Any],
    columns: list[dict[str, Any]] | None,
    n_destinations: int,
    goal: Goal | Range | None,
) -> Journey:
    content = content | content.get("passed", {})
    rows, waypoints = content["rows"], finite_floats(content["waypoints"], "waypoints", ndim=2)
    decode = None if rows is None else partial(_known, frame_of(rows, columns or []), waypoints)
    journey = Journey(
        _whole(content["vertices"], "vertices"),
        waypoints,
        finite_floats(content["step_costs"], "step_costs", ndim=1),
        _floats(content["remaining"], null=np.inf),
        index(content["own"]),
        probabilities=_maybe_floats(content["probabilities"]),
        goal=goal,
        agreement=_maybe_floats(content.get("agreement")),
        rarity=_maybe_floats(content["rarity"]),
        towards=_floats(content["towards"], null=np.inf) if "towards" in content else None,
        times=_maybe_floats(content["times"]),
        period=content["period"],
        decode=decode,
        features=_read_features(columns),
        stops=_whole(content["stops"], "stops") if "stops" in content else None,
    )
    _check_parts(journey, n_destinations)
    return journey


def _check_parts(journey: Journey, n_destinations: int) -> None:
    """Raise an error unless the parts of a journey fit each other."""
    k = len(journey.vertices)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(_PER_WAYPOINT, (k,))
    shapes["remaining"] = (k, n_destinations)
    for name, shape in shapes.items():
        array = getattr(journey, name)
        if array is not None and array.shape != shape:
            raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    for name in ("waypoints", "probabilities", "rows", "towards"):
        table = getattr(journey, name)
        if table is not None and (table.ndim != 2 or len(table) != k):
            raise ValueError(f"{name} must have {k} rows, got shape {table.shape}")
    stops = range(k) if journey.stops is None else journey.stops.tolist()
    if [*stops[:1], *stops[-1:]] != [0, k - 1] or any(u >= v for u, v in pairwise(stops)):
        raise ValueError(f"stops must rise from 0 to {k - 1}, got {stops}")
    if not (0 <= journey.own < n_destinations and isinstance(journey.period, str)):
        raise ValueError(f"own must be a destination, got {journey.own}, and period a text")
    _ = journey.opportunity, journey.figures  # checks the costs, and the answers against the goal


def _known(frame: pd.DataFrame, known: Floats, waypoints: Floats) -> pd.DataFrame:
    """The rows of waypoints, all that are known or some of them."""
    if len(waypoints) == len(known):
        return frame
    places = [int((known == each).all(axis=1).argmax()) for each in waypoints]
    return frame.iloc[places].reset_index(drop=True)


def _columns(journeys: tuple[Journey, ...]) -> list[dict[str, Any]] | None:
    """Name, type and words of every column of the journeys' rows."""
    if not journeys or journeys[0].rows is None:
        return None
    known = journeys[0].features
    return [each | _words(known.get(str(each["name"]))) for each in columns_of(journeys[0].rows)]


def _words(feature: Feature | None) -> dict[str, Any]:
    """What people call a column and its levels, where they call it anything."""
    if feature is None:
        return {}
    words = {key: getattr(feature, key) for key in _SAID if getattr(feature, key)}
    return words | ({"named": [list(each) for each in feature.named]} if feature.named else {})


def _read_features(columns: list[dict[str, Any]] | None) -> dict[str, Feature]:
    """Features that know the words of columns, and nothing else of them."""
    features = {}
    for column in columns or []:
        words = {key: str(column[key]) for key in _SAID if key in column}
        values = {level: str(said) for level, said in column.get("named", [])}
        if words or values:
            name, kind = str(column["name"]), "categorical" if values else "numeric"
            plain = Feature(name, kind, tuple(values))
            label, unit, about = (words.get(key) for key in _SAID)
            features[name] = plain.labelled(label, unit, about, values)
    return features


_SAID = ("label", "unit", "about")
"""Words of a feature that stand in a document."""


def columns_of(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Name and type of every column of a table."""
    return [{"name": name, **_dtype(rows[name])} for name in rows.columns]


def _dtype(column: pd.Series[Any]) -> dict[str, Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = column.cat.categories
        return {"dtype": "category", "levels": levels.tolist(), "ordered": bool(column.cat.ordered)}
    return {"dtype": str(column.dtype)}


def records_of(rows: pd.DataFrame) -> list[list[Any]]:
    """Rows as values that JSON can hold."""
    return [[_plain(value) for value in row] for row in rows.astype(object).to_numpy().tolist()]


def frame_of(rows: list[list[Any]], columns: list[dict[str, Any]]) -> pd.DataFrame:
    """The table of `records_of` and `columns_of`."""
    cells = zip(columns, zip(*rows, strict=True), strict=True)
    frame = pd.DataFrame({c["name"]: _read_column(pd.Series(v, dtype=object), c) for c, v in cells})
    if len(frame.columns) != len(columns):
        raise ValueError("columns have the same name")
    if not all(isinstance(column["name"], str | int | float) for column in columns):
        raise ValueError("columns must have names")
    return frame


def _read_column(values: pd.Series[Any], column: dict[str, Any]) -> pd.Series[Any]:
    if column["dtype"] != "category":
        typed = values.astype(column["dtype"])
        if typed.dtype.kind not in "biufOmM":  # neither number, text nor time
            raise ValueError(f"{column['name']!r} has type {typed.dtype}")
        return typed
    levels = column["levels"]
    if not (values.isin(levels) | values.isna()).all():
        raise ValueError(f"{column['name']!r} has values that are not among its levels {levels}")
    return values.astype(pd.CategoricalDtype(levels, ordered=column["ordered"]))


def _plain(value: Any) -> Any:
    if pd.isna(value):
        return None
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | int | float) else str(value)


def _numbers(values: Floats | None) -> Any:
    """An array as nested lists, NaN and infinity as null."""
    if values is None:
        return None
    cells = values.astype(object)
    cells[~np.isfinite(values)] = None
    return cells.tolist()


def _whole(values: Any, name: str) -> Ints:
    array = np.array(values)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must be whole numbers, got {values!r}")
    return array.astype(np.int64)


def _maybe_floats(values: Any) -> Floats | None:
    return None if values is None else _floats(values)


def _floats(values: Any, null: float = np.nan) -> Floats:
    array = np.array(values, dtype=np.float64)  # null becomes NaN
    return np.where(np.isnan(array), null, array)
