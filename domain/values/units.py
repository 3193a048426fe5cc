"""Units of measured values, as data (R37). Binary and decimal byte units stay apart: 1GiB is not 1GB."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

BARE = ""
COUNT = "count"
RATIO = "ratio"
TIME = "time"  # seconds
BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Unit:
    """`scale` turns a written number into the base unit of `dimension`: seconds, bytes, a share of one."""

    dimension: str
    scale: Fraction = Fraction(1)


PLAIN = Unit(BARE)

_TIME_SCALES = {
    Fraction(1, 10**9): ("ns", "纳秒"),
    Fraction(1, 10**6): ("us", "µs", "μs", "微秒"),
    Fraction(1, 1000): ("ms", "msec", "millis", "毫秒"),
    Fraction(1): ("s", "sec", "secs", "second", "seconds", "秒钟", "秒"),
    Fraction(60): ("m", "min", "mins", "minute", "minutes", "分钟"),
    Fraction(3600): ("h", "hr", "hrs", "hour", "hours", "个小时", "小时"),
    Fraction(86400): ("d", "day", "days", "天"),
    Fraction(604800): ("w", "week", "weeks", "周"),
}
_BYTE_SCALES = {
    1: ("B", "byte", "bytes", "字节"),
    10**3: ("KB", "kB"),
    10**6: ("MB",),
    10**9: ("GB",),
    10**12: ("TB",),
    2**10: ("KiB", "Ki"),
    2**20: ("MiB", "Mi"),
    2**30: ("GiB", "Gi"),
    2**40: ("TiB", "Ti"),
}
_RATIO_SCALES = {
    Fraction(1): ("x", "倍"),
    Fraction(1, 100): ("%", "percent", "个百分点", "百分点"),
    Fraction(1, 1000): ("‰",),
}
_BARE_SCALES = {10**3: ("k", "K"), 10**4: ("万",), 10**6: ("M",), 10**8: ("亿",), 10**9: ("G",)}

CLASSIFIERS = (
    *("次", "个", "条", "台", "项", "件", "笔", "起", "处", "名", "位", "份", "组", "轮", "种", "类", "页", "行"),
    *("张", "只", "批", "人", "核", "路", "段", "套", "家", "例", "遍", "层", "块"),
)

UNITS: dict[str, Unit] = {
    **{name: Unit(TIME, scale) for scale, names in _TIME_SCALES.items() for name in names},
    **{name: Unit(BYTES, Fraction(scale)) for scale, names in _BYTE_SCALES.items() for name in names},
    **{name: Unit(RATIO, scale) for scale, names in _RATIO_SCALES.items() for name in names},
    **{name: Unit(BARE, Fraction(scale)) for scale, names in _BARE_SCALES.items() for name in names},
    **{name: Unit("celsius") for name in ("℃", "°C", "摄氏度")},
    **{name: Unit(COUNT) for name in CLASSIFIERS},
    **{
        scale + name: Unit(COUNT, Fraction(size))
        for scale, size in (("万", 10**4), ("亿", 10**8))
        for name in CLASSIFIERS
    },
}

_FOLDED = {name.casefold(): unit for name, unit in UNITS.items() if len(name) > 1}


def unit_named(name: str) -> Unit:
    """The unit of that name; a name in no list is a dimension of its own ("120qps" equals only qps)."""
    return UNITS.get(name) or _FOLDED.get(name.casefold()) or Unit(name.casefold())


_DIGITS = {
    digit: value
    for value, digits in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九"))
    for digit in digits
}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}

CHINESE_DIGITS = "".join(_DIGITS)
CHINESE_NUMERALS = CHINESE_DIGITS + "".join(_SMALL) + "".join(_LARGE)


def chinese_number(numeral: str) -> int:
    """三十 -> 30, 两百零五 -> 205, 一万二千 -> 12000; digits without powers are read one by one: 二〇三一 -> 2031."""
    if not set(numeral) & (_SMALL.keys() | _LARGE.keys()):
        return int("".join(str(_DIGITS[character]) for character in numeral))
    total = section = digit = 0
    for character in numeral:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _SMALL:
            section, digit = section + (digit or 1) * _SMALL[character], 0
        else:
            total, section, digit = (total + section + digit) * _LARGE[character], 0, 0
    return total + section + digit
