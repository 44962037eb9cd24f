"""The page's script and looks: typed, safe by construction, and readable for everyone."""

from __future__ import annotations

import re
import subprocess
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import facelift.web
from facelift.drawing import COLOURS, ON_COLOURS

STATIC = Path(facelift.web.__file__).parent / "static"


def test_the_script_is_typed(node_modules):
    checks = "--noEmit --allowJs --checkJs --strict --target es2022 --module es2022"
    finds = "--moduleResolution bundler --lib dom,dom.iterable,es2022"
    command = [node_modules / ".bin" / "tsc", *checks.split(), *finds.split(), "--types", ""]
    run = subprocess.run(
        [*command, "page.js", "report.js", "navigator/notebook.js", "people/people.js"],
        cwd=STATIC,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == ""
    assert run.returncode == 0


@pytest.mark.parametrize(
    "file", [path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")]
)
def test_words_are_only_ever_put_on_the_page_as_text(file):
    source = (STATIC / file).read_text(encoding="utf-8")
    for way_in in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way_in not in source


def test_nothing_is_fetched_from_elsewhere():
    for path in filter(Path.is_file, STATIC.rglob("*")):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "@import" not in text
        assert "@font-face" not in text


def schemes() -> dict[str, dict[str, str]]:
    """The colours of the light and of the dark page."""
    css = (STATIC / "navigator.css").read_text(encoding="utf-8")
    light, dark = css.split("@media (prefers-color-scheme: dark)")[:2]
    read = [dict(re.findall(r"--([\w-]+): (#\w+);", part)) for part in (light, dark)]
    return {"light": read[0], "dark": {**read[0], **read[1]}}


def channels(colour: str) -> np.ndarray:
    full = colour if len(colour) == 7 else "#" + "".join(2 * each for each in colour[1:])
    return np.array([int(full[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def linear(colour: str) -> np.ndarray:
    c = channels(colour)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(one: str, two: str) -> float:
    a, b = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, two))
    return (b + 0.05) / (a + 0.05)


# Machado, Oliveira and Fernandes (2009), full deficiency, on linear RGB.
VISIONS = {
    "normal": np.eye(3),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def oklab(rgb: np.ndarray) -> np.ndarray:
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    axes = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.array(axes) @ np.cbrt(np.array(cones) @ np.clip(rgb, 0, 1))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_seven_colours_can_be_told_apart_by_everyone(scheme, vision):
    colours = [schemes()[scheme][f"colour-{i}"] for i in range(7)]
    seen = [oklab(VISIONS[vision] @ linear(colour)) for colour in colours]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 0.12


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_and_letters_stand_out(scheme):
    colours = schemes()[scheme]
    for i in range(7):
        assert contrast(colours[f"colour-{i}"], colours["panel"]) >= 3
        assert contrast(colours[f"colour-{i}"], colours[f"on-{i}"]) >= 4.5
    for ink in ("ink", "quiet", "bad"):
        assert contrast(colours[ink], colours["panel"]) >= 4.5


def test_drawings_have_the_colours_of_the_light_page():
    light = schemes()["light"]
    assert tuple(light[f"colour-{i}"] for i in range(7)) == COLOURS
    assert tuple(light[f"on-{i}"] for i in range(7)) == ON_COLOURS
