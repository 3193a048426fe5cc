"""Clock times and dates as they stand in texts; they are no measured values (R37) and date an item (R9)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise

from domain.values.numerals import DIGITS, POWERS, amount

_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:\s?Z|\s?[+-]\d{2}:?\d{2})"
_CLOCK_PARTS = re.compile(rf"(\d+):(\d+)(?::(\d+))?(?:[.,]\d+)?\s?({_ZONE})?")
_ONE_OR_TWO = rf"(?:\d{{1,2}}|[{DIGITS}十]{{1,3}})"
_PARTS = {"一刻": 15, "半": 30, "三刻": 45}
_TIME = re.compile(
    rf"(?<![\d.:{DIGITS}{POWERS}])(?:"
    rf"(?P<date>\d{{4}}[-/](?:0?[1-9]|1[0-2])[-/](?:3[01]|[12]\d|0?[1-9])(?!\d))"
    rf"(?:[T ]\s?(?P<dated>{_CLOCK}{_ZONE}?)(?![\d:]))?"
    rf"|(?P<year>\d{{4}}|[{DIGITS}]{{4}})\s?年(?:\s?(?P<ym>{_ONE_OR_TWO})\s?月(?:\s?(?P<ymd>{_ONE_OR_TWO})\s?日)?)?"
    rf"|(?P<month>{_ONE_OR_TWO})\s?月\s?(?P<day>{_ONE_OR_TWO})\s?[日号]"
    rf"|(?P<hour>{_ONE_OR_TWO})\s?(?:[点时]\s?(?P<minute>{_ONE_OR_TWO})\s?分(?![钟之])|点(?P<part>半|[一三]刻)"
    rf"|(?<=\d)点(?=[整钟左前后许])|(?<=\d\s)点(?=[整钟左前后许])|点(?=[整钟]))"
    rf"|(?P<clock>{_CLOCK}Z?)(?![\d:]))"
)
_PAIR_GAP = re.compile(r"\s*(?:/|~|至|到|to|->|→|–|—)\s*")


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A point in time as written; a part that is not written is None. `zone` is "" where none is written."""

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    zone: str = ""

    def is_part_of(self, other: TimeMention) -> bool:
        """Whether every part written here is written the same there."""
        mine = (self.year, self.month, self.day, self.hour, self.minute, self.second)
        theirs = (other.year, other.month, other.day, other.hour, other.minute, other.second)
        return all(a is None or a == b for a, b in zip(mine, theirs, strict=True))

    def moment(self, now: datetime) -> datetime | None:
        """This point in time, taking missing parts from `now`; None for dates without a clock or out of range.

        A clock without a date is the last such clock before `now`.
        """
        if self.hour is None:
            return None
        try:
            zone = _zone(self.zone) or now.tzinfo
            found = now.replace(
                year=self.year or now.year,
                month=self.month or now.month,
                day=self.day or now.day,
                hour=self.hour,
                minute=self.minute or 0,
                second=self.second or 0,
                microsecond=0,
                tzinfo=zone,
            )
        except ValueError:
            return None
        return found - timedelta(days=1) if self.day is None and found > now else found


def _zone(written: str) -> tzinfo | None:
    if not written:
        return None
    return datetime.fromisoformat(f"2000-01-01T00:00:00{written}").tzinfo


def times_in(text: str) -> tuple[TimeMention, ...]:
    return tuple(_mention(match) for match in _TIME.finditer(text))


def _mention(match: re.Match[str]) -> TimeMention:
    part = match.groupdict()
    written = re.split("[-/]", part["date"]) if part["date"] else _chinese_date(part)
    year, month, day = map(_number, written)
    hour, minute, second, zone = (
        _number(part["hour"]),
        _number(part["minute"]) or _PARTS.get(part["part"] or ""),
        None,
        "",
    )
    if clock := part["dated"] or part["clock"]:
        hour, minute, second, zone = _clock(clock)
    return TimeMention(match.start(), match.end(), year, month, day, hour, minute, second, zone)


def _chinese_date(part: dict[str, str | None]) -> list[str | None]:
    return [part["year"], part["ym"] or part["month"], part["ymd"] or part["day"]]


def _number(digits: str | None) -> int | None:
    return int(amount(digits)) if digits else None


def _clock(text: str) -> tuple[int, int, int | None, str]:
    hour, minute, second, zone = _CLOCK_PARTS.findall(text)[0]
    return int(hour), int(minute), _number(second), zone.strip()


def spans(text: str) -> tuple[timedelta, ...]:
    """Lengths of the windows written in the text as start/end: "06:00Z/06:30Z" is 30 minutes."""
    lengths = (
        _between(first, second)
        for first, second in pairwise(times_in(text))
        if _PAIR_GAP.fullmatch(text, first.end, second.start)
    )
    return tuple(length for length in lengths if length is not None)


def _between(first: TimeMention, second: TimeMention) -> timedelta | None:
    start = first.moment(_REFERENCE)
    end = second.moment(start) if start else None
    if start is None or end is None:
        return None
    length = end - start
    return length + timedelta(days=1) if length < timedelta(0) and second.day is None else length


_REFERENCE = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
"""Stands in for the parts that a window does not write."""
