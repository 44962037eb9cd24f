"""What the server can be asked, as an OpenAPI description made from what it checks and gives."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from facelift import __version__
from facelift.views.page import Document
from facelift.walking.hints import Opened
from facelift.web import messages

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
    """The description; addresses are relative to the one with the token.

    >>> sorted(description()["paths"])
    ['/api/export', '/api/opened', '/api/walk']
    """
    kinds: dict[str, tuple[Any, Any]] = {
        "Step": ("validation", messages.Step),
        "Loosen": ("validation", messages.Loosen),
        "Export": ("validation", messages.Export),
        "Document": ("serialization", Document),
        "Opened": ("serialization", Opened),
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
