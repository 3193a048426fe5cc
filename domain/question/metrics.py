"""Measures that a question names: series of a metrics server, and shares, rates and times in words (R70)."""

from __future__ import annotations

import re
from functools import cache

from domain.language import cues, measures, plain_words, service_words
from domain.language.cue import chinese, english, expression, pattern_of
from domain.question.question import TermKind
from domain.question.reader import Reader

_SNAKE = re.compile(
    r"(?<![A-Za-z0-9_./-])(?<![A-Za-z0-9]:)(?P<name>[a-z][a-z0-9]{0,40}(?:[_:][a-z0-9]{1,40}){1,12})(?![A-Za-z0-9_/-]|\.[A-Za-z0-9_])"
)
_PERCENTILE = r"[pP]\d{2,3}(?:\.\d)?"


def take_metrics(reader: Reader, *, of_measures: bool) -> None:
    """`of_measures`: the question asks how much, so that memory and disk are measures too."""
    for pattern in _called():
        for found in list(pattern.finditer(reader.rest)):
            if found["name"] not in plain_words.NOT_NAMES or found["name"] == "up":
                reader.take(TermKind.METRIC, found.span("name"), found.span())
    for found in list(_SNAKE.finditer(reader.rest)):
        is_service = found["name"].rpartition("_")[2] in service_words.CALLED
        reader.take(TermKind.SERVICE if is_service else TermKind.METRIC, found.span("name"))
    for pattern in _in_words():
        reader.take_all(TermKind.METRIC, pattern)
    if of_measures and not reader.has(TermKind.METRIC):
        reader.take_all(TermKind.METRIC, pattern_of(measures.ALONE))


@cache
def _called() -> tuple[re.Pattern[str], ...]:
    """What stands beside 指标 or metric."""
    noun = expression(cues.METRICS)
    no_name = r"(?!(?:of|for|in|is|are|on|have|at|that|does|do)\b)"
    return (
        re.compile(rf"(?<![A-Za-z0-9_])(?P<name>[a-z][a-z0-9_:]{{1,80}})\s?(?:{noun})"),
        re.compile(rf"(?:{noun})\s?[:：]?\s?(?P<name>{no_name}[a-z][a-z0-9_:]{{1,80}})(?![A-Za-z0-9_])"),
    )


@cache
def _in_words() -> tuple[re.Pattern[str], ...]:
    times = expression(measures.TIMES_TAKEN)
    per_second = expression(measures.PER_SECOND)
    shares = (
        rf"(?:{chinese(measures.RESOURCES)})?\s?(?:{chinese(measures.SHARES)})"
        rf"|(?:{english(measures.RESOURCES)})\s(?:{english(measures.SHARES)})"
    )
    return (
        re.compile(rf"(?<![A-Za-z0-9])(?:{_PERCENTILE}|{per_second})(?![A-Za-z0-9])(?:\s?(?:{times}))?", re.IGNORECASE),
        re.compile(f"{shares}|{expression(measures.RATES, measures.AMOUNTS)}|{times}", re.IGNORECASE),
    )
