"""Rules files."""

from __future__ import annotations

from pathlib import Path

from facelift import Terrain, read_rules

from .frames import people
from .table import Answer, BadInput, called


def file(name: str, content: str | bytes, words: str) -> BadInput:
    def give(home: Path) -> Answer:
        path = home / "given.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        read = called(name, lambda: read_rules(path, Terrain.infer(people())), "", "")
        return read.give(home)

    return BadInput(f"rules: {name}", give, "InvalidRules", words)


CASES = [
    file("no TOML", "[income", "Cannot read the rules"),
    file("no text", b"\xff\xfe\x00", "Cannot read the rules"),
    file("a column twice", "[income]\n[income]\n", "Cannot read the rules"),
    file("an unknown column", "[incme]\nprice = 2\n", "did you mean 'income'?"),
    file("an unknown setting", "[income]\nprise = 2\n", "did you mean 'price'?"),
    file("an unknown change", '[income]\nchange = "sometimes"\n', "change"),
    file("a price of text", '[income]\nprice = "dear"\n', "price"),
    file("a price below zero", "[income]\nprice = -2\n", "zero or more"),
    file("a price that is no number", "[income]\nprice = nan\n", "zero or more"),
    file("a price of dates", "[income]\nprice = 1979-05-27\n", "price"),
    file("directions of what has none", "[town]\nprice = { increase = 2 }\n", "has no order"),
    file("bounds of three", "[income]\nbetween = [1, 2, 3]\n", "between"),
    file("bounds upside down", "[income]\nbetween = [5, 1]\n", "upside down"),
    file("bounds of levels", "[town]\nbetween = [0, 1]\n", "numeric columns"),
    file("an order that misses a level", '[town]\norder = ["Bern"]\n', "misses 'Aarau'"),
    file("a forbidden change of one", '[town]\nforbid = [["Bern"]]\n', "forbid"),
    file("an unknown level", '[town]\nforbid = [["Bern", "Chur"]]\n', "'Chur' is not a level"),
    file("a step of nothing", "[income]\nstep = 0\n", "positive"),
    file("a million levels", "[income]\nstep = 1e-6\n", "levels"),
    file("levels and a step", "[income]\nstep = 1\nlevels = [1, 2]\n", "either"),
    file("half a debt to stop at", "[debts]\nlevels = [0.5]\n", "whole numbers"),
    file("a rate without a period", "[income]\nrate = { amount = 1 }\n", "rate.per: is missing"),
    file(
        "two periods", '[income]\nrate = {per="year"}\n[debts]\nrate = {per="term"}\n', "one period"
    ),
    file("a link of one", 'link = [["income"]]\n', "two or more"),
    file("a link of no column", 'link = [["income", "wings"]]\n', "'wings'"),
    file(
        "a requirement that runs", "require = [\"__import__('os').system('ls')\"]\n", "equirement"
    ),
    file("a requirement of no column", 'require = ["wings <= income"]\n', "'wings'"),
    file("a requirement that is none", 'require = ["income"]\n', "must be a comparison"),
    file(
        "a very deep requirement", f'require = ["{"(" * 500}income{")" * 500} < 1"]', "equirement"
    ),
    file("settings that are none", "income = 3\n", "must be a table"),
    called(
        "rules: no file",
        lambda: read_rules("nowhere.toml", Terrain.infer(people())),
        "InvalidRules",
        "nowhere.toml",
    ),
]
