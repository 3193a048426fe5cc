"""Written dates and times as stamps in UTC, by what is known of their input (R9, R68).

What cannot be decided is no stamp: nothing here guesses. A year that is not written is the latest that makes the stamp
neither later than tomorrow nor than the day after the input's last change, unless dates in its lines show another; the
stamp says that it is assumed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cached_property

from domain.evidence.search import Stamp
from infra.log_reading.formats.context import FIRST_CHANGE, Context
from infra.log_reading.formats.years import Years, years_of
from infra.log_reading.formats.zones import zone_named, zone_of_area

_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_UNITS = ((10**17, 10**9), (10**14, 10**6), (10**11, 10**3), (0, 1))  # at least this much -> units a second
_FIRST_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_FIRST_YEAR = 1980
"""A clock that shows an earlier year was not set."""
_LEAP_YEARS = 9
_WEEKDAY_YEARS = 13  # a date falls on every day of the week within them, but for 29 February
_MINUTES = 256
_FARTHEST = timedelta(hours=26)  # that two zones lie apart


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A stamp whose day and month may be either of two numbers, until the file shows which."""

    month_first: datetime
    day_first: datetime
    zone: str


Found = Stamp | Unsettled | None
"""A stamp, one that the rest of the file may settle, or None for one that is not understood."""


class Clock:
    """Makes stamps of one input's written times, and remembers what its lines have shown."""

    def __init__(self, context: Context) -> None:
        self.zone_used = False
        self.day_first: bool | None = None
        self.order_is_broken = False
        self._again = context.again
        self._zone, self._zone_known = context.zone, context.zone_known
        changed = context.last_change
        self._last_epoch = max(context.now, changed) + 366 * _DAY
        self._now = context.now
        self._latest = min(context.now, changed if changed > FIRST_CHANGE else context.now) + _DAY
        self._hour: tuple[int, int, int, int] | None = None
        self._offset = timedelta()
        self._day = (0, 0)
        self._year = 0
        self._minutes: dict[str, Stamp] = {}

    # ------------------------------------------------------------ zones

    def stamp(self, at: datetime, zone: str = "") -> Stamp | None:
        """The stamp of a date and time, naive or with its zone; `zone` is a name or an offset written behind it."""
        if at.year < _FIRST_YEAR:
            return None
        try:
            if at.tzinfo is UTC:
                return Stamp(at, True)
            if at.tzinfo is not None:
                return Stamp(at.astimezone(UTC), True)
            if zone:
                return self._zoned(at, zone)
            return self._assumed(at)
        except (ValueError, OverflowError):
            return None

    def _zoned(self, at: datetime, zone: str) -> Stamp:
        if zone[0] in "+-Zz" or zone[-1].isdigit():
            return Stamp(at.replace(tzinfo=_offset_of(zone)).astimezone(UTC), True)
        if found := zone_of_area(zone) if "/" in zone else zone_named(zone.upper()):
            return Stamp(at.replace(tzinfo=found).astimezone(UTC), True)
        assumed = self._assumed(at)
        is_of_setting = at.replace(tzinfo=self._zone).tzname() == zone
        return Stamp(assumed.at, self._zone_known and is_of_setting)

    def _assumed(self, at: datetime) -> Stamp:
        """By the zone of the input; its offset is looked up once an hour of stamps."""
        self.zone_used = True
        hour = (at.year, at.month, at.day, at.hour)
        if hour != self._hour:
            self._offset = at.replace(minute=0, second=0, microsecond=0, tzinfo=self._zone).utcoffset() or timedelta()
            self._hour = hour
        return Stamp(at.replace(tzinfo=UTC) - self._offset, self._zone_known)

    def of_minute(self, minute: str, second: str, read: Callable[[], Found]) -> Found:
        """The stamp of a second of a minute that was read before, which most lines of an input are; else of `read`."""
        known = self._minutes.get(minute)
        if known is not None and second < "60":
            return Stamp(known.at + timedelta(seconds=int(second)), known.zone_known, known.latest_year)
        found = read()
        if isinstance(found, Stamp) and second.isdigit():
            if len(self._minutes) >= _MINUTES:
                self._minutes.clear()
            start = found.at - timedelta(seconds=int(second))
            self._minutes[minute] = Stamp(start, found.zone_known, found.latest_year)
        return found

    # ------------------------------------------------------------ years and numbers

    def epoch(self, number: float, fraction: int = 0) -> Stamp | None:
        """Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size. `fraction`: further
        microseconds."""
        units = next((units for least, units in _EPOCH_UNITS if number >= least), 1)
        try:
            if units == 1 and isinstance(number, int):
                at = _EPOCH + timedelta(seconds=number, microseconds=fraction)
            elif isinstance(number, int):
                at = _EPOCH + timedelta(microseconds=number * 1_000_000 // units)
            else:
                at = _EPOCH + timedelta(seconds=number / units)
        except OverflowError:
            return None
        return Stamp(at, True) if _FIRST_EPOCH <= at <= self._last_epoch else None

    def without_year(self, at: datetime, zone: str = "", weekday: int | None = None) -> Stamp | None:
        """The latest such day and time that is not too late, whatever the year of `at`; 29 February of a leap year.
        Where the lines of the input show which year it is, of that one.

        `weekday`: from 0 for Monday, where it is written; then it is of a year with that day.
        """
        years = self._years
        if years is not None and weekday is None:
            year, latest = years.next_in(at.month)
            try:
                found = self.stamp(at.replace(year=year), zone)
            except ValueError:
                found = None
            if found is not None and (found.at <= self._latest or years.is_shown):
                return Stamp(found.at, found.zone_known, latest)
        found = self._latest_on(at, zone, weekday)
        return found and replace(found, latest_year=found.at.year)

    def _latest_on(self, at: datetime, zone: str, weekday: int | None) -> Stamp | None:
        if weekday is None and self._day == (at.month, at.day):
            found = self.stamp(at.replace(year=self._year), zone)
            if found is not None and found.at <= self._latest:
                return found
        back = _LEAP_YEARS if weekday is None else _WEEKDAY_YEARS
        for year in range(self._latest.year + 1, self._latest.year - back, -1):
            if _is_leap_day(at) and not _is_leap(year):
                continue
            if weekday not in (None, at.replace(year=year).weekday()):
                continue
            found = self.stamp(at.replace(year=year), zone)
            if found is not None and found.at <= self._latest:
                is_far = self._latest - found.at > 2 * _DAY
                self._day, self._year = ((at.month, at.day) if is_far else (0, 0)), year
                return found
        return None

    @cached_property
    def _years(self) -> Years | None:
        """What all lines show of their years, where they can be read once more."""
        if self._again is None:
            return None
        try:
            return years_of(self._again, self._latest, self._now)
        except (OSError, EOFError):
            return None

    def is_too_late(self, stamp: Stamp) -> bool:
        return stamp.at > self._latest

    # ------------------------------------------------------------ days and months

    def numbered(self, first: int, second: int, rest: datetime, zone: str) -> Stamp | Unsettled | None:
        """The stamp of a date whose day and month are two numbers in an unknown order; `rest` has the other parts."""
        try:
            if first > 12 or second > 12:
                return self._shown(first, second, rest, zone)
            if first == second:
                return self.stamp(rest.replace(month=first, day=second), zone)
            unsettled = Unsettled(rest.replace(month=first, day=second), rest.replace(month=second, day=first), zone)
        except ValueError:
            return None
        if self.order_is_broken:
            return None
        return self.settled(unsettled) if self.day_first is not None else unsettled

    def _shown(self, first: int, second: int, rest: datetime, zone: str) -> Stamp | None:
        is_day_first = first > 12
        if self.day_first is not None and self.day_first is not is_day_first:
            self.order_is_broken = True
        self.day_first = is_day_first
        month, day = (second, first) if is_day_first else (first, second)
        return self.stamp(rest.replace(month=month, day=day), zone)

    def settled(self, unsettled: Unsettled) -> Stamp | None:
        """What the file has shown of it by now."""
        if self.day_first is None or self.order_is_broken:
            return None
        return self.stamp(unsettled.day_first if self.day_first else unsettled.month_first, unsettled.zone)


def with_inner(outer: Stamp, inner: Stamp) -> Stamp:
    """The stamp of a line with an entry inside: of the inner one, if only that one's zone is known, and in its year, if
    only that is. A date that lies elsewhere is what the line tells of, and where another year was assumed it may be:
    then the year stays open."""
    stamp = outer
    if outer.latest_year is not None and inner.latest_year is None:
        years = (inner.at.year, inner.at.year - 1, inner.at.year + 1)
        found = (outer.at.replace(year=year) for year in years if _is_leap(year) or not _is_leap_day(outer.at))
        at = next((one for one in found if abs(one - inner.at) <= _FARTHEST), None)
        if at is not None:
            latest = None if at == outer.at else max(at.year, outer.latest_year)
            stamp = Stamp(at, outer.zone_known, latest)
    if inner.zone_known and not outer.zone_known and abs(stamp.at - inner.at) <= _FARTHEST:
        return Stamp(inner.at, True, stamp.latest_year)
    return stamp


def _is_leap_day(at: datetime) -> bool:
    return (at.month, at.day) == (2, 29)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _offset_of(written: str) -> tzinfo:
    """The zone of `Z`, `+08`, `+0800` or `+08:00`. Raises ValueError."""
    if written in "Zz":
        return UTC
    written = written.removeprefix("UTC").removeprefix("GMT")
    digits = written[1:].replace(":", "")
    digits = f"0{digits}" if len(digits) in (1, 3) else digits
    hours, minutes = int(digits[:2]), int(digits[2:4] or 0)
    if hours > 14 or minutes > 59:
        raise ValueError(f"{written} is no offset")
    size = timedelta(hours=hours, minutes=minutes)
    return timezone(-size if written[0] == "-" else size)
