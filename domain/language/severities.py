"""How bad an alert is: one order for the words that rules and monitoring systems use, in both languages (R70).

Alerts have no common list: Prometheus lets people write anything, Zabbix, X.733 and pagers have their own words. They
are put on the levels of log entries, so that there is one order. A word that stands nowhere is no severity (None): such
an alert is listed among the warnings, never behind what is known to be harmless.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from domain.language.levels import Level, level_of

_WORDS: dict[Level, tuple[str, str]] = {  # Chinese and English; what levels.py already knows does not stand here
    Level.FATAL: ("灾难 特别重大", "disaster blocker p0 sev0 s0"),
    Level.CRITICAL: ("重大 紧急呼叫", "page pager p1 sev1 s1 severe"),
    Level.ERROR: ("较大 高 高危 主要", "high major p2 sev2 s2 urgent"),
    Level.WARN: ("一般 中 中等 次要 平均", "medium minor average moderate ticket p3 sev3 s3"),
    Level.NOTICE: ("低 较低", "low p4 sev4 s4"),
    Level.INFO: ("提示", "p5 sev5 s5 ok cleared"),
    Level.TRACE: ("无", "none"),
}
_LABELS = ("severity", "priority", "level", "sev", "urgency")
_EDGES = re.compile(r"[\s_-]+")

UNKNOWN = Level.WARN
"""Where an alert stands whose severity is not given or not understood."""


def severity_of(word: str) -> Level | None:
    """How bad a word says that something is: critical, page, P1, 严重; None if it says nothing that is known."""
    plain = _EDGES.sub("", word.casefold())
    return _table()[plain] if plain in _table() else level_of(plain)


def rank_of(labels: Mapping[str, str]) -> Level:
    """How bad an alert is by its labels."""
    said = (severity_of(labels[label]) for label in _LABELS if label in labels)
    return next((level for level in said if level is not None), UNKNOWN)


@cache
def _table() -> dict[str, Level]:
    return {word: level for level, row in _WORDS.items() for column in row for word in column.split()}
