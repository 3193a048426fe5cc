"""Days by name, and parts of days: 昨天, 上周五, last Friday, the weekend, 今早, last night (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domain.language import time_words as words
from domain.language.time_words import Part, Span, listed
from domain.question.when.days import Days
from domain.question.when.pieces import ENDS, WHOLE, Kind, plain, whole

_DAYS = {word: row.value for row in words.DAYS for word in row.words}
_SHORT_DAYS = {word: row.value for row in words.SHORT_DAYS for word in row.words}
_YEARS = {word: row.value for row in words.YEARS for word in row.words}
_SPANS = {word: span for span, zh, en in words.SPANS for word in listed(zh, en)}
_SHIFTS = {word: row.value for row in words.SHIFTS for word in row.words}
_WEEKDAYS = {word: row.value for row in words.WEEKDAYS for word in row.words}
_PARTS = {word: part for part in (*words.PARTS, words.WHOLE_DAY) for word in listed(part.zh, part.en)}
_LATIN_DAYS = [name for name in _WEEKDAYS if name.isascii() and len(name) > 1]

_NAMED = (
    rf"(?P<named>{whole(_DAYS)})(?!晚)|(?P<a_year>{whole(_YEARS)})|(?P<tonight>{whole([words.TONIGHT])})"
    rf"|(?P<last_night>昨[天日]?的?{whole(words.NIGHT.zh.split())}|{whole(listed('', words.LAST_NIGHT))})"
    rf"|(?P<short>{plain(_SHORT_DAYS)}) ?(?={plain((*words.SHORT_PARTS, '凌', 'morning', 'afternoon', 'evening'))})"
)
_WEEK = plain(words.WEEK_WORDS.split())
_NOT_A_DAY = r"(?![次期志致方])"
_CALENDAR = (
    rf"(?<!the )(?P<shift>{whole(_SHIFTS)}) ?(?P<spanned>{whole(_SPANS)})"
    rf"(?P<shift_day>[一二三四五六日天1-7]{_NOT_A_DAY}(?!\d))?"
    rf"|(?<!每)(?P<zh_week>{_WEEK})(?P<weekday>[一二三四五六日天]{_NOT_A_DAY}|[1-7](?![\d.]))"
    rf"|(?<!每)(?P<weekend>周末|{WHOLE}(?:the )?weekend{ENDS})|(?P<before_last>{WHOLE}(?:the )?week before last{ENDS})"
    rf"|(?:(?P<shifted>last|previous|past|this|next) )?(?P<weekday_name>{whole(n for n in _LATIN_DAYS if len(n) > 5)})"
    rf"|(?:(?<=on )|(?<=last )|(?<=since )|(?<=from )|(?<=to )|(?<=until )|(?<=before )|(?<=after ))"
    rf"(?P<weekday_short>{whole(n for n in _LATIN_DAYS if len(n) <= 5)})"
)
_PART = (
    rf"(?<!good )(?P<whole_part>{whole(_PARTS)})"
    rf"|(?<=[昨今前当明天日号一二三四五六末])(?P<short_part>{whole(words.SHORT_PARTS)})"
)


def _named(match: re.Match[str]) -> Iterator[Days | Part]:
    if match["a_year"]:
        yield Days(Span.YEAR, _YEARS[match["a_year"]])
    elif match["named"]:
        yield Days(Span.DAY, _DAYS[match["named"]])
    elif match["short"]:
        yield Days(Span.DAY, _SHORT_DAYS[match["short"]])
    else:
        yield Days(Span.DAY, 0 if match["tonight"] else -1)
        yield words.EVENING if match["tonight"] else words.NIGHT


def _calendar(match: re.Match[str]) -> Iterator[Days]:
    if match["shift"]:
        yield Days(_SPANS[match["spanned"]], _SHIFTS[match["shift"]], _weekday(match["shift_day"]))
    elif match["weekday_name"]:
        yield _english_weekday(_WEEKDAYS[match["weekday_name"]], match["shifted"] or "")
    elif match["weekend"]:
        yield Days(Span.WEEKEND)
    elif match["before_last"]:
        yield Days(Span.WEEK, -2)
    else:
        is_last = match.string.endswith("last ", 0, match.start())
        yield Days(weekday=_weekday(match["weekday"] or match["weekday_short"]), strictly=is_last)


def _weekday(name: str | None) -> int | None:
    return _WEEKDAYS[name] if name else None


def _english_weekday(weekday: int, shift: str) -> Days:
    """Last Friday is the latest one before today; this Friday is of this week."""
    is_of_week = shift in {"this", "next"}
    return Days(Span.WEEK, _SHIFTS[shift], weekday) if is_of_week else Days(weekday=weekday, strictly=bool(shift))


def _part(match: re.Match[str]) -> Iterator[Part]:
    yield _PARTS[match["whole_part"]] if match["whole_part"] else words.SHORT_PARTS[match["short_part"]]


NAMED_DAYS = (Kind(_NAMED, _named), Kind(_CALENDAR, _calendar), Kind(_PART, _part))
