"""`facelift mcp`: a saved explainer for assistants, over standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from facelift.cli import options
from facelift.cli.inputs import load_model
from facelift.cli.running import guarded


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
