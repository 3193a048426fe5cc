"""A number belongs to the key it stands under and to its place in a series (R37)."""

from __future__ import annotations

import pytest

from domain.values.measurements import Measurements, unsupported_values

ALERT = "HighMemoryUsage firing, current=91%, threshold=85%"
SLO = "WARN x-service p99=800ms slo=500ms"
SERIES = "p99_latency values=[210ms, 480ms, 1.8s]"
HEAP = "Pause Full 3980M->3911M(4096M) 4213.556ms"


def missing(claim: str, *items: str) -> list[str]:
    return unsupported_values(claim, Measurements(items), Measurements([""]), set())


@pytest.mark.parametrize(
    ("claim", "item", "numbers"),
    [
        ("threshold=91%", ALERT, ["91%"]),
        ("阈值 91%", ALERT, ["91%"]),
        ("p99=500ms", SLO, ["500ms"]),
        ("p99 为 500ms，slo 为 800ms", SLO, ["500ms", "800ms"]),
        ("attempt=3 max=2", "retry attempt=2 max=3", ["3", "2"]),
        ("延迟从 1.8s 降到 210ms", SERIES, ["1.8s 降到 210ms"]),
        ("延迟由 1.8s 变为 210ms", SERIES, ["1.8s 变为 210ms"]),
        ("延迟最低 1.8s", SERIES, ["1.8s"]),
        ("延迟最高 480ms", SERIES, ["480ms"]),
        ("延迟最初为 1.8s", SERIES, ["1.8s"]),
        ("堆从 3911M 增至 3980M", HEAP, ["3911M 增至 3980M"]),
    ],
)
def test_a_number_of_another_key_or_place_is_found(claim: str, item: str, numbers: list[str]) -> None:
    """R37."""
    assert missing(claim, item) == numbers


@pytest.mark.parametrize(
    ("claim", "item"),
    [
        ("current=91%，阈值 85%", ALERT),
        ("p99=0.8s，slo 为 500ms", SLO),
        ("p99 约 800ms", SLO),
        ("延迟从 210ms 升至 1.8s", SERIES),
        ("延迟最低 210ms，最高 1.8s", SERIES),
        ("堆从 3980M 降到 3911M", HEAP),
        ("堆最高 3980M", HEAP),
        ("qps 从 3 降到 1 再升到 3", "qps values=[3, 1, 3]"),
    ],
)
def test_a_number_of_its_own_key_and_place_is_supported(claim: str, item: str) -> None:
    """R37."""
    assert missing(claim, item) == []
