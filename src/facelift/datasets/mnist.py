"""MNIST: handwritten digits."""

from __future__ import annotations

import gzip
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from facelift.datasets.fetching import Source, obtained
from facelift.datasets.images import Subset, image_bunch, joined, wanted
from facelift.errors import InvalidInput

_MIRRORS = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
)
_SHA256 = {
    "train-images": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}
_SPLITS = {"train": "train", "test": "t10k"}

_DESCRIPTION = """\
MNIST: 70000 handwritten digits (60000 to learn from, 10000 to test with) as 28 by 28 pixels, each
from 0 (paper) to 1 (ink), and the digit that was meant. facelift divides the source's 0 to 255 by
255.

Source: Yann LeCun, Corinna Cortes and Christopher Burges (1998), The MNIST Database of Handwritten
Digits. Licence: CC BY-SA 3.0.
"""


def load_mnist(
    data_home: str | PathLike[str] | None = None,
    *,
    subset: Subset = "all",
    n_per_class: int | None = None,
    as_frame: bool = False,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """Handwritten digits, with ink from 0 to 1.

    Parameters
    ----------
    data_home
        Folder with the four files of MNIST in `mnist/`; else `FACELIFT_DATA` and the cache are
        looked in, and what is missing is fetched.
    subset
        "train" (60000), "test" (10000), or "all", train first.
    n_per_class
        Only the first so many images of each digit, in the order of the files; all if None.
    as_frame
        Whether `data` is a frame with columns named pixel_row_column, and `target` a series.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.
    download_if_missing
        Whether to fetch what is missing; else it is an error that says what to put where.

    Returns
    -------
    Bunch
        `data` (n, 784), `images` (n, 28, 28), `target` (the digit, int64), `split` ("train" or
        "test" for each image), `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> mnist = load_mnist(subset="train", n_per_class=1000)  # doctest: +SKIP
    >>> mnist.data.shape  # doctest: +SKIP
    (10000, 784)
    """
    parts = {
        name: [
            _read_idx(
                obtained(mnist_source(f"{stem}-{kind}"), data_home, download=download_if_missing)
            )
            for kind in ("images", "labels")
        ]
        for name, stem in _SPLITS.items()
        if name in wanted(subset, tuple(_SPLITS))
    }
    pixels, labels, split = joined(parts)
    kept = _first_of_each(labels, n_per_class)
    return image_bunch(
        pixels[kept],
        labels[kept].astype(np.int64),
        split[kept],
        description=_DESCRIPTION,
        target_name="digit",
        as_frame=as_frame,
        return_X_y=return_X_y,
    )


def mnist_source(name: str) -> Source:
    """One of the four files of MNIST, such as "train-images"."""
    file = f"{name}-idx{3 if name.endswith('images') else 1}-ubyte.gz"
    urls = tuple(mirror + file for mirror in _MIRRORS)
    return Source(f"mnist/{file}", _SHA256[name], urls)


def _read_idx(path: Path) -> npt.NDArray[np.uint8]:
    """An array of bytes in the format of MNIST: a magic number, the shape, then the values."""
    with gzip.open(path) as file:
        content = file.read()
    n_axes = content[3]
    shape = np.frombuffer(content, ">i4", n_axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes).reshape(shape)


def _first_of_each(labels: npt.NDArray[Any], n_per_class: int | None) -> Any:
    """Places of the first images of each class, in order."""
    if n_per_class is None:
        return slice(None)
    if n_per_class < 1:
        raise InvalidInput(f"n_per_class must be 1 or more, got {n_per_class}.")
    places = [np.flatnonzero(labels == label)[:n_per_class] for label in np.unique(labels)]
    return np.sort(np.concatenate(places))
