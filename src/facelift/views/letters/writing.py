"""A multiverse in, a letter out: which findings are told, and in which sentences."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from facelift.errors import InvalidInput
from facelift.language import language_of
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.selection import recommended
from facelift.views.letters.case import Case
from facelift.views.letters.content import Letter
from facelift.views.letters.sections import (
    Addresses,
    check_regime,
    decision,
    if_you_disagree,
    what_counted,
    what_is_uncertain,
)
from facelift.views.letters.ways import no_way, ways, ways_shown

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
