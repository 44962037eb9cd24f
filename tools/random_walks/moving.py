"""Moves at random: something a person could do on the page."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from facelift.views.page import Document
from facelift.walking.limits import Limits
from facelift.walking.walk import Again, Move, Other, Overview, RuleOut, SetLimits, Take, Unfold

EASES = ("very easy", "easy", "ok", "hard", "very hard", "never")
MOVES = [
    *["take"] * 6,
    *["rule out"] * 2,
    *["ease"] * 4,
    *["bound", "allow", "other", "more", "aim", "search"],
]


def random_move(shown: Document, rng: random.Random) -> Move:
    """Something a person could do on the page."""
    limits, settings = shown.walk.limits, shown.settings.settings
    cards = [card.vertex for card in shown.cards.cards]
    kind = rng.choice(MOVES)
    if shown.nothing is not None and rng.random() < 0.6:
        return SetLimits(rng.choice([Limits(), *(each.limits for each in shown.nothing.loosen)]))
    if kind in ("take", "rule out") and cards:
        return (Take if kind == "take" else RuleOut)(rng.choice(cards))
    if kind == "aim" and shown.settings.base_chance is not None:
        return SetLimits(replace(limits, chance=rng.choice([None, 0.55, 0.6, 0.7])))
    if kind == "more":
        letters = [way.letter for way in shown.ways] or ["A"]
        unfolded = [Unfold(rng.choice(letters)), Unfold(None)]
        overviews = [Overview(rng.choice([0.25, 0.5, 1.0])), Overview(0.0)]
        return rng.choice([Again(12), Again(None), *unfolded, *overviews])
    if kind == "search" and settings:
        return SetLimits(_searched(limits, rng, timed=shown.settings.timed))
    if not settings or kind in ("take", "rule out", "allow", "aim"):
        return SetLimits(replace(limits, ruled_out=limits.ruled_out[1:], edges=limits.edges[1:]))
    setting = rng.choice(settings)
    if kind == "bound" and setting.least is not None and isinstance(setting.value, int | float):
        low, high = sorted(rng.uniform(setting.least, setting.most or 0) for _ in range(2))
        if rng.random() < 0.7:  # else one may stand beyond one's own bounds
            low, high = min(low, setting.value), max(high, setting.value)
        return SetLimits(replace(limits, bounds={**limits.bounds, setting.name: (low, high)}))
    if kind == "other":
        return Other({setting.name: _some_value(setting, rng)}, rng.random() < 0.3)
    eased: Any = {**limits.ease, setting.name: rng.choice(EASES)}
    return SetLimits(replace(limits, ease=eased))


def _searched(limits: Limits, rng: random.Random, *, timed: bool) -> Limits:
    """The limits with something else looked for."""
    if rng.random() < 0.4:
        return replace(limits, max_steps=rng.choice([None, 2, 3]))
    if timed and rng.random() < 0.4:
        return replace(limits, deadline=rng.choice([None, 6, 24, 60]))
    return replace(limits, **{rng.choice(["rare", "undo"]): rng.random() < 0.5})


def _some_value(setting: Any, rng: random.Random) -> Any:
    if setting.levels:
        return rng.choice(setting.levels)
    if setting.least is None or not isinstance(setting.value, int | float):
        return setting.value
    value = rng.uniform(setting.least, setting.most)
    return round(value) if setting.whole else value
