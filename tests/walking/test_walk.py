"""Names of destinations: letters for good, colours while they are on the map."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from facelift.walking.walk import N_COLOURS, Name, renamed


@given(st.lists(st.sets(st.sampled_from("abcdefghijkl"), max_size=N_COLOURS), max_size=6))
def test_names_stay_and_colours_on_the_map_differ(plans):
    names: tuple[Name, ...] = ()
    for shown in plans:
        before = {name.key: name for name in names}
        names = renamed(names, sorted(shown))
        now = {name.key: name for name in names}
        assert len({name.letter for name in names}) == len(names)
        assert all(now[key].letter == name.letter for key, name in before.items())
        colours = [now[key].colour for key in shown]
        assert None not in colours
        assert len(set(colours)) == len(colours)
        assert all(name.colour is None for name in names if name.key not in shown)
        for key in shown & set(before):
            if before[key].colour is not None:
                assert now[key].colour == before[key].colour
