"""Names of zones in stamps; a name that stands for several zones tells none."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_HOURS = {
    "UTC": 0, "GMT": 0, "UT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3,
    "JST": 9, "KST": 9, "HKT": 8, "SGT": 8, "AWST": 8, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
    "EDT": -4, "MDT": -6, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
}  # fmt: skip

_OF_SEVERAL = ("CST", "CDT", "EST", "MST", "PST", "IST", "BST", "AST")

ZONE_NAME = rf"(?:{'|'.join([*sorted(_HOURS, key=len, reverse=True), *_OF_SEVERAL])})(?![\w+-])"
"""A pattern of the names that are understood, and of those that stand for several zones."""

_ZONES: dict[str, tzinfo] = {
    name: UTC if not hours else timezone(timedelta(hours=hours)) for name, hours in _HOURS.items()
}


def zone_named(name: str) -> tzinfo | None:
    """The zone of a name, None for one that stands for several."""
    return _ZONES.get(name)


@lru_cache(maxsize=256)
def zone_of_area(name: str) -> tzinfo | None:
    """The zone of an area of the zone database, as `Asia/Shanghai`; None for one that it does not know."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
