"""Journeys in plain words for a terminal, in any language: a multiverse in, a string out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Any

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from facelift._arrays import Floats
from facelift.choosing import SLACK, recommended
from facelift.errors import printable
from facelift.language import (
    Language,
    count,
    duration,
    fixed,
    joined,
    label,
    language_of,
    percent,
    say,
)
from facelift.models.doubts import around
from facelift.multiverse.certificate import Proof, offer_lines, stops_decide
from facelift.multiverse.families import beginning
from facelift.multiverse.goal import Goal
from facelift.multiverse.html import notes
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot
from facelift.multiverse.words import (
    DIPS,
    Step,
    effort_phrase,
    expectation,
    legend,
    letter,
    route_title,
    steps_in_words,
    what_changes,
)

NARROW, ROOMY = 76, 90
"""Below the first, ways have no notes beside them (what is recommended stands in its own box); from
the second on, notes stand on one line."""


def journey_sentences(journey: Journey) -> list[str]:
    """Each step of a journey in words; of one that is the only one, not what it keeps open.

    >>> from facelift.toys import loan
    >>> journey_sentences(loan().multiverse()[1])[-1]
    'X0: 4 → 7, X1: 0 → 3 (keeps 1 of 3 ways open)'
    """
    return [step.sentence for step in steps_in_words(journey)]


def multiverse_text(
    multiverse: Multiverse,
    *,
    title: str = "",
    width: int = 100,
    color: bool = False,
    hint: Callable[[str], str] = str,
    resilience: object = None,
    expected: Floats | None = None,
    failure: float = 0.1,
    language: str = "en",
) -> str:
    """The recommendation and why, the journeys step by step, and what each keeps open.

    `hint` says how the calls are told that would help where there is no way; `resilience` is what
    `fl.resilience` gave and `expected` what `multiverse.expected_effort(failure)` did, if they are
    to be told. The language is "en", "de", "fr", "pl" or "es".

    >>> from facelift.toys import loan
    >>> print(multiverse_text(loan().multiverse()))
    way  steps  effort  chance  what changes  serves others
    A        1    3.00          X1                       0%  recommended, least effort
    B        2   14.00          X0, X1                  29%
    C        4   16.00          X0                      44%
    ...
    """
    view = _View(multiverse, language_of(language), width)
    if not multiverse.journeys:
        return _rendered(view.empty(title, hint), width, color)
    heading = view.heading(title)
    parts: list[RenderableType] = [heading] if heading else []
    parts += [view.overview(), view.recommendation(expected, failure)]
    told = [view.beginning()]
    if multiverse.survey is not None:
        told.append(say("How sure: {proof}", proof=multiverse.proof.sentence))
    if resilience is not None:
        told.append(say("If something fails: {resilience}.", resilience=str(resilience)))
    parts += [Text(view.tell(each)) for each in told if each]
    parts += [view.steps(*route) for route in multiverse.routes]
    parts.append(view.legend())
    return _rendered(Group(*parts), width, color)


@dataclass(frozen=True)
class _View:
    """A multiverse, the language it is told in, and how wide."""

    multiverse: Multiverse
    language: Language
    width: int

    @property
    def tell(self) -> Callable[[object], str]:
        """Words in the language."""
        return self.language.tell

    @cached_property
    def chosen(self) -> int:
        """The number of the journey that is recommended."""
        return recommended(self.multiverse)

    @cached_property
    def is_timed(self) -> bool:
        """Whether the rules give a time for any step."""
        times = [journey.times for journey in self.multiverse if journey.times is not None]
        return any(np.any(each > 0) for each in times)

    @cached_property
    def ways(self) -> list[list[Step]]:
        """The steps of every journey in words."""
        return [steps_in_words(journey) for journey in self.multiverse]

    def empty(self, title: str, hint: Callable[[str], str]) -> RenderableType:
        """Why there is no way, how sure that is, and what would help."""
        lines = [Text(self.tell(title), style="bold")] if title else []
        why_not = self.multiverse.why_not
        if why_not is None:
            return Group(*lines, Text(self.tell(say("No way was found."))))
        offers = why_not.offers
        said = str(why_not)
        certificate = why_not.certificate
        sure = certificate is not None and certificate.complete and why_not.reason == "no route"
        vain = sure and why_not.kind in ("rules", "out of reach")
        vain = vain or (certificate is not None and certificate.bridge is not None)
        if vain or any(each.call in why_not.hint for each in offers):
            said = why_not.message  # what it hints at has been tried by now, or cannot help
        if why_not.reason != "already there":
            said = say("No way: {why}", why=said)
        proof = self.multiverse.proof
        told = [said, proof.sentence] if _adds(proof, why_not) else [said]
        told += ["", *offer_lines(offers)] if offers else []
        told += _certified(why_not)
        told += ["", *between] if (between := self.between()) else []
        return Group(*lines, *(Text(hint(self.tell(each))) for each in told))

    def heading(self, title: str) -> Text:
        """Whom it is about, what the model says now, and what is needed."""
        heading = Text(self.tell(title), style="bold")
        start, goal = self.multiverse[0], self.multiverse.goal
        if goal is None or not start.outlook(0):
            return heading
        known = {"now": start.outlook(0), "terms": goal.terms}
        if isinstance(goal, Goal):
            now = say("chance of {outcome} now {now}, {terms}", outcome=str(goal), **known)
        else:
            now = say("predicted now {now}, {terms}", **known)
        space = "   " if title else ""
        return heading.append(f"{space}{self.tell(now)}\n", style="not bold")

    def overview(self) -> RenderableType:
        """A line per way."""
        table, multiverse = _table(), self.multiverse
        table.add_column(self.tell(say("way")), no_wrap=True)
        measure = _measure(multiverse[0].measure)
        for name in (say("steps"), say("effort"), measure):
            table.add_column(self.tell(name), justify="right", no_wrap=True)
        several = isinstance(multiverse.goal, Goal) and len(multiverse.goal.target) > 1
        if several:
            table.add_column(self.tell(say("reaches")), no_wrap=True)
        if multiverse[0].agreement is not None:
            table.add_column(self.tell(say("agree")), justify="right", no_wrap=True)
        table.add_column(self.tell(say("what changes")), ratio=1, min_width=len("changes"))
        narrow = self.width < NARROW
        served = self.tell(say("serves others"))
        served = served.replace(" ", "\n", 1) if narrow else served
        table.add_column(served, justify="right", no_wrap=True)
        for each in multiverse.kept:
            table.add_column(
                self.tell(say("serves {outcome}", outcome=label(each))), justify="right"
            )
        if not narrow:
            table.add_column("", no_wrap=self.width >= ROOMY)
        for i, journey in enumerate(multiverse):
            agreement = journey.agreement
            cells = [
                letter(i),
                journey.n_steps,
                fixed(journey.cost),
                journey.outlook(-1),
                *([label(journey.reaches or "")] if several else []),
                *([] if agreement is None else [percent(float(agreement[-1]))]),
                what_changes(journey),
                _share(multiverse.scores[i]),
                *map(percent, multiverse.class_opportunity[i].tolist()),
                *([] if narrow else [self._mark(i)]),
            ]
            table.add_row(*map(self.tell, cells), style="bold" if i == self.chosen else "")
        return table

    def _mark(self, number: int) -> str:
        worse = [DIPS] * self.multiverse[number].dips
        if len(self.multiverse) == 1:
            return joined([say("only way")] * (not _asked_for_one(self.multiverse)) + worse)
        marks = [say("recommended")] * (number == self.chosen)
        marks += [say("least effort")] * (number == 0)
        return joined(marks + worse)

    def steps(self, number: int, variant: int, journey: Journey) -> RenderableType:
        """The steps of a way, or of a further route to its end, a line each."""
        way = steps_in_words(journey) if variant else self.ways[number]
        widest = max(
            (len(str(c)) for each in self.ways for s in each for c in s.changes), default=0
        )
        title = self.tell(route_title(letter(number), variant))
        table = _table(title=f"\n{title}", title_justify="left", title_style="bold")
        table.add_column("", justify="right")
        table.add_column(self.tell(say("step")), ratio=1, min_width=min(widest, self.width // 2))
        table.add_column(self.tell(say("effort")), justify="right", no_wrap=True)
        table.add_column(self.tell(_measure(way[0].measure)), justify="right", no_wrap=True)
        if way[0].agreement:
            table.add_column(self.tell(say("agree")), justify="right", no_wrap=True)
        table.add_column("".join(letter(i)[0] for i in range(len(self.ways))), no_wrap=True)
        times = _times(journey) if self.is_timed else []
        if times:
            table.add_column(self.tell(say("after")), no_wrap=True)
        table.add_column("")
        for i, step in enumerate(way):
            closes = say("closes {letters}", letters=step.closes) if step.closes else ""
            cells = [
                i + 1,
                joined([*map(str, step.changes), *filter(None, [step.shifts])], "\n"),
                fixed(step.effort),
                step.after,
                *([step.agreement] if step.agreement else []),
                step.pips,
                *times[i : i + 1],
                closes,
            ]
            table.add_row(*map(self.tell, cells))
        return table

    def recommendation(self, expected: Floats | None, failure: float) -> RenderableType:
        """The way advised, what it takes, and why this one."""
        journey = self.multiverse[self.chosen]
        lines = [self._in_short(journey)]
        if expected is not None:
            lines.append(expectation(float(expected[self.chosen]), failure))
        lines.append(_why(self.multiverse, self.chosen))
        lost = [letter(i) for step in journey.closes for i in step]
        if lost:
            lines.append(
                say("After it no way to {letters} was found.", letters=joined(sorted(lost)))
            )
        if journey.dips:
            lines.append(say("On the way the chance is lower than now for a while."))
        question, goal = self.multiverse.question, self.multiverse.goal
        if question is not None and goal is not None:
            lines += around(question.explainer, journey.counterfactual, goal).doubts
        lines += notes(journey)
        title = self.tell(say("Recommended"))
        return Panel(self.tell(joined(lines, " ")), title=title, title_align="left", padding=(0, 1))

    def _in_short(self, journey: Journey) -> str:
        known = {
            "letter": letter(self.chosen),
            "size": effort_phrase(self.multiverse, journey),
            "effort": fixed(journey.cost),
        }
        return count(
            "Way {letter}: {n} step, {size} ({effort}).",
            "Way {letter}: {n} steps, {size} ({effort}).",
            journey.n_steps,
            **known,
        )

    def beginning(self) -> str:
        """What most ways begin with."""
        trunk = self.multiverse.trunk(on=self.chosen)
        if trunk is None:
            return ""
        steps = steps_in_words(trunk.journey)[: trunk.n_steps]
        told = joined((joined(map(str, step.changes)) for step in steps), "; ")
        return beginning(self.multiverse, trunk, told)

    def between(self) -> list[str]:
        """Of which numbers a proof is said, where there are others."""
        if not stops_decide(self.multiverse):
            return []
        return [say("how sure: said of the numbers that ways stop at, not of those between")]

    def legend(self) -> RenderableType:
        """What the signs and numbers mean."""
        agree = [say("agree: share of other models by which the outcome is reached there")]
        after = [say("after: the earliest time; – where the rules give none")]
        words = [
            legend(self.multiverse),
            _unit_of_effort(self.multiverse),
            *self.between(),
            say("serves others: share of effort that helps others, until a step first does not"),
            *(after if self.is_timed else []),
            *(agree if self.multiverse[0].agreement is not None else []),
        ]
        return Text("\n" + "\n".join(map(self.tell, words)), style="dim")


def _unit_of_effort(multiverse: Multiverse) -> str:
    """What an effort of 1 is: the terrain's unit, unless edges cost something else."""
    asked = multiverse.question and multiverse.question.explainer
    if not asked or asked.steps_.costs_moves:
        return say(
            "effort: 1 is moving one number over its usual range (more where it is priced "
            "higher); small up to 0.33, medium up to 1"
        )
    return say(
        "effort: as edges are weighed here, so compare it among these ways only; small up to 0.33 "
        "and medium up to 1 before it is weighed"
    )


def _times(journey: Journey) -> list[str]:
    """When each step can be done; nothing where the rules give no times at all."""
    times = journey.in_steps.times
    if times is None:
        return []
    return [duration(float(time), journey.period) or "–" for time in times[1:]]


def _adds(proof: Proof, why_not: WhyNot) -> bool:
    """Whether a proof says more than the certificate does."""
    certificate = why_not.certificate
    return proof.kind == "nothing below" and not (certificate and certificate.proven)


def _certified(why_not: WhyNot) -> list[str]:
    """What stands between, what would help, and the way that the cheapest relaxation opens."""
    certificate = why_not.certificate
    if certificate is None:
        return []
    lines = ["", *certificate.lines()]
    for relaxation in certificate.relaxations[:1]:
        lines += ["", say("The way that the first of them opens:")]
        lines += [joined(("  ", each), "") for each in journey_sentences(relaxation.journey)]
    return lines


def _measure(measure: str) -> str:
    """The head of a column of what the model says."""
    return say("predicted") if measure == "predicted" else say("chance")


def _table(**title: Any) -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", **title)


def _asked_for_one(multiverse: Multiverse) -> bool:
    """Whether no second way was looked for."""
    question = multiverse.question
    return question is not None and question.explainer.n_counterfactuals == 1


def _why(multiverse: Multiverse, chosen: int) -> str:
    """Why this way: it takes about as little effort as any, and serves the others most."""
    if _asked_for_one(multiverse):
        return say("One way was asked for; with more, they can be compared.")
    if len(multiverse) == 1:
        return say("It is the only way found.")
    costs, scores = multiverse.costs, multiverse.scores
    near = costs <= (1 + SLACK) * costs.min()
    share = percent(float(scores[chosen]))
    if near.sum() == 1:
        return say(
            "It takes the least effort of all ways found, by more than a tenth; {share} of its "
            "effort also serves the other ways.",
            share=share,
        )
    if scores[chosen] >= scores[near].max():
        return say(
            "Of the {n} ways that take up to a tenth more effort than the least, it keeps most "
            "open: {share} of its effort also serves the other ways.",
            n=int(near.sum()),
            share=share,
        )
    return say(
        "Of the {n} ways of about the least effort, the others pass through worse chances.",
        n=int(near.sum()),
    )


def _share(score: float) -> str:
    return "–" if np.isnan(score) else percent(float(score))


def _rendered(content: RenderableType, width: int, color: bool) -> str:
    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
        markup=False,  # a level may be called [high]
        emoji=False,
        force_jupyter=False,  # else a notebook shows it, and nothing is returned
        _environ={},  # NO_COLOR and the like are the caller's to read
    )
    told = (Segment(printable(s.text), s.style, s.control) for s in console.render(content))
    console.print(Segments(told), end="")
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"
