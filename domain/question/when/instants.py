"""Which instants the points and phrases of a question are, by a clock and a zone (R70).

Days are days of the zone, of 23 or 25 hours where its clock changes; lengths are elapsed time. An hour that comes
twice is taken both times, one that is skipped is no time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from fractions import Fraction

from domain.language.time_words import Part
from domain.question.when.days import Days
from domain.question.when.phrases import Phrase, Shape
from domain.question.when.points import Point

MARGIN = timedelta(minutes=15)
"""A point of time (10:05, 10:05 左右, 两小时前) is so long before and after it."""
_ZONES_APART = timedelta(hours=14)
"""A day that has begun somewhere may have done so much later elsewhere."""
_LONGEST_NIGHT = 16 * 3600
"""Seconds: a range whose end is earlier in the day than its start crosses midnight if it is no longer than this."""
_HALF_DAY, _DAY = 43_200, 86_400


class NotUnderstood(Exception):
    """The words name no instants, or none for sure."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Instants in UTC; None is open."""

    start: datetime | None
    end: datetime | None

    def holds(self, other: Bounds) -> bool:
        starts = self.start is None or (other.start is not None and self.start <= other.start)
        return starts and (self.end is None or (other.end is not None and other.end <= self.end))

    def common(self, other: Bounds) -> Bounds:
        """What both hold, where one holds the other or each is open where the other is not; else NotUnderstood."""
        if self.holds(other):
            return other
        if other.holds(self):
            return self
        for since, before in ((self, other), (other, self)):
            if since.end is None and before.start is None and since.start and before.end and since.start < before.end:
                return Bounds(since.start, before.end)
        raise NotUnderstood


class Instants:
    """Finds the instants of phrases. `now` is aware; all that is returned is in UTC and nothing ends after `now`."""

    def __init__(self, now: datetime, zone: tzinfo) -> None:
        self._now, self._zone = now.astimezone(UTC), zone

    def of(self, phrase: Phrase) -> Bounds:
        """Raises NotUnderstood."""
        try:
            found = self._of(phrase)
        except (OverflowError, ValueError) as fault:
            raise NotUnderstood from fault
        if found.start is not None and found.start > self._now:
            raise NotUnderstood
        return replace(found, end=min(found.end, self._now)) if found.end else found

    def least(self, phrase: Phrase) -> timedelta | None:
        """How long the period is at least, in whatever zone its days are; None where it has no length of its own."""
        try:
            found = self._of(phrase)
        except (NotUnderstood, OverflowError, ValueError):
            return None
        if phrase.shape is Shape.EVER:
            return timedelta.max
        if found.start is None or (phrase.shape is Shape.POINT and phrase.first.clock):
            return None
        goes_on = found.end is None or found.end > self._now
        return self._now - found.start - _ZONES_APART if goes_on or not found.end else found.end - found.start

    def _of(self, phrase: Phrase) -> Bounds:
        first = phrase.first
        match phrase.shape:
            case Shape.EVER:
                return Bounds(None, None)
            case Shape.UNCLEAR:
                raise NotUnderstood
            case Shape.BACK:
                return Bounds(self._now - _seconds(phrase.length), self._now)
            case Shape.BESIDE:
                return self._beside(first, _seconds(phrase.length), _seconds(phrase.after))
            case Shape.SINCE:
                return Bounds(self._span(first).start, None)
            case Shape.BEFORE | Shape.UNTIL:
                return self._before(first, inclusive=phrase.shape is Shape.UNTIL)
            case Shape.RANGE:
                return self._range(first, phrase.last)
            case Shape.POINT:
                is_instant = first.clock is not None or first.ago is not None
                return self._beside(first, MARGIN, MARGIN) if is_instant else self._span(first)

    # ------------------------------------------------------------ points

    def _beside(self, point: Point, before: timedelta, after: timedelta) -> Bounds:
        span = self._span(point)
        if span.start is None or span.end is None or (point.clock is None and point.ago is None):
            raise NotUnderstood
        if span.start > self._now:
            raise NotUnderstood
        return Bounds(span.start - before, span.end + after)

    def _before(self, point: Point, *, inclusive: bool) -> Bounds:
        """Up to a point; with a day named, from the start of that day (今天 10 点之前)."""
        span = self._span(point)
        if point.clock is None:
            return Bounds(None, span.end if inclusive else span.start)
        return Bounds(self._span(Point(point.days, zone=point.zone)).start if point.days else None, span.end)

    def _span(self, point: Point) -> Bounds:
        """The days or the part of a day of the point; of an instant its one moment."""
        if not point.is_clear:
            raise NotUnderstood
        if point.ago is not None:
            moment = self._now - _seconds(point.ago)
            return Bounds(moment, moment)
        zone = self._zone_of(point)
        if point.clock is None and point.part is None:
            first, behind = self._days(point, zone)
            return Bounds(_midnight(first, zone), _midnight(behind, zone))
        start, end = _hours(point)
        day = self._day(point, zone, start[0])
        if point.clock is not None:
            return _moment(day, start[0], zone)
        return Bounds(_moment(day, start[0], zone, sure=False).start, _moment(day, end, zone, sure=False).end)

    def _zone_of(self, point: Point) -> tzinfo:
        if point.zone is None:
            return self._zone
        zone = datetime.fromisoformat(f"2000-01-01T00:00:00{point.zone.offset}").tzinfo
        if zone is None:
            raise NotUnderstood
        return zone

    def _days(self, point: Point, zone: tzinfo) -> tuple[date, date]:
        found = point.days.on(self._now.astimezone(zone).date()) if point.days else None
        if found is None:
            raise NotUnderstood
        return found

    def _day(self, point: Point, zone: tzinfo, seconds: int) -> date:
        """The day of a time: the one that is named, else the latest on which it has come."""
        if point.days is not None:
            first, behind = self._days(point, zone)
            if behind - first != timedelta(days=1):
                raise NotUnderstood
            return first
        today = self._now.astimezone(zone).date()
        days = (today - timedelta(days=back) for back in range(3))
        return next(day for day in days if (_moment(day, seconds, zone, sure=False).start or self._now) <= self._now)

    # ------------------------------------------------------------ ranges

    def _range(self, first: Point, last: Point | None) -> Bounds:
        if last is None:
            return Bounds(self._span(first).start, self._now)
        if first.days and last.days and first.days.is_number and last.days.month:  # 1 to 3 May
            first = replace(first, days=replace(last.days, day=first.days.day))
        first, last = _sharing(first, last)
        if first.clock and last.clock and first.is_clear and last.is_clear:
            return self._clock_range(first, last)
        start = self._span(first)
        if last.days is None and first.days is not None and last.clock is None:
            last = replace(last, days=first.days)
        end = self._span(self._dated_behind(first, last))
        if start.start is None or end.end is None or end.end <= start.start:
            raise NotUnderstood
        return Bounds(start.start, end.end)

    def _dated_behind(self, first: Point, last: Point) -> Point:
        """The last day of a range, where it is named by its weekday, its number or without its year."""
        days = last.days
        if days is None or first.days is None or days.year or days.span:
            return last
        begin = self._days(first, self._zone_of(first))[0]
        if days.following:
            found = begin + timedelta(days=1)
        elif days.weekday is not None:
            found = begin + timedelta(days=(days.weekday - begin.weekday()) % 7)
        elif days.month is None:
            found = begin.replace(day=days.day or 1)
        else:
            crosses = first.days.month is not None and days.month < first.days.month
            return replace(last, days=replace(days, year=begin.year + crosses))
        return replace(last, days=Days(year=found.year, month=found.month, day=found.day))

    def _clock_range(self, first: Point, last: Point) -> Bounds:
        """Of the hours that the words leave open (2 and 3 pm, 23 点到 1 点) those that are nearest to each other."""
        zone, is_next = self._zone_of(first), bool(last.days and last.days.following)
        last = replace(last, days=None) if is_next else self._dated_behind(first, last)
        starts, ends = _hours(first, last)[0], _hours(last, first)[0]
        if is_next:
            day = self._day(first, zone, starts[0])
            return Bounds(_moment(day, starts[0], zone).start, _moment(day, ends[0] + _DAY, zone).end)
        if last.days is not None:
            begin, finish = _moment(self._day(first, zone, starts[0]), starts[0], zone), self._span(last)
            return _ordered(begin.start, finish.end)
        ends = (*ends, *(end + _DAY for end in ends))
        length, start = min(((e - s, s) for s in starts for e in ends if e > s), default=(_DAY, 0))
        if start + length > _DAY and length > _LONGEST_NIGHT:
            raise NotUnderstood
        day = self._day(first, zone, start)
        return Bounds(_moment(day, start, zone).start, _moment(day, start + length, zone).end)


def _ordered(start: datetime | None, end: datetime | None) -> Bounds:
    if start is None or end is None or end <= start:
        raise NotUnderstood
    return Bounds(start, end)


def _sharing(first: Point, last: Point) -> tuple[Point, Point]:
    """What one end of a range says for both: the zone, and the day that only the last one names."""
    zone = first.zone or last.zone
    days = first.days or (last.days if last.clock and not (last.days and last.days.following) else None)
    is_same = first.days is None and days is not None
    return replace(first, zone=zone, days=days), replace(
        last, zone=last.zone or zone, days=None if is_same else last.days
    )


def _hours(point: Point, other: Point | None = None) -> tuple[tuple[int, ...], int]:
    """The seconds since midnight that a time may mean; of a part of a day its start and its end."""
    if point.clock is None:
        part = point.part or Part(0, 24, 0, 24, "", "")
        return (part.start * 3600,), part.end * 3600
    clock = point.clock
    if not clock.exists:
        raise NotUnderstood
    if point.part is None:
        told = other is not None and other.clock is not None and (other.part or other.clock.half)
        is_open = told and not (clock.half or clock.is_padded) and 1 <= clock.hour <= 12
        return ((clock.of_day, clock.of_day + _HALF_DAY) if is_open else (clock.of_day,)), 0
    part = point.part
    shifts = (0, _DAY) if clock.half else (0, _HALF_DAY, _DAY, *([-_HALF_DAY] if clock.hour == 12 else []))
    fitting = tuple(s for shift in shifts if part.low * 3600 <= (s := clock.of_day + shift) < (part.high + 1) * 3600)
    if not fitting:
        raise NotUnderstood
    return fitting[:1], 0


def _seconds(count: Fraction) -> timedelta:
    return timedelta(seconds=float(count))


def _midnight(day: date, zone: tzinfo) -> datetime:
    return _at(day, 0, zone)[0]


def _moment(day: date, seconds: int, zone: tzinfo, *, sure: bool = True) -> Bounds:
    """A time of day; from its first coming to its second where it comes twice. `sure`: it must not be skipped."""
    start, end = sorted(_at(day, seconds, zone))
    if sure and start.astimezone(zone).replace(tzinfo=None) != _wall(day, seconds):
        raise NotUnderstood
    return Bounds(start, end)


def _at(day: date, seconds: int, zone: tzinfo) -> tuple[datetime, datetime]:
    wall = _wall(day, seconds)
    early, late = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return early, late


def _wall(day: date, seconds: int) -> datetime:
    return datetime.combine(day, time()) + timedelta(seconds=seconds)
