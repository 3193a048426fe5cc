"""Scenarios of seed 001: where a verdict leads, and what the user is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain.contracts import RetryContext

RAW = "综合研判：服务整体平稳，仅供参考。"


@pytest.fixture
def judged_as(given: Any, say: Any) -> Any:
    """`judged_as(memory=…, cause=…)`: a round whose two claims the Verifier gave these classes."""

    def make(memory: str, cause: str, **fields: Any) -> Any:
        claims = [say.memory(), say.cause(claim_type="root_cause")]
        action = {"action_id": "a1", "action_text": "查询缓存命中率", "reason": "", "evidence_bindings": []}
        executor = say.contract(*claims, user_facing_answer=RAW, recommended_actions=[action])
        judged = say.judging(say.fact(claims[0], memory), say.fact(claims[1], cause))
        return given(calls=(say.alerts(), say.logs()), executor=executor, verifier=judged, **fields)

    return make


def test_pass_leads_to_direct_output(judged_as: Any, say: Any) -> None:
    """R46, section 14: the Composer's sentences, which rest on verified claims; not the Executor's answer."""
    sentence = "order-service 的 HighMemoryUsage 告警已持续 15 分钟。"
    round = judged_as("direct_evidence", "indirect_support", composer=say.composing(sentence, "memory"))
    assert round.outcome == ("PASS", "0.8", "compose")
    assert round.answer == sentence


def test_low_confid_at_or_above_the_threshold_is_output_with_a_disclaimer(judged_as: Any) -> None:
    """R40, section 14: the fixed disclaimer, and three sections in place of the raw answer."""
    round = judged_as("direct_evidence", "no_evidence")
    assert round.outcome == ("LOW_CONFID", "0.5", "disclaimer")
    assert round.answer.startswith("以下结论基于当前已获取证据，仍存在部分证据缺口，请谨慎参考。")
    assert RAW not in round.answer


def test_low_confid_below_the_threshold_triggers_one_additional_round(judged_as: Any) -> None:
    """R40: round 2 ends with a disclaimer however low its score, or degraded."""
    again = {"number": 2, "retry_context": RetryContext(round=1)}
    assert judged_as("no_evidence", "no_evidence").outcome == ("LOW_CONFID", "0.0", "retry")
    assert judged_as("no_evidence", "no_evidence").answer == ""
    assert judged_as("no_evidence", "no_evidence", **again).outcome == ("LOW_CONFID", "0.0", "disclaimer")
    assert judged_as("no_evidence", "contradicted", **again).outcome == ("REJECT", "0.0", "degrade")


@pytest.mark.parametrize("number", [1, 2])
def test_reject_does_not_enter_a_retry_round(judged_as: Any, number: int) -> None:
    """R40: degraded at once."""
    assert judged_as("direct_evidence", "contradicted", number=number).judgement.route == "degrade"


def test_reject_leads_to_degraded_output(judged_as: Any) -> None:
    """R47: it says that no reliable conclusion can be given, and passes nothing of the raw answer through."""
    answer = judged_as("direct_evidence", "contradicted").answer
    assert answer.startswith("当前无法基于已获取证据生成可靠结论。")
    assert RAW not in answer


def test_low_confid_uses_the_disclaimer_template(judged_as: Any) -> None:
    """R47: the gaps are those that the facts show."""
    assert judged_as("direct_evidence", "no_evidence").answer == (
        "以下结论基于当前已获取证据，仍存在部分证据缺口，请谨慎参考。\n\n"
        "已确认信息：\n- order-service 的 HighMemoryUsage 告警已持续 15 分钟\n\n"
        "当前缺口：\n- 未能证实：根因是缓存没有上限\n\n"
        "建议下一步：\n- 查询缓存命中率"
    )


def test_reject_uses_the_degraded_template(judged_as: Any) -> None:
    """R47: confirmed facts, gaps and next steps; no text of an unverified claim."""
    assert judged_as("direct_evidence", "contradicted").answer == (
        "当前无法基于已获取证据生成可靠结论。\n\n"
        "已确认信息：\n- order-service 的 HighMemoryUsage 告警已持续 15 分钟\n\n"
        "证据缺口：\n- 第 2 条断言与已核对的证据相矛盾\n\n"
        "建议下一步：\n- 重新查询相关工具，按原文逐条核对"
    )


def test_low_confid_with_critical_evidence_gaps(judged_as: Any) -> None:
    """R47: the gap names the claim as unproven, and nothing unproven stands as confirmed."""
    round = judged_as("direct_evidence", "no_evidence")
    assert "根因是缓存没有上限" not in round.section("已确认信息")
    assert round.section("当前缺口") == "- 未能证实：根因是缓存没有上限"


@pytest.mark.parametrize(
    "classes",
    [("direct_evidence", "indirect_support"), ("direct_evidence", "no_evidence"), ("contradicted", "no_evidence")],
    ids=["PASS", "LOW_CONFID", "REJECT"],
)
def test_a_user_facing_answer_is_available(judged_as: Any, classes: tuple[str, str]) -> None:
    """R6, R46, section 14: in Chinese, and written of the verified claims alone, not by the Executor."""
    answer = judged_as(*classes).answer
    assert any("\u4e00" <= character <= "\u9fff" for character in answer)
    assert RAW not in answer


def test_the_machine_contract_remains_available_for_trace_inspection(judged_as: Any) -> None:
    """R49, R54: the evaluation holds it in full; the answer shows none of it."""
    round = judged_as("direct_evidence", "no_evidence")
    assert round.evaluation.executor_structured_output == round.parsed.structured
    assert round.evaluation.model_dump(mode="json")["executor_structured_output"]["claims"][0]["claim_id"] == "memory"
    for name in json.loads(round.executor):
        assert name not in round.answer
    assert "{" not in round.answer
