"""What a series did in a window: first, last, smallest, greatest, mean and direction of its points (R84)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from domain.language.directions import Direction

_LEVEL = 0.001
"""A spread below this share of the greatest value is no movement."""


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """A value as the source writes it; NaN and ±Inf are values."""

    at: datetime
    text: str

    @property
    def value(self) -> float:
        """NaN for what is no number."""
        try:
            return float(self.text)
        except ValueError:
            return math.nan


@dataclass(frozen=True, slots=True)
class Trend:
    """`minimum`, `maximum` and `mean` leave NaN out; None if there is nothing else. `direction` None: not known."""

    first: SeriesPoint
    last: SeriesPoint
    minimum: SeriesPoint | None
    maximum: SeriesPoint | None
    mean: float | None
    direction: Direction | None
    samples: int


def trend_of(points: Sequence[SeriesPoint]) -> Trend:
    """`points`: at least one, in the order of their times."""
    known = [point for point in points if not math.isnan(point.value)]
    first, last = points[0], points[-1]
    lowest = min(known, key=lambda point: point.value, default=None)
    highest = max(known, key=lambda point: point.value, default=None)
    return Trend(
        first,
        last,
        lowest,
        highest,
        sum(point.value for point in known) / len(known) if known else None,
        _direction(first, last, lowest, highest) if lowest and highest else None,
        len(points),
    )


def _direction(first: SeriesPoint, last: SeriesPoint, lowest: SeriesPoint, highest: SeriesPoint) -> Direction | None:
    if math.isnan(first.value) or math.isnan(last.value):
        return None
    if lowest.value == highest.value:
        return Direction.STEADY
    spread = highest.value - lowest.value
    if math.isfinite(spread) and spread <= _LEVEL * max(abs(lowest.value), abs(highest.value)):
        return Direction.STEADY
    change = last.value - first.value
    if math.isnan(change):
        return None
    if abs(change) < spread / 2:
        return Direction.FLUCTUATING
    return Direction.RISING if change > 0 else Direction.FALLING


def plain_number(value: float) -> str:
    """As people write it: six digits that tell, whole from a million on, never 1.00861e+05."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    if abs(value) >= 1e6:
        return f"{value:.0f}"
    text = f"{value:.6g}"
    return f"{value:.12f}".rstrip("0").rstrip(".") if "e" in text and abs(value) > 1e-9 else text
