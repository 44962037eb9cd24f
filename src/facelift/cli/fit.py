"""`facelift fit` and `facelift mcp`: learn the graph of a table once, let an assistant ask it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, inputs, load_model
from facelift.cli.running import UsageError, guarded, say
from facelift.cli.tables import PARQUET

if TYPE_CHECKING:
    from facelift.explainer import FACElift


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
@click.option(
    "--save-model",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write the small model to that was trained on the spot, for --model.",
)
@options.steps_option("From one real record to the next, or one change at a time.", "rows")
@click.option("--cluster", "address", help="Address of a Dask scheduler whose workers help.")
@options.prototypes
@options.as_json
@guarded
def fit(
    asked: Inputs,
    folder: Path,
    save_model: Path | None,
    steps: str,
    address: str | None,
    prototypes: int | None,
    json_output: bool,
) -> int:
    """Learn the graph of a table once, and save it for other commands (--explainer).

    DATA are one or more CSV, Parquet or Arrow files with the rows of one table.
    """
    asked = replace(asked, asks=False)
    if address is None:
        given = replace(asked.prepared(), outcome=None)  # nobody's true outcome is saved
        explainer = given.explainer(steps, prototypes)
    elif prototypes is not None:
        raise UsageError("--prototypes are made on this machine: leave --cluster out.")
    else:
        explainer = _on_cluster(asked, steps, address)
    explainer.save(folder)
    if save_model is not None:
        import joblib

        joblib.dump(explainer.model, save_model)
    graph = explainer.graph_
    counts = {"folder": str(folder), "records": len(graph), "edges": int(graph.costs.nnz)}
    kind = "different records" if prototypes is None else "prototypes"
    words = f"{folder}: {len(graph):,} {kind}, {graph.costs.nnz:,} steps between them"
    say(json.dumps(counts) if json_output else words, as_json=json_output)
    return 0


def _on_cluster(asked: Inputs, steps: str, address: str) -> FACElift:
    """An explainer fitted by the workers of a cluster, which read Parquet files themselves."""
    from facelift.explainer import FACElift
    from facelift.interop import dask as cluster
    from facelift.interop.dask import ParquetParts

    files = () if asked.data is None else (asked.data, *asked.more)
    with cluster.connected(address) as client:
        if not all(file.suffix.lower() in PARQUET for file in files):
            given = asked.prepared()
            explainer = FACElift(given.model, given.terrain, steps=steps)
            return cluster.fit(explainer, given.table, client)
        paths = [file.resolve() for file in files]
        table, model = asked.in_parts(ParquetParts.of(paths))
        terrain = cluster.infer(table, client, missing=asked.special_codes(table.names))
        return cluster.fit(FACElift(model, asked.ruled(terrain), steps=steps), table, client)


@click.command(epilog="Example: facelift mcp loans --model m.skops")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--model", "model_path", required=True, type=options.FILE, help="The fitted model.")
@options.trust_pickle
@guarded
def mcp(folder: Path, model_path: Path, trust_pickle: bool) -> int:
    """Let an assistant ask a saved explainer; it reads only, and opens no socket."""
    from facelift.explainer import FACElift
    from facelift.web.assistants import server

    explainer = FACElift.load(folder, model=load_model(model_path, trust_pickle))
    server(explainer, folder.name).run("stdio")
    return 0
