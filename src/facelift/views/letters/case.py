"""What is known of a case, and its facts, values and changes in the words of a language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import fingerprint
from facelift.errors import InvalidInput
from facelift.language import Language, number
from facelift.multiverse.frames import Change, coordinate_rows, differ, waypoint_rows
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import done, name_words, value_words
from facelift.terrain.feature import Feature
from facelift.terrain.rules import rules_text
from facelift.views.letters.content import Pairs


@dataclass(frozen=True)
class Case:
    """What is known of a case, and the language to tell it in."""

    multiverse: Multiverse
    language: Language

    @cached_property
    def explainer(self) -> Any:
        """The explainer that was asked; None where there was none."""
        question = self.multiverse.question
        return None if question is None else question.explainer

    @cached_property
    def features(self) -> Mapping[str, Feature]:
        """Features by name, where there is a terrain."""
        if self.explainer is not None:
            return {str(feature.name): feature for feature in self.explainer.terrain_.features}
        return self.multiverse[0].features if len(self.multiverse) else {}

    @cached_property
    def changed(self) -> list[dict[str, Change]]:
        """What each way changes in the end."""
        return [{each[0]: each for each in net_changes(journey)} for journey in self.multiverse]

    def figure_now(self) -> float | None:
        """What the model says of the person now."""
        if len(self.multiverse):
            figures = self.multiverse[0].figures
            return None if figures is None else float(figures[0])
        question, goal = self.multiverse.question, self.multiverse.goal
        if question is None or goal is None:
            return None
        answers = question.explainer.oracle_.answers(question.point[np.newaxis])
        return float(goal.figures(answers)[0])

    def figure_words(self, goal: Goal | Range, figure: float) -> str:
        """A chance as so many in 100, or a predicted number."""
        if isinstance(goal, Range):
            return self.language.number(figure, grouped=True)
        return self.language.marked_percent(goal.short_words(figure))

    @cached_property
    def values(self) -> dict[str, Any]:
        """The facts of the case, by column."""
        question = self.multiverse.question
        if len(self.multiverse):
            rows = waypoint_rows(self.multiverse[0])
        elif question is not None:
            rows = question.explainer.terrain_.to_pandas(question.point[np.newaxis])
        else:
            rows = coordinate_rows(np.empty((0, 0)))
        first = rows.astype(object).to_numpy()[:1].ravel()
        return {str(name): value for name, value in zip(rows.columns, first, strict=True)}

    @property
    def facts(self) -> Pairs:
        """Every fact in words."""
        return tuple(
            (self.name(name), self.value(name, value)) for name, value in self.values.items()
        )

    def fingerprints(self) -> Pairs:
        """Of the model's answers, the rules, the data and this answer."""
        say, explainer = self.language.say, self.explainer
        known: dict[str, str] = {}
        if explainer is not None:
            known[say("model")] = fingerprint(explainer.probabilities_)
            known[say("rules")] = _text_fingerprint(_rules_text(explainer.terrain_))
            known[say("data")] = fingerprint(explainer.graph_.points)
        known[say("answer")] = _text_fingerprint(self.multiverse.to_json())
        return tuple(known.items())

    def name(self, name: str) -> str:
        """A column as people call it."""
        return self.language.tell(name_words(name, self.features))

    def value(self, name: str, value: Any, *, unit: bool = True) -> str:
        """A value of a column as people say it."""
        feature = self.features.get(name)
        if pd.isna(value):
            return self.language.say("not known")
        if feature is not None and feature.unit and not unit:
            if isinstance(value, Real) and value not in dict(feature.named):
                return self.language.tell(number(float(value), grouped=True))
            feature = replace(feature, unit="")
        return self.language.tell(value_words(value, feature))

    def change(self, change: Change) -> str:
        """A column, its value after and before."""
        name, before, after = change
        new, old = self.value(name, after), self.value(name, before, unit=False)
        if new == old or new == self.value(name, before):
            new, old = str(after), str(before)
        return self.language.say(
            "{name}: {after} instead of {before}", name=self.name(name), after=new, before=old
        )


def net_changes(journey: Journey) -> list[Change]:
    """The columns that differ between the ends of a journey, and how."""
    rows = waypoint_rows(journey).astype(object)
    ends = zip(rows.columns, rows.iloc[0], rows.iloc[-1], strict=True)
    net = [(str(name), before, after) for name, before, after in ends if differ(before, after)]
    return done(net, journey.features)  # what ages by itself is no advice


def _rules_text(terrain: Any) -> str:
    try:
        return rules_text(terrain)
    except InvalidInput as fault:  # a requirement that is a function has no text
        return str(fault)


def _text_fingerprint(text: str) -> str:
    return fingerprint(np.frombuffer(text.encode(), dtype=np.uint8))
