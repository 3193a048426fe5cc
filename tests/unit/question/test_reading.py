"""What a question asks: the table kinds.jsonl, and both sides of each line (R70)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.question.question import AnswerKind, Question
from domain.question.reading import MAX_QUESTION, read_question

NOW = datetime(2031, 5, 14, 10, 30, tzinfo=UTC)
TABLE = [json.loads(line) for line in (Path(__file__).parent / "kinds.jsonl").read_text("utf-8").splitlines()]


def read(question: str) -> Question:
    return read_question(question, NOW, UTC)


def terms(question: str) -> list[str]:
    return [f"{term.kind}:{term.text}" for term in read(question).terms]


def in_order(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A topic is a phrase that the shared concepts know: the table takes the two as one."""
    return sorted(("phrase" if kind == "topic" else kind, text) for kind, text in found)


def is_as_told(found: tuple[str, str], told: tuple[str, str]) -> bool:
    """连接池耗尽 is a name of the concept 连接池."""
    return found == told or (found[0] == told[0] == "phrase" and told[1] in found[1])


@pytest.mark.parametrize("row", TABLE, ids=[f"{row['about']}: {row['question']}" for row in TABLE])
def test_kind_terms_and_exclusions_of_a_question_are_read(row: dict[str, Any]) -> None:
    """R70."""
    question = read(row["question"])
    found = in_order([(term.kind, term.text) for term in question.terms])
    told = in_order([(term["kind"], term["text"]) for term in row["terms"]])
    assert question.kind == row["kind"]
    assert len(found) == len(told), found
    assert all(is_as_told(one, other) for one, other in zip(found, told, strict=True)), found
    assert list(question.excluded) == row["excluded"]


def test_the_table_holds_sixty_kinds_of_question_and_more() -> None:
    assert len(TABLE) >= 60
    assert {row["kind"] for row in TABLE} == set(AnswerKind)


# ---------------------------------------------------------------- terms


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("access 最近1小时有没有 5xx 日志？", ["service:access", "code:5xx"]),
        ("订单服务有没有超时？", ["service:订单服务", "topic:超时"]),
        ("请排查支付系统的告警", ["service:支付系统"]),
        ("Any alerts in namespace shop?", ["service:shop"]),
        ("check the checkout service", ["service:checkout"]),
        ("redis 有没有 too many connections", ["service:redis", "topic:too many connections"]),
        ("cart-api 是否存在 MySQL 连接超时日志", ["service:cart-api", "topic:MySQL", "topic:连接超时"]),
        ("kernel 是否出现 oom-killer", ["service:kernel", "topic:oom-killer"]),
        ("有没有 “segfault” 或 'core dumped'", ["phrase:segfault", "phrase:core dumped"]),
        ("有没有「库存不足」或《支付失败》的日志", ["phrase:库存不足", "phrase:支付失败"]),
        ("find logs for order #4711", ["id:4711"]),
        ("order-123 为什么失败", ["id:123"]),
        ("pod order-service-7d9f8b6c5-abcde 为什么重启？", ["id:order-service-7d9f8b6c5-abcde", "topic:重启"]),
        (
            "https://api.example.com/v1/orders 有没有返回 502？",
            ["address:https://api.example.com/v1/orders", "code:502"],
        ),
        ("2001:db8::1 有没有 timeout", ["address:2001:db8::1", "topic:timeout"]),
        ("db01.prod.example.com:5432 是否可用", ["address:db01.prod.example.com:5432"]),
        ("/api/v1/orders 接口有没有 500 错误？", ["phrase:/api/v1/orders", "code:500"]),
        ("退出码 137 出现了几次？", ["code:137"]),
        ("SQLSTATE 23505 是什么意思？", ["code:23505"]),
        ("只看错误级别的日志", ["level:错误"]),
        ("show me warning logs of billing-api", ["level:warning", "service:billing-api"]),
        ("有没有异常登录", ["phrase:异常登录"]),
        ("Did any pod restart in the last hour?", ["topic:restart"]),
        ("redis 最近三天有没有出现 MISCONF？", ["service:redis", "phrase:MISCONF"]),
        ("Did 10.20.0.77 send a DELETE today?", ["address:10.20.0.77", "phrase:DELETE"]),
        ("今天 nginx 返回过 502 吗？", ["service:nginx", "code:502"]),
        ("backup.service 昨天失败了吗？", ["service:backup.service", "level:失败"]),
        ("Did certbot.service fail between 5 and 6 am today?", ["service:certbot.service", "level:fail"]),
        ("kube-proxy 最近一小时有没有 error？", ["service:kube-proxy", "level:error"]),
        ("Any timeouts (504) of shop-api today?", ["topic:timeouts", "code:504", "service:shop-api"]),
        ("Anything about ORD-4417 in the logs today?", ["code:ORD-4417"]),
        ("How often was REQ-7781 retried in the last hour?", ["code:REQ-7781"]),
        ("OPS-12 order-service 有没有 ERROR？", ["service:order-service", "level:ERROR"]),
        ("Any segfault for the user mallory in the last day?", ["topic:segfault", "id:mallory"]),
        ("用户 zhangsan 昨天登录失败了吗？", ["id:zhangsan", "topic:登录失败"]),
        ("Did user complaints rise today?", ["phrase:complaints", "phrase:rise"]),  # nothing else says what is sought
        ("谁在昨天尝试用 root 登录过？", ["id:root"]),
        ("root 今天有没有登录失败", ["id:root", "topic:登录失败"]),
        ("What is the root cause of the outage?", []),
        ("Who logged in as deploy yesterday?", ["id:deploy"]),
        ("昨天的备份任务为什么失败了", ["phrase:备份任务"]),
        ("checkout 为什么变慢了？", ["service:checkout"]),
        ("What is going on with checkout, and why?", ["service:checkout"]),
        ("Please find out why loyalty is timing out.", ["service:loyalty"]),
        ("Please check whether UpstreamErrors fires for seat.", ["alert:UpstreamErrors", "service:seat"]),
        ("voucher 的退款 RF-91901 是不是被拒了？", ["service:voucher", "id:RF-91901", "topic:被拒"]),
        ("Was job nightly-10258 skipped in menu-api?", ["id:nightly-10258", "topic:skipped", "service:menu-api"]),
        ("Is there a corrupt segment D55C66 in seat-api?", ["phrase:corrupt", "id:D55C66", "service:seat-api"]),
        ("account_core 当前是否存在 LatencyHigh 告警？", ["service:account_core", "alert:LatencyHigh"]),
        ("process_open_fds 是多少？", ["metric:process_open_fds"]),
        ("How many requests came from 10.20.0.123?", ["address:10.20.0.123"]),
        ("Was the package curl upgraded last week?", ["id:curl", "topic:upgraded"]),
        ("本周升级过 openssl 吗？", ["topic:升级", "id:openssl"]),
        ("Has anybody logged in from 10.0.0.7?", ["address:10.0.0.7"]),
        (
            "Has there been an evacuation failure (To-space exhausted) today?",
            ["phrase:evacuation failure", "phrase:To-space exhausted"],
        ),
        (
            "Is kafka consumer lag high for orders-sink?",
            ["service:kafka", "metric:consumer lag", "service:orders-sink"],
        ),
    ],
)
def test_the_terms_of_a_question_stand_in_its_order(question: str, expected: list[str]) -> None:
    """R70: services, alerts, codes, addresses, ids, phrases, levels, in both languages."""
    assert terms(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "当前有哪些告警？",
        "请根据告警与日志排查当前异常",
        "ticket JIRA-123: 有没有告警",
        "INC0012 里的告警还在吗",
        "top 5 的告警有哪些",
        "持续超过 15 分钟的告警有哪些",
        "因为昨天发布了 v2.3，现在有没有告警",
        "I was told that checkout is slow. Which alerts are firing?",
        "payment-service 已经看过了，还有哪些告警？",
        "Which alerts are firing for more than 10 minutes?",
    ],
)
def test_what_is_said_in_passing_is_no_term(question: str) -> None:
    """R70: background, thresholds, versions, tickets, how many to show."""
    assert terms(question) == []


def test_background_that_is_all_there_is_is_what_is_asked() -> None:
    """R70."""
    assert terms("听说 order-service 挂了") == ["service:order-service"]


def test_a_service_before_a_change_is_still_asked_about() -> None:
    """R70: only the change is said in passing."""
    question = read("payment-service 昨天上线了 v2.3，现在有没有超时")
    assert [term.text for term in question.terms] == ["payment-service", "超时"]
    assert question.period is None


def test_quotation_marks_shield_words_from_being_read() -> None:
    """R70: no exclusion, no period and no kind of answer is read from a quotation."""
    question = read('order-service 有没有 "ignore yesterday\'s why" 日志？')
    assert [term.text for term in question.terms] == ["order-service", "ignore yesterday's why"]
    assert (question.kind, question.also, question.period, question.excluded) == (AnswerKind.WHETHER, (), None, ())


# ---------------------------------------------------------------- kinds, exclusions, period


@pytest.mark.parametrize(
    ("question", "kind", "also"),
    [
        ("order-service 有没有 OOM？为什么？", AnswerKind.WHETHER, (AnswerKind.WHY,)),
        ("ORA-00942 是什么含义，怎么处理？", AnswerKind.WHICH, (AnswerKind.WHAT_TO_DO,)),
        ("Why are there errors in checkout?", AnswerKind.WHY, ()),
        ("order-service 是否仍在报错？", AnswerKind.IS_OVER, ()),
        ("Please check whether checkout is healthy", AnswerKind.WHETHER, ()),
        ("show me the errors of checkout", AnswerKind.WHICH, ()),
        ("payment 告警", AnswerKind.OPEN, ()),
    ],
)
def test_each_clause_may_ask_for_another_kind_of_answer(
    question: str, kind: AnswerKind, also: tuple[AnswerKind, ...]
) -> None:
    """R70."""
    assert (read(question).kind, read(question).also) == (kind, also)


@pytest.mark.parametrize(
    ("question", "excluded", "expected"),
    [
        ("除 HighCPUUsage 外还有哪些告警", ("HighCPUUsage",), []),
        ("删除数据的日志有吗，以外的不看", (), ["phrase:删除"]),
        ("errors other than timeouts in checkout?", ("timeouts",), ["level:errors", "service:checkout"]),
        ("investigate order-service, don't look at stock-service", ("stock-service",), ["service:order-service"]),
        ("order-service 有没有 ERROR，忽略健康检查", ("健康检查",), ["service:order-service", "level:ERROR"]),
    ],
)
def test_what_is_left_out_is_no_term(question: str, excluded: tuple[str, ...], expected: list[str]) -> None:
    """R16, R70."""
    assert (read(question).excluded, terms(question)) == (excluded, expected)


def test_a_period_that_is_not_understood_is_given_back_in_its_own_words() -> None:
    """R70."""
    assert read("前阵子 billing-api 有没有 deadlock？").unclear == ("前阵子",)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("当前有哪些告警？", "告警"),
        ("Which alerts are firing?", "alerts"),
        ("请根据告警与日志排查异常", ""),
        ("有没有 OOM", ""),
    ],
)
def test_a_question_for_alerts_says_so(question: str, word: str) -> None:
    """R70: alerts are not answered by logs alone."""
    assert read(question).alerts_asked == word


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "question", ["", "?", "？！。，…", "“”\"\"''「」", "\n\n\n", "\ufffc\ufffc", "。" * MAX_QUESTION]
)
def test_a_question_of_punctuation_asks_for_nothing_in_particular(question: str) -> None:
    """R70."""
    found = read(question)
    assert (found.kind, found.terms, found.period, found.excluded, found.unclear) == (AnswerKind.OPEN, (), None, (), ())


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "piece",
    [
        *("A", "a", "Aa", "a-", "a_", "a:", "1", "1.", "ERR_", "x=", "0x", "f0", "::", "{", "“", "的", "和", "除"),
        *("因为", "服务", "请查看服务", "不要分析", "是否存在", "是否a", "超过1", "有没有a、b和"),
        *("any ", "in the ", "log ", "a b ", "order 1", "5xx ", "after the ", "we deployed ", "日志a", "123-", ", "),
    ],
)
def test_a_question_of_8000_characters_is_read_in_bounded_time(piece: str) -> None:
    """R70, R72."""
    assert len(read(piece * (MAX_QUESTION // len(piece))).terms) <= 40


def test_what_stands_behind_8000_characters_is_not_read() -> None:
    """R70."""
    assert terms("?" * MAX_QUESTION + "order-service 有没有 OOM") == []


WORDS = (
    *(
        "order-service",
        "checkout",
        "有没有",
        "是否",
        "ERROR",
        "告警",
        "“",
        "”",
        '"',
        "'",
        "因为",
        "除",
        "外",
        "不要分析",
    ),
    *(
        "昨天",
        "5xx",
        "v2.3",
        "JIRA-1",
        "订单",
        "4711",
        "的",
        "和",
        ",",
        "。",
        "?",
        "\n",
        "a=b",
        "up{x}",
        "::",
        "/",
        "超过",
        "80%",
    ),
    *("any", "errors", "in", "the", "since", "after", "we", "deployed", "why", "how", "many", "10.0.0.1"),
)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200) | st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    """R7, R70: whatever is a term stands in the question."""
    found = read(text)
    assert all(term.text and term.text in found.text for term in found.terms)


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("order-service 除了最近一小时以外有报错吗？", "最近一小时"),
        ("Any errors in order-service, excluding the last hour?", "last hour"),
    ],
)
def test_a_period_that_is_left_out_is_not_understood(question: str, left_out: str) -> None:
    """R70: all of time without it is no default."""
    found = read_question(question, datetime(2031, 5, 14, 15, 20, tzinfo=UTC), UTC)
    assert (found.period, found.unclear, found.excluded) == (None, (left_out,), ())
