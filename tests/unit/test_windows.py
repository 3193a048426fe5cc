"""How windows and durations are written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.evidence.window import Window, duration_text, utc_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (59, "59s"),
        (60, "1m"),
        (900, "15m"),
        (3_600, "1h"),
        (7_530, "2h5m"),
        (266_400, "3d2h"),
        (86_460, "1d1m"),
    ],
)
def test_a_duration_is_written_in_its_two_largest_units(seconds: int, text: str) -> None:
    """R9: durations of alerts."""
    assert duration_text(timedelta(seconds=seconds)) == text


def test_a_window_is_written_in_utc_with_milliseconds_only_where_there_are_any() -> None:
    """R9: the window of each query is in its payload."""
    start = datetime(2026, 7, 8, 19, 20, tzinfo=timezone(timedelta(hours=8)))
    window = Window(start, datetime(2026, 7, 8, 11, 20, 0, 250_000, tzinfo=UTC))
    assert str(window) == "2026-07-08T11:20:00Z/2026-07-08T11:20:00.250Z"
    assert utc_text(start) == "2026-07-08T11:20:00Z"
    assert start in window
