"""Differences and ratios are of numbers that belong together; the arithmetic of any other two is an accident (R37)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain.values.measurements import Measurements, unsupported_values


def missing(claim: str, *items: str) -> list[str]:
    now = datetime(2031, 3, 4, 7, 0, tzinfo=UTC)
    return unsupported_values(claim, Measurements(items, {len(items)}, now), Measurements([""]), set())


@pytest.mark.parametrize(
    ("claim", "items"),
    [
        ("还剩 8.5GiB", ("used=71.5GiB, total=80GiB",)),
        ("堆剩余 0.2GB", ("JVM heap 3.8GB/4GB",)),
        ("高出阈值 6 个百分点", ("HighMemoryUsage firing, current=91%, threshold=85%",)),
        ("命中率上升 4.3 个百分点", ("命中率由 0.9% 升至 5.2%",)),
        ("内存上升 4.8 个百分点", ("heap=86.2%", "heap=91.0%")),
        ("版本相差 4", ("rate table version 76 is older than required 80",)),
        ("3 个离线", ("消费者实例 5/8 在线",)),
        ("占 62.5%", ("消费者实例 5/8 在线",)),
        ("堆使用率 95%", ("heap_used=3.8GB, heap_total=4GB",)),
        ("一半空闲", ("active=25, max=50",)),
        ("三分之二可用", ("2 of 3 replicas",)),
        ("连接 100% 占满", ("active=50, waiting=32, max=50",)),
        ("增长 50%", ("p95 200ms -> 300ms",)),
        ("翻倍", ("before=10, after=20",)),
        ("5 个采样点", ("86.2 -> 87.4 -> 88.6 -> 89.8 -> 91.0",)),
        ("已持续 15 分钟", ("KafkaLagHigh firing, activeAt=2031-03-04T06:45:00Z",)),
    ],
)
def test_what_follows_from_numbers_that_belong_together_is_supported(claim: str, items: tuple[str, ...]) -> None:
    """R37."""
    assert missing(claim, *items) == []


@pytest.mark.parametrize(
    ("claim", "items", "number"),
    [
        ("延迟 29", ("pods=3, waiting=32",), "29"),
        ("相差 29 个", ("pods=3, waiting=32",), "29 个"),
        ("泄漏了 0.2GB", ("JVM heap 3.8GB/4GB",), "0.2GB"),
        ("使用率上升 4.8 个百分点", ("heap=86.2%", "cpu=91.0%"), "4.8 个百分点"),
        ("使用率达到 6%", ("current=91%, threshold=85%",), "6%"),
        ("失败率 25%", ("pods=3, total connections=12",), "25%"),
        ("减半", ("restarts=3, waiting=6",), "减半"),
        ("翻倍", ("current=91%",), "翻倍"),
        ("增长一倍", ("active=50/50",), "增长一倍"),
        ("超时 2 次", ("active=50/50",), "2 次"),
        ("请求耗时 15 分钟", ("2031-03-04T06:45:00Z WARN slow request",), "15 分钟"),
        ("已持续 2 小时", ("KafkaLagHigh firing, activeAt=2031-03-04T05:45:00Z",), "2 小时"),
    ],
)
def test_an_accidental_difference_or_ratio_supports_nothing(claim: str, items: tuple[str, ...], number: str) -> None:
    """R37."""
    assert missing(claim, *items) == [number]


def test_many_numbers_have_few_pairs() -> None:
    """R37: a long series proves no arbitrary ratio, and is read in linear time."""
    series = " -> ".join(str(number) for number in range(100_000, 102_000))
    assert missing("相差 777", series) == ["777"]
    assert missing("相差 1999", series) == []
