"""Whether the numbers of a claim stand in its items, or follow from them by arithmetic (R37)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from fractions import Fraction

from domain.times import TimeMention, spans, times_in
from domain.units import BARE, COUNT, RATIO, TIME
from domain.values import Role, Value, values_in

_MOST_FOR_ROUNDED_RATIOS = 6
"""Of more numbers than this some pair has nearly any percentage: it would prove nothing."""


class Measurements:
    """The numbers of some texts. `counts` are numbers of things that code counted, such as how many items are bound."""

    def __init__(self, texts: Sequence[str], counts: Collection[int] = ()) -> None:
        self._numbers: dict[str, Counter[Fraction]] = {}
        self._written: set[Fraction] = set()
        self._counts = set(counts)
        self._times: list[TimeMention] = []
        for text in texts:
            self._read(text)

    def _read(self, text: str) -> None:
        of_one_kind: dict[str, int] = defaultdict(int)
        for value in values_in(text):
            self._add(_family(value.dimension), value.number)
            self._written.add(value.written)
            of_one_kind[value.dimension] += 1
        for length in spans(text):
            self._add(TIME, Fraction(int(length.total_seconds())))
        self._counts.update(count for count in of_one_kind.values() if count > 1)
        self._times += times_in(text)

    def _add(self, family: str, number: Fraction) -> None:
        self._numbers.setdefault(family, Counter())[number] += 1

    def _of(self, family: str) -> Counter[Fraction]:
        return self._numbers.get(family, Counter())

    def state(self, value: Value) -> bool:
        """Whether the value itself is there; a bare number may stand for a number with a unit, and 0.96 for 96%."""
        numbers = self._of(_family(value.dimension))
        if value.number in numbers:
            return True
        if value.dimension == COUNT:
            return False
        if value.dimension == BARE:
            return value.written in self._written or value.number in self._of(RATIO)
        bare = self._of(BARE)
        return value.written in bare or (value.dimension == RATIO and value.number in bare)

    def entail(self, value: Value) -> bool:
        """Whether the value is stated, or is a count, a difference or a ratio of the numbers here."""
        return self.state(value) or self._is_count(value) or self._is_difference(value) or self._is_ratio(value)

    def hold_time(self, mention: TimeMention) -> bool:
        return any(mention.is_part_of(known) for known in self._times)

    def _is_count(self, value: Value) -> bool:
        return value.dimension in {BARE, COUNT} and value.number in self._counts

    def _is_difference(self, value: Value) -> bool:
        numbers = self._of(_family(value.dimension))
        return value.number != 0 and any(number - abs(value.number) in numbers for number in numbers)

    def _is_ratio(self, value: Value) -> bool:
        if value.dimension not in {BARE, RATIO} or value.number <= 0:
            return False
        return any(_has_ratio(numbers, value) for numbers in self._numbers.values())


def _family(dimension: str) -> str:
    """Counted things and bare numbers may stand for each other."""
    return BARE if dimension == COUNT else dimension


def _has_ratio(numbers: Counter[Fraction], value: Value) -> bool:
    """An exact ratio; among few numbers also one rounded to the places written (66.7% of 2 and 3)."""
    if value.number == 1:
        return max(numbers.values()) > 1
    if any(value.number * divisor in numbers for divisor in numbers if divisor > 0):
        return True
    if value.step >= 1 or len(numbers) > _MOST_FOR_ROUNDED_RATIOS:
        return False
    pairs = ((part, whole) for part in numbers for whole in numbers if whole > 0 and part != whole)
    return any(abs(part / whole - value.number) <= value.step / 2 for part, whole in pairs)


def unsupported_values(text: str, items: Measurements, question: Measurements, windows: Collection[Fraction]) -> list[str]:
    """The numbers and times of `text` that its items do not carry, as written.

    The question excuses identifiers and times; `windows` (seconds) are the lengths of time that were asked or searched.
    """
    excused = {Role.IDENTIFIER: question.state, Role.WINDOW: lambda value: value.number in windows}
    missing = [
        text[value.start : value.end]
        for value in values_in(text)
        if not items.entail(value) and not excused.get(value.role, _never)(value)
    ]
    missing += [
        text[mention.start : mention.end]
        for mention in times_in(text)
        if not items.hold_time(mention) and not question.hold_time(mention)
    ]
    return missing


def _never(_value: Value) -> bool:
    return False
