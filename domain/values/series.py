"""The order of a series is part of what its item says: 从 1.8s 降到 210ms is not true of [210ms, 480ms, 1.8s] (R37)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from domain.values.relations import family
from domain.values.value import Value

_FROM = re.compile(r"(?:从|由|\bfrom)\s?\Z", re.IGNORECASE)
_TO = re.compile(r"\s?(?:[^\d,，。;；]{0,8}(?:到|至|为|成|\bto)|->|→)\s?", re.IGNORECASE)
_LOWEST = re.compile(r"(?:最低|最小|最快|minimum|lowest)[值约为仅是达\s]{0,3}\Z", re.IGNORECASE)
_HIGHEST = re.compile(r"(?:最高|最大|最慢|峰值|maximum|highest|peak)[值约为是达\s]{0,3}\Z", re.IGNORECASE)
_FIRST = re.compile(r"(?:最初|起初|initially)[值约为是\s]{0,3}\Z", re.IGNORECASE)
_MOST_LOOKED_AT = 32
"""Series that hold one number; of more, the rest does not count."""


class SeriesOrder:
    """The numbers of each series, as they follow each other."""

    def __init__(self) -> None:
        self._holding: dict[tuple[str, Fraction], list[_Run]] = defaultdict(list)

    def read(self, text: str, chain: Sequence[Value]) -> None:
        """`chain` are the values of `text` that a sign or a word joins; the 4096M of 3911M(4096M) is no step of it."""
        steps = [chain[0]]
        for value in chain[1:]:
            if "(" in text[steps[-1].end : value.start]:
                break
            steps.append(value)
        if len(steps) > 1:
            run = _Run([value.number for value in steps])
            for number in run.first:
                self._holding[family(chain[0].dimension), number].append(run)

    def turned_round(self, text: str, values: Sequence[Value]) -> list[str]:
        """The changes and extremes of a claim that every series with their numbers tells otherwise, as written."""
        changes = [
            text[one.start : other.end]
            for one, other in pairwise(values)
            if _FROM.search(one.lead) and _TO.fullmatch(text, one.end, other.start) and self._runs_back(one, other)
        ]
        return changes + [text[value.start : value.end] for value in values if self._is_misplaced(value)]

    def _runs_back(self, one: Value, other: Value) -> bool:
        runs = [run for run in self._runs(one) if family(one.dimension) == family(other.dimension) and run.holds(other)]
        return bool(runs) and not any(run.first[one.number] < run.last[other.number] for run in runs)

    def _is_misplaced(self, value: Value) -> bool:
        runs = self._runs(value)
        if _LOWEST.search(value.lead):
            return bool(runs) and all(run.lowest < value.number for run in runs)
        if _HIGHEST.search(value.lead):
            return bool(runs) and all(run.highest > value.number for run in runs)
        return bool(_FIRST.search(value.lead) and runs) and all(run.first[value.number] > 0 for run in runs)

    def _runs(self, value: Value) -> list[_Run]:
        return self._holding.get((family(value.dimension), value.number), [])[:_MOST_LOOKED_AT]


class _Run:
    def __init__(self, numbers: Sequence[Fraction]) -> None:
        self.last = {number: index for index, number in enumerate(numbers)}
        self.first = {number: index for index, number in reversed(list(enumerate(numbers)))}
        self.lowest, self.highest = min(numbers), max(numbers)

    def holds(self, value: Value) -> bool:
        return value.number in self.first
