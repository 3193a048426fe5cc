"""The zone of a question's words of time: an IANA name or ±HH:MM, as a setting records it."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")


@lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo:
    """UTC for a name that is none: settings are checked where they are read."""
    if offset := _OFFSET.fullmatch(name):
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(-ahead if offset[1] == "-" else ahead)
    try:
        return UTC if name in ("", "UTC") else ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return UTC
