"""Dates of the calendar: 2024-05-01, 5 月 1 日, May 1st, 05/06 (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from domain.language import time_words as words
from domain.question.when.days import Days
from domain.question.when.pieces import DASH, ENDS, FRESH, NEW, TWO, WHOLE, Kind, plain, whole_number
from domain.values.numerals import DIGITS

_MONTHS = {name: month for month, names in enumerate(words.MONTHS, 1) for name in names.split()}
_MONTH = plain(_MONTHS)
_YEAR = r"(?:19|20)\d\d"
_NTH = r"(?:st|nd|rd|th)"
_ORDINAL = plain(words.ORDINALS)
_MOST = (9998, 12, 31)

_ISO = (
    rf"{NEW}(?<![a-y_]/)(?P<iso_year>{_YEAR})(?P<mark>[-/.])(?P<iso_month>\d{{1,2}})(?P=mark)"
    r"(?P<iso_day>\d{1,2})(?![\d_])(?![-.][a-z])(?:t(?=\d\d:))?"
    rf"|(?<![\w./:-])(?P<run_year>{_YEAR})(?P<run_month>0[1-9]|1[0-2])(?P<run_day>[0-3]\d)(?:t(?=\d\d:))?(?![\w-]|\.\d)"
    r"|(?<![\w./:-])(?P<short_month>\d\d)-(?P<short_day>\d\d)(?= \d{1,2}:\d\d)"
)
_CHINESE = (
    rf"{FRESH}(?:(?P<zh_year>\d{{4}}|[{DIGITS}]{{4}}) ?年"
    rf"(?: ?(?P<of_year>{TWO}) ?月份?(?: ?(?P<of_month>{TWO}) ?[日号](?!志))?)?"
    rf"|(?P<zh_month>{TWO}) ?月份?(?: ?(?P<zh_day>{TWO})(?: ?[日号](?!志)|(?= ?(?:{DASH}|到|至) ?{TWO} ?[日号])))?"
    rf"|(?P<day_only>{TWO}) ?[日号](?![志楼机库线店桌院节实分内以]))"
)
_ENGLISH = (
    rf"{WHOLE}(?:(?P<month_first>{_MONTH})\.? (?:the )?(?:(?P<its_day>\d{{1,2}})(?P<its_nth>{_NTH})?"
    rf"|(?P<its_word>{_ORDINAL}))(?:,? (?P<its_year>{_YEAR})(?![:\d]))?(?![\d:%a-z]|\.\d)"
    rf"|(?:(?P<day_first>\d{{1,2}})(?P<first_nth>{_NTH})?|(?P<first_word>{_ORDINAL}))(?P<of> of)?"
    rf" (?P<month_next>{_MONTH})\b\.?(?:,? (?P<next_year>{_YEAR})(?![:\d]))?"
    rf"|(?P<month_of>{_MONTH})\.? (?P<year_of>{_YEAR})(?![:\d])"
    rf"|(?:(?<=in )|(?<=since )|(?<=during )|(?<=last )|(?<=until )|(?<=of ))(?P<month_only>{_MONTH}){ENDS}"
    rf"|(?:(?<=on the )|(?<=of the )|(?<=since the )|(?<=from the )|(?<=until the )|(?<=before the )|(?<=after the ))"
    rf"(?P<nth>\d{{1,2}}){_NTH}(?! [a-z]|-)"
    rf"|(?<=the )(?P<nth_of>\d{{1,2}}){_NTH}(?= of (?:this|last|next) month)"
    rf"|(?:(?<=in )|(?<=since ))(?P<year_only>{_YEAR})(?= ?(?:$|[?.,!;])))"
)
_GOES_ON = re.compile(r" (?!and|to|till|until|at|from|in|between|before|after|since|during|around|or)[a-z]")
_EITHER_WAY = (
    r"(?<![\w./:-])(?:(?P<one>\d{1,2})(?P<between>[-/.])(?P<two>\d{1,2})(?P=between)(?P<last_year>\d{4})"
    r"|(?P<three>\d{1,2})/(?P<four>\d{1,2}))(?![\d/:]|\.\d)"
)
_LED_TO = re.compile(r"(?:\b(?:on|since|from|until|before|after|of|to|between|and)|[从自在到至]) ?\Z")
_CLOCK_BEHIND = re.compile(r" ?\d{1,2}:\d\d")


def _dated(year: int, month: int, day: int) -> Days:
    """Zero for a part that is not written."""
    parts = tuple(part or None for part in (year, month, day))
    exists = all(part is None or part <= most for part, most in zip(parts, _MOST, strict=True))
    return Days(year=parts[0], month=parts[1], day=parts[2], exists=exists)


def _iso(match: re.Match[str]) -> Iterator[Days]:
    """2024-05-01, 05-01 10:00; 20240501 only where a day is expected: it may be any number."""
    if match["run_year"] and not _is_expected(match):
        return
    year, month = (
        match["iso_year"] or match["run_year"],
        match["iso_month"] or match["run_month"] or match["short_month"],
    )
    day = match["iso_day"] or match["run_day"] or match["short_day"]
    yield _dated(*map(whole_number, (year, month, day)))


def _is_expected(match: re.Match[str]) -> bool:
    led = _LED_TO.search(match.string, max(0, match.start() - 9), match.start())
    return bool(led or _CLOCK_BEHIND.match(match.string, match.end()))


def _chinese(match: re.Match[str]) -> Iterator[Days]:
    month, day = match["of_year"] or match["zh_month"], match["of_month"] or match["zh_day"] or match["day_only"]
    yield _dated(whole_number(match["zh_year"]), whole_number(month), whole_number(day))


def _english(match: re.Match[str]) -> Iterator[Days]:
    if nth := match["nth"] or match["nth_of"] or match["year_only"]:
        yield _dated(int(nth), 0, 0) if match["year_only"] else _dated(0, 0, int(nth))
        return
    name = match["month_first"] or match["month_next"] or match["month_of"] or match["month_only"]
    year = match["its_year"] or match["next_year"] or match["year_of"]
    is_marked = year or match["its_nth"] or match["first_nth"] or match["of"] or match["month_only"]
    if name == "may" and not is_marked and _GOES_ON.match(match.string, match.end()):
        return  # 10 may fail
    ordinal = match["its_word"] or match["first_word"]
    day = words.ORDINALS.index(ordinal) + 1 if ordinal else whole_number(match["its_day"] or match["day_first"])
    found = _dated(whole_number(year), _MONTHS[name], day)
    yield replace(found, strictly=match.string.endswith("last ", 0, match.start()))


def _either_way(match: re.Match[str]) -> Iterator[Days]:
    """05/06 is in May or in June; 25/06 can only be in June. A share (1/2 of them) is no date."""
    first, second = int(match["one"] or match["three"]), int(match["two"] or match["four"])
    is_padded = match["three"] and match["three"].startswith("0")
    if match["last_year"] or is_padded or _is_expected(match):
        day, month = (first, second) if first > 12 else (second, first)
        is_sure = first > 12 or second > 12 or first == second
        yield Days(year=whole_number(match["last_year"]) or None, month=month, day=day, exists=is_sure)


DATES = (Kind(_ISO, _iso), Kind(_CHINESE, _chinese), Kind(_ENGLISH, _english), Kind(_EITHER_WAY, _either_way))
