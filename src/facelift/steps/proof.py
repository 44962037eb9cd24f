"""What is proven of the states around a case: that none cheaper than a bound succeeds (SPEC 13).

Where the model can be read, a search over boxes of states proves it (`facelift.models.proving`).
Cheaper successes that it comes by are handed to the register, so that they become destinations.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, fingerprint, slices
from facelift.errors import DamagedFile, FaceliftError, InvalidInput, InvalidModel
from facelift.geometry import TOLERANCE
from facelift.language import say
from facelift.models.asking import SAME
from facelift.models.proving import Levels, Problem
from facelift.models.proving.certificate import ProofCertificate, Unproven, check
from facelift.models.proving.reading import Reading, Score, read
from facelift.models.proving.search import Search
from facelift.models.proving.trees import Unreadable
from facelift.multiverse.document import columns_of, frame_of, records_of
from facelift.multiverse.goal import Goal, Range
from facelift.steps import PATIENCE, PROOF_UNITS
from facelift.steps.lattice import Lattice, States
from facelift.steps.register import Register

UNREADABLE = say("this model cannot be read")
UNFINISHED = say("the search stopped first")

SCHEMA = "facelift/proof/1"

LONGER = 10
"""A certificate may take so many times the work of the proof."""


@dataclass(frozen=True, eq=False)
class Bound:
    """No admissible success costs less than `least`; all that cost less than `all_below` are known.

    `least` is infinite where none exists at all. `why` says what kept it low; `of_steps` that
    states with more steps than asked for were left out; `prover` can prove it again. `n_boxes`
    boxes of states were looked at, or all `n_reached` states that admissible changes lead to.
    """

    least: float
    all_below: float
    why: str
    of_steps: bool = False
    prover: Prover | None = None
    n_boxes: int = 0
    n_reached: int = 0


@dataclass(frozen=True, eq=False)
class Prover:
    """What to prove of a case: its states, the model if it is readable, and units of work."""

    register: Register
    goal: Goal | Range
    decode: Callable[[Floats], Any]
    reading: Reading | None
    work: int

    @property
    def lattice(self) -> Lattice:
        """The states around the case."""
        return self.register.lattice

    def bound(self, radius: float) -> Bound:
        """The bound of a case of which all states cheaper than a radius were looked at."""
        if self.register.in_reach and not len(self.register.accepted):
            left_out = self.lattice.longest > self.register.max_steps
            return Bound(np.inf, np.inf, "", left_out, n_reached=self.register.in_reach)
        near = replace(_by_radius(self.register, radius), prover=self)
        attempt, limit = _Attempt(self), self.register.cheapest
        if near.least >= limit * (1 - TOLERANCE):
            return near
        search = self.search(attempt, limit)
        if search is None or not self._reads_right(search):
            return near
        far = attempt.by_boxes(search)
        return far if far.least >= near.least else replace(near, why=far.why)

    @property
    def units(self) -> int:
        """Units of work that a proof may take.

        Twice as many come with a usual search that knows a success: most proofs then end.
        """
        usual = PROOF_UNITS * PATIENCE["normal"].work
        more = np.isfinite(self.register.cheapest) and self.work <= usual
        return 2 * self.work if more else self.work

    def search(
        self, attempt: _Attempt | None, limit: float, *, record: bool = False
    ) -> Search | None:
        """The search for a success below a limit; None where the model cannot be read."""
        if self.problem is None:
            return None
        accept = None if attempt is None else attempt.accept
        return Search(self.problem, limit=limit, accept=accept, record=record)

    @cached_property
    def problem(self) -> Problem | None:
        """The levels of the case as the model sees them; None where it cannot be read."""
        if self.reading is None:
            return None
        factual, levels = levels_of(self.lattice, self.reading, self.decode)
        try:
            score = self._score(self.reading, factual)
        except Unreadable:
            return None
        if self.ages is not None:
            ages = self.reading.inputs(self.decode(self.ages))
            levels.append(Levels(ages, np.zeros(len(ages))))
        try:
            return Problem.of(score, factual, levels)
        except InvalidInput:  # two ladders move one column
            return None

    def _score(self, reading: Reading, factual: Floats) -> Score:
        """A sum that whoever reaches the goal reaches."""
        if isinstance(self.goal, Range):
            return reading.within(self.goal.low, self.goal.high, factual)
        return reading.towards(self.columns, self.goal.needed, factual)

    @cached_property
    def ages(self) -> Floats | None:
        """The case at every time that a change can take, itself first; None where nothing ages.

        What ages is one more ladder to the proof, which it may move at no cost: so it bounds more
        states than there are. The time of a state is that of its slowest change.
        """
        if self.lattice.terrain is None:
            return None
        points = self.lattice.points(single_moves(self.lattice))
        ageing = (points != _unaged(self.lattice)).any(axis=0)
        times = np.unique(np.where(ageing, points, self.lattice.point), axis=0)
        now = (times == self.lattice.point).all(axis=1)
        return np.vstack([times[now], times[~now]])

    def _with_ages(self, states: States) -> States:
        """States with the time of each, where something ages."""
        if self.ages is None:
            return states
        moves = (self.ages != self.ages[0]).any(axis=0)
        points = self.lattice.points(states)[:, np.newaxis, moves]
        times = (points == self.ages[:, moves]).all(axis=2).argmax(axis=1)
        return np.column_stack([states, times])

    @property
    def columns(self) -> list[int]:
        """The columns of the model's answers that are wanted; none of a number."""
        if isinstance(self.goal, Range):
            return []
        return [self.goal.classes.index(label) for label in self.goal.target]

    def _reads_right(self, search: Search) -> bool:
        """Whether every success that the model told of is one by what was read of it."""
        told = self.register.states[self.register.wins]
        return bool(search.reaches(self._with_ages(told)).all())


def levels_of(
    lattice: Lattice, reading: Reading, decode: Callable[[Floats], Any]
) -> tuple[Floats, list[Levels]]:
    """What the model sees of the case, and of each level of its ladders, as if no time passed."""
    inputs = reading.inputs(decode(_unaged(lattice)))
    found = [
        Levels(inputs[1:][part], ladder.costs)
        for ladder, part in zip(lattice.ladders, slices(map(len, lattice.ladders)), strict=True)
    ]
    return inputs[0], found


def single_moves(lattice: Lattice) -> States:
    """The start, and then every position of every ladder by itself."""
    sizes = [len(ladder) for ladder in lattice.ladders]
    states = np.repeat(lattice.start, 1 + sum(sizes), axis=0)
    for i, part in enumerate(slices(sizes)):
        states[1:][part, i] = np.arange(sizes[i])
    return states


def _unaged(lattice: Lattice) -> Floats:
    """Every position of every ladder by itself, as if it took no time."""
    return replace(lattice, terrain=None).points(single_moves(lattice))


class _Attempt:
    """One proof: knows which successes no way leads to, and whether any took too many steps."""

    def __init__(self, prover: Prover) -> None:
        self.prover, self.register = prover, prover.register
        self.stranded, self.of_steps = np.inf, False

    def by_boxes(self, search: Search) -> Bound:
        """The bound that the structure of a model proves."""
        best = search.run(self.prover.units)
        least = best.bound
        if best.proven and best.state is None and search.limit >= search.problem.most:
            least = np.inf
        least = min(least, self.stranded)
        why = "" if best.proven else UNFINISHED
        return Bound(least, least, why, self.of_steps, self.prover, best.n_boxes)

    def accept(self, states: States) -> Bools:
        """Which successes are admissible, and have a way; the register learns of these."""
        states = states[:, : len(self.prover.lattice.ladders)]  # a state has its time of itself
        short, keys = self._short_enough(states), self.prover.lattice.keys
        good = short[self.register.admissible(short)]
        places = self.register.ask(good)
        return np.isin(keys(states), keys(self._with_way(good[self.register.wins[places]])))

    def _short_enough(self, states: States) -> States:
        short = self.prover.lattice.n_steps(states) <= self.register.max_steps
        self.of_steps |= not short.all()
        return np.asarray(states[short])

    def _with_way(self, states: States) -> States:
        """Admissible successes to which a way leads; the others are remembered by their cost."""
        led = self.register.accept(states)
        costs = self.prover.lattice.costs(states[~led])
        self.stranded = min(self.stranded, float(costs.min(initial=np.inf)))
        return np.asarray(states[led])


def _by_radius(register: Register, radius: float) -> Bound:
    """What it proves that all states cheaper than a radius, of few enough steps, are known."""
    lattice, known = register.lattice, register.accepted
    all_led_to = np.array_equal(register.likely(max(len(known), 1)), known)
    tied = radius >= register.cheapest * (1 - 2 * TOLERANCE)  # the radius has one taken off
    least = register.cheapest if tied else radius
    firsts = np.sort([ladder.step_costs[1:].min() for ladder in lattice.ladders])
    longer = firsts[: register.max_steps + 1]
    of_steps = len(longer) > register.max_steps and bool(longer.sum() < least)
    of_steps |= any((ladder.n_steps > 1).any() for ladder in lattice.ladders)
    why = "" if tied else UNREADABLE
    return Bound(least, radius if all_led_to and not register.apart else least, why, of_steps)


def document_of(prover: Prover, least: float, rules: str) -> dict[str, Any] | None:
    """What proves that no admissible success costs less than `least`; None if that takes too long.

    The search is done again and recorded. None, too, where something ages by itself: the format
    knows no time.
    """
    table, goal = prover.decode(prover.lattice.points(single_moves(prover.lattice))), prover.goal
    known = isinstance(table, pd.DataFrame | np.ndarray)
    if prover.problem is None or prover.ages is not None or isinstance(goal, Range) or not known:
        return None
    if prover.reading is None or not prover.reading.is_exact:
        return None  # what the sum does not leave out, the model would have to be asked about

    def accept(states: States) -> Bools:
        register = prover.register
        good = prover.lattice.n_steps(states) <= register.max_steps
        good[good] = register.admissible(states[good])
        places = register.ask(states[good])
        good[good] = register.wins[places]
        return np.asarray(good)

    search = Search(prover.problem, limit=least, accept=accept, record=True)
    if not search.run(LONGER * prover.work).proven:
        return None
    frame = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table)
    answers = _answers(prover.reading, table)
    document = {
        "schema": SCHEMA,
        "claim": {
            "target": list(goal.target),
            "columns": prover.columns,
            "threshold": goal.needed,
            "none": bool(np.isinf(least)),
            "bound": search.limit,
        },
        "rules": rules,
        "max_steps": prover.register.max_steps,
        "container": "frame" if isinstance(table, pd.DataFrame) else "array",
        "columns": columns_of(frame),
        "case": records_of(frame.iloc[:1])[0],
        "ladders": [
            {"names": list(map(str, ladder.names)), "costs": ladder.costs.tolist()}
            for ladder in prover.lattice.ladders
        ],
        "levels": records_of(frame.iloc[1:]),
        "model": {"fingerprint": fingerprint(answers), "answers": answers.tolist()},
        "proof": search.certificate.to_dict(),
    }
    return sealed(document)


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    """A document with a seal, which tells whether anything else in it was changed since.

    It guards against accidents and careless hands: whoever can read this can seal anew what they
    changed, and is left to the proof itself.

    >>> sealed({"bound": 1.5})["seal"] == sealed({"bound": 1.5000001})["seal"]
    False
    """
    content = {key: value for key, value in document.items() if key != "seal"}
    text = json.dumps(content, sort_keys=True)
    return content | {"seal": sha256(text.encode()).hexdigest()}


@dataclass(frozen=True)
class Checked:
    """A certificate that holds: its claim, the boxes looked at, and the states taken on trust."""

    target: str
    bound: float
    none: bool
    n_boxes: int
    n_rejected: int

    def __str__(self) -> str:
        what = f"no combination of the levels listed reaches {self.target}"
        below = "" if self.none else f" with effort below {self.bound:.6g}"
        n = self.n_rejected
        but = f", but for {n:,} that are listed as inadmissible (not checked)" if n else ""
        return f"The certificate holds: {what}{below}{but}. Boxes checked: {self.n_boxes:,}."


def check_document(text: str, model: Any) -> Checked:
    """Follow a certificate with the model alone; an error says why it does not hold.

    Raises
    ------
    DamagedFile
        If the text is no certificate.
    InvalidModel
        If the model cannot be read, or is not the one of the certificate.
    Unproven
        If the certificate does not prove what it says.
    """
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise DamagedFile(f"This is no certificate of a proof; its schema is not {SCHEMA!r}.")
        if document.get("seal") != sealed(document)["seal"]:
            raise DamagedFile("The certificate was changed after it was written.")
        return _checked(document, model)
    except _DAMAGES as fault:
        if isinstance(fault, DamagedFile | InvalidModel | Unproven):
            raise
        raise DamagedFile(f"The certificate is damaged: {fault!r}.") from None


def _checked(document: dict[str, Any], model: Any) -> Checked:
    claim, ladders = document["claim"], document["ladders"]
    table: Any = frame_of([document["case"], *document["levels"]], document["columns"])
    if document["container"] == "array":
        table = table.to_numpy()
    reading, inputs, answers = _asked(model, table)
    known = np.array(document["model"]["answers"], dtype=np.float64)
    if known.shape != answers.shape or not (np.abs(known - answers) <= SAME).all():
        raise InvalidModel("The model answers differently from the one that the proof is about.")
    costs = [np.array(each["costs"], dtype=np.float64) for each in ladders]
    parts = slices(map(len, costs))
    levels = [Levels(inputs[1:][part], cost) for part, cost in zip(parts, costs, strict=True)]
    certificate, bound = ProofCertificate.from_dict(document["proof"]), float(claim["bound"])
    if claim["none"] and not bound > sum(float(each.max()) for each in costs):
        raise Unproven("There may be dearer successes than the bound.")
    if not certificate.bound >= bound:
        raise Unproven(f"The proof reaches {certificate.bound:g} only; {bound:g} is claimed.")
    score = reading.towards([int(each) for each in claim["columns"]], float(claim["threshold"]))
    _check_outcome(claim, model)
    n_boxes = check(certificate, score, inputs[0], levels)
    target = " or ".join(map(str, claim["target"]))
    rejected = len(certificate.rejected)
    return Checked(target, bound, bool(claim["none"]), n_boxes, rejected)


_DAMAGES = (LookupError, TypeError, ValueError, ArithmeticError, RecursionError, zlib.error)


def _asked(model: Any, table: Any) -> tuple[Reading, Floats, Floats]:
    """What was read of a model, what it sees of the rows of a certificate, and what it says."""
    try:
        reading = read(model, table)
        return reading, reading.inputs(table), _answers(reading, table)
    except FaceliftError:
        raise
    except _DAMAGES as fault:
        reason = str(fault).partition("\n")[0]
        raise InvalidModel(
            f"The model does not take the rows of the certificate: {reason}"
        ) from None


def _check_outcome(claim: dict[str, Any], model: Any) -> None:
    """An error if the outcome that is named is not what the columns of the answers are about."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return
    about = [str(classes[int(each)]) for each in claim["columns"]]
    if about != [str(each) for each in claim["target"]]:
        raise Unproven(
            f"The proof is about the outcome {' or '.join(about)}, not the one it names."
        )


def _answers(reading: Reading | None, table: Any) -> Floats:
    """What the model says of rows, by what was read of it."""
    if reading is None:
        return np.empty((0, 0))
    return reading.probabilities(reading.inputs(table))
