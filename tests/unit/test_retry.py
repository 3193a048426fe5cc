"""What round 2 is told of round 1 (R29, R41)."""

from __future__ import annotations

from domain.contracts import (
    CheckedBinding,
    CheckedFact,
    CheckedSubject,
    CheckState,
    Claim,
    EvidenceBinding,
    EvidenceRef,
    ExecutorOutput,
    FactClass,
    GatekeeperResult,
    RetrievalDetails,
    Severity,
    ToolInvocation,
    Verdict,
    VerifierEvaluation,
)
from domain.verdict.retry import retry_context_after

DIRECT, INDIRECT, UNPROVEN = FactClass.DIRECT, FactClass.INDIRECT, FactClass.NO_EVIDENCE


def binding(path: str) -> EvidenceBinding:
    return EvidenceBinding(tool_name="query_logs", source_invocation_id=41, raw_path=path, evidence_excerpt="摘录")


def checked(claim_id: str, path: str, **changes: object) -> CheckedBinding:
    fields = {"status": CheckState.PASS, "matched_text": f"{path} 的原文", **changes}
    return CheckedBinding(claim_id=claim_id, **binding(path).model_dump(), **fields)


def evaluation(*classes: FactClass, gatekeeper: GatekeeperResult) -> VerifierEvaluation:
    claims = [
        Claim(claim_id=f"claim-{n}", claim_text=f"断言{n}", evidence_bindings=(binding(f"$.logs[{n}]"),))
        for n in range(len(classes))
    ]
    facts = [
        CheckedFact(fact=claim.claim_text, is_critical=True, verification=verification, claim_id=claim.claim_id)
        for claim, verification in zip(claims, classes, strict=True)
    ]
    return VerifierEvaluation(
        verdict=Verdict.LOW_CONFID,
        groundedness_score="0.3333",
        critical_fact_count=len(classes),
        facts_checked=tuple(facts),
        executor_structured_output=ExecutorOutput(claims=tuple(claims)),
        gatekeeper_result=gatekeeper,
    )


def passing(*bindings: CheckedBinding) -> GatekeeperResult:
    return GatekeeperResult(status=CheckState.PASS, severity=Severity.NONE, checked_bindings=bindings)


def test_unproven_facts_are_the_gaps_and_proven_ones_the_ledger() -> None:
    """R41."""
    gatekeeper = passing(checked("claim-0", "$.logs[0]"), checked("claim-1", "$.logs[1]"))
    context = retry_context_after(
        evaluation(DIRECT, UNPROVEN, gatekeeper=gatekeeper), gatekeeper=gatekeeper, invocations=None
    )
    assert context.round == 1
    assert context.missing_evidence_facts == ("“断言1”缺少直接证据",)
    assert "仅补充以上断言相关证据，不要重复已完成检索" in context.instruction
    [verified] = context.verified_claims
    assert verified.claim.claim_text == "断言0"
    assert [(ref.source_invocation_id, ref.raw_path, ref.evidence_excerpt) for ref in verified.refs] == [
        (41, "$.logs[0]", "$.logs[0] 的原文")
    ]


def test_refs_of_unproven_claims_are_held_whole() -> None:
    """R41: the refs already held, with id, path and text."""
    gatekeeper = passing(checked("claim-0", "$.logs[0]"), checked("claim-1", "$.logs[1]"))
    refs = (EvidenceRef(raw_path="$.logs[1]", text="整条原文"),)
    call = ToolInvocation(
        id=41,
        session_id="s",
        tool_name="query_logs",
        success=True,
        retrieval_details=RetrievalDetails(evidence_refs=refs),
    )
    context = retry_context_after(
        evaluation(DIRECT, UNPROVEN, gatekeeper=gatekeeper), gatekeeper=gatekeeper, invocations=[call]
    )
    assert [(ref.raw_path, ref.evidence_excerpt) for ref in context.held_refs] == [("$.logs[1]", "整条原文")]


def test_indirect_support_is_a_gap_only_without_an_anchor() -> None:
    """R41."""
    gatekeeper = passing(checked("claim-0", "$.logs[0]"), checked("claim-1", "$.logs[1]"))
    alone = evaluation(INDIRECT, UNPROVEN, gatekeeper=gatekeeper)
    beside = evaluation(DIRECT, INDIRECT, gatekeeper=gatekeeper)
    assert retry_context_after(alone, gatekeeper=gatekeeper, invocations=None).missing_evidence_facts == (
        "“断言0”只有间接支持",
        "“断言1”缺少直接证据",
    )
    assert retry_context_after(beside, gatekeeper=gatekeeper, invocations=None).missing_evidence_facts == ()


def test_the_gatekeepers_findings_go_along() -> None:
    """R29: slips of form are mended in round 2."""
    weak = checked(
        "claim-0", "$.logs[0]", status=CheckState.FAIL, rule="evidence.excerpt_near_miss", message="a word is left out"
    )
    unbound = CheckedSubject(
        id="claim-1",
        kind="claim",
        status=CheckState.FAIL,
        severity=Severity.LOW_CONFID,
        rules=("evidence.no_bindings",),
    )
    gatekeeper = GatekeeperResult(
        status=CheckState.FAIL, severity=Severity.LOW_CONFID, checked_bindings=(weak,), subjects=(unbound,)
    )
    gaps = retry_context_after(
        evaluation(UNPROVEN, UNPROVEN, gatekeeper=gatekeeper), gatekeeper=gatekeeper, invocations=None
    ).missing_evidence_facts
    assert gaps[2:] == (
        "断言 claim-0 的引用 query_logs #41 $.logs[0] 未通过核对（evidence.excerpt_near_miss）：a word is left out",
        "断言 claim-1 没有可核对的证据引用（evidence.no_bindings）",
    )
