"""What a letter must say by law: parts that differ between regimes. This is no legal advice.

`docs/reference/letter.md` lists what each law asks for and where the letter has it.
"""

from __future__ import annotations

from dataclasses import dataclass

from facelift.errors import InvalidInput, nearest_name
from facelift.language import Language
from facelift.views.letters.content import Section

REGIMES = ("eu", "us", "plain")
"""GDPR; ECOA with Regulation B; neither."""


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
