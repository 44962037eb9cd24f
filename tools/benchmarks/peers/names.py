"""Methods and tables that are compared, in the order in which they are shown."""

from __future__ import annotations

OURS = "facelift actions"
PEERS = {
    OURS: "facelift",
    "facelift rows": "facelift",
    "treecf": "treecf",
    "NICE": "NICEx",
    "DiCE random": "dice-ml",
    "DiCE genetic": "dice-ml",
    "DiCE k-d tree": "dice-ml",
    "CFNOW": "cfnow",
    "alibi": "alibi",
    "CARLA": "carla",
}
"""Methods, and the package that each is in."""

SLOW_TO_INSTALL = ("alibi", "CARLA")
NAMES = {
    "german": "German Credit",
    "adult": "Adult",
    "default": "Default",
    "heloc-dropped": "HELOC",
}
"""Tables, by their names in the benchmark of actions."""
