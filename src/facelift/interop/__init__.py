"""Other packages: results of DiCE and alibi as multiverses, by their shape; work on Dask.

Neither DiCE nor alibi is needed. What their results share is here: tables as the explainer knows
them, and what to say where nothing was found.
"""

from __future__ import annotations

import pandas as pd

from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot
from facelift.terrain.kinds import kind_of


def like_the_table(frame: pd.DataFrame, explainer: FACElift) -> pd.DataFrame:
    """The columns of the fitted table, as numbers and levels; DiCE may have made text of them."""
    schema = explainer.terrain_.schema
    missing = [name for name in schema.names if name not in frame]
    if missing:
        raise InvalidInput(
            f"DiCE's table lacks the column {missing[0]!r}; fit the explainer on the same columns."
        )
    features = explainer.terrain_.features
    columns = {each.name: kind_of(each).parsed(each, frame[each.name]) for each in features}
    return pd.DataFrame(columns, index=frame.index)


def found_none(who: str) -> Multiverse:
    """An empty multiverse that says who found nothing."""
    message = f"{who} found no counterfactual for this case."
    hint = "Let FACElift.explain look for journeys of its own."
    return Multiverse((), (), why_not=WhyNot("no candidate", message, hint, n_candidates=0))
