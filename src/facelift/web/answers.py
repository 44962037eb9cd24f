"""What is answered, whoever asks: the page by HTTP, a notebook's widget by message."""

from __future__ import annotations

import json
from collections.abc import Callable

from facelift.views import walk as views
from facelift.walking.guide import Guide
from facelift.walking.loosening import opened
from facelift.web import bodies

Answer = Callable[[Guide, bytes], tuple[bytes, str]]
"""From a guide and a body of JSON to content and its media type; a bad body is an error."""

JSON = "application/json"


def walked(guide: Guide, body: bytes) -> tuple[bytes, str]:
    """The document after a move.

    >>> from facelift.toys import loan
    >>> walked(Guide(loan().multiverse()), b"{}")[1]
    'application/json'
    """
    asked = bodies.read(bodies.Step, body)
    return views.to_json(views.document(guide, asked.walk, asked.move)), JSON


def loosened(guide: Guide, body: bytes) -> tuple[bytes, str]:
    """How many ways other limits would open."""
    asked = bodies.read(bodies.Loosen, body)
    found = opened(guide, asked.walk, asked.limits)
    return json.dumps({"n_ways": found.n_ways, "effort": found.effort}).encode(), JSON


def exported(guide: Guide, body: bytes) -> tuple[bytes, str]:
    """A walk as a file."""
    from facelift.views.report import exported as made

    asked = bodies.read(bodies.Export, body)
    return made(guide, asked.walk, asked.format, scale=asked.scale, values=asked.values)


ANSWERS: dict[str, Answer] = {"walk": walked, "opened": loosened, "export": exported}
"""Everything that can be asked, by its name."""
