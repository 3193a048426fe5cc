"""Clock times and dates as they stand in texts; they are no measured values (R37) and date an item (R9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone, tzinfo
from itertools import pairwise

from domain.values.numerals import DIGITS, POWERS, amount

_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:\s?Z|\s?[+-]\d{2}:?\d{2})"
_CLOCK_PARTS = re.compile(rf"(\d+):(\d+)(?::(\d+))?(?:[.,]\d+)?\s?({_ZONE})?")
_MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = "|".join(_MONTH_NAMES)
_ONE_OR_TWO = rf"(?:\d{{1,2}}|[{DIGITS}十]{{1,3}})"
_PARTS = {"一刻": 15, "半": 30, "三刻": 45}
_TIME = re.compile(
    rf"(?<![\d.:{DIGITS}{POWERS}])(?:"
    rf"(?P<date>\d{{4}}[-/](?:0?[1-9]|1[0-2])[-/](?:3[01]|[12]\d|0?[1-9])(?!\d))"
    rf"(?:[T ]\s?(?P<dated>{_CLOCK}{_ZONE}?)(?![\d:]))?"
    rf"|(?P<logged>\d{{1,2}}/(?:{_MONTHS})/\d{{4}}):(?P<logged_at>{_CLOCK}{_ZONE}?)(?![\d:])"
    rf"|(?P<syslog>(?<![A-Za-z])(?:{_MONTHS})\s{{1,2}}(?:3[01]|[12]\d|0?[1-9]))\s(?P<syslog_at>{_CLOCK})(?![\d:])"
    rf"|(?P<year>\d{{4}}|[{DIGITS}]{{4}})\s?年(?:\s?(?P<ym>{_ONE_OR_TWO})\s?月(?:\s?(?P<ymd>{_ONE_OR_TWO})\s?日)?)?"
    rf"|(?P<month>{_ONE_OR_TWO})\s?月\s?(?P<day>{_ONE_OR_TWO})\s?[日号]"
    rf"|(?P<hour>{_ONE_OR_TWO})\s?(?:[点时]\s?(?P<minute>{_ONE_OR_TWO})\s?分(?![钟之])|点(?P<part>半|[一三]刻)"
    rf"|(?<=\d)点(?=[整钟左前后许])|(?<=\d\s)点(?=[整钟左前后许])|点(?=[整钟]))"
    rf"|(?P<clock>{_CLOCK}Z?)(?![\d:]))"
)
_ZONES = {"UTC": "+00:00", "GMT": "+00:00", "JST": "+09:00", "AEST": "+10:00"} | dict.fromkeys(
    ("北京时间", "东八区", "CST", "UTC+8", "UTC+08:00", "GMT+8"), "+08:00"
)
_ZONE_NAMES = "|".join(map(re.escape, sorted(_ZONES, key=len, reverse=True)))
_ZONE_BEFORE = re.compile(rf"(?P<zone>{_ZONE_NAMES})\s?(?:的|为|：|:)?\s?\Z")
_ZONE_BEHIND = re.compile(rf"\s?[（(]?(?P<zone>{_ZONE_NAMES})(?![A-Za-z0-9+])")
_DAYS_AGO = {"今天": 0, "今日": 0, "today": 0, "昨天": 1, "昨日": 1, "yesterday": 1, "前天": 2}
_PART_OF_DAY = "凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|晚间|夜间"
_DAY_BEFORE = re.compile(rf"(?P<word>{'|'.join(_DAYS_AGO)})\s?(?:的|at)?\s?(?:{_PART_OF_DAY})?\s?\Z", re.IGNORECASE)
_NOON_BEFORE = re.compile(r"(?:下午|傍晚|晚上|晚间|夜间)\s?\Z")
_NOON_BEHIND = re.compile(r"\s?[Pp]\.?[Mm]\b")
_REACH = 16
"""Characters beside a time in which the words that belong to it are looked for."""
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
    days_ago: int | None = None

    def is_part_of(self, other: TimeMention, now: datetime | None = None) -> bool:
        """Whether every part written here is the same there, in this zone; 昨天 is the day before `now`."""
        there = other.in_zone(self.zone)
        if not all(a is None or a == b for a, b in zip(self._parts(), there._parts(), strict=True)):
            return False
        return self.days_ago is None or now is None or there.day is None or there.day in self._days(now)

    def _parts(self) -> tuple[int | None, ...]:
        return (self.year, self.month, self.day, self.hour, self.minute, self.second)

    def _days(self, now: datetime) -> set[int]:
        """The day that 今天 or 昨天 is, for a reader in the zone of the clock or in Beijing."""
        return {(local - timedelta(days=self.days_ago or 0)).day for local in (now, now.astimezone(_BEIJING))}

    def in_zone(self, zone: str) -> TimeMention:
        """The same moment as written in another zone; unchanged where one of the two names none."""
        wanted, written = _zone(zone), _zone(self.zone)
        moment = self.moment(EPOCH) if wanted and written and self.zone != zone else None
        if moment is None:
            return self
        local = moment.astimezone(wanted)
        moved = replace(self, hour=local.hour, minute=local.minute if self.minute is not None else None, zone=zone)
        return (
            moved
            if self.day is None
            else replace(moved, year=self.year and local.year, month=local.month, day=local.day)
        )

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
    year, month, day = _date(part)
    hour, minute, second, zone = (
        _number(part["hour"]),
        _number(part["minute"]) or _PARTS.get(part["part"] or ""),
        None,
        "",
    )
    if clock := part["dated"] or part["clock"] or part["logged_at"] or part["syslog_at"]:
        hour, minute, second, zone = _clock(clock)
    if hour is not None and hour < 12 and _is_after_noon(match):
        hour += 12
    day_word = _DAY_BEFORE.search(match.string, max(0, match.start() - _REACH), match.start())
    days_ago = _DAYS_AGO[day_word["word"].casefold()] if day_word else None
    zone = zone or _zone_beside(match)
    return TimeMention(match.start(), match.end(), year, month, day, hour, minute, second, zone, days_ago)


def _is_after_noon(match: re.Match[str]) -> bool:
    before = _NOON_BEFORE.search(match.string, max(0, match.start() - _REACH), match.start())
    return bool(before or _NOON_BEHIND.match(match.string, match.end()))


def _zone_beside(match: re.Match[str]) -> str:
    """北京时间 10:12, 10:12 CST, 18:12:01（北京时间）."""
    before = _ZONE_BEFORE.search(match.string, max(0, match.start() - _REACH), match.start())
    named = before or _ZONE_BEHIND.match(match.string, match.end())
    return _ZONES[named["zone"]] if named else ""


def _date(part: dict[str, str | None]) -> tuple[int | None, int | None, int | None]:
    if logged := part["logged"]:
        logged_day, name, logged_year = logged.split("/")
        return int(logged_year), _MONTH_NAMES.index(name) + 1, int(logged_day)
    if syslog := part["syslog"]:
        name, syslog_day = syslog.split()
        return None, _MONTH_NAMES.index(name) + 1, int(syslog_day)
    year, month, day = map(_number, re.split("[-/]", part["date"]) if part["date"] else _chinese_date(part))
    return year, month, day


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
    start = first.moment(EPOCH)
    end = second.moment(start) if start else None
    if start is None or end is None:
        return None
    length = end - start
    return length + timedelta(days=1) if length < timedelta(0) and second.day is None else length


_BEIJING = timezone(timedelta(hours=8))
EPOCH = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
"""Stands in for the parts that a window does not write."""
