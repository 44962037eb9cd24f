"""The letter of somebody who arrived, to whoever decides: what has changed, and what to do anew."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from facelift.language import language_of
from facelift.multiverse.frames import Change, differ
from facelift.multiverse.goal import Range
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import done
from facelift.views.letters.content import Case, Letter, Section
from facelift.views.letters.sections import range_words


def letter_again(
    multiverse: Multiverse,
    now: dict[str, Any],
    figure: float | None,
    wrong: Collection[str] = (),
    language: str = "en",
) -> Letter:
    """One page that asks to decide anew: what changed since, what was wrong, what the model says.

    The multiverse is that of the decision; `now` holds the facts as they are now, `figure` what
    the model says of them, `wrong` the columns that were put right. What only the writer knows
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
    both = [(name, was, now[name]) for name, was in case.values.items() if name in now]
    changes = done([each for each in both if differ(*each[1:])], case.features)
    told = {
        say("What has changed since"): [each for each in changes if each[0] not in wrong],
        say("What was wrong before"): [each for each in changes if each[0] in wrong],
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
