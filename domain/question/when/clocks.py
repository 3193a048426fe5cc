"""Times of day and their zones: 10:05, 10点半, 3 pm, half past ten, 10:00+08:00 (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from domain.language import time_words as words
from domain.language.time_words import listed
from domain.question.when.pieces import (
    FRESH,
    HOUR_WORDS,
    NEW,
    TWO,
    WHOLE,
    Clock,
    Kind,
    Zone,
    plain,
    whole,
    whole_number,
)
from domain.values.numerals import DIGITS

_AT = {word: row.value for row in words.CLOCKS for word in row.words}
_ZONES = {word: zone.offset for zone in words.ZONES for word in listed(zone.zh, zone.en)}
_HALF = r"[ap]\.?m\b\.?"
_DIGITAL = (
    rf"(?:{NEW}|(?<=\dt))(?P<hour>\d{{1,2}}) ?: ?(?P<minute>\d\d)"
    rf"(?: ?: ?(?P<second>\d\d)(?:[.,]\d{{1,9}})?)?(?: ?(?P<half>{_HALF}))?(?![\d:])(?=z|[^a-z_]|$)"
)
_CHINESE = (
    rf"{FRESH}(?P<zh_hour>{TWO}) ?(?:点(?![击赞名评播阅]|开(?!始))钟?|时(?![候刻间长区段延效序不而常]))"
    rf"(?: ?(?P<quarter>{plain(words.QUARTERS)})(?![次个])|整| ?(?P<zh_minute>[0-5]\d(?![\d:]| ?[次个条笔])"
    rf"|{TWO}(?= ?分(?!钟))|零[{DIGITS}]|[二三四五]?十[{DIGITS}]?)(?: ?分(?: ?(?P<zh_second>{TWO}) ?秒)?)?)?"
)
_SPOKEN = (
    rf"{FRESH}(?P<spoken_hour>\d{{1,2}}|{HOUR_WORDS}) ?(?:(?P<spoken_half>{_HALF})|(?:o'clock|oclock)\b)(?![a-z0-9])"
    rf"|{WHOLE}(?P<minutes>{plain(words.MINUTES_PAST)}) (?P<side>past|to) (?P<past_hour>\d{{1,2}}|{HOUR_WORDS})"
    rf"(?: ?(?P<past_half>{_HALF}))?(?![a-z0-9:])|(?P<at>{whole(_AT)})"
)
_ZONE = (
    r"(?<=\d) ?(?P<sign>\+|(?<=\d:\d\d:\d\d)-|(?<=t\d\d:\d\d)-|-(?=\d{4}))(?P<hours>\d{1,2})(?::?(?P<rest>\d\d))?"
    r"(?![\d:年月点时-])|(?<=\d)z(?![a-z0-9])"
    rf"|(?P<zone>{whole(_ZONES)})(?:(?P<named_sign>[+-])(?P<named_hours>\d{{1,2}})(?::?(?P<named_rest>\d\d))?)?"
    r"|(?<=\d )(?P<place>[a-z]{4,12}/[a-z_]{3,20})"
)
_NUMBERED = re.compile(rf"{plain(listed(*words.NUMBERED))}[ :#号-]{{0,2}}\Z")
_LISTED = re.compile(rf" ?{plain(words.LISTED.split())}")


def _is_number(match: re.Match[str]) -> bool:
    return _NUMBERED.search(match.string, max(0, match.start() - 12), match.start()) is not None


def _digital(match: re.Match[str]) -> Iterator[Clock]:
    if not _is_number(match):
        clock = _clock(match["hour"], match["minute"], match["second"], match["half"])
        yield replace(clock, is_padded=match["hour"].startswith("0"))


def _chinese(match: re.Match[str]) -> Iterator[Clock]:
    if not (_is_number(match) or _LISTED.match(match.string, match.end())):
        minute = words.QUARTERS.get(match["quarter"] or "") or whole_number(match["zh_minute"])
        hour, second = whole_number(match["zh_hour"]), whole_number(match["zh_second"])
        yield Clock(hour, minute, second, spoken=True, is_bit=match[0] == "一点")


def _spoken(match: re.Match[str]) -> Iterator[Clock]:
    if match["at"]:
        yield Clock(_AT[match["at"]])
    elif match["spoken_hour"]:
        yield _clock(match["spoken_hour"], "", "", match["spoken_half"], spoken=True)
    else:  # quarter past nine, ten to nine
        minutes, hour = words.MINUTES_PAST[match["minutes"]], whole_number(match["past_hour"])
        hour, minutes = (hour, minutes) if match["side"] == "past" else (hour - 1, 60 - minutes)
        yield _clock(str(hour), str(minutes), "", match["past_half"], spoken=True)


def _clock(hour: str, minute: str | None, second: str | None, half: str | None, *, spoken: bool = False) -> Clock:
    """12 am is midnight and 12 pm noon; 15 pm is no hour."""
    written, half = whole_number(hour), (half or "")[:1]
    if half:
        written = written % 12 + (12 if half == "p" else 0) if 1 <= written <= 12 else 99
    return Clock(written, whole_number(minute), whole_number(second), half, spoken)


def _zone(match: re.Match[str]) -> Iterator[Zone]:
    if sign := match["sign"] or match["named_sign"]:
        hours = int(match["hours"] or match["named_hours"])
        yield Zone(f"{sign}{hours:02}:{match['rest'] or match['named_rest'] or '00'}" if hours <= 14 else "")
    elif match["place"]:
        yield Zone("")
    else:
        yield Zone(_ZONES[match["zone"]] if match["zone"] else "+00:00")


CLOCKS = (Kind(_DIGITAL, _digital), Kind(_CHINESE, _chinese), Kind(_SPOKEN, _spoken))
ZONES = Kind(_ZONE, _zone)
