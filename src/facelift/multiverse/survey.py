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
    """

    n_states: int
    n_calls: int
    stopped: Literal["enough", "exhausted", "budget"]
