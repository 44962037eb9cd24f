"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    os.close(handle)
    fresh = Path(name)
    try:
        yield fresh
        fresh.chmod(0o666 & ~_umask())  # mkstemp's files are for their owner alone
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _umask() -> int:
    """What new files are not allowed; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
