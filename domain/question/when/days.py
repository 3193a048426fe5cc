"""Days as questions name them, and which days of the calendar they are (R70)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

from domain.language.time_words import Span

_MONTHS_OF = {Span.MONTH: 1, Span.QUARTER: 3, Span.YEAR: 12}
_YEARS_BACK = 8
"""A 29th of February may be so far back."""


@dataclass(frozen=True, slots=True)
class Days:
    """Days named by their distance from today (`offset` spans back or ahead), by weekday, or by the parts of a date.

    `span` is None for a date or a weekday alone; `strictly`: last Friday is not today. `exists`: False where the
    words name no day for sure (05/06, 13 月).
    """

    span: Span | None = None
    offset: int | None = None
    weekday: int | None = None
    year: int | None = None
    month: int | None = None
    day: int | None = None
    strictly: bool = False
    following: bool = False
    exists: bool = True

    @property
    def is_number(self) -> bool:
        """Whether it is the number of a day alone: 3 号."""
        return self.day is not None and self.month is None and self.span is None

    def within(self, other: Days) -> Days | None:
        """These days inside others: 上周 + 周五, 去年 + 5 月 1 日; None where the two do not go together."""
        if self.weekday is not None and self.span is None and other.span is Span.WEEK and other.weekday is None:
            return replace(other, weekday=self.weekday)
        if self.span is None and self.weekday is None and other.day is None and self.exists and other.exists:
            if other.span is Span.YEAR and self.month is not None and self.year is None:
                return replace(other, month=self.month, day=self.day)
            if self.is_number and (other.span is Span.MONTH or (other.span is None and other.month is not None)):
                return replace(other, day=self.day)
        return None

    def on(self, today: date) -> tuple[date, date] | None:
        """From the first day to the day after the last one; None where there are no such days."""
        try:
            return self._found(today) if self.exists else None
        except (ValueError, OverflowError):
            return None

    def _found(self, today: date) -> tuple[date, date] | None:
        if self.span is Span.DAY:
            return _one(today + timedelta(days=self.offset or 0))
        if self.span in {Span.WEEK, Span.WEEKEND}:
            return self._in_week(today)
        if self.span is not None:
            return self._in_months(today, self.span)
        if self.weekday is not None:
            back = (today.weekday() - self.weekday) % 7
            return _one(today - timedelta(days=back or (7 if self.strictly else 0)))
        return self._dated(today)

    def _in_week(self, today: date) -> tuple[date, date]:
        monday = today - timedelta(days=today.weekday())
        if self.span is Span.WEEKEND:
            weeks = self.offset if self.offset is not None else (0 if today.weekday() >= 5 else -1)
            return _days(monday + timedelta(days=5 + 7 * weeks), 2)
        monday += timedelta(days=7 * (self.offset or 0))
        return _days(monday, 7) if self.weekday is None else _one(monday + timedelta(days=self.weekday))

    def _in_months(self, today: date, span: Span) -> tuple[date, date]:
        length = _MONTHS_OF[span]
        ordinal = (today.year * 12 + today.month - 1) // length * length + length * (self.offset or 0)
        if self.month is not None:
            ordinal, length = ordinal + self.month - 1, 1
        if self.day is not None:
            return _one(_first_of(ordinal).replace(day=self.day))
        return _first_of(ordinal), _first_of(ordinal + length)

    def _dated(self, today: date) -> tuple[date, date] | None:
        """The date; of one without its year or month the latest that has begun."""
        if self.year is not None:
            return self._in_year(self.year)
        if self.month is not None:
            years = range(today.year, today.year - _YEARS_BACK - 1, -1)
            latest = today.replace(day=1) - timedelta(days=1) if self.strictly else today
            return next((found for year in years if (found := self._of_year(year)) and found[0] <= latest), None)
        months = range(today.year * 12 + today.month - 1, today.year * 12 + today.month - 4, -1)
        days = [_first_of(month) + timedelta(days=(self.day or 1) - 1) for month in months]
        exact = [day for day, month in zip(days, months, strict=True) if day.month == month % 12 + 1]
        return next((_one(day) for day in exact if day <= today), None) if self.day else None

    def _of_year(self, year: int) -> tuple[date, date] | None:
        try:
            return self._in_year(year)
        except ValueError:
            return None

    def _in_year(self, year: int) -> tuple[date, date]:
        if self.month is None:
            return date(year, 1, 1), date(year + 1, 1, 1)
        if self.day is None:
            first = date(year, self.month, 1)
            return first, _first_of(first.year * 12 + first.month)
        return _one(date(year, self.month, self.day))


def _first_of(ordinal: int) -> date:
    """The first of the month that is so many months after the year 0."""
    return date(ordinal // 12, ordinal % 12 + 1, 1)


def _one(day: date) -> tuple[date, date]:
    return _days(day, 1)


def _days(first: date, count: int) -> tuple[date, date]:
    return first, first + timedelta(days=count)
