"""How a command runs: what it prints, what it says when something is wrong, its exit code."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from typing import IO, TYPE_CHECKING, Any, cast

import click

from facelift.errors import (
    DamagedFile,
    FaceliftError,
    InvalidData,
    InvalidFolder,
    InvalidInput,
    InvalidModel,
    InvalidRules,
    UnknownColumn,
    printable,
)

if TYPE_CHECKING:
    import pandas as pd

    from facelift.multiverse.multiverse import Multiverse

ERROR, USAGE, NO_WAY, BAD_DATA, INTERRUPTED = 1, 2, 3, 4, 130

_WRONG_PLACE = (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError)
_CODES: tuple[tuple[tuple[type[BaseException], ...], int], ...] = (
    ((KeyboardInterrupt,), INTERRUPTED),
    (
        (InvalidData, InvalidRules, InvalidModel, InvalidFolder, UnknownColumn, DamagedFile),
        BAD_DATA,
    ),
    ((InvalidInput, PermissionError, *_WRONG_PLACE), USAGE),
)
"""Whose fault is which: that of a file given comes before that of an argument, its parent."""


class UsageError(InvalidInput):
    """A command line that cannot be followed."""


class Misused(click.UsageError):
    """What click says of a command line that it cannot follow, in one line."""

    def __init__(self, fault: click.UsageError, *, json_output: bool) -> None:
        words = " ".join(fault.format_message().split())
        stop = "" if words.endswith((".", "?")) else "."
        command = "facelift" if fault.ctx is None else fault.ctx.command_path
        super().__init__(f"{words}{stop} See {command} --help.", fault.ctx)
        self.json_output = json_output

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it as all errors are."""
        click.echo(printable(f"facelift: {self.message}"), file=file, err=True)
        if self.json_output:
            say(_error_json("UsageError", self.message), as_json=True)


class Commands(click.Group):
    """Commands in the order people need them; a wrong command line is one line, as any error."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """The names of the commands, as they were added."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command with the whole of what it does."""
        names = self.list_commands(ctx)
        rows = [(name, self.commands[name].get_short_help_str(limit=200)) for name in names]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """What stands before the command; whether --json is among the rest is noted first."""
        json_output = "--json" in args
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as fault:
            raise Misused(fault, json_output=json_output) from None
        context.meta[__name__] = json_output
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except click.UsageError as fault:
            raise Misused(fault, json_output=ctx.meta[__name__]) from None


def show(
    multiverse: Multiverse,
    title: str,
    json_output: bool,
    *,
    language: str = "en",
    failure: float = 0.1,
    scores: pd.DataFrame | None = None,
    measured: Mapping[str, Any] | None = None,
) -> int:
    """Print a multiverse, for people or as JSON, and return the exit code.

    People are told `scores`, too; a document holds all that was `measured`.
    """
    from facelift.questions.resilience import resilience_unasked
    from facelift.views.text import multiverse_text

    if json_output and measured is not None:
        told = json.loads(multiverse.to_json()) | dict(measured)
        say(json.dumps(told, sort_keys=True, ensure_ascii=False, indent=1), as_json=True)
    elif json_output:
        say(multiverse.to_json(), as_json=True)
    else:
        width = min(shutil.get_terminal_size((100, 24)).columns, 120)
        color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        text = multiverse_text(
            multiverse,
            title=title,
            width=width,
            color=color,
            hint=as_command,
            resilience=resilience_unasked(multiverse),
            expected=None if multiverse.graph is None else multiverse.expected_effort(failure),
            failure=failure,
            language=language,
        )
        click.echo(text, nl=False)
        if scores is not None and len(scores):
            click.echo("\n" + scores.round(3).set_index("way").T.to_string())
    why_not = multiverse.why_not
    return NO_WAY if why_not is not None and why_not.reason != "already there" else 0


def can_answer() -> bool:
    """Whether somebody reads the result at a terminal, and can be asked there."""
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def wants_longer(found: Multiverse, language: str) -> bool:
    """Whether somebody says that a search which found nothing shall go on."""
    from facelift.language import language_of, say

    why_not = "" if found.why_not is None else found.why_not.message
    question = say("{why} Search longer?", why=why_not)
    try:
        return click.confirm(printable(language_of(language).tell(question)), err=True)
    except click.Abort:
        raise KeyboardInterrupt from None


def as_command(hint: str) -> str:
    """A hint whose calls are command lines.

    >>> as_command("explainer.under(explainer.terrain_, max_states=9) looks at more.")
    'facelift explain … --max-states 9 looks at more.'
    >>> as_command('explainer.under(explainer.terrain_.freeze("age", "sex"))')
    'facelift explain … --freeze "age" --freeze "sex"'
    >>> needing = "explainer.oracle_.committee.needing(0.5)"
    >>> as_command(f"explainer.under(explainer.terrain_, committee={needing}) has candidates.")
    'facelift explain … --min-agreement 0.5 has candidates.'
    """
    for call, command in _CALLS.items():
        hint = re.sub(call, command, hint)
    return re.sub(_SETTING, lambda found: f"{_OPTIONS[found[1]]} {found[2]}", hint)


_OPTIONS = {
    "margin": "--margin",
    "max_states": "--max-states",
    "max_steps": "--max-steps",
    "n_neighbors": "--neighbors",
    "patience": "--patience",
    "plausibility": "--plausibility",
    "steps": "--steps",
    "threshold": "--threshold",
}
"""How `facelift explain` calls parameters of an explainer."""

_SETTING = rf'\b({"|".join(_OPTIONS)})="?([\w.]*\w)"?'


def _freezing(call: re.Match[str]) -> str:
    names = re.findall(r'"[^"]+"', call[1]) or ["NAME"]
    return " ".join(["facelift explain …", *(f"--freeze {name}" for name in names)])


_CALLS: dict[str, str | Callable[[re.Match[str]], str]] = {
    r"explainer\.under\(explainer\.terrain_, \S+\.needing\((\S+)\)\)": (
        r"facelift explain … --min-agreement \1"
    ),
    r"explainer\.under\(explainer\.terrain_, ([^)]*)\)": r"facelift explain … \1",
    r"explainer\.under\(explainer\.terrain_\.freeze\((.*?)\)\)": _freezing,
    r"explainer\.explain\(x, \((\S+), (\S+)\)\)": r"facelift explain … --target \1..\2",
}


def guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Turn errors into one line on standard error and the right exit code."""

    @click.option("--debug", is_flag=True, help="Show the traceback of an error.")
    @wraps(command)
    def run(*args: Any, debug: bool, **options: Any) -> None:
        try:
            code = command(*args, **options)
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read our output has enough; click ends quietly
            raise
        except (Exception, KeyboardInterrupt) as fault:
            code = _report(fault, debug=debug, json_output=options.get("json_output", False))
        sys.exit(code)

    return run


def _report(fault: BaseException, *, debug: bool, json_output: bool) -> int:
    """Tell what went wrong and return the exit code."""
    message = _message(fault)
    if debug:
        traceback.print_exception(fault)
    say(f"facelift: {message}", err=True)
    if json_output and not _is_of_output(fault):
        say(_error_json(type(fault).__name__, message), as_json=True)
    return _exit_code(fault)


def _message(fault: BaseException) -> str:
    if isinstance(fault, KeyboardInterrupt):
        return "interrupted"
    words = " ".join(str(fault).split())
    if isinstance(fault, FaceliftError):
        return words
    if isinstance(fault, OSError) and fault.filename is not None:
        return f"Cannot use {fault.filename}: {fault.strerror}."
    if _is_of_output(fault):
        _close_output()
        return f"The result could not be written: {cast('OSError', fault).strerror}."
    kind = type(fault).__name__
    return f"unexpected {kind}: {words}; this is a fault of facelift, --debug shows where."


def say(text: str, *, err: bool = False, nl: bool = True, as_json: bool = False) -> None:
    """Print text that may hold names from strangers; nothing in it can command a terminal.

    JSON keeps all characters: those that could are written as their numbers.
    """
    safe = (
        _COMMANDS.sub(lambda each: f"\\u{ord(each[0]):04x}", text) if as_json else printable(text)
    )
    click.echo(safe, err=err, nl=nl)


_COMMANDS = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def _is_of_output(fault: BaseException) -> bool:
    """Whether writing the result failed: no file was named, and the system says why."""
    return isinstance(fault, OSError) and fault.filename is None and fault.strerror is not None


def _close_output() -> None:
    """Send what is left to nowhere, or Python tries to write it once more when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _exit_code(fault: BaseException) -> int:
    """What was given wrongly has a code of its own; all else is an error."""
    return next((code for kinds, code in _CODES if isinstance(fault, kinds)), ERROR)


def _error_json(kind: str, message: str) -> str:
    return json.dumps({"error": {"kind": kind, "message": message}}, ensure_ascii=False)
