"""`facelift fit`: learn the graph of a table once."""

from __future__ import annotations

import json
from pathlib import Path

import click

from facelift.cli import options
from facelift.cli.inputs import known_columns, load_model, terrain_of
from facelift.cli.running import UsageError, guarded, say
from facelift.cli.tables import read_table


@click.command(
    epilog="Example: facelift fit loans.csv --model m.joblib --trust-pickle --save saved"
)
@click.argument("data", type=options.FILE)
@options.needed_model
@options.trust_pickle
@options.rules
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
    data: Path,
    model_path: Path,
    trust_pickle: bool,
    rules: Path | None,
    folder: Path,
    steps: str,
    address: str | None,
    prototypes: int | None,
    json_output: bool,
) -> int:
    """Learn the graph of a CSV table once, and save it for later explanations."""
    from facelift.explainer import FACElift
    from facelift.interop import dask as cluster

    table, _ = read_table(data, None)
    model = load_model(model_path, trust_pickle)
    table = known_columns(table, model)
    explainer = FACElift(model, terrain_of(table, rules), steps=steps)
    if address is None:
        explainer.fit(table, share_rows=prototypes is None, min_records=prototypes or 2)
    elif prototypes is not None:
        raise UsageError("--prototypes are made on this machine: leave --cluster out.")
    else:
        with cluster.connected(address) as client:
            cluster.fit(explainer, table, client)
    explainer.save(folder)
    graph = explainer.graph_
    counts = {"folder": str(folder), "records": len(graph), "edges": int(graph.costs.nnz)}
    kind = "different records" if prototypes is None else "prototypes"
    words = f"{folder}: {len(graph):,} {kind}, {graph.costs.nnz:,} steps between them"
    say(json.dumps(counts) if json_output else words, as_json=json_output)
    return 0
