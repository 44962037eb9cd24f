"""One screen: does anything on it contradict the model, the rules, or the rest of it?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from facelift.multiverse.words import effort_size, name_words, value_words
from facelift.views.page import Document
from facelift.walking.guide import Guide
from facelift.walking.plan import Plan
from tools.random_walks.checks import HAIR, Checks, percents
from tools.random_walks.fresh import (
    Row,
    chances,
    done,
    frame,
    needed,
    periods_left,
    rank,
    ruled,
)

N_NEAREST = 10
"""So many records are called the most similar."""

LEAST_EXPECTED = 0.95
"""The share of a step's effort to expect at least: one in ten falls through, at half of it."""


def check(guide: Guide, shown: Document, checks: Checks) -> None:
    """What one screen says: to itself, and of the model."""
    plan = guide.planned(shown.walk)
    here, said = _model_says(guide, plan)
    _check_letters(shown, checks)
    _check_state(guide, shown, here, checks)
    _check_header(guide, shown, here, checks)
    _check_ways(guide, plan, shown, said, checks)
    _check_cards(guide, plan, shown, said, checks)
    _check_advised(guide, plan, shown, said, checks)
    _check_notes(guide, plan, shown, here, checks)
    _check_settings(plan, shown, checks)
    _check_history(shown, checks)
    if guide.single_changes:
        _check_rules(guide, plan, shown, checks)
    _check_efforts(guide, plan, shown, checks)
    if shown.nothing is not None:
        _check_nothing(guide, plan, shown, checks)
    if shown.arrival is not None:
        _check_arrival(guide, shown, here, checks)


def _check_letters(shown: Document, checks: Checks) -> None:
    letters = [way.letter for way in shown.ways]
    open_ = sorted(badge.letter for badge in shown.badges if badge.status == "open")
    checks.claim("ways told are those open", sorted(letters) == open_, (letters, open_))
    for drawing in [*shown.maps.values(), *([shown.upright] if shown.upright else [])]:
        ends = sorted(end.letter for end in drawing.ends)
        checks.claim("ways drawn are those told", ends == sorted(letters), (ends, letters))
    words = [" ".join(map(str, way.changes)) for way in shown.ways if way.changes]
    checks.claim("no two ways have the same words", len(set(words)) == len(words), words)
    same = shown.matrix.letters == tuple(letters) == tuple(c.letter for c in shown.curves)
    checks.claim("curve and matrix speak of the ways shown", same, shown.matrix.letters)
    own = all(shown.matrix.cells[i][i] == 1 for i in range(len(shown.matrix.cells)))
    checks.claim("heading for a way one comes to it", own, shown.matrix.cells)


def _check_state(guide: Guide, shown: Document, chance: float, checks: Checks) -> None:
    decides, enough = needed(guide, shown.walk.limits)
    near = abs(chance - enough) < 1e-6 or abs(chance - decides) < 1e-6
    aims = shown.walk.past or shown.walk.limits.chance is not None
    there = chance >= (enough if aims else decides)
    if not near:
        said = (shown.state, chance, enough)
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


def _check_header(guide: Guide, shown: Document, chance: float, checks: Checks) -> None:
    spent = sum(event.effort for event in shown.walk.past)
    checks.claim("effort so far is that of the steps", abs(shown.header.effort - spent) < HAIR)
    right = shown.header.n_steps == len(shown.walk.past) == len(shown.history)
    checks.claim("as many things happened as is said", right, shown.header.n_steps)
    least = min((way.effort for way in shown.ways), default=None)
    right = (
        shown.header.reached
        or shown.header.to_come == least
        or (least is not None and abs((shown.header.to_come or 0.0) - least) < 1e-6)
    )
    checks.claim("what is to come is the least effort", right, (shown.header.to_come, least))
    figures = percents(shown.header.outlook)
    if figures:
        decides, _ = needed(guide, shown.walk.limits)
        right = abs(figures[0] - chance) < 0.006 and abs(figures[1] - decides) < 1e-6
        checks.claim("the header's chances are the model's", right, shown.header.outlook)


def _model_says(guide: Guide, plan: Plan) -> tuple[float, dict[int, float]]:
    """The chance here, and at every vertex of the ways and next steps, by the model itself."""
    rows = plan.values
    here, *others = chances(guide, [plan.row, *rows.values()])
    return here, dict(zip(rows, others, strict=True))


def _check_ways(
    guide: Guide, plan: Plan, shown: Document, said: dict[int, float], checks: Checks
) -> None:
    _, enough = needed(guide, shown.walk.limits)
    told = {way.letter: way for way in shown.ways}
    for name, journey in zip(plan.lines, plan.ways, strict=True):
        way, end = told[name.letter], said[int(journey.vertices[-1])]
        checks.claim("a way ends where the model says so", end > enough - 1e-6, (way.letter, end))
        checks.claim("the end's chance is the model's", abs((way.chance or end) - end) < 1e-6)
        summed = sum(step.effort for step in way.steps)
        checks.claim("a way's effort is that of its steps", abs(way.effort - summed) < 1e-6)
        along = [said[int(v)] for v in journey.in_steps.vertices]
        _check_steps(shown, way, along[1:], checks)
        if guide.single_changes:
            passed = [chance for chance in along[1:-1] if chance > enough + 1e-6]
            checks.claim("no way goes on from where it succeeds", not passed, (way.letter, passed))
            checks.claim("a way's size is that of its effort", way.size == effort_size(way.effort))
            _check_sums(plan, way, checks)
        missing = [max(enough - chance, 0.0) for chance in along]
        deep = max(missing) - missing[0]
        if not 0 < deep < 0.01:  # what may be hidden by rounding
            checks.claim(
                "a way that dips says so", (deep > 0) == bool(way.dips), (way.letter, along)
            )
        _check_time(guide, plan, way, journey, checks)


def _check_steps(shown: Document, way: Any, along: Sequence[float], checks: Checks) -> None:
    n_open, closed = len(shown.ways), set[str]()
    for step, chance in zip(way.steps, along, strict=True):
        closed |= set(step.closes.split())
        said = (way.letter, n_open, step.n_open, step.closes)
        right = step.n_open == n_open - len(step.closes.split())
        checks.claim("what stays open is what does not close", right, said)
        n_open = step.n_open
        own = step.chance is None or abs(step.chance - chance) < 1e-6
        checks.claim("a step's chance is the model's", own, (way.letter, step.words, chance))
        letter = step.fallback.split(",")[0].split()[0]
        others = {each.letter for each in shown.ways} - closed - {way.letter}
        right = letter in others if others else letter == "–"
        checks.claim("who loses a way goes on to one open", right, (way.letter, step.fallback))


def _check_sums(plan: Plan, way: Any, checks: Checks) -> None:
    """What a way changes is what its steps change, from what one has now."""
    now = {name_words(name, plan.features): _told(plan, name) for name in plan.row}
    for step in way.steps:
        for change in step.changes:
            right = change.before in now[change.name]  # which has a unit
            checks.claim("a step starts from what one has", right, (way.letter, str(change)))
            now[change.name] = change.after
    wrong = [c for c in way.changes if now[c.name] != c.after]
    checks.claim("a way ends with what its steps change", not wrong, (way.letter, wrong))


def _told(plan: Plan, name: str) -> str:
    return value_words(plan.row[name], plan.features.get(name))


def _check_time(guide: Guide, plan: Plan, way: Any, journey: Any, checks: Checks) -> None:
    """The time of a way: its slowest change since the plan, by the rates, without what passed."""
    end = plan.values[int(journey.vertices[-1])]
    longest, per = slowest(guide, plan, end), guide.explainer.terrain_.period  # type: ignore[union-attr]
    left = periods_left(guide, plan.walk)
    if left is not None:
        checks.claim("a way takes no longer than there is", longest < left + 1e-6, (longest, left))
    if not longest:
        checks.claim("what takes no time says none", not re.search("[1-9]", way.time), way.time)
        return
    number = re.search(r"[\d.]+", way.time)
    in_months = longest * {"year": 12, "month": 1}.get(per, 1)
    said = float(number[0]) * (12 if "year" in way.time else 1) if number else -1.0
    right = abs(said - in_months) <= max(1.0, 0.1 * in_months)
    checks.claim("a way takes the time its slowest change does", right, (way.time, in_months))


def slowest(guide: Guide, plan: Plan, end: Row) -> float:
    """Periods until an end is reached from here: the slowest change's since the plan was made."""
    walk = plan.walk
    origin = (
        guide.case_row if walk.origin is None else dict(zip(plan.row, walk.origin, strict=True))
    )
    longest = 0.0
    for name, feature in guide.features.items():
        if feature.rate is not None and None not in (origin[name], end[name]):
            steps = abs(rank(feature, end[name]) - rank(feature, origin[name]))
            longest = max(longest, steps / feature.rate)
    passed = sum(event.time for event in walk.past[len(walk.past) - len(walk.walked) :])
    return max(0.0, longest - passed)


def _check_cards(
    guide: Guide, plan: Plan, shown: Document, said: dict[int, float], checks: Checks
) -> None:
    letters, cards = {way.letter for way in shown.ways}, shown.cards.cards
    _, enough = needed(guide, shown.walk.limits)
    for card in cards:
        checks.claim("cards speak of the ways shown", {p.letter for p in card.pips} == letters)
        closes = {pip.letter for pip in card.pips if pip.effect == "closed"}
        checks.claim("what closes is said", closes == set(card.closes.split()), card.words)
        nearer = {pip.letter for pip in card.pips if pip.effect == "nearer"}
        checks.claim("what comes nearer is said", nearer == set(card.nearer.split()), card.words)
        half = 2 * len(closes) > len(letters)
        checks.claim("no return closes more than half", card.no_return == half, card.closes)
        chance = said[card.vertex]
        right = card.after is None or abs(card.after - chance) < 1e-6
        checks.claim("a card's chance is the model's", right, (card.after, chance))
        if figures := percents(card.outlook):
            right = abs(figures[-1] - chance) < 0.006
            checks.claim("a card says what it does to the chance", right, card.outlook)
        if abs(chance - enough) > 1e-6:
            there = chance >= enough
            checks.claim("a card arrives where the model says so", bool(card.arrives) == there)
        right = card.expected > LEAST_EXPECTED * card.effort - 1e-6
        checks.claim("one expects at least a step's effort", right, (card.expected, card.effort))
    if not cards:
        return
    tagged = [card.vertex for card in cards if card.tag == "recommended"]
    right = len(cards) == 1 or tagged == [shown.cards.recommended]
    checks.claim("one step is recommended", right, (tagged, shown.cards.recommended))
    for card in cards:
        if card.trunk:
            first = card.vertex == shown.cards.recommended and not card.closes
            checks.claim("what to do first is what is recommended", first, card.trunk)
            _check_trunk(shown, card, checks)
        for effect, words in (("nearer", "brings nearer "), ("closed", "closes ")):
            own = [pip.letter for pip in card.pips if pip.effect == effect]
            right = words + " ".join(own) in card.words if own else words not in card.words
            checks.claim("a card is told as it is drawn", right, card.words)
    jumps = [card for card in cards if card.tag == "biggest jump"]
    most = max(said[option.end] for option in plan.options)
    for card in jumps:
        checks.claim("the biggest jump is", said[card.vertex] > most - 1e-6, card.title)
    efforts = [
        next(c.effort for c in cards if c.vertex == v) for v in shown.cards.rankings["effort"]
    ]
    checks.claim("least effort comes first", efforts == sorted(efforts), efforts)
    by_vertex = {card.vertex: card for card in cards}
    for order in ("open", "chance"):
        ranked = [by_vertex[vertex] for vertex in shown.cards.rankings.get(order, ())]
        found = [_openness(card) if order == "open" else -said[card.vertex] for card in ranked]
        right = all(one <= other or abs(one - other) < 1e-6 for one, other in pairwise(found))
        checks.claim("what is best comes first", right, (order, found))


def _openness(card: Any) -> float:
    """The less, the fewer ways a step closes; of as few, the more it helps."""
    effects = [pip.effect for pip in card.pips]
    return effects.count("closed") - effects.count("nearer") / 1000


def _check_trunk(shown: Document, card: Any, checks: Checks) -> None:
    """That so many ways can begin with a step: no more come nearer by it, unless it is free."""
    found = re.search(r"(?:All (\d+)|(\d+) of the (\d+)) ways we found can begin so", card.trunk)
    n, total = (int(found[1] or found[2]), int(found[1] or found[3])) if found else (0, 0)
    near = len(card.nearer.split()) if card.effort else len(card.pips) - len(card.closes.split())
    right = 1 < n <= near and total == len(shown.ways)
    checks.claim("what to do first serves so many ways", right, (card.trunk, card.nearer))
    if "keeps all ways open" in card.trunk:
        checks.claim("what keeps all ways open closes none", not card.closes, card.trunk)
    if found := re.search(r"keeps (\d+) of (\d+) ways open", card.trunk):
        most = len(card.pips) - len(card.closes.split())
        right = int(found[1]) <= most and int(found[2]) == len(shown.ways)
        checks.claim("what keeps some ways open closes the others", right, card.trunk)


def _check_advised(
    guide: Guide, plan: Plan, shown: Document, said: dict[int, float], checks: Checks
) -> None:
    """Recommended is the first step of the most open of the ways near the cheapest (SPEC 14)."""
    if not shown.cards.cards:
        return
    _, enough = needed(guide, shown.walk.limits)
    cells = np.array(shown.matrix.cells, dtype=float)
    opportunity = (cells.sum(axis=1) - 1) / max(1, len(cells) - 1)
    number = {letter: i for i, letter in enumerate(shown.matrix.letters)}
    told = {way.letter: way for way in shown.ways}
    least = min(way.effort for way in shown.ways)
    near = []
    for name, journey in zip(plan.lines, plan.ways, strict=True):
        missing = [max(enough - said[int(v)], 0.0) for v in journey.in_steps.vertices]
        if told[name.letter].effort <= 1.1 * least * (1 + HAIR):
            dips = max(missing) > missing[0] + HAIR
            first = int(journey.in_steps.vertices[1])
            near.append((dips, -opportunity[number[name.letter]], first))
    steady = min(dips for dips, *_ in near)
    best = min(openness for dips, openness, _ in near if dips == steady)
    firsts = {
        vertex for dips, openness, vertex in near if dips == steady and openness < best + 0.006
    }
    right = shown.cards.recommended in firsts
    checks.claim("what is recommended begins the way to advise", right, (firsts, near))


def _check_notes(guide: Guide, plan: Plan, shown: Document, chance: float, checks: Checks) -> None:
    for note in shown.notes:
        _check_apart(plan, note, checks)
        if found := re.search(r"says the same of (\d+) of the (\d+) most similar", note):
            n = _n_alike(guide, plan)
            checks.claim("so many of the most similar have it", int(found[1]) == n, (note, n))
        if found := re.search(r"The chance of .* is (\d+) points? above", note):
            decides, _ = needed(guide, shown.walk.limits)
            right = abs(int(found[1]) - 100 * (chance - decides)) < 0.51
            checks.claim("it is so many points above", right, (note, chance))
        if "No way with less effort exists." in note and not shown.walk.walked and shown.ways:
            least, bound = min(way.effort for way in shown.ways), plan.multiverse.proof.bound
            checks.claim("what is proven is shown", abs(least - bound) < 1e-6, (least, bound))
        if "there is no other of these ways" in note:
            checks.claim("who has one way is told so", len(shown.ways) == 1, note)
        if found := re.search(r"Searched, not proven: ([\d,]+) situations", note):
            n = int(found[1].replace(",", ""))
            right = plan.multiverse.survey is not None and n == plan.multiverse.survey.n_states
            checks.claim("so many situations were looked at", right, note)
        if found := re.search(r"nearest records are ([\d.]+) times as far", note):
            record = (guide.explainer.graph_.points == plan.point).all(axis=1).any()  # type: ignore[union-attr]
            checks.claim("who is unlike anyone is no record", not record, note)
        decided = shown.header.decided and not shown.header.reached
        if "only just" in note:
            checks.claim("who is there by a hair is told so", decided, note)


def _check_apart(plan: Plan, note: str, checks: Checks) -> None:
    """How many of the ways share no stop, counted one by one; and what all of them need."""
    n_apart = _most_apart([set(map(int, journey.in_steps.vertices[1:])) for journey in plan.ways])
    if found := re.search(r"(\d+) ways along these lines share no stop", note):
        right = 1 < int(found[1]) >= n_apart  # the lines can be walked across
        checks.claim("so many ways share no stop", right, (note, n_apart))
    if found := re.search(r"all (\d+) ways meet", note):
        right = (int(found[1]), n_apart) == (len(plan.ways), 1)
        checks.claim("all ways meet", right, (note, n_apart))
    if (found := re.search(r"All need (.*)\.$", note)) and not plan.guide.picture:
        for column in _named(plan, found[1]):
            all_ = all(any(n == column for s in plan.steps(j) for n, *_ in s) for j in plan.ways)
            checks.claim("what all need is part of all", all_, (note, column))


def _named(plan: Plan, words: str) -> Iterator[str]:
    """The columns that some words begin with, or go on with after a comma."""
    names = {name_words(name, plan.features): name for name in plan.row}
    for name in sorted(names, key=len, reverse=True):  # "Accounts never late" before "Accounts"
        if re.search(rf"(^|, ){re.escape(name)} ", words):
            words = words.replace(name, "")
            yield names[name]


def _most_apart(places: list[set[int]]) -> int:
    """The most of some ways that share no place."""
    for n in range(len(places), 1, -1):
        for some in combinations(places, n):
            if all(not one & other for one, other in combinations(some, 2)):
                return n
    return 1


def _n_alike(guide: Guide, plan: Plan) -> int:
    """Of the records nearest to here, those that the model itself gives the outcome."""
    explainer: Any = guide.explainer
    away = np.sqrt(((explainer.graph_.points - plan.point) ** 2).sum(axis=1))
    nearest = explainer.graph_.points[np.argsort(away, kind="stable")[:N_NEAREST]]
    decides, _ = needed(guide, plan.walk.limits)
    rows = explainer.terrain_.to_pandas(nearest).to_dict("records")
    return sum(chance >= decides - HAIR for chance in chances(guide, rows))


def _check_settings(plan: Plan, shown: Document, checks: Checks) -> None:
    used = {name for journey in plan.ways for step in plan.steps(journey) for name, *_ in step}
    for setting in [*shown.settings.settings, *shown.settings.facts]:
        same = setting.words == _told(plan, setting.name)
        checks.claim("a limit shows what one has now", same, (setting.name, setting.words))
        right = setting.used == (setting.name in used)
        checks.claim("what ways change is marked", right, setting.name)
    for fact in shown.settings.facts:
        checks.claim("no way changes what is fixed", fact.name not in used, fact.name)


def _check_history(shown: Document, checks: Checks) -> None:
    for one, other in pairwise(shown.walk.past):
        known = one.after is not None and other.before is not None
        right = not known or abs(one.after - other.before) < 1e-6  # type: ignore[operator]
        checks.claim("a step starts at the chance the last ended at", right, (one, other))


def _check_rules(guide: Guide, plan: Plan, shown: Document, checks: Checks) -> None:
    """No step shown breaks a rule or a limit, or takes back what steps have done."""
    features, limits = guide.features, shown.walk.limits
    lifted = {rule.feature for rule in limits.lifted}
    kept = {} if limits.undo else done(shown.walk)
    for step in _steps(plan):
        chosen = [name for name, *_ in step if features[name].ages is None]
        checks.claim("a step changes one thing", len(chosen) == 1 or _linked(guide, chosen), step)
        for name, before, after in step:
            if features[name].ages is not None or None in (before, after):
                continue
            said = (name, before, after)
            right = _allowed(features[name], limits, name, before, after, name in lifted)
            checks.claim("no step breaks a rule or a limit", right, said)
            if name in kept:
                back = _is_back(features[name], kept[name], before, after)
                checks.claim("nothing undoes what was done", not back, (said, kept[name]))


def _linked(guide: Guide, chosen: list[str]) -> bool:
    links = guide.explainer.terrain_.links  # type: ignore[union-attr]
    return any(set(chosen) <= set(map(str, link)) for link in links)


def _steps(plan: Plan) -> Iterator[tuple[tuple[str, Any, Any], ...]]:
    for way in plan.ways:
        yield from plan.steps(way)
    for option in plan.options:
        yield plan.changes(option.start, option.end)


def _allowed(feature: Any, limits: Any, name: str, before: Any, after: Any, lifted: bool) -> bool:
    if limits.ease.get(name) == "never" or (feature.frozen and not lifted):
        return False
    low, high = limits.bounds.get(name, (-np.inf, np.inf))
    if not feature.levels and not low <= after <= high:  # beyond it already: only nearer
        return bool(
            abs(after - np.clip(after, low, high)) < abs(before - np.clip(before, low, high))
        )
    if feature.has_order and not lifted and not feature.transitions:
        rises = rank(feature, after) > rank(feature, before)
        if np.isinf(feature.increase if rises else feature.decrease):
            return False
    return not any(
        _is_ruled_out(feature, rule, before, after)
        for rule in limits.ruled_out
        if rule.feature == name
    )


def _is_ruled_out(feature: Any, rule: Any, before: Any, after: Any) -> bool:
    if None in (rule.start, rule.end):
        return False
    if not feature.has_order:
        return bool(after == rule.end)
    sign = 1 if rank(feature, rule.end) > rank(feature, rule.start) else -1
    edge = sign * rank(feature, rule.end)
    return bool(sign * rank(feature, before) < edge <= sign * rank(feature, after))


def _is_back(feature: Any, values: tuple[Any, ...], before: Any, after: Any) -> bool:
    if None in values:
        return False
    if not feature.has_order:
        return after in values[:-1]
    did = rank(feature, values[-1]) - rank(feature, values[0])
    return bool(did * (rank(feature, after) - rank(feature, before)) < 0)


def _check_efforts(guide: Guide, plan: Plan, shown: Document, checks: Checks) -> None:
    """The effort of every step shown is what the terrain asks for it within the limits."""
    explainer: Any = guide.explainer
    if plan.position is None or not (shown.cards.cards or shown.ways):
        return
    terrain = ruled(explainer.terrain_, shown.walk.limits, plan.row, {}).waiting
    told: list[tuple[int, int, float]] = [
        (plan.position.vertex, card.vertex, card.effort) for card in shown.cards.cards
    ]
    letters = {way.letter: way for way in shown.ways}
    for name, journey in zip(plan.lines, plan.ways, strict=True):
        ends = pairwise(journey.in_steps.vertices.tolist())
        efforts = [step.effort for step in letters[name.letter].steps]
        told += [(u, v, effort) for (u, v), effort in zip(ends, efforts, strict=True)]
    starts = [plan.values[u] for u, _, _ in told]
    ends_ = [plan.values[v] for _, v, _ in told]
    costs = terrain.cost(_points(guide, terrain, starts), _points(guide, terrain, ends_))
    power = {"distance": 1, "power": 2}[explainer.edge_cost]
    for (u, v, effort), cost in zip(told, costs**power, strict=True):
        said = (plan.changes(u, v)[:2], effort, float(cost))
        checks.claim("an effort is what the terrain asks", abs(effort - cost) < 1e-6, said)


def _points(guide: Guide, terrain: Any, rows: list[Row]) -> Any:
    return np.asarray(terrain.encode(frame(guide, rows)))


def _check_nothing(guide: Guide, plan: Plan, shown: Document, checks: Checks) -> None:
    nothing: Any = shown.nothing
    _, enough = needed(guide, shown.walk.limits)
    checks.claim("the best is not enough", nothing.best is None or nothing.best < enough + 1e-6)
    limited = shown.walk.limits.of_terrain != type(shown.walk.limits)() or shown.walk.limits.edges
    right = nothing.headline.startswith("Within these limits" if limited else "Nothing within")
    checks.claim("limits are spoken of where there are some", right, nothing.headline)
    closest = plan.multiverse.closest
    if closest is None or not guide.single_changes:
        return
    row = plan.rows(closest[np.newaxis, :])[0]
    (chance,) = chances(guide, [row])
    checks.claim("the closest has the chance said", abs(nothing.best - chance) < 1e-6, chance)
    for figure in percents(nothing.text)[:1] if "The best has" in nothing.text else []:
        checks.claim("the best is told", abs(figure - chance) < 0.006, (nothing.text, chance))


def _check_arrival(guide: Guide, shown: Document, chance: float, checks: Checks) -> None:
    arrival: Any = shown.arrival
    took = dict(arrival.took)
    checks.claim("it took the steps it took", took.get("steps") == str(len(shown.walk.past)), took)
    last = percents(arrival.chances[-1]) if arrival.chances else []
    checks.claim("one arrives at the chance said", not last or abs(last[0] - chance) < 0.006)
    changed = {
        name
        for event in shown.walk.past
        for name, *_ in event.changes
        if event.kind != "step" or guide.features[name].ages is None
    }
    said = took.get("things changed", "").split(" ")[0]
    checks.claim("so many things changed", said == str(len(changed)), (said, changed))
