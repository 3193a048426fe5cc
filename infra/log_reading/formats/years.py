"""In which year a line without one was written: the order of the lines of a whole input shows it (R9).

Lines follow each other in time, so a month that lies before the last one begins a year. The last line is of the latest
year that is not too late for it, and the turns before it lead to the year of the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, start=1)}
_JANUARY, _DECEMBER = 1, 12
_HEAD_CHARACTERS = 200
_DATE = re.compile(
    rf"({'|'.join(_NAMES)}) {{1,2}}(\d{{1,2}}) \d\d:\d\d:\d\d(?![.\d]{{0,10}} (?:\w{{3,4}} )?(?:19|20)\d\d\b)"
    r"|(?:^|\s)(?:[IWEF](\d\d)(\d\d)|(\d\d)-(\d\d)) \d\d:\d\d:\d\d\.\d"
)


class Years:
    """The years of one input's lines, as their months come by."""

    def __init__(self, first_month: int, first_year: int) -> None:
        self._month, self._year = first_month, first_year

    def year_of(self, month: int) -> int:
        """The year of the next line."""
        self._year += turn(self._month, month)
        self._month = month
        return self._year


def turn(before: int, month: int) -> int:
    """By how many years two lines differ that follow each other, of which one may be a little late."""
    if (before, month) == (_JANUARY, _DECEMBER):
        return -1
    return 1 if month < before - 1 else 0


def years_of(lines: Iterable[tuple[str, bool]], latest: datetime) -> Years | None:
    """The years of all lines of an input; None where no line has a date without year."""
    first = month = day = turns = 0
    head = ""
    for line, _ in lines:
        if line[:6] == head:
            continue
        found = _DATE.search(line[:_HEAD_CHARACTERS])
        if found is None:
            continue
        head = line[:6] if found.start() == 0 else ""
        written = _MONTHS[found[1]] if found[1] else int(found[3] or found[5])
        day = int(found[2] or found[4] or found[6])
        if not 1 <= written <= 12:
            continue
        turns += turn(month or written, written)
        month = written
        first = first or month
    if not first:
        return None
    return Years(first, _latest_year(month, day, latest) - turns)


def _latest_year(month: int, day: int, latest: datetime) -> int:
    for year in range(latest.year + 1, latest.year - 9, -1):
        try:
            if datetime(year, month, day, tzinfo=UTC) <= latest:
                return year
        except ValueError:
            continue
    return latest.year
