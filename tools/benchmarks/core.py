"""What importing costs, and a graph of 10,000 × 784 points.

    python -m tools.benchmarks.core

Images are MNIST's first thousand of each digit where FACELIFT_DATA names a folder that has them,
else clustered and sparse ones made here. Pixels may be removed at 1.1 times the price of adding.
"""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import facelift as fl


def main() -> None:
    ours, theirs = (
        import_seconds("import facelift"),
        import_seconds("import numpy, scipy.sparse, pandas"),
    )
    print(f"import facelift ÷ import numpy, scipy.sparse, pandas   {ours / theirs:.2f}")
    images, labels = digits()
    before = peak_megabytes()
    terrain = fl.Terrain.infer(images)
    for feature in terrain.features:
        terrain = terrain.price(feature.name, decrease=1.1)
    known = {row.tobytes(): label for row, label in zip(images, labels, strict=True)}
    explainer = fl.FACElift(Memory(known), terrain)
    seconds, _ = timed(lambda: explainer.fit(images))
    print(f"fit, {len(images):,} × {images.shape[1]} points, CPU       {seconds:.1f} s")
    print(f"  peak memory above the data                {peak_megabytes() - before:.0f} MB")
    print(f"  one array of n × n floats would take      {len(images) ** 2 * 8 / 1e6:.0f} MB")
    ones = images[labels == 1][:20]
    times = [timed(lambda one=one: explainer.explain(one, 9))[0] for one in ones]
    print(f"explain, c = 10, median CPU                 {np.median(times) * 1e3:.0f} ms")


class Memory:
    """A model that knows the label of every image it has seen."""

    def __init__(self, labels: dict[bytes, int]) -> None:
        self.labels = labels

    def __call__(self, images: Any) -> Any:
        rows = np.ascontiguousarray(images)
        return np.eye(10)[[self.labels[row.tobytes()] for row in rows]] * 0.9 + 0.01


def digits() -> tuple[Any, Any]:
    folder = Path(os.environ.get("FACELIFT_DATA", "")) / "mnist"
    if not (folder / "train-images-idx3-ubyte.gz").exists():
        return made_up_digits()
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)
    rows = np.concatenate([np.flatnonzero(labels == digit)[:1000] for digit in range(10)])
    return images[rows] / 255.0, labels[rows].astype(np.int64)


def made_up_digits() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(10), 1000)
    prototypes = np.where(rng.random((50, 784)) < 0.2, rng.random((50, 784)), 0.0)
    images = prototypes[labels * 5 + rng.integers(0, 5, len(labels))]
    return np.clip(images + (images > 0) * rng.normal(scale=0.1, size=images.shape), 0, 1), labels


def import_seconds(statement: str) -> float:
    command = [sys.executable, "-c", statement]
    return min(
        timed(lambda: subprocess.run(command, check=True), time.perf_counter)[0] for _ in range(5)
    )


def timed(work: Any, clock: Any = time.process_time) -> tuple[float, Any]:
    start = clock()
    result = work()
    return clock() - start, result


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
