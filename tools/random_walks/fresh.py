"""Answers that owe nothing to the page: the model itself, rules made of limits, an explainer anew.

Limits are told to a terrain here as whoever writes rules would, without the code of walks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from facelift.terrain.rulebook import without
from facelift.views.page import Document
from facelift.walking.guide import Guide
from facelift.walking.limits import FACTORS, Limits
from facelift.walking.walk import Walk

Row = Mapping[str, Any]
"""Values by column."""


def needed(guide: Guide, limits: Limits) -> tuple[float, float]:
    """The chance that decides, and the one that ways end at."""
    explainer: Any = guide.explainer
    if limits.chance is not None:
        return explainer.threshold, max(explainer.threshold, limits.chance)
    return explainer.threshold, explainer.needed


def periods_left(guide: Guide, walk: Walk) -> float | None:
    """How many periods there are left, by the time that everything so far has taken."""
    if walk.limits.deadline is None:
        return None
    explainer: Any = guide.explainer
    in_all = explainer.terrain_.n_periods(f"{walk.limits.deadline} months")
    return float(max(0.0, in_all - sum(event.time for event in walk.past)))


def frame(guide: Guide, rows: Iterable[Row]) -> pd.DataFrame:
    """Rows of the table, as the model was given them."""
    explainer: Any = guide.explainer
    one = explainer.terrain_.to_pandas(guide._case[np.newaxis, :])
    return pd.DataFrame(list(rows), columns=one.columns).astype(one.dtypes)


def chances(guide: Guide, rows: list[Row]) -> list[float]:
    """What the model itself says of some rows: their chances of what is wanted."""
    if not rows:
        return []
    explainer, goal = guide.explainer, guide.multiverse.goal
    answers = explainer.model.predict_proba(frame(guide, rows))  # type: ignore[union-attr]
    return [float(chance) for chance in goal.chances(answers)]  # type: ignore[union-attr]


def in_time(guide: Guide, here: Any, rows: list[Row]) -> list[Row]:
    """Rows at the time one could have them, coming from a point: what ages by itself has aged."""
    if not rows:
        return []
    explainer: Any = guide.explainer
    terrain = explainer.terrain_
    points = terrain.aged(here, np.asarray(terrain.encode(frame(guide, rows))))
    return [
        {str(name): value for name, value in row.items()}
        for _, row in terrain.to_pandas(points).astype(object).iterrows()
    ]


def rank(feature: Any, value: Any) -> float:
    """A value of a column with an order, as a number."""
    return feature.levels.index(value) if feature.levels else float(value)


def ruled(terrain: fl.Terrain, limits: Limits, here: Row, done: Row) -> fl.Terrain:
    """A terrain whose rules are somebody's limits, and that nothing `done` is undone."""
    terrain = without(terrain, limits.lifted)
    for rule in limits.ruled_out:
        terrain = _ruled_out(terrain, rule, here)
    for name, ease in limits.ease.items():
        own = terrain.feature(name)
        if ease == "never":
            terrain = terrain.freeze(name)
            continue
        by = FACTORS[ease]
        terrain = terrain.price(name, increase=by * own.increase, decrease=by * own.decrease)
        for start, end, price in own.transitions:
            terrain = terrain.transition(name, start, end, price=by * price)
    for name, (low, high) in limits.bounds.items():
        terrain = _bounded(terrain, name, low, high, here[name])
    for name, values in done.items():
        terrain = _kept(terrain, name, values)
    return terrain


def _ruled_out(terrain: fl.Terrain, rule: Any, here: Row) -> fl.Terrain:
    own = terrain.feature(rule.feature)
    if own.levels:
        for start in own.levels:
            for end in own.levels:
                if start != end and _passes(own, rule, start, end):
                    terrain = terrain.forbid(rule.feature, start, end)
        return terrain
    if rule.end > rule.start:
        if here[rule.feature] < rule.end:
            most = min(own.upper, float(np.nextafter(rule.end, -math.inf)))
            return terrain.between(rule.feature, own.lower, most)
    elif here[rule.feature] > rule.end:
        least = max(own.lower, float(np.nextafter(rule.end, math.inf)))
        return terrain.between(rule.feature, least, own.upper)
    return terrain


def _passes(feature: Any, rule: Any, start: Any, end: Any) -> bool:
    """Whether a change is the one ruled out, or leads past its end."""
    if not feature.has_order:
        return bool(end == rule.end)
    sign = 1 if rank(feature, rule.end) > rank(feature, rule.start) else -1
    edge = sign * rank(feature, rule.end)
    return bool(sign * rank(feature, start) < edge <= sign * rank(feature, end))


def _bounded(terrain: fl.Terrain, name: str, low: float, high: float, now: Any) -> fl.Terrain:
    own = terrain.feature(name)
    if now is None:
        return terrain.between(name, max(low, own.lower), min(high, own.upper))
    if not own.lower <= now <= own.upper:
        return terrain
    if now > high:
        terrain = terrain.price(name, increase=math.inf)
    if now < low:
        terrain = terrain.price(name, decrease=math.inf)
    return terrain.between(name, min(max(low, own.lower), now), max(min(high, own.upper), now))


def _kept(terrain: fl.Terrain, name: str, values: tuple[Any, ...]) -> fl.Terrain:
    own = terrain.feature(name)
    if own.ages is not None or own.frozen or None in values:
        return terrain
    if own.has_order:
        rose = rank(own, values[-1]) > rank(own, values[0])
        return terrain.price(name, **{"decrease" if rose else "increase": math.inf})
    for left in dict.fromkeys(values[:-1]):
        for start in own.levels:
            if start != left:
                terrain = terrain.forbid(name, start, left)
    return terrain


def done(walk: Walk) -> dict[str, tuple[Any, ...]]:
    """By column: the values that steps led away from and to, since something else happened."""
    found: dict[str, tuple[Any, ...]] = {}
    for event in walk.past:
        for name, before, after in event.changes:
            if event.kind == "step":
                found[name] = (*found.get(name, (before,)), after)
            else:
                found.pop(name, None)
    return found


def asked_anew(
    table: pd.DataFrame, guide: Guide, shown: Document, also: list[Row], **parameters: Any
) -> fl.Multiverse:
    """The ways from where somebody stands, by an explainer that is fitted to the table anew.

    Rows that are to be ends `also` are, if they can be.
    """
    own, limits = guide.explainer, shown.walk.limits
    here = guide.planned(shown.walk).row
    kept = {} if limits.undo else done(shown.walk)
    asked = own.get_params(deep=False) | parameters  # type: ignore[union-attr]
    terrain = asked["terrain"] or fl.Terrain.infer(table)
    asked["terrain"] = ruled(terrain, limits, here, kept)
    decides, enough = needed(guide, limits)
    firm = shown.walk.past or limits.chance is not None
    asked["threshold"] = enough if firm else decides
    asked["margin"] = 0.0 if firm else enough - decides
    asked["max_steps"] = limits.max_steps or asked["max_steps"]
    asked["n_counterfactuals"] = shown.walk.n_ways or asked["n_counterfactuals"]
    asked["patience"] = parameters.get("patience") or limits.patience or asked["patience"]
    if limits.rare:
        asked["plausibility"] = 1.0
    explainer = fl.FACElift(**asked).fit(table)
    wanted = [
        label
        for label in explainer.classes_.tolist()
        if str(label) in guide.multiverse.goal.target  # type: ignore[union-attr]
    ]
    ends = frame(guide, also) if also else None
    left = periods_left(guide, shown.walk)
    case, onward = frame(guide, [here]), not limits.undo
    return explainer.explain(case, wanted, also=ends, deadline=left, onward=onward)
