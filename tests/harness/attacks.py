"""Attacks that once made facelift say something false, wait for ever or leave a mess.

Each takes how often to try and tells, for every try, whether the promise held.
"""

from __future__ import annotations

import csv
import os
import socket
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

import facelift as fl
from facelift.errors import FaceliftError, InvalidData, InvalidFolder, InvalidRules

Attack = Callable[[int], Iterator[bool]]

PATIENCE = 5.0
"""Seconds after which something waits for ever."""

ESCAPES = (
    "\x1b]0;PWNED\x07",
    "\x1b[2J",
    "\x9b31m",
    "\u202e",
    "\x7f",
    "\r",
    "\x08",
    "\x1b]8;;x\x07",
)
COMMANDS = ("explain", "explain --json", "audit --by town", "contingency", "retrospect")


def hostile_rules(n: int) -> Iterator[bool]:
    """Rules files that are deep, long or endless: one short line within a second."""
    rng = np.random.default_rng(0)
    shapes: list[Callable[[int], str]] = [
        lambda k: "a = " + "[" * k + "]" * k,
        lambda k: "a = " + "{b=" * k + "1" + "}" * k,
        lambda k: "[income]\nprice = 1" + "0" * (10 * k),
        lambda k: "require = [" + ", ".join(['"income > 0"'] * (40 * k)) + "]",
        lambda k: "a." * (100 * k) + "a = 1",
        lambda k: "\n".join(f"[x{i}]" for i in range(100 * k)),
        lambda k: f'require = ["{"(" * k}income{")" * k} > 0"]',
        lambda k: 'require = ["income ' + "+ 1 " * (40 * k) + '> 0"]',
    ]
    terrain = fl.Terrain.infer(pd.DataFrame({"income": [1.0, 2.0]}))
    with TemporaryDirectory() as home:
        path = Path(home) / "rules.toml"
        for i in range(n):
            path.write_text(shapes[i % len(shapes)](int(rng.integers(500, 2000))))
            start = time.process_time()
            try:
                fl.read_rules(path, terrain)
                said = ""
            except InvalidRules as fault:
                said = str(fault)
            quick = time.process_time() - start < 1
            yield quick and 0 < len(said) < 2000 and len(said.splitlines()) == 1


def terminal_escapes(n: int) -> Iterator[bool]:
    """Tables, levels and files named to command a terminal: no command prints such a character."""
    from tests.cli.calling import loans, run

    with TemporaryDirectory() as home:
        for escape, command in islice(product(ESCAPES, COMMANDS), n):
            table = loans()
            row = int((table["income"] - 6 * table["debts"]).argmin())
            table["town"] = table["town"].where(table["town"] == "Bern", f"Aarau{escape}")
            path = Path(home) / f"loans{escape}.csv"
            hostile = table.rename(columns={"income": f"income{escape}"})
            hostile.to_csv(path, index=False, quoting=csv.QUOTE_ALL)
            name, *more = command.split()
            whose = [] if name == "audit" else ["--row", row]
            wanted = ["--target-column", "risk", "--target", "good"]
            result = run(name, path, *wanted, *whose, *more)
            printed = result.stdout + result.stderr
            yield result.exit_code in (0, 3) and not any(each in printed for each in escape[:1])


def half_sent_headers(n: int) -> Iterator[bool]:
    """Connections that never say what they want: the page answers, and all are given up."""
    from tests.harness.web.requests import small_page
    from tests.web.calling import asked

    from facelift.web.server import MOST_HEADER_SECONDS

    page = small_page()
    host, _, port = urlsplit(page.url).netloc.partition(":")
    lines = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(n)]
    for line in lines:
        line.sendall(b"GET / HTTP/1.1\r\nX: ")
    yield asked(page)[0] == 200
    time.sleep(MOST_HEADER_SECONDS)
    for line in lines:
        with line:
            yield _closed(line)
    page.stop()


def _closed(line: socket.socket) -> bool:
    """Whether the other side has ended a connection, with a word or without."""
    try:
        while line.recv(4096):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


def two_writers(n: int) -> Iterator[bool]:
    """Programs that save to one folder at once: it loads, and holds one explainer and no more."""
    from tests.harness.faults.saving import NEW, OLD, explainer, model

    with TemporaryDirectory() as home:
        folder = Path(home) / "saved"
        made = [explainer(OLD), explainer(NEW)]
        made[0].save(folder)
        children = [_saving(each, folder, n) for each in made]
        for child in children:
            yield from [os.waitpid(child, 0)[1] == 0] * n
        made[0].save(folder)
        yield fl.FACElift.load(folder, model=model).n_neighbors == OLD
        yield len(list(folder.iterdir())) == 2
        yield [each.name for each in Path(home).iterdir()] == ["saved"]


def _saving(explainer: fl.FACElift, folder: Path, n: int) -> int:
    child = os.fork()
    if child:
        return child
    try:
        for _ in range(n):
            explainer.save(folder)
    except BaseException:
        os._exit(1)
    os._exit(0)


def non_regular_files(n: int) -> Iterator[bool]:
    """Pipes, devices, folders and loops in the place of files: refused at once, in one line."""
    from tests.harness.faults.damage import small_explainer

    others: list[Callable[[Path], object]] = [
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to(path.name),
        lambda path: path.mkdir(),
    ]
    with TemporaryDirectory() as home:
        explainer = small_explainer()
        explainer.save(Path(home) / "0")
        names = [path.name for path in (Path(home) / "0").rglob("*") if path.is_file()]
        for i, (name, put) in enumerate(islice(product(sorted(names), others), n), 1):
            folder = Path(home) / str(i)
            explainer.save(folder)
            (path,) = folder.rglob(name)
            path.unlink()
            put(path)
            yield _refused_at_once(folder, explainer.model)


def _refused_at_once(folder: Path, model: Callable[[np.ndarray], np.ndarray]) -> bool:
    said: list[str] = []

    def load() -> None:
        try:
            fl.FACElift.load(folder, model=model)
        except InvalidFolder as fault:
            said.append(str(fault))

    thread = Thread(target=load, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return len(said) == 1 and "\n" not in said[0]


def reused_buffers(n: int) -> Iterator[bool]:
    """Models that answer in one array again and again: the documents are those of others."""
    buffer = np.zeros((100_000, 2))
    for seed in range(n):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame({"a": rng.integers(0, 9, 60), "b": rng.integers(0, 9, 60)})
        weights = rng.normal(size=2)

        def model(rows: pd.DataFrame, weights: np.ndarray = weights) -> np.ndarray:
            chance = 1 / (1 + np.exp(4 - rows.to_numpy(dtype=float) @ weights))
            return np.column_stack([1 - chance, chance])

        def reusing(rows: pd.DataFrame, model: Callable[..., np.ndarray] = model) -> np.ndarray:
            answers = buffer[: len(rows)]
            answers[:] = model(rows)
            return answers

        for steps in ("rows", "actions"):
            said = [
                fl.FACElift(each, steps=steps).fit(table).explain(table.iloc[[0]]).to_json()
                for each in (model, reusing)
            ]
            yield said[0] == said[1]


def own_bounds(n: int) -> Iterator[bool]:
    """Unseen floats: as they are at their own bound, and refused a hair outside of it."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(1000, 900, 80), "y": rng.random(80)})

    def model(rows: pd.DataFrame) -> np.ndarray:
        good = rows["y"].to_numpy() > 0.5
        return np.column_stack([~good, good]).astype(float)

    for low in rng.uniform(table["x"].min(), table["x"].median(), n):
        terrain = fl.Terrain.infer(table).between("x", float(low), 1e6)
        explainer = fl.FACElift(model, terrain, n_neighbors=80).fit(table)
        yield _first(explainer, low) == low
        yield _first(explainer, np.nextafter(low, -np.inf)) is None


def _first(explainer: fl.FACElift, x: float) -> float | None:
    """How a case comes back as the first waypoint; None where it is refused, or has no way."""
    try:
        found = explainer.explain({"x": float(x), "y": 0.25}, 1)
    except InvalidData:
        return None
    return float(found[0].rows["x"].iloc[0]) if len(found) else None


def false_certificates(n: int) -> Iterator[bool]:
    """Chains of categories: no way is found only where there is none, by looking at all."""
    for seed in range(n):
        rng = np.random.default_rng(seed)
        levels = [f"job {i}" for i in range(rng.integers(3, 6))]
        table = pd.DataFrame([(job, s) for job in levels for s in range(4)] * 3)
        table.columns = pd.Index(["job", "s"])
        wanted = levels[-1]

        def model(rows: pd.DataFrame, wanted: str = wanted) -> np.ndarray:
            chance = np.where(rows["job"] == wanted, 0.9, 0.1)
            return np.column_stack([1 - chance, chance])

        terrain = fl.Terrain.infer(table).freeze("s")
        allowed = {pair for pair in product(levels, levels) if rng.random() < 0.35}
        for start, end in product(levels, levels):
            if start != end and (start, end) not in allowed:
                terrain = terrain.forbid("job", start, end)
        for steps in ("rows", "actions"):
            explainer = fl.FACElift(model, terrain, steps=steps, n_neighbors=40).fit(table)
            found = explainer.explain({"job": levels[0], "s": 2}, 1)
            leads = wanted in _reached(levels[0], allowed)
            yield len(found) > 0 if leads else _says_so(found)


def _reached(start: str, allowed: set[tuple[str, str]]) -> set[str]:
    """Levels that single changes lead to."""
    known, new = {start}, {start}
    while new:
        new = {end for begin, end in allowed if begin in new} - known
        known |= new
    return known


def _says_so(found: fl.Multiverse) -> bool:
    """Whether nothing was found, and what would open a way is something that was forbidden."""
    if len(found) or found.why_not is None:
        return False
    certificate = found.why_not.certificate
    rules = [] if certificate is None else [each.rules for each in certificate.relaxations]
    return all(rule.feature == "job" for each in rules for rule in each)


ATTACKS: dict[str, Attack] = {
    "hostile rules files": hostile_rules,
    "terminal escapes": terminal_escapes,
    "half-sent headers": half_sent_headers,
    "two writers": two_writers,
    "files that are none": non_regular_files,
    "reused buffers": reused_buffers,
    "floats at their bound": own_bounds,
    "chains of categories": false_certificates,
}


def kept(attack: Attack, n: int) -> list[bool]:
    """Whether the promise held, try by try; an error that is not ours ends the tries."""
    found: list[bool] = []
    try:
        found.extend(attack(n))
    except FaceliftError:
        found.append(False)
    return found
