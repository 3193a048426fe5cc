"""Whether the numbers of a claim stand in its items, or follow from them by arithmetic (R37)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import assert_never

from domain.values.fields import kinds_of, readings, tells_change, tells_lasting
from domain.values.keyed import Keyed
from domain.values.naming import is_limit, is_ordinal, names_a_thing
from domain.values.numbers import seen, values_in
from domain.values.relations import Numbers, Relations, chains_in, family, fits
from domain.values.sayings import Sayings, tells_rest
from domain.values.series import SeriesOrder
from domain.values.times import TimeMention, spans, times_in
from domain.values.units import BARE, BYTES, COUNT, POINTS, RATIO, TIME
from domain.values.value import Extent, Role, Value

_ORDINAL = "ordinal"
_BINARY_BYTES = "bytes in binary units"
_BINARY = {Fraction(1000**power): Fraction(1024**power) for power in (1, 2, 3)}
_OF_MEMORY = re.compile(r"mem|heap|(?<![A-Za-z])GC(?![a-z])|jvm|内存|堆", re.IGNORECASE)
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
        self._keyed = Keyed()
        self._order = SeriesOrder()
        self._counted = {Fraction(count) for count in counts}
        self._times: list[TimeMention] = []
        self._now = now
        texts = [seen(text) for text in texts]
        self._sayings = Sayings(texts)
        for text in texts:
            self._read(text)
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
            if not is_limit(value):
                self._numbers[_ORDINAL].append(value.written)
            for dimension, number in _other_readings(value, text, kinds):
                self._numbers[dimension].append(number)
        self._relations.read(text, values)
        self._keyed.read(values)
        for chain in chains_in(text, [value for value in values if value.extent is None]):
            self._order.read(text, chain)
        self._numbers[TIME] += [Fraction(int(length.total_seconds())) for length in spans(text)]
        self._times += times_in(text)

    @cached_property
    def _stated(self) -> Mapping[str, Numbers]:
        return {dimension: Numbers(numbers) for dimension, numbers in self._numbers.items()}

    def state(self, value: Value) -> bool:
        """Whether the value itself is there, in its own unit; one that names no unit (0.96, 3.8G) may leave it out."""
        if value.extent and (value.dimension, value.extent) in self._vague:
            return True
        known = self._stated.get(value.dimension, _NOTHING)
        return known.hold(value) or (value.dimension == BYTES and self._stated.get(_BINARY_BYTES, _NOTHING).hold(value))

    def entail(self, value: Value) -> bool:
        """Whether the value is stated, or is a count, a difference, a ratio or an elapsed time of what stands here."""
        if self._keyed.contradict(value) or not self._sayings.bear_rate(value):
            return False
        if is_ordinal(value):
            return self._stated.get(_ORDINAL, _NOTHING).hold(value)
        if self._sayings.bear_aspect(value) and self._is_put(value):
            return True
        derivations = (self._is_count, self._is_difference, self._is_rest, self._is_ratio, self._is_elapsed)
        return any(is_derived(value) for is_derived in derivations)

    def turned_round(self, text: str, values: Sequence[Value]) -> list[str]:
        """The changes (从 A 降到 B) and extremes of a text that run against the series here, as written."""
        return self._order.turned_round(text, values)

    def _is_put(self, value: Value) -> bool:
        """Whether the value is stated, or a true bound or rounding of one that is."""
        return self.state(value) or fits(value, self._stated.get(value.dimension, _NOTHING))

    def hold_time(self, mention: TimeMention) -> bool:
        return any(mention.is_part_of(known, self._now) for known in self._times)

    def _is_count(self, value: Value) -> bool:
        return value.dimension == COUNT and self._counts.hold(value)

    @cached_property
    def _counts(self) -> Numbers:
        return Numbers(self._counted | self._relations.longest)

    def _is_difference(self, value: Value) -> bool:
        """还剩 8.5GiB; percentage points are the difference of two shares."""
        if not tells_change(value):
            return False
        return fits(replace(value, number=abs(value.number)), self._differences.get(family(value.dimension), _NOTHING))

    def _is_rest(self, value: Value) -> bool:
        """剩余不足 5% where 95.3% are used."""
        return value.dimension == RATIO and tells_rest(value) and fits(value, self._rests)

    @cached_property
    def _rests(self) -> Numbers:
        return Numbers(1 - share for share in self._numbers[RATIO] if 0 <= share <= 1)

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


def _other_readings(value: Value, text: str, kinds: frozenset[str]) -> Iterator[tuple[str, Fraction]]:
    """What else a number may be said to be than what is written."""
    if names_a_thing(value):
        return
    others = readings(value, kinds) if value.dimension == BARE else []
    yield from others
    for dimension, number in ((value.dimension, value.number), *others):
        if dimension == BYTES and number == value.written:  # plain bytes; 1073741824 is often called 1024MB or 1GB
            yield from ((_BINARY_BYTES, number * decimal / binary) for decimal, binary in _BINARY.items())
    scale = value.number / value.written if value.written else Fraction(1)
    if value.dimension == BARE and scale in _BINARY and _OF_MEMORY.search(text):
        yield from ((BYTES, value.number), (BYTES, value.written * _BINARY[scale]))  # 3911M of heap


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
    values = values_in(text)
    missing = [
        text[value.start : value.end]
        for value in values
        if not items.entail(value) and not _is_excused(value, question, windows)
    ]
    missing += items.turned_round(text, values)
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
