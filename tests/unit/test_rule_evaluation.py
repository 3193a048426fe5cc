"""The rule evaluation: a documented formula over recorded facts (R57)."""

from __future__ import annotations

from domain.contracts import (
    TOOL_CLASSES,
    CheckedBinding,
    CheckState,
    EvidenceStatus,
    GatekeeperResult,
    RetrievalDetails,
    RuleEvaluation,
    Severity,
    ToolInvocation,
    Verdict,
    VerifierEvaluation,
)
from domain.verdict.rule_evaluation import evaluate_by_rule


def call(status: EvidenceStatus, tool_name: str = "query_logs") -> ToolInvocation:
    details = RetrievalDetails(evidence_status=status)
    return ToolInvocation(id=41, session_id="s", tool_name=tool_name, success=True, retrieval_details=details)


def gatekeeper(
    *states: CheckState, severity: Severity = Severity.NONE, tool_name: str = "query_logs"
) -> GatekeeperResult:
    bindings = tuple(CheckedBinding(claim_id="claim-1", tool_name=tool_name, status=state) for state in states)
    status = CheckState.PASS if severity is Severity.NONE else CheckState.FAIL
    return GatekeeperResult(status=status, severity=severity, checked_bindings=bindings)


def evaluation(score: str) -> VerifierEvaluation:
    return VerifierEvaluation(verdict=Verdict.LOW_CONFID, groundedness_score=score, critical_fact_count=1)


def points(evaluated: RuleEvaluation) -> dict[str, int]:
    return {factor.name: factor.points for factor in evaluated.factors}


PASS, FAIL = CheckState.PASS, CheckState.FAIL


def test_a_session_with_nothing_wrong_scores_a_hundred() -> None:
    """R57."""
    evaluated = evaluate_by_rule([call(EvidenceStatus.SUPPORTED)], gatekeeper(PASS), evaluation("1.0"), TOOL_CLASSES)
    assert (evaluated.evidence_score, evaluated.source) == (100, "rule")
    assert points(evaluated) == {
        "calls_answered": 25,
        "live_evidence": 15,
        "bindings_passed": 30,
        "claims_proven": 30,
        "gatekeeper_severity": 0,
    }


def test_each_factor_takes_its_share() -> None:
    """R57: a helper and a repeated call count for nothing, a failed one against."""
    calls = [
        call(EvidenceStatus.SUPPORTED),
        call(EvidenceStatus.NO_EVIDENCE),
        call(EvidenceStatus.FAILED),
        call(EvidenceStatus.DEDUPLICATED),
        call(EvidenceStatus.FAILED, "getCurrentDateTime"),
    ]
    checked = gatekeeper(PASS, FAIL, severity=Severity.LOW_CONFID, tool_name="lookup_knowledge")
    evaluated = evaluate_by_rule(calls, checked, evaluation("0.6667"), TOOL_CLASSES)
    assert points(evaluated) == {
        "calls_answered": 17,
        "live_evidence": 0,
        "bindings_passed": 15,
        "claims_proven": 20,
        "gatekeeper_severity": -20,
    }
    assert evaluated.evidence_score == 32


def test_the_score_stays_between_zero_and_a_hundred() -> None:
    """R57."""
    rejected = evaluate_by_rule([], gatekeeper(FAIL, severity=Severity.REJECT), evaluation("0.0"), TOOL_CLASSES)
    assert rejected.evidence_score == 0
    assert evaluate_by_rule([], None, None, TOOL_CLASSES).evidence_score == 0
