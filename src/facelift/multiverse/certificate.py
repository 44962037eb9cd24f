"""A certificate that there is no journey: what stands between, and what would open one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pandas as pd

from facelift.multiverse.journey import Journey
from facelift.multiverse.words import name_words
from facelift.terrain.relaxing import Rule
from facelift.terrain.terrain import Terrain

Kind = Literal["no candidate", "not connected", "too many steps", "rules"]

N_TOLD = 5
"""So many relaxations are told in words; all are listed."""

COLUMNS = ["relaxation", "rule", "relaxed", "cost", "steps"]


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A smallest set of rules whose relaxing opens a journey, and the cheapest journey it opens.

    None of the rules could be kept. `terrain` and `parameters` are what to explain under:
    `explainer.under(relaxation.terrain, **relaxation.parameters)` finds the journey (both are
    missing when read back from JSON). A relaxed rule has the ordinary price, 1.

    Examples
    --------
    >>> import numpy as np
    >>> from facelift import FACElift, Terrain
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([10 - x, x]) / 10
    >>> frozen = FACElift(model, Terrain.infer(line).freeze("x0"), n_neighbors=2).fit(line)
    >>> relaxation = frozen.explain([2.0]).why_not.relaxations[0]
    >>> print(relaxation)
    let X0 rise (2 steps, effort 0.30)
    >>> frozen.under(relaxation.terrain, **relaxation.parameters).explain([2.0])[0]
    Journey(2 steps, cost 0.3)
    """

    rules: tuple[Rule, ...]
    journey: Journey
    terrain: Terrain | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """Cost of the journey."""
        return self.journey.cost

    def __str__(self) -> str:
        steps = f"{self.journey.n_steps} step{'' if self.journey.n_steps == 1 else 's'}"
        return f"{relaxed_words(self.rules)} ({steps}, effort {self.cost:.2f})"


@dataclass(frozen=True)
class Bridge:
    """The cheapest step that is missing between what is in reach and what leads to the outcome.

    `n_here` states are in reach, and from `n_there` others there is a way. The step is allowed, but
    `end` is not among the nearest of `start` (two vertices); `n_neighbors` and `max_step` (None: as
    they are) would make it an edge.

    Examples
    --------
    >>> bridge = Bridge(3, 7, cost=0.4, n_here=12, n_there=30, n_neighbors=25)
    >>> str(bridge).partition(". ")[2]
    'The cheapest missing step costs 0.4: n_neighbors=25 would make it.'
    """

    start: int
    end: int
    cost: float
    n_here: int
    n_there: int
    n_neighbors: int | None = None
    max_step: float | None = None

    def __str__(self) -> str:
        needed = []
        if self.n_neighbors is not None:
            needed.append(f"n_neighbors={self.n_neighbors}")
        if self.max_step is not None:
            needed.append(f"max_step={self.max_step:.6g}")
        here = f"{self.n_here:,} state{' is' if self.n_here == 1 else 's are'} in reach"
        there = f"{self.n_there:,} other{'' if self.n_there == 1 else 's'}"
        return (
            f"{here}; from {there} there is a way on. The cheapest missing step costs "
            f"{self.cost:.3g}: {' and '.join(needed)} would make it."
        )


@dataclass(frozen=True, eq=False)
class Certificate:
    """Why there is no journey, exactly, and the smallest changes that open one.

    Of these kinds: "no candidate", nothing has the outcome, whatever the rules; "not connected",
    the rules allow a way, but neighbourhoods do not connect; "too many steps"; "rules", every way
    breaks one. `relaxations` are the smallest sets of rules to relax, cheapest journey first;
    `complete` says whether these are all there are, or all that a bounded search came by.
    `threshold` is the highest chance that would do for this case under the rules as they are (None:
    none would).

    Examples
    --------
    >>> print(Certificate("no candidate"))
    Nothing has the outcome, whatever the rules.
    """

    kind: Kind
    relaxations: tuple[Relaxation, ...] = ()
    complete: bool = True
    bridge: Bridge | None = None
    threshold: float | None = None

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """What stands between and what would help, line by line."""
        unsure = self.kind == "rules" and not self.complete
        lines = ["No way within the rules was found." if unsure else _KINDS[self.kind]]
        if self.bridge is not None:
            lines.append(str(self.bridge))
        if self.threshold is not None:
            lines.append(f"Under these rules a threshold of {self.threshold:.3f} would do.")
        if self.relaxations:
            found = f"{len(self.relaxations)}{'' if self.complete else ' found; maybe more'}"
            lines.append(f"Smallest sets of rules to relax, cheapest first ({found}):")
            told = [f"  {n}. {each}" for n, each in enumerate(self.relaxations[:N_TOLD], start=1)]
            lines += told
            if len(self.relaxations) > N_TOLD:
                lines.append(f"  … and {len(self.relaxations) - N_TOLD} more.")
        elif not self.complete:
            lines.append("Which rules to relax was not found in the time there is.")
        elif self.kind != "no candidate":
            lines.append("No set of rules would help.")
        return lines

    def to_frame(self) -> pd.DataFrame:
        """One row per relaxation and rule: what to relax, the journey's cost and its steps."""
        records = [
            (number, str(rule), rule.relaxed, each.cost, each.journey.n_steps)
            for number, each in enumerate(self.relaxations)
            for rule in each.rules
        ]
        return pd.DataFrame(records, columns=COLUMNS)


Certify = Callable[[], Certificate]

_KINDS: dict[Kind, str] = {
    "no candidate": "Nothing has the outcome, whatever the rules.",
    "not connected": "The rules allow it, but no chain of neighbours leads there.",
    "too many steps": "There is a way, but it has too many steps.",
    "rules": "Every way breaks a rule.",
}


def relaxed_words(rules: tuple[Rule, ...]) -> str:
    """What relaxing some rules means, as people say it; what may rise and fall may change.

    >>> relaxed_words((Rule("rise", "age"), Rule("fall", "age"), Rule("change", "sex")))
    'let Age change, let Sex change'
    """
    known = set(rules)
    said = []
    for rule in rules:
        both = {Rule("rise", rule.feature), Rule("fall", rule.feature)}
        if rule in both and both <= known:
            said.append(Rule("change", name_words(rule.feature)).relaxed)
        else:
            said.append(replace(rule, feature=name_words(rule.feature)).relaxed)
    return ", ".join(dict.fromkeys(said))
