"""R20: when a summary ref proves that something was not found."""

import pytest

from domain.contracts import Claim, ClaimType
from domain.gatekeeper.absence import Summary, fault_of_absence, fault_of_citation, is_summary_path

NOTHING = 'source=application-logs query="HikariCP inventory-service" window=06:00/07:00 total=0'
TWO = "source=alert-hub query={} window=06:00/06:30 total=2: KafkaConsumerLagHigh(fees-settle), NodeDiskPressure(nd-41)"
TWO_ALERTS = (
    "KafkaConsumerLagHigh firing, group=fees-settle, topic=fees-booked, value=57342, duration=19m",
    "NodeDiskPressure pending, node=nd-41, used=92.6%, duration=4m",
)
ORDER_LOGS = (
    "07:01:12 ERROR order-service HikariPool-1 - Connection is not available, request timed out after 30000ms",
    "07:01:13 WARN order-service HikariCP pool stats: active=50/50, idle=0, waiting=32",
)


def fault(
    text: str, summary: str, *items: str, excerpt: str | None = None, kind: str = "negative_observation"
) -> str | None:
    claim = Claim(claim_id="c1", claim_type=ClaimType(kind), claim_text=text)
    tool = "query_logs" if "logs" in summary.split()[0] else "query_metrics"
    return fault_of_absence(claim, summary if excerpt is None else excerpt, Summary.of(summary), tool, items)


@pytest.mark.parametrize("path", ["$.alerts", "$.logs", "$.evidence_blocks", "$.items"])
def test_the_paths_of_lists_are_summary_paths(path: str) -> None:
    """R20: one summary ref at the list's own path."""
    assert is_summary_path(path)


@pytest.mark.parametrize("path", ["$.alerts[0]", "$.logs[12]", "$", "$.rows", "", None])
def test_other_paths_are_not(path: str | None) -> None:
    """R20: items stand at their index."""
    assert not is_summary_path(path)


@pytest.mark.parametrize(
    ("text", "summary", "items"),
    [
        ("窗口内未检索到 inventory-service 的 HikariCP 日志。", NOTHING, ORDER_LOGS),
        ("application-logs 中未检索到 inventory-service 的真实 HikariCP 连接池耗尽日志", NOTHING, ORDER_LOGS),
        ("06:00 至 07:00 没有找到 inventory-service 连接池耗尽记录", NOTHING, ORDER_LOGS),
        ("No HikariCP log of inventory-service was found in the window.", NOTHING, ORDER_LOGS),
        ("该时段内没有检索到 cases.example 的证书告警。", TWO, TWO_ALERTS),
        ("未检索到 order-service 的 KafkaConsumerLagHigh 告警", TWO, TWO_ALERTS),
        ("未检索到 nd-4 的磁盘告警", TWO, TWO_ALERTS),
        ("没有检索到证书即将过期的告警", TWO, TWO_ALERTS),
        ("未检索到 redis 的任何告警", TWO, TWO_ALERTS),
        ("未检索到任何日志", NOTHING, ()),
        ("未检索到 nd-41 上的 redis 告警", TWO, TWO_ALERTS),
        ("未检索到 legacy-order-service 的 HikariCP 日志", NOTHING, ORDER_LOGS),
        ("未查到 order-service 与 HikariCP 之外的 OOM 日志", NOTHING, ORDER_LOGS),
    ],
)
def test_an_honest_absence_is_proven(text: str, summary: str, items: tuple[str, ...]) -> None:
    """R20: a correctly bound 未检索到 may pass."""
    assert fault(text, summary, *items) is None


@pytest.mark.parametrize(
    ("text", "summary", "items"),
    [
        pytest.param("未检索到 fees-settle 的 KafkaConsumerLagHigh 告警", TWO, (), id="both names in the list"),
        pytest.param("没有 NodeDiskPressure 告警", TWO, (), id="the name in the list"),
        pytest.param("nodediskpressure 告警没有检索到", TWO, (), id="the name in another case"),
        pytest.param("未检索到 nd-41 的告警", TWO, (), id="the node in the list"),
        pytest.param("未检索到 nd-41 或 nd-42 的告警", TWO, (), id="one of two alternatives"),
        pytest.param("KafkaConsumerLagHigh 没有恢复", TWO, (), id="something else is denied of what is there"),
        pytest.param("未检索到任何告警", TWO, (), id="everything denied"),
        pytest.param("该时段内没有告警", TWO, (), id="everything denied in few words"),
        pytest.param("未检索到 order-service 的 HikariCP 日志", NOTHING, ORDER_LOGS, id="returned by another call"),
        pytest.param(
            "order-service 与 inventory-service 均未检索到 HikariCP 日志", NOTHING, ORDER_LOGS, id="alternatives"
        ),
        pytest.param(
            "application-logs 中未检索到 order-service 的 HikariCP 日志", NOTHING, ORDER_LOGS, id="echoed source"
        ),
        pytest.param("07:00 前未检索到 order-service 的 HikariCP 日志", NOTHING, ORDER_LOGS, id="time of day"),
        pytest.param("未检索到 order-service 的 HikariPool 日志", NOTHING, ORDER_LOGS, id="part of a compound"),
        pytest.param("未检索到 order-service 的 connection pool 日志", NOTHING, ORDER_LOGS, id="words of a phrase"),
        pytest.param("No HikariCP records of order-service were found", NOTHING, ORDER_LOGS, id="English"),
    ],
)
def test_a_name_that_is_there_voids_the_absence(text: str, summary: str, items: tuple[str, ...]) -> None:
    """R20: the claim's names standing in the summary's own list, or returned by another call of the tool, void it."""
    found = fault(text, summary, *items)
    assert found is not None
    assert found.startswith("what the claim calls not found is there")


def test_a_chinese_name_of_the_list_voids_the_absence() -> None:
    """R20: the claim's names standing in the summary's own list void it."""
    summary = "source=alert-hub query={} window=06:00/06:30 total=2: 打印队列过长, NodeDiskPressure"
    assert fault("未检索到打印队列过长的告警", summary) is not None
    assert fault("未检索到证书过期的告警", summary) is None


@pytest.mark.parametrize("kind", [kind for kind in ClaimType if kind is not ClaimType.NEGATIVE_OBSERVATION])
def test_only_a_negative_observation_may_bind_a_summary(kind: str) -> None:
    """R20: only a negative_observation (or an action) may bind it."""
    assert fault("未检索到日志", NOTHING, kind=kind) == f"a summary proves only a negative_observation, not {kind}"


@pytest.mark.parametrize("excerpt", ["source=application-logs", "window=06:00/07:00", "total=1", "total=", "total=00x"])
def test_the_excerpt_must_contain_the_total(excerpt: str) -> None:
    """R20: its excerpt must contain the total."""
    assert fault("未检索到日志", NOTHING, excerpt=excerpt) == "the excerpt does not contain the total of the summary"


def test_a_total_in_the_echoed_query_is_not_the_total() -> None:
    """R20: the total is written by code; the query echoes the request."""
    summary = 'source=app-logs query="total=0 AND window=x total=0" window=06:00/07:00 total=3: a, b, c'
    assert Summary.of(summary) == Summary("app-logs", 3, "a, b, c")
    assert fault_of_citation('query="total=0 AND window=x', Summary.of(summary)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "inventory-service 的连接池正常",
        "inventory-service 不存在",
        "inventory-service 连接池不可用",
        "inventory-service is healthy",
        "并非没有检索到日志",
        "日志数为 10 条",
    ],
)
def test_the_claim_must_say_that_something_was_not_found(text: str) -> None:
    """R20: the claim's text must say that something was not found."""
    assert fault(text, NOTHING) == "the claim does not say that something was not found"


@pytest.mark.parametrize(
    "text",
    [
        "未检索到日志",
        "没有日志",
        "未发现记录",
        "未能查到记录",
        "查无记录",
        "并无相关日志",
        "命中 0 条",
        "no logs",
        "logs were not found",
    ],
)
def test_the_ways_of_saying_not_found(text: str) -> None:
    """R20: 未检索到, 没有, not found, …"""
    assert fault(text, NOTHING) is None
