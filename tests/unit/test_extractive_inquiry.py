"""How the offline model reads a question. All names are invented."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.models.extractive.inquiry import Inquiry, Source, inquiry_of, read_question

NOW = datetime(2031, 3, 4, 6, 30, tzinfo=UTC)
METRICS, LOGS, KNOWLEDGE = Source.METRICS, Source.LOGS, Source.KNOWLEDGE


def read(question: str) -> Inquiry:
    return read_question(question, NOW)


@pytest.mark.parametrize(
    ("question", "alerts", "services", "terms", "sources"),
    [
        ("请排查 fees-settle 当前是否存在 KafkaLagHigh 告警", ("KafkaLagHigh",), ("fees-settle",), (), {METRICS}),
        ("只确认HighCPUUsage告警，服务billing", ("HighCPUUsage",), ("billing",), (), {METRICS}),
        (
            "只确认 cart-api 是否存在 SlowResponse 告警和慢请求日志。",
            ("SlowResponse",),
            ("cart-api",),
            ("慢请求",),
            {METRICS, LOGS},
        ),
        ("确认 cart-api 是否存在 HikariCP 连接池耗尽。", (), ("cart-api",), ("HikariCP", "连接池耗尽"), {LOGS}),
        ("cart-api 有没有 NullPointerException 日志", (), ("cart-api",), ("NullPointerException",), {LOGS}),
        ("cart-api 是否存在证书过期的日志", (), ("cart-api",), ("证书过期",), {LOGS}),
        ("只看 cart-api 的内存使用率", (), ("cart-api",), ("内存使用率",), {METRICS}),
        ("请根据告警与日志排查当前异常", (), (), (), {METRICS, LOGS, KNOWLEDGE}),
        ("cart-api 怎么了", (), ("cart-api",), (), {METRICS, LOGS, KNOWLEDGE}),
        ("错误码 ERR_POOL_42 是什么含义？", (), (), ("ERR_POOL_42",), {KNOWLEDGE}),
        ("连接池耗尽如何处理", (), (), ("连接池耗尽",), {KNOWLEDGE}),
        ("请排查 checkout 当前是否存在 InstanceDown 告警", ("InstanceDown",), ("checkout",), (), {METRICS}),
        ("确认 cart-api 是否存在 MySQL 连接超时日志", (), ("cart-api",), ("MySQL", "连接超时"), {LOGS}),
        ("有没有 error 日志，http 超时", (), (), ("超时",), {LOGS}),
        ("你好", (), (), (), {KNOWLEDGE}),
    ],
)
def test_names_topics_and_sources_are_read_from_the_question(
    question: str, alerts: tuple[str, ...], services: tuple[str, ...], terms: tuple[str, ...], sources: set[Source]
) -> None:
    inquiry = read(question)
    assert (inquiry.alerts, inquiry.services, inquiry.terms) == (alerts, services, terms)
    assert inquiry.sources == sources


@pytest.mark.parametrize(
    "question",
    [
        "只确认 A-b",
        "只排查 x-y",
        "只看 x-y",
        "不要分析 z",
        "不要扩展",
        "只回答 x",
        "x-y 是否真实存在",
        "x-y 是否存在告警",
    ],
)
def test_the_cues_of_the_hard_gate_make_a_question_narrow(question: str) -> None:
    """R16"""
    assert read(question).is_narrow


def test_an_open_question_is_not_narrow() -> None:
    """R16"""
    assert not read("请根据告警与日志排查当前异常").is_narrow


def test_what_the_question_excludes_is_excluded_under_all_its_names_and_not_looked_for() -> None:
    """R16"""
    inquiry = read("只确认 HighCPUUsage，不要分析订单88、OOM、数据库慢查询、连接池或 cart-api。")
    assert inquiry.services == ()
    assert inquiry.terms == ()
    for text in (
        "order-88 已支付",
        "java.lang.OutOfMemory",
        "DB timeout",
        "HikariPool-1",
        "connection pool",
        "cart-api",
    ):
        assert inquiry.excludes(text)


def test_a_numbered_order_excludes_itself_and_no_service_of_that_name() -> None:
    """R16"""
    inquiry = read("只看 order-service，不要分析订单88。")
    assert inquiry.services == ("order-service",)
    assert not inquiry.excludes("order-service order-881")


def test_a_scope_resumes_behind_an_exclusion() -> None:
    inquiry = read("不要分析连接池，只看 cart-api 的慢请求日志")
    assert (inquiry.services, inquiry.terms) == (("cart-api",), ("慢请求",))
    assert inquiry.excludes("HikariCP")
    assert not inquiry.excludes("慢请求")


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("最近30分钟的日志", "2031-03-04T14:00:00+08:00", "2031-03-04T14:30:00+08:00"),
        ("昨天有没有超时", "2031-03-03T00:00:00+08:00", "2031-03-04T00:00:00+08:00"),
        ("any timeouts since 9 am?", "2031-03-04T09:00:00+08:00", None),
    ],
)
def test_the_period_is_read_by_the_clock_and_the_zone_of_the_payload(
    question: str, start: str, end: str | None
) -> None:
    """R9, R70"""
    payload = {"question": question, "now": NOW.isoformat(), "timezone": "Asia/Shanghai"}
    period = inquiry_of(payload).period
    assert period is not None
    assert period.start == datetime.fromisoformat(start)
    assert period.end == (end and datetime.fromisoformat(end))


def test_a_question_of_now_names_no_period() -> None:
    """R9: the default window applies."""
    assert read("当前有没有超时").period is None


def test_a_status_is_sought_as_one_and_an_exit_code_is_not() -> None:
    """R68: 502 bytes are no status."""
    assert read("今天 nginx 返回过 502 吗？").terms == ("HTTP 502",)
    assert read("退出码 500 出现了几次？").terms == ("500",)


def test_a_pod_is_searched_as_the_place_it_is() -> None:
    """R68: its lines do not hold its name."""
    inquiry = read("order-service-7d9f8b6c5-abcde 这个 Pod 有没有 WARN？")
    assert (inquiry.services, inquiry.terms) == (("order-service-7d9f8b6c5-abcde",), ())


@pytest.mark.parametrize(
    ("question", "is_either"),
    [("有没有 ERROR 或超时？", True), ("Any WARN or a deadlock?", True), ("有没有超时的 ERROR？", False)],
)
def test_a_level_or_a_word_is_either(question: str, is_either: bool) -> None:
    """R70: a line that holds the word at another level is asked for, too."""
    assert read(question).is_either is is_either


def test_a_level_is_read_only_as_a_whole_word() -> None:
    assert read("cart-api 的 ERROR 日志").level == "ERROR"
    assert read("cart-api 的 TERRORS 日志").level is None


@given(st.text(max_size=400))
def test_no_text_is_too_odd_to_be_read(question: str) -> None:
    """R7"""
    read(question)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["A", "a", "Aa", "a-", "不要分析", "是否存在", "“", "1", " ", "ERR_", "x="])
def test_a_question_of_a_megabyte_is_read_without_a_blow_up(piece: str) -> None:
    read(piece * (1_000_000 // len(piece)))


@pytest.mark.parametrize(
    ("question", "sources"),
    [
        ("till-api 最近两小时有内存溢出吗？", {Source.LOGS}),
        ("till-api 内存是多少？", {Source.METRICS}),
        ("till-api 最近 90 分钟有没有磁盘满？", {Source.LOGS}),
    ],
)
def test_what_happens_is_sought_in_logs_though_its_name_holds_a_measure(question: str, sources: set[Source]) -> None:
    """R70: an OOM is an event, memory is measured."""
    read = read_question(question, datetime(2031, 5, 1, 10, 0, tzinfo=UTC))
    assert read.sources - {Source.KNOWLEDGE} == sources
