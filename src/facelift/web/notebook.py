"""The navigator in a notebook: the page's own script as a widget, answered by this kernel."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from threading import Thread
from typing import Any

from facelift._checks import optional
from facelift.errors import FaceliftError, InvalidInput
from facelift.multiverse.journey import Journey
from facelift.views.script import joined, looks
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.position import Position
from facelift.walking.walk import Walk
from facelift.web.messages import ANSWERS, MOST_BYTES, read

optional("anywidget", extra="notebook", what="The widget")  # one clear line, not a traceback

import anywidget  # noqa: E402
import traitlets  # noqa: E402

_log = logging.getLogger("facelift")


@dataclass(frozen=True)
class Shown:
    """Of a document, the walk."""

    walk: Walk


Reply = tuple[dict[str, Any], list[bytes]]
"""A message, and the content that goes with it."""


class Navigator(anywidget.AnyWidget):
    """The page of a guide as a widget; where there are no widgets, its map and tables.

    What was done last, in any view of it, can be read and observed: `walk` (all of it), `position`
    (where one stands; None where nothing leads on), `limits`, and `journey` (the cheapest way from
    there; None without one). Views ask with walks of their own, so they never disturb each other.

    >>> from facelift.toys import loan
    >>> navigator = Navigator(Guide(loan().multiverse()))
    >>> "facelift/walk/1" in navigator.document
    True
    >>> navigator.position.vertex, navigator.journey
    (0, Journey(1 step, cost 3))
    """

    _esm = joined("navigator/notebook.js")
    looks = traitlets.Unicode(looks()).tag(sync=True)
    document = traitlets.Unicode().tag(sync=True)
    walk = traitlets.Instance(Walk)
    limits = traitlets.Instance(Limits)
    position = traitlets.Instance(Position, allow_none=True)
    journey = traitlets.Instance(Journey, allow_none=True)

    def __init__(self, guide: Guide) -> None:
        super().__init__(document=ANSWERS["walk"](guide, b"{}")[0].decode())
        self.guide = guide
        self._show(Walk())
        self.on_msg(self._heard)
        Thread(target=guide.warm, daemon=True).start()  # while somebody reads

    def _heard(self, _: Navigator, message: Any, __: list[memoryview]) -> None:
        answer, content = reply(self.guide, message)
        self.send(answer, content)
        if "error" not in answer and message.get("ask") == "walk":
            self._show(read(Shown, b"".join(content)).walk)

    def _show(self, walk: Walk) -> None:
        """Tell those who observe where somebody stands now."""
        plan = self.guide.planned(walk)
        ways = plan.ways.in_rows(plan.decode, plan.features)
        with self.hold_trait_notifications():
            self.walk, self.limits, self.position = plan.walk, walk.limits, plan.position
            self.journey = ways[0] if len(ways) else None

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, and static HTML for where widgets are not available."""
        shown, about = super()._repr_mimebundle_(**options) or ({}, {})
        return {**shown, "text/html": self.guide.multiverse._repr_html_()}, about


def reply(guide: Guide, message: Any) -> Reply:
    """The answer to a message of the script, which names what it asks for and numbers it.

    >>> from facelift.toys import loan
    >>> reply(Guide(loan().multiverse()), {"id": "7", "ask": "walk", "body": {}})[0]
    {'id': '7', 'kind': 'application/json'}
    >>> reply(Guide(loan().multiverse()), {"id": "8", "ask": "fly"})[0]
    {'id': '8', 'error': "There is nothing called 'fly' to ask for."}
    """
    given = message if isinstance(message, dict) else {}
    number = given.get("id")
    try:
        content, kind = _answer(guide, given)
    except FaceliftError as fault:
        return {"id": number, "error": " ".join(str(fault).split())}, []
    except Exception:
        _log.exception("A message could not be answered")
        return {"id": number, "error": "Something went wrong; the notebook's log says more."}, []
    return {"id": number, "kind": kind}, [content]


def _answer(guide: Guide, message: dict[str, Any]) -> tuple[bytes, str]:
    name = message.get("ask")
    if name not in ANSWERS:
        raise InvalidInput(f"There is nothing called {name!r} to ask for.")
    body = json.dumps(message.get("body", {})).encode()
    if len(body) > MOST_BYTES:
        raise InvalidInput("The request is too large.")
    return ANSWERS[name](guide, body)
