"""Write the types of the pages' documents for their scripts, from their JSON Schemas.

Usage: python tools/make_document_types.py src/facelift/web/static/document.d.ts
       python tools/make_document_types.py src/facelift/web/static/people.d.ts
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from facelift.views.page import schema
from facelift.web.tables import schemas

HEAD = """// Types of the documents of a page; made by tools/make_document_types.py.
"""


def main() -> None:
    """Write the file named on the command line."""
    path = Path(sys.argv[1])
    text = people() if path.name == "people.d.ts" else declarations(schema())
    path.write_text(text, encoding="utf-8")


def declarations(described: dict[str, Any]) -> str:
    """One interface per kind of value, in order of their names."""
    return interfaces({**described["$defs"], "Document": described})


def people() -> str:
    """The same for the first page, whose answers are several documents."""
    return interfaces(schemas())


def interfaces(kinds: dict[str, Any]) -> str:
    """One interface per kind of value, in order of their names."""
    return HEAD + "".join(f"\n{_interface(name, kinds[name])}" for name in sorted(kinds))


def _interface(name: str, described: dict[str, Any]) -> str:
    fields = [f"  {key}: {_type(part)};\n" for key, part in described["properties"].items()]
    return f"export interface {name} {{\n{''.join(fields)}}}\n"


def _type(part: dict[str, Any]) -> str:
    if "$ref" in part:
        return str(part["$ref"]).rpartition("/")[2]
    if "anyOf" in part:
        return " | ".join(dict.fromkeys(map(_type, part["anyOf"])))
    if "enum" in part:
        return " | ".join(f'"{value}"' for value in part["enum"])
    if "const" in part:
        return f'"{part["const"]}"'
    return _plain(part)


def _plain(part: dict[str, Any]) -> str:
    if part.get("type") == "object":
        return f"Record<string, {_type(part['additionalProperties'])}>"
    if part.get("type") == "array":
        if "prefixItems" in part:
            return f"[{', '.join(map(_type, part['prefixItems']))}]"
        return f"({_type(part['items'])})[]"
    names = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}
    return names.get(str(part.get("type")), "null")


if __name__ == "__main__":
    main()
