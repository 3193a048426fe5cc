"""A number supports a claim only in its own unit, or where its field tells the unit (R37)."""

from __future__ import annotations

import pytest

from domain.values.measurements import Measurements, unsupported_values


def missing(claim: str, *items: str) -> list[str]:
    return unsupported_values(claim, Measurements(items, {len(items)}), Measurements([""]), set())


GC = "order-service Full GC 15 次, 平均 850ms"
LAG = "KafkaLagHigh firing, pods=3, latency=4.2s, waiting=32, 连接数不超过 50"


@pytest.mark.parametrize(
    ("claim", "item", "number"),
    [
        ("平均耗时 15ms", GC, "15ms"),
        ("耗时 15s", GC, "15s"),
        ("持续 15 小时", GC, "15 小时"),
        ("占用 15GB", GC, "15GB"),
        ("占比 15%", GC, "15%"),
        ("是原来的 15 倍", GC, "15 倍"),
        ("温度 15℃", GC, "15℃"),
        ("带宽 15 Mbps", GC, "15 Mbps"),
        ("差额 15 元", GC, "15 元"),
        ("Full GC 850 次", GC, "850 次"),
        ("Full GC 850 seconds", GC, "850 seconds"),
        ("有 91 个告警", "current=91%", "91 个"),
        ("有 91 告警", "current=91%", "91 告警"),
        ("91 errors", "current=91%", "91 errors"),
        ("堆 91GB", "current=91%", "91GB"),
        ("上升 91 个百分点", "current=91%", "91 个百分点"),
        ("使用率 0.91%", "current=91%", "0.91%"),
        ("等待 32 秒", LAG, "32 秒"),
        ("堆 3GB", LAG, "3GB"),
        ("持续 3 天", LAG, "3 天"),
        ("丢失 50TB", LAG, "50TB"),
        ("使用率 32%", LAG, "32%"),
        ("延迟 4.2 分钟", LAG, "4.2 分钟"),
        ("超时 30000 次", "request timed out after 30000", "30000 次"),
        ("30000 小时后超时", "request timed out after 30000", "30000 小时"),
        ("慢了 57342 秒", "KafkaLagHigh firing, value=57342", "57342 秒"),
        ("堆占用 92GB", "HighMemoryUsage firing, value=92", "92GB"),
        ("延迟 5k", "latency=5ms", "5k"),
        ("耗时 4200 秒", "latency_ms=4200", "4200 秒"),
    ],
)
def test_a_number_of_another_unit_supports_nothing(claim: str, item: str, number: str) -> None:
    """R37: a count is no duration, size or percentage, nor the other way round."""
    assert missing(claim, item) == [number]


@pytest.mark.parametrize(
    ("claim", "item"),
    [
        ("CPU 使用率 95.2%", "HighCPUUsage firing, value=95.2"),
        ("CPU 使用率 95.2%", "HighCPUUsage firing, cpu_percent=95.2"),
        ("错误率 5%", "error_rate=0.05"),
        ("占比 96%", "value=0.96"),
        ("延迟 4.2s", "SlowResponse firing, value=4.2"),
        ("延迟 4.2s", "latency_ms=4200"),
        ("延迟 4200 毫秒", "latency_seconds=4.2"),
        ("查询耗时 17.652 秒", "Query_time: 17.652 Lock_time: 0.000218"),
        ("30 秒后超时", "request timed out after 30000"),
        ("内存 3.8GB", "memory_used_bytes=3800000000"),
        ("内存 3.8G", "heap 3.8GB"),
        ("QPS 120qps", "qps=120"),
        ("差额 800 元", "amount=800.00"),
        ("进风温度 34.8℃", "temperature=34.8"),
        ("积压 57342 条", "KafkaLagHigh firing, value=57342"),
        ("排队 184 人", "FerryQueueHigh firing, waiting=184"),
        ("GC 128 次", "JVM堆内存: 3.8GB/4GB, GC次数: 128"),
        ("超时 345 次", "timeouts: 345"),
        ("重启 11 次", "restarts=11, last exit code 137"),
        ("命中率 0.96", "hit 96%"),
        ("次数为 15", GC),
    ],
)
def test_a_number_without_a_unit_has_the_one_its_field_tells(claim: str, item: str) -> None:
    """R37: by key, by the words before it, or for `value` by the name of the item; a count needs no telling."""
    assert missing(claim, item) == []
