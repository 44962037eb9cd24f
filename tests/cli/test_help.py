"""Help that tells the whole of every command."""

from __future__ import annotations

import click
import pytest
from tests.cli.calling import run

import facelift
from facelift import cli


def test_the_version_is_the_packages_own():
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"facelift, version {facelift.__version__}\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_the_commands(flag):
    result = run(flag)
    assert result.exit_code == 0
    for name in cli.commands.commands:
        assert f"  {name} " in result.stdout


@pytest.mark.parametrize("name", cli.commands.commands)
def test_help_of_a_command_has_an_example_that_parses(name):
    result = run(name, "--help")
    assert result.exit_code == 0
    example = " ".join(result.stdout.split()).partition("Example")[2]
    words = example.partition("facelift ")[2].partition("·")[0].split()
    assert words[0] == name
    command = cli.commands.commands[name]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_every_option_says_what_it_is_for():
    for command in cli.commands.commands.values():
        assert command.help
        options = [each for each in command.params if isinstance(each, click.Option)]
        assert [option.name for option in options if not option.help] == []


def test_help_tells_the_whole_of_every_command():
    told = " ".join(run("--help").stdout.split())
    for command in cli.commands.commands.values():
        assert command.help.split("\n\n")[0].rstrip(".") in told


@pytest.mark.parametrize("name", sorted(set(cli.commands.commands) - {"completion", "mcp"}))
def test_every_command_that_has_a_result_has_it_as_json(name):
    assert "json_output" in {each.name for each in cli.commands.commands[name].params}
