"""The documents: every block is run or checked, every page can be found."""

from __future__ import annotations

import re
import shlex
import tomllib
from doctest import DocTestParser
from functools import reduce
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

import facelift
from facelift.cli import commands

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
RUN = [*PAGES, ROOT / "README.md"]  # pytest's testpaths: their examples are run
READ = [*RUN, ROOT / "CONTRIBUTING.md"]
FENCED = re.compile(r"^( *)```(.*?)\n(.*?)^\1```$", re.M | re.S)
INDENTED = re.compile(r"(?:^\n|\A)((?: {4}.*\n)+)", re.M)
PYTHON = re.compile(r"^(>>> |import \w|from \w+ import |fl\.|\w+ = fl\.)", re.M)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def fenced(path: Path) -> list[tuple[str, str]]:
    """Blocks between fences, each with the word behind the first."""
    found = FENCED.findall(path.read_text(encoding="utf-8"))
    return [(word, re.sub(f"^{indent}", "", text, flags=re.M)) for indent, word, text in found]


def indented(path: Path) -> list[str]:
    """Indented blocks, without their indent."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    return [re.sub("^ {4}", "", block, flags=re.M) for block in INDENTED.findall(text)]


def command_lines(path: Path) -> list[str]:
    """Commands in a page's indented blocks, whole where they go on on the next line."""
    lines = "".join(indented(path)).replace("\\\n", " ").splitlines()
    parts = [part.strip() for line in lines for part in line.split("&&")]
    return [part.removeprefix("$ ") for part in parts]


@pytest.mark.parametrize("path", RUN, ids=named)
def test_every_python_block_is_run(path):
    for word, block in fenced(path):
        if word == "python":
            assert block.startswith(">>> "), f"not an example, so nobody runs it:\n{block}"
            assert block.endswith("\n\n"), f"without an empty line at its end:\n{block}"
        else:
            assert not PYTHON.search(block), f"Python that nobody runs:\n{block}"
    for block in indented(path):
        assert not PYTHON.search(block), f"Python that nobody runs:\n{block}"
    text = path.read_text(encoding="utf-8")
    assert len(DocTestParser().get_examples(text)) == len(re.findall(r"^ *>>> ", text, re.M))


def parsed(line: str, folder: Path) -> click.Context:
    """What the command makes of a line; files and folders that it names are there, but empty."""
    words = shlex.split(line, comments=True)[1:]
    if "--explainer" in words:
        (folder / words[words.index("--explainer") + 1]).mkdir()
    for word in words:
        if Path(word).suffix and not word.startswith("-"):
            (folder / word).parent.mkdir(parents=True, exist_ok=True)
            (folder / word).touch()
    context = click.Context(commands, info_name="facelift")
    name, command, rest = commands.resolve_command(context, words)
    assert command is not None
    return command.make_context(name, rest, parent=context)


LINES = sorted({line for path in READ for line in command_lines(path)})
OURS = [line for line in LINES if line.startswith("facelift ")]


@pytest.mark.parametrize("line", OURS)
def test_every_facelift_command_in_a_document_is_one(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert parsed(line, tmp_path).command.name in commands.commands


def spoken(path: Path) -> list[str]:
    """Commands within sentences."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    return re.findall(r"`facelift ([a-z]+(?: [^`]*)?)`", " ".join(text.split()))


@pytest.mark.parametrize("path", READ, ids=named)
def test_commands_within_sentences_exist_with_their_options(path):
    for line in spoken(path):
        command = commands.commands[line.split()[0]]
        known = {name for each in command.params for name in each.opts} | {"--help", "--debug"}
        assert set(re.findall(r"--[\w-]+", line)) <= known, line


def test_scripts_and_modules_that_documents_name_are_there():
    for line in LINES:
        if script := re.match(r"python (\w[\w/]*\.py)", line):
            assert (ROOT / script[1]).is_file(), line
        if module := re.match(r"python -m ([\w.]+)", line):
            assert find_spec(module[1]), line


def test_extras_that_documents_name_are_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = "".join(path.read_text(encoding="utf-8") for path in READ)
    named = {
        extra.strip()
        for extras in re.findall(r"(?:facelift-multiverse|\.)\[([\w, ]+)\]", text)
        for extra in extras.split(",")
    }
    assert {"test", "docs"} <= named
    assert named <= set(project["optional-dependencies"])


def entries(path: Path) -> set[Path]:
    """Pages that a page's tables of contents lead to, by name or by pattern."""
    tables = [block.splitlines() for word, block in fenced(path) if word == "{toctree}"]
    lines = [line for table in tables for line in table if line and not line.startswith(":")]
    patterns = [re.sub(r".*<(.*)>", r"\1", line) for line in lines]
    return {page for pattern in patterns for page in path.parent.glob(f"{pattern}.md")}


def test_every_page_is_in_a_table_of_contents():
    assert set().union(*map(entries, PAGES)) | {DOCS / "index.md"} == set(PAGES)


def test_tutorials_use_the_package_and_define_no_functions():
    tutorials = sorted((DOCS / "tutorials").glob("*.md"))
    assert len(tutorials) >= 4
    for path in tutorials:
        assert not re.search(r"^(>>>|\.\.\.)\s+(def|class) ", path.read_text("utf-8"), re.M)


def test_every_picture_on_a_page_is_there_and_says_what_it_shows():
    for path in READ:
        for words, target in re.findall(r"!\[(.*?)\]\((.*?)\)", path.read_text(encoding="utf-8")):
            assert words, f"{path}: {target}"
            assert (path.parent / target).is_file(), f"{path}: {target}"


def kept_by() -> dict[str, list[str]]:
    """The tests that each promise names."""
    sections = (DOCS / "promises.md").read_text(encoding="utf-8").split("\n## ")[1:]
    tests = {each.partition("\n")[0]: re.findall(r"`(tests/\S+::\w+)`", each) for each in sections}
    return {promise: named for promise, named in tests.items() if promise != "Try to break them"}


@pytest.mark.parametrize("promise", kept_by())
def test_every_promise_has_a_test_that_keeps_it(promise):
    assert kept_by()[promise]
    for test in kept_by()[promise]:
        file, name = test.split("::")
        assert f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8"), test


WORD = re.compile(r"^- \*\*(.+?)\*\*", re.M)


def test_the_glossary_has_few_words_once_each_and_names_that_exist():
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    words = WORD.findall(text)
    assert len(words) == len(set(words)) <= 90
    for name in re.findall(r"`fl\.([\w.]+)`", text):
        assert reduce(getattr, name.split("."), facelift), name


def test_every_measure_of_ways_is_used_in_a_how_to():
    told = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "how-to").glob("*.md"))
    measures = [
        name
        for name, home in facelift._HOMES.items()
        if name[0].islower() and home.startswith(("choosing", "questions.", "multiverse.frames"))
    ]
    assert len(measures) > 25
    assert [name for name in measures if f"fl.{name}" not in told] == []
