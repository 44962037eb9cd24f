"""`facelift letter`: text on standard output, or a file by its ending."""

from __future__ import annotations

import json
import shutil

import pytest
from tests.cli.calling import one_line, run

from facelift.cli import NO_WAY, USAGE, commands
from facelift.views.letters import LANGUAGES, REGIMES


@pytest.fixture
def asked(folder, rows):
    """A command line that asks for a letter, by a model of two columns."""
    model = ("--model", folder / "model.joblib", "--trust-pickle", "--target", "good")
    return ("letter", folder / "numbers.csv", *model, "--row", rows["bad"])


def test_the_languages_and_regimes_of_letters_can_be_chosen():
    choices = {each.name: each.type for each in commands.commands["letter"].params}
    assert tuple(choices["language"].choices) == LANGUAGES
    assert tuple(choices["regime"].choices) == REGIMES


def test_a_letter_is_printed(asked):
    result = run(*asked, "--sender", "Bank\\nStreet 1", "--date", "2026-07-17", "--no-person")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Bank\nStreet 1\n")
    assert "Date: 17 July 2026" in result.stdout
    assert "No person took part" in " ".join(result.stdout.split())


def test_language_and_regime_are_followed(asked):
    text = run(*asked, "--language", "es", "--regime", "us", "--authority", "CFPB").stdout
    assert "Motivos principales de la decisión" in text
    assert "Consumer Credit Protection Act" in " ".join(text.split())
    assert "CFPB" in text


@pytest.mark.parametrize("ending", ["txt", "html"])
def test_a_file_is_written_in_the_format_of_its_ending(asked, tmp_path, ending):
    path = tmp_path / f"letter.{ending}"
    result = run(*asked, "--output", path)
    assert result.exit_code == 0, result.stderr
    assert path.name in result.stdout
    assert path.read_text(encoding="utf-8").startswith({"txt": "[", "html": "<!doctype"}[ending])


def test_a_letter_is_a_document_with_both_forms(asked):
    content = json.loads(run(*asked, "--json").stdout)
    assert content["html"].startswith("<!doctype")
    assert content["text"] == run(*asked).stdout


def test_another_ending_is_refused_before_any_work(asked, tmp_path):
    result = run(*asked, "--output", tmp_path / "letter.doc")
    assert result.exit_code == USAGE
    assert ".txt, .html, .pdf" in one_line(result.stderr)


def test_without_a_browser_a_pdf_says_how_to_print(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)  # noqa: ARG005
    result = run(*asked, "--output", tmp_path / "letter.pdf")
    assert result.exit_code == USAGE
    assert "print that from a browser" in result.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())


def test_where_there_is_no_way_the_letter_says_so(asked, folder):
    result = run(*asked, "--rules", folder / "frozen.toml")
    assert result.exit_code == NO_WAY
    assert "No way found" in result.stdout


@pytest.mark.harness
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_a_letter_is_one_page_and_its_facts_another(asked, tmp_path):
    path = tmp_path / "letter.pdf"
    result = run(*asked, "--output", path)
    assert result.exit_code == 0, result.stderr
    assert path.read_bytes().replace(b" ", b"").count(b"/Type/Page\n") == 2
