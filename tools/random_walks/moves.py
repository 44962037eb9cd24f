"""A move: does what it is said to have done, or that a way is gone, contradict anything?"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from facelift.multiverse.words import name_words
from facelift.views.moves import NOT_FOUND
from facelift.views.page import Badge, Document
from facelift.views.trying import Trial
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Move, Other, Take, changes_of
from tools.random_walks.checks import HAIR, Checks, percents
from tools.random_walks.fresh import (
    asked_anew,
    chances,
    frame,
    in_time,
    needed,
    periods_left,
)
from tools.random_walks.screens import slowest
from tools.random_walks.worlds import World

GONE = r" (?:is|are) (?:no longer|closed|now the|not needed|not among)"
LETTERS = r"((?:[A-Z]\d*, )*(?:[A-Z]\d* and )?[A-Z]\d*)"


def check_move(guide: Guide, before: Document, after: Document, move: Move, checks: Checks) -> None:
    """What a move is said to have done."""
    checks.claim("every move has a sentence", after.banner and after.undone, move)
    status = {badge.letter: badge.status for badge in after.badges}
    known = {name.letter for name in before.walk.names}
    checks.claim("no letter is forgotten", known <= set(status), known - set(status))
    _check_chance(after, checks)
    _check_counts(after, checks)
    if after.state in ("walking", "one way"):
        _check_banner(before, after, known, checks)
        _check_efforts(before, after, checks)
    if isinstance(move, Take):
        _check_card_held(before, after, move, status, checks)
    elif not isinstance(move, Other):
        aged = {name_words(n, guide.features) for n, f in guide.features.items() if f.ages}
        _check_letters_hold(before, after, aged, checks)
    _check_said(guide, before, after, checks)
    gone = [badge for badge in after.badges if badge.status == "gone" and after.state != "none"]
    ends = _ends_of(guide, after, [badge for badge in gone if "would end at" in badge.words])
    for badge in gone:
        _check_gone(guide, after, badge, ends.get(badge.letter), checks)
    for badge in after.badges:
        if badge.status == "same":
            _check_same(guide, after, badge.letter, badge.words, checks)


EASE = re.compile(r"^(.+?) is (very easy|easy|hard|very hard) now\.|^(.+?) never changes now\.")


def _check_said(guide: Guide, before: Document, after: Document, checks: Checks) -> None:
    """What is said of limits is how they are, and not how they were."""
    old, new, banner = before.walk.limits, after.walk.limits, after.banner
    if found := EASE.search(banner):
        words, ease = found[1] or found[3], found[2] or "never"
        own = {each for each, is_ in new.ease.items() if is_ == ease != old.ease.get(each)}
        named = {name_words(each, guide.features) for each in own}
        checks.claim("a column is as hard as is said", words in named, (banner, new.ease))
    if found := re.search(r"You aim at ([\d.]+)% now\.", banner):
        right = new.chance != old.chance and abs(float(found[1]) / 100 - (new.chance or 0)) < HAIR
        checks.claim("one aims at what is said", right, (banner, new.chance))
    if found := re.search(r"(?:up to|may have) (\d+) steps? now\.", banner):
        right = int(found[1]) == new.max_steps != old.max_steps
        checks.claim("ways may have so many steps", right, (banner, new.max_steps))
        most = max((len(way.steps) for way in after.ways), default=0)
        checks.claim("no way has more steps", most <= int(found[1]), (banner, most))
    _check_limits_said(guide, before, after, checks)
    if found := re.search(r"Looked once more: (\d+) ways? (?:was|were) found", banner):
        n = sum(way.similar for way in after.ways)
        checks.claim("so many ways were found", int(found[1]) >= n, (banner, n))
    if found := re.search(r"(\d+) of (\d+) ways stand for all", banner):
        shown, every = int(found[1]), sum(way.similar for way in after.ways)
        right = shown >= len(after.ways) and int(found[2]) >= every
        checks.claim("so many ways stand for all", right, (banner, every))
    if after.state == "arrived" and before.header.reached and "are open" in banner:
        checks.claim("who has arrived is told of no way", False, banner)


def _as_told(limits: Limits) -> Limits:
    """Limits without what is as hard as usual."""
    return replace(limits, ease={name: each for name, each in limits.ease.items() if each != "ok"})


def _check_limits_said(guide: Guide, before: Document, after: Document, checks: Checks) -> None:
    """Each sentence on a limit against the limits themselves."""
    old, new, banner = before.walk.limits, after.walk.limits, after.banner
    eased = {name for name in old.ease if old.ease[name] != "ok"}
    so = {
        "These limits are the ones you had.": _as_told(old) == _as_told(new),
        "is as hard as usual now.": any(new.ease.get(name, "ok") == "ok" for name in eased),
        "You aim as high as usual again.": new.chance is None != old.chance,
        "Ways may take as long as they need.": new.deadline is None != old.deadline,
        "You have at most ": None not in (new.deadline,) and new.deadline != old.deadline,
        "Ways may have as many steps as usual.": new.max_steps is None != old.max_steps,
        "Situations that few people have been in will do": new.rare and not old.rare,
        "Only situations like those of real people": old.rare and not new.rare,
        "The search took longer.": new.patience and not old.patience,
        "The search took as long as usual.": old.patience and not new.patience,
        "Ways may take back what you have done now": bool(new.undo) and new.undo != old.undo,
        "No way takes back what you have done.": not new.undo and bool(old.undo),
        "Allowed again: ": len(new.ruled_out) < len(old.ruled_out),
        "A step that you ruled out is allowed again.": len(new.edges) < len(old.edges),
        "may go as far as others have.": len(new.bounds) < len(old.bounds),
        "Tried without the rule": len(new.lifted) > len(old.lifted),
        "The rule holds again": not set(old.lifted) <= set(new.lifted),
        "Ruled out: ": (len(new.ruled_out), len(new.edges)) > (len(old.ruled_out), len(old.edges)),
        "Nothing is different from before.": bool(after.walk.past)
        and not after.walk.past[-1].changes,
    }
    for words, right in so.items():
        if words in banner:
            checks.claim("what is said of a limit is so", right, (words, old, new))
    for found in re.finditer(r"(?:^|\. )([^.]+) stays between (.+?) and (.+?) now\.", banner):
        own = {name for name, each in new.bounds.items() if old.bounds.get(name) != each}
        named = {name_words(name, guide.features) for name in own}
        checks.claim("what is said of a limit is so", found[1] in named, (banner, new.bounds))


def _check_same(guide: Guide, after: Document, letter: str, words: str, checks: Checks) -> None:
    """A way said to be another, or not needed beside it, needs all that the other changes."""
    found = re.search(r"(?:same way as|not needed beside) ([A-Z]+\d*)", words)
    other = next((way for way in after.ways if found and way.letter == found[1]), None)
    checks.claim("what a way is the same as is open", other is not None, words)
    key = next(name.key for name in after.walk.names if name.letter == letter)
    if other is None or not guide.single_changes or not changes_of(key):
        return
    plan = guide.planned(after.walk)
    if key in {name.key for name in plan.names}:
        return  # heading for it one arrives at the other's end first
    number = [name.letter for name in plan.lines].index(other.letter)
    end = plan.values[int(plan.ways[number].vertices[-1])]
    theirs = {
        name: end[name]
        for name in changes_between(plan.row, end)
        if guide.features[name].ages is None
    }
    ours = {n: value for n, value in changes_of(key).items() if plan.row.get(n) != value}
    right = theirs.items() <= ours.items()
    checks.claim("a way needs what the one it is like changes", right, (words, ours, theirs))
    if "changes less" in words:
        checks.claim("what changes less does", len(theirs) < len(ours), (words, ours, theirs))


def changes_between(start: Any, end: Any) -> list[str]:
    """The columns that differ between two rows."""
    return [name for name, value in start.items() if value != end[name]]


def _letters(words: str) -> set[str]:
    return set(re.findall(r"\b[A-Z]\d*\b", words))


def _check_chance(after: Document, checks: Checks) -> None:
    """Where the chance is said to have risen, fallen or stayed."""
    found = re.search(
        r"Your chance (stays|rose|fell) (?:at|from) (.*?%)(?: to (.*?%))?", after.banner
    )
    if not found or not after.walk.past:
        return
    was, now = after.walk.past[-1].before or 0.0, after.walk.past[-1].after or 0.0
    told = percents(found[0])
    right = abs(told[-1] - now) < 0.006 and abs(told[0] - was) < 0.006
    way = {"stays": abs(now - was) < 0.011, "rose": now > was, "fell": now < was}[found[1]]
    checks.claim("the chance did what is said", right and way, (after.banner, was, now))


def _check_counts(after: Document, checks: Checks) -> None:
    are, banner = {way.letter for way in after.ways}, after.banner
    for found in re.finditer(r"(\d+) ways? (?:is|are) open\.", banner):
        checks.claim("as many ways are open as is said", int(found[1]) == len(are), banner)
    if "Only one way to" in banner:
        checks.claim("only one way is only one", len(are) == 1, banner)
    if banner.startswith("No way to") or ". No way to" in banner:
        checks.claim("no way is none", not are and after.state == "none", banner)
    if "You have arrived" in banner or "Nothing needs to change" in banner:
        checks.claim("who is told of arriving has", after.header.reached, banner)
    if found := re.search(r"(\d+) more runs? much like these", banner):
        n = sum(way.similar - 1 for way in after.ways)
        checks.claim("so many more run alike", int(found[1]) == n, (banner, n))


def _check_banner(before: Document, after: Document, known: set[str], checks: Checks) -> None:
    banner = after.banner
    were, are = {way.letter for way in before.ways}, {way.letter for way in after.ways}
    for found in re.finditer(r"All (\d+) ways stay open\.", banner):
        checks.claim("ways that stay are there", int(found[1]) == len(are) and were == are, banner)
    for found in re.finditer(r"\b([A-Z]{1,2}) stays open\.", banner):
        checks.claim("ways that stay are there", were == are == {found[1]}, banner)
    for found in re.finditer(LETTERS + GONE, banner):
        lost = _letters(found[1])
        checks.claim("what is lost was there and is not", lost <= were - are, banner)
    for found in re.finditer(LETTERS + r" (?:is a new way|are new ways)", banner):
        new = _letters(found[1])
        checks.claim("what is new was never there", new <= are - known, banner)
    for found in re.finditer(LETTERS + r" (?:is|are) open again", banner):
        again = _letters(found[1])
        checks.claim("what is open again was not open", again <= (are - were) & known, banner)


def _check_efforts(before: Document, after: Document, checks: Checks) -> None:
    old = {way.letter: way.effort for way in before.ways}
    new = {way.letter: way.effort for way in after.ways}
    pattern = (
        LETTERS + r" takes? (less|more) effort now \((?:[A-Z]+: )?([\d.]+) instead of ([\d.]+)"
    )
    for found in re.finditer(pattern, after.banner):
        letters = sorted(_letters(found[1]), key=lambda each: (len(each), each))
        sign = 1 if found[2] == "more" else -1
        right = all(sign * (new[each] - old[each]) > 0 for each in letters)
        first = letters[0]
        near = (
            abs(new[first] - float(found[3])) < 0.006 and abs(old[first] - float(found[4])) < 0.006
        )
        checks.claim("efforts changed as is said", right and near, after.banner)


def _check_card_held(
    before: Document, after: Document, move: Take, status: dict[str, str], checks: Checks
) -> None:
    card = next(card for card in before.cards.cards if card.vertex == move.vertex)
    event = after.walk.past[-1]
    close = card.after is None or event.after is None or abs(card.after - event.after) < 1e-9
    checks.claim("a step does to the chance what its card said", close, (card.after, event.after))
    right = abs(card.effort - event.effort) < 1e-9
    checks.claim("a step takes the effort its card said", right, (card.effort, event.effort))
    arrived = after.state == "arrived"
    checks.claim("a step arrives if its card said so", arrived == bool(card.arrives), card.words)
    if arrived:
        return
    for pip in card.pips:
        there = status[pip.letter] in ("open", "same", "aside", "reached")
        said = f"{pip.letter} {pip.effect} → {status[pip.letter]}"
        checks.claim("a step closes what its card said", there == (pip.effect != "closed"), said)
    efforts = {way.letter: way.effort for way in before.ways}
    for way in after.ways:
        effect = next((pip.effect for pip in card.pips if pip.letter == way.letter), "")
        if effect == "nearer":
            nearer = way.effort < efforts[way.letter] + 1e-9
            checks.claim("what came nearer takes less from here", nearer, way.letter)


def _check_letters_hold(before: Document, after: Document, aged: set[str], checks: Checks) -> None:
    """A letter shown before and after a move that nobody walked by is the same way, or shorter."""
    old = {way.letter: {(c.name, c.after) for c in way.changes} for way in before.ways}
    for way in after.ways:
        if way.letter in old and way.changes:
            new = {(c.name, c.after) for c in way.changes if c.name not in aged}
            said = (way.letter, old[way.letter], new)
            checks.claim("a letter is the same way as before", new <= old[way.letter], said)


def _ends_of(guide: Guide, after: Document, badges: list[Badge]) -> dict[str, float]:
    """The chances that the model itself gives where some ways would end from here, by letter."""
    plan, keys = guide.planned(after.walk), {each.letter: each.key for each in after.walk.names}
    rows = [{**plan.row, **changes_of(keys[badge.letter])} for badge in badges]
    found = chances(guide, in_time(guide, plan.point, rows))
    return dict(zip((badge.letter for badge in badges), found, strict=True))


def _check_gone(
    guide: Guide, after: Document, badge: Badge, chance: float | None, checks: Checks
) -> None:
    """What is said to be gone is not among the ways, by its changes; and the reason holds.

    `chance` is that of where it would end, if that is told.
    """
    words = badge.words
    key = next(name.key for name in after.walk.names if name.letter == badge.letter)
    plan = guide.planned(after.walk)
    there = {each.key for each in plan.names}
    checks.claim("what is gone is not shown", key not in there, words)
    changes, limits = changes_of(key), after.walk.limits
    if not changes:
        return
    left = {name: value for name, value in changes.items() if plan.row.get(name) != value}
    named = {name_words(name, guide.features): name for name in left}
    if chance is not None:
        _, enough = needed(guide, limits)
        checks.claim("what is not enough is not", chance < enough + 1e-6, (words, chance))
        right = abs(percents(words)[0] - chance) < 0.006
        checks.claim("it would end where is said", right, (words, chance))
    if found := re.search(r"you said never to (.*)$", words):
        right = limits.ease.get(named.get(found[1], "")) == "never"
        checks.claim("never was said", right, (words, left))
    if found := re.search(r": (.*) would go beyond your bounds", words):
        name = named.get(found[1], "")
        low, high = limits.bounds.get(name, (-np.inf, np.inf))
        checks.claim("it would go beyond", not low <= left.get(name, low) <= high, (words, left))
    if found := re.search(r"more than (\d+) steps?", words):
        checks.claim("it takes more steps", len(left) > int(found[1]), (words, left))
    if found := re.search(r"you ruled out (.*?):? ", words):
        ruled = {name_words(rule.feature, guide.features) for rule in limits.ruled_out}
        right = any(f"you ruled out {name}" in words for name in ruled)
        checks.claim("what is ruled out was", right, (words, ruled))
    if re.search(r"it takes .*, and (?:you have|no time)", words):
        left_ = periods_left(guide, after.walk)
        takes = slowest(guide, plan, {**plan.row, **left})
        right = left_ is not None and takes > left_ - 1e-6
        checks.claim("what takes too long does", right, (words, takes, left_))
    if found := re.search(r"undo what you did about (.*)$", words):
        past = {n for event in after.walk.past for n, *_ in event.changes}
        names = {name_words(name, guide.features) for name in past}
        checks.claim("what would be undone was done", found[1] in names, (words, names))


def check_anew(world: World, guide: Guide, shown: Document, checks: Checks) -> None:
    """What is said not to be: asked of an explainer that is fitted anew, with limits as rules."""
    limits, walk = shown.walk.limits, shown.walk
    if not guide.single_changes and (limits.edges or walk.passed or walk.walked):
        return  # steps ruled out one by one are no rules
    plan = guide.planned(walk)
    statuses = {badge.letter: badge for badge in shown.badges}
    ends = {
        name.letter: {**plan.row, **changes_of(name.key)}
        for name in walk.names
        if statuses[name.letter].status in ("gone", "closed") and changes_of(name.key)
    }
    found = asked_anew(world.table, guide, shown, list(ends.values()))
    if shown.state == "none":
        checks.claim("where no way is, none is found anew", not len(found), _ways(found))
    if len(found) and not walk.walked and not limits.undo:
        bound = plan.multiverse.proof.bound
        right = found[0].cost > bound * (1 - 1e-6) - 1e-6
        checks.claim("nothing below what is proven is found anew", right, (bound, found[0].cost))
    points = {tuple((journey.counterfactual + 0.0).tolist()) for journey in found}
    terrain = next((j for j in found), None) and found.question.explainer.terrain_  # type: ignore[union-attr]
    for letter, row in ends.items() if terrain is not None else ():
        (point,) = np.asarray(terrain.encode(frame(guide, [row]))) + 0.0  # type: ignore[union-attr]
        badge = statuses[letter]
        if walk.walked and NOT_FOUND in badge.words:
            continue  # said of the last search, from elsewhere
        claim = f"what is {badge.status} is not found anew"
        checks.claim(claim, tuple(point.tolist()) not in points, (badge.words, _left(plan, row)))
    claimed = any("No way with less effort exists." in note for note in shown.notes)
    if claimed and len(found) and not walk.walked and shown.ways:
        least = min(way.effort for way in shown.ways)
        right = found[0].cost > least - 1e-6
        checks.claim("no cheaper way is found anew", right, (least, found[0].cost))


def _left(plan: Any, row: Any) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value != plan.row[name]}


def _ways(found: Any) -> str:
    return "" if not len(found) else found.to_frame().to_string()


def check_tried(before: Document, told: Trial, after: Document, checks: Checks) -> None:
    """What a value was said to do when it was tried is what it does once it is so."""
    words = " ".join(told.words)
    if told.figure is not None and after.header.chance is not None:
        right = abs(told.figure - after.header.chance) < 1e-6
        checks.claim("what is tried has the chance said", right, words)
        checks.claim("what is enough decides", told.reached == after.header.decided, words)
    figures = percents(words)
    if re.search(r"you would be at .*% instead of", words) and before.header.chance is not None:
        was = before.header.chance
        right = any(abs(each - was) < 0.006 for each in figures)
        checks.claim("what is tried is compared with what is", right, (words, was))
    enough = "would be enough" in words or "That decides it" in words
    if told.figure is not None and "This is how it is now." not in words:
        checks.claim("what is said to be enough decides", enough == told.reached, words)
    old = {way.letter: way for way in before.ways}
    new = {way.letter: way for way in after.ways}
    if told.document is None or told.reached:
        return
    for found in re.finditer(rf"Ways? {LETTERS} would have fewer steps", words):
        right = all(len(new[e].steps) < len(old[e].steps) for e in _letters(found[1]))
        checks.claim("what would be shorter is", right, words)
    pattern = (
        rf"Ways? {LETTERS} would take (less|more) effort \((?:\w+: )?([\d.]+) instead of ([\d.]+)"
    )
    for found in re.finditer(pattern, words):
        letters = sorted(_letters(found[1]), key=lambda each: (len(each), each))
        sign, first = (1 if found[2] == "more" else -1), letters[0]
        right = all(sign * (new[each].effort - old[each].effort) > 0 for each in letters)
        right &= abs(new[first].effort - float(found[3])) < 0.006
        right &= abs(old[first].effort - float(found[4])) < 0.006
        checks.claim("effort would change as is said", right, words)
    for found in re.finditer(rf"Ways? {LETTERS} would not be among", words):
        right = not _letters(found[1]) & set(new)
        checks.claim("what would be lost is", right, words)
    for found in re.finditer(rf"Ways? {LETTERS} would be new", words):
        right = _letters(found[1]) <= set(new) - set(old)
        checks.claim("what would be new is", right, words)
