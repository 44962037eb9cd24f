"""A multiverse in, a letter out: which findings are told, and in which sentences."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from facelift._arrays import fingerprint
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE
from facelift.multiverse.frames import Change, changes, coordinate_rows, differ, waypoint_rows
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.trunk import Trunk
from facelift.multiverse.words import effort_size, name_words
from facelift.multiverse.words import letter as letter_of
from facelift.selection import SLACK, dips, recommended
from facelift.terrain.feature import Feature
from facelift.terrain.rules import rules_text
from facelift.views.letters.content import Letter, Pairs, Section, WayPart
from facelift.views.letters.languages import Language, language_of
from facelift.views.letters.regimes import Addresses, check_regime, if_you_disagree

MOST_WAYS = 3
"""So many ways a letter shows at most."""

MOST_REASONS = 4
"""So many facts a letter names as those that counted; Regulation B has no more, either."""


def letter(
    multiverse: Multiverse,
    journey: Journey | None = None,
    language: str = "en",
    regime: Literal["eu", "us", "plain"] = "eu",
    *,
    n_ways: int = 2,
    sender: str = "",
    recipient: str = "",
    date: dt.date | str = "",
    reference: str = "",
    contact: str = "",
    subject: str = "",
    outcome: str = "",
    person: bool | None = None,
    authority: str = "",
) -> Letter:
    """One page in plain words for the person: the decision, what counted, ways, rights.

    What is not given stands as a place to be filled in; nothing is made up, and no date is put in
    by itself. Names of columns and levels are the terrain's own (`terrain.label`), in the language
    they were written in. A letter is no legal advice.

    Parameters
    ----------
    multiverse
        What `explainer.explain` gave.
    journey
        The way that stands first; the one that `fl.recommend` gives if left out. Those that follow
        differ from it as much as possible.
    language
        "en", "de", "fr", "pl" or "es".
    regime
        "eu" has what the GDPR asks for, "us" what the Equal Credit Opportunity Act does, "plain"
        neither.
    n_ways
        How many ways to show, 1 to 3.
    sender, recipient
        Name and address, a line each.
    date, reference, contact, subject
        What stands at the top; a `datetime.date` is written out in the language.
    outcome
        What the chance is a chance of, such as "repaying as agreed"; the name of the class if left
        out.
    person
        Whether a person took part in the decision.
    authority
        Name and address of the data protection authority, or of the Federal agency ("us").

    Returns
    -------
    Letter
        With `.text` and `.html`; it prints as its text.

    Examples
    --------
    >>> from facelift import FACElift
    >>> from facelift.toys import line
    >>> records, model = line()
    >>> multiverse = FACElift(model, n_neighbors=2, n_counterfactuals=1).fit(records).explain([2.0])
    >>> told = letter(multiverse, language="de", outcome="Rückzahlung", person=False)
    >>> print(told.sections[0].paragraphs[0])
    Ein Computermodell hat die Angaben zu Ihnen ausgewertet. Es schätzt die Chance auf Rückzahlung
    auf 20 von 100. Nötig sind mindestens 50 von 100. An dieser Entscheidung hat kein Mensch
    mitgewirkt.
    """
    check_regime(regime)
    if n_ways not in range(1, MOST_WAYS + 1):
        raise InvalidInput(f"A letter shows 1 to {MOST_WAYS} ways, got n_ways={n_ways!r}.")
    why_not = multiverse.why_not
    if why_not is not None and why_not.reason == "already there":
        raise InvalidInput(f"There is no decision to explain in a letter. {why_not}")
    writer = _Writer(multiverse, language_of(language))
    first = _number_of(multiverse, journey)
    say, blank = writer.language.say, writer.language.blank
    contact = contact or blank(say("contact"))
    addresses = Addresses(contact, authority or blank(say("name and address of the authority")))
    shown = [] if first is None else _shown(multiverse, first, n_ways)
    if shown:
        opening = say(
            "We cannot give you the answer you hoped for at present. This letter explains how the "
            "decision came about, what would lead to another one, and what you can do if you "
            "disagree."
        )
        ways = writer.ways(shown)
    else:
        opening = say(
            "We cannot give you the answer you hoped for at present. This letter explains how the "
            "decision came about and what you can do if you disagree."
        )
        ways = writer.no_way()
    if isinstance(date, dt.date):
        date = writer.language.date(date)
    return Letter(
        language=language,
        sender=_lines(sender) or (blank(say("name and address of the sender")),),
        recipient=_lines(recipient) or (blank(say("name and address of the person")),),
        details=(
            (say("Date"), date or blank(say("date"))),
            (say("Our reference"), reference or blank(say("reference"))),
            (say("Your contact"), contact),
        ),
        subject=subject or blank(say("what this letter is about")),
        greeting=say("Dear Sir or Madam,"),
        opening=opening,
        sections=(
            writer.decision(outcome, person),
            *writer.what_counted(regime),
            ways,
            writer.what_is_uncertain(shown),
            if_you_disagree(regime, writer.language, addresses),
        ),
        closing=say("Yours sincerely,"),
        signature=blank(say("signature")),
        enclosed=say("Enclosed: the facts about you that the model used"),
        facts_title=say("The facts about you that the model used"),
        facts=writer.facts,
        footer=say(
            "Made with facelift. No legal advice. These fingerprints name what this letter was "
            "made from:"
        ),
        fingerprints=writer.fingerprints(),
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _number_of(multiverse: Multiverse, journey: Journey | None) -> int | None:
    """The number of a journey, or of the recommended one; None where there is none."""
    if journey is None:
        return recommended(multiverse) if len(multiverse) else None
    for number, each in enumerate(multiverse):
        if each is journey:
            return number
    raise InvalidInput("The journey is none of this multiverse; give one of its journeys.")


def _shown(multiverse: Multiverse, first: int, n_ways: int) -> list[int]:
    """The first way, and others that change other columns as far as possible; ties by effort."""
    changed = [{name for name, *_ in _net_changes(journey)} for journey in multiverse]
    chosen = [first]
    while len(chosen) < min(n_ways, len(multiverse)):
        rest = [number for number in range(len(multiverse)) if number not in chosen]
        chosen.append(
            max(rest, key=lambda n: min(_difference(changed[n], changed[m]) for m in chosen))
        )
    return chosen


def _difference(first: set[str], second: set[str]) -> float:
    """Share of the columns that only one of two ways changes."""
    return len(first ^ second) / max(len(first | second), 1)


def _net_changes(journey: Journey) -> list[Change]:
    """The columns that differ between the ends of a journey, and how."""
    rows = waypoint_rows(journey).astype(object)
    ends = zip(rows.columns, rows.iloc[0], rows.iloc[-1], strict=True)
    net = [(str(name), before, after) for name, before, after in ends if differ(before, after)]
    return _done(net, journey)


def _done(step: list[Change], journey: Journey) -> list[Change]:
    """The changes that somebody makes: without those that come by themselves, if there are others.

    What ages while one does something else is no advice.
    """
    features = journey.features
    made = [each for each in step if each[0] not in features or features[each[0]].ages is None]
    return made or step


@dataclass(frozen=True)
class _Writer:
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
        return [{each[0]: each for each in _net_changes(journey)} for journey in self.multiverse]

    # What was decided

    def decision(self, outcome: str, person: bool | None) -> Section:
        """The decision, its threshold, and whether a person took part."""
        say = self.language.say
        part = {
            None: self.language.blank(say("say whether a person took part in this decision")),
            False: say("No person took part in this decision."),
            True: say("A person took part in this decision."),
        }[person]
        told = self._judgement(outcome)
        return Section(say("What was decided, and how"), paragraphs=(f"{told} {part}",))

    def _judgement(self, outcome: str) -> str:
        say, goal, figure = self.language.say, self.multiverse.goal, self._figure_now()
        if goal is None or figure is None:
            return say("The decision follows from the facts about you.")
        if isinstance(goal, Range):
            return say(
                "A computer model looked at the facts about you. It predicts {predicted}. We need "
                "{range}.",
                predicted=self.language.number(figure, grouped=True),
                range=self._range(goal),
            )
        words = ", ".join(map(self.language.label, goal.target))
        return say(
            "A computer model looked at the facts about you. It puts the chance of {outcome} at "
            "{chance} in 100. We need at least {needed} in 100.",
            outcome=outcome or say("“{words}”", words=words),
            chance=self._figure_words(goal, figure),
            needed=self.language.marked_percent(goal.decides),
        )

    def _figure_now(self) -> float | None:
        """What the model says of the person now."""
        if len(self.multiverse):
            figures = self.multiverse[0].figures
            return None if figures is None else float(figures[0])
        question, goal = self.multiverse.question, self.multiverse.goal
        if question is None or goal is None:
            return None
        answers = question.explainer.oracle_.answers(question.point[np.newaxis])
        return float(goal.figures(answers)[0])

    def _figure_words(self, goal: Goal | Range, figure: float) -> str:
        if isinstance(goal, Range):
            return self.language.number(figure, grouped=True)
        return self.language.marked_percent(goal.short_words(figure))

    def _range(self, goal: Range) -> str:
        say = self.language.say
        low, high = (
            "" if end is None else self.language.number(end, grouped=True)
            for end in (goal.low, goal.high)
        )
        if not high:
            return say("{low} or more", low=low)
        return (
            say("{low} to {high}", low=low, high=high) if low else say("{high} or less", high=high)
        )

    # What counted

    def what_counted(self, regime: str) -> list[Section]:
        """What ways need, single changes that suffice, and what nobody is asked to change."""
        say, sentences = self.language.say, []
        if regime == "us":
            title = say("Principal reasons for the decision")
            sentences.append(self._reasons())
        else:
            title = say("What counted")
            sentences += self._needs()
        sentences += self._single_changes()
        personal = [
            self._name(name)
            for name, feature in self.features.items()
            if feature.personal and feature.frozen
        ]
        if personal:
            sentences.append(
                say("We do not ask you to change: {facts}.", facts=self.language.listed(personal))
            )
        return [Section(title, (" ".join(sentences),))] if sentences else []

    def _needed(self) -> list[tuple[str, int]]:
        """Columns and how many ways change them, most first; ties as in the cheapest ways."""
        counts = Counter(name for changed in self.changed for name in changed)
        return counts.most_common(MOST_REASONS)

    def _needs(self) -> list[str]:
        """What all ways need, else what most need."""
        say, total, needed = self.language.say, len(self.changed), self._needed()
        if total == 0:
            return []
        always = [self._name(name) for name, n in needed if n == total]
        if total == 1:
            return [say("The way we found changes: {facts}.", facts=self.language.listed(always))]
        often = [
            say("{name} (on {n} of {total} ways)", name=self._name(name), n=n, total=total)
            for name, n in needed
            if 1 < n < total
        ]
        sentences = []
        if always:
            sentences.append(
                say("Every way we found changes: {facts}.", facts=self.language.listed(always))
            )
        if often:
            facts = self.language.listed(often)
            sentences.append(say("Another decision often takes a change of: {facts}.", facts=facts))
        return sentences

    def _reasons(self) -> str:
        """The facts that stood in the way most, with the values they have."""
        if not self.changed:
            say = self.language.say
            return self.language.blank(say("the specific principal reasons for the decision"))
        told = [
            f"{self._name(name)} ({self._value(name, self._facts[name])})"
            for name, _ in self._needed()
        ]
        return self.language.say(
            "These facts weighed most against you, judged by what would lead to another decision: "
            "{facts}.",
            facts=self.language.listed(told),
        )

    def _single_changes(self) -> list[str]:
        """The smallest changes of one column that suffice; one per column, cheapest first."""
        if not self.changed:
            return []
        alone: dict[str, Change] = {}
        for changed in self.changed:
            if len(changed) == 1:
                for name, change in changed.items():
                    alone.setdefault(name, change)
        if not alone:
            return [self.language.say("None of the ways we found makes do with a single change.")]
        told = self.language.listed(self._change(change) for change in alone.values())
        return [
            self.language.count(
                "This change alone is enough: {changes}.",
                "Each of these changes alone is enough: {changes}.",
                len(alone),
                changes=told,
            )
        ]

    # Ways

    def ways(self, shown: list[int]) -> Section:
        """What to begin with, the ways shown, and why the first is advised."""
        trunk = self.multiverse.trunk(on=shown[0])
        title = self.language.say("Ways to another decision")
        above = () if trunk is None else (self._trunk(trunk),)
        parts = tuple(self._way(number) for number in shown)
        told = [self._why(shown), self._left_out(shown), self._aim()]
        below = " ".join(filter(None, told))
        return Section(title, above, parts, below=(below,) if below else ())

    def _trunk(self, trunk: Trunk) -> str:
        say, total, on = self.language.say, len(self.multiverse), len(trunk.ways)
        steps = self.language.listed(step for step, _ in self._steps(trunk.journey, trunk.n_steps))
        effort = {
            "small": say("a small effort"),
            "medium": say("a medium effort"),
            "large": say("a large effort"),
        }[self._effort_size(trunk.journey, trunk.n_steps)]
        sentences = [say("Whatever you choose later, begin with this: {steps}.", steps=steps)]
        if on == total:
            sentences.append(say("It is part of all {total} ways we found.", total=total))
        else:
            sentences.append(
                say("It is part of {n} of the {total} ways we found.", n=on, total=total)
            )
        if trunk.excess > 0:
            percent = math.ceil(100 * trunk.excess * (1 - TOLERANCE))
            sentences.append(
                say(
                    "They then take at most {percent} % more effort than without it.",
                    percent=percent,
                )
            )
        n_open = len(trunk.keeps_open)
        if n_open == total:
            sentences.append(say("It takes {effort} and keeps all ways open.", effort=effort))
        else:
            sentences.append(
                say(
                    "It takes {effort} and keeps {n} of {total} ways open.",
                    effort=effort,
                    n=n_open,
                    total=total,
                )
            )
        return " ".join(sentences)

    def _way(self, number: int) -> WayPart:
        say, journey = self.language.say, self.multiverse[number]
        title = say("Way {letter}", letter=letter_of(number))
        if number == recommended(self.multiverse):
            title = say("Way {letter}: our advice", letter=letter_of(number))
        effort = {
            "small": say("A small effort."),
            "medium": say("A medium effort."),
            "large": say("A large effort."),
        }[self._effort_size(journey, journey.n_steps)]
        steps = [
            f"{step}, {time}" if time else step
            for step, time in self._steps(journey, journey.n_steps)
        ]
        time = ""
        if journey.times is not None:
            time = self.language.time(float(journey.times[-1]), journey.period)
        note = " ".join([effort, *self._end(journey), *self._dip(number)])
        return WayPart(title, time, tuple(steps), note)

    def _end(self, journey: Journey) -> list[str]:
        goal, figures = journey.goal, journey.figures
        if goal is None or figures is None:
            return []
        words = self._figure_words(goal, float(figures[-1]))
        if isinstance(goal, Range):
            return [self.language.say("Then {predicted} is predicted.", predicted=words)]
        return [self.language.say("Then the chance is {chance} in 100.", chance=words)]

    def _dip(self, number: int) -> list[str]:
        if not dips(self.multiverse)[number]:
            return []
        return [self.language.say("On the way the outlook is worse than now for a while.")]

    def _steps(self, journey: Journey, n_steps: int) -> list[tuple[str, str]]:
        """The first steps in words, and their time; steps along one column in a row are one."""
        times, steps = journey.times, changes(journey)[:n_steps]
        return [
            (
                self.language.listed(self._change(change) for change in group),
                ""
                if times is None
                else self.language.time(float(times[last] - times[first]), journey.period),
            )
            for group, first, last in _joined(_done(step, journey) for step in steps)
        ]

    def _effort_size(self, journey: Journey, n_steps: int) -> str:
        """Small, medium or large, on the scale of the terrain whatever edges cost."""
        effort = float(journey.step_costs[:n_steps].sum())
        if self.explainer is not None:
            points = journey.waypoints[: n_steps + 1]
            priced = float(np.sum(self.explainer.terrain_.cost(points[:-1], points[1:])))
            effort = priced if math.isfinite(priced) else effort
        return effort_size(effort)

    def _why(self, shown: list[int]) -> str:
        """Why the recommended way is."""
        multiverse, number = self.multiverse, shown[0]
        if len(multiverse) == 1 or number != recommended(multiverse):
            return ""
        costs, scores = multiverse.costs, multiverse.scores
        near = costs <= (1 + SLACK) * costs.min() * (1 + TOLERANCE)
        say, name = self.language.say, letter_of(number)
        if near.sum() == 1:
            return say("Way {letter} takes the least effort of all we found.", letter=name)
        if scores[number] >= scores[near].max():
            return say(
                "Way {letter} takes about as little effort as any and keeps most other ways open.",
                letter=name,
            )
        return say("Way {letter} takes about as little effort as any.", letter=name)

    def _left_out(self, shown: list[int]) -> str:
        total = len(self.multiverse)
        if total == len(shown):
            return ""
        return self.language.count(
            "We found {n} way in all.",
            "We found {n} ways in all; those shown differ most.",
            total,
        )

    def _aim(self) -> str:
        """That ways end a margin above what is needed, where they do."""
        goal = self.multiverse.goal
        if not isinstance(goal, Goal) or not goal.margin:
            return ""
        aim = self.language.marked_percent(goal.needs)
        return self.language.say(
            "To be on the safe side, each way leads to at least {aim} in 100.", aim=aim
        )

    def no_way(self) -> Section:
        """That no way was found, and how sure that is."""
        say, goal = self.language.say, self.multiverse.goal
        sentences = [
            say(
                "We looked for ways to another decision and found none within what we assume you "
                "can change."
            )
        ]
        best = None if self.multiverse.why_not is None else self.multiverse.why_not.best_chance
        if best is not None and isinstance(goal, Goal):
            chance = self._figure_words(goal, best)
            sentences.append(say("The best chance we met is {chance} in 100.", chance=chance))
        sentences.append(say("If you can change more than we assume, please tell us."))
        return Section(say("No way found"), (" ".join(sentences),))

    # What is uncertain

    def what_is_uncertain(self, shown: list[int]) -> Section:
        """What is proven and what not, that chances are estimates, and what a committee says."""
        say, sentences = self.language.say, []
        if isinstance(self.multiverse.goal, Goal):
            sentences.append(say("Chances are estimates of the model, not promises."))
        elif isinstance(self.multiverse.goal, Range):
            sentences.append(say("What the model predicts is an estimate, not a promise."))
        if any(self._way(number).time for number in shown):
            sentences.append(say("The times are the shortest we expect; yours may be longer."))
        sentences.append(say("The model may have changed when you apply again."))
        sentences += [*self._committee(shown), self._proof()]
        return Section(say("What is uncertain"), (" ".join(sentences),))

    def _committee(self, shown: list[int]) -> list[str]:
        """How many of the other models agree on where each way ends."""
        committee = None if self.explainer is None else self.explainer.oracle_.committee
        if committee is None:
            return []
        n = len(committee.models)
        return [
            self.language.count(
                "Of {n} model made in the same way, {agree} agrees on way {letter}.",
                "Of {n} models made in the same way, {agree} agree on way {letter}.",
                n,
                agree=round(n * float(journey.agreement[-1])),
                letter=letter_of(number),
            )
            for number in shown
            if (journey := self.multiverse[number]).agreement is not None
        ]

    def _proof(self) -> str:
        """What is proven, in the words of the language."""
        say, proof = self.language.say, self.multiverse.proof
        steps = re.search(r"of at most (\d+) step", proof.sentence)
        through = "through the records" in proof.sentence
        if proof.kind == "nothing below" and math.isinf(proof.bound):
            if steps:
                return self.language.count(
                    "It is proven that there is no way of {n} step under these rules.",
                    "It is proven that there is no way of at most {n} steps under these rules.",
                    int(steps[1]),
                )
            if through:
                return say("It is proven that there is no way from one known case to the next.")
            return say("It is proven that there is no way under these rules.")
        if proof.kind == "cheapest":
            if steps:
                return self.language.count(
                    "It is proven that no way of {n} step takes less effort than way A.",
                    "It is proven that no way of at most {n} steps takes less effort than way A.",
                    int(steps[1]),
                )
            if through:
                return say(
                    "It is proven that no way from one known case to the next takes less effort "
                    "than way A."
                )
            return say(
                "It is proven that, within these rules, no way takes less effort than way A."
            )
        if proof.kind == "within" and proof.gap is not None and proof.gap <= 1:
            return say(
                "It is proven that way A takes at most {percent} % more effort than any other can.",
                percent=math.ceil(100 * proof.gap * (1 - TOLERANCE)),
            )
        if not len(self.multiverse):
            return say("It is not proven that there is none.")
        return say("It is not proven that no way takes less effort.")

    # Facts and fingerprints

    @cached_property
    def _facts(self) -> dict[str, Any]:
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
            (self._name(name), self._value(name, value)) for name, value in self._facts.items()
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

    def _name(self, name: str) -> str:
        return self.language.label(name_words(name, self.features))

    def _value(self, name: str, value: Any, *, unit: bool = True) -> str:
        return self.language.value(value, self.features.get(name), unit=unit)

    def _change(self, change: Change) -> str:
        """A column, its value after and before."""
        name, before, after = change
        new, old = self._value(name, after), self._value(name, before, unit=False)
        if new == old or new == self._value(name, before):
            new, old = str(after), str(before)
        return self.language.say(
            "{name}: {after} instead of {before}", name=self._name(name), after=new, before=old
        )


def _joined(steps: Iterable[list[Change]]) -> list[tuple[list[Change], int, int]]:
    """Steps with the waypoints they run between; those that change one column in a row are one.

    >>> _joined([[("months", 48, 42)], [("months", 42, 36)], [("debts", 2, 1)]])
    [([('months', 48, 36)], 0, 2), ([('debts', 2, 1)], 2, 3)]
    """
    joined: list[tuple[list[Change], int, int]] = []
    for i, step in enumerate(steps):
        if joined and len(step) == 1 and [each[0] for each in joined[-1][0]] == [step[0][0]]:
            (name, before, _), first = joined[-1][0][0], joined[-1][1]
            joined[-1] = ([(name, before, step[0][2])], first, i + 1)
        else:
            joined.append((step, i, i + 1))
    return joined


def _rules_text(terrain: Any) -> str:
    try:
        return rules_text(terrain)
    except InvalidInput as fault:  # a requirement that is a function has no text
        return str(fault)


def _text_fingerprint(text: str) -> str:
    return fingerprint(np.frombuffer(text.encode(), dtype=np.uint8))
