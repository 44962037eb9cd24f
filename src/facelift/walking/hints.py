"""What loosening one limit would open: each thing a person ruled out, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from facelift.language import Sentence, say
from facelift.multiverse.certificate import relaxed_words
from facelift.multiverse.whynot import MORE_STEPS
from facelift.multiverse.words import Features, effort_size, in_words, name_words
from facelift.steps import PATIENCE, patience_of
from facelift.steps.actions import MAX_ACTIONS
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits, freed
from facelift.walking.walk import SetLimits, Walk

N_RELAXED = 5
"""So many sets of rules are offered to be tried without: those that open the cheapest ways."""

LooseningKind = Literal[
    "longer",
    "let change",
    "beyond",
    "allow",
    "allow step",
    "rules",
    "chance",
    "time",
    "steps",
    "rare",
    "all",
]


@dataclass(frozen=True)
class Loosen:
    """Something to loosen, of what kind, in words, and the limits that would be left."""

    kind: LooseningKind
    words: str
    limits: Limits


@dataclass(frozen=True)
class Opened:
    """What loosening opens: how many ways, and the effort of the nearest (None: none).

    `size` says whether that is small, medium or large.
    """

    n_ways: int
    effort: float | None
    size: str


def loosenings(guide: Guide, walk: Walk) -> list[Loosen]:
    """Search longer; then what could be loosened: own limits, rules, what is looked for.

    Rules are offered in the smallest sets that open a way. Those of the terrain are among them:
    whether anybody can do without is for those to say who wrote them.
    """
    own = list(_own(walk.limits, guide.features))
    if len(own) > 1:
        own.append(Loosen("all", say("Lift all your limits at once"), Limits()))
    known = [each.limits for each in own]
    own += [each for each in _rules(guide, walk) if each.limits not in known]
    return [*_longer(guide, walk), *own, *_search(guide, walk.limits)]


def opened(guide: Guide, walk: Walk, limits: Limits) -> Opened:
    """What a walk would find with other limits, without taking them on."""
    plan = guide.plan(guide.moved(walk, SetLimits(limits)))
    costs = plan.ways.costs
    if not len(costs):
        return Opened(0, None, "")
    least = float(np.min(costs))
    return Opened(len(costs), least, "" if guide.explainer is None else effort_size(least))


def _longer(guide: Guide, walk: Walk) -> Iterator[Loosen]:
    """To search longer, where that was not all, and nobody knows that there is nothing."""
    longest, more = PATIENCE["thorough"], guide.searched(walk).unfinished
    if guide.explainer is None or not more or walk.limits.patience:
        return
    if patience_of(guide.explainer.patience).work < longest.work:
        yield Loosen("longer", say("Search longer"), replace(walk.limits, patience="thorough"))


def _own(limits: Limits, features: Features) -> Iterator[Loosen]:
    for name, ease in limits.ease.items():
        if ease == "never":
            rest = {other: each for other, each in limits.ease.items() if other != name}
            words = say("Let “{name}” change", name=name_words(name, features))
            yield Loosen("let change", words, replace(limits, ease=rest))
    for name in limits.bounds:
        left = {other: each for other, each in limits.bounds.items() if other != name}
        words = say("Let “{name}” go beyond your bounds", name=name_words(name, features))
        yield Loosen("beyond", words, replace(limits, bounds=left))
    for i, rule in enumerate(limits.ruled_out):
        kept = limits.ruled_out[:i] + limits.ruled_out[i + 1 :]
        (step,) = in_words([(rule.feature, rule.start, rule.end)], features)
        words = say("Allow the step “{step}”", step=str(step))
        yield Loosen("allow", words, replace(limits, ruled_out=kept))
    if limits.deadline is not None:
        words = say("Take as long as it takes")
        yield Loosen("time", words, replace(limits, deadline=None))
    for i in range(len(limits.edges)):
        edges = limits.edges[:i] + limits.edges[i + 1 :]
        words = say("Allow step {n} that you ruled out", n=i + 1)
        yield Loosen("allow step", words, replace(limits, edges=edges))


def _rules(guide: Guide, walk: Walk) -> Iterator[Loosen]:
    """The smallest sets of rules, by the certificate of what was searched."""
    why_not = guide.searched(walk).why_not
    if why_not is None or guide.explainer is None:
        return
    for relaxation in why_not.relaxations[:N_RELAXED]:
        limits = freed(walk.limits, relaxation.rules, guide.explainer.terrain_)
        if relaxation.parameters:
            limits = replace(limits, max_steps=relaxation.journey.n_steps)
        rules = relaxed_words(relaxation.rules, guide.features)
        yield Loosen("rules", say("Go without these rules: {rules}", rules=rules), limits)


def _search(guide: Guide, limits: Limits) -> Iterator[Loosen]:
    explainer = guide.explainer
    if explainer is None:
        return
    if limits.chance is not None and limits.chance > explainer.needed:
        needed = Sentence("percent", (f"{100 * explainer.needed:.6g}",), {})
        words = say("Accept a chance of {chance}", chance=needed)
        yield Loosen("chance", words, replace(limits, chance=None))
    if guide.single_changes:
        n_steps = (limits.max_steps or explainer.max_steps or MAX_ACTIONS) + MORE_STEPS
        words = say("Allow up to {n} steps", n=n_steps)
        yield Loosen("steps", words, replace(limits, max_steps=n_steps))
        if not limits.rare and explainer.plausibility < 1:
            words = say("Accept situations that few people have been in")
            yield Loosen("rare", words, replace(limits, rare=True))
