"""What a page carries: a decoder finds the ink of pictures; scripts are whole, looks are there."""

from __future__ import annotations

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from facelift import toys
from facelift.errors import InvalidInput
from facelift.views.inline import (
    ADDED,
    REMOVED,
    bundled,
    difference,
    ink,
    picture_of,
    step_pictures,
)
from facelift.walking.guide import Guide


def pixels(address):
    """Colours from 0 to 255 of a data address; shape (height, width, 3)."""
    kind, _, content = address.partition(",")
    assert kind == "data:image/png;base64"
    return np.rint(255 * imread(BytesIO(b64decode(content)), format="png"))[:, :, :3]


def test_ink_is_dark_on_white_and_stays_within_both():
    grey = pixels(ink(np.array([[0.0, 0.4, 1.0], [-1.0, 2.0, 0.0]])))[:, :, 0]
    assert grey.tolist() == [[255, 153, 0], [255, 0, 255]]


def test_ink_that_comes_and_goes_has_colours_of_its_own():
    drawn = pixels(difference(np.array([[0.0, 1.0, 1.0]]), np.array([[1.0, 0.0, 1.0]])))
    assert drawn.tolist() == [[list(ADDED), list(REMOVED), [255, 255, 255]]]


def test_points_that_are_no_pictures_have_none():
    guide = Guide(toys.loan().multiverse())
    assert step_pictures(guide, np.zeros(2), np.ones(2)) == ("", "")
    with pytest.raises(InvalidInput, match="no pictures"):
        picture_of(guide, np.zeros(2))


@pytest.mark.parametrize("entry", ["navigator/notebook.js", "report.js"])
def test_joined_modules_need_nothing_and_keep_names_apart(entry):
    text = bundled(entry)
    assert not re.findall(r"^import ", text, flags=re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:const|let|class|function) (\w+)", text, flags=re.MULTILINE)
    assert "Navigator" in names
    assert len(set(names)) == len(names)


def test_only_the_default_export_remains():
    exports = re.findall(r"^export .*", bundled("navigator/notebook.js"), flags=re.MULTILINE)
    assert exports == ["export default { render };"]
    assert "\nexport " not in bundled("report.js")
