"""Where a page is found again: a token and a port that last, so that old links work.

They stand in a file that only its owner can read. Whoever can read it could read the page as well.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

_TOKEN = re.compile(r"[\w-]{22,64}")


@dataclass(frozen=True)
class Address:
    """A token, and the port that was last used with it (0: any)."""

    token: str
    port: int = 0


def lasting(folder: Path | None = None) -> Address:
    """The address of this person's pages; a new one where none is written down.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> write(Address(lasting(folder).token, 8765), folder)
    >>> lasting(folder).port
    8765
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        told = json.loads((_file(folder)).read_text(encoding="utf-8"))
        token, port = told["token"], told["port"]
        if _TOKEN.fullmatch(token) and isinstance(port, int) and 0 <= port < 65536:
            return Address(token, port)
    return Address(secrets.token_urlsafe(16))


def write(address: Address, folder: Path | None = None) -> None:
    """Write an address down for nobody else to read, if that can be done."""
    file = _file(folder)
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump(asdict(address), out)
        fresh.replace(file)


def _file(folder: Path | None) -> Path:
    if folder is None:
        windows = sys.platform == "win32"
        given = os.environ.get("LOCALAPPDATA" if windows else "XDG_STATE_HOME")
        folder = (Path(given) if given else Path.home() / ".local" / "state") / "facelift"
    return folder / "address.json"
