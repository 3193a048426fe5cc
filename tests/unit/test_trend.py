"""What a series did in a window (R84)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from domain.evidence.trend import SeriesPoint, plain_number, trend_of
from domain.language.directions import Direction

START = datetime(2031, 3, 4, 11, 0, tzinfo=UTC)


def series(*values: str) -> list[SeriesPoint]:
    return [SeriesPoint(START + timedelta(minutes=at), value) for at, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "direction"),
    [
        (("1", "2", "5", "9"), Direction.RISING),
        (("9", "5", "6", "1"), Direction.FALLING),
        (("5", "5", "5"), Direction.STEADY),
        (("1000", "1000.5", "1000.2", "1000.4"), Direction.STEADY),
        (("99.0", "99.4", "99.9"), Direction.RISING),
        (("5", "9", "1", "6"), Direction.FLUCTUATING),
        (("1", "+Inf"), Direction.RISING),
        (("NaN", "1"), None),
        (("NaN", "NaN"), None),
        (("7",), Direction.STEADY),
    ],
)
def test_the_direction_is_that_from_first_to_last(values: tuple[str, ...], direction: Direction | None) -> None:
    """R84: unknown where an end is no number."""
    assert trend_of(series(*values)).direction == direction


def test_values_stay_as_the_source_wrote_them() -> None:
    """R84: NaN and ±Inf are values; the mean leaves NaN out."""
    trend = trend_of(series("NaN", "2.50", "-Inf", "4"))
    assert trend.minimum is not None
    assert trend.maximum is not None
    assert (trend.first.text, trend.last.text, trend.minimum.text, trend.maximum.text) == ("NaN", "4", "-Inf", "4")
    assert (trend.maximum.at, trend.samples) == (START + timedelta(minutes=3), 4)
    assert trend_of(series("NaN", "2", "4")).mean == 3
    assert trend_of(series("NaN")).mean is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (100861.0, "100861"),
        (41025536.25, "41025536"),
        (0.173, "0.173"),
        (2 / 3, "0.666667"),
        (0.00002, "0.00002"),
        (0.0, "0"),
        (float("inf"), "+Inf"),
        (float("nan"), "NaN"),
    ],
)
def test_numbers_are_written_as_people_write_them(value: float, text: str) -> None:
    """100861 and not 1.00861e+05."""
    assert plain_number(value) == text
