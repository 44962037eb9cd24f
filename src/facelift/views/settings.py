"""A person's limits, as a page shows them: what may change, how hard it is, what was ruled out."""

from __future__ import annotations

from dataclasses import dataclass

from facelift.language import duration, label, say
from facelift.multiverse.certificate import rule_in_words
from facelift.multiverse.words import in_words, name_words, value_words
from facelift.terrain.feature import Feature, Level
from facelift.terrain.kinds import kind_of
from facelift.terrain.rulebook import without
from facelift.terrain.terrain import MONTHS
from facelift.walking.limits import Ease
from facelift.walking.plan import Plan
from facelift.walking.walk import Crowd


@dataclass(frozen=True)
class Setting:
    """A column that may change: its value now, how hard a change is, and how far it may go.

    `used` says whether a way shown changes it. `low` and `high` are bounds the person set, `least`
    and `most` the range seen in the table; `levels` the values there are, for a column of levels,
    and `level_words` what they are called; `about` says what the column means. `people` counts the
    records at each level, or in parts of equal width of the range `drawn`; those beyond it are in
    the outermost parts.
    """

    name: str
    label: str
    kind: str
    value: Level
    words: str
    ease: Ease
    used: bool
    direction: str
    low: float | None
    high: float | None
    least: float | None
    most: float | None
    whole: bool
    levels: tuple[Level, ...]
    level_words: tuple[str, ...]
    unit: str
    about: str
    people: tuple[int, ...]
    drawn: tuple[float, float] | None


@dataclass(frozen=True)
class Ruled:
    """A step ruled out: which one in the limits, and in words."""

    kind: str
    index: int
    words: str


@dataclass(frozen=True)
class Settings:
    """All limits. `fixed` never changes by the rules given, though it may be wrong: `facts` has it.

    `chance` is what ways end at, `decides` what decides. `deadline` is how many months there are in
    all, `left` how much of it is left; `timed` says whether rules tell how long things take.
    """

    settings: tuple[Setting, ...]
    ruled_out: tuple[Ruled, ...]
    fixed: tuple[str, ...]
    facts: tuple[Setting, ...]
    chance: float | None
    base_chance: float | None
    decides: float | None
    timed: bool
    deadline: float | None
    left: str
    max_steps: int | None
    rare: bool
    undo: bool | float


def settings(plan: Plan) -> Settings:
    """The limits of a plan; nothing to set where there is no explainer, or for pictures."""
    limits, explainer = plan.walk.limits, plan.guide.explainer
    base = explainer.needed if explainer and plan.measure == "chance" else None
    shown: list[Setting] = []
    facts: list[Setting] = []
    if explainer is not None and plan.guide.picture is None:
        used = {name for journey in plan.ways for step in plan.steps(journey) for name, *_ in step}
        for feature in without(explainer.terrain_, limits.lifted).features:
            (facts if feature.frozen else shown).append(_setting(feature, plan, used))
    return Settings(
        tuple(shown),
        _ruled(plan),
        tuple(fact.label for fact in facts),
        tuple(facts),
        limits.chance if limits.chance is not None else base,
        base,
        None if base is None or explainer is None else explainer.threshold,
        explainer is not None and explainer.terrain_.period in MONTHS,
        limits.deadline,
        _left(plan),
        limits.max_steps,
        limits.rare,
        limits.undo,
    )


def _left(plan: Plan) -> str:
    """What steps taken have left of the time one has, in words."""
    left, explainer = plan.time_left, plan.guide.explainer
    if left is None or explainer is None or not plan.walk.time:
        return ""
    period = explainer.terrain_.period
    return say("{time} left", time=duration(left, period)) if left else say("no time left")


def _setting(feature: Feature, plan: Plan, used: set[str]) -> Setting:
    name, limits = str(feature.name), plan.walk.limits
    value = plan.row[name]
    least, most = kind_of(feature).range(feature) or (None, None)
    levels = feature.levels or feature.named_stops
    crowd = plan.guide.people.get(name, Crowd())
    low, high = limits.bounds.get(name, (None, None))
    return Setting(
        name=name,
        label=name_words(name, plan.features),
        kind=feature.kind,
        value=value,
        words=value_words(value, feature),
        ease=limits.ease.get(name, "ok"),
        used=name in used,
        direction=_direction(feature),
        low=low,
        high=high,
        least=least,
        most=most,
        whole=feature.decimals == 0,
        levels=levels,
        level_words=tuple(value_words(level, feature) for level in levels),
        unit=feature.unit,
        about=label(feature.about),
        people=crowd.counts,
        drawn=crowd.drawn,
    )


def _direction(feature: Feature) -> str:
    words = {"increase": say("can only rise"), "decrease": say("can only fall")}
    own = feature.harmless
    return "" if own.transitions else words.get(own.change, "")


def _ruled(plan: Plan) -> tuple[Ruled, ...]:
    limits = plan.walk.limits
    steps = ((rule.feature, rule.start, rule.end) for rule in limits.ruled_out)
    changes = in_words(steps, plan.features)
    rules = [Ruled("change", i, str(change)) for i, change in enumerate(changes)]
    rules += [
        Ruled("step", i, _step_words(plan, i + 1, end)) for i, (_, end) in enumerate(limits.edges)
    ]
    rules += [
        Ruled(
            "lifted", i, say("tried without: {rule}", rule=str(rule_in_words(rule, plan.features)))
        )
        for i, rule in enumerate(limits.lifted)
    ]
    return tuple(rules)


def _step_words(plan: Plan, n: int, end: int) -> str:
    if plan.guide.picture:
        return say("step {n}: to picture {end}", n=n, end=str(end))
    return say("step {n}: to record {end}", n=n, end=str(end))
