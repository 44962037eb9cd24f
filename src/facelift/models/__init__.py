"""Models: asking any of them, small ones to start with, and models from files."""

from facelift.models.asking import (
    TorchModel,
    answers,
    check_no_labels,
    check_same,
    class_labels,
    committee,
    is_regressor,
    probabilities,
    small_classifier,
    small_regressor,
)
from facelift.models.oracle import Committee, Memory, Oracle

__all__ = [
    "Committee",
    "Memory",
    "Oracle",
    "TorchModel",
    "answers",
    "check_no_labels",
    "check_same",
    "class_labels",
    "committee",
    "is_regressor",
    "probabilities",
    "small_classifier",
    "small_regressor",
]
