"""How far a search for destinations went, and why it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Survey:
    """How many states were judged, in how many calls of the model, and what ended the search.

    "enough": the destinations asked for were found and are certain; "exhausted": there are no
    more states within the rules; "budget": the largest number of states was reached, so cheaper
    destinations may exist, or ones shown as closed be open.

    Examples
    --------
    >>> import numpy as np
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([10 - x, x]) / 10
    >>> FACElift(model, steps="actions").fit(line).explain([2.0]).survey
    Survey(n_states=4, n_calls=2, stopped='exhausted')
    """

    n_states: int
    n_calls: int
    stopped: Literal["enough", "exhausted", "budget"]
