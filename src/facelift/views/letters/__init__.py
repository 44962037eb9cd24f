"""Letters: one page in plain words for the person a decision is about."""

from facelift.language import LANGUAGES
from facelift.views.letters.content import Letter
from facelift.views.letters.sections import REGIMES
from facelift.views.letters.writing import letter

__all__ = ["LANGUAGES", "REGIMES", "Letter", "letter"]
