"""Levels of log entries: their order, their spellings and their numbers (R68).

A spelling stands here once, under the level it means. What stands nowhere is no level (None) and is never guessed:
only a level that was understood may exclude an entry.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum, IntEnum
from functools import cache
from itertools import chain


class Level(IntEnum):
    """From the least to the worst."""

    TRACE = 0
    DEBUG = 1
    INFO = 2
    NOTICE = 3
    WARN = 4
    ERROR = 5
    CRITICAL = 6
    FATAL = 7


_WORDS: dict[Level, tuple[str, str]] = {  # Chinese, English and the short forms that are printed for it
    Level.TRACE: ("跟踪 追踪", "trace trce trc trac"),
    Level.DEBUG: ("调试 详细 较详细 非常详细", "debug dbug dbg debu verbose vrb"),
    Level.INFO: ("信息 配置", "info information informational inf"),
    Level.NOTICE: ("注意 通知", "notice ntc"),
    Level.WARN: ("警告 告警 警示", "warn warning wrn"),
    Level.ERROR: ("错误", "error err erro severe"),
    Level.CRITICAL: ("严重 严重错误 危急", "critical crit dpanic"),
    Level.FATAL: (
        "致命 致命错误 紧急 比致命错误还过分的错误",
        "fatal ftl fata panic pani pnc alert emergency emerg",
    ),
}
"""What a line may hold as its level whatever its format is."""

_WORDS_OF_ONE_LOGGER: dict[Level, str] = {
    Level.TRACE: "finest trivia silly trace1 trace2 trace3 trace4 trace5 trace6 trace7 trace8",  # JUL, ESXi, npm, httpd
    Level.DEBUG: "fine finer http debug1 debug2 debug3 debug4 debug5 d1 d2 d3 d4 d5",  # JUL, npm, PostgreSQL, MongoDB
    Level.INFO: "config log system audit notification normal",  # JUL, PostgreSQL, MySQL, OpenStack, Oracle, Kubernetes
    Level.NOTICE: "note success",  # MySQL, loguru
    Level.WARN: "deprecation",  # Elasticsearch
    Level.ERROR: "fail incident_error",  # .NET console, Oracle
    Level.FATAL: "failure",  # BlueGene
}
"""Ordinary words, which are levels only where a format has its level."""

_ERRORS_ZH = ("异常", "报错")
"""Errors as people speak of them; no level of an entry."""

_LATIN = re.compile("[a-z]+")

_LETTERS = {
    "T": Level.TRACE,
    "V": Level.DEBUG,
    "D": Level.DEBUG,
    "I": Level.INFO,
    "N": Level.NOTICE,
    "W": Level.WARN,
    "E": Level.ERROR,
    "C": Level.CRITICAL,
    "F": Level.FATAL,
}
"""klog, glog, Android, MongoDB, Ruby. V (verbose) is no worse than debug and, with Android, less."""

_REDIS_MARKS = {".": Level.DEBUG, "-": Level.INFO, "*": Level.NOTICE, "#": Level.WARN}

_NO_LEVEL = ("", "default", "unset", "none", "notset", "unspecified", "off", "any", "unknown", "nil", "null", "-", "*")
_CONTINUING = (
    *("detail", "hint", "statement", "context", "query", "location", "backtrace"),
    *("详细信息", "提示", "语句", "上下文", "查询", "位置"),
)


def _table() -> dict[str, Level]:
    known = {word: level for level, words in _WORDS_OF_ONE_LOGGER.items() for word in words.split()}
    return known | {word: level for level, row in _WORDS.items() for column in row for word in column.split()}


_LEVELS = _table()

LEVEL_WORDS: tuple[str, ...] = tuple(
    sorted(chain.from_iterable(column.split() for row in _WORDS.values() for column in row), key=lambda w: (-len(w), w))
)
"""Every spelling that means a level in any format, lower case, the longest first: for building expressions."""


def level_of(word: str) -> Level | None:
    """The level of a word that stands where an entry has its level, in any case; None if it is no spelling of one."""
    return _LEVELS.get(word.strip(" \t[]<>():*").casefold())


def level_of_letter(letter: str) -> Level | None:
    """The level of one letter, as klog, Android, MongoDB and Ruby write it; None for any other."""
    return _LETTERS.get(letter.upper())


def level_of_redis_mark(mark: str) -> Level | None:
    """The level of `.`, `-`, `*` or `#`. Redis has none worse than `#`: its errors are written so, too."""
    return _REDIS_MARKS.get(mark)


def says_no_level(word: str) -> bool:
    """Whether the place of the level says that there is none: GCP's DEFAULT, Python's NOTSET, `-`."""
    return word.strip().casefold() in _NO_LEVEL


def continues_entry(word: str) -> bool:
    """Whether PostgreSQL writes this in place of a level for a part of the entry before: DETAIL, HINT, STATEMENT, …

    It has no level of its own: the entry that it belongs to may be an error.
    """
    return word.strip().casefold() in _CONTINUING


def spellings_of(level: Level) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Every spelling of a level, in Chinese and in English; those of one logger among the English ones."""
    chinese, english = _WORDS[level]
    return tuple(chinese.split()), (*english.split(), *_WORDS_OF_ONE_LOGGER.get(level, "").split())


def said_as(text: str) -> tuple[str, ...]:
    """Every word for the bad levels that a text names, in both languages: who says 异常 or 报错 speaks of errors."""
    folded = text.casefold()
    latin = frozenset(_LATIN.findall(folded))
    rows = (row for row in _spoken() if any(word in latin if word.isascii() else word in folded for word in row))
    return tuple(dict.fromkeys(word for row in rows for word in row))


@cache
def _spoken() -> tuple[tuple[str, ...], ...]:
    said = {level: (*chinese.split(), *english.split()) for level, (chinese, english) in _WORDS.items()}
    return (said[Level.WARN], (*said[Level.ERROR], *_ERRORS_ZH), said[Level.CRITICAL] + said[Level.FATAL])


def name_of(level: Level) -> str:
    """The canonical name, in capitals."""
    return level.name


class Scale(Enum):
    """Who gave a number: the same number means different levels. Each scale: lowest number of a level → that level.

    A number between two named ones is of the lower one, unless the scale's own table says otherwise. SYSLOG is the
    severity alone (of a priority: `priority & 7`), and GELF's too.
    """

    SYSLOG = "syslog"
    GELF = "gelf"
    PINO = "pino"  # bunyan too
    PYTHON = "python"
    OTEL = "otel"
    JUL = "jul"
    LOGBACK = "logback"  # `level_value`; log4j 1 too
    LOG4J2 = "log4j2"
    GCP = "gcp"
    MONOLOG = "monolog"
    SLOG = "slog"
    SERILOG = "serilog"
    DOTNET = "dotnet"
    ZEROLOG = "zerolog"
    WINDOWS = "windows"


_RISING: dict[Scale, tuple[tuple[int, Level], ...]] = {
    Scale.PINO: (
        *((1, Level.TRACE), (20, Level.DEBUG), (30, Level.INFO), (31, Level.NOTICE), (40, Level.WARN)),
        *((50, Level.ERROR), (51, Level.CRITICAL), (60, Level.FATAL)),
    ),
    Scale.PYTHON: (
        *((1, Level.TRACE), (10, Level.DEBUG), (20, Level.INFO), (21, Level.NOTICE), (30, Level.WARN)),
        *((40, Level.ERROR), (50, Level.CRITICAL), (51, Level.FATAL)),
    ),
    Scale.OTEL: (
        *((1, Level.TRACE), (5, Level.DEBUG), (9, Level.INFO), (10, Level.NOTICE), (13, Level.WARN)),
        *((17, Level.ERROR), (18, Level.CRITICAL), (21, Level.FATAL)),
    ),
    Scale.JUL: ((1, Level.TRACE), (400, Level.DEBUG), (700, Level.INFO), (900, Level.WARN), (1000, Level.ERROR)),
    Scale.LOGBACK: (
        *((1, Level.TRACE), (10_000, Level.DEBUG), (20_000, Level.INFO), (30_000, Level.WARN)),
        *((40_000, Level.ERROR), (50_000, Level.FATAL)),
    ),
    Scale.GCP: (
        *((100, Level.DEBUG), (200, Level.INFO), (300, Level.NOTICE), (400, Level.WARN), (500, Level.ERROR)),
        *((600, Level.CRITICAL), (700, Level.FATAL)),
    ),
    Scale.MONOLOG: (
        *((100, Level.DEBUG), (200, Level.INFO), (250, Level.NOTICE), (300, Level.WARN), (400, Level.ERROR)),
        *((500, Level.CRITICAL), (550, Level.FATAL)),
    ),
    Scale.SLOG: ((-8, Level.TRACE), (-4, Level.DEBUG), (0, Level.INFO), (1, Level.NOTICE), (4, Level.WARN),
                 (8, Level.ERROR), (9, Level.CRITICAL)),
    Scale.SERILOG: tuple(enumerate((Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL))),
    Scale.DOTNET: tuple(enumerate((Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.CRITICAL))),
    Scale.ZEROLOG: tuple(
        enumerate((Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL, Level.FATAL), -1)
    ),
}  # fmt: skip
_MOST = {
    **{Scale.PINO: 100, Scale.PYTHON: 100, Scale.OTEL: 24, Scale.JUL: 1_000, Scale.LOGBACK: 50_000, Scale.GCP: 800},
    **{Scale.MONOLOG: 600, Scale.SLOG: 16, Scale.SERILOG: 5, Scale.DOTNET: 5, Scale.ZEROLOG: 5},
}

_SYSLOG = (Level.FATAL, Level.FATAL, Level.CRITICAL, Level.ERROR, Level.WARN, Level.NOTICE, Level.INFO, Level.DEBUG)
_EXACT: dict[Scale, dict[int, Level]] = {
    Scale.SYSLOG: dict(enumerate(_SYSLOG)),
    Scale.GELF: dict(enumerate(_SYSLOG)),
    Scale.LOG4J2: {
        **{100: Level.FATAL, 200: Level.ERROR, 300: Level.WARN, 400: Level.INFO, 500: Level.DEBUG, 600: Level.TRACE}
    },
    Scale.WINDOWS: {1: Level.CRITICAL, 2: Level.ERROR, 3: Level.WARN, 4: Level.INFO, 5: Level.DEBUG},
}


def level_of_number(number: int, scale: Scale) -> Level | None:
    """The level that a number stands for in a scale; None for a number that the scale does not have."""
    if scale in _EXACT:
        return _EXACT[scale].get(number)
    steps = _RISING[scale]
    if not steps[0][0] <= number <= _MOST[scale]:
        return None
    return steps[bisect_right(steps, number, key=lambda step: step[0]) - 1][1]


def level_said(text: str) -> Level | None:
    """The worst level that the head of a text of no known format says, in capitals or brackets; None if it says none.

    Only what stands alone counts: `log_level=ERROR` is a setting.
    """
    found = (level_of(match[1] or match[2] or match[3]) for match in _said().finditer(text[:_HEAD]))
    return max((level for level in found if level is not None), default=None)


_HEAD = 400


@cache
def _said() -> re.Pattern[str]:
    plain = [word for word in LEVEL_WORDS if word.isascii() and len(word) > 2]
    capitals, lower = "|".join(map(str.upper, plain)), "|".join(plain)
    chinese = "|".join(word for word in LEVEL_WORDS if not word.isascii())
    return re.compile(
        rf"(?<![^\s|\[(<{{\"',;])({capitals}|{chinese})(?![^\s|\])>}}\"',;:.-])"
        rf"|[\[(<]\s?({lower})\s?[\])>]|(?:^|[\s|])({lower}):(?=\s)"
    )
