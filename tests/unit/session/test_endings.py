"""How sessions end: always, and only once (R7, R41, R46 to R49, R62)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain.contracts import Agent, EvidenceStatus, RetrievalDetails
from domain.events import Erased, SessionFailed
from domain.model_reply import ErrorKind, ModelReply
from domain.session.commands import BeginNextRound, CloseByTemplate, FailSession
from domain.session.tool_calls import ToolOutcome
from domain.settings import SessionSettings

CLAIM = "order-service 的 HighMemoryUsage 告警处于 firing 状态，current=91%"


def composition(*sentences: tuple[list[str], str]) -> ModelReply:
    written = [{"claim_ids": ids, "sentence": sentence} for ids, sentence in sentences]
    return ModelReply(output=json.dumps(written, ensure_ascii=False))


def topics(events: Any) -> list[str]:
    return [event.TOPIC for event in events]


# ---------------------------------------------------------------- PASS


def test_a_pass_ends_with_the_composers_answer(given: Any) -> None:
    """R6, R46: answer, rule evaluation and end are one commit with the composer's step."""
    events = given().concluding().model(Agent.COMPOSER, composition((["claim-1"], CLAIM + "。")))
    assert topics(events) == ["AgentStepRecorded", "AnswerComposed", "RuleEvaluated", "SessionCompleted"]
    assert (events[1].facts.status, events[1].content.answer) == ("valid", CLAIM + "。")
    assert events[3].facts.model_dump() == {
        "outcome": "NORMAL",
        "verdict": "PASS",
        "groundedness_score": "1.0",
        "rounds": 1,
    }
    assert events[3].content.answer == CLAIM + "。"


def test_a_composer_that_says_more_than_the_claims_is_replaced_by_the_plain_list(given: Any) -> None:
    """R46."""
    events = given().concluding().model(Agent.COMPOSER, composition((["claim-1"], "order-service 已确认内存泄漏。")))
    assert events[1].facts.status == "fallback"
    assert "泄漏" in events[1].content.reason
    assert events[-1].content.answer == f"经核对的证据可以确认：\n- {CLAIM}"


@pytest.mark.parametrize(
    "reply", [ModelReply(output="好的"), ModelReply(output="[]"), composition((["claim-9"], CLAIM))]
)
def test_a_composer_that_is_not_understood_keeps_the_pass(given: Any, reply: ModelReply) -> None:
    """R7, R46."""
    end = given().concluding().model(Agent.COMPOSER, reply)[-1]
    assert (end.facts.outcome, end.facts.verdict, CLAIM in end.content.answer) == ("NORMAL", "PASS", True)


def test_a_composer_whose_model_is_down_keeps_the_pass(given: Any, say: Any) -> None:
    """R7, R46: tried again first, then the plain list."""
    session = given(SessionSettings(max_model_attempts=2)).concluding()
    assert topics(session.model(Agent.COMPOSER, say.failure())) == ["AgentStepRecorded"]
    events = session.model(Agent.COMPOSER, say.failure())
    assert (events[1].facts.status, events[1].content.reason) == ("fallback", "the composer gave no answer")
    assert (events[-1].facts.outcome, events[-1].facts.verdict) == ("NORMAL", "PASS")


# ---------------------------------------------------------------- LOW_CONFID and REJECT


def test_low_confidence_ends_with_three_sections(given: Any) -> None:
    """R47, 004 section 8."""
    events = given().concluding("indirect_support").when(CloseByTemplate())
    assert topics(events) == ["AnswerComposed", "RuleEvaluated", "SessionCompleted"]
    end = events[-1]
    assert (end.facts.outcome, end.facts.verdict, end.facts.groundedness_score) == (
        "LOW_CONFID_WITH_DISCLAIMER",
        "LOW_CONFID",
        "0.6",
    )
    assert end.content.answer == (
        "以下结论基于当前已获取证据，仍存在部分证据缺口，请谨慎参考。\n\n"
        "已确认信息：\n- 无\n\n"
        f"当前缺口：\n- 仅有间接支持：{CLAIM}\n\n"
        "建议下一步：\n- 无"
    )


def test_a_rejected_answer_shows_nothing_of_the_claim(given: Any) -> None:
    """R47, R49."""
    end = given().concluding("contradicted").when(CloseByTemplate())[-1]
    assert (end.facts.outcome, end.facts.verdict, end.facts.groundedness_score) == ("DEGRADED", "REJECT", "0.0")
    assert end.content.answer.startswith("当前无法基于已获取证据生成可靠结论。")
    assert "91%" not in end.content.answer


def test_an_answer_without_claims_still_says_what_was_not_found(given: Any, say: Any) -> None:
    """R48: by this query, never 不存在."""
    session = given().executing()
    session.looked(say.no_logs, "query_logs")
    session.answered().checked()
    session.verified()
    session.when(BeginNextRound())
    session.model(Agent.PLANNER, say.plan)
    session.answered().checked()
    session.verified()
    answer = session.when(CloseByTemplate())[-1].content.answer
    assert "未检索到" in answer
    assert "不存在" not in answer


def test_no_raw_output_is_shown(given: Any, say: Any) -> None:
    """R49: neither the tool's nor the model's."""
    session = given().executing()
    session.looked()
    session.model(Agent.EXECUTOR, ModelReply(output='{"claims": [{"claim_text": "{\\"raw\\": 1}"}'))
    session.checked()
    session.model(Agent.VERIFIER, say.judgement({}, "LOW_CONFID"))
    session.when(BeginNextRound())
    session.model(Agent.PLANNER, say.plan)
    session.model(Agent.EXECUTOR, ModelReply(output="[[["))
    session.checked()
    session.model(Agent.VERIFIER, say.judgement({}, "LOW_CONFID"))
    answer = session.when(CloseByTemplate())[-1].content.answer
    assert [raw for raw in ("{", "[[", "claims", "alertname") if raw in answer] == []


def test_the_final_answer_draws_on_both_rounds(given: Any, say: Any) -> None:
    """R41: a claim proven in round 1 stays confirmed."""
    other = "order-service 的内存泄漏告警 MemoryLeak 处于 firing 状态"
    session = given().executing()
    done = session.looked()
    unproven = say.claim(done.id, other, "MemoryLeak", "$.alerts[7]", claim_id="claim-2")
    unproven["evidence_bindings"] = []
    session.answered(say.memory_claim(done.id), unproven, dict(unproven, claim_id="claim-3")).checked()
    _, issued = session.verified(claim_1="direct_evidence", claim_2="no_evidence", claim_3="no_evidence")
    assert (issued.facts.groundedness_score, issued.facts.route) == ("0.3333", "retry")
    session.when(BeginNextRound())
    session.model(Agent.PLANNER, say.plan)
    session.answered().checked()
    session.verified()
    answer = session.when(CloseByTemplate())[-1].content.answer
    assert f"已确认信息：\n- {CLAIM}\n" in answer
    assert f"未能证实：{other}" in answer


# ---------------------------------------------------------------- what cannot go on


@pytest.mark.parametrize(
    ("kind", "attempts"),
    [
        (ErrorKind.AUTH, 1),
        (ErrorKind.BAD_REQUEST, 1),
        (ErrorKind.SERVER, 3),
        (ErrorKind.RATE_LIMITED, 3),
        (ErrorKind.NOT_A_COMPLETION, 3),
    ],
)
def test_a_model_that_stays_down_ends_the_session_with_the_reason(
    given: Any, say: Any, kind: ErrorKind, attempts: int
) -> None:
    """R7: a permanent failure at once, a transient one after every attempt."""
    session = given(SessionSettings(max_model_attempts=3)).opened()
    for _ in range(attempts - 1):
        assert topics(session.model(Agent.PLANNER, say.failure(kind))) == ["AgentStepRecorded"]
    _, end = session.model(Agent.PLANNER, say.failure(kind))
    assert isinstance(end, SessionFailed)
    assert end.facts.model_dump() == {"outcome": "DEGRADED", "stage": "planner", "reason_code": f"model_{kind}"}
    assert end.content.reason == "HTTP 500: broken"
    assert "HTTP" not in end.content.answer


def test_a_success_between_failures_starts_the_count_again(given: Any, say: Any) -> None:
    """R7: attempts of one call."""
    session = given(SessionSettings(max_model_attempts=2)).executing()
    session.model(Agent.EXECUTOR, say.failure())
    session.looked()
    assert topics(session.model(Agent.EXECUTOR, say.failure())) == ["AgentStepRecorded"]


def test_a_session_that_fails_in_round_2_still_tells_what_round_1_confirmed(given: Any, say: Any) -> None:
    """R7, R41."""
    session = given(SessionSettings(threshold="1.0")).executing()
    done = session.looked()
    weak = say.memory_claim(done.id, claim_id="claim-2", claim_text="order-service 内存持续吃紧")
    session.answered(say.memory_claim(done.id), weak).checked()
    session.verified(claim_1="direct_evidence", claim_2="no_evidence")
    session.when(BeginNextRound())
    _, end = session.model(Agent.PLANNER, say.failure(ErrorKind.AUTH))
    assert f"已确认信息：\n- {CLAIM}\n" in end.content.answer
    assert "模型服务拒绝了凭据" in end.content.answer


def test_a_step_that_keeps_failing_ends_the_session_and_no_secret_is_recorded(given: Any) -> None:
    """R7, R22."""
    session = given().executing()
    (end,) = session.when(FailSession("executor", "step_failed", "ValueError: password=hunter2"))
    assert (end.facts.stage, end.facts.reason_code, end.content.reason) == (
        "executor",
        "step_failed",
        "ValueError: password=[masked:password]",
    )
    assert "诊断步骤反复失败" in end.content.answer


@pytest.mark.parametrize("ended", [CloseByTemplate(), FailSession("executor", "step_failed", "")])
def test_an_ended_session_ends_only_once(given: Any, ended: Any) -> None:
    """R7."""
    session = given().concluding("contradicted")
    session.when(ended)
    assert session.when(FailSession("composer", "step_failed", "")) == ()
    assert session.when(CloseByTemplate()) == ()


def test_an_erased_session_ends_without_a_text_that_nobody_could_seal(given: Any) -> None:
    """R7, R62: the reason code remains."""
    session = given().executing().erased()
    (end,) = session.when(FailSession("executor", "erased", "会话内容已被擦除"))
    assert (end.facts.reason_code, end.content) == ("erased", Erased())


def test_the_rule_evaluation_is_recorded_whatever_the_verdict(given: Any) -> None:
    """R57."""
    scores = {
        verification: given().concluding(verification).when(CloseByTemplate())[1].facts.evidence_score
        for verification in ("indirect_support", "contradicted")
    }
    assert scores == {"indirect_support": 88, "contradicted": 70}


def test_a_huge_tool_output_and_answer_make_a_session_end_all_the_same(given: Any, say: Any) -> None:
    """R7: a megabyte of logs."""
    output = json.dumps(
        {"success": True, "logs": [{"message": f"line {n}" * 20} for n in range(6_000)], "total": 6_000}
    )
    session = given().executing()
    done = session.looked(output, "query_logs")
    assert len(done.output) > 800_000
    session.answered(say.memory_claim(done.id)).checked()
    session.when(FailSession("verifier", "step_failed", ""))
    assert session.due is None


def test_a_tool_that_returns_plain_text_proves_nothing_and_breaks_nothing(given: Any, say: Any) -> None:
    """R18: output that is no JSON has no refs; the status is kept."""
    details = RetrievalDetails(evidence_status=EvidenceStatus.NO_EVIDENCE)
    session = given().executing().asked_for(("query_logs", {}))
    done = session.tool(ToolOutcome(True, output="纯文本", details=details))
    assert (done.retrieval_details.evidence_refs, done.retrieval_details.evidence_status) == (None, "no_evidence")
    session.answered(say.memory_claim(done.id))
    (checked,) = session.checked()
    assert checked.facts.severity != "none"
