"""Images as data sets: pixels from 0 to 1, labels, and the publisher's splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils import Bunch

from facelift._arrays import Floats
from facelift.errors import InvalidInput

if TYPE_CHECKING:
    from facelift.terrain import Terrain

Subset = Literal["all", "train", "val", "test"]

SIDE = 28
"""Pixels per side of all images here."""


def pixel_rules(terrain: Terrain) -> Terrain:
    """Terrain on which every pixel has the same scale, 0 to 1, so that cost is image distance.

    An inferred terrain stretches each column to the range seen in it; a pixel in the corner, never
    darker than a tenth, would weigh ten times as much as one in the middle.

    >>> from facelift.terrain import Terrain
    >>> images = np.array([[0.0, 0.0], [0.1, 1.0]])
    >>> terrain = pixel_rules(Terrain.infer(images))
    >>> np.asarray(terrain.encode(images)).tolist()
    [[0.0, 0.0], [0.1, 1.0]]
    """
    pixels = tuple(replace(feature, low=0.0, high=1.0) for feature in terrain.features)
    return replace(terrain, features=pixels)


def wanted(subset: Subset, known: tuple[str, ...]) -> tuple[str, ...]:
    """The splits that a subset stands for."""
    if subset == "all":
        return known
    if subset not in known:
        names = ", ".join(map(repr, ("all", *known)))
        raise InvalidInput(f"subset must be one of {names}, got {subset!r}.")
    return (subset,)


def joined(parts: Mapping[str, list[Any]]) -> tuple[Any, Any, Any]:
    """Images, labels and the split of each, from those of every split."""
    images, labels = (np.concatenate(each) for each in zip(*parts.values(), strict=True))
    return images, labels, np.repeat(list(parts), [len(part[1]) for part in parts.values()])


def image_bunch(
    pixels: npt.NDArray[np.uint8],
    target: npt.NDArray[Any],
    split: npt.NDArray[Any],
    *,
    description: str,
    target_name: str,
    as_frame: bool,
    return_X_y: bool,
) -> Any:
    """All that scikit-learn's own loaders give, from bytes of pixels and their labels."""
    images: Floats = pixels / 255.0
    names = [f"pixel_{row}_{column}" for row in range(SIDE) for column in range(SIDE)]
    data: Any = images.reshape(len(images), -1)
    labels: Any = target
    if as_frame:
        data, labels = pd.DataFrame(data, columns=names), pd.Series(target, name=target_name)
    if return_X_y:
        return data, labels
    return Bunch(
        data=data,
        target=labels,
        images=images,
        split=split,
        feature_names=names,
        target_names=sorted(set(target.tolist())),
        DESCR=description,
    )
