"""Letters: one page in plain words for the person a decision is about; and back, to decide anew.

Here is decided which findings are told, which ways are shown, and in which sentences.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from facelift.choosing import SLACK, dips, recommended
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE
from facelift.language import LANGUAGES, language_of
from facelift.multiverse.families import Trunk, beginning
from facelift.multiverse.frames import Change, changes, differ
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import done, size_of_effort
from facelift.multiverse.words import letter as letter_of
from facelift.views.letters.content import Case, Letter, Section, WayPart, net_changes
from facelift.views.letters.sections import (
    REGIMES,
    Addresses,
    check_regime,
    decision,
    if_you_disagree,
    range_words,
    what_counted,
    what_is_uncertain,
)

__all__ = ["LANGUAGES", "REGIMES", "Letter", "letter", "letter_again"]


MOST_WAYS = 3
"""So many ways a letter shows at most."""


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
    case = Case(multiverse, language_of(language))
    first = _number_of(multiverse, journey)
    say, blank = case.language.say, case.language.blank
    contact = contact or blank(say("contact"))
    addresses = Addresses(contact, authority or blank(say("name and address of the authority")))
    shown = [] if first is None else ways_shown(multiverse, first, n_ways)
    if shown:
        opening = say(
            "We cannot give you the answer you hoped for at present. This letter explains how the "
            "decision came about, what would lead to another one, and what you can do if you "
            "disagree."
        )
        told_ways = ways(case, shown)
    else:
        opening = say(
            "We cannot give you the answer you hoped for at present. This letter explains how the "
            "decision came about and what you can do if you disagree."
        )
        told_ways = no_way(case)
    if isinstance(date, dt.date):
        date = case.language.date(date)
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
            decision(case, outcome, person),
            *what_counted(case, regime),
            told_ways,
            what_is_uncertain(case, shown, told_ways.ways),
            if_you_disagree(regime, case.language, addresses),
        ),
        closing=say("Yours sincerely,"),
        signature=blank(say("signature")),
        enclosed=say("Enclosed: the facts about you that the model used"),
        facts_title=say("The facts about you that the model used"),
        facts=case.facts,
        footer=say(
            "Made with facelift. No legal advice. These fingerprints name what this letter was "
            "made from:"
        ),
        fingerprints=case.fingerprints(),
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


def ways_shown(multiverse: Multiverse, first: int, n_ways: int) -> list[int]:
    """The first way, and others that change other columns as far as possible; ties by effort."""
    changed = [{name for name, *_ in net_changes(journey)} for journey in multiverse]
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


def ways(case: Case, shown: list[int]) -> Section:
    """What to begin with, the ways shown, and why the first is advised."""
    trunk = case.multiverse.trunk(on=shown[0])
    title = case.language.say("Ways to another decision")
    above = () if trunk is None else (_trunk(case, trunk),)
    parts = tuple(_way(case, number) for number in shown)
    told = [_why(case, shown), _left_out(case, shown), _aim(case)]
    below = " ".join(filter(None, told))
    return Section(title, above, parts, below=(below,) if below else ())


def _trunk(case: Case, trunk: Trunk) -> str:
    steps = case.language.listed(step for step, _ in _steps(case, trunk.journey, trunk.n_steps))
    return case.language.tell(beginning(case.multiverse, trunk, steps))


def _way(case: Case, number: int) -> WayPart:
    say, journey = case.language.say, case.multiverse[number]
    title = say("Way {letter}", letter=letter_of(number))
    if number == recommended(case.multiverse):
        title = say("Way {letter}: our advice", letter=letter_of(number))
    effort = {
        "small": say("A small effort."),
        "medium": say("A medium effort."),
        "large": say("A large effort."),
    }[size_of_effort(case.multiverse, journey)]
    steps = [
        f"{step}, {time}" if time else step for step, time in _steps(case, journey, journey.n_steps)
    ]
    time = ""
    if journey.times is not None:
        time = case.language.time(float(journey.times[-1]), journey.period)
    note = " ".join([effort, *_end(case, journey), *_dip(case, number)])
    return WayPart(title, time, tuple(steps), note)


def _end(case: Case, journey: Journey) -> list[str]:
    goal, figures = journey.goal, journey.figures
    if goal is None or figures is None:
        return []
    words = case.figure_words(goal, float(figures[-1]))
    if isinstance(goal, Range):
        return [case.language.say("Then {predicted} is predicted.", predicted=words)]
    return [case.language.say("Then the chance is {chance} in 100.", chance=words)]


def _dip(case: Case, number: int) -> list[str]:
    if not dips(case.multiverse)[number]:
        return []
    return [case.language.say("On the way the outlook is worse than now for a while.")]


def _steps(case: Case, journey: Journey, n_steps: int) -> list[tuple[str, str]]:
    """The first steps in words, and their time; steps along one column in a row are one."""
    times, steps = journey.in_steps.times, changes(journey)[:n_steps]
    return [
        (
            case.language.listed(case.change(change) for change in group),
            ""
            if times is None
            else case.language.time(float(times[last] - times[first]), journey.period),
        )
        for group, first, last in _joined(done(step, journey.features) for step in steps)
    ]


def _why(case: Case, shown: list[int]) -> str:
    """Why the recommended way is."""
    multiverse, number = case.multiverse, shown[0]
    if len(multiverse) == 1 or number != recommended(multiverse):
        return ""
    costs, scores = multiverse.costs, multiverse.scores
    near = costs <= (1 + SLACK) * costs.min() * (1 + TOLERANCE)
    say, name = case.language.say, letter_of(number)
    if near.sum() == 1:
        return say("Way {letter} takes the least effort of all we found.", letter=name)
    if scores[number] >= scores[near].max():
        return say(
            "Way {letter} takes about as little effort as any and keeps most other ways open.",
            letter=name,
        )
    return say("Way {letter} takes about as little effort as any.", letter=name)


def _left_out(case: Case, shown: list[int]) -> str:
    total = len(case.multiverse)
    if total == len(shown):
        return ""
    return case.language.count(
        "We found {n} way in all.",
        "We found {n} ways in all; those shown differ most.",
        total,
    )


def _aim(case: Case) -> str:
    """That ways end a margin above what is needed, where they do."""
    goal = case.multiverse.goal
    if not isinstance(goal, Goal) or not goal.margin:
        return ""
    aim = case.language.marked_percent(goal.needs)
    return case.language.say(
        "To be on the safe side, each way leads to at least {aim} in 100.", aim=aim
    )


def no_way(case: Case) -> Section:
    """That no way was found, and how sure that is."""
    say, goal = case.language.say, case.multiverse.goal
    sentences = [
        say(
            "We looked for ways to another decision and found none within what we assume you "
            "can change."
        )
    ]
    best = None if case.multiverse.why_not is None else case.multiverse.why_not.best_chance
    if best is not None and isinstance(goal, Goal):
        chance = case.figure_words(goal, best)
        sentences.append(say("The best chance we met is {chance} in 100.", chance=chance))
    sentences.append(say("If you can change more than we assume, please tell us."))
    return Section(say("No way found"), (" ".join(sentences),))


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


def letter_again(
    multiverse: Multiverse,
    now: dict[str, Any],
    figure: float | None,
    right: Mapping[str, Any] | None = None,
    language: str = "en",
) -> Letter:
    """One page that asks to decide anew: what changed since, what was wrong, what the model says.

    The multiverse is that of the decision; `now` holds the facts as they are now, `figure` what
    the model says of them, `right` what wrong facts should have been. What only the writer knows
    stands as a place to be filled in.

    >>> from facelift.toys import loan
    >>> from facelift.multiverse.frames import waypoint_rows
    >>> multiverse = loan().multiverse()
    >>> now = waypoint_rows(multiverse[0]).iloc[-1].to_dict()
    >>> print(letter_again(multiverse, now, None).sections[0].title)
    What has changed since
    """
    case = Case(multiverse, language_of(language))
    say, blank = case.language.say, case.language.blank
    right = right or {}
    since = _changes(case, {**case.values, **right}, now)
    told = {
        say("What has changed since"): since,
        say("What was wrong before"): _changes(case, case.values, right),
    }
    return Letter(
        language=language,
        sender=(blank(say("your name and address")),),
        recipient=(blank(say("name and address of whoever decides")),),
        details=(
            (say("Date"), blank(say("date"))),
            (say("Your reference"), blank(say("reference"))),
        ),
        subject=say("Please decide anew"),
        greeting=say("Dear Sir or Madam,"),
        opening=say(
            "You decided about me with a computer model. My facts are not the same any more. I "
            "ask you to decide anew, by the facts enclosed."
        )
        if since
        else say(
            "You decided about me with a computer model. Some of the facts you used were wrong. I "
            "ask you to decide anew, by the facts enclosed."
        ),
        sections=(
            *(
                Section(title, points=tuple(_change(case, each) for each in some))
                for title, some in told.items()
                if some
            ),
            *_figures(case, figure),
            Section(
                say("If the answer is still no"),
                (
                    say(
                        "Then please have a person look at it, and tell me what the reasons are "
                        "and which facts were used."
                    ),
                ),
            ),
        ),
        closing=say("Yours sincerely,"),
        signature=blank(say("signature")),
        enclosed=say("Enclosed: my facts as they are now"),
        facts_title=say("My facts as they are now"),
        facts=tuple((case.name(name), case.value(name, value)) for name, value in now.items()),
        footer=say(
            "Made with facelift. No legal advice. These fingerprints name what this letter was "
            "made from:"
        ),
        fingerprints=case.fingerprints(),
    )


def _changes(case: Case, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Which columns differ, as they were and as they are."""
    both = [(name, was, after[name]) for name, was in before.items() if name in after]
    return done([each for each in both if differ(*each[1:])], case.features)


def _change(case: Case, change: Change) -> tuple[str, str]:
    """A column, and its values after and before."""
    new, old = case.both(change)
    return case.name(change[0]), case.language.say(
        "{after} instead of {before}", after=new, before=old
    )


def _figures(case: Case, figure: float | None) -> list[Section]:
    """What the model said before, says now, and what is needed."""
    say, goal, before = case.language.say, case.multiverse.goal, case.figure_now()
    if goal is None or figure is None or before is None:
        return []
    then, now = case.figure_words(goal, before), case.figure_words(goal, figure)
    if isinstance(goal, Range):
        told = say(
            "By the model I asked, the prediction was {before} and is {now} now. You need {range}.",
            before=then,
            now=now,
            range=range_words(case, goal),
        )
    else:
        told = say(
            "By the model I asked, the chance of {outcome} was {before} in 100 and is {now} in "
            "100 now. You need at least {needed} in 100.",
            outcome=say("“{words}”", words=", ".join(map(case.language.label, goal.target))),
            before=then,
            now=now,
            needed=case.language.marked_percent(goal.decides),
        )
    doubt = say("It is an estimate, and you may use another model by now.")
    return [Section(say("What the model says"), (f"{told} {doubt}",))]
