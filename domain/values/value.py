"""One number that a text states: exact, or as vague as the text left it (R37)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction

from domain.values.units import Unit


class Role(Enum):
    """What a number says: a figure somebody measured, which one of several, or how far back was looked."""

    MEASURED = auto()
    IDENTIFIER = auto()
    WINDOW = auto()


@dataclass(frozen=True, slots=True)
class Extent:
    """What a vague figure may stand for, in the base unit: 数百 from 200 to below 1000, 三十余 between 30 and 40."""

    low: Fraction
    high: Fraction
    with_low: bool = True
    with_high: bool = False

    def holds(self, number: Fraction) -> bool:
        is_above = number >= self.low if self.with_low else number > self.low
        return is_above and (number <= self.high if self.with_high else number < self.high)

    def times(self, scale: Fraction) -> Extent:
        return Extent(self.low * scale, self.high * scale, self.with_low, self.with_high)


@dataclass(frozen=True, slots=True)
class Value:
    """`number` is in the base unit of `dimension` (a share for percents, seconds, bytes), `written` is not scaled.

    `step` is one unit of the last written place, in the base unit. A vague figure has an `extent`, and `number` is
    where it begins. `lead` and `tail` are the words beside it in its clause.
    """

    start: int
    end: int
    number: Fraction
    written: Fraction
    dimension: str
    step: Fraction
    role: Role = Role.MEASURED
    extent: Extent | None = None
    lead: str = ""
    tail: str = ""

    def covers(self, number: Fraction) -> bool:
        """Whether this is a true way to put that number."""
        return self.extent.holds(number) if self.extent else number == self.number


def exact(span: tuple[int, int], written: Fraction, unit: Unit, step: Fraction) -> Value:
    """`step` in the written unit."""
    if unit.scale == 1:
        return Value(*span, written, written, unit.dimension, step)
    return Value(*span, written * unit.scale, written, unit.dimension, step * unit.scale)


def vague(span: tuple[int, int], extent: Extent, unit: Unit) -> Value:
    extent_in_base = extent.times(unit.scale)
    return Value(*span, extent_in_base.low, extent.low, unit.dimension, unit.scale, extent=extent_in_base)
