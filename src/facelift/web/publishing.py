"""A site without a server: the page, a worker with Python in it, and facelift as a wheel.

Any web server can serve the folder. Python and the packages that facelift needs come from Pyodide's
own address, or from a copy of them in the folder; nothing that people enter leaves their browser.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

from facelift import __version__
from facelift._files import written_whole
from facelift.errors import InvalidInput
from facelift.views.inline import looks, parts, static

PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/"
"""Where Pyodide is fetched from, if nobody says otherwise."""

PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "pydantic", "narwhals", "click", "rich")
"""What facelift needs in a browser, by Pyodide's names."""

CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"

WORKER = "site/worker.js"
PAGES = {"index.html": "people.html", "walk.html": "index.html"}
"""The site's pages, and the files that they are made of."""


@dataclass(frozen=True)
class Settings:
    """What the worker loads, and from where; `start` is Python whose value answers messages."""

    pyodide: str
    wheel: str
    packages: tuple[str, ...] = PACKAGES
    start: str = "from facelift.cli.explore import answer\nanswer"


def publish(folder: Path, pyodide: str | Path = PYODIDE) -> list[Path]:
    """Write the site to a folder; an address of Pyodide, or a folder to copy it from.

    Returns
    -------
    list of Path
        The files written.
    """
    _check(folder)
    folder.mkdir(parents=True, exist_ok=True)
    address = "pyodide/" if isinstance(pyodide, Path) else pyodide.rstrip("/") + "/"
    settings = Settings(address, _wheel_name())
    found = [_wheel(folder / settings.wheel)]
    for name, text in _texts(address):
        found.append(_written(folder / name, text))
    if isinstance(pyodide, Path):
        found += _copied(pyodide, folder / "pyodide")
    found.append(_written(folder / "site.json", json.dumps(asdict(settings), indent=1) + "\n"))
    return found


def _check(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file: name a folder for the site.")
    if folder.exists() and any(folder.iterdir()) and not (folder / "site.json").exists():
        raise InvalidInput(
            f"{folder} holds other files: name an empty folder, or one that holds a site."
        )


def _texts(address: str) -> Iterator[tuple[str, str]]:
    """Every file of text, by its name on the site."""
    for page, made_of in PAGES.items():
        yield page, _without_server(static(made_of), address)
    yield "navigator.css", looks()
    names = ["page.js", "people.css", WORKER, *parts("json", "words")]
    for name in [*names, *parts("js"), *parts("js", "people")]:
        yield name, static(name)


def _without_server(page: str, address: str) -> str:
    """A page that asks a worker, and may fetch from the site and from Pyodide's address only."""
    parted = urlsplit(address)
    python = f" {parted.scheme}://{parted.netloc}" if parted.netloc else ""
    policy = (
        f"default-src 'none'; script-src 'self'{python} 'wasm-unsafe-eval'; worker-src 'self'; "
        f"connect-src 'self'{python}; style-src 'self'; img-src 'self' data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    added = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="facelift-worker" content="{WORKER}">\n</head>'
    )
    return page.replace("</head>", added)


def _written(path: Path, text: str) -> Path:
    with written_whole(path) as fresh:
        fresh.write_text(text, encoding="utf-8")
    return path


def _wheel_name() -> str:
    return f"facelift_multiverse-{__version__}-py3-none-any.whl"


def _wheel(path: Path) -> Path:
    """The package as a wheel; the same bytes each time."""
    about = _wheel_name().rsplit("-", 3)[0] + ".dist-info"
    files = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: facelift-multiverse\n"
        f"Version: {__version__}\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with resources.as_file(resources.files("facelift")) as package:
        for each in sorted(package.rglob("*")):
            if each.is_file() and "__pycache__" not in each.parts:
                files[f"facelift/{each.relative_to(package).as_posix()}"] = each.read_bytes()
    files[f"{about}/RECORD"] = _record(files, f"{about}/RECORD")
    with written_whole(path) as fresh, zipfile.ZipFile(fresh, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


def _record(files: dict[str, bytes], own: str) -> bytes:
    """What a wheel says of its files."""
    lines = []
    for name, content in files.items():
        digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return ("\n".join([*lines, f"{own},,"]) + "\n").encode()


def _copied(source: Path, target: Path) -> list[Path]:
    """Pyodide with the packages needed; an error names what is missing."""
    if not (source / LOCK).is_file():
        raise InvalidInput(f"{source} is no Pyodide: it has no {LOCK}.")
    known = json.loads((source / LOCK).read_text(encoding="utf-8"))["packages"]
    names = [*CORE, LOCK, *(known[name]["file_name"] for name in _needed(known))]
    missing = [name for name in names if not (source / name).is_file()]
    if missing:
        raise InvalidInput(
            f"{source} lacks {len(missing)} files of Pyodide, such as {missing[0]}; download its "
            "full distribution, or leave the folder out to load it from Pyodide's own address."
        )
    target.mkdir(parents=True, exist_ok=True)
    return [Path(shutil.copy(source / name, target / name)) for name in names]


def _needed(known: dict[str, dict[str, list[str]]]) -> list[str]:
    """The packages, and those that they depend on."""
    found: list[str] = []
    waiting = list(PACKAGES)
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found.append(name)
            waiting += known[name]["depends"]
    return found
