"""Files and folders that are there whole or not at all, whenever a program or machine stops."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from facelift.errors import InvalidFolder

try:
    import fcntl
except ImportError:  # Windows has no such locks: nothing is swept there
    fcntl = None  # type: ignore[assignment]

SETTLED = 60.0
"""Seconds after which a folder that nobody holds was left behind, not just made."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A place to write a file to, moved to `path` once the block ends well, else removed.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with written_whole(folder / "a" / "note.txt") as fresh:
    ...     _ = fresh.write_text("all of it")
    >>> (folder / "a" / "note.txt").read_text()
    'all of it'
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    except OSError as fault:  # of a file that nobody named
        raise type(fault)(fault.errno, fault.strerror, str(target)) from None
    os.close(handle)
    fresh = Path(name)
    try:
        yield fresh
        fresh.chmod(0o666 & ~_umask())  # mkstemp's files are for their owner alone
        _flush(fresh)
        fresh.replace(target)
        _flush(target.parent)
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def folder_written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill, moved to `path`, where nothing is, once the block ends well.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> with folder_written_whole(home / "a" / "notes") as fresh:
    ...     _ = (fresh / "note.txt").write_text("all of it")
    >>> [path.name for path in (home / "a" / "notes").iterdir()]
    ['note.txt']
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as sibling,
        held(sibling),
    ):
        fresh = Path(sibling) / "new"
        fresh.mkdir()
        yield fresh
        for each in fresh.iterdir():
            _flush(each)
        fresh.rename(target)
    _flush(target.parent)
    _sweep_siblings(target)


@contextmanager
def held(folder: str | os.PathLike[str], *, wait: bool = True) -> Iterator[bool]:
    """Hold a folder against others who hold it; yields whether that was possible.

    The system lets go of it when a program ends or is killed. Reading needs no hold.

    >>> import tempfile
    >>> with held(tempfile.mkdtemp()) as alone:
    ...     alone
    True
    """
    if fcntl is None:
        yield False
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield _locked(handle, wait)
    finally:
        os.close(handle)


def check_regular(path: Path) -> None:
    """An error if a path is there and no ordinary file: reading a pipe or device may never end.

    >>> check_regular(Path("/dev/zero"))
    Traceback (most recent call last):
        ...
    facelift.errors.InvalidFolder: /dev/zero is no ordinary file; nothing was read from it.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise InvalidFolder(f"{path} is no ordinary file; nothing was read from it.")


def _locked(handle: int, wait: bool) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody else holds it, or this disk knows no locks
        return False
    return True


def _sweep_siblings(target: Path) -> None:
    """Remove what programs that were killed while they made this folder left beside it."""
    for stray in target.parent.glob(f".{target.name}-????????"):
        with suppress(OSError), held(stray, wait=False) as abandoned:
            if abandoned and stray.stat().st_mtime < time.time() - SETTLED:
                shutil.rmtree(stray, ignore_errors=True)


def _flush(path: Path) -> None:
    """Have a file or folder on the disk before what relies on it."""
    with suppress(OSError):  # some systems do not open folders, some disks cannot be asked
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    """What new files are not allowed; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
