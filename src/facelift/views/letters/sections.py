"""Sections of a letter: the decision, what counted, what is uncertain, and how to disagree.

What must be said by law differs between regimes; `docs/reference/letter.md` lists what each law
asks for and where the letter has it. This is no legal advice.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from facelift.errors import InvalidInput, nearest_name
from facelift.geometry import TOLERANCE
from facelift.language import Language, joined, say
from facelift.models.doubts import around
from facelift.multiverse.certificate import stops_decide
from facelift.multiverse.frames import Change
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.words import letter as letter_of
from facelift.views.letters.content import Case, Section, WayPart

MOST_REASONS = 4
"""So many facts a letter names as those that counted; Regulation B has no more, either."""

REGIMES = ("eu", "us", "plain")
"""GDPR; ECOA with Regulation B; neither."""


def decision(case: Case, outcome: str, person: bool | None) -> Section:
    """The decision, its threshold, and whether a person took part."""
    say = case.language.say
    part = {
        None: case.language.blank(say("say whether a person took part in this decision")),
        False: say("No person took part in this decision."),
        True: say("A person took part in this decision."),
    }[person]
    told = _judgement(case, outcome)
    return Section(say("What was decided, and how"), paragraphs=(f"{told} {part}",))


def _judgement(case: Case, outcome: str) -> str:
    say, goal, figure = case.language.say, case.multiverse.goal, case.figure_now()
    if goal is None or figure is None:
        return say("The decision follows from the facts about you.")
    if isinstance(goal, Range):
        return say(
            "A computer model looked at the facts about you. It predicts {predicted}. We need "
            "{range}.",
            predicted=case.language.number(figure, grouped=True),
            range=range_words(case, goal),
        )
    words = ", ".join(map(case.language.label, goal.target))
    return say(
        "A computer model looked at the facts about you. It puts the chance of {outcome} at "
        "{chance} in 100. We need at least {needed} in 100.",
        outcome=outcome or say("“{words}”", words=words),
        chance=case.figure_words(goal, figure),
        needed=case.language.marked_percent(goal.decides),
    )


def range_words(case: Case, goal: Range) -> str:
    """The range that is needed."""
    say = case.language.say
    low, high = (
        "" if end is None else case.language.number(end, grouped=True)
        for end in (goal.low, goal.high)
    )
    if not high:
        return say("{low} or more", low=low)
    return say("{low} to {high}", low=low, high=high) if low else say("{high} or less", high=high)


def what_counted(case: Case, regime: str) -> list[Section]:
    """What ways need, single changes that suffice, and what nobody is asked to change."""
    say, sentences = case.language.say, []
    if regime == "us":
        title = say("Principal reasons for the decision")
        sentences.append(_reasons(case))
    else:
        title = say("What counted")
        sentences += _needs(case)
    sentences += _single_changes(case)
    personal = [
        case.name(name)
        for name, feature in case.features.items()
        if feature.personal and feature.frozen
    ]
    if personal:
        sentences.append(
            say("We do not ask you to change: {facts}.", facts=case.language.listed(personal))
        )
    return [Section(title, (" ".join(sentences),))] if sentences else []


def _needed(case: Case) -> list[tuple[str, int]]:
    """Columns and how many ways change them, most first; ties as in the cheapest ways."""
    return Counter(name for changed in case.changed for name in changed).most_common()


def _needs(case: Case) -> list[str]:
    """What all ways need, else what most need."""
    say, total, needed = case.language.say, len(case.changed), _needed(case)
    if total == 0:
        return []
    always = [case.name(name) for name, n in needed if n == total]
    if total == 1:
        return [say("The way we found changes: {facts}.", facts=case.language.listed(always))]
    often = [
        say("{name} (on {n} of {total} ways)", name=case.name(name), n=n, total=total)
        for name, n in needed[:MOST_REASONS]
        if 1 < n < total <= 2 * n
    ]
    sentences = []
    if always:
        sentences.append(
            say("Every way we found changes: {facts}.", facts=case.language.listed(always))
        )
    if often:
        facts = case.language.listed(often)
        sentences.append(say("Another decision often takes a change of: {facts}.", facts=facts))
    return sentences


def _reasons(case: Case) -> str:
    """The facts that stood in the way most, with the values they have."""
    if not case.changed:
        say = case.language.say
        return case.language.blank(say("the specific principal reasons for the decision"))
    told = [
        f"{case.name(name)} ({case.value(name, case.values[name])})"
        for name, _ in _needed(case)[:MOST_REASONS]
    ]
    return case.language.say(
        "These facts weighed most against you, judged by what would lead to another decision: "
        "{facts}.",
        facts=case.language.listed(told),
    )


def _single_changes(case: Case) -> list[str]:
    """The smallest changes of one column that suffice; one per column, cheapest first."""
    if not case.changed:
        return []
    alone: dict[str, Change] = {}
    for changed in case.changed:
        if len(changed) == 1:
            for name, change in changed.items():
                alone.setdefault(name, change)
    if not alone:
        return [case.language.say("None of the ways we found makes do with a single change.")]
    told = case.language.listed(case.change(change) for change in alone.values())
    return [
        case.language.count(
            "This change alone is enough: {changes}.",
            "Each of these changes alone is enough: {changes}.",
            len(alone),
            changes=told,
        )
    ]


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
    if stops_decide(case.multiverse):
        sentences.append(say("That is said of the numbers we looked at, not of those between."))
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
    ways: dict[str, list[str]] = {}  # the same doubt is told once
    for number in shown:
        for doubt in around(case.explainer, case.multiverse[number].counterfactual, goal).doubts:
            ways.setdefault(doubt, []).append(letter_of(number))
    alike: dict[tuple[str, ...], list[str]] = {}  # and of the same ways in one go
    for doubt, letters in ways.items():
        alike.setdefault(tuple(letters), []).append(doubt)
    told = [
        say("At the end of way {letter}: {doubt}", letter=letters[0], doubt=joined(doubts, " "))
        if len(letters) == 1
        else say(
            "At the end of ways {letters}: {doubt}",
            letters=case.language.and_joined(letters),
            doubt=joined(doubts, " "),
        )
        for letters, doubts in alike.items()
    ]
    return list(map(case.language.tell, told))


def _proof(case: Case) -> str:
    """What is proven, in the words of the language."""
    say, proof = case.language.say, case.multiverse.proof
    steps = re.search(r"of at most (\d+) step", proof.sentence)
    through = "chain of similar" in proof.sentence
    if proof.kind == "nothing below" and math.isinf(proof.bound):
        if steps:
            return case.language.count(
                "It is proven that there is no way of {n} step under these rules.",
                "It is proven that there is no way of at most {n} steps under these rules.",
                int(steps[1]),
            )
        if through:
            return say("It is proven that no chain of similar cases leads there.")
        return say("It is proven that there is no way under these rules.")
    if proof.kind == "cheapest":
        if steps:
            return case.language.count(
                "It is proven that no way of {n} step takes less effort than way A.",
                "It is proven that no way of at most {n} steps takes less effort than way A.",
                int(steps[1]),
            )
        if through:
            return say("It is proven that no chain of similar cases takes less effort than way A.")
        return say("It is proven that, within these rules, no way takes less effort than way A.")
    if proof.kind == "within" and proof.gap is not None and proof.gap <= 1:
        return say(
            "It is proven that way A takes at most {percent} % more effort than any other can.",
            percent=math.ceil(100 * proof.gap * (1 - TOLERANCE)),
        )
    if not len(case.multiverse):
        return say("It is not proven that there is none.")
    return say("It is not proven that no way takes less effort.")


@dataclass(frozen=True)
class Addresses:
    """Whom to write to: the sender's contact, and the authority that watches over the sender."""

    contact: str
    authority: str


def check_regime(regime: str) -> None:
    """An error if there is no such regime."""
    if regime not in REGIMES:
        raise InvalidInput(f"There is no regime {regime!r}; {nearest_name(regime, REGIMES)}")


def if_you_disagree(regime: str, language: Language, addresses: Addresses) -> Section:
    """How to object, ask for a human, correct a fact and complain."""
    say = language.say
    title = say("If you disagree")
    if regime == "eu":
        return Section(title, points=_eu(language, addresses))
    points = (
        (
            say("Ask for a person to look again."),
            say(
                "Say what you think of the decision. Write to {contact}.", contact=addresses.contact
            ),
        ),
        (
            say("Correct a fact."),
            say("The facts used are enclosed. If one is wrong, tell us and we look again."),
        ),
        (say("Ask how it works."), say("We explain more of how the model decides.")),
    )
    if regime == "plain":
        return Section(title, points=points)
    return Section(title, points=points[:2], below=_us(language, addresses))


def _eu(language: Language, addresses: Addresses) -> tuple[tuple[str, str], ...]:
    """The rights of Articles 15, 16, 22, 77 and 79 of the GDPR."""
    say = language.say
    return (
        (
            say("Ask for a person to decide."),
            say(
                "You may have a person look at the decision, state your view and contest it "
                "(Article 22(3) GDPR). Write to {contact}; no form is needed and it costs nothing.",
                contact=addresses.contact,
            ),
        ),
        (
            say("Correct a fact."),
            say(
                "The facts used are enclosed. If one is wrong, tell us; we correct it and decide "
                "anew (Article 16 GDPR)."
            ),
        ),
        (
            say("Ask how it works."),
            say(
                "You may ask for more on the logic used and for a copy of your data "
                "(Article 15 GDPR)."
            ),
        ),
        (
            say("Complain."),
            say(
                "You may complain to the data protection authority, {authority} "
                "(Article 77 GDPR), or go to court (Article 79 GDPR).",
                authority=addresses.authority,
            ),
        ),
    )


def _us(language: Language, addresses: Addresses) -> tuple[str, ...]:
    """The creditor's notice of 12 CFR 1002.9(b)(1), and a place for that of the FCRA."""
    say = language.say
    notice = say(
        "The Federal Equal Credit Opportunity Act prohibits creditors from discriminating against "
        "credit applicants on the basis of race, color, religion, national origin, sex, marital "
        "status, age (provided the applicant has the capacity to enter into a binding contract); "
        "because all or part of the applicant's income derives from any public assistance "
        "program; or because the applicant has in good faith exercised any right under the "
        "Consumer Credit Protection Act. The Federal agency that administers compliance with this "
        "law concerning this creditor is {authority}.",
        authority=addresses.authority,
    )
    report = say("the notice of the Fair Credit Reporting Act, if a consumer report was used")
    return notice, language.blank(report)
