"""The paper, item by item: all it says is done here, shown by a test, or has a reason."""

from __future__ import annotations

import ast
import csv
import io
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs" / "paper-items.md"
ITEMS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "items.toml").read_text(encoding="utf-8")
)["item"]
N_ITEMS = 92


def page() -> str:
    """The page made of the table: what is missing or different, with the reason, then all items."""
    built = [item for item in ITEMS if "uses" in item]
    otherwise = [item for item in built if "reason" in item]
    missing = [item for item in ITEMS if "uses" not in item]
    return f"""\
# The paper, item by item

Everything that the paper defines, measures or asks for: where it stands there, what does it here,
and the tests that show it. {len(built)} of {len(ITEMS)} items are built, {len(otherwise)} of these
otherwise than printed or in part; {len(missing)} are not.

## Not built

{reasons(missing)}

## Built otherwise, or in part

{reasons(otherwise)}

## All items

Names are below `facelift`, tests below `tests`. The table is [a file](paper-items.csv), too.

```{{csv-table}}
:file: paper-items.csv
:header-rows: 1
```
"""


def reasons(items: list[dict[str, Any]]) -> str:
    return "\n".join(f"- **{each['says']}** ({each['at']}): {each['reason']}" for each in items)


def table() -> str:
    """All items as a CSV file, which the page shows."""
    rows = [["", "in the paper", "what it says", "here", "shown by"]]
    for item in ITEMS:
        uses = ", ".join(f"`{name}`" for name in item.get("uses", [])) or "not built"
        tests = "; ".join(map(told, item.get("tests", [])))
        rows.append([str(item["n"]), item["at"], item["says"], uses, tests])
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def told(test: str) -> str:
    path, _, name = test.partition("::")
    return f"{path}: {name.removeprefix('test_').replace('_', ' ')}"


@cache
def names_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def resolved(name: str) -> Any:
    """What a dotted name below facelift stands for; an error if it stands for nothing."""
    found: Any = import_module("facelift")
    for i, part in enumerate(name.split(".")):
        if hasattr(found, part) or part in getattr(found, "__dataclass_fields__", {}):
            found = getattr(found, part, part)
        else:
            found = import_module("facelift." + ".".join(name.split(".")[: i + 1]))
    return found


def test_all_items_are_there_once_and_in_order():
    assert [item["n"] for item in ITEMS] == list(range(1, N_ITEMS + 1))


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: str(item["n"]))
def test_every_item_is_built_and_shown_by_a_test_or_has_a_reason(item):
    assert item["at"]
    assert item["says"]
    if "uses" in item:
        assert item["uses"]
        assert item["tests"]
    else:
        assert len(item["reason"]) > 20
        assert "tests" not in item


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: str(item["n"]))
def test_every_name_of_an_item_exists(item):
    for name in item.get("uses", []):
        resolved(name)
    for name in item.get("tests", []):
        path, _, function = name.partition("::")
        assert function.startswith("test_")
        assert function in names_of(TESTS / path), name


def test_a_name_that_does_not_exist_is_noticed():
    with pytest.raises(ImportError):
        resolved("geometry.no_such_measure")


def test_the_page_is_made_of_the_table():
    """Made anew with: python -m tests.paper.test_items."""
    assert PAGE.read_text(encoding="utf-8") == page()
    assert PAGE.with_suffix(".csv").read_text(encoding="utf-8") == table()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PAGE.with_suffix(".csv").write_text(table(), encoding="utf-8")
