"""`--since AGE|TIME`: how far back a command looks, and times as they are given on the command line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from handlers.cli.errors import UsageError

YEARS = range(1990, 2100)
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def moment(given: str | None, flag: str = "--since") -> datetime | None:
    """When it was `30s`, `15m`, `1h` or `7d` ago, or an ISO 8601 time; None for None. Raises UsageError."""
    if given is None:
        return None
    age = re.fullmatch(r"(\d{1,9})([smhd])", given.strip())
    try:
        return datetime.now(UTC) - timedelta(**{UNITS[age[2]]: int(age[1])}) if age else instant(given)
    except OverflowError:
        raise UsageError(f"{flag}: {given!r} lies before all times") from None
    except ValueError:
        raise UsageError(
            f"{flag}: {given!r} is no age and no time; write 30s, 15m, 1h, 7d or 2026-07-08T11:17:00+08:00"
        ) from None


def instant(text: str) -> datetime:
    """An ISO 8601 time in UTC, which is also meant where no offset is given. Raises ValueError, OverflowError."""
    time = datetime.fromisoformat(text.strip())
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def session_time(given: str | None) -> datetime | None:
    """`--now TIME`, the session's clock; None where none is given. Raises UsageError."""
    if not given:
        return None
    try:
        moment = instant(given)
    except (ValueError, OverflowError):
        raise UsageError(f"--now: {given!r} is no ISO 8601 time, such as 2026-07-08T11:17:00+08:00") from None
    if moment.year not in YEARS:
        raise UsageError(f"--now: {given!r} lies outside the years {YEARS.start} to {YEARS.stop - 1}")
    return moment
