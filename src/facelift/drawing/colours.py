"""The colours of ways, computed so that people who see fewer colours can tell them apart too."""

from __future__ import annotations

COLOURS = ("#0126a3", "#c21b0d", "#1a726a", "#9b980b", "#5978fd", "#d96cb4", "#690f51")
"""Seven colours of lines on white; more cannot be told apart."""

ON_COLOURS = ("#fff", "#fff", "#fff", "#111", "#111", "#111", "#fff")
"""What is readable on each of them."""

INK, QUIET, EDGE, PAPER, WARNING = "#14171c", "#4f5763", "#d8dee6", "#fff", "#a3081f"
"""What is said, what is said beside it, thin lines, the ground, points of no return."""
