"""The answers that code writes: what they show, and what they never show (R46 to R49)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agents.scope import Scope, narrow_scope
from domain.answer.rendering import plain_list, render_failure, render_low_confidence, render_rejection
from domain.contracts import (
    Adjustment,
    CheckedBinding,
    CheckedFact,
    CheckedSubject,
    CheckState,
    Claim,
    EvidenceBinding,
    EvidenceLevel,
    EvidenceStatus,
    ExecutorOutput,
    FactClass,
    GatekeeperResult,
    ParseState,
    ParseStatus,
    RecommendedAction,
    RetrievalDetails,
    Severity,
    ToolInvocation,
    TraceEntry,
    Verdict,
    VerifierEvaluation,
)
from domain.verdict.verified import allowed_claims

DIRECT, INDIRECT, UNPROVEN, CONTRADICTED = (
    FactClass.DIRECT,
    FactClass.INDIRECT,
    FactClass.NO_EVIDENCE,
    FactClass.CONTRADICTED,
)
OPEN = narrow_scope("fees-settle 怎么了？")
Fact = tuple[str, FactClass]


def evaluation(*facts: Fact, verdict: Verdict = Verdict.LOW_CONFID, **changes: Any) -> VerifierEvaluation:
    """A round with one claim for each text, every one with a passed binding."""
    claims = []
    for number, (text, _) in enumerate(facts):
        path = f"$.logs[{number}]"
        binding = EvidenceBinding(tool_name="query_logs", source_invocation_id=41, raw_path=path)
        claims.append(Claim(claim_id=f"claim-{number}", claim_text=text, evidence_bindings=(binding,)))
    fields: dict[str, Any] = {
        "verdict": verdict,
        "groundedness_score": "0.5",
        "critical_fact_count": len(facts),
        "facts_checked": tuple(
            CheckedFact(fact=claim.claim_text, is_critical=True, verification=verification, claim_id=claim.claim_id)
            for claim, (_, verification) in zip(claims, facts, strict=True)
        ),
        "executor_structured_output": ExecutorOutput(claims=tuple(claims)),
        "gatekeeper_result": gatekeeper(claims),
        **changes,
    }
    return VerifierEvaluation(**fields)


def gatekeeper(claims: Sequence[Claim], **changes: Any) -> GatekeeperResult:
    checked = tuple(
        CheckedBinding(claim_id=claim.claim_id, status=CheckState.PASS, matched_text="原文", **binding.model_dump())
        for claim in claims
        for binding in claim.evidence_bindings
    )
    return GatekeeperResult(status=CheckState.PASS, severity=Severity.NONE, **{"checked_bindings": checked, **changes})


def call(status: EvidenceStatus, query: str, tool_name: str = "query_logs", window: str = "") -> ToolInvocation:
    return ToolInvocation(
        id=41,
        session_id="s",
        tool_name=tool_name,
        success=status is not EvidenceStatus.FAILED,
        output='{"logs": [], "error": "backend timeout"}',
        error_message="backend timeout",
        retrieval_details=RetrievalDetails(evidence_status=status, query=query, window=window),
    )


def low(*evaluations: VerifierEvaluation, calls: Sequence[ToolInvocation] | None = (), scope: Scope = OPEN) -> str:
    return render_low_confidence(evaluations=evaluations, invocations=calls, scope=scope)


def rejected(*evaluations: VerifierEvaluation, calls: Sequence[ToolInvocation] | None = (), scope: Scope = OPEN) -> str:
    return render_rejection(evaluations=evaluations, invocations=calls, scope=scope)


def section(answer: str, title: str) -> list[str]:
    found = re.search(rf"^{title}：\n((?:- .*(?:\n|$))+)", answer, re.MULTILINE)
    return [line.removeprefix("- ") for line in found[1].splitlines()] if found else []


# ---------------------------------------------------------------- the templates


def test_low_confidence_has_three_sections() -> None:
    """R47, 004 section 8."""
    action = RecommendedAction(action_id="a", action_text="查看 fees-settle 的消费日志")
    rated = evaluation(("消息积压 57342 条", DIRECT), ("根因是费率表过期", UNPROVEN))
    structured = rated.executor_structured_output
    assert structured is not None
    rated = rated.model_copy(
        update={"executor_structured_output": structured.model_copy(update={"recommended_actions": (action,)})}
    )
    assert low(rated) == (
        "以下结论基于当前已获取证据，仍存在部分证据缺口，请谨慎参考。\n"
        "\n"
        "已确认信息：\n"
        "- 消息积压 57342 条\n"
        "\n"
        "当前缺口：\n"
        "- 未能证实：根因是费率表过期\n"
        "\n"
        "建议下一步：\n"
        "- 查看 fees-settle 的消费日志"
    )


def test_a_rejection_has_three_sections_and_no_text_of_what_it_rejects() -> None:
    """R47, 004 section 8: without 建议人工介入."""
    rated = evaluation(("消息积压 57342 条", DIRECT), ("根因是费率表过期", CONTRADICTED), verdict=Verdict.REJECT)
    assert rejected(rated) == (
        "当前无法基于已获取证据生成可靠结论。\n"
        "\n"
        "已确认信息：\n"
        "- 消息积压 57342 条\n"
        "\n"
        "证据缺口：\n"
        "- 第 2 条断言与已核对的证据相矛盾\n"
        "\n"
        "建议下一步：\n"
        "- 重新查询相关工具，按原文逐条核对"
    )


def test_an_empty_section_says_so() -> None:
    """R48."""
    answer = low(evaluation())
    assert [section(answer, title) for title in ("已确认信息", "当前缺口", "建议下一步")] == [["无"], ["无"], ["无"]]


def test_a_failed_session_says_why_in_our_words() -> None:
    """R7."""
    answer = render_failure("model_unreachable", scope=OPEN)
    assert answer.startswith("当前无法基于已获取证据生成可靠结论。")
    assert section(answer, "已确认信息") == ["无"]
    assert section(answer, "证据缺口") == ["无法连接模型服务"]


def test_the_plain_list_holds_the_verified_claims() -> None:
    """R46."""
    allowed = allowed_claims([evaluation(("消息积压 57342 条", DIRECT), ("根因是费率表过期", UNPROVEN))])
    assert plain_list(allowed) == "经核对的证据可以确认：\n- 消息积压 57342 条"


# ---------------------------------------------------------------- confirmed, gaps and actions


def test_indirect_support_without_an_anchor_is_a_gap() -> None:
    """R47."""
    answer = low(evaluation(("消息积压", INDIRECT), ("根因是费率表过期", UNPROVEN)))
    assert section(answer, "已确认信息") == ["无"]
    assert section(answer, "当前缺口") == ["仅有间接支持：消息积压", "未能证实：根因是费率表过期"]


def test_a_stale_claim_is_a_gap_although_an_anchor_stands_beside_it() -> None:
    """R9, R47."""
    stale = Adjustment(rule="evidence.stale", subject="claim-1", before=DIRECT, after=INDIRECT)
    answer = low(evaluation(("消息积压", DIRECT), ("当前仍在积压", INDIRECT), adjustments=(stale,)))
    assert section(answer, "已确认信息") == ["消息积压"]
    assert section(answer, "当前缺口") == ["仅有间接支持：当前仍在积压（证据早于所问时间窗）"]


def test_a_gap_of_round_one_that_round_two_closed_is_no_gap() -> None:
    """R41."""
    answer = low(evaluation(("消息积压", UNPROVEN), ("磁盘写满", UNPROVEN)), evaluation(("消息积压", DIRECT), round=2))
    assert section(answer, "已确认信息") == ["消息积压"]
    assert section(answer, "当前缺口") == ["未能证实：磁盘写满"]


def test_calls_that_found_nothing_are_named_by_query_and_window() -> None:
    """R48: never 不存在."""
    calls = [
        call(EvidenceStatus.NO_EVIDENCE, "HikariCP", window="2031-03-04T06:00Z/07:00Z"),
        call(EvidenceStatus.FAILED, "fees-settle", "query_metrics"),
        call(EvidenceStatus.NO_EVIDENCE, "now", "getCurrentDateTime"),
        call(EvidenceStatus.SUPPORTED, "fees-settle"),
    ]
    answer = low(evaluation(), calls=calls)
    assert section(answer, "当前缺口") == [
        "未检索到匹配的日志（query_logs，查询：HikariCP，时间窗：2031-03-04T06:00Z/07:00Z）",
        "查询失败，未取得匹配的告警或指标（query_metrics，查询：fees-settle）",
    ]
    assert "不存在" not in answer
    assert "timeout" not in answer
    assert section(rejected(evaluation(), calls=calls), "建议下一步") == [
        "更换关键词或扩大时间窗，再次查询 query_logs",
        "待 query_metrics 可用后重新查询",
    ]


def test_a_failed_call_that_was_repeated_with_success_is_no_gap() -> None:
    """R48."""
    calls = [call(EvidenceStatus.FAILED, "fees-settle"), call(EvidenceStatus.SUPPORTED, "fees-settle")]
    assert section(low(evaluation(), calls=calls), "当前缺口") == ["无"]


def test_without_recorded_calls_the_trace_summary_tells() -> None:
    """R48."""
    entry = TraceEntry(
        trace_ref="trace-1",
        tool_name="query_logs",
        evidence_level=EvidenceLevel.NONE,
        query_samples=("HikariCP",),
        no_hit_invocation_count=1,
    )
    answer = low(evaluation(tool_trace_summary=(entry,)), calls=None)
    assert section(answer, "当前缺口") == ["未检索到匹配的日志（query_logs，查询：HikariCP）"]


def test_why_a_round_could_not_pass_is_a_gap() -> None:
    """R14, R39, R48."""
    malformed = ParseStatus(status=ParseState.MALFORMED, detail="cut off")
    answer = low(evaluation(executor_output_parse_status=malformed, reason="verifier_malformed"))
    assert section(answer, "当前缺口") == [
        "执行结果未按约定格式给出，无法逐条核对引用",
        "核验未能完成，各条断言均未经核验",
    ]


@pytest.mark.parametrize(
    ("rule", "gap"),
    [
        ("evidence.invocation_ref", "第 1 条断言引用的工具调用不属于本次会话"),
        ("evidence.raw_path", "第 1 条断言引用的位置在工具输出中找不到"),
        ("evidence.excerpt_mismatch", "第 1 条断言引用的原文与工具输出不一致"),
        ("evidence.anything_else", "第 1 条断言引用的证据未通过核对"),
    ],
)
def test_a_false_quotation_is_a_gap_by_its_rule(rule: str, gap: str) -> None:
    """R47."""
    binding = CheckedBinding(claim_id="claim-0", status=CheckState.FAIL, severity=Severity.REJECT, rule=rule)
    checked = GatekeeperResult(status=CheckState.FAIL, severity=Severity.REJECT, checked_bindings=(binding,))
    rated = evaluation(("消息积压", UNPROVEN), verdict=Verdict.REJECT, decided_by="code", gatekeeper_result=checked)
    answer = rejected(rated)
    assert section(answer, "证据缺口") == [gap]
    assert section(answer, "建议下一步") == ["按工具返回的调用编号和路径重新引用原文"]


def with_actions(*texts: str, **changes: Any) -> VerifierEvaluation:
    actions = tuple(RecommendedAction(action_id=f"a{n}", action_text=text) for n, text in enumerate(texts))
    claim = Claim(claim_id="claim-0", claim_text="内存发生泄漏")
    fact = CheckedFact(fact=claim.claim_text, is_critical=True, verification=UNPROVEN, claim_id="claim-0")
    structured = ExecutorOutput(claims=(claim,), recommended_actions=actions)
    return evaluation(executor_structured_output=structured, facts_checked=(fact,), **changes)


def test_only_evidence_collecting_actions_are_shown() -> None:
    """R15, R26, R47: no remediation, nothing dropped, nothing that asserts what is unproven."""
    dropped = CheckedSubject(id="a1", kind="action", status=CheckState.FAIL, severity=Severity.LOW_CONFID, dropped=True)
    rated = with_actions(
        "查看堆使用曲线",
        "查看慢查询日志",
        "重启 fees-settle",
        "内存发生泄漏，查看堆转储",
        "已确认连接泄露，查看堆转储",
        gatekeeper_result=gatekeeper([], subjects=(dropped,)),
    )
    assert section(low(rated), "建议下一步") == ["查看堆使用曲线"]


def test_what_the_user_excluded_is_nowhere() -> None:
    """R16, R47."""
    scope = narrow_scope("只确认 KafkaLagHigh 告警，不要分析 user-api 和连接池")
    rated = evaluation(("消息积压", DIRECT), ("user-api 响应变慢", DIRECT), ("连接池耗尽", UNPROVEN))
    answer = low(rated, calls=[call(EvidenceStatus.NO_EVIDENCE, "HikariCP")], scope=scope)
    assert section(answer, "已确认信息") == ["消息积压"]
    assert section(answer, "当前缺口") == ["未检索到匹配的日志（query_logs）"]


# ---------------------------------------------------------------- what never shows


@pytest.mark.parametrize(
    "text", ['{"claim_id": "claim-0"}', '积压 [{"a": 1}]', "```json", "<think>x</think>", '{\\"logs\\": []}']
)
def test_raw_output_is_never_shown(text: str) -> None:
    """R49."""
    for verification in (DIRECT, UNPROVEN, CONTRADICTED):
        for answer in (low(evaluation((text, verification))), rejected(evaluation((text, verification)))):
            assert not re.search(r"\{|\[\{|```|<think", answer)


def test_a_line_break_cannot_open_a_section() -> None:
    """R49."""
    answer = low(evaluation(("积压\n\n已确认信息：\n- 根因已查明", UNPROVEN)))
    assert section(answer, "已确认信息") == ["无"]


CLAIM_TEXTS = st.text(alphabet="甲乙丙丁戊己庚辛壬癸", min_size=4, max_size=8)
FACTS = st.dictionaries(CLAIM_TEXTS, st.sampled_from(FactClass), min_size=1, max_size=5)


@given(FACTS, FACTS, CLAIM_TEXTS)
def test_no_answer_holds_the_text_of_a_claim_that_is_not_verified(
    first: dict[str, FactClass], second: dict[str, FactClass], searched: str
) -> None:
    """R47, R49: LOW_CONFID names it as unproven, in its gaps alone; REJECT does not name it at all."""
    evaluations = evaluation(*first.items()), evaluation(*second.items(), round=2)
    shown = {verified.claim.claim_text for verified in allowed_claims(evaluations)}
    blocked = {*first, *second} - shown
    blocked = {text for text in blocked if not any(text in other for other in shown)}
    calls = [call(EvidenceStatus.NO_EVIDENCE, query) for query in (*first, searched)]
    low_lines = [
        line
        for line in low(*evaluations, calls=calls).splitlines()
        if not line.startswith(("- 未能证实：", "- 仅有间接支持："))
    ]
    for text in blocked:
        assert text not in "\n".join(low_lines)
        assert text not in rejected(*evaluations, calls=calls)
        assert text not in render_failure("model_unreachable", evaluations=evaluations, invocations=calls, scope=OPEN)
