"""`facelift fit`: learn the graph of a table once."""

from __future__ import annotations

import json
from pathlib import Path

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, inputs
from facelift.cli.running import UsageError, guarded, say


@click.command(
    epilog="Example: facelift fit loans.csv --model m.joblib --trust-pickle --save saved"
)
@click.argument("data", type=options.FILE, nargs=-1, required=True)
@inputs
@click.option(
    "--save",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write the fitted explainer to.",
)
@options.steps_option("From one real record to the next, or one change at a time.", "rows")
@click.option("--cluster", "address", help="Address of a Dask scheduler whose workers help.")
@options.prototypes
@options.as_json
@guarded
def fit(
    asked: Inputs,
    folder: Path,
    steps: str,
    address: str | None,
    prototypes: int | None,
    json_output: bool,
) -> int:
    """Learn the graph of a table once, and save it for other commands (--explainer).

    DATA are one or more CSV, Parquet or Arrow files with the rows of one table.
    """
    from facelift.explainer import FACElift
    from facelift.interop import dask as cluster

    given = asked.prepared()
    if address is None:
        explainer = given.explainer(steps, prototypes)
    elif prototypes is not None:
        raise UsageError("--prototypes are made on this machine: leave --cluster out.")
    else:
        explainer = FACElift(given.model, given.terrain, steps=steps)
        with cluster.connected(address) as client:
            cluster.fit(explainer, given.table, client)
    explainer.save(folder)
    graph = explainer.graph_
    counts = {"folder": str(folder), "records": len(graph), "edges": int(graph.costs.nnz)}
    kind = "different records" if prototypes is None else "prototypes"
    words = f"{folder}: {len(graph):,} {kind}, {graph.costs.nnz:,} steps between them"
    say(json.dumps(counts) if json_output else words, as_json=json_output)
    return 0
