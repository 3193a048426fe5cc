"""What the words beside a number say of it: its field, the kinds of unit that has, and how it was derived (R37)."""

from __future__ import annotations

import re
from fractions import Fraction

from domain.values.units import BYTES, COUNT, POINTS, RATIO, TIME, UNITS
from domain.values.value import Value

_KEY = re.compile(
    r"(?P<key>[^\s=:：|]{1,64})(?:\{[^{}]{0,64}\})?[\"'」]?\s?(?:=|:|：|为|是|达到?|至|>=?|<=?|≥|≤|\s)\s?[\"']?\Z"
)
_NAME_END = re.compile(r"[,，;；{(（]")
_LONGEST_NAME = 120
_PIECE = re.compile(r"[a-z]+|[\u3400-\u9fff]+")
_KEY_UNITS = {
    **dict.fromkeys(("ms", "millis", "milliseconds", "msec"), UNITS["ms"]),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), UNITS["s"]),
    **dict.fromkeys(("mins", "minutes"), UNITS["min"]),
    **dict.fromkeys(("hour", "hours"), UNITS["h"]),
    **dict.fromkeys(("bytes", "byte"), UNITS["B"]),
    **{name: UNITS[name.upper()] for name in ("kb", "mb", "gb")},
    **dict.fromkeys(("pct", "percent", "percentage"), UNITS["%"]),
}
_KINDS = {
    TIME: re.compile(
        r"latenc|duration|elapsed|took|uptime|timeout(?!s)|delay|(?<!x)time(?!s|out)|\bage|slow|response|(?<![a-z])rt(?![a-z])|lag(?!high)|p\d\d"
        r"|耗时|延迟|时长|时间|超时|持续|响应",
        re.IGNORECASE,
    ),
    BYTES: re.compile(r"bytes|memory|\bmem|heap|size|disk|内存|堆|磁盘|字节|显存", re.IGNORECASE),
    RATIO: re.compile(r"percent|pct|usage|util|ratio|rate|cpu|memory|heap|率|占比|比例|百分比|使用", re.IGNORECASE),
    "celsius": re.compile(r"(?<!at)temp|温度", re.IGNORECASE),
    "元": re.compile(r"amount|price|\bfee|cost|金额|差额|价", re.IGNORECASE),
    COUNT: re.compile(r"count|total|num|times|次数|个数|条数|总数|数量", re.IGNORECASE),
}
_DIMENSIONS = frozenset({TIME, BYTES, RATIO, COUNT, POINTS})
_ANY_KEY = frozenset(
    {"value", "val", "current", "now", "latest", "last", "max", "min", "avg", "mean", "值", "当前值", "当前"}
)
_COUNTERS = frozenset({"count", "counts", "total", "次数", "个数", "条数", "总数"})
_GUESSED = {
    TIME: (Fraction(1), Fraction(1, 1000)),
    BYTES: (Fraction(1),),
    RATIO: (Fraction(1), Fraction(1, 100)),
    "celsius": (Fraction(1),),
    "元": (Fraction(1),),
}
"""Units in which a number of that kind is customarily written without naming one; never hours, never gigabytes."""

_CHANGE = re.compile(
    r"剩|回收|释放|freed|reclaim|(?<!其)余|空闲|可用|差|[增升涨降减跌]|超出|高出|超过了|(?<![最太许])多(?![个次种])|(?<![至最])少|缺|变化|波动|落后|离线|不可用|未就绪|间隔|相隔"
    r"|left|remain|free|available|more|less|fewer|differ|gap|increas|decreas|drop|ris|rose|f[ea]ll|gr[eo]w|higher|lower"
    r"|behind|margin|down|unavailable|offline",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"持续|已|历时|至今|以来|前|间隔|相隔|经过|相差|维持|期间|\b(?:ago|for|since|lasted|lasting|firing)\b",
    re.IGNORECASE,
)


def field_of(value: Value) -> str:
    """The key or, without one, the words before the number in its clause."""
    match = _KEY.search(value.lead)
    return (match["key"] if match and "=" in match.group() else _bare_words(value.lead)).casefold()


def _bare_words(lead: str) -> str:
    return re.sub(r"[\s\d:：=\[\]()（）|\"']+", " ", lead).strip()


def readings(value: Value, text_kinds: frozenset[str]) -> list[tuple[str, Fraction]]:
    """What a number without a unit may be said to be: dimension and number in the base unit.

    The field tells ("latency_ms=4200"); where it is as general as "value", the words of the whole item do. A number may
    always be a count, unless its field tells of something else.
    """
    field = field_of(value)
    pieces = _PIECE.findall(field)
    if pieces and (unit := _KEY_UNITS.get(pieces[-1])) and len(field) > 1:
        return [(unit.dimension, value.number * unit.scale)]
    if pieces and pieces[-1] in _COUNTERS:
        kinds = frozenset({COUNT})
    else:
        kinds = text_kinds if not pieces or pieces[-1] in _ANY_KEY else kinds_in(field)
    found = [(kind, value.number * scale) for kind in kinds for scale in _scales(kind, value.number)]
    if 0 <= value.number <= 1 and value.step < 1 and not kinds - {RATIO, COUNT}:
        found.append((RATIO, value.number))
    if not kinds - {COUNT} or (pieces and pieces[-1] in _ANY_KEY):
        found.append((COUNT, value.number))
    return [*found, *((piece, value.number) for piece in pieces if piece not in _DIMENSIONS)]


def _scales(kind: str, number: Fraction) -> tuple[Fraction, ...]:
    """A share is written 0.05 or, as percents, 5; only 1 may be either."""
    if kind == RATIO and number != 1:
        return (Fraction(1),) if 0 <= number < 1 else (Fraction(1, 100),)
    return _GUESSED.get(kind, ())


def kinds_of(text: str) -> frozenset[str]:
    """What the name of an item, its first clause, speaks of: HighCPUUsage of a share."""
    return kinds_in(_NAME_END.split(text[:_LONGEST_NAME], maxsplit=1)[0])


def kinds_in(words: str) -> frozenset[str]:
    return frozenset(kind for kind, hint in _KINDS.items() if hint.search(words))


def tells_change(value: Value) -> bool:
    """还剩, 上升, 相差: the number is said to be a difference."""
    return _CHANGE.search(value.lead) is not None or _CHANGE.search(value.tail) is not None


def tells_lasting(value: Value) -> bool:
    """已持续, for, ago: the number is said to be a length of time up to now."""
    return _LASTING.search(value.lead) is not None or _LASTING.search(value.tail) is not None
