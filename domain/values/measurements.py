"""Whether the numbers of a claim stand in its items, or follow from them by arithmetic (R37)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import assert_never

from domain.values.fields import kinds_of, readings, tells_change, tells_lasting
from domain.values.numbers import seen, values_in
from domain.values.relations import Numbers, Relations, family
from domain.values.times import TimeMention, spans, times_in
from domain.values.units import BARE, BYTES, COUNT, POINTS, RATIO, TIME
from domain.values.value import Extent, Role, Value

_NOTHING = Numbers(())


class Measurements:
    """The numbers of some texts.

    `counts` are numbers of things that code counted, such as how many items are bound. Up to `now`, the session's
    clock, the times in the texts have lasted: an alert active since 11:05 has been firing for 15 minutes at 11:20 (R9).
    """

    def __init__(self, texts: Sequence[str], counts: Collection[int] = (), now: datetime | None = None) -> None:
        self._numbers: dict[str, list[Fraction]] = defaultdict(list)
        self._vague: set[tuple[str, Extent]] = set()
        self._relations = Relations()
        self._counted = {Fraction(count) for count in counts}
        self._times: list[TimeMention] = []
        for text in texts:
            self._read(seen(text))
        self._elapsed = Numbers(_elapsed(self._times, now) if now else ())

    def _read(self, text: str) -> None:
        values = values_in(text)
        kinds = kinds_of(text)
        for value in values:
            if value.extent:
                self._vague.add((value.dimension, value.extent))
                continue
            self._numbers[value.dimension].append(value.number)
            self._numbers[BARE].append(value.written)
            if value.dimension in {RATIO, BYTES}:
                self._numbers[BARE].append(value.number)
            if value.dimension == BARE:
                for dimension, number in readings(value, kinds):
                    self._numbers[dimension].append(number)
        self._relations.read(text, values)
        self._numbers[TIME] += [Fraction(int(length.total_seconds())) for length in spans(text)]
        self._times += times_in(text)

    @cached_property
    def _stated(self) -> Mapping[str, Numbers]:
        return {dimension: Numbers(numbers) for dimension, numbers in self._numbers.items()}

    def state(self, value: Value) -> bool:
        """Whether the value itself is there, in its own unit; one that names no unit (0.96, 3.8G) may leave it out."""
        if value.extent and (value.dimension, value.extent) in self._vague:
            return True
        return self._stated.get(value.dimension, _NOTHING).hold(value)

    def entail(self, value: Value) -> bool:
        """Whether the value is stated, or is a count, a difference, a ratio or an elapsed time of what stands here."""
        derivations = (self._is_count, self._is_difference, self._is_ratio, self._is_elapsed)
        return self.state(value) or any(is_derived(value) for is_derived in derivations)

    def hold_time(self, mention: TimeMention) -> bool:
        return any(mention.is_part_of(known) for known in self._times)

    def _is_count(self, value: Value) -> bool:
        return value.dimension == COUNT and self._counts.hold(value)

    @cached_property
    def _counts(self) -> Numbers:
        return Numbers(self._counted | self._relations.longest)

    def _is_difference(self, value: Value) -> bool:
        """还剩 8.5GiB; percentage points are the difference of two shares."""
        if not tells_change(value):
            return False
        return self._differences.get(family(value.dimension), _NOTHING).hold(replace(value, number=abs(value.number)))

    @cached_property
    def _differences(self) -> Mapping[str, Numbers]:
        found: dict[str, list[Fraction]] = defaultdict(list)
        for kind, one, other in self._relations.pairs():
            if one != other:
                found[kind].append(abs(one - other))
        return {kind: Numbers(numbers) for kind, numbers in found.items()} | {
            POINTS: Numbers(found[RATIO] + found[POINTS])
        }

    def _is_ratio(self, value: Value) -> bool:
        """堆使用率 95% of 3.8GB/4GB, rounded to the places written; 增长 50% is a ratio of the change."""
        is_share = value.dimension == BARE and 0 < value.number < 1
        if value.dimension != RATIO and not is_share:
            return False
        tolerance = value.step / 2 if value.step < 1 else Fraction(0)
        return self._ratios.hold(value, tolerance) or (tells_change(value) and self._changes.hold(value, tolerance))

    @cached_property
    def _ratios(self) -> Numbers:
        pairs = [(one, other) for _, one, other in self._relations.pairs() if one > 0 and other > 0]
        return Numbers([one / other for one, other in pairs] + [other / one for one, other in pairs])

    @cached_property
    def _changes(self) -> Numbers:
        pairs = [(one, other) for _, one, other in self._relations.pairs() if one > 0 and one != other]
        return Numbers(abs(other - one) / one for one, other in pairs)

    def _is_elapsed(self, value: Value) -> bool:
        """Rounded or cut off to the places written: 15 分 30 秒 are 15 or 16 分钟."""
        if value.dimension != TIME or not tells_lasting(value):
            return False
        if value.extent:
            return self._elapsed.hold(value)
        low, high = value.number - value.step / 2, value.number + value.step
        return self._elapsed.has_between(low, high, with_high=False)


def _elapsed(times: Sequence[TimeMention], now: datetime) -> tuple[Fraction, ...]:
    """Seconds from each time to now, and from the first to the last."""
    moments = [moment for mention in times if (moment := mention.moment(now))]
    lengths = [now - moment for moment in moments]
    if moments:
        lengths.append(max(moments) - min(moments))
    return tuple(Fraction(int(length.total_seconds())) for length in lengths if length > timedelta(0))


def unsupported_values(
    text: str, items: Measurements, question: Measurements, windows: Collection[Fraction]
) -> list[str]:
    """The numbers and times of `text` that its items do not carry, as written.

    The question excuses identifiers and times; `windows` (seconds) are the lengths of time that were asked or searched.
    """
    text = seen(text)
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
            return any(value.covers(length) for length in windows)
        case Role.MEASURED:
            return False
        case _:
            assert_never(value.role)
