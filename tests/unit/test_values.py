"""Numbers and names of a claim against what the tools returned (R37)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.contracts import EvidenceRef, RetrievalDetails, ToolInvocation
from domain.values.entities import RecordedWording, names_in
from domain.values.measurements import Measurements, unsupported_values
from domain.values.numbers import values_in
from domain.values.times import spans, times_in
from domain.values.value import Role

HOUR = Fraction(3600)


def missing(claim: str, *items: str, question: str = "") -> list[str]:
    """The numbers of a claim that rests on these items, in a session whose default window is one hour."""
    return unsupported_values(claim, Measurements(items, {len(items)}), Measurements([question]), {HOUR})


@pytest.mark.parametrize(
    ("claim", "item"),
    [
        ("持续 15 分钟", "duration=15m"),
        ("最慢 4.2s", "GET /rates took 4200ms"),
        ("堆使用率 91%", "heap 91.0%"),
        ("占比 96 %", "ratio=0.96"),
        ("命中率为 0.96", "hit 96%"),
        ("重试三十次", "retried 30 times"),
        ("积压 57342 条", "积压消息 57,342 条"),
        ("积压 57,342 条", "value=57342"),
        ("共 5.7万条", "value=57000"),
        ("两个小时没有心跳", "silence=7200s"),
        ("百分之三十", "used=30%"),
        ("使用率５７％", "used=57%"),
        ("温度 -3.5℃", "inlet -3.5℃"),
        ("耗时 1 小时 30 分钟", "elapsed=1h30m"),
        ("耗时 90 分钟", "elapsed=1h30m"),
        ("显存 73728MiB", "used=72GiB"),
        ("只剩 5 个槽位", "value=5e+00"),
        ("慢请求在 3600ms 到 4200ms 之间", "/rates: 3600 / 3900 / 4200ms"),
        ("最快 3.6 秒", "/rates: 3600 / 3900 / 4200ms"),
        ("第 7 分区", "partition=7"),
        ("06:44 报错", "2031-03-04 06:44:10 ERROR rate table is old"),
        ("3 月 4 日报错", "2031-03-04 06:44:10 ERROR rate table is old"),
    ],
)
def test_a_number_written_in_another_unit_or_form_is_the_same_number(claim: str, item: str) -> None:
    """R37: unit-aware."""
    assert missing(claim, item) == []


@pytest.mark.parametrize(
    ("claim", "item", "number"),
    [
        ("显存 75.1GiB", "used=71.5GiB, total=80GiB", "75.1GiB"),
        ("持续 15 小时", "duration=15m", "15 小时"),
        ("显存 71.5GB", "used=71.5GiB", "71.5GB"),
        ("最慢 4.2ms", "took 4.2s", "4.2ms"),
        ("温度 -3℃", "inlet 3℃", "-3℃"),
        ("重试 31 次", "retried 30 times", "31 次"),
        ("连接 100% 占满", "active=49/50", "100%"),
        ("0 次失败", "failed 5 times of 10", "0 次"),
        ("07:12 报错", "2031-03-04 06:44:10 ERROR rate table is old", "07:12"),
        ("使用率 92%", "a=91.2 b=3 c=88 d=17 e=9", "92%"),
    ],
)
def test_a_number_that_no_item_holds_is_found(claim: str, item: str, number: str) -> None:
    """R37: neither stated nor derived."""
    assert missing(claim, item) == [number]


@pytest.mark.parametrize(
    ("claim", "items"),
    [
        ("两条慢请求日志", ("GET /rates took 3600ms", "GET /rates took 4200ms")),
        ("5 个采样点", ("86.2 -> 87.4 -> 88.6 -> 89.8 -> 91.0",)),
        ("最低 86.2，最高 91.0", ("86.2 -> 87.4 -> 91.0",)),
        ("上升 4.8 个百分点", ("86.2%", "91.0%")),
        ("还剩 8.5GiB", ("used=71.5GiB, total=80GiB",)),
        ("堆使用率 95%", ("JVM heap 3.8GB/4GB",)),
        ("三分之二即 66.7%", ("2 of 3 replicas",)),
        ("连接 100% 占满", ("active=50/50",)),
        ("是原来的 2 倍", ("before=10, after=20",)),
    ],
)
def test_counts_extremes_differences_and_ratios_of_the_items_are_supported(claim: str, items: tuple[str, ...]) -> None:
    """R37: a number may be a count, minimum, maximum, difference or ratio of the items' numbers."""
    assert missing(claim.replace("三分之二即 ", ""), *items) == []


def test_a_time_in_the_items_has_lasted_until_now() -> None:
    """R9, R37: alert durations use the session's clock."""
    now = datetime(2031, 3, 4, 7, 0, 30, tzinfo=UTC)
    items = Measurements(["KafkaLagHigh firing, activeAt=2031-03-04T06:45:00Z", "06:58:10 lag rising"], now=now)
    durations = {
        text: items.entail(values_in(f"已持续 {text}")[0])
        for text in ("15 分钟", "16 分钟", "一刻钟", "13 分钟", "17 分钟", "2 小时", "数小时")
    }
    assert [text for text, is_entailed in durations.items() if is_entailed] == [
        "15 分钟",
        "16 分钟",
        "一刻钟",
        "13 分钟",
    ]
    assert not items.entail(values_in("请求耗时 15 分钟")[0])


def test_the_question_excuses_identifiers_and_times() -> None:
    """R37."""
    question = "订单 12345 在 11:17 为什么失败？只看最近 30 分钟"
    assert missing("订单 12345 在 11:17 失败", "payment declined", question=question) == []


def test_the_question_never_excuses_a_measured_value() -> None:
    """R37."""
    assert missing("CPU 使用率 90%", "current=92%", question="CPU 使用率是否超过 90%？") == ["90%"]


def test_the_default_window_may_be_named_and_another_may_not() -> None:
    """R9, R37: "近 60 分钟内" is where was looked, not what was measured."""
    assert missing("近 60 分钟内未检索到日志", "total=0") == []
    assert missing("近 5 分钟内未检索到日志", "total=0") == ["5 分钟"]


def test_names_versions_times_and_dates_are_no_values() -> None:
    """R37."""
    text = "trace-2 order-123 HikariPool-1 E11000 v1.2.3 1.2.3 10.0.0.1 P99 5xx 2031-03-04T06:00:00Z 7月8日 11点17分"
    assert values_in(text) == ()


def test_the_role_of_a_number_is_read_from_the_words_beside_it() -> None:
    """R37."""
    roles = [value.role for value in values_in("最近 30 分钟内订单 77 失败 4 次，6 号机柜 35℃")]
    assert roles == [Role.WINDOW, Role.IDENTIFIER, Role.MEASURED, Role.IDENTIFIER, Role.MEASURED]


def test_an_article_is_no_number() -> None:
    """R37: 一个 and 十分 count nothing."""
    assert values_in("存在一个十分严重的告警，一致") == ()


def test_a_written_window_has_a_length() -> None:
    """R9."""
    assert spans("window=2031-03-04T06:00Z/06:30Z") == (timedelta(minutes=30),)
    assert spans("23:50 ~ 00:10") == (timedelta(minutes=20),)


def test_a_range_of_clock_times_is_no_time_zone() -> None:
    assert [(mention.hour, mention.zone) for mention in times_in("06:00-06:30")] == [(6, ""), (6, "")]


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """R37: reading never raises, and positions lie in the text."""
    for mention in (*values_in(text), *times_in(text)):
        assert 0 <= mention.start < mention.end <= len(text)
    names_in(text)


@given(st.text(alphabet="0123456789.,%msGBihd/-+ 十万次个近内", max_size=60))
def test_a_text_supports_its_own_numbers(text: str) -> None:
    """R37: whatever an item says, a claim may repeat."""
    assert missing(text, text) == []


@pytest.mark.parametrize("unit", ["1", "1,", "-", "a/", "1m", "10:", "内", "{", "九", "数百", "five ", "½", "⑨"])
def test_a_long_text_is_read_in_linear_time(unit: str) -> None:
    text = unit * 15_000
    values_in(text)
    times_in(text)
    names_in(text)


# ---------------------------------------------------------------- names and codes


def names(text: str) -> list[tuple[str, bool]]:
    return [(name.text, name.is_code) for name in names_in(text)]


def test_names_have_an_inner_capital_a_digit_or_a_joint() -> None:
    """R37."""
    text = "quote-api 的 KafkaLagHigh 告警，CPU 92%，Kafka 正常，/v1/rates 报 E11000、ERR_POOL_42 与 ORA-00942"
    assert names(text) == [
        ("quote-api", False),
        ("KafkaLagHigh", False),
        ("CPU", False),
        ("/v1/rates", False),
        ("E11000", True),
        ("ERR_POOL_42", True),
        ("ORA-00942", True),
    ]


def test_percentiles_units_and_common_terms_are_no_names() -> None:
    assert names("P99 为 4.2s，HTTP 接口 QPS 120qps，5xx，TOP10") == []


def call(output: str, *items: str, **arguments: str) -> ToolInvocation:
    refs = tuple(EvidenceRef(raw_path=f"$.logs[{index}]", text=item) for index, item in enumerate(items))
    return ToolInvocation(
        id=7,
        session_id="s",
        tool_name="query_logs",
        success=True,
        input_params=arguments,
        output=output,
        retrieval_details=RetrievalDetails(evidence_refs=refs),
    )


def test_a_name_is_found_only_as_a_whole() -> None:
    """R37: order-12 does not stand in order-123, CPU stands in HighCPUUsage."""
    recorded = RecordedWording("", [call("order-123 HighCPUUsage E11000")])
    assert [recorded.holds(name, searched=False) for name in ("order-123", "CPU", "E11000")] == [True, True, True]
    assert [recorded.holds(name, searched=False) for name in ("order-12", "HighCPU", "E1100")] == [False, False, False]


def test_a_tool_that_only_repeats_its_arguments_proves_no_name() -> None:
    """R18, R37: unless the claim is that the search for it found nothing."""
    echo = RecordedWording("", [call('{"logs": [], "query": "ERR_FEE_9"}', query="ERR_FEE_9")])
    assert not echo.holds("ERR_FEE_9", searched=False)
    assert echo.holds("ERR_FEE_9", searched=True)
    item = RecordedWording("", [call('{"query": "ERR_FEE_9"}', "ERROR ERR_FEE_9", query="ERR_FEE_9")])
    assert item.holds("ERR_FEE_9", searched=False)
