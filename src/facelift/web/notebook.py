"""The navigator in a notebook: the page's own script as a widget, answered by this kernel."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any, Literal

from facelift.errors import optional
from facelift.multiverse.journey import Journey
from facelift.views.inline import bundled, looks, static
from facelift.walking import Position
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Walk
from facelift.web.messages import ANSWERS, JSON, Alone, parsed, read, reply

optional("anywidget", extra="notebook", what="The widget")  # one clear line, not a traceback

import anywidget  # noqa: E402
import traitlets  # noqa: E402


@dataclass(frozen=True)
class Shown:
    """Of a document, the walk."""

    walk: Walk


@dataclass(frozen=True)
class Words:
    """The words of a language that the script asks for."""

    code: Literal["de", "fr", "pl", "es"]


def words(_: Mapping[str, str], body: bytes) -> tuple[bytes, str]:
    """The page's sentences in a language; a page of its own has them as files."""
    return static(f"words/{parsed(Words, body).code}.json").encode(), JSON


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

    _esm = bundled("navigator/notebook.js")
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
        with suppress(RuntimeError):  # a browser's Python has no threads
            Thread(target=guide.warm, daemon=True).start()  # while somebody reads

    def _heard(self, _: Navigator, message: Any, __: list[memoryview]) -> None:
        answer, content = reply(Alone(self.guide, questions={"words": words}), message)
        self.send(answer, [content] if content else [])
        if "error" not in answer and message.get("ask") == "walk":
            self._show(read(Shown, content).walk)

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
