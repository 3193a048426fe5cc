"""Units of measured values and words for counted things, as data (R37). 1GiB is not 1GB."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

BARE = ""
COUNT = "count"
RATIO = "ratio"
POINTS = "points"  # percentage points: a difference of two ratios
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
    Fraction(900): ("刻钟",),
    Fraction(3600): ("h", "hr", "hrs", "hour", "hours", "个小时", "小时", "个钟头", "钟头"),
    Fraction(86400): ("d", "day", "days", "天"),
    Fraction(604800): ("w", "week", "weeks", "周", "个星期", "星期"),
}
_BYTE_SCALES = {
    1: ("B", "byte", "bytes", "字节"),
    10**3: ("KB", "kB"),
    10**6: ("MB", "兆"),
    10**9: ("GB",),
    10**12: ("TB",),
    2**10: ("KiB", "Ki"),
    2**20: ("MiB", "Mi"),
    2**30: ("GiB", "Gi"),
    2**40: ("TiB", "Ti"),
}
_RATIO_SCALES = {
    Fraction(1): ("x", "倍"),
    Fraction(1, 10): ("折",),
    Fraction(1, 100): ("%", "percent", "pct", "per cent"),
    Fraction(1, 1000): ("‰",),
}
_BARE_SCALES = {10**3: ("k", "K"), 10**6: ("M",), 10**9: ("G",)}
_OTHER = {
    Unit(POINTS, Fraction(1, 100)): ("个百分点", "百分点", "percentage points", "percentage point"),
    Unit("celsius"): ("℃", "°C", "摄氏度"),
    Unit("month"): ("个月", "month", "months"),
    Unit("year"): ("年", "year", "years"),
    **{Unit(name): (name, name.upper()) for name in ("qps", "rps", "tps", "rpm")},
    **{Unit(name): (name,) for name in ("bps", "kbps", "mbps", "gbps", "Kbps", "Mbps", "Gbps", "KB/s", "MB/s", "GB/s")},
    Unit("美元"): ("美元", "USD"),
    **{Unit(name): (name,) for name in ("元", "转", "度", "Hz")},
}

CLASSIFIERS = (
    *("次", "个", "条", "台", "项", "件", "笔", "起", "处", "名", "位", "份", "组", "轮", "种", "类", "页", "行"),
    *("张", "只", "批", "人", "核", "路", "段", "套", "家", "例", "遍", "层", "块", "单"),
)
_COUNTED = (
    *("告警", "请求", "错误", "实例", "连接", "线程", "副本", "日志", "消息", "用户", "订单", "异常", "失败", "重试"),
    *("error", "request", "alert", "pod", "connection", "thread", "message", "record", "item", "row", "log"),
    *("line", "instance", "node", "replica", "failure", "timeout", "attempt", "exception", "event", "warning", "entry"),
)
_PLURALS = tuple(name + "s" for name in _COUNTED if name.isascii())

UNITS: dict[str, Unit] = {
    **{name: Unit(TIME, scale) for scale, names in _TIME_SCALES.items() for name in names},
    **{name: Unit(BYTES, Fraction(scale)) for scale, names in _BYTE_SCALES.items() for name in names},
    **{name: Unit(RATIO, scale) for scale, names in _RATIO_SCALES.items() for name in names},
    **{name: Unit(BARE, Fraction(scale)) for scale, names in _BARE_SCALES.items() for name in names},
    **{name: unit for unit, names in _OTHER.items() for name in names},
    **{name: Unit(COUNT) for name in (*CLASSIFIERS, *_COUNTED, *_PLURALS, "times", "retries", "entries", "matches")},
}

_FOLDED = {name.casefold(): unit for name, unit in UNITS.items() if len(name) > 1}


def unit_named(name: str) -> Unit:
    """The unit of that name; a name in no list is a dimension of its own ("120qps" equals only qps)."""
    return UNITS.get(name) or _FOLDED.get(name.casefold()) or Unit(name.casefold())


NAMES = sorted(UNITS, key=len, reverse=True)
_LETTERS = "|".join(name for name in NAMES if name.isascii() and name.isalpha())
_OTHERS = "|".join(re.escape(name) for name in NAMES if not (name.isascii() and name.isalpha()))
UNIT = rf"(?:\s?(?P<other>{_OTHERS})|\s?(?P<unit>{_LETTERS})(?![A-Za-z0-9=]))"
"""The pattern of a unit behind a number; `named_unit` reads its match."""


def named_unit(match: re.Match[str], otherwise: Unit = PLAIN) -> Unit:
    name = match["other"] or match["unit"]
    return unit_named(name) if name else otherwise
