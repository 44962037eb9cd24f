"""A letter as a value: its parts in the order they are read, and how they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class WayPart:
    """One way of a letter: its name, how long it takes, its steps, and effort and chance."""

    title: str
    time: str
    steps: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it: paragraphs, ways beside each other, and points."""

    title: str
    paragraphs: tuple[str, ...] = ()
    ways: tuple[WayPart, ...] = ()
    points: Pairs = ()
    below: tuple[str, ...] = ()


@dataclass(frozen=True)
class Letter:
    """A letter: `text` for a terminal or a mail, `html` to print; `str` gives the text.

    Places that the sender has still to fill in stand in brackets. The same multiverse and the same
    words give the same letter: no date is put in unless it is given.
    """

    language: str
    sender: tuple[str, ...]
    recipient: tuple[str, ...]
    details: Pairs
    subject: str
    greeting: str
    opening: str
    sections: tuple[Section, ...]
    closing: str
    signature: str
    enclosed: str
    facts_title: str
    facts: Pairs
    footer: str
    fingerprints: Pairs

    @cached_property
    def text(self) -> str:
        """The letter as plain text, 78 characters wide."""
        from facelift.views.letters.rendering import letter_text

        return letter_text(self)

    @cached_property
    def html(self) -> str:
        """The letter as one HTML file: it needs nothing else, and prints on A4."""
        from facelift.views.letters.rendering import letter_html

        return letter_html(self)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from html import escape

        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="" '
            'style="width:100%;height:1180px;border:0"></iframe>'
        )
