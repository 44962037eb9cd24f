"""Views: a value in, an artefact out; they never compute, show or save.

`text` for a terminal, `table` as frames, `plot` with matplotlib, `letter` for the person; each
loads when first used.
`explore` and `widget` are exceptions to the rule: they open the navigator, and live with it in
`facelift.web`.
"""

import json
from importlib import import_module
from typing import Any

from facelift.errors import InvalidInput
from facelift.multiverse.multiverse import Multiverse
from facelift.views import text

__all__ = ["certificate", "explore", "letter", "plot", "table", "text", "widget"]


def certificate(multiverse: Multiverse) -> str:
    """What proves that no way takes less effort than the multiverse says; the search is repeated.

    `facelift check FILE --model M` follows it without the search that made it.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = LogisticRegression().fit(line, line[:, 0] > 4)
    >>> multiverse = FACElift(model, steps="actions").fit(line).explain([2.0])
    >>> json.loads(certificate(multiverse))["schema"]
    'facelift/proof/1'
    """
    document = multiverse.proof.certificate
    if document is None:
        raise InvalidInput(
            "There is no certificate of this result: it takes a model that can be read, a class "
            f"that is wanted, and nothing that ages on the way. {multiverse.proof}"
        )
    return json.dumps(document, sort_keys=True, ensure_ascii=False, allow_nan=False)


def __getattr__(name: str) -> Any:
    if name in ("explore", "widget"):  # built on views, so only looked up when asked for
        return getattr(import_module("facelift.web"), name)
    if name == "letter":
        return import_module("facelift.views.letters").letter
    if name in ("plot", "table"):
        return import_module(f"facelift.views.{name}")
    raise AttributeError(f"module 'facelift.views' has no attribute {name!r}")
