"""Random walks over the page's document: does anything it says contradict the library?

    python -m tools.random_walks [--moves 10000] [--data german adult heloc digits] [--seed 1]
    python -m tools.random_walks --data heloc --person 1007

Walks as many people as it takes, clicking at random, and checks after every move each sentence and
number of the document: against the model asked directly, the terrain's rules, what was done before,
the other numbers of the same screen, and, of what is said not to be, an explainer fitted anew with
the limits as rules (always where there is no way, else of one move in `ANEW`). Prints how often
each claim was checked, and every contradiction with its person, whose walk `--person` makes anew;
ends with 1 if there is one. Other seeds walk with other people: give each process its own. Adult
(its first 8,000 people), HELOC and Credit Default need FACELIFT_DATA.
"""

from __future__ import annotations

import random

from facelift.errors import FaceliftError
from facelift.views.page import Document, document
from facelift.views.trying import trial
from facelift.walking.guide import Guide
from facelift.walking.hints import opened
from facelift.walking.limits import Limits
from facelift.walking.walk import Move, Other, SetLimits, Walk
from tools.random_walks.checks import Checks
from tools.random_walks.moves import check_anew, check_move, check_tried
from tools.random_walks.moving import random_move
from tools.random_walks.reach import check_reach
from tools.random_walks.screens import check
from tools.random_walks.told import check_letter, check_plan, check_told, check_translated
from tools.random_walks.worlds import USUAL, WORLDS, World

__all__ = ["USUAL", "WORLDS", "Checks", "walk_at_random", "walk_with"]

A_WALK = 14
"""After so many moves somebody else walks."""

STAYS = 2
"""Who has arrived makes so many moves more: little is left to be wrong about."""

ANEW = 8
"""Of so many moves, one is checked by an explainer fitted anew, and one in another language."""

PLANNED = 3
"""Of so many screens, one has a way made into a plan."""


def walk_at_random(world: World, n_moves: int, seed: int, checks: Checks) -> None:
    """Make so many moves with one person after the other, and check what each shows."""
    number = 1_000 * seed
    while n_moves > 0:
        number += 1
        n_moves -= walk_with(world, number, checks, min(n_moves, A_WALK))


def walk_with(world: World, number: int, checks: Checks, n_moves: int = A_WALK) -> int:
    """Walk with the person of a number, always in the same way; how many moves were made."""
    rng, guide, made = random.Random(number), world.guide(number), 0  # noqa: S311  (no secret)
    known = len(checks.faults)
    shown = document(guide, Walk())
    _check_screen(world, guide, shown, rng, checks)
    _locate(checks, known, f"person {number}, at the start")
    while n_moves > 0:
        n_moves = min(n_moves - 1, STAYS) if shown.header.reached else n_moves - 1
        made, known, move = made + 1, len(checks.faults), random_move(shown, rng)
        after = _moved(guide, shown, move, checks)
        if after is not None:
            checks.counts["moves"] += 1
            _check_screen(world, guide, after, rng, checks)
            check_move(guide, shown, after, move, checks)
            if rng.randrange(ANEW) == 0:
                check_translated(guide, shown.walk, move, checks)
            if rng.random() < 0.1 and shown.state != "none":  # undone, and another way round
                again = document(guide, shown.walk)
                checks.claim("undo brings back what was", again.ways == shown.ways, move)
            else:
                shown = after
        _locate(checks, known, f"person {number}, move {made}, {_brief(move)}")
    return made


def _locate(checks: Checks, known: int, where: str) -> None:
    """Say of the latest faults where they came up."""
    checks.faults[known:] = [f"{fault}\n      {where}" for fault in checks.faults[known:]]


def _check_screen(
    world: World, guide: Guide, shown: Document, rng: random.Random, checks: Checks
) -> None:
    check(guide, shown, checks)
    check_told(guide, shown, checks)
    if shown.ways and rng.randrange(PLANNED) == 0:
        letter = rng.choice(shown.ways).letter
        check_plan(guide, shown, letter, checks)
        check_reach(guide, shown, rng, checks)
        if rng.randrange(PLANNED) == 0 and not guide.picture:
            check_letter(guide, shown, letter, checks)
    arrived = shown.state in ("arrived", "already")
    if shown.state == "none" or (not arrived and rng.randrange(ANEW) == 0):
        check_anew(world, guide, shown, checks)
    if shown.nothing is not None and shown.nothing.loosen:
        _check_loosened(guide, shown, rng.choice(shown.nothing.loosen).limits, checks)


def _check_loosened(guide: Guide, shown: Document, limits: Limits, checks: Checks) -> None:
    """What loosening is said to open is there once it is loosened."""
    told, after = opened(guide, shown.walk, limits), document(guide, shown.walk, SetLimits(limits))
    right = told.n_ways == len(after.ways)
    checks.claim("loosening opens so many ways", right, (told, after.state))
    if told.effort is not None and after.ways:
        least = min(way.effort for way in after.ways)
        checks.claim("the nearest takes the effort said", abs(told.effort - least) < 1e-6, told)


def _moved(guide: Guide, shown: Document, move: Move, checks: Checks) -> Document | None:
    """The page after a move; None if it is refused, which only what people say may be."""
    try:
        told = trial(guide, shown.walk, move, ways=True) if isinstance(move, Other) else None
        after = document(guide, shown.walk, move)
    except FaceliftError as fault:
        refused = isinstance(move, Other)
        checks.claim("only what people say is refused", refused, f"{move} {fault}")
        return None
    if told is not None:
        check_tried(shown, told, after, checks)
    return after


def _brief(move: Move) -> str:
    """A move without what is as usual."""
    if isinstance(move, SetLimits):
        usual = Limits()
        own = {n: v for n, v in vars(move.limits).items() if v != getattr(usual, n)}
        return f"limits {own}"
    return str(move)
