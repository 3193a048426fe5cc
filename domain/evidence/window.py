"""Time windows of searches and how times are written: ISO 8601 in UTC (R9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

EVER = ".."
"""Stands for the beginning of a window that has none (ISO 8601-2)."""


@dataclass(frozen=True, slots=True)
class Window:
    """A closed span of time, both ends aware and in UTC. `start` None: as far back as there is anything."""

    start: datetime | None
    end: datetime

    def __contains__(self, time: datetime) -> bool:
        return time <= self.end and (self.start is None or self.start <= time)

    def meets(self, earliest: datetime | None, latest: datetime | None) -> bool:
        """Whether something that lies between the two could lie in the window; None: not bounded on that side."""
        begins_late = earliest is not None and earliest > self.end
        ends_early = latest is not None and self.start is not None and latest < self.start
        return not (begins_late or ends_early)

    def __str__(self) -> str:
        return f"{EVER if self.start is None else utc_text(self.start)}/{utc_text(self.end)}"


def utc_text(time: datetime) -> str:
    """`2026-07-08T11:17:00Z`; milliseconds only where there are any."""
    precision = "milliseconds" if time.microsecond else "seconds"
    return time.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def duration_text(duration: timedelta) -> str:
    """`45s`, `15m`, `2h5m`, `3d4h`: the two largest units, rounded down; zero parts are left out."""
    seconds = max(0, int(duration.total_seconds()))
    if seconds < 60:
        return f"{seconds}s"
    days, hours, minutes = seconds // 86_400, seconds // 3_600 % 24, seconds // 60 % 60
    parts = [f"{n}{unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "m")) if n]
    return "".join(parts[:2])
