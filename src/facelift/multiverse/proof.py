"""How sure it is that the first journey is the cheapest there can be; in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from facelift.geometry import TOLERANCE
from facelift.language import Sentence, count, fixed, say

Kind = Literal["cheapest", "within", "nothing below", "not proven"]
Among = Literal["all", "records"] | int
"""Which ways were looked at: all, chains of similar records, or those of up to so many steps."""

NOT_PROVEN = say("It is not proven that no way takes less effort.")


@dataclass(frozen=True)
class Proof:
    """What is proven of a multiverse (SPEC 13).

    No way at all costs less than `bound`. Kinds: "cheapest", the first journey costs no more than
    that; "within", it costs the share `gap` more at most; "nothing below", no journey was found,
    and none cheaper than the bound exists (infinite: none at all); "not proven". `all_destinations`
    says whether the same holds of the whole list: no destination that is not on it is cheaper than
    the last one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = LogisticRegression().fit(line, line[:, 0] > 4)
    >>> print(FACElift(model, steps="actions").fit(line).explain([2.0]).proof)
    No way with less effort exists.
    """

    kind: Kind = "not proven"
    bound: float = 0.0
    gap: float | None = None
    all_destinations: bool = False
    sentence: str = NOT_PROVEN
    certify: Callable[[], dict[str, Any] | None] | None = field(
        default=None, repr=False, compare=False
    )

    @cached_property
    def certificate(self) -> dict[str, Any] | None:
        """What others can check the proof by; None where there is nothing of the kind."""
        return None if self.certify is None else self.certify()

    @property
    def is_none(self) -> bool:
        """Whether no way at all exists."""
        return math.isinf(self.bound)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; an infinite bound, where there is no way at all, is None."""
        return {
            "kind": self.kind,
            "bound": None if self.is_none else self.bound,
            "gap": self.gap,
            "all_destinations": self.all_destinations,
            "sentence": self.sentence,
        }

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not the way to prove it again."""
        return self.to_dict() | {"bound": self.bound, "certify": None}

    def __str__(self) -> str:
        return self.sentence


NOTHING_PROVEN = Proof()


def proof_of(
    costs: list[float], bound: float, *, all_below: float = 0.0, among: Among = "all", why: str = ""
) -> Proof:
    """What a bound says of journeys of some costs, cheapest first.

    No way costs less than `bound`, and all ways that cost less than `all_below` are known. `among`
    says which ways were looked at; `why` what kept the bound low.

    >>> print(proof_of([1.3], 1.25))
    At most 4% more effort than any way there can be.
    >>> print(proof_of([], 0.8, why="this model cannot be read"))
    Nothing below effort 0.80 exists; more is not proven: this model cannot be read.
    """
    if not costs:
        return _of_none(bound, among, why)
    first, last = costs[0], costs[-1]
    every = len(costs) == 1 or bool(last * (1 - TOLERANCE) <= all_below)
    if first * (1 - TOLERANCE) <= bound:
        return Proof("cheapest", first, 0.0, every, _none_cheaper(among))
    if bound <= 0:
        return _nothing(why)
    gap = first / bound - 1
    return Proof("within", bound, gap, False, _at_most_dearer(bound, gap, why))


def _none_cheaper(among: Among) -> str:
    if among == "all":
        return say("No way with less effort exists.")
    if among == "records":
        return say("No chain of similar records takes less effort.")
    return count(
        "No way of at most {n} step with less effort exists.",
        "No way of at most {n} steps with less effort exists.",
        among,
    )


def _at_most_dearer(bound: float, gap: float, why: str) -> str:
    known = {"gap": _percent(gap), "effort": _down(bound), "why": why}
    if gap > 1:
        if why:
            return say(
                "No way with effort below {effort} exists; more is not proven: {why}.", **known
            )
        return say("No way with effort below {effort} exists.", **known)
    if why:
        return say(
            "At most {gap} more effort than any way there can be; more is not proven: {why}.",
            **known,
        )
    return say("At most {gap} more effort than any way there can be.", **known)


def _of_none(bound: float, among: Among, why: str) -> Proof:
    if math.isinf(bound):
        return Proof("nothing below", bound, None, True, _none_at_all(among))
    if bound <= 0:
        return _nothing(why)
    effort = _down(bound)
    sentence = say("Nothing below effort {effort} exists.", effort=effort)
    if why:
        sentence = say(
            "Nothing below effort {effort} exists; more is not proven: {why}.",
            effort=effort,
            why=why,
        )
    return Proof("nothing below", bound, None, False, sentence)


def _none_at_all(among: Among) -> str:
    if among == "all":
        return say("No way exists under these rules.")
    if among == "records":
        return say("No chain of similar records leads there under these rules.")
    return count(
        "No way of at most {n} step exists under these rules.",
        "No way of at most {n} steps exists under these rules.",
        among,
    )


def _nothing(why: str) -> Proof:
    """Nothing is known of what cheaper ways there may be."""
    return Proof(sentence=say("Not proven: {why}.", why=why)) if why else Proof()


def _percent(share: float) -> str:
    """A share in whole percent, rounded up: what is claimed must hold.

    >>> _percent(0.0301), _percent(0.0001)
    ('4%', '1%')
    """
    return Sentence("percent", (str(math.ceil(100 * share * (1 - TOLERANCE))),), {})


def _down(effort: float) -> str:
    """An effort in two decimals, or two digits if that is more; rounded down.

    >>> _down(0.809), _down(0.00123)
    ('0.80', '0.0012')
    """
    decimals = max(2, 1 - math.floor(math.log10(effort)))
    return fixed(math.floor(10**decimals * effort) / 10**decimals, decimals)
