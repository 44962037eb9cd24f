"""What is uncertain: estimates, times, other models, and what is proven."""

from __future__ import annotations

import math
import re

from facelift.geometry import TOLERANCE
from facelift.language import say
from facelift.models.doubts import around
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.words import letter as letter_of
from facelift.views.letters.case import Case
from facelift.views.letters.content import Section, WayPart


def what_is_uncertain(case: Case, shown: list[int], ways: tuple[WayPart, ...]) -> Section:
    """What is proven and what not, that chances are estimates, and what a committee says."""
    say, sentences = case.language.say, []
    if isinstance(case.multiverse.goal, Goal):
        sentences.append(say("Chances are estimates of the model, not promises."))
    elif isinstance(case.multiverse.goal, Range):
        sentences.append(say("What the model predicts is an estimate, not a promise."))
    if any(way.time for way in ways):
        sentences.append(say("The times are the shortest we expect; yours may be longer."))
    sentences.append(say("The model may have changed when you apply again."))
    sentences += [*_committee(case, shown), *_doubts(case, shown), _proof(case)]
    return Section(say("What is uncertain"), (" ".join(sentences),))


def _committee(case: Case, shown: list[int]) -> list[str]:
    """How many of the other models agree on where each way ends."""
    committee = None if case.explainer is None else case.explainer.oracle_.committee
    if committee is None:
        return []
    n = len(committee.models)
    return [
        case.language.count(
            "Of {n} model made in the same way, {agree} agrees on way {letter}.",
            "Of {n} models made in the same way, {agree} agree on way {letter}.",
            n,
            agree=round(n * float(journey.agreement[-1])),
            letter=letter_of(number),
        )
        for number in shown
        if (journey := case.multiverse[number]).agreement is not None
    ]


def _doubts(case: Case, shown: list[int]) -> list[str]:
    """Where the model is often wrong, or a small difference undoes what a way reaches."""
    goal = case.multiverse.goal
    if case.explainer is None or goal is None:
        return []
    told = [
        say("At the end of way {letter}: {doubt}", letter=letter_of(number), doubt=each)
        for number in shown
        for each in around(case.explainer, case.multiverse[number].counterfactual, goal).doubts
    ]
    return list(map(case.language.tell, told))


def _proof(case: Case) -> str:
    """What is proven, in the words of the language."""
    say, proof = case.language.say, case.multiverse.proof
    steps = re.search(r"of at most (\d+) step", proof.sentence)
    through = "through the records" in proof.sentence
    if proof.kind == "nothing below" and math.isinf(proof.bound):
        if steps:
            return case.language.count(
                "It is proven that there is no way of {n} step under these rules.",
                "It is proven that there is no way of at most {n} steps under these rules.",
                int(steps[1]),
            )
        if through:
            return say("It is proven that there is no way from one known case to the next.")
        return say("It is proven that there is no way under these rules.")
    if proof.kind == "cheapest":
        if steps:
            return case.language.count(
                "It is proven that no way of {n} step takes less effort than way A.",
                "It is proven that no way of at most {n} steps takes less effort than way A.",
                int(steps[1]),
            )
        if through:
            return say(
                "It is proven that no way from one known case to the next takes less effort "
                "than way A."
            )
        return say("It is proven that, within these rules, no way takes less effort than way A.")
    if proof.kind == "within" and proof.gap is not None and proof.gap <= 1:
        return say(
            "It is proven that way A takes at most {percent} % more effort than any other can.",
            percent=math.ceil(100 * proof.gap * (1 - TOLERANCE)),
        )
    if not len(case.multiverse):
        return say("It is not proven that there is none.")
    return say("It is not proven that no way takes less effort.")
