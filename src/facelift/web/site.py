"""What is shown: one guide's page alone, or tables of people (`facelift.web.tables`).

A server asks it by addresses; a notebook, and a page with Python in a worker, by messages.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from facelift.errors import FaceliftError, InvalidInput
from facelift.walking.guide import Guide
from facelift.web.messages import ANSWERS, MOST_BYTES, Answer

MOST_TABLE_BYTES = 20_000_000
"""How large a table may be that somebody drops on the page."""

_log = logging.getLogger("facelift")

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


def questions_of(site: Site) -> dict[str, Question]:
    """Everything that can be asked of a site, by name: about walks, and what it adds."""
    walks = {name: partial(_walked, site, answer) for name, answer in ANSWERS.items()}
    return {**walks, **site.questions}


def _walked(site: Site, answer: Answer, query: Mapping[str, str], body: bytes) -> tuple[bytes, str]:
    """The answer to what is asked of the guide whom an address names."""
    return answer(site.guide(query), body)


def most_bytes(name: str) -> int:
    """How large a question may be; tables are the only large ones."""
    return MOST_TABLE_BYTES if name == "draft" else MOST_BYTES


def reply(shown: Guide | Site, message: Any) -> tuple[dict[str, Any], bytes]:
    """The answer to a message of a script, which names what it asks for and numbers it.

    >>> from facelift.toys import loan
    >>> reply(Guide(loan().multiverse()), {"id": "7", "ask": "walk", "body": {}})[0]
    {'id': '7', 'kind': 'application/json'}
    >>> reply(Guide(loan().multiverse()), {"id": "8", "ask": "fly"})[0]
    {'id': '8', 'error': "There is nothing called 'fly' to ask for."}
    """
    given = message if isinstance(message, dict) else {}
    number = given.get("id")
    try:
        content, kind = _answer(site_of(shown), given)
    except FaceliftError as fault:
        return {"id": number, "error": " ".join(str(fault).split())}, b""
    except Exception:
        _log.exception("A message could not be answered")
        return {
            "id": number,
            "error": "Something went wrong; facelift's own output says more.",
        }, b""
    return {"id": number, "kind": kind}, content


def _answer(site: Site, message: dict[str, Any]) -> tuple[bytes, str]:
    name, query = message.get("ask"), message.get("query", {})
    questions = questions_of(site)
    if not isinstance(name, str) or name not in questions:
        raise InvalidInput(f"There is nothing called {name!r} to ask for.")
    if not (isinstance(query, dict) and all(isinstance(each, str) for each in query.values())):
        raise InvalidInput("A query has words only.")
    body = json.dumps(message.get("body", {})).encode()
    if len(body) > most_bytes(name):
        raise InvalidInput("The request is too large.")
    return questions[name](query, body)
