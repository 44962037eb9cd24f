"""Tables and images that scikit-learn ships, in facelift's manner."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn import datasets as sklearn_datasets

from facelift.datasets.bunches import bunch

_DIGITS_DESCRIPTION = """\
Digits: 1797 handwritten digits as 8 by 8 pixels, each from 0 (paper) to 1 (ink), and the digit
that was meant. facelift divides the source's 0 to 16 by 16.

Source: E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits (its test set),
UCI Machine Learning Repository, https://doi.org/10.24432/C50P49, as scikit-learn ships it.
Licence: CC BY 4.0.
"""

_BREAST_CANCER_DESCRIPTION = """\
Breast cancer: 569 tumours, 30 measurements of the cell nuclei in each, and whether it was
malignant (212) or benign (357). Names and values are scikit-learn's; labels are words.

Source: W. Wolberg, O. Mangasarian, N. Street and W. Street (1993), Breast Cancer Wisconsin
(Diagnostic), UCI Machine Learning Repository, https://doi.org/10.24432/C5DW2B, as scikit-learn
ships it. Licence: CC BY 4.0.
"""


def load_digits(*, return_X_y: bool = False) -> Any:
    """Handwritten digits as small images, with ink from 0 to 1.

    Parameters
    ----------
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` has 1797 rows and 64 columns named pixel_row_column, counted from 0; `images` has
        the same ink in shape (1797, 8, 8). `target` is the digit, int64; `frame` has data and
        target. Then `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> digits = load_digits()
    >>> digits.images.shape
    (1797, 8, 8)
    >>> digits.data.loc[0, "pixel_0_2"]
    np.float64(0.3125)
    >>> digits.target[0]
    np.int64(0)
    """
    source = sklearn_datasets.load_digits()
    features = pd.DataFrame(source.data / 16, columns=source.feature_names)
    target = pd.Series(source.target, name="digit", dtype="int64")
    return bunch(features, target, _DIGITS_DESCRIPTION, return_X_y, images=source.images / 16)


def load_breast_cancer(*, return_X_y: bool = False) -> Any:
    """Measurements of tumours, and whether each was malignant or benign.

    Parameters
    ----------
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` has 569 rows and 30 columns of floats, named as in scikit-learn. `target` says
        "malignant" or "benign" and is named diagnosis; `frame` has both. Then `feature_names`,
        `target_names` (sorted, like a classifier's `classes_`) and `DESCR`.

    Examples
    --------
    >>> cancer = load_breast_cancer()
    >>> cancer.data.shape
    (569, 30)
    >>> cancer.target[0]
    'malignant'
    """
    source = sklearn_datasets.load_breast_cancer(as_frame=True)
    labels = dict(enumerate(source.target_names.tolist()))
    target = source.target.map(labels).rename("diagnosis")
    return bunch(source.data, target, _BREAST_CANCER_DESCRIPTION, return_X_y)
