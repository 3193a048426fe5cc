"""Which way a series went, in both languages (R84)."""

from __future__ import annotations

from enum import StrEnum


class Direction(StrEnum):
    """From the first value to the last. Fluctuating: less than half of the spread lies between them."""

    RISING = "rising"
    FALLING = "falling"
    STEADY = "steady"
    FLUCTUATING = "fluctuating"


IN_CHINESE: dict[str, str] = {
    Direction.RISING: "上升",
    Direction.FALLING: "下降",
    Direction.STEADY: "平稳",
    Direction.FLUCTUATING: "波动",
}
