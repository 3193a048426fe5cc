"""Which numbers of the items belong together, so that their difference or ratio says something (R37).

Two numbers do when one text joins them (3.8GB/4GB, 86.2 -> 91.0, 2 of 3), when they fill the same field of several
items, or when their fields are a known pair (used and total, before and after). Any other difference is an accident.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

from domain.values.fields import field_of
from domain.values.latitude import latitude
from domain.values.units import BARE, COUNT
from domain.values.value import Value

_MOST_FOR_ALL_PAIRS = 6
"""Of more numbers than this some two have nearly any ratio: only neighbours, ends and extremes are paired."""

_JOINT = re.compile(
    r"\(|\s*(?:/|~|->|→|-|–|—|、|(?:\s?out)?\sof\s|to\s|vs\.?\s|(?:已|又|逐步)?(?:上升|下降|升高|降低|增加|减少|增长|升|降|增|减|涨|跌|变)?[至到为]|共|中的?"
    r"|低于|高于|超过|小于|大于|(?:is\s)?(?:older|newer|lower|higher|less|more|greater|above|below|over|under)"
    r"(?:\sthan)?(?:\sthe)?(?:\s[a-z]{1,16})?)\s*",
    re.IGNORECASE,
)
_COMMA = re.compile(r"\s*,\s*")
_LONGEST_JOINT, _LONGEST_LIST = 64, 256
_PAIRS = (
    (
        "used|usage|active|current|busy|in_?use|allocated|ready|online|failed|errors?|success|value|free|available|已用|当前|活跃",
        "total|max|limit|capacity|size|threshold|quota|desired|requests|总量|总数|上限|最大|阈值",
    ),
    ("before|old|from|start|first|previous|prev|min", "after|new|to|end|last|current|now|max"),
)
_PAIR_WORDS = tuple(
    tuple(re.compile(rf"(?<![a-z])(?:{side})(?![a-z])", re.IGNORECASE) for side in pair) for pair in _PAIRS
)


def family(dimension: str) -> str:
    """Counted things and bare numbers may stand beside each other: 2 of 3 replicas."""
    return BARE if dimension == COUNT else dimension


class Relations:
    """The pairs of numbers that belong together, as a text after the other is read."""

    def __init__(self) -> None:
        self._series: dict[tuple[str, str], list[Value]] = defaultdict(list)
        self._pairs: list[tuple[Value, Value]] = []
        self.longest: set[Fraction] = set()
        """How many numbers each series of three or more has: 5 个采样点."""

    def read(self, text: str, values: Sequence[Value]) -> None:
        exact_values = [value for value in values if value.extent is None]
        fields: dict[tuple[str, str], Value] = {}
        for chain in chains_in(text, exact_values):
            if len(chain) > 2:
                self.longest.add(Fraction(len(chain)))
            first = chain[0]
            key = field_of(first), family(first.dimension)
            if key[0] or (not first.lead.strip() and first.start == len(text) - len(text.lstrip())):
                self._series[key] += chain
            else:
                self._pairs += _within(chain)
            fields.setdefault(key, first)
        self._pairs += _named_pairs(fields)

    def pairs(self) -> Iterator[tuple[str, Fraction, Fraction]]:
        """Family and the two numbers, the one that stands first in front."""
        found = [*self._pairs, *(pair for series in self._series.values() for pair in _within(series))]
        return ((family(one.dimension), one.number, other.number) for one, other in found)


def chains_in(text: str, values: Sequence[Value]) -> list[list[Value]]:
    """Neighbours of one kind that a sign or a word joins, or that stand in one list."""
    chains: list[list[Value]] = []
    for value in values:
        last = chains[-1][-1] if chains else None
        if last and family(last.dimension) == family(value.dimension) and _is_joined(text, last.end, value.start):
            chains[-1].append(value)
        else:
            chains.append([value])
    return chains


def _is_joined(text: str, end: int, start: int) -> bool:
    """By a word or sign for it, or as items of a list: values=[210ms, 480ms, 1.8s]."""
    if start - end > _LONGEST_JOINT:
        return False
    return bool(_JOINT.fullmatch(text, end, start) or (_COMMA.fullmatch(text, end, start) and _is_listed(text, end)))


def _is_listed(text: str, index: int) -> bool:
    """Whether the nearest bracket within reach is one that opens a list."""
    reach = max(0, index - _LONGEST_LIST)
    return text.rfind("[", reach, index) > text.rfind("]", reach, index)


def _within(series: Sequence[Value]) -> Iterable[tuple[Value, Value]]:
    if len(series) <= _MOST_FOR_ALL_PAIRS:
        return combinations(series, 2)
    ends = (series[0], series[-1])
    extremes = (min(series, key=lambda value: value.number), max(series, key=lambda value: value.number))
    return [*pairwise(series), ends, extremes]


def _named_pairs(fields: dict[tuple[str, str], Value]) -> list[tuple[Value, Value]]:
    """heap_used and heap_total: the names are equal but for the words of the pair."""
    found = []
    for part_words, whole_words in _PAIR_WORDS:
        wholes = {
            (whole_words.sub("", key[0], count=1), key[1]): value
            for key, value in fields.items()
            if whole_words.search(key[0])
        }
        for (name, kind), value in fields.items():
            other = wholes.get((part_words.sub("", name, count=1), kind)) if part_words.search(name) else None
            if other is not None and other is not value:
                found.append((value, other))
    return found


class Numbers:
    """Numbers to be looked up, also by a span: in logarithmic time, however many there are."""

    def __init__(self, numbers: Iterable[Fraction]) -> None:
        self._sorted = sorted(set(numbers))

    def has_between(self, low: Fraction, high: Fraction, *, with_low: bool = True, with_high: bool = True) -> bool:
        begin = (bisect_left if with_low else bisect_right)(self._sorted, low)
        end = (bisect_right if with_high else bisect_left)(self._sorted, high)
        return begin < end

    def hold(self, value: Value, tolerance: Fraction = Fraction(0)) -> bool:
        """Whether the value is a true way to put one of them."""
        if extent := value.extent:
            return self.has_between(extent.low, extent.high, with_low=extent.with_low, with_high=extent.with_high)
        return self.has_between(value.number - tolerance, value.number + tolerance)


def fits(value: Value, numbers: Numbers) -> bool:
    """Whether one of the numbers may be put so, with the bound or the rounding that the words beside it tell."""
    extent = latitude(value)
    return numbers.hold(value) or (extent is not None and numbers.hold(replace(value, extent=extent)))
