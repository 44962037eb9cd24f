"""Guiding a person through their ways: limits, moves, and a new plan after each of them.

Everything the navigator computes happens here; it knows no page and no request. A `Walk` is all
there is to know about where somebody stands and what they ruled out; `Guide.plan` says what is open
from there. Both are values, so undo, sharing and several walks at once are free.
"""
