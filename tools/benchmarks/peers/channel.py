"""Messages between the benchmark and the process of a method; plain Python alone is needed.

A message is a dictionary of plain values; tables of numbers are `Matrix`, since numpy's own pickles
need not be read by another version of it.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Channel:
    """Two ends of pipes: what is read from, and what is written to."""

    source: BinaryIO
    sink: BinaryIO

    def send(self, message: dict[str, Any]) -> None:
        content = pickle.dumps(message, protocol=4)
        self.sink.write(_LENGTH.pack(len(content)) + content)
        self.sink.flush()

    def receive(self) -> dict[str, Any]:
        """The next message; an `EOFError` where the other side has ended."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        return pickle.loads(self._read(length))  # noqa: S301  (written by our own process)

    def close(self) -> None:
        self.source.close()
        self.sink.close()

    def _read(self, n: int) -> bytes:
        found = self.source.read(n)
        if len(found) < n:
            raise EOFError("the other side has ended")
        return found


def packed(matrix: Any) -> tuple[tuple[int, ...], bytes]:
    """Numbers as a shape and bytes."""
    import numpy as np

    whole = np.ascontiguousarray(matrix, dtype="<f8")
    return whole.shape, whole.tobytes()


def unpacked(told: tuple[tuple[int, ...], bytes]) -> Any:
    import numpy as np

    shape, content = told
    return np.frombuffer(content, dtype="<f8").reshape(shape).copy()
