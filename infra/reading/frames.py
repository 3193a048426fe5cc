"""Messages between a worker and a reading process: a sign for their kind, their length, their bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import Enum

_HEAD = struct.Struct("!cQ")


class Kind(Enum):
    """A job; what comes back of it: a part of its result, its end, an error, a limit that was met."""

    JOB = b"J"
    PART = b"P"
    END = b"R"
    ERROR = b"E"
    LIMIT = b"L"


class TooLong(Exception):
    """A message is longer than its reader allows."""


def frame(kind: Kind, body: bytes) -> bytes:
    return _HEAD.pack(kind.value, len(body)) + body


def read_frame(receive: Callable[[int], bytes], most_bytes: int) -> tuple[Kind, bytes]:
    """The next message. Raises EOFError where the other side is gone, ValueError for no message, TooLong."""
    sign, length = _HEAD.unpack(_exactly(receive, _HEAD.size))
    kind = Kind(sign)
    if length > most_bytes:
        raise TooLong
    return kind, _exactly(receive, length)


def _exactly(receive: Callable[[int], bytes], size: int) -> bytes:
    parts = []
    while size:
        data = receive(min(size, 1 << 20))
        if not data:
            raise EOFError
        parts.append(data)
        size -= len(data)
    return b"".join(parts)
