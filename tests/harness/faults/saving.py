"""Kill a program that saves an explainer, at every operation on files and in the middle of each.

    python -m tests.harness.faults.saving

Whatever happens, the folder must hold the old explainer or the new one, or be absent as before.
Prints how many programs were killed and what they left, as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from facelift import FACElift
from facelift.errors import InvalidFolder

OLD, NEW = 4, 5
"""How many neighbours the two explainers look at, which tells them apart."""


def model(table: np.ndarray) -> np.ndarray:
    chance = np.clip(table[:, 0] / 20, 0, 1)
    return np.column_stack([1 - chance, chance])


def explainer(n_neighbors: int) -> FACElift:
    i = np.arange(41)
    return FACElift(model, n_neighbors=n_neighbors).fit(np.column_stack([i / 2, i % 3]))


def main() -> None:
    old, new = explainer(OLD), explainer(NEW)
    found: Counter[str] = Counter()
    memory = Path("/dev/shm")  # noqa: S108  (as safe as any; there, flushing takes no time)
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as home:
        for there in (True, False):
            for fault in (before_operation, while_writing):
                found += killed_until_whole(Path(home), old if there else None, new, fault)
    faults, mixed = found.pop("faults"), found.pop("mix", 0)
    print(json.dumps({"faults": faults, "left": found, "violations": mixed}))  # noqa: T201


def killed_until_whole(
    home: Path, old: FACElift | None, new: FACElift, fault: Callable[[int, Path], None]
) -> Counter[str]:
    """Save again and again, killed ever later, until a save is whole."""
    found: Counter[str] = Counter()
    folder = home / "saved"
    for i in range(100_000):
        shutil.rmtree(folder, ignore_errors=True)
        if old is not None:
            old.save(folder)
        done = saved_by_a_child(new, folder, lambda i=i: fault(i, home))
        found[left(folder, "nothing" if old is None else "old")] += 1
        for stray in home.glob(".saved-*"):
            shutil.rmtree(stray)
        if done:
            return found
        found["faults"] += 1
    raise RuntimeError("No save was ever whole.")


def saved_by_a_child(new: FACElift, folder: Path, fault: Callable[[], None]) -> bool:
    """Whether a program that saves came to its end."""
    child = os.fork()
    if child == 0:
        fault()
        new.save(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise RuntimeError("A save failed, but was not killed.")
    return not os.WIFSIGNALED(status)


def before_operation(n: int, home: Path) -> None:
    """Be killed before the nth operation on files in `home`."""
    at_operation(n, home, lambda: os.kill(os.getpid(), signal.SIGKILL))


def while_writing(n: int, home: Path) -> None:
    """Be killed by the first write after the nth operation, once some bytes are written."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    at_operation(n, home, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40)))


def at_operation(n: int, home: Path, fault: Callable[[], None]) -> None:
    """Have something happen at the nth operation on files in `home`."""
    seen = -1

    def audit(_event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        paths = [each for each in arguments[:2] if isinstance(each, str | os.PathLike)]
        if any(os.fspath(each).startswith(str(home)) for each in paths):
            seen += 1
            if seen == n:
                fault()

    sys.addaudithook(audit)


def left(folder: Path, before: str) -> str:
    """What the folder holds: what was there before, the new explainer, or a mix."""
    try:
        told = {OLD: "old", NEW: "new"}[FACElift.load(folder, model=model).n_neighbors]
    except InvalidFolder:
        told = "mix" if folder.exists() else "nothing"
    return told if told in (before, "new") else "mix"


if __name__ == "__main__":
    main()
