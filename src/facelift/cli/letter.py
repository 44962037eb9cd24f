"""`facelift letter`: one page for the person a decision is about; text, HTML or PDF."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, called, explained, inputs
from facelift.cli.running import NO_WAY, UsageError, guarded, say

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
"""Programs that can print HTML to PDF without a window."""

FORMATS = (".txt", ".html", ".pdf")


class LetterFile(click.Path):
    """A file for a letter, whose ending says the format."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The path, if a letter can be written in its format."""
        path: Any = super().convert(value, param, ctx)
        if path.suffix.lower() not in FORMATS:
            self.fail(f"{value!r} must end in {', '.join(FORMATS)}.", param, ctx)
        return path


@click.command(
    epilog="Example: facelift letter loans.csv --target-column risk --target good --row 17 "
    "--language de --output letter.html"
)
@options.data
@options.row
@inputs
@options.explainer
@options.committee
@options.ways
@options.steps
@click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=options.Between(0, 1, min_open=True),
    help="Chance of the outcome that counts as reaching it.",
)
@options.language
@click.option(
    "--regime",
    default="eu",
    show_default=True,
    type=click.Choice(["eu", "us", "plain"]),
    help="Which law the letter follows: eu (GDPR), us (ECOA) or plain (neither). No legal advice.",
)
@click.option(
    "--show",
    "n_ways",
    default=2,
    show_default=True,
    type=click.IntRange(1, 3),
    help="How many ways the letter describes.",
)
@click.option("--sender", default="", help="Name and address; \\n begins a new line.")
@click.option("--recipient", default="", help="Name and address; \\n begins a new line.")
@click.option("--date", default=None, type=click.DateTime(["%Y-%m-%d"]), help="Date of the letter.")
@click.option("--reference", default="", help="Reference of the sender.")
@click.option("--contact", default="", help="Whom the person can write to.")
@click.option("--subject", default="", help="What the letter is about.")
@click.option(
    "--outcome",
    default="",
    help='The outcome in words, such as "a loan", for the sentence on the chance.',
)
@click.option(
    "--person/--no-person", default=None, help="Whether a person took part in the decision."
)
@click.option("--authority", default="", help="Name and address of the supervising authority.")
@click.option(
    "--output", type=LetterFile(dir_okay=False, path_type=Path), help="A .txt, .html or .pdf file."
)
@options.as_json
@guarded
def letter(
    asked: Inputs,
    committee: int,
    ways: int,
    steps: str,
    threshold: float,
    date: Any,
    sender: str,
    recipient: str,
    output: Path | None,
    json_output: bool,
    **words: Any,
) -> int:
    """One page in plain words for the person: the decision, ways to another, and rights."""
    from facelift.language import language_of
    from facelift.views.letters import letter as written

    given = asked.prepared()
    limits: dict[str, Any] = {"threshold": threshold, "n_counterfactuals": ways}
    if committee:
        limits["committee"] = given.committee(committee)
    multiverse = explained(asked, given, steps=steps, prototypes=None, **limits)
    given.mention_rules()
    if not words["outcome"] and (outcome := called(asked, multiverse.goal)):
        told_in = language_of(words["language"])
        words["outcome"] = told_in.say("“{words}”", words=outcome)
    told = written(
        multiverse,
        sender=sender.replace("\\n", "\n"),
        recipient=recipient.replace("\\n", "\n"),
        date="" if date is None else date.date(),
        **words,
    )
    if output is not None:
        _write(output, told)
    if json_output:
        say(json.dumps({"text": told.text, "html": told.html}, ensure_ascii=False), as_json=True)
    elif output is None:
        say(told.text, nl=False)
    else:
        say(f"{output}: a letter for row {asked.row}.")
    return 0 if len(multiverse) else NO_WAY


def _write(output: Path, told: Any) -> None:
    """The letter in the format that the file's ending says."""
    from facelift._files import written_whole

    kind = output.suffix.lower()
    with written_whole(output) as fresh:
        if kind == ".pdf":
            _print(told.html, fresh)
        else:
            fresh.write_text(told.text if kind == ".txt" else told.html, encoding="utf-8")


def _print(html: str, output: Path) -> None:
    """Print a page to PDF by a browser without a window."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise UsageError(
            "A PDF needs Chromium, Chrome or Edge, and none was found; give --output letter.html "
            "and print that from a browser."
        )
    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with TemporaryDirectory() as folder:
        page, made = Path(folder) / "letter.html", Path(folder) / "letter.pdf"
        page.write_text(html, encoding="utf-8")
        command = [browser, "--headless", "--disable-gpu", *as_root, "--no-pdf-header-footer"]
        command += [f"--user-data-dir={folder}/profile", f"--print-to-pdf={made}", page.as_uri()]
        subprocess.run(command, capture_output=True, check=False, timeout=120)  # noqa: S603
        if not made.is_file():
            raise UsageError(
                f"{browser} made no PDF; give --output letter.html and print that from a browser."
            )
        output.write_bytes(made.read_bytes())
