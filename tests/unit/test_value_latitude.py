"""What a claim may say of a number without repeating it: bounds, roundings, ordinals, other forms of a time (R37)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain.values.measurements import Measurements, unsupported_values

NOW = datetime(2026, 7, 8, 10, 30, tzinfo=UTC)
HEAP = "GC(187) Pause Full (G1 Compaction Pause) 3980M->3911M(4096M) 4213.556ms"
MEMORY = 'process_resident_memory_bytes{service="cart"} 1073741824'
NGINX = '10.2.3.4 - - [08/Jul/2026:10:12:01 +0000] "GET /api/cart HTTP/1.1" 502 157 rt=30.001'
SYSLOG = "Jul  8 10:12:01 h1 kernel: Out of memory"
MOMENT = "2026-07-08T10:12:01Z ERROR cart failed"


def missing(claim: str, *items: str) -> list[str]:
    return unsupported_values(claim, Measurements(items, {len(items)}, NOW), Measurements([""]), set())


@pytest.mark.parametrize(
    ("claim", "item"),
    [
        ("使用率超过 90%", "current=91%"),
        ("使用率高于 80%", "current=91%"),
        ("使用率在 90% 以上", "current=91%"),
        ("above 90%", "current=91%"),
        ("超过九成", "current=91%"),
        ("低于 95%", "current=91%"),
        ("未超过 95%", "current=91%"),
        ("超过 5 秒", "took 5231ms"),
        ("剩余不足 5%", "used=95.3%"),
    ],
)
def test_a_bound_that_a_value_of_the_items_meets_is_supported(claim: str, item: str) -> None:
    """R37."""
    assert missing(claim, item) == []


@pytest.mark.parametrize(
    ("claim", "item", "number"),
    [
        ("使用率超过 92%", "current=91%", "92%"),
        ("低于 90%", "current=91%", "90%"),
        ("未超过 90%", "current=91%", "90%"),
        ("超过 1%", "current=91%", "1%"),
        ("超过 6 秒", "took 5231ms", "6 秒"),
        ("超过 5 分钟", "took 5231ms", "5 分钟"),
        ("超过 5 次", "took 5231ms", "5 次"),
        ("剩余不足 4%", "used=95.3%", "4%"),
    ],
)
def test_a_bound_that_no_value_meets_is_found(claim: str, item: str, number: str) -> None:
    """R37: nor one so far off that it says nothing."""
    assert missing(claim, item) == [number]


@pytest.mark.parametrize(
    ("claim", "item"),
    [
        ("约 92%", "value=92.34%"),
        ("92.3%", "value=92.34%"),
        ("92% 左右", "value=92.34%"),
        ("接近 92%", "value=92.34%"),
        ("about 92%", "value=92.34%"),
        ("约九成", "value=91%"),
        ("约 5.2 秒", "took 5231ms"),
        ("5.2 秒", "took 5231ms"),
        ("约 5.7 万条", "积压 57342 条"),
        ("近 1300 次", "errors 1289"),
        ("约 9.2%", "error_rate value=0.0923"),
        ("25 小时", "uptime=90061s"),
        ("约 8.6 倍", "p99 values=[210ms, 480ms, 1.8s]"),
        ("跌幅约 74%", "qps values=[1200, 900, 310]"),
        ("堆使用率约 95%", HEAP),
        ("回收了 69M", HEAP),
    ],
)
def test_a_number_rounded_as_it_is_written_is_supported(claim: str, item: str) -> None:
    """R37: with 约 or the like, or with two digits and a decimal kept."""
    assert missing(claim, item) == []


@pytest.mark.parametrize(
    ("claim", "item", "number"),
    [
        ("约 93%", "value=92.34%", "93%"),
        ("92.4%", "value=92.34%", "92.4%"),
        ("92%", "value=92.34%", "92%"),
        ("约 5.3 秒", "took 5231ms", "5.3 秒"),
        ("5 秒", "took 5231ms", "5 秒"),
        ("约 5.8 万条", "积压 57342 条", "5.8 万条"),
        ("5.7 万条", "积压 57342 条", "5.7 万条"),
        ("近 1400 次", "errors 1289", "1400 次"),
        ("约 1 小时", "took 35 分钟", "1 小时"),
        ("26 小时", "uptime=90061s", "26 小时"),
    ],
)
def test_a_wrong_digit_is_no_rounding(claim: str, item: str, number: str) -> None:
    """R37."""
    assert missing(claim, item) == [number]


@pytest.mark.parametrize(
    ("claim", "item"),
    [
        ("第 2 次重试", "retry attempt=2 max=3"),
        ("第二次重试", "retry #2"),
        ("第 2 次重试（共 3 次）", "retry attempt 2/3"),
        ("已重试 2 次", "retry attempt=2"),
        ("超时 12 次", "timeout_count=12"),
        ("重启 5 次", "restartCount=5"),
        ("重启 5 次", 'container_status_restarts_total{pod="a"} 5'),
        ("延迟 35 秒", "replication_lag seconds=35 replica=pg-r2"),
        ("耗时约 30 秒", NGINX),
        ("堆 3911MB", HEAP),
        ("堆 3911 MiB", HEAP),
        ("内存 1024MB", MEMORY),
        ("内存 1 GB", MEMORY),
        ("出现 500 错误", 'requests_total{code="500"} 1289'),
        ("第 214 行", "OrderService.java:214"),
    ],
)
def test_an_ordinal_a_count_and_a_size_are_read_from_their_field(claim: str, item: str) -> None:
    """R37."""
    assert missing(claim, item) == []


@pytest.mark.parametrize(
    ("claim", "item", "number"),
    [
        ("Full GC 187 次", HEAP, "187 次"),
        ("Full GC 耗时 187ms", HEAP, "187ms"),
        ("OOM 137 次", "restart_count=5 exit_code=137", "137 次"),
        ("错误 502 次", NGINX, "502 次"),
        ("失败 503 次", "HTTP probe failed with statuscode: 503", "503 次"),
        ("异常 214 次", "at OrderService.pay(OrderService.java:214)", "214 次"),
        ("失败 8080 次", "refused port=8080", "8080 次"),
        ("失败 500 次", 'requests_total{code="500"} 1289', "500 次"),
        ("超时 31 次", "[error] 31#31: *48211 upstream timed out", "31 次"),
        ("超时 48211 次", "[error] 31#31: *48211 upstream timed out", "48211 次"),
        ("110 秒后超时", "upstream timed out (110: Connection timed out)", "110 秒"),
        ("110 秒后超时", "connect timeout errno 110", "110 秒"),
        ("死锁 998 次", "waits for ShareLock on transaction 998", "998 次"),
        ("第 3 次重试", "retry attempt=2 max=3", "3 次"),
        ("第 3 次重试", "retry attempt 2/3", "3 次"),
    ],
)
def test_a_number_that_names_a_thing_counts_and_measures_nothing(claim: str, item: str, number: str) -> None:
    """R37: a code, a port, a process id, a line of source."""
    assert missing(claim, item) == [number]


@pytest.mark.parametrize(
    ("claim", "item", "number"),
    [
        ("错误率 500%", "HighErrorRate firing, value=5", "500%"),
        ("错误率 0.05%", "HighErrorRate firing, value=0.05", "0.05%"),
        ("每秒 1289 次", "errors_total 1289", "1289 次"),
        ("每分钟 15 次", "rate=15/s", "15 次"),
        ("剩余 95.3%", "used=95.3%", "95.3%"),
        ("增长了 91%", "current=91%", "91%"),
        ("回收了 3980M", HEAP, "3980M"),
        ("费用 12 元", "cost=12 USD", "12 元"),
    ],
)
def test_a_number_that_the_items_give_another_meaning_is_found(claim: str, item: str, number: str) -> None:
    """R37: a share, a rate, what is left, what was added."""
    assert missing(claim, item) == [number]


@pytest.mark.parametrize(
    ("claim", "item"),
    [
        ("10:12:01 返回 502", NGINX),
        ("10:12 返回 502", NGINX),
        ("2026-07-08 10:12:01 返回 502", NGINX),
        ("7 月 8 日 10:12:01 内存不足", SYSLOG),
        ("18:12:01（北京时间）失败", MOMENT),
        ("北京时间 18:12 失败", MOMENT),
        ("18:12:01 CST 失败", MOMENT),
        ("今天 10:12:01 失败", MOMENT),
        ("10:12:01 UTC 失败", MOMENT),
        ("下午 6:12 失败", "2026-07-08 18:12:01 ERROR cart failed"),
    ],
)
def test_a_time_may_be_written_in_another_form_or_zone(claim: str, item: str) -> None:
    """R37."""
    assert missing(claim, item) == []


@pytest.mark.parametrize(
    ("claim", "item", "time"),
    [
        ("昨天 10:12:01 失败", MOMENT, "10:12:01"),
        ("10:12:01 CST 失败", MOMENT, "10:12:01"),
        ("10:12:01（北京时间）失败", MOMENT, "10:12:01"),
        ("10:12:01 AEST 失败", MOMENT, "10:12:01"),
        ("晚上 10:12 失败", MOMENT, "10:12"),
        ("10:12 PM 失败", MOMENT, "10:12"),
        ("7 月 9 日失败", SYSLOG, "7 月 9 日"),
        ("10:13 返回 502", NGINX, "10:13"),
    ],
)
def test_a_time_of_another_day_or_zone_is_found(claim: str, item: str, time: str) -> None:
    """R37."""
    assert missing(claim, item) == [time]
