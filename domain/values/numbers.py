"""Numbers as they stand in texts, with their units, in exact arithmetic (R37).

Names (`order-123`, `HikariPool-1`, `E11000`), versions, clock times and dates are no values: `entities` and `times`
of this package read those; `written` and `spelled` know the figures that are written in words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from domain.values import spelled, written
from domain.values.numerals import is_spelled_number, plainly_written, power_of_ten
from domain.values.times import times_in
from domain.values.units import BARE, CLASSIFIERS, COUNT, PLAIN, TIME, UNIT, UNITS, Unit, unit_named
from domain.values.value import Role, Value, exact

_HOUR = UNITS["小时"].scale
_LONGEST_NUMBER = 40
"""Characters; anything longer is an id, and exponents could be written to exhaust memory."""

_WIDE = {ord(wide): narrow for wide, narrow in zip("％．：＋－／＝～−﹣﹪", "%.:+-/=~--%", strict=True)}
_WIDE |= {
    code: chr(code - 0xFEE0) for first, last in ("０９", "ａｚ", "ＡＺ") for code in range(ord(first), ord(last) + 1)
}
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]"
)

_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,10}(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,2}(?![\w.]))?"
_POWER = r"\s?[×x*]\s?10(?:\^(?P<caret>-?\d{1,2})(?!\d)|(?P<raised>⁻?[⁰¹²³⁴-⁹]{1,2}))"
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|us|ns|h|m|s|d)){2,}(?![A-Za-z0-9])")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|us|ns|h|m|s|d)")
_VALUE = re.compile(
    rf"(?<![A-Za-z_\d.])(?P<sign>(?<![\w%)\]])[+-]|(?<=[\u3400-\u9fff])-|负\s?|零下\s?)?(?P<number>{_NUMBER})(?:{_POWER})?"
    rf"(?:\s?(?P<scale>[百千万亿]{{1,3}})(?!分[之比]|字节|米|克|瓦|兆))?"
    rf"(?:{UNIT}|(?P<unknown>[A-Za-zµμ]{{1,8}})(?![A-Za-z0-9]))?"
)
_LONE_PERCENT = re.compile(r"(?P<token>[^\s%‰,，;；:：=()（）\[\]]{1,12})\s?[%‰](?![0-9A-Fa-f]{2})")
_WORD = re.compile(r"[A-Za-z0-9_µμ]+(?:[.\-][A-Za-z0-9_µμ]+)*")
_NUMERIC_PIECE = re.compile(rf"{_NUMBER}(?:x10|[A-Za-zµμ]{{0,8}})")
_STATUS_FAMILY = re.compile(r"[1-5]xx", re.IGNORECASE)
_STATUS = re.compile(r"[45]\d\d")
_RESPONSES = {"错误", "异常", "error", "errors"}
"""In 500 错误 the number tells which error; 500 个错误 are counted."""
_IDENTIFIER_BEFORE = re.compile(
    r"(?:订单|分区|编号|单号|版本|端口|工单|批次|节点|机柜|实例|序号|线程|第|#|\b(?:partition|order|port|version|id|shard|node))"
    r"\s?(?:号|为|是|:|=|#)?\s?\Z",
    re.IGNORECASE,
)
_IDENTIFIER_AFTER = re.compile(r"\s?(?:号|分区|版本|端口|机柜|节点)")
_WINDOW_BEFORE = re.compile(r"(?:最近|近|过去|前|最后|\b(?:last|past))\s?(?:的|the)?\s?\Z", re.IGNORECASE)
_WINDOW_AFTER = re.compile(r"\s?(?:的?(?:时间窗|窗口)|[之以]?内)")
_CLAUSE_END = re.compile(r"[,，;；。！？\n]")
_LEAD, _TAIL = 32, 8
"""Characters beside a number in which the words that tell what it is are looked for."""

_MINUTES = re.compile(r"\s?分")
_LIST_GAP = re.compile(r"\s*(?:/|~|->|→|-|–|—|至|到|、|to)\s*")


def narrowed(text: str) -> str:
    """Full-width digits, letters and the signs of numbers made ASCII, character by character."""
    return text.translate(_WIDE)


def seen(text: str) -> str:
    """Without characters that nobody sees, which could split a number."""
    return _UNSEEN.sub("", text)


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
    if is_spelled_number(word):
        return True
    return bool(_DURATION.fullmatch(word)) or all(_NUMERIC_PIECE.fullmatch(piece) for piece in word.split("-"))


def values_in(text: str) -> tuple[Value, ...]:
    """Every number of the text that is part of no name, version, clock time or date, in order."""
    text = plainly_written(narrowed(text))
    timeless = blanked(text, [(mention.start, mention.end) for mention in times_in(text)])
    text = named = blanked(
        timeless, [match.span() for match in _WORD.finditer(timeless) if not _may_hold_values(match.group())]
    )
    found: list[Value] = []
    for pattern, read in _rows():
        values = [value for match in pattern.finditer(text) if (value := read(match))]
        text = blanked(text, [(value.start, value.end) for value in values])
        found += values
    found.sort(key=lambda value: value.start)
    return tuple(_in_its_clause(value, timeless) for value in _with_shared_units(_joined(found, named), named))


@cache
def _rows() -> tuple[tuple[re.Pattern[str], written.Reader], ...]:
    """Every way to write a number; what an earlier row has read, a later one does not see."""
    words = ((re.compile(pattern, re.IGNORECASE), read) for pattern, read in (*written.ROWS, *spelled.ROWS))
    return (_DURATION, _duration), *words, (_VALUE, _value), (_LONE_PERCENT, _unreadable)


def _may_hold_values(word: str) -> bool:
    return word.isalpha() or (is_numeric_word(word) and not _STATUS_FAMILY.fullmatch(word))


def _duration(match: re.Match[str]) -> Value:
    """1h30m is one value."""
    seconds = sum((Fraction(n) * UNITS[unit].scale for n, unit in _DURATION_PART.findall(match.group())), Fraction())
    return Value(match.start(), match.end(), seconds, seconds, TIME, Fraction(1))


def _value(match: re.Match[str]) -> Value:
    digits = match["number"].replace(",", "")
    number, step = Fraction(digits), _step(_places(digits))
    if match["scale"] or match["caret"] or match["raised"]:
        scale = power_of_ten(match["scale"] or "") * _power(match)
        number, step = number * scale, step * scale
    if match["sign"] not in {None, "+"}:
        number = -number
    name = match["other"] or match["unit"] or match["unknown"]
    if name in _RESPONSES and _STATUS.fullmatch(digits):
        return exact((match.start(), match.end("number")), number, PLAIN, step)
    return exact(match.span(), number, unit_named(name) if name else PLAIN, step)


@cache
def _step(places: int) -> Fraction:
    return Fraction(1, 10**places)


def _power(match: re.Match[str]) -> Fraction:
    """5×10³, 1.2x10^5."""
    raised = unicodedata.normalize("NFKC", match["raised"] or "").replace("\u2212", "-")
    return Fraction(10) ** int(match["caret"] or raised or 0)


def _places(digits: str) -> int:
    mantissa = re.split("[eE]", digits)[0]
    return len(mantissa.partition(".")[2])


def _unreadable(match: re.Match[str]) -> Value | None:
    """A percentage whose number nobody can read (Ⅸ%, 九九.九%) equals only itself."""
    if not any(character.isnumeric() for character in match["token"]):
        return None
    return exact(match.span(), Fraction(1), Unit(f"{match['token']}%"), Fraction(1))


def _joined(values: Sequence[Value], text: str) -> list[Value]:
    """1 小时 30 分钟 is one value; behind hours, 分 are minutes too."""
    found: list[Value] = []
    for value in values:
        last = found[-1] if found else None
        minutes = _MINUTES.match(text, value.end)
        if last and last.step == _HOUR and value.dimension == BARE and minutes:
            value = exact((value.start, minutes.end()), value.written, UNITS["分钟"], Fraction(1))
        if last and _continues(last, value, text):
            total = last.number + value.number
            found[-1] = replace(last, end=value.end, number=total, written=total, step=value.step)
        else:
            found.append(value)
    return found


def _continues(last: Value, value: Value, text: str) -> bool:
    if last.extent or value.extent or last.dimension != TIME or value.dimension != TIME:
        return False
    return 0 <= value.number < last.step and not text[last.end : value.start].strip()


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
        and not (value.extent or following.extent)
        and following.dimension not in {BARE, COUNT}
        and following.written != 0
        and _LIST_GAP.fullmatch(text, value.end, following.start) is not None
    )


def _in_its_clause(value: Value, text: str) -> Value:
    """With the words beside it, and the role that they give it."""
    lead = _CLAUSE_END.split(text[max(0, value.start - _LEAD) : value.start])[-1]
    tail = _CLAUSE_END.split(text[value.end : value.end + _TAIL])[0]
    return replace(value, lead=lead, tail=tail, role=_role(value, text))


def _role(value: Value, text: str) -> Role:
    before = text[max(0, value.start - 12) : value.start]
    if value.dimension == TIME:
        is_window = _WINDOW_BEFORE.search(before) or _WINDOW_AFTER.match(text, value.end)
        return Role.WINDOW if is_window else Role.MEASURED
    is_counted = value.dimension == COUNT and text[value.end - 1] in CLASSIFIERS
    if value.dimension not in {BARE, COUNT} or value.step != 1 or is_counted:
        return Role.MEASURED
    is_identifier = _IDENTIFIER_BEFORE.search(before) or _IDENTIFIER_AFTER.match(text, value.end)
    return Role.IDENTIFIER if is_identifier else Role.MEASURED
