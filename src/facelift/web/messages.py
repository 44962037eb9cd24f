"""Messages: what a page or a notebook may ask, checked at the door, and the answers to it.

They ask a site: one guide's page alone, or tables of people (`facelift.web.tables`). A server asks
it by addresses; a notebook, and a page with Python in a worker, by messages. `description` tells
what may be asked as OpenAPI, made from the types that are checked.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from typing import Annotated, Any, Literal, Protocol, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from facelift import __version__
from facelift.errors import FaceliftError, InvalidInput
from facelift.language import language_of, told
from facelift.terrain.feature import Level
from facelift.views import page as views
from facelift.views.page import Document
from facelift.views.report import WayPlan, way_letter, way_plan
from facelift.views.trying import Trial, trial
from facelift.walking.guide import Guide
from facelift.walking.hints import Opened, opened
from facelift.walking.limits import Limits
from facelift.walking.walk import N_COLOURS, Again, Move, Name, Other, SetLimits, Walk

MOST_BYTES = 1_000_000
"""No honest request is larger: a walk of hundreds of steps has a tenth of it."""

MOST_ITEMS = 1_000
MOST_WAYS = 50
MOST_STEPS = 20
MOST_MONTHS = 1_200

Answer = Callable[[Guide, bytes], tuple[bytes, str]]
"""From a guide and a body of JSON to content and its media type; a bad body is an error."""

JSON = "application/json"

T = TypeVar("T")


Code = Literal["en", "de", "fr", "pl", "es"]
"""A language."""


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """What is asked in a language, which the answer is to be in."""

    spoken: Code = "en"


@dataclass(frozen=True)
class Step(Spoken):
    """A walk and what is to happen next."""

    walk: Walk = field(default_factory=Walk)
    move: Annotated[Move, Field(discriminator="kind")] | None = None


@dataclass(frozen=True)
class Loosen:
    """A walk and other limits to try on it."""

    walk: Walk
    limits: Limits


@dataclass(frozen=True)
class Export(Spoken):
    """A walk, and what is wanted of it."""

    walk: Walk
    format: Literal["svg", "json", "html"]
    scale: Literal["effort", "steps", "time"] = "steps"
    values: bool = True


@dataclass(frozen=True)
class Attempt(Spoken):
    """A walk and values to try on it; with `ways` all that would follow is told."""

    walk: Walk
    values: dict[str, Level]
    correction: bool = False
    ways: bool = False


@dataclass(frozen=True)
class Planned(Spoken):
    """A walk and the letter of a way on it; with a `language` a letter about it is wanted."""

    walk: Walk
    way: str
    language: Code | None = None


def walked(guide: Guide, body: bytes) -> tuple[bytes, str]:
    """The document after a move.

    >>> from facelift.toys import loan
    >>> walked(Guide(loan().multiverse()), b"{}")[1]
    'application/json'
    """
    asked = read(Step, body)
    shown = views.document(guide, asked.walk, asked.move, language_of(asked.spoken))
    return views.to_json(shown), JSON


def loosened(guide: Guide, body: bytes) -> tuple[bytes, str]:
    """How many ways other limits would open."""
    asked = read(Loosen, body)
    return json.dumps(asdict(opened(guide, asked.walk, asked.limits))).encode(), JSON


def tried(guide: Guide, body: bytes) -> tuple[bytes, str]:
    """What would be with other values, without keeping them."""
    asked = read(Attempt, body)
    other = Other(asked.values, asked.correction)
    language = language_of(asked.spoken)
    told = trial(guide, asked.walk, other, ways=asked.ways, language=language)
    return _adapter(Trial).dump_json(told), JSON


def planned(guide: Guide, body: bytes) -> tuple[bytes, str]:
    """A way as a plan, or a letter about it."""
    asked = read(Planned, body)
    if asked.language is not None:
        return way_letter(guide, asked.walk, asked.way, asked.language).encode(), "text/html"
    plan = way_plan(guide, asked.walk, asked.way, language_of(asked.spoken))
    return _adapter(WayPlan).dump_json(plan), JSON


def exported(guide: Guide, body: bytes) -> tuple[bytes, str]:
    """A walk as a file."""
    from facelift.views.report import exported as made

    asked = read(Export, body)
    return made(
        guide,
        asked.walk,
        asked.format,
        scale=asked.scale,
        values=asked.values,
        language=language_of(asked.spoken),
    )


ANSWERS: dict[str, Answer] = {
    "walk": walked,
    "try": tried,
    "opened": loosened,
    "plan": planned,
    "export": exported,
}
"""Everything that can be asked, by its name."""


def told_json(value: Any, asked: Spoken) -> tuple[bytes, str]:
    """A value as JSON, in the language that was asked in."""
    kind, said = value.__class__, told(value, language_of(asked.spoken))
    plain = _adapter(kind).dump_python(said, mode="json")
    return json.dumps(plain, allow_nan=False).encode(), JSON


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """What checks and writes values of a kind; to make one takes longer than to use it."""
    return TypeAdapter(kind)


def read(kind: type[T], body: bytes) -> T:
    """A body with a walk as a value, or an error that says what is wrong with it."""
    asked = parsed(kind, body)
    walk: Walk = getattr(asked, "walk")  # noqa: B009  (every body has one)
    _check_walk(walk)
    move = getattr(asked, "move", None)
    if isinstance(move, SetLimits):
        _check_limits(move.limits)
    if isinstance(move, Again):
        _check_most("n_ways", move.n_ways, MOST_WAYS)
    if isinstance(asked, Loosen):
        _check_limits(asked.limits)
    return asked


def parsed(kind: type[T], body: bytes) -> T:
    """A body of JSON as a value of a kind, or an error that says what is wrong with it."""
    try:
        content = json.loads(body, parse_constant=_no_constant)
        text = json.dumps(content, ensure_ascii=False).encode()  # no half characters
        adapter: TypeAdapter[T] = _adapter(kind)  # type: ignore[arg-type]  # hashable, as types are
        return adapter.validate_json(text, strict=True)
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"The request is not understood: {place}: {first['msg']}.") from None
    except (ValueError, RecursionError):
        raise InvalidInput("The request is no JSON.") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _check_walk(walk: Walk) -> None:
    for name in ("walked", "past", "names", "order"):
        _check_length(name, getattr(walk, name))
    _check_names(walk.names)
    for event in walk.past:
        _check_finite("effort", event.effort)
    _check_most("n_ways", walk.n_ways, MOST_WAYS)
    _check_limits(walk.limits)


def _check_names(names: Sequence[Name]) -> None:
    for part in ("letter", "key"):
        if len({getattr(name, part) for name in names}) != len(names):
            raise InvalidInput(f"names must each have a {part} of their own.")
    for name in names:
        if name.colour is not None and not 0 <= name.colour < N_COLOURS:
            raise InvalidInput(f"Colours run from 0 to {N_COLOURS - 1}, got {name.colour}.")


def _check_limits(limits: Limits) -> None:
    for name in ("ease", "bounds", "ruled_out", "edges", "lifted"):
        _check_length(name, getattr(limits, name))
    for low, high in limits.bounds.values():
        _check_finite("bounds", low)
        _check_finite("bounds", high)
        if low > high:
            raise InvalidInput(f"Bounds run from {low:g} to {high:g}; give the lower one first.")
    if limits.chance is not None and not 0 < limits.chance <= 1:
        raise InvalidInput(f"A chance lies between 0 and 1, got {limits.chance}.")
    if limits.deadline is not None and not 0 < limits.deadline <= MOST_MONTHS:
        raise InvalidInput(f"Months lie between 0 and {MOST_MONTHS}, got {limits.deadline}.")
    _check_most("max_steps", limits.max_steps, MOST_STEPS)


def _check_length(name: str, values: Any) -> None:
    if len(values) > MOST_ITEMS:
        raise InvalidInput(f"{name} has {len(values)} items; at most {MOST_ITEMS} are taken.")


def _check_most(name: str, value: int | None, most: int) -> None:
    if value is not None and not 1 <= value <= most:
        raise InvalidInput(f"{name} must lie between 1 and {most}, got {value}.")


def _check_finite(name: str, value: float) -> None:
    if not math.isfinite(value):
        raise InvalidInput(f"{name} must be finite, got {value}.")


_REFERENCE = "#/components/schemas/{model}"
_ERRORS = {
    "400": "asked for another host",
    "403": "asked without the token, or by another page",
    "408": "the request came too slowly",
    "413": "the request is too large",
    "415": "the request is no JSON",
    "422": "the request is not understood, or cannot be done",
    "503": "too much is asked at once, or the answer took too long",
}


@cache
def description() -> dict[str, Any]:
    """What the server can be asked, as OpenAPI; addresses are relative to the one with the token.

    >>> sorted(description()["paths"])
    ['/api/export', '/api/opened', '/api/plan', '/api/try', '/api/walk']
    """
    kinds: dict[str, tuple[Any, Any]] = {
        "Step": ("validation", Step),
        "Loosen": ("validation", Loosen),
        "Attempt": ("validation", Attempt),
        "Planned": ("validation", Planned),
        "Export": ("validation", Export),
        "Document": ("serialization", Document),
        "Opened": ("serialization", Opened),
        "Trial": ("serialization", Trial),
        "WayPlan": ("serialization", WayPlan),
    }
    asked = [(name, mode, TypeAdapter(kind)) for name, (mode, kind) in kinds.items()]
    described, shared = TypeAdapter.json_schemas(asked, ref_template=_REFERENCE)
    schemas = {name: described[name, mode] for name, (mode, _) in kinds.items()}
    exports: dict[str, Any] = {"image/svg+xml": {}, "text/html": {}, "application/json": {}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "facelift: the navigator", "version": __version__},
        "paths": {
            "/api/walk": _posted(schemas["Step"], "The next plan of a walk", schemas["Document"]),
            "/api/opened": _posted(schemas["Loosen"], "What limits would open", schemas["Opened"]),
            "/api/try": _posted(schemas["Attempt"], "What values would change", schemas["Trial"]),
            "/api/plan": _posted(
                schemas["Planned"],
                "A way as a plan, or a letter",
                exports={JSON: {"schema": schemas["WayPlan"]}, "text/html": {}},
            ),
            "/api/export": _posted(schemas["Export"], "A walk as a file", exports=exports),
        },
        "components": {"schemas": {**shared.get("$defs", {}), "Error": _ERROR}},
    }


_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string", "minLength": 1}},
    "required": ["error"],
    "additionalProperties": False,
}


def _posted(
    body: dict[str, Any],
    summary: str,
    answer: dict[str, Any] | None = None,
    exports: dict[str, Any] | None = None,
) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": _REFERENCE.format(model="Error")}}}
    good = exports or {"application/json": {"schema": answer}}
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
            "responses": {
                "200": {"description": summary, "content": good},
                **{each: {"description": why, "content": error} for each, why in _ERRORS.items()},
            },
        }
    }


MOST_TABLE_BYTES = 20_000_000
"""How large a table may be that somebody drops on the page."""

_log = logging.getLogger("facelift")

Question = Callable[[Mapping[str, str], bytes], tuple[bytes, str]]
"""From what the address asks for and a body of JSON to content and its media type."""


class Site(Protocol):
    """A first page, a guide for every address that names somebody, and questions beside walks."""

    @property
    def home(self) -> str:
        """The file of the first page."""

    @property
    def questions(self) -> Mapping[str, Question]:
        """What else can be asked, by name."""

    def guide(self, query: Mapping[str, str]) -> Guide:
        """Who walks with whom the address names."""

    def warm(self) -> None:
        """Do beforehand what somebody will soon ask for."""


@dataclass(frozen=True, eq=False)
class Alone:
    """The page of one guide."""

    shown: Guide
    home: str = "index.html"
    questions: Mapping[str, Question] = field(default_factory=dict)

    def guide(self, query: Mapping[str, str]) -> Guide:  # noqa: ARG002
        """The one there is."""
        return self.shown

    def warm(self) -> None:
        """Look for the first ways once more."""
        self.shown.warm()


def site_of(shown: Guide | Site) -> Site:
    """A site as it is, or the page of a guide as one."""
    return Alone(shown) if isinstance(shown, Guide) else shown


def questions_of(site: Site) -> dict[str, Question]:
    """Everything that can be asked of a site, by name: about walks, and what it adds."""
    walks = {name: partial(_walked, site, answer) for name, answer in ANSWERS.items()}
    return {**walks, **site.questions}


def _walked(site: Site, answer: Answer, query: Mapping[str, str], body: bytes) -> tuple[bytes, str]:
    """The answer to what is asked of the guide whom an address names."""
    return answer(site.guide(query), body)


def most_bytes(name: str) -> int:
    """How large a question may be; tables are the only large ones."""
    return MOST_TABLE_BYTES if name == "draft" else MOST_BYTES


def reply(shown: Guide | Site, message: Any) -> tuple[dict[str, Any], bytes]:
    """The answer to a message of a script, which names what it asks for and numbers it.

    >>> from facelift.toys import loan
    >>> reply(Guide(loan().multiverse()), {"id": "7", "ask": "walk", "body": {}})[0]
    {'id': '7', 'kind': 'application/json'}
    >>> reply(Guide(loan().multiverse()), {"id": "8", "ask": "fly"})[0]
    {'id': '8', 'error': "There is nothing called 'fly' to ask for."}
    """
    given = message if isinstance(message, dict) else {}
    number = given.get("id")
    try:
        content, kind = _answer(site_of(shown), given)
    except FaceliftError as fault:
        return {"id": number, "error": " ".join(str(fault).split())}, b""
    except Exception:
        _log.exception("A message could not be answered")
        return {
            "id": number,
            "error": "Something went wrong; facelift's own output says more.",
        }, b""
    return {"id": number, "kind": kind}, content


def _answer(site: Site, message: dict[str, Any]) -> tuple[bytes, str]:
    name, query = message.get("ask"), message.get("query", {})
    questions = questions_of(site)
    if not isinstance(name, str) or name not in questions:
        raise InvalidInput(f"There is nothing called {name!r} to ask for.")
    if not (isinstance(query, dict) and all(isinstance(each, str) for each in query.values())):
        raise InvalidInput("A query has words only.")
    body = json.dumps(message.get("body", {})).encode()
    if len(body) > most_bytes(name):
        raise InvalidInput("The request is too large.")
    return questions[name](query, body)
