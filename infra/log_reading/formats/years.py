"""In which year a line without one was written: the order of the lines of a whole input shows it (R9).

Lines follow each other in time, so a month that lies before the last one begins a year. The last line is of the latest
year that is not too late for it, and the turns before it lead to the year of the first. An input that was changed long
after its last line may be a copy: then full dates in its lines tell the year, where they agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, start=1)}
_JANUARY, _DECEMBER = 1, 12
_HEAD_CHARACTERS = 200
_LINE_CHARACTERS = 500
_MOST_LINES = 20_000  # whose full dates are looked at
_FIT = timedelta(days=3)
"""An input whose last line lies so shortly before the latest moment it could was changed with that line."""
_DATE = re.compile(
    rf"({'|'.join(_NAMES)}) {{1,2}}(\d{{1,2}}) \d\d:\d\d:\d\d(?![.\d]{{0,10}} (?:\w{{3,4}} )?(?:19|20)\d\d\b)"
    r"|(?:^|\s)(?:[IWEF](\d\d)(\d\d)|(\d\d)-(\d\d)) \d\d:\d\d:\d\d\.\d"
)
_FULL_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([-/])(\d\d)\2(\d\d)[T ]\d\d:\d\d(?!\d)")

Lines = Iterable[tuple[str, bool]]


class Years:
    """The years of one input's lines, as their months come by.

    `is_shown`: dates in its lines tell them. `later`: by how many years its lines may be later than they are said to
    be. `turns`: by how many more the first ones may, where inputs may have been put together and no year turned.
    """

    def __init__(
        self, first_month: int, first_year: int, *, turns: int = 0, later: int = 0, is_shown: bool = False
    ) -> None:
        self._month, self._year = first_month, first_year
        self._turns, self._later = turns, later
        self.is_shown = is_shown

    def next_in(self, month: int) -> tuple[int, int]:
        """The year of the next line, and the latest that it may be of."""
        turned = turn(self._month, month)
        self._year += turned
        self._turns -= turned
        self._month = month
        return self._year, self._year + self._later + max(0, self._turns)


class _Dated(NamedTuple):
    """A line with its month and day; `turns`: how many years turned until then."""

    line: str
    month: int
    day: int
    turns: int


def turn(before: int, month: int) -> int:
    """By how many years two lines differ that follow each other, of which one may be a little late."""
    if (before, month) == (_JANUARY, _DECEMBER):
        return -1
    return 1 if month < before - 1 else 0


def years_of(again: Callable[[], Lines], latest: datetime, now: datetime) -> Years | None:
    """The years of all lines of an input, which `again` gives; None where none has a date without year. `latest`: what
    its last change allows."""
    first, own = 0, None
    for own in _days(again(), every=False):
        first = first or own.month
    if own is None:
        return None
    last, turns = _latest_on(own.month, own.day, latest), own.turns
    if latest - last <= _FIT:
        return Years(first, last.year - turns)
    shown = {
        year - one.turns + turns
        for one in _days(islice(again(), _MOST_LINES), every=True)
        for year in _shown_years(one)
    }
    shown = {year for year in shown if year <= now.year}
    if len(shown) == 1:
        (told,) = shown
        return Years(first, told - turns, later=max(0, last.year - told), is_shown=True)
    return Years(first, last.year - turns, turns=turns, later=max(0, max(shown, default=0) - last.year))


def _days(lines: Lines, *, every: bool) -> Iterator[_Dated]:
    """The lines that have a day without a year, each with the beginnings of those before it that have none; `every`
    False: of several of one day that follow each other the first, as far as that is quickly seen."""
    month = day = turns = 0
    head = ahead = ""
    for line, _ in lines:
        if line[:6] == head:
            if not every:
                continue
        else:
            found = _DATE.search(line[:_HEAD_CHARACTERS])
            if found is None:
                ahead += f"{line[:_HEAD_CHARACTERS]}\n" if every and len(ahead) < _LINE_CHARACTERS else ""
                continue
            written = _MONTHS[found[1]] if found[1] else int(found[3] or found[5])
            if not 1 <= written <= 12:
                continue
            head = line[:6] if found.start() == 0 else ""
            day = int(found[2] or found[4] or found[6])
            turns += turn(month or written, written)
            month = written
        yield _Dated(ahead + line[:_LINE_CHARACTERS], month, day, turns)
        ahead = ""


def _shown_years(one: _Dated) -> Iterator[int]:
    """Of the full dates in a line, those of its own day, or of the days beside it in another zone."""
    for found in _FULL_DATE.finditer(one.line):
        try:
            full = datetime(int(found[1]), int(found[3]), int(found[4]))
            own = datetime(full.year, one.month, one.day)
        except ValueError:
            continue
        if abs(full - own) <= timedelta(days=1):
            yield full.year


def _latest_on(month: int, day: int, latest: datetime) -> datetime:
    """The last such day up to then."""
    for year in range(latest.year + 1, latest.year - 9, -1):
        try:
            if (found := datetime(year, month, day, tzinfo=UTC)) <= latest:
                return found
        except ValueError:
            continue
    return latest
