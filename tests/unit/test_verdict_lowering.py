"""Code only lowers what the model said: values, names, refs and the Executor's own answer (R36 to R38)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from domain.agents.verifier_io import VerifierAnswer
from domain.contracts import (
    CheckedBinding,
    CheckedFact,
    CheckState,
    Claim,
    ClaimType,
    EvidenceBinding,
    EvidenceLevel,
    EvidenceRef,
    EvidenceStatus,
    ExecutorOutput,
    FactClass,
    FactRef,
    GatekeeperResult,
    ParseState,
    ParseStatus,
    RetrievalDetails,
    Severity,
    ToolInvocation,
    TraceEntry,
    Verdict,
    VerifierEvaluation,
)
from domain.verdict.criticality import is_critical_fact
from domain.verdict.judgement import judge
from domain.verdict.lowering import sentences

NOW = datetime(2031, 3, 4, 7, 0, tzinfo=UTC)
ALERT = "KafkaLagHigh firing, service=fees-settle, partition=7, value=57342, duration=19m"
DIRECT, INDIRECT, UNPROVEN, CONTRADICTED = (
    FactClass.DIRECT,
    FactClass.INDIRECT,
    FactClass.NO_EVIDENCE,
    FactClass.CONTRADICTED,
)


def call(
    *items: str, id: int = 41, status: EvidenceStatus = EvidenceStatus.SUPPORTED, **changes: Any
) -> ToolInvocation:
    refs = tuple(EvidenceRef(raw_path=f"$.alerts[{index}]", text=text) for index, text in enumerate(items))
    fields = {"tool_name": "query_metrics", "success": True, "output": "\n".join(items), **changes}
    details = RetrievalDetails(evidence_status=status, evidence_refs=refs)
    return ToolInvocation(id=id, session_id="s", retrieval_details=details, **fields)


def trace(level: EvidenceLevel = EvidenceLevel.DIRECT) -> list[TraceEntry]:
    return [
        TraceEntry(trace_ref="trace-1", tool_name="query_metrics", evidence_level=level, source_invocation_ids=(41,))
    ]


def evaluated(
    *claims: str,
    item: str = ALERT,
    others: Sequence[CheckedFact] = (),
    claim_type: ClaimType = ClaimType.OBSERVATION,
    answer: str | None = None,
    **changes: Any,
) -> VerifierEvaluation:
    """A round whose claims all quote one item, and of which the model says that everything is direct."""
    binding = EvidenceBinding(tool_name="query_metrics", source_invocation_id=41, raw_path="$.alerts[0]")
    made = [
        Claim(claim_id=f"claim-{n}", claim_type=claim_type, claim_text=text, evidence_bindings=(binding,))
        for n, text in enumerate(claims, start=1)
    ]
    checked = tuple(
        CheckedBinding(claim_id=claim.claim_id, status=CheckState.PASS, matched_text=item, **binding.model_dump())
        for claim in made
    )
    facts = [
        CheckedFact(fact=claim.claim_text, is_critical=True, verification=DIRECT, claim_id=claim.claim_id)
        for claim in made
    ]
    inputs: dict[str, Any] = {
        "question": "现在怎么了？",
        "round": 1,
        "threshold": "0.5",
        "structured": ExecutorOutput(claims=tuple(made), user_facing_answer=answer),
        "parse_status": ParseStatus(status=ParseState.VALID, detail=""),
        "gatekeeper": GatekeeperResult(status=CheckState.PASS, severity=Severity.NONE, checked_bindings=checked),
        "trace": trace(),
        "reading": VerifierAnswer((*facts, *others), Verdict.PASS, Decimal(1), 1, ""),
        "invocations": [call(item)],
        "now": NOW,
    }
    return judge(**{**inputs, **changes}).evaluation


def classes(evaluation: VerifierEvaluation) -> list[FactClass]:
    return [fact.verification for fact in evaluation.facts_checked]


def rules(evaluation: VerifierEvaluation) -> list[str]:
    return [change.rule for change in evaluation.adjustments if change.rule != "verdict.recomputed"]


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize(
    ("claim", "item"),
    [
        (
            "payment-gate 当前存在 HighCPUUsage 告警（firing），CPU 使用率 92%，持续 25 分钟",
            "HighCPUUsage firing, service=payment-gate, current=92%, duration=25m",
        ),
        (
            "rates-api 当前存在 HighMemoryUsage 告警，内存使用率达到 91%，JVM 堆内存 3.8GB/4GB",
            "HighMemoryUsage firing, service=rates-api, current=91.0%, duration=15m; JVM heap usage 3.8GB/4GB",
        ),
        ("fees-settle 的第 7 分区积压 57342 条消息，已持续 19 分钟", ALERT),
        (
            "rates-api 存在 SlowResponse 告警，P99 为 4.2s，接口 /v1/rates 最慢 4200ms",
            "SlowResponse firing rates-api P99=4.2s, /v1/rates: 3600 / 3900 / 4200ms",
        ),
        (
            "rates-api 出现 HikariCP 连接池耗尽：HikariPool-1 请求超时 30000ms，active=50/50",
            "[ERROR][rates-api] HikariPool-1 - HikariCP request timed out after 30000ms, active=50/50",
        ),
    ],
)
def test_an_honest_claim_is_not_lowered(claim: str, item: str) -> None:
    """R37."""
    evaluation = evaluated(claim, item=item)
    assert (classes(evaluation), rules(evaluation), evaluation.verdict) == ([DIRECT], [], Verdict.PASS)


def test_a_number_of_no_item_takes_the_evidence_away() -> None:
    """R37."""
    evaluation = evaluated("fees-settle 积压 57432 条消息")
    assert (classes(evaluation), rules(evaluation)) == ([UNPROVEN], ["claim.value_unsupported"])
    assert "57432 条" in evaluation.adjustments[0].message


@pytest.mark.parametrize(
    "figure",
    [
        "九成五",
        "一半",
        "三刻钟",
        "上千次",
        "三十余次",
        "翻倍",
        "⅓",
        "玖拾玖%",
        "19GB",
        "7%",
        "7 小时",
        "ninety-nine percent",
    ],
)
def test_a_figure_in_words_or_in_another_unit_takes_the_evidence_away(figure: str) -> None:
    """R37: a verifier that calls everything direct cannot slip one in."""
    evaluation = evaluated(f"fees-settle 的指标为 {figure}")
    assert (classes(evaluation), rules(evaluation)) == ([UNPROVEN], ["claim.value_unsupported"])


def test_an_invented_code_contradicts_and_rejects() -> None:
    """R34, R37: a code in no tool output."""
    evaluation = evaluated("fees-settle 报错 ERR_LAG_42")
    assert (classes(evaluation), rules(evaluation)) == ([CONTRADICTED], ["claim.entity_invented"])
    assert evaluation.verdict is Verdict.REJECT


def test_any_other_unknown_name_takes_the_evidence_away() -> None:
    """R37."""
    evaluation = evaluated("fees-archive 消息积压")
    assert (classes(evaluation), rules(evaluation)) == ([UNPROVEN], ["claim.entity_unsupported"])


def test_the_question_excuses_a_code() -> None:
    """R37."""
    assert classes(evaluated("没有 ERR_LAG_42 的积压", question="ERR_LAG_42 是怎么回事？")) == [DIRECT]


def test_a_negative_claim_may_name_what_was_searched_for() -> None:
    """R20, R37: the code stands in the arguments of a call that found nothing."""
    empty = call(status=EvidenceStatus.NO_EVIDENCE, input_params={"query": "ERR_LAG_42"})
    item = 'query_metrics query="ERR_LAG_42" total=0'
    negative = ClaimType.NEGATIVE_OBSERVATION
    assert classes(evaluated("未检索到 ERR_LAG_42", item=item, claim_type=negative, invocations=[empty])) == [DIRECT]
    assert classes(evaluated("出现 ERR_LAG_42", item=item, invocations=[empty])) == [CONTRADICTED]


def test_name_rules_do_not_run_without_the_recorded_calls() -> None:
    """R37: `not_checked`."""
    evaluation = evaluated("fees-settle 报错 ERR_LAG_42", invocations=None)
    assert classes(evaluation) == [DIRECT]
    assert "claim.entity_invented" in evaluation.not_checked


def test_code_never_raises_a_class() -> None:
    """R36."""
    contradicted = CheckedFact(fact="fees-settle 积压", is_critical=True, verification=CONTRADICTED, claim_id="claim-1")
    reading = VerifierAnswer((contradicted,), Verdict.REJECT, Decimal(0), 1, "")
    assert classes(evaluated("fees-settle 积压", reading=reading)) == [CONTRADICTED]


def test_a_stale_claim_about_the_present_is_at_best_low_confid() -> None:
    """R9: `evidence.stale`, whatever else is proven."""
    old = ToolInvocation(
        id=41,
        session_id="s",
        tool_name="query_metrics",
        success=True,
        output=ALERT,
        retrieval_details=RetrievalDetails(window="2031-03-04T02:00:00Z/2031-03-04T03:00:00Z"),
    )
    evaluation = evaluated("fees-settle 当前消息积压", "fees-settle 曾经消息积压", invocations=[old])
    assert (classes(evaluation), rules(evaluation)) == ([INDIRECT, DIRECT], ["evidence.stale"])
    assert evaluation.verdict is Verdict.LOW_CONFID


# ---------------------------------------------------------------- facts outside the claims


def other(text: str, *refs: FactRef, critical: bool = True, verification: FactClass = DIRECT) -> CheckedFact:
    return CheckedFact(fact=text, is_critical=critical, verification=verification, evidence_refs=refs)


def test_a_fact_outside_the_claims_needs_a_ref_to_a_supported_call() -> None:
    """R36."""
    text = "日志显示消息积压"
    good = FactRef(trace_ref="trace-1", source_invocation_ids=(41,))
    assert classes(evaluated("消息积压", others=[other(text, good)])) == [DIRECT, DIRECT]
    for ref in (FactRef(trace_ref="trace-9"), FactRef(trace_ref="trace-1", source_invocation_ids=(99,)), FactRef()):
        evaluation = evaluated("消息积压", others=[other(text, ref)])
        assert (classes(evaluation), rules(evaluation)) == ([DIRECT, UNPROVEN], ["fact.no_supported_ref"])


def test_a_ref_to_a_failed_or_empty_call_supports_nothing() -> None:
    """R19, R36."""
    ref = FactRef(trace_ref="trace-1")
    for status in (EvidenceStatus.NO_EVIDENCE, EvidenceStatus.FAILED, EvidenceStatus.DEDUPLICATED):
        evaluation = evaluated(
            "消息积压", others=[other("日志显示消息积压", ref)], invocations=[call(ALERT, status=status)]
        )
        assert classes(evaluation) == [DIRECT, UNPROVEN]
    evaluation = evaluated(
        "消息积压", others=[other("日志显示消息积压", ref)], invocations=None, trace=trace(EvidenceLevel.NONE)
    )
    assert classes(evaluation) == [DIRECT, UNPROVEN]


def test_an_unknown_claim_id_makes_no_claim() -> None:
    """R36: such a fact stands by itself and needs a ref."""
    fact = other("日志显示消息积压").model_copy(update={"claim_id": "claim-77"})
    evaluation = evaluated("消息积压", others=[fact])
    assert classes(evaluation) == [DIRECT, UNPROVEN]
    assert evaluation.facts_checked[1].claim_id is None


def test_values_and_names_of_other_facts_are_guarded_too() -> None:
    """R37, R38."""
    ref = FactRef(trace_ref="trace-1")
    assert classes(evaluated("消息积压", others=[other("积压 57342 条", ref)])) == [DIRECT, DIRECT]
    assert classes(evaluated("消息积压", others=[other("积压 99 条", ref)])) == [DIRECT, UNPROVEN]
    assert classes(evaluated("消息积压", others=[other("出现 ERR_LAG_42", ref)])) == [DIRECT, CONTRADICTED]


@pytest.mark.parametrize(
    ("text", "said_by_model", "critical"),
    [
        ("根因是费率表过期", False, True),
        ("错误码表示超时", False, True),
        ("quote-api 返回异常", False, True),
        ("日志显示连接被拒绝", False, True),
        ("故障已修复", False, True),
        ("内存占用 91%", False, True),
        ("情况较为复杂", False, False),
        ("情况较为复杂", True, True),
        ("建议继续查看 quote-api 的日志", True, False),
        ("可能存在内存泄漏风险", True, False),
        ("建议处理，根因已确认", False, True),
    ],
)
def test_criticality_of_other_facts_is_set_by_kind(text: str, said_by_model: bool, critical: bool) -> None:
    """R36."""
    assert is_critical_fact(text, said_by_model=said_by_model) is critical


# ---------------------------------------------------------------- the Executor's own answer


def test_a_number_that_only_the_answer_holds_lowers_the_verdict() -> None:
    """R38."""
    evaluation = evaluated(
        "fees-settle 积压 57342 条", answer="结论如下：\n1. fees-settle 积压 57342 条。\n2. 内存占用 97%。"
    )
    assert [(fact.fact, fact.verification) for fact in evaluation.facts_checked[1:]] == [("内存占用 97%", UNPROVEN)]
    assert rules(evaluation) == ["answer.value_unsupported"]
    assert evaluation.verdict is Verdict.LOW_CONFID


def test_a_code_that_only_the_answer_holds_rejects() -> None:
    """R37, R38."""
    evaluation = evaluated("fees-settle 消息积压", answer="fees-settle 报错 ERR_LAG_42。")
    assert rules(evaluation) == ["answer.entity_invented"]
    assert evaluation.verdict is Verdict.REJECT


def test_advice_and_repetitions_in_the_answer_cost_nothing() -> None:
    """R38: list markers and guesses are no facts, and a claim's own slip is not counted twice."""
    answer = "1. fees-settle 积压 57342 条\n2. 建议查看最近 24 小时的 ERR_LAG_42 日志\n共 1 条结论，已持续 19 分钟"
    evaluation = evaluated("fees-settle 积压 57342 条", answer=answer)
    assert (classes(evaluation), evaluation.verdict) == ([DIRECT], Verdict.PASS)
    slipped = evaluated("fees-archive 积压", answer="fees-archive 积压")
    assert classes(slipped) == [UNPROVEN]


def test_list_markers_are_no_part_of_a_sentence() -> None:
    assert sentences("1. 积压\n（2）超时；- 1.5s 延迟") == ["积压", "超时", "1.5s 延迟"]


def test_a_natural_language_answer_is_guarded_where_nothing_parsed() -> None:
    """R14, R38: and the remains of a JSON object are not read as prose."""
    malformed = {"structured": None, "parse_status": ParseStatus(status=ParseState.MALFORMED, detail="")}
    prose = evaluated(executor_final_answer="fees-settle 报错 ERR_LAG_42", **malformed)
    assert prose.verdict is Verdict.REJECT
    remains = evaluated(executor_final_answer='{"claims": [{"claim_text": "ERR_LAG_42"', **malformed)
    assert remains.verdict is Verdict.LOW_CONFID


def test_a_sentence_that_the_answer_repeats_is_one_fact() -> None:
    """R38."""
    evaluation = evaluated("消息积压", answer="已确认连接数为 77。已确认连接数为 77。")
    assert [fact.fact for fact in evaluation.facts_checked] == ["消息积压", "已确认连接数为 77"]


def test_answer_rules_without_an_answer_are_named() -> None:
    """R38: neither a contract nor an answer in words."""
    judged = judge(
        question="消息有没有积压？",
        round=1,
        threshold="0.5",
        structured=None,
        parse_status=ParseStatus(status=ParseState.MISSING),
        gatekeeper=GatekeeperResult(status=CheckState.FAIL, severity=Severity.LOW_CONFID),
        trace=(),
        reading=VerifierAnswer((), Verdict.PASS, Decimal(1), 0, ""),
        invocations=(),
    )
    assert judged.evaluation.not_checked == (
        "answer.value_unsupported",
        "answer.entity_invented",
        "answer.entity_unsupported",
        "evidence.stale",
        "answer.term_uncovered",
        "answer.cause_unfound",
    )
