"""`facelift check`: whether a certificate proves what it says."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from facelift.cli import options
from facelift.cli.inputs import load_model
from facelift.cli.running import guarded, say


@click.command(epilog="Example: facelift check proof.json --model m.joblib --trust-pickle")
@click.argument("file", type=options.FILE)
@click.option("--model", "model_path", required=True, type=options.FILE, help="The fitted model.")
@options.trust_pickle
@options.as_json
@guarded
def check(file: Path, model_path: Path, trust_pickle: bool, json_output: bool) -> int:
    """Check that a proof of facelift.views.certificate holds, without the search that made it."""
    from facelift.steps.certified import check_document

    text = file.read_text(encoding="utf-8", errors="replace")
    found = check_document(text, load_model(model_path, trust_pickle))
    say(json.dumps(asdict(found)) if json_output else str(found), as_json=json_output)
    return 0
