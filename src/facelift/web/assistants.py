"""A saved explainer for assistants, by the Model Context Protocol: questions in, typed answers out.

It only answers: it trains nothing, writes nothing, opens no socket, and keeps nothing between two
questions. Where somebody stands is told with every question, as the numbers of the options taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from facelift.choosing import recommended
from facelift.errors import FaceliftError, InvalidInput, optional
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import in_words, letter, steps_in_words
from facelift.walking import Option, Position

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from facelift.explainer import FACElift

INSTRUCTIONS = (
    "Ways from a case that a model decided against to the outcome wanted, step by step, within "
    "rules that were set when the explainer was saved. Effort is measured by those rules, not "
    "in money. A way tells what the model would say, not what will happen; nothing here is legal "
    "advice. Say 'cheapest' or 'no way' only where `proof` or `why_not` says so."
)

Case = dict[str, str | float | int | bool | None]
"""One row: its value by column."""


class Way(BaseModel):
    """One way, its steps in words."""

    letter: str
    steps: list[str]
    effort: float
    expected_effort: float = Field(description="if one step in ten falls through for good")
    end: str = Field(description="what the model says at its end")
    keeps_open: float | None = Field(description="mean share of the way that serves other ways")
    recommended: bool


class Ways(BaseModel):
    """The ways of a case, or why there are none."""

    wanted: str
    terms: str
    proof: str
    ways: list[Way]
    why_not: str | None = None


class Choice(BaseModel):
    """A next step, and what it does to the ways."""

    number: int
    step: str
    effort: float
    expected_effort: float
    effects: dict[str, str] = Field(description="by way: nearer, open or closed")


class Standing(BaseModel):
    """Where somebody stands after the steps taken, and what can be done next."""

    row: Case
    effort_so_far: float
    arrived: list[str] = Field(description="ways that end here")
    choices: list[Choice]


class Refusal(BaseModel):
    """Why there is no way, and what would help."""

    message: str
    hint: str
    offers: list[str]


class Letter(BaseModel):
    """One page in plain words."""

    text: str


def server(explainer: FACElift, name: str = "facelift") -> MCPServer:
    """The server of one explainer; `run("stdio")` serves whoever started it.

    >>> import numpy as np
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
    >>> server(explainer).name
    'facelift'
    """
    protocol = optional("mcp", extra="mcp", what="Serving assistants")
    answers = Answers(explainer)
    made: MCPServer = protocol.server.MCPServer(name, instructions=INSTRUCTIONS)
    only_reads = protocol.types.ToolAnnotations(
        read_only_hint=True, idempotent_hint=True, open_world_hint=False
    )
    tools = (answers.columns, answers.explain, answers.options, answers.why_not, answers.letter)
    for tool in tools:
        made.tool(annotations=only_reads)(_told(tool))
    return made


def _told(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The tool, whose errors are told to whoever asked: one line that they can act on."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def answered(*args: Any, **given: Any) -> Any:
        try:
            return tool(*args, **given)
        except FaceliftError as fault:
            raise ToolError(str(fault)) from None

    return answered


class Answers:
    """What a saved explainer answers to assistants."""

    def __init__(self, explainer: FACElift) -> None:
        self._explainer = explainer

    def columns(self) -> dict[str, str]:
        """The columns that a case needs, each with what it holds and what may change."""
        return {
            str(feature.name): ", ".join(feature.summary[1:])
            for feature in self._explainer.terrain_.features
        }

    def explain(self, case: Case, target: str | None = None) -> Ways:
        """Ways of one case to the outcome wanted (the other of two, if none is named)."""
        found = self._found(case, target)
        goal = found.goal
        return Ways(
            wanted=str(goal),
            terms="" if goal is None else goal.terms,
            proof=str(found.proof),
            ways=_ways(found),
            why_not=None if found.why_not is None else found.why_not.message,
        )

    def options(
        self, case: Case, taken: list[int] | None = None, target: str | None = None
    ) -> Standing:
        """Next steps after those `taken`: the numbers of choices, in the order they were made."""
        found = self._found(case, target)
        here = _walked(found, taken or [])
        return Standing(
            row=_row(here),
            effort_so_far=here.cost,
            arrived=[letter(number) for number in here.arrived],
            choices=[_choice(here, number, option) for number, option in enumerate(here.options())],
        )

    def why_not(self, case: Case, target: str | None = None) -> Refusal | None:
        """Why a case has no way, and what would help; nothing where it has one."""
        reason = self._found(case, target).why_not
        if reason is None:
            return None
        return Refusal(
            message=reason.message, hint=reason.hint, offers=[str(each) for each in reason.offers]
        )

    def letter(
        self,
        case: Case,
        target: str | None = None,
        language: str = "en",
        regime: Literal["eu", "us", "plain"] = "plain",
    ) -> Letter:
        """One page for the person: the decision, ways to another, and rights (no legal advice)."""
        from facelift.views.letters import letter as written

        told = written(self._found(case, target), language=language, regime=regime)
        return Letter(text=told.text)

    def _found(self, case: Case, target: str | None) -> Multiverse:
        return self._explainer.explain(case, self._label(target))

    def _label(self, target: str | None) -> Any:
        labels = {str(label): label for label in self._explainer.classes_.tolist()}
        if target is not None and target not in labels:
            raise InvalidInput(f"There is no outcome {target!r}; known: {', '.join(labels)}.")
        return None if target is None else labels[target]


def _ways(found: Multiverse) -> list[Way]:
    if not len(found):
        return []
    advised, expected = recommended(found), found.expected_effort()
    return [
        Way(
            letter=letter(number),
            steps=[step.sentence for step in steps_in_words(journey)],
            effort=journey.cost,
            expected_effort=float(expected[number]),
            end=journey.outlook(-1),
            keeps_open=None if len(found) < 2 else float(found.scores[number]),
            recommended=number == advised,
        )
        for number, journey in enumerate(found)
    ]


def _walked(found: Multiverse, taken: Sequence[int]) -> Position:
    """Where one stands after some options, by their numbers."""
    if not len(found):
        raise InvalidInput(f"There is no way to walk. {found.why_not}")
    here = Position.start(found)
    for number in taken:
        options = here.options()
        if not 0 <= number < len(options):
            raise InvalidInput(
                f"There is no option {number} here; give numbers from 0 to {len(options) - 1}."
            )
        here = here.step(options[number])
    return here


def _row(here: Position) -> Case:
    table = here.multiverse[0].decode
    point = here.graph.at(np.array([here.vertex]))
    if table is None:
        return {f"x{i}": float(value) for i, value in enumerate(point[0])}
    row = table(point).iloc[0]
    return {str(name): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if value is None or value != value:
        return None
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, bool | int | float) else str(value)


def _choice(here: Position, number: int, option: Option) -> Choice:
    features = here.multiverse[0].features
    return Choice(
        number=number,
        step="; ".join(map(str, in_words(here.changes(option), features))),
        effort=option.cost,
        expected_effort=option.expected,
        effects={letter(way): effect for way, effect in enumerate(option.effects)},
    )
