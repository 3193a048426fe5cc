"""Numbers as they stand in texts, with their units, in exact arithmetic (R37).

Names (`order-123`, `HikariPool-1`, `E11000`), versions, clock times and dates are no values: `entities` and `times`
of this package read those.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from fractions import Fraction

from domain.values.times import times_in
from domain.values.units import (
    BARE,
    CHINESE_DIGITS,
    CHINESE_NUMERALS,
    CLASSIFIERS,
    COUNT,
    PLAIN,
    TIME,
    UNITS,
    Unit,
    chinese_number,
    unit_named,
)

_LONGEST_NUMBER = 40
"""Characters; anything longer is an id, and exponents could be written to exhaust memory."""

_WIDE = {ord(wide): narrow for wide, narrow in zip("％．：＋－／＝", "%.:+-/=", strict=True)}
_WIDE |= {
    code: chr(code - 0xFEE0) for first, last in ("０９", "ａｚ", "ＡＺ") for code in range(ord(first), ord(last) + 1)
}

_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,10}(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,2}(?![\w.]))?"
_UNIT_NAMES = sorted(UNITS, key=len, reverse=True)
_ASCII_UNIT = "|".join(re.escape(name) for name in _UNIT_NAMES if (name.isascii() and name.isalpha()) or name == "°C")
_OTHER_UNIT = "|".join(re.escape(name) for name in _UNIT_NAMES if not (name.isascii() and name.isalpha()))
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|us|ns|h|m|s|d)){2,}(?![A-Za-z0-9])")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|us|ns|h|m|s|d)")
_VALUE = re.compile(
    rf"(?<![\w.])(?P<percent>百分之\s?)?(?P<sign>(?<![\w%)\]])[+-])?(?P<number>{_NUMBER})"
    rf"(?:\s?(?P<other>{_OTHER_UNIT})|\s?(?P<unit>{_ASCII_UNIT})(?![A-Za-z0-9])|(?P<unknown>[A-Za-zµμ]{{1,8}})(?![A-Za-z0-9]))?"
)
_CHINESE_UNIT = "|".join(re.escape(name) for name in _UNIT_NAMES if not name.isascii())
_CHINESE_VALUE = re.compile(
    rf"(?<![第几数多{CHINESE_NUMERALS}])(?P<percent>百分之)?(?P<number>[{CHINESE_DIGITS}十][{CHINESE_NUMERALS}]{{0,12}})"
    rf"\s?(?P<unit>{_CHINESE_UNIT})"
)
_CHINESE_PERCENT = re.compile(rf"百分之(?P<number>[{CHINESE_DIGITS}十][{CHINESE_NUMERALS}]{{0,12}})")
_WORD = re.compile(r"[A-Za-z0-9_µμ]+(?:[.\-][A-Za-z0-9_µμ]+)*")
_NUMERIC_PIECE = re.compile(rf"{_NUMBER}[A-Za-zµμ]{{0,8}}")
_STATUS_FAMILY = re.compile(r"[1-5]xx", re.IGNORECASE)
_IDENTIFIER_BEFORE = re.compile(
    r"(?:订单|分区|编号|单号|版本|端口|工单|批次|节点|机柜|实例|序号|线程|第|#|\b(?:partition|order|port|version|id|shard|node))"
    r"\s?(?:号|为|是|:|=|#)?\s?\Z",
    re.IGNORECASE,
)
_IDENTIFIER_AFTER = re.compile(r"\s?(?:号|分区|版本|端口|机柜|节点)")
_WINDOW_BEFORE = re.compile(r"(?:最近|近|过去|前|最后|\b(?:last|past))\s?(?:的|the)?\s?\Z", re.IGNORECASE)
_WINDOW_AFTER = re.compile(r"\s?(?:的?(?:时间窗|窗口)|[之以]?内)")
_LIST_GAP = re.compile(r"\s*(?:/|~|->|→|-|至|到|、)\s*")


class Role(Enum):
    """What a number says: a figure somebody measured, which one of several, or how far back was looked."""

    MEASURED = auto()
    IDENTIFIER = auto()
    WINDOW = auto()


@dataclass(frozen=True, slots=True)
class Value:
    """`number` is in the base unit of `dimension` (a share for percents, seconds, bytes), `written` is not scaled.

    `step` is one unit of the last written place, in the base unit.
    """

    start: int
    end: int
    number: Fraction
    written: Fraction
    dimension: str
    step: Fraction
    role: Role = Role.MEASURED


def narrowed(text: str) -> str:
    """Full-width digits, letters and the signs of numbers made ASCII, character by character."""
    return text.translate(_WIDE)


def blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with those spans, in order, overwritten by spaces; positions stay."""
    pieces, position = [], 0
    for start, end in spans:
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join(pieces) + text[position:]


def is_numeric_word(word: str) -> bool:
    """Whether a run of letters and digits is a number with a unit, a duration, or a range of such: `15m`, `10-20ms`."""
    if len(word) > _LONGEST_NUMBER:
        return False
    return bool(_DURATION.fullmatch(word)) or all(_NUMERIC_PIECE.fullmatch(piece) for piece in word.split("-"))


def values_in(text: str) -> tuple[Value, ...]:
    """Every number of the text that is part of no name, version, clock time or date, in order."""
    text = narrowed(text)
    text = blanked(text, [(mention.start, mention.end) for mention in times_in(text)])
    text = blanked(text, [match.span() for match in _WORD.finditer(text) if not _may_hold_values(match.group())])
    durations = [_duration(match) for match in _DURATION.finditer(text)]
    text = blanked(text, [(value.start, value.end) for value in durations])
    numbers = [_value(match) for match in _VALUE.finditer(text)]
    found = sorted([*durations, *numbers, *_chinese_values(text)], key=lambda value: value.start)
    return tuple(_with_role(value, text) for value in _with_shared_units(_joined(found, text), text))


def _may_hold_values(word: str) -> bool:
    return is_numeric_word(word) and not _STATUS_FAMILY.fullmatch(word)


def _duration(match: re.Match[str]) -> Value:
    """1h30m is one value."""
    seconds = sum((Fraction(n) * UNITS[unit].scale for n, unit in _DURATION_PART.findall(match.group())), Fraction())
    return Value(match.start(), match.end(), seconds, seconds, TIME, Fraction(1))


def _value(match: re.Match[str]) -> Value:
    digits = match["number"].replace(",", "")
    written = Fraction(digits) * (-1 if match["sign"] == "-" else 1)
    unit = unit_named("%") if match["percent"] else PLAIN
    if name := match["other"] or match["unit"] or match["unknown"]:
        unit = unit_named(name)
    return _scaled(match, written, unit, _places(digits))


def _places(digits: str) -> int:
    mantissa = re.split("[eE]", digits)[0]
    return len(mantissa.partition(".")[2])


def _scaled(match: re.Match[str], written: Fraction, unit: Unit, places: int) -> Value:
    step = unit.scale / 10**places
    return Value(match.start(), match.end(), written * unit.scale, written, unit.dimension, step)


def _chinese_values(text: str) -> list[Value]:
    found = []
    for match in _CHINESE_VALUE.finditer(text):
        if match["number"] == "一" and match["unit"] in CLASSIFIERS:
            continue  # 一个, 一条 are articles
        unit = unit_named("%" if match["percent"] else match["unit"])
        found.append(_scaled(match, Fraction(chinese_number(match["number"])), unit, 0))
    taken = {value.start for value in found}
    percents = (match for match in _CHINESE_PERCENT.finditer(text) if match.start() not in taken)
    return found + [_scaled(match, Fraction(chinese_number(match["number"])), unit_named("%"), 0) for match in percents]


def _joined(values: Sequence[Value], text: str) -> list[Value]:
    """1 小时 30 分钟 is one value."""
    found: list[Value] = []
    for value in values:
        last = found[-1] if found else None
        if last and _continues(last, value, text):
            total = last.number + value.number
            found[-1] = replace(last, end=value.end, number=total, written=total, step=value.step)
        else:
            found.append(value)
    return found


def _continues(last: Value, value: Value, text: str) -> bool:
    is_finer = last.dimension == value.dimension == TIME and 0 <= value.number < last.step
    return is_finer and not text[last.end : value.start].strip()


def _with_shared_units(values: Sequence[Value], text: str) -> list[Value]:
    """In 3600 / 3900 / 4200ms the last unit holds for all."""
    found: list[Value] = []
    for value in reversed(values):
        following = found[-1] if found else None
        if following and _shares_unit(value, following, text):
            scale = following.number / following.written
            value = replace(value, number=value.written * scale, dimension=following.dimension, step=value.step * scale)
        found.append(value)
    return found[::-1]


def _shares_unit(value: Value, following: Value, text: str) -> bool:
    return (
        value.dimension == BARE
        and following.dimension not in {BARE, COUNT}
        and following.written != 0
        and _LIST_GAP.fullmatch(text, value.end, following.start) is not None
    )


def _with_role(value: Value, text: str) -> Value:
    before = text[max(0, value.start - 12) : value.start]
    if value.dimension == TIME and (_WINDOW_BEFORE.search(before) or _WINDOW_AFTER.match(text, value.end)):
        return replace(value, role=Role.WINDOW)
    is_plain = value.dimension == BARE and value.step == 1
    if is_plain and (_IDENTIFIER_BEFORE.search(before) or _IDENTIFIER_AFTER.match(text, value.end)):
        return replace(value, role=Role.IDENTIFIER)
    return value
