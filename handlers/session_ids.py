"""Ids of sessions (R10): made from the idempotency key, so that opening twice meets in the log, or ordered by time."""

from __future__ import annotations

import secrets
import time
from uuid import UUID, uuid5

NAMESPACE = UUID("6f1c3a52-5f0e-5c39-9a3e-2f1d7a0b8c4d")


def session_id_for(key: str | None) -> UUID:
    """A UUIDv5 of the key, or a new UUIDv7 (RFC 9562) without one. A key may be any text, even one that is no UTF-8."""
    if key:
        return uuid5(NAMESPACE, key.encode(errors="backslashreplace").decode())
    return _uuid7(time.time_ns() // 1_000_000, secrets.randbits(80))


def _uuid7(milliseconds: int, random: int) -> UUID:
    version, variant = 0x7, 0b10
    high = (milliseconds & (1 << 48) - 1) << 16 | version << 12 | random >> 68
    low = variant << 62 | random & (1 << 62) - 1
    return UUID(int=high << 64 | low)
