"""Whether the numbers of a claim stand in its items, or follow from them by arithmetic (R37)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import assert_never

from domain.values.numbers import Role, Value, values_in
from domain.values.times import TimeMention, spans, times_in
from domain.values.units import BARE, COUNT, RATIO, TIME

_MOST_FOR_ROUNDED_RATIOS = 6
"""Of more numbers than this some pair has nearly any percentage: it would prove nothing."""


class Measurements:
    """The numbers of some texts.

    `counts` are numbers of things that code counted, such as how many items are bound. Up to `now`, the session's
    clock, the times in the texts have lasted: an alert active since 11:05 has been firing for 15 minutes at 11:20 (R9).
    """

    def __init__(self, texts: Sequence[str], counts: Collection[int] = (), now: datetime | None = None) -> None:
        self._numbers: dict[str, Counter[Fraction]] = {}
        self._written: set[Fraction] = set()
        self._counts = set(counts)
        self._times: list[TimeMention] = []
        for text in texts:
            self._read(text)
        self._elapsed = _elapsed(self._times, now) if now else ()

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
        """Whether the value is stated, or is a count, a difference, a ratio or an elapsed time of what stands here."""
        derivations = (self._is_count, self._is_difference, self._is_ratio, self._is_elapsed)
        return self.state(value) or any(is_derived(value) for is_derived in derivations)

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

    def _is_elapsed(self, value: Value) -> bool:
        return value.dimension == TIME and any(abs(seconds - value.number) < value.step for seconds in self._elapsed)


def _elapsed(times: Sequence[TimeMention], now: datetime) -> tuple[Fraction, ...]:
    """Seconds from each time to now, and from the first to the last."""
    moments = [moment for mention in times if (moment := mention.moment(now))]
    lengths = [now - moment for moment in moments]
    if moments:
        lengths.append(max(moments) - min(moments))
    return tuple(Fraction(int(length.total_seconds())) for length in lengths if length > timedelta(0))


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


def unsupported_values(
    text: str, items: Measurements, question: Measurements, windows: Collection[Fraction]
) -> list[str]:
    """The numbers and times of `text` that its items do not carry, as written.

    The question excuses identifiers and times; `windows` (seconds) are the lengths of time that were asked or searched.
    """
    missing = [
        text[value.start : value.end]
        for value in values_in(text)
        if not items.entail(value) and not _is_excused(value, question, windows)
    ]
    missing += [
        text[mention.start : mention.end]
        for mention in times_in(text)
        if not items.hold_time(mention) and not question.hold_time(mention)
    ]
    return missing


def _is_excused(value: Value, question: Measurements, windows: Collection[Fraction]) -> bool:
    match value.role:
        case Role.IDENTIFIER:
            return question.state(value)
        case Role.WINDOW:
            return value.number in windows
        case Role.MEASURED:
            return False
        case _:
            assert_never(value.role)
