"""How good a model is on rows it has not seen; one that answers alike for all is an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from facelift._arrays import Floats
from facelift.errors import InvalidModel


@dataclass(frozen=True)
class Quality:
    """Share of the tested rows it gets right, and the area under its curve of true and false hits.

    With more than two classes the area is the mean over classes, each against the others.
    """

    n_tested: int
    accuracy: float
    auc: float

    def __str__(self) -> str:
        return f"accuracy {self.accuracy:.1%}, AUC {self.auc:.3f} on {self.n_tested:,} rows"


def quality_of(model: Any, rows: Any, labels: Any, name: str) -> Quality:
    """Quality of a model on rows it was not trained on.

    >>> class Certain:
    ...     classes_ = np.array(["bad", "good"])
    ...     def predict_proba(self, rows):
    ...         return np.column_stack([rows[:, 0] < 0, rows[:, 0] >= 0]) * 1.0
    >>> rows = np.array([[-1.0], [-2.0], [1.0], [3.0]])
    >>> str(quality_of(Certain(), rows, ["bad", "bad", "good", "bad"], "a test"))
    'accuracy 75.0%, AUC 0.833 on 4 rows'
    """
    answers, known = model.predict_proba(rows), np.asarray(model.classes_)
    given = np.asarray(labels).astype(known.dtype)
    chosen = known[answers.argmax(axis=1)]
    if len(np.unique(chosen)) == 1:
        raise InvalidModel(
            f"The model of {name} says {str(chosen[0])!r} of all {len(chosen)} tested rows: it has "
            "learnt nothing, and there is nothing to explain; train it longer or with another seed."
        )
    accuracy = float((chosen == given).mean())
    return Quality(len(chosen), accuracy, area_under_curve(answers, given, known))


def area_under_curve(answers: Floats, labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> float:
    """Area under the curve of true and false hits, the mean over classes if there are many."""
    from sklearn.metrics import roc_auc_score

    hits = np.asarray(labels).astype(classes.dtype)[:, np.newaxis] == classes
    if len(classes) == 2:
        return float(roc_auc_score(hits[:, 1], answers[:, 1]))
    return float(roc_auc_score(hits, answers, average="macro"))
