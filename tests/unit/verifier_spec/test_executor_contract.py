"""Scenarios of seed 001: the Executor's evidence contract, and what becomes of an output that breaks it."""

from __future__ import annotations

import json
from typing import Any

import pytest


def test_the_executor_final_output_contains_the_required_top_level_fields(given: Any, say: Any) -> None:
    """R11: one JSON object without a fence; `user_facing_answer` is optional (section 14: the Composer answers)."""
    parsed = given(executor=say.contract(say.memory())).parsed
    assert parsed.structured.model_dump().keys() == {
        "answer_version",
        "diagnosis_summary",
        "claims",
        "hypotheses",
        "recommended_actions",
        "missing_info",
        "user_facing_answer",
    }
    assert parsed.status.detail == "parsed executor evidence contract"
    assert parsed.warnings == ()


@pytest.mark.parametrize("support_level", ["direct", "indirect", "none", None])
def test_confirmed_claims_carry_evidence_bindings(given: Any, say: Any, support_level: str | None) -> None:
    """R11, section 14: `support_level` is kept but optional; without a binding it confirms nothing."""
    bound, unbound = say.memory(support_level=support_level), say.memory(evidence_bindings=[], support_level="direct")
    passing = given(calls=(say.alerts(),), executor=say.contract(bound))
    assert passing.parsed.structured.claims[0].support_level == support_level
    assert passing.gatekeeper.status == "pass"
    failing = given(calls=(say.alerts(),), executor=say.contract(unbound))
    assert (failing.gatekeeper.severity, failing.gatekeeper.failed_rules) == ("low_confid", ("evidence.no_bindings",))


def test_evidence_bindings_support_multiple_tool_types(given: Any, say: Any) -> None:
    """R12: version 1 with its arrays and source fields; metrics, logs and knowledge; a chunk_id alone binds nothing."""
    bindings = [
        {
            "source_type": "tool",
            "source_id": str(id),
            "tool_name": tool_name,
            "source_invocation_ids": [id],
            "evidence_excerpt": excerpt,
        }
        for id, tool_name, excerpt in [
            (41, "query_metrics", say.ALERT),
            (42, "query_logs", say.LOG),
            (43, "lookup_knowledge", say.RUNBOOK),
        ]
    ]
    claims = [say.claim(binding["tool_name"], "内存偏高", binding) for binding in bindings]
    claims.append(say.claim("chunk", "内存偏高", {"chunk_id": "memory.md#1", "evidence_excerpt": say.RUNBOOK}))
    executor = say.contract(*claims, answer_version="executor_evidence_v1")
    round = given(calls=(say.alerts(), say.logs(), say.knowledge()), executor=executor)
    assert [
        (binding.claim_id, binding.source_invocation_id, binding.rule) for binding in round.gatekeeper.checked_bindings
    ] == [
        ("query_metrics", 41, "evidence.raw_path_missing"),
        ("query_logs", 42, "evidence.raw_path_missing"),
        ("lookup_knowledge", 43, "evidence.raw_path_missing"),
        ("chunk", None, "evidence.invocation_missing"),
    ]
    assert round.gatekeeper.severity == "low_confid"


def test_unsupported_conclusions_are_not_confirmed_claims(given: Any, say: Any) -> None:
    """R15: a hypothesis, a gap and an action are never shown as confirmed; remediation is dropped."""
    cause = "根因是缓存没有上限"
    executor = say.contract(
        say.memory(),
        say.usage(),
        hypotheses=[{"hypothesis_id": "h1", "hypothesis_text": cause}],
        missing_info=[{"info_id": "m1", "description": "缺少缓存指标"}],
        recommended_actions=[
            {"action_id": "a1", "action_text": "查询缓存命中率", "reason": ""},
            {"action_id": "a2", "action_text": "重启 order-service", "reason": ""},
        ],
    )
    judged = say.judging(say.fact(say.memory()), say.fact(say.usage(), "no_evidence"))
    round = given(calls=(say.alerts(), say.logs()), executor=executor, verifier=judged)
    assert round.section("已确认信息") == "- order-service 的 HighMemoryUsage 告警已持续 15 分钟"
    assert round.section("建议下一步") == "- 查询缓存命中率"
    assert cause not in round.answer


def test_runbook_and_skill_guidance_do_not_become_incident_facts(given: Any, say: Any) -> None:
    """R26: what only the runbook says of the present is no fact; it may still suggest an action."""
    guided = say.claim("g", "order-service 正在泄漏内存", say.binding(43, "$.evidence_blocks[0]", say.RUNBOOK))
    actions = [{"action_id": "a1", "action_text": "查询堆内存曲线", "reason": "预案建议"}]
    executor = say.contract(say.memory(), guided, recommended_actions=actions)
    judged = say.judging(say.fact(say.memory()), say.fact(guided))
    round = given(calls=(say.alerts(), say.knowledge()), executor=executor, verifier=judged)
    assert round.gatekeeper.failed_rules == ("evidence.source_class",)
    assert round.outcome == ("LOW_CONFID", "0.5", "disclaimer")
    assert round.section("已确认信息") == "- order-service 的 HighMemoryUsage 告警已持续 15 分钟"
    assert round.section("建议下一步") == "- 查询堆内存曲线"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-1],
        lambda text: text.replace('"claims": [', '"claims": [,'),
        lambda text: text + text,
        lambda _: "内存使用率 91%。",
    ],
    ids=["cut off", "no JSON", "two objects", "prose"],
)
def test_malformed_executor_json_is_captured(given: Any, say: Any, spoil: Any) -> None:
    """R13, R14: the raw text is kept, the status says malformed, and the Verifier judges the text as it stands."""
    raw = spoil(say.contract(say.memory()))
    judged = say.judging(say.other_fact("order-service 内存使用率 91%", "direct_evidence", "trace-1"))
    round = given(calls=(say.alerts(),), executor=raw, verifier=judged)
    assert (round.parsed.status.status, round.parsed.structured) == ("malformed", None)
    assert round.payload["executor_final_answer"] == raw
    assert round.classes["order-service 内存使用率 91%"] == "direct_evidence"


def test_a_structured_parse_failure_remains_observable(given: Any, say: Any) -> None:
    """R14: in the evaluation, in the gatekeeper's result and in the answer; it never passes."""
    judged = say.judging(say.other_fact("order-service 内存使用率 91%", "direct_evidence", "trace-1"))
    round = given(calls=(say.alerts(),), executor='{"claims": "一条"}', verifier=judged)
    evaluation = json.loads(round.evaluation.model_dump_json())
    assert evaluation["executor_output_parse_status"] == {"status": "malformed", "detail": "claims is no list"}
    assert evaluation["gatekeeper_result"]["failed_rules"] == ["executor.output_malformed"]
    assert evaluation["verdict"] == "LOW_CONFID"
    assert "执行结果未按约定格式给出，无法逐条核对引用" in round.section("当前缺口")
