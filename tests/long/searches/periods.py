"""Periods that the questions name, by the conventions of tests/unit/question/README.md; days are of UTC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.long.searches.stamps import MONTHS

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Named:
    """A period in words of both languages; `start` None: ever."""

    chinese: str
    english: str
    start: datetime | None
    end: datetime


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _back(chinese: str, english: str, length: timedelta) -> Callable[[datetime], Named]:
    return lambda now: Named(chinese, english, now - length, now)


def _today(now: datetime) -> Named:
    return Named("今天", "today", _midnight(now), now)


def _yesterday(now: datetime) -> Named:
    return Named("昨天", "yesterday", _midnight(now) - DAY, _midnight(now))


def _hours_of_yesterday(now: datetime) -> Named:
    start = _midnight(now) - DAY + 14 * HOUR
    return Named("昨天 14:00 到 16:00", "yesterday between 14:00 and 16:00", start, start + 2 * HOUR)


def _hours_of_today(now: datetime) -> Named:
    end = now.replace(minute=0, second=0, microsecond=0)
    start = end - HOUR
    return Named(f"今天 {start:%H:%M} 到 {end:%H:%M}", f"between {start:%H:%M} and {end:%H:%M} today", start, end)


def _date(now: datetime) -> Named:
    start = _midnight(now) - 3 * DAY
    return Named(f"{start.month} 月 {start.day} 日", f"on {MONTHS[start.month - 1]} {start.day}", start, start + DAY)


def _since_yesterday(now: datetime) -> Named:
    return Named("昨天以来", "since yesterday", _midnight(now) - DAY, now)


def _week(now: datetime) -> Named:
    return Named("本周", "this week", _midnight(now) - now.weekday() * DAY, now)


def _night(now: datetime) -> Named:
    return Named("昨晚", "last night", _midnight(now) - 6 * HOUR, _midnight(now) + 6 * HOUR)


PERIODS: dict[str, Callable[[datetime], Named]] = {
    "none named": _back("", "", HOUR),
    "an hour": _back("最近1小时", "in the last hour", HOUR),
    "two hours": _back("最近两小时", "in the past two hours", 2 * HOUR),
    "ninety minutes": _back("最近 90 分钟", "in the last 90 minutes", 1.5 * HOUR),
    "half an hour": _back("过去半小时", "over the last half hour", 0.5 * HOUR),
    "a day back": _back("过去 24 小时", "in the past 24 hours", DAY),
    "today": _today,
    "yesterday": _yesterday,
    "hours of yesterday": _hours_of_yesterday,
    "hours of today": _hours_of_today,
    "a date": _date,
    "since yesterday": _since_yesterday,
    "this week": _week,
    "last night": _night,
    "ever": lambda now: Named("历史上", "over all time", None, now),
}
