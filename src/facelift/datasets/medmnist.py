"""MedMNIST: scans of breasts and chests, as small as digits."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from facelift.datasets.fetching import Source, obtained
from facelift.datasets.images import Subset, image_bunch, joined, wanted

_ARCHIVE = "https://zenodo.org/records/10519652/files/"
BREAST = Source(
    "medmnist/breastmnist.npz",
    "3a22d2a4625e7dd8903f0f59030e81a3d0c222bece2e5e10927456cb50efdec1",
    (f"{_ARCHIVE}breastmnist.npz?download=1",),
)
PNEUMONIA = Source(
    "medmnist/pneumoniamnist.npz",
    "e1792d3f03751cb101e99f19a63b3c1941436c988665f47853417b05be250cd8",
    (f"{_ARCHIVE}pneumoniamnist.npz?download=1",),
)

_SOURCE = """
Source: Jiancheng Yang and others (2023), MedMNIST v2, Scientific Data 10:41,
https://doi.org/10.5281/zenodo.10519652. Licence: CC BY 4.0. Not for clinical use.
"""

_BREAST_DESCRIPTION = f"""\
BreastMNIST: 780 ultrasound images of breasts (546 to learn from, 78 to choose by, 156 to test with)
as 28 by 28 pixels from 0 to 1, and what was found: malignant (code 0) or normal, benign (code 1).
{_SOURCE}"""

_PNEUMONIA_DESCRIPTION = f"""\
PneumoniaMNIST: 5856 X-ray images of children's chests (4708 to learn from, 524 to choose by, 624 to
test with) as 28 by 28 pixels from 0 to 1, and what was found: normal (code 0) or pneumonia (code
1).
{_SOURCE}"""

_BREAST_CODES = {0: "malignant", 1: "normal, benign"}
_PNEUMONIA_CODES = {0: "normal", 1: "pneumonia"}


def load_breastmnist(
    data_home: str | PathLike[str] | None = None,
    *,
    subset: Subset = "all",
    as_frame: bool = False,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """Ultrasound images of breasts: "malignant" or "normal, benign".

    Parameters
    ----------
    data_home
        Folder with `medmnist/breastmnist.npz`; else `FACELIFT_DATA` and the cache are looked in,
        and what is missing is fetched.
    subset
        "train" (546), "val" (78), "test" (156), or "all" in this order.
    as_frame
        Whether `data` is a frame with columns named pixel_row_column, and `target` a series.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.
    download_if_missing
        Whether to fetch what is missing; else it is an error that says what to put where.

    Returns
    -------
    Bunch
        `data` (n, 784) from 0 to 1, `images` (n, 28, 28), `target` (words, since the source's
        codes are easily swapped), `split`, `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> breast = load_breastmnist()  # doctest: +SKIP
    >>> breast.data.shape  # doctest: +SKIP
    (780, 784)
    """
    path = obtained(BREAST, data_home, download=download_if_missing)
    return _medmnist(path, _BREAST_CODES, _BREAST_DESCRIPTION, subset, as_frame, return_X_y)


def load_pneumoniamnist(
    data_home: str | PathLike[str] | None = None,
    *,
    subset: Subset = "all",
    as_frame: bool = False,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """X-ray images of chests: "normal" or "pneumonia".

    Parameters
    ----------
    data_home
        Folder with `medmnist/pneumoniamnist.npz`; else `FACELIFT_DATA` and the cache are looked
        in, and what is missing is fetched.
    subset
        "train" (4708), "val" (524), "test" (624), or "all" in this order.
    as_frame
        Whether `data` is a frame with columns named pixel_row_column, and `target` a series.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.
    download_if_missing
        Whether to fetch what is missing; else it is an error that says what to put where.

    Returns
    -------
    Bunch
        `data` (n, 784) from 0 to 1, `images` (n, 28, 28), `target` (words, since the source's
        codes are easily swapped), `split`, `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> pneumonia = load_pneumoniamnist()  # doctest: +SKIP
    >>> pneumonia.data.shape  # doctest: +SKIP
    (5856, 784)
    """
    path = obtained(PNEUMONIA, data_home, download=download_if_missing)
    return _medmnist(path, _PNEUMONIA_CODES, _PNEUMONIA_DESCRIPTION, subset, as_frame, return_X_y)


def _medmnist(
    path: Path,
    codes: Mapping[int, str],
    description: str,
    subset: Subset,
    as_frame: bool,
    return_X_y: bool,
) -> Any:
    with np.load(path, allow_pickle=False) as file:
        parts = {
            name: [file[f"{name}_images"], file[f"{name}_labels"][:, 0]]
            for name in wanted(subset, ("train", "val", "test"))
        }
    pixels, labels, split = joined(parts)
    words = np.array([codes[code] for code in labels.tolist()], dtype=object)
    return image_bunch(
        pixels,
        words,
        split,
        description=description,
        target_name="finding",
        as_frame=as_frame,
        return_X_y=return_X_y,
    )
