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
        return Answer(done.exit_code, "\n".join(said), done.stdout)

    return BadInput(f"command: {name}", give, code, words)


def prepare(home: Path, given: str | bytes | None) -> None:
    table = loans()
    table.to_csv(home / "given-loans.csv", index=False)
    numbers = table.drop(columns="risk")
    joblib.dump(LogisticRegression().fit(numbers, table["risk"]), home / "given-model.joblib")
    (home / "given-none").mkdir()
    (home / "given-rules.toml").write_text('[debts]\nchange = "decrease"\n')
    if given is not None:
        content = given if isinstance(given, bytes) else given.encode()
        (home / "given-it").write_bytes(content)


MODEL = "--model @model.joblib --trust-pickle"
TRAINED = "--target-column risk --row 0"
GROUPS = "--target-column risk --target good"
NUMBERS = "--target-column y --row 0"
TEN = "a,y\n" + "".join(f"{i},{i}.5\n" for i in range(10))

CASES = [
    line("no such command", "explian", 2, "No such command"),
    line("no such option", "demo --colour red", 2, "--colour"),
    line("an option that is nearly one", "demo --way 3", 2, "--ways"),
    line("an option before the command", "--colour demo", 2, "--colour"),
    line("an unknown part", "reproduce table9", 2, "'table9'"),
    line("no seeds", "reproduce --seeds 0", 2, "--seeds"),
    line("no table", "explain --row 0", 2, "DATA"),
    line("a table that is not there", f"explain @nowhere.csv {TRAINED}", 2, "does not exist"),
    line("no row", "explain @loans.csv --target-column risk", 2, "--row"),
    line("a row of text", "explain @loans.csv --row first", 2, "'first'"),
    line("a row beyond", "explain @loans.csv --target-column risk --row 60", 2, "0 to 59"),
    line("a row below", "explain @loans.csv --target-column risk --row -1", 2, "no row -1"),
    line("no ways", f"explain @loans.csv {TRAINED} --ways 0", 2, "--ways"),
    line("too many ways", f"explain @loans.csv {TRAINED} --ways 27", 2, "--ways"),
    line("a chance of nothing", f"explain @loans.csv {TRAINED} --threshold 0", 2, "--threshold"),
    line("a chance of NaN", f"explain @loans.csv {TRAINED} --threshold nan", 2, "finite"),
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
    line("no outcomes", f"explain @it {TRAINED}", 4, "'risk' has no outcome", "a,risk\n1,\n2,\n"),
    line("one outcome", f"explain @it {TRAINED}", 4, "one outcome only", "a,risk\n1,b\n2,b\n"),
    line(
        "a number for outcome",
        f"explain @it {TRAINED}",
        2,
        "give the range",
        "a,risk\n1,.5\n2,.7\n",
    ),
    line(
        "rules that are none", f"explain @loans.csv {TRAINED} --rules @it", 4, "Cannot read", "[a"
    ),
    line(
        "rules of no column", f"explain @loans.csv {TRAINED} --rules @it", 4, "'debts'", "[debs]\n"
    ),
    line("rules that are a table", f"explain @loans.csv {TRAINED} --rules @loans.csv", 4, "rules"),
    line(
        "rules of links from record to record",
        f"explain @loans.csv {TRAINED} --steps rows --rules @it",
        2,
        "Links",
        'link = [["income", "debts"]]',
    ),
    line("a range upside down", f"explain @it {NUMBERS} --target 50..10", 2, "upside down", TEN),
    line("a range of NaN", f"explain @it {NUMBERS} --target nan..", 2, "two numbers", TEN),
    line("prototypes of too many", f"explain @loans.csv {TRAINED} --prototypes 31", 2, "62 rows"),
    line("agreement of nobody", f"explain @loans.csv {TRAINED} --min-agreement 1", 2, "ommittee"),
    line(
        "counterfactuals of other columns",
        f"explain @loans.csv {TRAINED} --counterfactuals @it",
        4,
        "'income'",
        "wage\n1\n",
    ),
    line("a loss of NaN", f"contingency @loans.csv {TRAINED} --loss nan", 2, "finite"),
    line("a dead end of NaN", f"contingency @loans.csv {TRAINED} --dead-end nan", 2, "finite"),
    line("a dead end for ever", f"contingency @loans.csv {TRAINED} --dead-end inf", 2, "finite"),
    line("groups of no column", f"audit @loans.csv {GROUPS} --by debs", 4, "'debts'"),
    line("edges of text", f"audit @loans.csv {GROUPS} --by debts:few", 2, "age:25,40"),
    line("edges of NaN", f"audit @loans.csv {GROUPS} --by debts:nan", 2, "finite"),
    line("an edge for ever", f"audit @loans.csv {GROUPS} --by debts:1,inf", 2, "finite"),
    line("a seed below", f"audit @loans.csv {GROUPS} --by debts --seed -1", 2, "--seed"),
    line("a figure of text", f"audit @loans.csv {GROUPS} --by debts --figure @a.txt", 2, ".svg"),
    line("nobody of that number", "demo --applicant 1000", 2, "0 to 999"),
    line("an applicant of text", "demo --applicant me", 2, "'me'"),
    line("a fit without a model", "fit @loans.csv --save @saved", 2, "--model"),
    line("a fit without a folder", f"fit @loans.csv {MODEL}", 2, "--save"),
    line("a fit among files", f"fit @loans.csv {MODEL} --save @loans.csv", 2, "is a file"),
    line("a fit below a file", f"fit @loans.csv {MODEL} --save @loans.csv/a", 2, "File exists"),
    line("a fit of prototypes", f"fit @loans.csv {MODEL} --save @a --prototypes 31", 2, "62 rows"),
    line(
        "a page without an outcome", "explore --data @loans.csv --no-browser", 2, "--target-column"
    ),
    line("a port beyond", "explore --port 70000 --no-browser", 2, "--port"),
    line("a picture of no size", "explore --data @loans.csv --row 0 --picture 8", 2, "28x28"),
    line(
        "a picture of other columns",
        f"explore --data @loans.csv --row 0 {MODEL} --picture 8x8 --no-browser",
        2,
        "64 pixels, the table has 2 columns",
    ),
    line("a demo of nobody", "explore --row 1000 --no-browser", 2, "0 to 999"),
    line("rules for the demo", "explore --rules @rules.toml --no-browser", 2, "DATA"),
    line(
        "an explainer that is not there",
        f"explore --data @loans.csv --row 0 --explainer @saved {MODEL}",
        2,
        "does not exist",
    ),
    line(
        "an explainer that is none",
        f"explore --data @loans.csv --row 0 --explainer @none {MODEL}",
        4,
        "no complete saved explainer",
    ),
    line("a report of nothing", "reproduce report --out @nothing", 2, "is not there"),
    line("a baseline of a quick run", "bench --quick --save-baseline", 2, "--quick"),
    line("a benchmark of no name", "bench nothing", 2, "'nothing'"),
]
