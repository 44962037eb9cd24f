"""The certificate of a proof as one JSON document, for whoever wants to check it."""

from __future__ import annotations

import json

from facelift.errors import InvalidInput
from facelift.multiverse.multiverse import Multiverse


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
        raise InvalidInput(f"There is no certificate of this result. {multiverse.proof}")
    return json.dumps(document, sort_keys=True, ensure_ascii=False, allow_nan=False)
