"""`facelift completion`: commands, options and columns at the press of a key."""

from __future__ import annotations

import csv
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from facelift.cli.running import guarded

SHELLS = ("bash", "zsh", "fish")


@click.command(epilog='Example: eval "$(facelift completion bash)"')
@click.argument("shell", type=click.Choice(SHELLS))
@guarded
def completion(shell: str) -> int:
    """Print a script that makes a shell complete commands, options and columns of a table."""
    made = get_completion_class(shell)
    if made is None:  # pragma: no cover  (click knows all three)
        raise click.ClickException(f"click does not know {shell}.")
    root = click.get_current_context().find_root().command
    click.echo(made(root, {}, "facelift", "_FACELIFT_COMPLETE").source())
    return 0


def columns(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Columns of the table named so far that start with what has been typed."""
    given = [
        context.params.get("data"),
        *context.args,
    ]  # click leaves it in either
    tables = [Path(each) for each in given if each is not None and Path(each).is_file()]
    try:
        with tables[0].open(newline="", encoding="utf-8") as file:
            header = next(csv.reader(file), [])
    except (IndexError, OSError, ValueError):  # nothing to complete is not an error
        return []
    return [name for name in header if name.startswith(incomplete)]
