"""Time windows of queries and how times are written: ISO 8601 in UTC (R9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Window:
    """A closed span of time, both ends aware and in UTC."""

    start: datetime
    end: datetime

    def __contains__(self, time: datetime) -> bool:
        return self.start <= time <= self.end

    def __str__(self) -> str:
        return f"{utc_text(self.start)}/{utc_text(self.end)}"


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
