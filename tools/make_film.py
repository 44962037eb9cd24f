"""Make the film that opens the README: the navigator's map, a jump that closes a way, a wise step.

Usage: python tools/make_film.py docs/pictures/film.svg

The maps, the words and the figures are those of the page; a drawing that moves needs no script.
Who prefers less motion sees the second scene only.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from facelift.cli import demos
from facelift.drawing import COLOURS, EDGE, INK, ON_COLOURS, QUIET, WARNING, Map
from facelift.drawing.markup import FONT, map_svg
from facelift.views.cards import Card
from facelift.views.page import Document, document
from facelift.walking.guide import Guide
from facelift.walking.walk import Take, Walk

HEAD, FOOT, MARGIN = 74.0, 112.0, 16.0
SECONDS = 3.5
"""So long a scene is seen."""

GREEN = "#17663a"
OUT_OF_SIGHT = 1e3


@dataclass(frozen=True)
class Scene:
    """What is seen at once: a page, what is said of it, and the card that is looked at.

    Ways that it closes are struck; once somebody is there, ways not walked are pale.
    """

    page: Document
    words: str
    map: Map
    card: Card | None = None
    walked: str = ""


def main() -> None:
    """Walk through the demo and write its film."""
    scenes = _scenes(demos.german_credit())
    Path(sys.argv[1]).write_text(_film(scenes) + "\n", encoding="utf-8")


def _scenes(guide: Guide) -> list[Scene]:
    start = shown = document(guide, Walk())
    cards = {card.vertex: card for card in start.cards.cards}
    wise = cards[start.cards.recommended or 0]
    jump = next(card for card in cards.values() if card.tag == "biggest jump")
    scenes = [
        Scene(start, f"{len(start.ways)} ways from declined to approved.", _map(start)),
        Scene(start, "Look at the biggest jump before you take it.", _map(start), jump),
        Scene(start, "Look at the wise step: every way stays open.", _map(start), wise),
    ]
    while shown.arrival is None:
        move = Take(shown.cards.recommended or 0)
        shown = document(guide, shown.walk, move)
        if shown.arrival is None:
            scenes.append(Scene(shown, "You take it.", _map(shown)))
        else:
            walked = shown.arrival.map.ends[0].letter
            scenes.append(Scene(shown, "You are there.", _map(start), walked=walked))
    return scenes


def _map(page: Document) -> Map:
    return page.maps["steps"]


def _film(scenes: list[Scene]) -> str:
    width = max(scene.map.width for scene in scenes) + 2 * MARGIN
    height = HEAD + max(scene.map.full_height for scene in scenes) + FOOT
    drawn = "".join(_scene(i, scene, width, height) for i, scene in enumerate(scenes))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'font-family="{FONT}" role="img"><title>{escape(_told(scenes))}</title>'
        f"<style>{_style(len(scenes))}</style>"
        f'<rect width="{width:g}" height="{height:g}" rx="10" fill="#fff" stroke="{EDGE}"/>'
        f"{drawn}</svg>"
    )


def _told(scenes: Iterable[Scene]) -> str:
    """The film in words, for those who do not see it."""
    return " ".join(f"{scene.words} {scene.card.words if scene.card else ''}" for scene in scenes)


def _style(n_scenes: int) -> str:
    """Each scene is seen in its turn, or the second only where motion is not wanted."""
    seen = 100 / n_scenes
    turns = "".join(f"#scene-{i}{{animation-delay:{SECONDS * i:g}s}}" for i in range(n_scenes))
    return (
        ".scene{opacity:0}#scene-1{opacity:1}"
        f".closing path{{stroke:{QUIET};stroke-width:1.5;stroke-dasharray:5 4}}"
        f".closing circle{{fill:#fff;stroke:{QUIET};stroke-dasharray:3 2}}"
        f".closing text{{fill:{WARNING};text-decoration:line-through}}"
        ".nearer path{stroke-width:6}.pale{opacity:.25}"
        f"@keyframes turn{{0%{{opacity:0}}1.5%,{seen - 1.5:.2f}%{{opacity:1}}"
        f"{seen:.2f}%,100%{{opacity:0}}}}"
        "@media (prefers-reduced-motion:no-preference){"
        f".scene,#scene-1{{opacity:0;animation:turn {SECONDS * n_scenes:g}s linear infinite}}"
        f"{turns}}}"
    )


def _scene(number: int, scene: Scene, width: float, height: float) -> str:
    room = height - HEAD - FOOT
    down = HEAD + max(0.0, (room - scene.map.full_height) / 2)
    return (
        f'<g class="scene" id="scene-{number}">{_head(scene.page, width)}'
        f'<g transform="translate({MARGIN:g} {down:g})">{_drawing(scene)}</g>'
        f"{_foot(scene, width, height)}</g>"
    )


def _drawing(scene: Scene) -> str:
    """The map; what the card closes is struck as on the page, what was not walked is pale."""
    aside, look = scene.card.closes.split() if scene.card else [], "closing"
    if scene.walked:
        aside = [end.letter for end in scene.map.ends if end.letter != scene.walked]
        look = "pale"
    drawn = map_svg(_part(scene.map, aside, closing=False), "")
    if scene.card is None and not scene.walked:
        return drawn
    behind = map_svg(_part(scene.map, aside, closing=True), "") if aside else ""
    return f'<g class="{look}">{behind}</g><g class="nearer">{_clear(drawn)}</g>'


def _clear(drawing: str) -> str:
    """A drawing without its ground, to lie on another."""
    return re.sub(r'<rect [^>]*fill="#fff"/>', "", drawing, count=1)


def _part(whole: Map, closed: list[str], *, closing: bool) -> Map:
    """What a step closes of a map, or all else."""

    def kept(letters: str) -> bool:
        return set(letters.split()).issubset(closed) == closing

    return replace(
        whole,
        strokes=tuple(each for each in whole.strokes if kept(each.letter)),
        labels=tuple(each for each in whole.labels if kept(each.letters)),
        stations=tuple(each for each in whole.stations if kept(each.letters)),
        ends=tuple(each for each in whole.ends if kept(each.letter)),
        ticks=() if closing else whole.ticks,
        you=replace(whole.you, x=-OUT_OF_SIGHT) if closing else whole.you,
    )


def _head(page: Document, width: float) -> str:
    """Who it is, what is decided now, and what is open."""
    header = page.header
    colour = GREEN if header.decided else WARNING
    open_ways = [badge for badge in page.badges if badge.status == "open"]
    pips = "".join(
        _pip(width - MARGIN - 24 * (len(open_ways) - i) + 4, 16, badge.letter, badge.colour)
        for i, badge in enumerate(open_ways)
    )
    return (
        _text(MARGIN, 32, header.title, size=17, bold=True)
        + _text(MARGIN + 160, 32, header.outcome, colour, size=17, bold=True)
        + _text(MARGIN + 262, 32, header.outlook, QUIET)
        + _text(MARGIN, 54, header.facts, QUIET)
        + (_text(width - MARGIN, 54, "ways still open", QUIET, anchor="end") if pips else "")
        + pips
        + f'<path d="M0 66H{width:g}" stroke="{EDGE}"/>'
    )


def _foot(scene: Scene, width: float, height: float) -> str:
    """What happens, and the card that is looked at."""
    top = height - FOOT + 10
    ground = f'<path d="M0 {top:g}H{width:g}" stroke="{EDGE}"/>'
    lines = [_text(MARGIN, top + 30, scene.words, size=17, bold=True)]
    if scene.card is None:
        said = (
            scene.page.banner
            if scene.page.header.n_steps
            else "Lines run together while their steps are shared."
        )
        lines += [
            _text(MARGIN, top + 52 + 18 * i, line) for i, line in enumerate(_lines(said, width))
        ]
        return ground + "".join(lines)
    card = scene.card
    change = f"{card.title}: {card.changes[0].before} → {card.changes[0].after} · {card.outlook}"
    lines.append(_text(MARGIN, top + 54, change))
    lines += [
        _pip(MARGIN + 24 * i, top + 66, pip.letter, None if pip.effect == "closed" else pip.colour)
        for i, pip in enumerate(card.pips)
    ]
    closes, colour = (f"closes {card.closes}", WARNING) if card.closes else ("closes none", GREEN)
    lines.append(_text(MARGIN + 24 * len(card.pips) + 8, top + 81, closes, colour, bold=True))
    return ground + "".join(lines)


def _lines(words: str, width: float) -> list[str]:
    return textwrap.wrap(words, int((width - 2 * MARGIN) / 7))


def _pip(x: float, y: float, letter: str, colour: int | None) -> str:
    """A letter in the colour of its way; struck where it closes."""
    struck = f'<path d="M{x:g} {y:g}l20 20" stroke="{WARNING}" stroke-width="2"/>'
    ground = 'fill="#fff" stroke-dasharray="3 2"' if colour is None else f'fill="{COLOURS[colour]}"'
    return (
        f'<rect x="{x:g}" y="{y:g}" width="20" height="20" rx="5" stroke="{INK}" '
        f'stroke-opacity=".3" {ground}/>'
        + _text(
            x + 10,
            y + 14.5,
            letter,
            INK if colour is None else ON_COLOURS[colour],
            anchor="middle",
            bold=True,
        )
        + (struck if colour is None else "")
    )


def _text(
    x: float,
    y: float,
    words: str,
    colour: str = INK,
    *,
    size: int = 13,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    weight = ' font-weight="650"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" '
        f'text-anchor="{anchor}"{weight}>'
        f"{escape(words)}</text>"
    )


if __name__ == "__main__":
    main()
