"""Days by name, and parts of days: 昨天, 上周五, last Friday, the weekend, 今早, last night (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domain.language import time_words as words
from domain.language.time_words import Part, Span, listed
from domain.question.when.days import Days
from domain.question.when.pieces import ENDS, TWO, WHOLE, Kind, plain, whole

_DAYS = {word: row.value for row in words.DAYS for word in row.words}
_SHORT_DAYS = {word: row.value for row in words.SHORT_DAYS for word in row.words}
_YEARS = {word: row.value for row in words.YEARS for word in row.words}
_SPANS = {word: span for span, zh, en in words.SPANS for word in listed(zh, en)}
_SHIFTS = {word: row.value for row in words.SHIFTS for word in row.words}
_WEEKDAYS = {word: row.value for row in words.WEEKDAYS for word in row.words}
_PARTS = {word: part for part in (*words.PARTS, words.WHOLE_DAY) for word in listed(part.zh, part.en)}
_LATIN_DAYS = [name for name in _WEEKDAYS if name.isascii() and len(name) > 1]

_NAMED = (
    rf"(?P<early>{whole(words.EARLY)})|(?P<night_before>{whole(words.NIGHT_BEFORE)})"
    rf"|(?P<last_night>昨[天日儿]?的?{whole(words.NIGHT.zh.split())}|{whole(listed('', words.LAST_NIGHT))})"
    rf"|(?P<named>{whole(_DAYS)})|(?P<a_year>{whole(_YEARS)}(?![底初末中]))|(?P<tonight>{whole([words.TONIGHT])})"
    rf"|(?<![天周月年时钟分点](?=前))(?P<short>{plain(_SHORT_DAYS)})"
    rf" ?(?={plain((*words.SHORT_PARTS, '凌', 'morning', 'afternoon', 'evening'))})"
)
_STRETCHES = {span.value: span for span in Span if span is not Span.WEEKEND}
_NAME = plain(name for name in _LATIN_DAYS if len(name) == 3 or len(name) > 5)
_NAME_END = "|".join(name[-3:] for name in _LATIN_DAYS if len(name) == 3 or name == "monday")
_WEEK = plain(words.WEEK_WORDS.split())
_NOT_A_DAY = r"(?![次期志致方])"
_CALENDAR = (
    rf"(?P<to_date>{whole(_STRETCHES)}) to date|(?<=(?:rt|ng) of the )(?P<started>{whole(_STRETCHES)})"
    rf"|(?<!the )(?P<shift>{whole(_SHIFTS)}) ?(?P<spanned>{whole(_SPANS)})(?![底初末中]|末)"
    rf"(?P<shift_day>[一二三四五六日天1-7]{_NOT_A_DAY}(?!\d))?"
    rf"|(?<!每)(?P<zh_week>{_WEEK})(?P<weekday>[一二三四五六日天]{_NOT_A_DAY}|[1-7](?![\d.]))"
    rf"|(?<!每)(?P<weekend>周末|{WHOLE}(?:the )?weekend{ENDS})|(?P<before_last>{WHOLE}(?:the )?week before last{ENDS})"
    rf"|(?:(?P<shifted>last|previous|past|this|next) )?(?P<weekday_name>{whole(n for n in _LATIN_DAYS if len(n) > 5)})"
    rf"|(?:(?<=on )|(?<=last )|(?<=since )|(?<=from )|(?<=to )|(?<=until )|(?<=before )|(?<=after ))"
    rf"(?P<weekday_short>{whole(n for n in _LATIN_DAYS if len(n) <= 5)})"
    rf"|(?<![a-z0-9_@.-])(?P<from_day>{_NAME})(?=-{_NAME}(?![a-z0-9_-]))"
    rf"|(?<=(?:{_NAME_END})-)(?P<to_day>{_NAME})(?![a-z0-9_-])"
)
_PART = (
    rf"(?<!good )(?P<whole_part>{whole(_PARTS)})"
    rf"|(?:(?<=[昨今前当明天日号一二三四五六末])|(?<![最太更稍])(?=. ?{TWO} ?[点:]))"
    rf"(?P<short_part>{whole(words.SHORT_PARTS)})"
)


def _named(match: re.Match[str]) -> Iterator[Days | Part]:
    if match["a_year"]:
        yield Days(Span.YEAR, _YEARS[match["a_year"]])
    elif match["named"]:
        yield Days(Span.DAY, _DAYS[match["named"]])
    elif match["short"]:
        yield Days(Span.DAY, _SHORT_DAYS[match["short"]])
    elif match["early"]:
        yield Days(Span.DAY, -1 if "yesterday" in match["early"] else 0)
        yield words.EARLY_MORNING
    elif match["night_before"]:
        yield Days(Span.DAY, -2)
        yield words.NIGHT
    else:
        yield Days(Span.DAY, 0 if match["tonight"] else -1)
        yield words.EVENING if match["tonight"] else words.NIGHT


def _calendar(match: re.Match[str]) -> Iterator[Days]:
    if stretch := match["to_date"] or match["started"]:
        yield Days(_STRETCHES[stretch], 0)
    elif match["shift"]:
        yield Days(_SPANS[match["spanned"]], _SHIFTS[match["shift"]], _weekday(match["shift_day"]))
    elif match["weekday_name"]:
        yield _english_weekday(_WEEKDAYS[match["weekday_name"]], match["shifted"] or "")
    elif match["weekend"]:
        yield Days(Span.WEEKEND)
    elif match["before_last"]:
        yield Days(Span.WEEK, -2)
    else:
        is_last = match.string.endswith("last ", 0, match.start())
        yield Days(
            weekday=_weekday(match["weekday"] or match["weekday_short"] or match["from_day"] or match["to_day"]),
            strictly=is_last,
        )


def _weekday(name: str | None) -> int | None:
    return _WEEKDAYS[name] if name else None


def _english_weekday(weekday: int, shift: str) -> Days:
    """Last Friday is the latest one before today; this Friday is of this week."""
    is_of_week = shift in {"this", "next"}
    return Days(Span.WEEK, _SHIFTS[shift], weekday) if is_of_week else Days(weekday=weekday, strictly=bool(shift))


def _part(match: re.Match[str]) -> Iterator[Part]:
    yield _PARTS[match["whole_part"]] if match["whole_part"] else words.SHORT_PARTS[match["short_part"]]


NAMED_DAYS = (Kind(_NAMED, _named), Kind(_CALENDAR, _calendar), Kind(_PART, _part))
