"""The command `facelift`: the only part that prints; a file per command or two.

Exit codes: 0 result, 1 error that nothing given explains, 2 usage (arguments), 3 no way within the
rules, 4 bad data or model (files), 130 interrupted. Standard output carries only the result; an
error is one line on standard error. With --json it is also a result: {"error": {"kind": …,
"message": …}} on standard output.
"""

from __future__ import annotations

import click

from facelift import __version__
from facelift.cli.explain import check, contingency, demo, explain, letter, retrospect
from facelift.cli.explore import audit, explore, site
from facelift.cli.fit import fit, mcp
from facelift.cli.inputs import NO_RULES
from facelift.cli.options import completion
from facelift.cli.research import bench, reproduce
from facelift.cli.running import BAD_DATA, ERROR, INTERRUPTED, NO_WAY, USAGE, Commands
from facelift.cli.tables import rules

__all__ = [
    "BAD_DATA",
    "ERROR",
    "INTERRUPTED",
    "NO_RULES",
    "NO_WAY",
    "USAGE",
    "commands",
    "main",
]


def main() -> None:
    """Entry point of the command."""
    commands.main(prog_name="facelift")


@click.group("facelift", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="facelift")
def commands() -> None:
    """Routes, not verdicts: ways to another outcome, and what each keeps open."""


for command in (
    demo,
    rules,
    explain,
    explore,
    letter,
    contingency,
    retrospect,
    audit,
    fit,
    check,
    mcp,
    site,
    reproduce,
    bench,
    completion,
):
    commands.add_command(command)
