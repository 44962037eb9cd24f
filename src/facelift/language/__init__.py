"""What people read: sentences and values, in English and in the languages of the catalogues."""

from facelift.language.language import LANGUAGES, SIGNS, Language, language_of
from facelift.language.sentence import (
    ENGLISH,
    Sentence,
    and_joined,
    count,
    day,
    duration,
    fixed,
    joined,
    label,
    message,
    number,
    percent,
    quantity,
    say,
    signed,
    time,
)
from facelift.language.telling import told

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "SIGNS",
    "Language",
    "Sentence",
    "and_joined",
    "count",
    "day",
    "duration",
    "fixed",
    "joined",
    "label",
    "language_of",
    "message",
    "number",
    "percent",
    "quantity",
    "say",
    "signed",
    "time",
    "told",
]
