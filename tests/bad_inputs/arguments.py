"""Command lines. The folder has a table, a model and rules; `given` is a file of its own."""

from __future__ import annotations

from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression

from facelift import cli

from .table import Answer, BadInput


def loans() -> pd.DataFrame:
    i = np.arange(60)
    table = pd.DataFrame({"income": 10 + i % 30, "debts": i % 4})
    return table.assign(risk=np.where(table["income"] > 20 + 3 * table["debts"], "good", "bad"))


def line(
    name: str, arguments: str, code: int, words: str, given: str | bytes | None = None
) -> BadInput:
    def give(home: Path) -> Answer:
        prepare(home, given)
        asked = [each.replace("@", f"{home}/given-") for each in arguments.split()]
        done = CliRunner().invoke(cli.commands, asked)
        said = done.stderr.strip().splitlines()
        if said and said[0].startswith("Training"):  # which is no error
            said = said[1:]
        if said and said[0].startswith("Usage: "):
            said = said[-1:]
        return Answer(done.exit_code, "\n".join(said), done.stdout)

    return BadInput(f"command: {name}", give, code, words)


def prepare(home: Path, given: str | bytes | None) -> None:
    table = loans()
    table.to_csv(home / "given-loans.csv", index=False)
    numbers = table.drop(columns="risk")
    joblib.dump(LogisticRegression().fit(numbers, table["risk"]), home / "given-model.joblib")
    (home / "given-rules.toml").write_text('[debts]\nchange = "decrease"\n')
    if given is not None:
        content = given if isinstance(given, bytes) else given.encode()
        (home / "given-it").write_bytes(content)


MODEL = "--model @model.joblib --trust-pickle"
TRAINED = "--target-column risk --row 0"

CASES = [
    line("no such command", "explian", 2, "No such command"),
    line("no such option", "demo --colour red", 2, "--colour"),
    line("no table", "explain", 2, "DATA"),
    line("a table that is not there", f"explain @nowhere.csv {TRAINED}", 2, "does not exist"),
    line("no row", "explain @loans.csv --target-column risk", 2, "--row"),
    line("a row of text", "explain @loans.csv --row first", 2, "'first'"),
    line("a row beyond", "explain @loans.csv --target-column risk --row 60", 2, "0 to 59"),
    line("a row below", "explain @loans.csv --target-column risk --row -1", 2, "no row -1"),
    line("no ways", f"explain @loans.csv {TRAINED} --ways 0", 2, "--ways"),
    line("too many ways", f"explain @loans.csv {TRAINED} --ways 27", 2, "--ways"),
    line("a chance of nothing", f"explain @loans.csv {TRAINED} --threshold 0", 2, "--threshold"),
    line("a chance of NaN", f"explain @loans.csv {TRAINED} --threshold nan", 1, "threshold"),
    line("no steps at all", f"explain @loans.csv {TRAINED} --max-steps 0", 2, "--max-steps"),
    line("an unknown kind of step", f"explain @loans.csv {TRAINED} --steps jumps", 2, "jumps"),
    line("neither model nor outcome", "explain @loans.csv --row 0", 2, "--target-column"),
    line("an unknown outcome", f"explain @loans.csv {MODEL} --row 0 --target god", 2, "'good'"),
    line("an unknown column", "explain @loans.csv --row 0 --target-column rsk", 4, "'rsk'"),
    line("a pickle", "explain @loans.csv --row 0 --model @model.joblib", 4, "--trust-pickle"),
    line("no model there", "explain @loans.csv --row 0 --model @x.skops", 2, "does not exist"),
    line(
        "a table as model",
        "explain @loans.csv --row 0 --model @loans.csv --trust-pickle",
        4,
        "Cannot load a model",
    ),
    line("an empty table", f"explain @it {TRAINED}", 4, "as a CSV table", ""),
    line("a binary table", f"explain @it {TRAINED}", 4, "as a CSV table", b"\xff\xfe\x00\x01"),
    line("only a header", f"explain @it {TRAINED}", 4, "empty", "income,risk\n"),
    line("ragged rows", f"explain @it {TRAINED}", 4, "as a CSV table", "a,risk\n1,b\n1,2,3,4\n"),
    line("semicolons", f"explain @it {TRAINED}", 4, "separated by ';'", "a;risk\n1;good\n2;bad\n"),
    line(
        "holes in outcomes", f"explain @it {TRAINED}", 4, "risk (1)", "a,risk\n1,good\n2,\n3,bad\n"
    ),
    line("one outcome", f"explain @it {TRAINED}", 4, "one outcome only", "a,risk\n1,b\n2,b\n"),
    line(
        "a number for outcome", f"explain @it {TRAINED}", 4, "Cannot train", "a,risk\n1,.5\n2,.7\n"
    ),
    line(
        "rules that are none", f"explain @loans.csv {TRAINED} --rules @it", 1, "Cannot read", "[a"
    ),
    line(
        "rules of no column", f"explain @loans.csv {TRAINED} --rules @it", 1, "'debts'", "[debs]\n"
    ),
    line("rules that are a table", f"explain @loans.csv {TRAINED} --rules @loans.csv", 1, "rules"),
    line("nobody of that number", "demo --applicant 1000", 2, "0 to 999"),
    line("an applicant of text", "demo --applicant me", 2, "'me'"),
    line("a fit without a model", "fit @loans.csv --save @saved", 2, "--model"),
    line("a fit without a folder", f"fit @loans.csv {MODEL}", 2, "--save"),
    line("a fit among files", f"fit @loans.csv {MODEL} --save @loans.csv", 2, "is a file"),
    line("a page without a row", "explore --data @loans.csv --no-browser", 2, "--row"),
    line("a port beyond", "explore --port 70000 --no-browser", 2, "--port"),
    line("a picture of no size", "explore --data @loans.csv --row 0 --picture 8", 2, "28x28"),
    line("rules for the demo", "explore --rules @rules.toml --no-browser", 2, "--data"),
    line(
        "an explainer that is not there",
        f"explore --data @loans.csv --row 0 --explainer @saved {MODEL}",
        2,
        "does not exist",
    ),
    line("a benchmark of no name", "bench nothing", 2, "'nothing'"),
]
