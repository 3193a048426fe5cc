"""How the offline model classifies facts against checked texts, and what it concludes."""

from __future__ import annotations

from typing import Any

import pytest

from infra.models.extractive.composer import compose
from infra.models.extractive.planner import plan
from infra.models.extractive.verifier import classify, verify

ALERT = "HighMemoryUsage firing, service=cart-api, current=91%, duration=15m; JVM heap usage 3.8GB/4GB"
DIRECT, INDIRECT, NO_EVIDENCE, CONTRADICTED = "direct_evidence", "indirect_support", "no_evidence", "contradicted"


@pytest.mark.parametrize(
    ("text", "verification"),
    [
        ("cart-api 当前存在 HighMemoryUsage 告警（firing），current=91%，duration=15m。", DIRECT),
        ("cart-api 的内存使用率为 91.0%，已持续 15 分钟。", DIRECT),
        ("cart-api 的内存使用率为 95%，已持续 15 分钟。", INDIRECT),
        ("cart-api 当前存在 HighMemoryUsage 告警，导致下单失败。", INDIRECT),
        ("cart-api 内存泄漏已确认。", INDIRECT),
        ("cart-api 已通过全部检查，系统运行良好。", INDIRECT),
        ("cart-api 的内存使用率为 91%，系统运行良好。", INDIRECT),
        ("pay-api 有 30 次重启。", NO_EVIDENCE),
        ("一切都好。", NO_EVIDENCE),
        ("cart-api 的 HighMemoryUsage 告警 current=95%。", CONTRADICTED),
        ("cart-api 的 HighMemoryUsage 告警已 resolved。", CONTRADICTED),
    ],
)
def test_an_observation_is_classed_by_its_values_and_names(text: str, verification: str) -> None:
    """R34"""
    assert classify("observation", text, [ALERT]) == verification


def test_a_cause_is_at_best_indirect_unless_the_text_spells_it_out() -> None:
    """R34"""
    assert classify("root_cause", "cart-api 的 HighMemoryUsage 由 3.8GB 堆引起", [ALERT]) == INDIRECT
    assert classify("root_cause", "pool leak in cart-api", ["06:00 ERROR pool leak in cart-api"]) == DIRECT


def test_a_claim_without_checked_text_has_no_evidence() -> None:
    """R36"""
    assert classify("observation", "cart-api current=91%", []) == NO_EVIDENCE


@pytest.mark.parametrize(
    ("summary", "verification"),
    [
        ('query="cart-api HikariCP" total=0', DIRECT),
        ("total=2: HighCPUUsage(pay-api), DiskFull(old-api)", DIRECT),
        ("total=1: HikariCP(cart-api)", CONTRADICTED),
        ("06:00 INFO cart-api HikariCP", NO_EVIDENCE),
    ],
)
def test_an_absence_is_proven_by_a_total_and_disproved_by_its_list(summary: str, verification: str) -> None:
    """R20"""
    assert classify("negative_observation", "未检索到 cart-api 的 HikariCP 日志。", [summary]) == verification


def test_an_absence_that_does_not_say_not_found_is_not_proven() -> None:
    """R20"""
    assert classify("negative_observation", "cart-api 没有问题。", ["total=0"]) == NO_EVIDENCE


def test_documentation_is_direct_when_it_quotes_whole_sentences() -> None:
    """R34"""
    block = "打印手册\n打印队列满时先排空队列。其余不变。"
    assert classify("documentation", "知识库记载：打印队列满时先排空队列。", [block]) == DIRECT
    assert classify("documentation", "知识库记载：打印队列满时先扩大队列。", [block]) == INDIRECT
    lead = 'From "打印手册" (print.md#1):'
    assert classify("documentation", f"{lead}\n打印队列满时先排空队列。其余不变。", [f"{block} print.md#1"]) == DIRECT


def payload(*claims: tuple[str, str], status: str = "pass", severity: str = "none", answer: str = "") -> dict[str, Any]:
    return {
        "executor_structured_output": {
            "claims": [
                {"claim_id": f"claim-{n}", "claim_type": kind, "claim_text": text}
                for n, (kind, text) in enumerate(claims, start=1)
            ],
            "user_facing_answer": answer or None,
        },
        "gatekeeper_result": {
            "status": status,
            "severity": severity,
            "checked_bindings": [
                {"claim_id": f"claim-{n}", "source_invocation_id": 7, "status": "pass", "matched_text": ALERT}
                for n in range(1, len(claims) + 1)
            ],
        },
        "tool_trace_summary": [
            {"trace_ref": "trace-1", "tool_name": "query_metrics", "source_invocation_ids": [7, 9]},
            {"trace_ref": "trace-2", "tool_name": "query_logs", "source_invocation_ids": [8]},
        ],
    }


GOOD = ("observation", "cart-api current=91%。")
FAIR = ("observation", "cart-api 使用率 95%。")
EMPTY = ("observation", "pay-api 使用率 33%。")
FALSE = ("observation", "cart-api current=95%。")


@pytest.mark.parametrize(
    ("given", "verdict", "score", "count"),
    [
        (payload(GOOD), "PASS", 1.0, 1),
        (payload(GOOD, FAIR), "PASS", 0.8, 2),
        (payload(FAIR), "LOW_CONFID", 0.6, 1),
        (payload(GOOD, EMPTY), "LOW_CONFID", 0.5, 2),
        (payload(GOOD, GOOD, EMPTY), "LOW_CONFID", 0.6667, 3),
        (payload(GOOD, FALSE), "REJECT", 0.0, 2),
        (payload(), "LOW_CONFID", 0.0, 0),
        (payload(GOOD, status="fail", severity="low_confid"), "LOW_CONFID", 1.0, 1),
        (payload(GOOD, status="fail", severity="reject"), "REJECT", 0.0, 1),
        (payload(GOOD, ("risk", "pay-api 使用率 33%。")), "PASS", 1.0, 1),
    ],
)
def test_verdict_and_score_follow_the_matrix(given: dict[str, Any], verdict: str, score: float, count: int) -> None:
    """R35"""
    output = verify(given)
    assert (output["verdict"], output["groundedness_score"], output["critical_fact_count"]) == (verdict, score, count)


def test_a_fact_names_its_claim_and_the_trace_it_rests_on() -> None:
    """R33"""
    (fact,) = verify(payload(GOOD))["facts_checked"]
    assert (fact["fact"], fact["claim_id"], fact["is_critical"]) == ("cart-api current=91%。", "claim-1", True)
    assert fact["evidence_refs"] == [
        {
            "trace_ref": "trace-1",
            "tool_name": "query_metrics",
            "topic_domain": "general",
            "source_invocation_ids": [7],
            "note": "断言所绑定的调用",
        }
    ]


def test_an_answer_that_says_more_than_its_claims_adds_facts() -> None:
    """R38"""
    facts = verify(payload(GOOD, answer="cart-api current=91%。DiskFull 也在 old-api 出现。请留意。"))["facts_checked"]
    assert [(fact["fact"], fact["verification"], fact.get("claim_id")) for fact in facts[1:]] == [
        ("DiskFull 也在 old-api 出现", NO_EVIDENCE, None)
    ]


def test_an_output_that_could_not_be_parsed_has_no_facts_and_never_passes() -> None:
    """R14"""
    output = verify({"executor_structured_output": None, "executor_final_answer": "x", "gatekeeper_result": {}})
    assert (output["verdict"], output["facts_checked"]) == ("LOW_CONFID", [])


# ---------------------------------------------------------------- composer and planner


def test_the_composer_words_each_proven_claim_in_its_own_words() -> None:
    """R46"""
    claims = [
        {"claim_id": "claim-1", "claim_text": "cart-api current=91%。", "verification": DIRECT, "items": [ALERT]},
        {"claim_id": "claim-2", "claim_text": "HikariPool busy", "verification": DIRECT, "items": []},
        {"claim_id": "claim-3", "claim_text": "pay-api", "verification": NO_EVIDENCE, "items": []},
    ]
    assert compose({"question": "q", "claims": claims, "excluded": ["HikariPool"]}) == [
        {"claim_ids": ["claim-1"], "sentence": "cart-api current=91%。"}
    ]


CATALOG = [
    {"name": "pool-check", "description": "确认数据库连接池（HikariCP）是否耗尽"},
    {"name": "cpu-check", "description": "确认 CPU 使用率"},
]


@pytest.mark.parametrize(
    ("question", "skill"),
    [
        ("确认 cart-api 是否存在 HikariCP 连接池耗尽", "pool-check"),
        ("cart-api 的 CPU 使用率是否过高", "cpu-check"),
        ("cart-api 的 CPU 使用率，不要分析 CPU", None),
        ("HighCPUUsage 告警在 cart-api 上触发了吗", "cpu-check"),
        ("cart-api 的数据库备份是否成功，确认一下", None),
        ("确认 cart-api 是否收到订单 4711 的使用反馈", None),
        ("is the connection pool of cart-api exhausted?", "pool-check"),
        ("你好", None),
    ],
)
def test_the_planner_takes_the_skill_that_shares_most_words(question: str, skill: str | None) -> None:
    """R2"""
    assert plan({"question": question, "skill_catalog": CATALOG})["selected_skill"] == skill


def test_the_plan_lists_the_calls_the_question_asks_for() -> None:
    """R2"""
    assert plan({"question": "只确认 cart-api 是否存在 SlowResponse 告警和慢请求日志。", "skill_catalog": []}) == {
        "selected_skill": None,
        "selection_reason": "没有与问题关键词重合的 skill。",
        "plan": ["用 query_metrics 查询 cart-api 的 SlowResponse 告警", "用 query_logs 检索 cart-api 的慢请求日志"],
        "reasoning": "按问题中的名称与关键词确定查询范围。问题限定了范围，只查所问。",
    }


def test_a_field_at_the_beginning_of_an_example_is_held() -> None:
    """R34, R90: the quotation of an item's own line is no contradiction."""
    item = "kind=message, service=web, count=2, example=s-ip=10.9.0.4 c-ip=10.9.8.30 sc-status=503"
    claim = "web 新出现：“s-ip=10.9.0.4 c-ip=10.9.8.30 sc-status=503”，检索到 2 条。"
    assert classify("observation", claim, [item]) == "direct_evidence"
