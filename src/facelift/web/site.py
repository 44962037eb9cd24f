"""What a server shows: one guide's page alone, or tables of people (`facelift.web.tables`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from facelift.walking.guide import Guide

Question = Callable[[Mapping[str, str], bytes], tuple[bytes, str]]
"""From what the address asks for and a body of JSON to content and its media type."""


class Site(Protocol):
    """A first page, a guide for every address that names somebody, and questions beside walks."""

    @property
    def home(self) -> str:
        """The file of the first page."""

    @property
    def questions(self) -> Mapping[str, Question]:
        """What else can be asked, by name."""

    def guide(self, query: Mapping[str, str]) -> Guide:
        """Who walks with whom the address names."""

    def warm(self) -> None:
        """Do beforehand what somebody will soon ask for."""


@dataclass(frozen=True, eq=False)
class Alone:
    """The page of one guide."""

    shown: Guide
    home: str = "index.html"
    questions: Mapping[str, Question] = field(default_factory=dict)

    def guide(self, query: Mapping[str, str]) -> Guide:  # noqa: ARG002
        """The one there is."""
        return self.shown

    def warm(self) -> None:
        """Look for the first ways once more."""
        self.shown.warm()


def site_of(shown: Guide | Site) -> Site:
    """A site as it is, or the page of a guide as one."""
    return Alone(shown) if isinstance(shown, Guide) else shown
