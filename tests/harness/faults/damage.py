"""Damage to the files of a saved explainer, bit by bit and cut by cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from facelift import FACElift
from facelift.errors import InvalidFolder
from facelift.storage import read


def small_explainer() -> FACElift:
    i = np.arange(21)

    def model(rows: np.ndarray) -> np.ndarray:
        chance = np.clip(rows[:, 0] / 20, 0, 1)
        return np.column_stack([1 - chance, chance])

    return FACElift(model, n_neighbors=4).fit(np.column_stack([i * 1.0, np.sqrt(i), i % 3]))


def flipped(folder: Path) -> Iterator[bool]:
    """Whether the folder is refused with one bit flipped, for one bit of every byte."""
    for path in _files(folder):
        with path.open("r+b", buffering=0) as file:
            for i in range(path.stat().st_size):
                byte = os.pread(file.fileno(), 1, i)[0]
                os.pwrite(file.fileno(), bytes([byte ^ 1 << (i % 8)]), i)
                yield _refused(folder)
                os.pwrite(file.fileno(), bytes([byte]), i)


def cut_short(folder: Path) -> Iterator[bool]:
    """Whether the folder is refused with one file cut short, at many places."""
    for path in _files(folder):
        whole = path.read_bytes()
        for kept in range(0, len(whole), 37):
            path.write_bytes(whole[:kept])
            yield _refused(folder)
        path.write_bytes(whole)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _refused(folder: Path) -> bool:
    try:
        read(folder)
    except InvalidFolder as fault:
        return "\n" not in str(fault)
    return False
