"""The page's modules as one; the browser tests of the widget and the report show that it mounts."""

from __future__ import annotations

import re

import pytest

from facelift.views.script import joined


@pytest.mark.parametrize("entry", ["navigator/notebook.js", "report.js"])
def test_joined_modules_need_nothing_and_keep_names_apart(entry):
    text = joined(entry)
    assert not re.findall(r"^import ", text, flags=re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:const|let|class|function) (\w+)", text, flags=re.MULTILINE)
    assert "Navigator" in names
    assert len(set(names)) == len(names)


def test_only_the_default_export_remains():
    exports = re.findall(r"^export .*", joined("navigator/notebook.js"), flags=re.MULTILINE)
    assert exports == ["export default { render };"]
    assert "\nexport " not in joined("report.js")
