"""Certificates of proofs as documents: what is claimed of a case, and a check without the search.

A document lists the case and every level of its ladders as rows of the table, so that only the
model is needed to check that no combination of them succeeds below the bound.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, fingerprint, slices
from facelift.errors import DamagedFile, InvalidModel
from facelift.models.asking import SAME
from facelift.models.proving.certificate import ProofCertificate, Unproven, check
from facelift.models.proving.problem import Levels
from facelift.models.proving.reading import Reading, read
from facelift.models.proving.search import Search
from facelift.multiverse.document import columns_of, frame_of, records_of
from facelift.multiverse.goal import Range
from facelift.steps.lattice import States
from facelift.steps.proof import Prover, single_moves

SCHEMA = "facelift/proof/1"

LONGER = 10
"""A certificate may take so many times the work of the proof."""


def document_of(prover: Prover, least: float, rules: str) -> dict[str, Any] | None:
    """What proves that no admissible success costs less than `least`; None if that takes too long.

    The search is done again and recorded. None, too, where something ages by itself: the format
    knows no time.
    """
    table, goal = prover.decode(prover.lattice.points(single_moves(prover.lattice))), prover.goal
    known = isinstance(table, pd.DataFrame | np.ndarray)
    if prover.problem is None or prover.ages is not None or isinstance(goal, Range) or not known:
        return None

    def accept(states: States) -> Bools:
        register = prover.register
        good = prover.lattice.n_steps(states) <= register.max_steps
        good[good] = register.admissible(states[good])
        places = register.ask(states[good])
        good[good] = register.wins[places]
        return np.asarray(good)

    search = Search(prover.problem, limit=least, accept=accept, record=True)
    if not search.run(LONGER * prover.work).proven:
        return None
    frame = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table)
    answers = _answers(prover.reading, table)
    return {
        "schema": SCHEMA,
        "claim": {
            "target": list(goal.target),
            "columns": prover.columns,
            "threshold": goal.needed,
            "none": bool(np.isinf(least)),
            "bound": search.limit,
        },
        "rules": rules,
        "max_steps": prover.register.max_steps,
        "container": "frame" if isinstance(table, pd.DataFrame) else "array",
        "columns": columns_of(frame),
        "case": records_of(frame.iloc[:1])[0],
        "ladders": [
            {"names": list(map(str, ladder.names)), "costs": ladder.costs.tolist()}
            for ladder in prover.lattice.ladders
        ],
        "levels": records_of(frame.iloc[1:]),
        "model": {"fingerprint": fingerprint(answers), "answers": answers.tolist()},
        "proof": search.certificate.to_dict(),
    }


@dataclass(frozen=True)
class Checked:
    """A certificate that holds: its claim, the boxes looked at, and the states taken on trust."""

    target: str
    bound: float
    none: bool
    n_boxes: int
    n_rejected: int

    def __str__(self) -> str:
        what = f"no combination of the levels listed reaches {self.target}"
        below = "" if self.none else f" with effort below {self.bound:.6g}"
        n = self.n_rejected
        but = f", but for {n:,} that are listed as inadmissible (not checked)" if n else ""
        return f"The certificate holds: {what}{below}{but}. Boxes checked: {self.n_boxes:,}."


def check_document(text: str, model: Any) -> Checked:
    """Follow a certificate with the model alone; an error says why it does not hold.

    Raises
    ------
    DamagedFile
        If the text is no certificate.
    InvalidModel
        If the model cannot be read, or is not the one of the certificate.
    Unproven
        If the certificate does not prove what it says.
    """
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise DamagedFile(f"This is no certificate of a proof; its schema is not {SCHEMA!r}.")
        return _checked(document, model)
    except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError) as fault:
        if isinstance(fault, DamagedFile | InvalidModel | Unproven):
            raise
        raise DamagedFile(f"The certificate is damaged: {fault!r}.") from None


def _checked(document: dict[str, Any], model: Any) -> Checked:
    claim, ladders = document["claim"], document["ladders"]
    table: Any = frame_of([document["case"], *document["levels"]], document["columns"])
    if document["container"] == "array":
        table = table.to_numpy()
    reading = read(model, table)
    known = np.array(document["model"]["answers"], dtype=np.float64)
    answers = _answers(reading, table)
    if known.shape != answers.shape or not (np.abs(known - answers) <= SAME).all():
        raise InvalidModel("The model answers differently from the one that the proof is about.")
    inputs = reading.inputs(table)
    costs = [np.array(each["costs"], dtype=np.float64) for each in ladders]
    parts = slices(map(len, costs))
    levels = [Levels(inputs[1:][part], cost) for part, cost in zip(parts, costs, strict=True)]
    certificate, bound = ProofCertificate.from_dict(document["proof"]), float(claim["bound"])
    if claim["none"] and not bound > sum(float(each.max()) for each in costs):
        raise Unproven("There may be dearer successes than the bound.")
    if not certificate.bound >= bound:
        raise Unproven(f"The proof reaches {certificate.bound:g} only; {bound:g} is claimed.")
    score = reading.towards([int(each) for each in claim["columns"]], float(claim["threshold"]))
    n_boxes = check(certificate, score, inputs[0], levels)
    target = " or ".join(map(str, claim["target"]))
    rejected = len(certificate.rejected)
    return Checked(target, bound, bool(claim["none"]), n_boxes, rejected)


def _answers(reading: Reading | None, table: Any) -> Floats:
    """What the model says of rows, by what was read of it."""
    if reading is None:
        return np.empty((0, 0))
    return reading.probabilities(reading.inputs(table))
