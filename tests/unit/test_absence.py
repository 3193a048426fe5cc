"""R20: when a summary ref proves that something was not found."""

from datetime import timedelta

import pytest

from domain.contracts import Claim, ClaimType
from domain.gatekeeper.absence import Summary, fault_of_absence, fault_of_citation, is_summary_path

UNASKED = 'source=application-logs query="" window=06:00/07:00 total=0'
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
        ("未检索到任何日志", UNASKED, ()),
        ("查询 inventory-service 的日志（06:00 至 07:00），未检索到 HikariCP 相关记录，命中 0 条", NOTHING, ORDER_LOGS),
        ("未检索到 inventory-service 的 HikariCP 日志，但这不代表连接池没有耗尽", NOTHING, ORDER_LOGS),
        ("在查询窗口内未检索到 inventory-service 的 HikariCP 或 OOM 日志，也没有匹配的告警", NOTHING, ORDER_LOGS),
        ("In the last 60 minutes, no HikariCP logs of inventory-service were found.", NOTHING, ORDER_LOGS),
        (
            '在查询窗口内未检索到 fees 的"SSL_do_handshake() failed"日志。',
            "source=log query=\"service=fees, words='SSL_do_handshake() failed'\" window=06:00/07:00 total=0",
            (),
        ),
        (
            'No "x509: certificate has expired" log of fees was found.',
            "source=log query=\"service=fees, words='x509: certificate has expired'\" window=06:00/07:00 total=0",
            (),
        ),
        ("未检索到 chill-3 的压缩机日志", 'source=chill query="chill-3 AND compressor" total=0', ()),
        (
            "未检索到 inventory-service 的 ERROR 级别日志",
            'source=logs query="service=inventory-service, level=ERROR" total=0',
            (),
        ),
        (
            "未检索到 inventory-service 的错误日志",
            'source=logs query="service=inventory-service, level=ERROR" total=0',
            (),
        ),
        (
            "未检索到 inventory-service 的数据库连接池日志",
            'source=logs query="service=inventory-service, words=HikariCP OOM" total=0',
            (),
        ),
        (
            "未检索到 fees 的证书即将过期日志",
            "source=logs query=\"{'service': 'fees', 'query': '证书过期'}\" total=0",
            (),
        ),
        (
            "No timeout log entry of order-service found in the queried window.",
            'source=logs query="service=order-service, words=timeout" total=0',
            ("07:01:12 WARN order-service disk is nearly full",),
        ),
        (
            'No "connection reset" ERR_POOL_42 log entry of fees found in the queried window.',
            "source=log query=\"service=fees, words='connection reset' ERR_POOL_42\" window=06:00/07:00 total=0",
            (),
        ),
        ("No alert found in the queried window.", "source=alert-hub query={} window=06:00/06:30 total=0", ()),
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
        pytest.param(
            "No unusual log entry of order-service found",
            'source=logs query="service=order-service" total=0',
            ORDER_LOGS,
            id="a word nobody asked for",
        ),
        pytest.param("No alert found in the queried window.", TWO, (), id="everything denied in English"),
        pytest.param(
            "No full log entry of order-service found",
            'source=logs query="service=order-service, words=full" total=0',
            ("07:01:12 WARN order-service disk is nearly full",),
            id="a word that is there",
        ),
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
    assert fault("未检索到 cases.example 的证书过期告警", summary) is None


@pytest.mark.parametrize("kind", [kind for kind in ClaimType if kind is not ClaimType.NEGATIVE_OBSERVATION])
def test_only_a_negative_observation_may_bind_a_summary(kind: str) -> None:
    """R20: only a negative_observation (or an action) may bind it."""
    assert fault("未检索到日志", NOTHING, kind=kind) == f"a summary proves only a negative_observation, not {kind}"


@pytest.mark.parametrize("excerpt", ["source=application-logs", "window=06:00/07:00", "total=1", "total=", "total=00x"])
def test_the_excerpt_must_contain_the_total(excerpt: str) -> None:
    """R20: its excerpt must contain the total."""
    assert fault("未检索到日志", NOTHING, excerpt=excerpt) == "the excerpt does not contain the total of the summary"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("昨天未检索到日志", "the searched window is shorter than 昨天"),
        ("本周未检索到日志", "the searched window is shorter than 本周"),
        ("从未检索到日志", "the searched window is shorter than 从未"),
        ("No logs were found yesterday", "the searched window is shorter than yesterday"),
        ("最近 6 小时未检索到日志", "the searched window is shorter than 最近 6 小时"),
        ("No logs were found between 2 and 4 am", "the searched window is shorter than between 2 and 4 am"),
        ("最近 1 小时未检索到日志", None),
        ("07:00 前未检索到日志", None),
        ("昨天 6 点到 7 点未检索到日志", None),
        ("未使用 HikariCP，未检索到日志", "the claim states more than that something was not found: 未使用 HikariCP"),
    ],
)
def test_an_absence_reaches_no_further_than_the_searched_window(text: str, reason: str | None) -> None:
    """R20: where and when was looked is all that a summary proves."""
    assert fault(text, UNASKED) == reason


def test_a_week_that_goes_on_is_searched_from_its_monday() -> None:
    """R20: 本周, said on a Wednesday in Shanghai, is no whole week."""
    searched = "source=application-logs query={} window=2031-05-11T16:00:00Z/2031-05-14T07:20:00Z total=0"
    assert fault("本周未检索到日志", searched) is None
    assert fault("上周未检索到日志", searched) == "the searched window is shorter than 上周"


def test_a_service_may_be_called_by_its_chinese_name() -> None:
    """R20: 订单服务 is order-service, where it was asked for and where it was found."""
    asked = "source=application-logs query=service=order-service window=06:00/07:00 total=0"
    found = "source=alert-hub query=ALERTS window=06:00/07:00 total=1: HighMemoryUsage(order-service)"
    assert fault("未检索到订单服务的日志", asked) is None
    assert fault("未检索到支付服务的日志", asked) is not None
    assert fault("未检索到订单服务的告警", found) is not None


def test_a_total_in_the_echoed_query_is_not_the_total() -> None:
    """R20: the total is written by code; the query echoes the request."""
    summary = 'source=app-logs query="total=0 AND window=x total=0" window=06:00/07:00 total=3: a, b, c'
    assert Summary.of(summary) == Summary(
        "app-logs", 3, "a, b, c", '"total=0 AND window=x total=0"', timedelta(hours=1)
    )
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
    assert fault(text, UNASKED) is None


@pytest.mark.parametrize(
    "text", ["KafkaConsumerLagHigh 没有恢复", "order-service 没有宕机", "无异常", "no problem at all"]
)
def test_what_is_denied_must_be_a_record(text: str) -> None:
    """R20: not found means records; that nothing has happened is another claim."""
    assert fault(text, UNASKED) == "the claim does not say that something was not found"


HIKARI = (
    "11:12:31 ERROR order-service HikariPool-1 - Connection is not available, request timed out after 30000ms",
    "11:12:32 WARN order-service HikariCP pool stats: active=50/50, idle=0, waiting=32",
    "11:13:40 WARN order-service Full GC 15 次, 平均 850ms",
)
ORDER = 'source=logs query="service=order-service" window=10:20/11:20 total=3: order-service (x3)'


@pytest.mark.parametrize(
    ("text", "summary", "items"),
    [
        ("未检索到连接池相关日志", ORDER, HIKARI),
        ("未检索到 order-service 的数据库连接池日志", ORDER, HIKARI),
        ("未检索到 order-service 的连接池耗尽日志", ORDER, HIKARI),
        ("未检索到 order-service 的超时错误日志", ORDER, HIKARI),
        ("未检索到 order-service 的 FullGC 日志", ORDER, HIKARI),
        ("未检索到订单服务的任何日志", ORDER, HIKARI),
        ("未检索到 OrderService 的日志", ORDER, HIKARI),
        ("未检索到垃圾回收日志", ORDER, HIKARI),
        ("没有检索到证书即将过期的告警", TWO, TWO_ALERTS),
        ("未检索到磁盘压力告警", TWO, TWO_ALERTS),
        ("未检索到触发中的告警", TWO, TWO_ALERTS),
        ("除 cases.example 之外未检索到其他告警", TWO, TWO_ALERTS),
        ("AlertHub-2 中未检索到磁盘告警", TWO, TWO_ALERTS),
        ("在 Grafana-9 未检索到磁盘告警", TWO, TWO_ALERTS),
        ("No disk alert was found in AlertHub-2", TWO, TWO_ALERTS),
        ("No alerts other than those of cases.example were found", TWO, TWO_ALERTS),
    ],
)
def test_a_full_summary_proves_only_the_absence_of_a_name_that_is_not_there(
    text: str, summary: str, items: tuple[str, ...]
) -> None:
    """R20: of what was found code cannot tell that it is not what the claim denies in other words."""
    assert fault(text, summary, *items) is not None


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("未检索到 order-service 的连接池日志", 'source=logs query="service=order-service, words=zzzz" total=0'),
        (
            "未检索到 order-service 的数据库连接池日志",
            'source=logs query="service=order-service, words=磁盘写满" total=0',
        ),
        ("未检索到 order-service 的日志", 'source=logs query="service=order-service, level=FATAL" total=0'),
        (
            "未检索到 order-service 的 HikariCP 日志",
            'source=logs query="service=inventory-service, words=HikariCP" total=0',
        ),
        ("未检索到 HikariCP 日志", 'source=logs query="service=inventory-service, words=HikariCP" total=0'),
        ("未检索到任何日志", NOTHING),
        ("未检索到 order-service 的日志", 'source=logs query="legacy-order-service" total=0'),
        ("未检索到 legacy-order-service 的日志", 'source=logs query="service=order-service" total=0'),
    ],
)
def test_a_search_for_something_else_proves_nothing(text: str, summary: str) -> None:
    """R20: what nothing met are the conditions of the query, all of them."""
    found = fault(text, summary)
    assert found is not None
    assert found.startswith("the search asked for less than the claim denies")


@pytest.mark.parametrize(
    "text",
    [
        "未检索到 inventory-service 的 HikariCP 日志，但 order-service 数据库连接池已耗尽",
        "未检索到 inventory-service 的 HikariCP 日志但 order-service 数据库连接池耗尽",
        "未检索到 inventory-service 的 HikariCP 记录，因此 payment-service 已宕机",
        "order-service 数据库连接池耗尽，未检索到 inventory-service 的 HikariCP 日志",
        "未检索到 inventory-service 的 HikariCP 日志，根因是内存泄漏",
        "未检索到 inventory-service 的 HikariCP 日志，说明 inventory-service 一切正常",
        "inventory-service 一切正常，没有检索到 HikariCP 日志",
        "未检索到 inventory-service 的 HikariCP 日志（连接池健康）",
        "未检索到已宕机的 inventory-service 的 HikariCP 日志",
        "No HikariCP logs of inventory-service were found, so order-service is down",
        "No HikariCP logs of inventory-service were found because the database crashed",
    ],
)
def test_a_claim_of_absence_states_nothing_else(text: str) -> None:
    """R20: a summary proves that something was not found, and nothing that rides along."""
    found = fault(text, NOTHING)
    assert found is not None
    assert found.startswith("the claim states more than that something was not found")


@pytest.mark.parametrize(
    "text",
    [
        '未检索到 fees 的日志，"all is well"',
        '未检索到 fees 的日志："all is well"',
        '未检索到 fees 的日志。"all is well"',
    ],
)
def test_a_phrase_that_was_searched_for_is_no_statement_only_where_it_is_denied(text: str) -> None:
    """R20: behind a pause it is said, not sought."""
    summary = "source=log query=\"service=fees, words='all is well'\" window=06:00/07:00 total=0"
    assert "states more than that something was not found" in (fault(text, summary) or "")
