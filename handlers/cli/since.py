"""`--since AGE`: how far back a command looks."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from handlers.cli.errors import UsageError

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def moment(age: str | None) -> datetime | None:
    """When it was `30s`, `15m`, `1h` or `7d` ago; None for None. Raises UsageError."""
    if age is None:
        return None
    found = re.fullmatch(r"(\d{1,9})([smhd])", age.strip())
    try:
        if found:
            return datetime.now(UTC) - timedelta(**{UNITS[found[2]]: int(found[1])})
    except OverflowError:
        raise UsageError(f"--since: {age!r} lies before all times") from None
    raise UsageError(f"--since: {age!r} is no age; write 30s, 15m, 1h or 7d")
