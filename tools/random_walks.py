"""Random walks over the page's document: does anything it says contradict the library?

    python -m tools.random_walks [--moves 10000] [--data german adult heloc digits] [--seed 1]

Walks as many people as it takes, clicking at random, and checks after every move each sentence and
number of the document: against the model asked directly, the terrain's rules, what was done before,
and the other numbers of the same screen. Prints how often each claim was checked, and every
contradiction; ends with 1 if there is one. Adult (its first 8,000 people) and HELOC need
FACELIFT_DATA.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from facelift.cli import demos
from facelift.errors import FaceliftError
from facelift.models import small_classifier
from facelift.multiverse.words import name_words
from facelift.views.page import Document, document
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Again, Move, Other, RuleOut, SetLimits, Take, Unfold, Walk

EASES = ("very easy", "easy", "ok", "hard", "very hard", "never")
MOVES = ["take"] * 5 + ["rule out"] * 2 + ["ease"] * 4 + ["bound", "allow", "other", "more", "aim"]
A_WALK = 14
"""After so many moves somebody else walks."""

HAIR = 1e-9
GONE = r" (?:is|are) (?:no longer|closed|now the|not needed)"


def german() -> Callable[[int], Guide]:
    table = fl.datasets.load_german_credit()
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(table.data))
    return _people(table, terrain, "good")


def adult() -> Callable[[int], Guide]:
    table = fl.datasets.load_adult()
    table.data, table.target = table.data[:8_000], table.target[:8_000]
    return _people(table, fl.datasets.adult_rules(fl.Terrain.infer(table.data)), ">50K")


def heloc() -> Callable[[int], Guide]:
    table = fl.datasets.load_heloc(codes="dropped")
    return _people(table, fl.datasets.heloc_rules(fl.Terrain.infer(table.data)), "Good")


def digits() -> Callable[[int], Guide]:
    first = demos.digits()
    explainer: fl.FACElift = first.multiverse.question.explainer
    table = fl.datasets.load_digits().data

    def guide(number: int) -> Guide:
        row = table.iloc[[7 * number % len(table)]]
        seen = explainer.model.predict(row)[0]
        others = [label for label in explainer.classes_.tolist() if label != seen]
        return Guide(explainer.explain(row, others), picture=(8, 8))

    return guide


def _people(table: Any, terrain: fl.Terrain, wanted: str) -> Callable[[int], Guide]:
    model = small_classifier(table.data, table.target)
    explainer = fl.FACElift(model, terrain, steps="actions", n_counterfactuals=7).fit(table.data)
    declined = table.data[model.predict(table.data).astype(str) != wanted]

    def guide(number: int) -> Guide:
        row = declined.iloc[[97 * number % len(declined)]]
        return Guide(explainer.explain(row, wanted))

    return guide


WORLDS = {"german": german, "adult": adult, "heloc": heloc, "digits": digits}


@dataclass
class Checks:
    """How often each claim was checked, and what contradicts one."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def claim(self, name: str, holds: Any, said: object = "") -> None:
        self.counts[name] += 1
        if not holds:
            self.faults.append(f"{name}: {said}")


def walk_at_random(guides: Callable[[int], Guide], n_moves: int, seed: int, checks: Checks) -> None:
    """Make so many moves with one person after the other, and check what each shows."""
    rng, number, left = random.Random(seed), seed, 0  # noqa: S311  (no secret)
    guide, shown = guides(number), None
    for _ in range(n_moves):
        if shown is None or not left:
            number, left = number + 1, A_WALK
            guide = guides(number)
            shown = document(guide, Walk())
            check(guide, shown, checks)
        left -= 1
        move = random_move(shown, rng)
        try:
            after = document(guide, shown.walk, move)
        except FaceliftError as fault:
            checks.claim("only what people say is refused", _may_fail(move), f"{move} {fault}")
            continue
        checks.counts["moves"] += 1
        check(guide, after, checks)
        check_move(guide, shown, after, move, checks)
        if rng.random() < 0.1 and shown.state != "none":  # undone, and another way round
            again = document(guide, shown.walk)
            checks.claim("undo brings back what was", again.ways == shown.ways, move)
            continue
        shown = after


def _may_fail(move: Move) -> bool:
    return isinstance(move, Other)


def random_move(shown: Document, rng: random.Random) -> Move:
    """Something a person could do on the page."""
    limits, settings = shown.walk.limits, shown.settings.settings
    cards = [card.vertex for card in shown.cards.cards]
    kind = rng.choice(MOVES)
    if shown.state == "none" and rng.random() < 0.5:
        return SetLimits(Limits())
    if kind in ("take", "rule out") and cards:
        return (Take if kind == "take" else RuleOut)(rng.choice(cards))
    if kind == "aim" and shown.settings.base_chance is not None:
        return SetLimits(replace(limits, chance=rng.choice([None, 0.55, 0.6, 0.7])))
    if kind == "more":
        letters = [way.letter for way in shown.ways] or ["A"]
        return rng.choice([Again(12), Again(None), Unfold(rng.choice(letters)), Unfold(None)])
    if not settings or kind in ("take", "rule out", "allow", "aim"):
        return SetLimits(replace(limits, ruled_out=limits.ruled_out[1:], edges=limits.edges[1:]))
    setting = rng.choice(settings)
    if kind == "bound" and setting.least is not None and isinstance(setting.value, int | float):
        low, high = sorted(rng.uniform(setting.least, setting.most) for _ in range(2))
        ends = min(low, setting.value), max(high, setting.value)
        return SetLimits(replace(limits, bounds={**limits.bounds, setting.name: ends}))
    if kind == "other":
        return Other({setting.name: _some_value(setting, rng)}, rng.random() < 0.3)
    return SetLimits(
        replace(limits, ease={**limits.ease, setting.name: rng.choice(EASES)})  # type: ignore[arg-type]
    )


def _some_value(setting: Any, rng: random.Random) -> Any:
    if setting.levels:
        return rng.choice(setting.levels)
    if setting.least is None or not isinstance(setting.value, int | float):
        return setting.value
    value = rng.uniform(setting.least, setting.most)
    return round(value) if setting.whole else value


# --- one screen ----------------------------------------------------------------------------------


def check(guide: Guide, shown: Document, checks: Checks) -> None:
    """What one screen says: to itself, and of the model."""
    letters = [way.letter for way in shown.ways]
    open_ = sorted(badge.letter for badge in shown.badges if badge.status == "open")
    checks.claim("ways told are those open", sorted(letters) == open_, (letters, open_))
    for drawing in shown.maps.values():
        ends = sorted(end.letter for end in drawing.ends)
        checks.claim("ways drawn are those told", ends == sorted(letters), (ends, letters))
    _check_state(guide, shown, checks)
    told = [(way.changes, len(way.steps)) for way in shown.ways if way.changes]
    words = [" ".join(map(str, changes)) for changes, _ in told]
    checks.claim("no two ways have the same words", len(set(words)) == len(words), words)
    _check_ways(guide, shown, checks)
    _check_cards(shown, checks)
    _check_notes(shown, checks)
    if guide.single_changes and not shown.walk.limits.undo:
        _check_undoes_nothing(guide, shown, checks)
    spent = sum(event.effort for event in shown.walk.past)
    checks.claim("effort so far is that of the steps", abs(shown.header.effort - spent) < HAIR)


def _chances(guide: Guide, rows: list[Any]) -> list[float]:
    """What the model itself says of some rows: their chances of what is wanted."""
    if not rows:
        return []
    explainer: Any = guide.explainer
    here = explainer.terrain_.to_pandas(guide._case[np.newaxis, :])
    frame = pd.DataFrame(rows, columns=here.columns).astype(here.dtypes)
    goal: Any = guide.multiverse.goal
    return [float(chance) for chance in goal.chances(explainer.model.predict_proba(frame))]


def _needed(guide: Guide, shown: Document) -> tuple[float, float]:
    explainer: Any = guide.explainer
    if shown.walk.limits.chance is not None:
        return shown.walk.limits.chance, shown.walk.limits.chance
    return explainer.threshold, explainer.needed


def _check_state(guide: Guide, shown: Document, checks: Checks) -> None:
    plan = guide.planned(shown.walk)
    (chance,) = _chances(guide, [plan.row])
    decides, needed = _needed(guide, shown)
    near = abs(chance - needed) < 1e-6 or abs(chance - decides) < 1e-6
    there = chance >= (needed if shown.walk.past else decides)
    if not near:
        said = (shown.state, chance, needed)
        checks.claim("arrived is what the model says", shown.header.reached == there, said)
        decided = chance >= decides
        checks.claim("the decision is the model's", shown.header.decided == decided, said)
    close = shown.header.chance is None or abs(shown.header.chance - chance) < 1e-6
    checks.claim("the chance is the model's", close, (shown.header.chance, chance))
    arrived = shown.state in ("arrived", "already")
    checks.claim("who has arrived is urged to nothing", not (arrived and shown.cards.cards))
    n_ways = len(shown.ways)
    right = arrived or shown.state == {0: "none", 1: "one way"}.get(n_ways, "walking")
    checks.claim("the state says how many ways there are", right, (shown.state, n_ways))


def _check_ways(guide: Guide, shown: Document, checks: Checks) -> None:
    _, needed = _needed(guide, shown)
    plan = guide.planned(shown.walk)
    ends = _chances(guide, [plan.values[int(journey.vertices[-1])] for journey in plan.ways])
    for way, end in zip(plan.lines, ends, strict=True):
        told = next(each for each in shown.ways if each.letter == way.letter)
        checks.claim("a way ends where the model says so", end > needed - 1e-6, (way.letter, end))
        checks.claim("the end's chance is the model's", abs((told.chance or end) - end) < 1e-6)
        summed = sum(step.effort for step in told.steps)
        checks.claim("a way's effort is that of its steps", abs(told.effort - summed) < 1e-6)
        if guide.single_changes:
            early = [each.chance for each in told.steps[:-1] if each.chance is not None]
            passed = [chance for chance in early if chance > needed + 1e-6]
            checks.claim("no way goes on from where it succeeds", not passed, (way.letter, passed))
        n_open = len(shown.ways)
        for step in told.steps:
            n_closed = len(step.closes.split())
            said = (way.letter, n_open, step.n_open, step.closes)
            right = step.n_open == n_open - n_closed
            checks.claim("what stays open is what does not close", right, said)
            n_open = step.n_open


def _check_cards(shown: Document, checks: Checks) -> None:
    letters = {way.letter for way in shown.ways}
    for card in shown.cards.cards:
        checks.claim("cards speak of the ways shown", {p.letter for p in card.pips} == letters)
        closes = {pip.letter for pip in card.pips if pip.effect == "closed"}
        checks.claim("what closes is said", closes == set(card.closes.split()), card.words)


def _check_notes(shown: Document, checks: Checks) -> None:
    for note in shown.notes:
        if found := re.search(r"(\d+) of these (\d+) ways never meet", note):
            apart, ways = map(int, found.groups())
            right = apart <= ways == len(shown.ways)
            checks.claim("independent ways are at most all", right, note)
        if found := re.search(r"all (\d+) ways (?:never meet|meet)", note):
            checks.claim("independent ways are at most all", int(found[1]) == len(shown.ways), note)


def _check_undoes_nothing(guide: Guide, shown: Document, checks: Checks) -> None:
    """No step shown takes a column back to where steps have led away from."""
    plan, features = guide.planned(shown.walk), guide.features
    for step in [
        *(step for way in plan.ways for step in plan.steps(way)),
        *(plan.changes(option.start, option.end) for option in plan.options),
    ]:
        for name, before, after in step:
            for first, last in _done(shown, name):
                back = _is_back(features[name], (first, last), (before, after))
                checks.claim("nothing undoes what was done", not back, (name, first, before, after))


def _done(shown: Document, column: str) -> Iterator[tuple[Any, Any]]:
    """What steps did to a column, since something else happened to it."""
    pairs: list[tuple[Any, Any]] = []
    for event in shown.walk.past:
        for name, before, after in event.changes:
            if name == column:
                pairs = [*pairs, (before, after)] if event.kind == "step" else []
    yield from pairs


def _is_back(feature: Any, done: tuple[Any, Any], step: tuple[Any, Any]) -> bool:
    if feature.ages is not None or None in (*done, *step):
        return False
    if not feature.has_order:
        return bool(step[1] == done[0])
    rank = feature.levels.index if feature.has_levels else float
    did, does = rank(done[1]) - rank(done[0]), rank(step[1]) - rank(step[0])
    return bool(did * does < 0)


# --- a move --------------------------------------------------------------------------------------


def check_move(guide: Guide, before: Document, after: Document, move: Move, checks: Checks) -> None:
    """What a move is said to have done."""
    checks.claim("every move has a sentence", after.banner and after.undone, move)
    were = {way.letter for way in before.ways}
    are = {way.letter for way in after.ways}
    status = {badge.letter: badge.status for badge in after.badges}
    known = {name.letter for name in before.walk.names}
    checks.claim("no letter is forgotten", known <= set(status), known - set(status))
    if after.state in ("walking", "one way"):
        _check_banner(after.banner, were, are, known, checks)
    if isinstance(move, Take):
        _check_card_held(before, after, move, status, checks)
    elif not isinstance(move, Other):
        aged = {name_words(n, guide.features) for n, f in guide.features.items() if f.ages}
        _check_letters_hold(before, after, aged, checks)
    for badge in after.badges:
        if badge.status == "gone" and after.state != "none":
            _check_gone(guide, after, badge.letter, badge.words, checks)


def _letters(words: str) -> set[str]:
    return set(re.findall(r"\b[A-Z]{1,2}\b", words))


def _check_banner(
    banner: str, were: set[str], are: set[str], known: set[str], checks: Checks
) -> None:
    list_ = r"((?:[A-Z]{1,2}, )*(?:[A-Z]{1,2} and )?[A-Z]{1,2})"
    for found in re.finditer(r"(\d+) ways? (?:is|are) open\.", banner):
        checks.claim("as many ways are open as is said", int(found[1]) == len(are), banner)
    for found in re.finditer(r"All (\d+) ways stay open\.", banner):
        checks.claim("ways that stay are there", int(found[1]) == len(are) and were == are, banner)
    for found in re.finditer(list_ + GONE, banner):
        lost = _letters(found[1])
        checks.claim("what is lost was there and is not", lost <= were - are, banner)
    for found in re.finditer(list_ + r" (?:is a new way|are new ways)", banner):
        new = _letters(found[1])
        checks.claim("what is new was never there", new <= are - known, banner)
    for found in re.finditer(list_ + r" (?:is|are) open again", banner):
        again = _letters(found[1])
        checks.claim("what is open again was not open", again <= (are - were) & known, banner)


def _check_card_held(
    before: Document, after: Document, move: Take, status: dict[str, str], checks: Checks
) -> None:
    card = next(card for card in before.cards.cards if card.vertex == move.vertex)
    event = after.walk.past[-1]
    close = card.after is None or event.after is None or abs(card.after - event.after) < 1e-9
    checks.claim("a step does to the chance what its card said", close, (card.after, event.after))
    if after.state == "arrived":
        checks.claim("a step that arrives said so", bool(card.arrives), card.words)
        return
    for pip in card.pips:
        there = status[pip.letter] in ("open", "same", "aside", "reached")
        said = f"{pip.letter} {pip.effect} → {status[pip.letter]}"
        checks.claim("a step closes what its card said", there == (pip.effect != "closed"), said)


def _check_letters_hold(before: Document, after: Document, aged: set[str], checks: Checks) -> None:
    """A letter shown before and after a move that nobody walked by is the same way, or shorter."""
    old = {way.letter: {(c.name, c.after) for c in way.changes} for way in before.ways}
    for way in after.ways:
        if way.letter in old and way.changes:
            new = {(c.name, c.after) for c in way.changes if c.name not in aged}
            said = (way.letter, old[way.letter], new)
            checks.claim("a letter is the same way as before", new <= old[way.letter], said)


def _check_gone(guide: Guide, after: Document, letter: str, words: str, checks: Checks) -> None:
    """What is said to be gone is not among the ways, by its changes."""
    from facelift.walking.identity import changes_of

    key = next(name.key for name in after.walk.names if name.letter == letter)
    plan = guide.planned(after.walk)
    there = {each.key for each in plan.names}
    checks.claim("what is gone is not shown", key not in there, words)
    if "would end at" in words and (changes := changes_of(key)):
        (chance,) = _chances(guide, [{**plan.row, **changes}])
        _, needed = _needed(guide, after)
        checks.claim("what is not enough is not", chance < needed + 1e-6, (words, chance))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=10_000, help="moves in all")
    parser.add_argument("--data", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    faults = 0
    for name in asked.data:
        checks = Checks()
        walk_at_random(WORLDS[name](), asked.moves // len(asked.data), asked.seed, checks)
        n_claims = sum(checks.counts.values()) - checks.counts["moves"]
        print(
            f"{name}: {checks.counts['moves']:,} moves, {n_claims:,} claims checked, "
            f"{len(checks.faults)} contradictions"
        )
        kinds = Counter(fault.split(":")[0] for fault in checks.faults)
        for claim, count in sorted(checks.counts.items()):
            print(f"  {claim:44} {count:8,} {kinds.get(claim, 0):6}")
        for fault in checks.faults[:20]:
            print(f"    {fault}")
        faults += len(checks.faults)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
