"""How dates and times are written, a form a row: its pattern, and how what it found is read.

Patterns are bounded and free of nested repeats; a form ends where no further digit could belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from infra.log_reading.formats.clock import Clock, Found
from infra.log_reading.formats.zones import ZONE_NAME

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}
_MONTH = rf"(?:{'|'.join(_MONTHS)})"
_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?"
_HALF = r"(?: ?(?:[AaPp]\.?[Mm]\b\.?|上午|下午))?"
_BEHIND_UTC = r"(?:UTC|GMT)[+-]\d{1,2}(?::?\d{2})?(?!\d)"
_OFFSET = rf"(?: ?(?:[Zz]|[+-]\d{{2}}:?\d{{2}}|{_BEHIND_UTC}|{ZONE_NAME})|[+-]\d{{2}}(?![\d:])| [+-]\d{{2}}(?= \[|,))?"
_TIME = rf"(?:[上下]午 ?)?\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:[.,:]\d{{1,12}})?)?{_HALF}{_OFFSET}"
_END = r"(?![\w/+]|[.,]\d|(?<=\d):\d)"

_PARTS = re.compile(
    r"(?:(?P<before>[上下]午) ?)?(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,:](?P<fraction>\d{1,12}))?)?"
    rf"(?: ?(?P<half>[AaPp]\.?[Mm]\.?|上午|下午))?"
    rf"(?: ?(?P<zone>[Zz](?!\w)|[+-]\d{{2}}(?::?\d{{2}})?|{_BEHIND_UTC}|{ZONE_NAME}))?"
)


@dataclass(frozen=True, slots=True)
class Form:
    """`pattern` has no groups with names; `read` gets what it matched."""

    pattern: str
    read: Callable[[Clock, str], Found]


def _time_of(date: tuple[int, int, int], text: str) -> tuple[datetime, str]:
    """The date with the time of day written in a text, and its zone's name. Raises ValueError."""
    found = _PARTS.search(text)
    if found is None:
        raise ValueError(f"{text!r} has no time of day")
    hour = _hour(int(found["hour"]), found["half"] or found["before"])
    micro = int((found["fraction"] or "0").ljust(6, "0")[:6])
    return datetime(*date, hour, int(found["minute"]), int(found["second"] or 0), micro), found["zone"] or ""


def _hour(written: int, half: str | None) -> int:
    """The hour of a day of 24. Raises ValueError for an hour that no clock of 12 hours shows."""
    if not half:
        return written
    if not 1 <= written <= 12:
        raise ValueError(f"{written} is no hour of a clock of 12")
    return written % 12 + (12 if half[0] in "Pp下" else 0)


# ---------------------------------------------------------------- the year first


def _iso(clock: Clock, text: str) -> Found:
    try:
        return clock.stamp(datetime.fromisoformat(text))
    except ValueError:
        return None


_YEAR_FIRST = re.compile(r"(\d{4})[-/.年]?(\d{1,2})[-/.月]?(\d{1,2})日?")
_BASIC_TIME = re.compile(r"[T _-]?(\d{2})(\d{2})(\d{2})(?=\D|$)")


def _year_first(clock: Clock, text: str) -> Found:
    try:
        return clock.stamp(datetime.fromisoformat(text.replace("/", "-")))
    except ValueError:
        pass
    date = _YEAR_FIRST.match(text)
    if date is None:
        return None
    rest = text[date.end() :]
    rest = _BASIC_TIME.sub(r" \1:\2:\3", rest, count=1) if ":" not in rest[:10] else rest
    try:
        return clock.stamp(*_time_of((int(date[1]), int(date[2]), int(date[3])), rest))
    except ValueError:
        return None


def _dotted_time(clock: Clock, text: str) -> Found:
    """`2005-06-03-15.42.50.675872`, in DB2 with minutes of offset behind it."""
    try:
        at = datetime.fromisoformat(f"{text[:10]} {text[11:19].replace('.', ':')}{text[19:26]}")
        offset = text[26:]
        zone = f"{offset[0]}{int(offset[1:]) // 60:02d}{int(offset[1:]) % 60:02d}" if offset else ""
    except ValueError:
        return None
    return clock.stamp(at, zone)


# ---------------------------------------------------------------- months by name

_DAY_MONTH = re.compile(rf"{_WEEKDAY}(\d{{1,2}})[- /]({_MONTH})[- /,]{{1,2}}(\d{{4}})[:, T]{{1,2}}")


def _access(clock: Clock, text: str) -> Found:
    return clock.of_minute(text[:17] + text[20:], text[18:20], lambda: _day_month(clock, text))


def _day_month(clock: Clock, text: str) -> Found:
    found = _DAY_MONTH.match(text)
    if found is None:
        return None
    try:
        return clock.stamp(*_time_of((int(found[3]), _MONTHS[found[2]], int(found[1])), text[found.end() :]))
    except ValueError:
        return None


def _day_month_area(clock: Clock, text: str) -> Found:
    """With the name of an area whose zone it is, as `Asia/Shanghai`."""
    written, _, area = text.rpartition(" ")
    found = _DAY_MONTH.match(written)
    if found is None:
        return None
    try:
        at, _ = _time_of((int(found[3]), _MONTHS[found[2]], int(found[1])), written[found.end() :])
    except ValueError:
        return None
    return clock.stamp(at, area)


def _day_month_short(clock: Clock, text: str) -> Found:
    day, month, rest = text.split(" ", 2)
    try:
        return clock.without_year(*_time_of((2000, _MONTHS[month], int(day)), rest))
    except ValueError:
        return None


_MONTH_DAY = re.compile(rf"{_WEEKDAY}({_MONTH})[ .]{{1,2}}(\d{{1,2}}),?[ T](?:(\d{{4}}),?[ T])?")
_WEEKDAYS = {name: number for number, name in enumerate(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))}
_SYSLOG_CHARACTERS = len("May  1 10:05:00")
_YEAR_LAST = re.compile(r" ((?:19|20)\d{2})$")


def _month_day(clock: Clock, text: str) -> Found:
    """With its year behind the day or at the end, or without one."""
    if len(text) == _SYSLOG_CHARACTERS:
        return clock.of_minute(text[:12], text[13:15], lambda: _read_month_day(clock, text))
    return _read_month_day(clock, text)


def _read_month_day(clock: Clock, text: str) -> Found:
    found = _MONTH_DAY.match(text)
    if found is None:
        return None
    rest = text[found.end() :]
    last = _YEAR_LAST.search(rest)
    weekday = _WEEKDAYS.get(text[:3])
    if last and weekday is None:
        return None  # the number may be a process
    year = found[3] or (last and last[1])
    try:
        at, zone = _time_of((int(year) if year else 2000, _MONTHS[found[1]], int(found[2])), rest)
    except ValueError:
        return None
    if year:
        return clock.stamp(at, zone)
    return clock.without_year(at, zone, weekday)


# ---------------------------------------------------------------- days and months as numbers

_NUMBERS = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})[, T]{1,2}")


def _numbers(clock: Clock, text: str) -> Found:
    """Two numbers and a year: with dots the day comes first, else the file must show it."""
    found = _NUMBERS.match(text)
    if found is None:
        return None
    first, second = int(found[1]), int(found[2])
    try:
        at, zone = _time_of((int(found[3]), 1, 1), text[found.end() :])
        if "." in found[0]:
            return clock.stamp(at.replace(month=second, day=first), zone)
    except ValueError:
        return None
    return clock.numbered(first, second, at, zone)


def _short_year(clock: Clock, text: str) -> Found:
    """`17/06/09 20:10:40`, `240501 10:00:00`, `081109 203615`: year, month, day by their formats."""
    digits = re.sub(r"\D", "", text)
    date, rest = digits[:6], digits[6:]
    rest = rest.rjust(6, "0")
    try:
        year, month, day = (int(date[place : place + 2]) for place in (0, 2, 4))
        if "/" in text and year <= 12:
            return None  # it may as well be a day or a month
        at = datetime(2000 + year, month, day, int(rest[:2]), int(rest[2:4]), int(rest[4:6]))
    except ValueError:
        return None
    found = clock.stamp(at)
    return None if found is None or clock.is_too_late(found) else found


def _month_number_day(clock: Clock, text: str) -> Found:
    """`0501 10:00:00.123456` and `05-01 10:00:00.123`: no year, the month first by their formats."""
    date, _, rest = text.partition(" ")
    try:
        at, zone = _time_of((2000, int(date[:2]), int(date[-2:])), rest)
    except ValueError:
        return None
    return clock.without_year(at, zone)


# ---------------------------------------------------------------- numbers since 1970


def _epoch(clock: Clock, text: str) -> Found:
    whole, _, fraction = text.partition(".")
    if len(whole) > 11 or not fraction:
        return clock.epoch(int(whole))
    return clock.epoch(int(whole), int(fraction.ljust(6, "0")[:6]))


_TAI_LABEL = 2**62 + 10
"""Of the second 1970-01-01T00:00:00Z; leap seconds since 1972 are not counted by the programs that write it."""


def _tai(clock: Clock, text: str) -> Found:
    return clock.epoch(int(text[1:17], 16) - _TAI_LABEL, int(text[17:], 16) // 1000)


def _loose(clock: Clock, text: str) -> Found:
    """`20171223-22:15:29:606`, whose numbers are not filled up with zeros."""
    date, _, time = text.partition("-")
    hour, minute, second, milli = map(int, time.split(":"))
    try:
        day = (int(date[:4]), int(date[4:6]), int(date[6:]))
        return clock.stamp(datetime(*day, hour, minute, second, milli * 1000))
    except ValueError:
        return None


_DATE_Y = r"\d{4}(?:-\d{1,2}-\d{1,2}|/\d{1,2}/\d{1,2}|\.\d{1,2}\.\d{1,2}|年\d{1,2}月\d{1,2}日)"
_GAP = r"(?:[Tt_]|[, ]{1,2}| - |-(?=\d\d:))"

_YEAR_FIRST_PATTERN = rf"(?:{_DATE_Y}{_GAP}{_TIME}|\d{{8}}[T _-]?(?:\d{{6}}(?:[.,]\d{{1,9}})?{_OFFSET}|{_TIME})){_END}"
_DAY_MONTH_PATTERN = rf"{_WEEKDAY}\d{{1,2}}[- /]{_MONTH}[- /,]{{1,2}}\d{{4}}(?:::?|[, T]{{1,2}}){_TIME}{_END}"
_MONTH_TIME = (
    rf"{_MONTH}[ .]{{1,2}}\d{{1,2}},?[ T](?:(?:19|20)\d{{2}},?[ T])?\d{{1,2}}:\d{{2}}:\d{{2}}(?:[.,]\d{{1,9}})?"
    rf"{_HALF}(?: (?:{_BEHIND_UTC}|{ZONE_NAME}))?"
)
_MONTH_DAY_PATTERN = rf"{_WEEKDAY}{_MONTH_TIME}(?: (?:19|20)\d{{2}}(?![\d/-]|:\d))?{_END}"
_NUMBERS_PATTERN = rf"\d{{1,2}}(?:/\d{{1,2}}/|-\d{{1,2}}-|\.\d{{1,2}}\.)\d{{4}}[, T]{{1,2}}{_TIME}{_END}"

_ISO_PATTERN = (
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,12})?(?:Z|[+-]\d\d:?\d\d)?"
    rf"(?![\w/+]|[.,:]\d| ?(?:[Zz](?!\w)|[AaPp]\.?[Mm]\b|[上下]午|[+-]\d\d|(?:UTC|GMT)[+-]\d|{ZONE_NAME}))"
)


def _any(clock: Clock, text: str) -> Found:
    """Any of the forms that no format must explain."""
    for pattern, read in _by_shape():
        if pattern.match(text):
            return read(clock, text)
    return None


@cache
def _by_shape() -> tuple[tuple[re.Pattern[str], Callable[[Clock, str], Found]], ...]:
    forms = (FORMS[name] for name in ("year", "day_month", "month_day", "numbers"))
    return tuple((re.compile(form.pattern), form.read) for form in forms)


FORMS: dict[str, Form] = {
    "iso": Form(_ISO_PATTERN, _iso),
    "year": Form(_YEAR_FIRST_PATTERN, _year_first),
    "day_month": Form(_DAY_MONTH_PATTERN, _day_month),
    "access": Form(rf"\d{{2}}/{_MONTH}/\d{{4}}:\d{{2}}:\d{{2}}:\d{{2}} [+-]\d{{4}}", _access),
    "syslog": Form(rf"{_MONTH} [ \d]?\d (?:(?:19|20)\d\d )?\d\d:\d\d:\d\d(?:\.\d{{1,9}})?{_END}", _month_day),
    "day_month_area": Form(rf"{_DAY_MONTH_PATTERN} [A-Z][A-Za-z_]{{1,32}}/[A-Za-z_/+-]{{1,64}}", _day_month_area),
    "day_month_short": Form(rf"\d{{1,2}} {_MONTH} \d{{2}}:\d{{2}}:\d{{2}}(?:\.\d{{1,6}})?{_END}", _day_month_short),
    "month_day": Form(_MONTH_DAY_PATTERN, _month_day),
    "numbers": Form(_NUMBERS_PATTERN, _numbers),
    "any": Form(
        rf"(?:{_YEAR_FIRST_PATTERN}|{_DAY_MONTH_PATTERN}|{_MONTH_DAY_PATTERN}|{_NUMBERS_PATTERN})",
        _any,
    ),
    "dotted_time": Form(r"\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d\.\d{6}(?:[+-]\d{1,3})?(?![\d.])", _dotted_time),
    "short_year": Form(r"\d{2}(?:/\d{2}/\d{2}|\d{4}) {1,2}(?:\d{1,2}:\d{2}:\d{2}|\d{6})(?![\d:])", _short_year),
    "month_number": Form(r"\d{2}-?\d{2} \d{2}:\d{2}:\d{2}[.,]\d{1,9}(?!\d)", _month_number_day),
    "epoch": Form(r"(?:\d{19}|\d{16}|\d{13}|\d{10})(?:\.\d{1,9})?(?![\d.]*\d)", _epoch),
    "loose": Form(r"\d{8}-\d{1,2}:\d{1,2}:\d{1,2}:\d{1,3}(?=\|)", _loose),
    "tai": Form(r"@4[0-9a-f]{23}(?![0-9a-f])", _tai),
}
"""By their names in the patterns of formats, where `{iso}` stands for a group `stamp` of that form."""
