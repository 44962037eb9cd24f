"""`facelift site`: the demo as a site that needs no server, and what answers in its worker."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from facelift.cli import options
from facelift.cli.explore import WAYS
from facelift.cli.running import guarded, say

if TYPE_CHECKING:
    from facelift.web.tables import Tables


@click.command(epilog="Example: facelift site public && python -m http.server -d public")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--pyodide",
    metavar="ADDRESS",
    help="Where pages load Python from: an address, or a folder that is copied into the site. "
    "[default: Pyodide's own address]",
)
@options.as_json
@guarded
def site(folder: Path, pyodide: str | None, json_output: bool) -> int:
    """Write the demo as a site for any web server: Python runs in the visitor's browser."""
    from facelift.web.publishing import PYODIDE, publish

    source = PYODIDE if pyodide is None else pyodide
    files = publish(folder, source if source.startswith(("https:", "http:")) else Path(source))
    hint = f"python -m http.server -d {folder}"
    say(f"{len(files)} files. Serve the folder, for example: {hint}", err=True)
    told = {"folder": str(folder), "files": [str(each.relative_to(folder)) for each in files]}
    click.echo(json.dumps(told) if json_output else str(folder / "index.html"))
    return 0


def answer(message: str) -> tuple[str, bytes]:
    """The answer to a message of the page: its head as JSON, and content; called by the worker.

    >>> answer('{"id": "1", "ask": "door"}')[0]
    '{"id": "1", "kind": "application/json"}'
    """
    from facelift.web.site import reply

    head, content = reply(_demo(), json.loads(message))
    return json.dumps(head), content


@cache
def _demo() -> Tables:
    """The embedded tables, opened without threads."""
    from facelift.cli.demos import examples
    from facelift.cli.explore import Bench
    from facelift.web.tables import Tables

    return Tables(examples(WAYS, "actions"), "german", Bench(WAYS, "actions"), threads=False)
