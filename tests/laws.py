"""How much laws are tried: the profiles of hypothesis, and numbers that grow with them.

A law says how many examples of it suffice in CI. Plain `pytest` tries a tenth of them,
`pytest -m laws` all, and the profile `deep` twenty times as many.
"""

from __future__ import annotations

from hypothesis import settings

EXAMPLES, STEPS = 100, 50
"""Examples of a law that says nothing, and steps of a walk, in CI: as hypothesis has them."""

SHORTER = 10
"""How many times fewer examples plain `pytest` tries."""

DEEPER = 20
"""How many times more examples are tried in depth: about an hour on two cores."""


def register_profiles() -> None:
    """`short` and `ci`: the same examples each time. `deep`: more and other ones."""
    settings.register_profile(
        "ci", deadline=None, derandomize=True, max_examples=EXAMPLES, stateful_step_count=STEPS
    )
    settings.register_profile(
        "short",
        settings.get_profile("ci"),
        max_examples=EXAMPLES // SHORTER,
        stateful_step_count=STEPS // 2,
    )
    settings.register_profile(
        "deep",
        settings.get_profile("ci"),
        derandomize=False,
        print_blob=True,
        max_examples=EXAMPLES * DEEPER,
        stateful_step_count=STEPS * 2,
    )


def examples(n: int) -> int:
    """How many examples to try under the profile of now, where CI tries `n`."""
    return max(1, n * settings().max_examples // EXAMPLES)


def steps(n: int) -> int:
    """How many steps a walk has under the profile of now, where CI takes `n`."""
    return max(1, n * settings().stateful_step_count // STEPS)
