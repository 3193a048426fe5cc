"""The rule evaluation of a session: a score from recorded facts alone, beside the verdict (R57)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from domain.contracts import (
    CheckedBinding,
    CheckState,
    EvidenceStatus,
    Factor,
    GatekeeperResult,
    RuleEvaluation,
    Severity,
    ToolClass,
    ToolInvocation,
    VerifierEvaluation,
)

CALLS_ANSWERED = 25
LIVE_EVIDENCE = 15
BINDINGS_PASSED = 30
CLAIMS_PROVEN = 30
SEVERITY_POINTS = {Severity.NONE: 0, Severity.LOW_CONFID: -20, Severity.REJECT: -50}


def evaluate_by_rule(
    invocations: Sequence[ToolInvocation],
    gatekeeper: GatekeeperResult | None,
    evaluation: VerifierEvaluation | None,
    tool_classes: Mapping[str, ToolClass],
) -> RuleEvaluation:
    """`evidence_score` is the sum of these factors, held between 0 and 100; shares are rounded half even.

    calls_answered: 25 x evidence calls that worked (no hit included) / evidence calls, deduplicated ones left out.
    live_evidence: 15 if a passed binding quotes a live source.
    bindings_passed: 30 x passed bindings of claims / bindings of claims.
    claims_proven: 30 x groundedness score of the verdict.
    gatekeeper_severity: 0 for none, -20 for low_confid, -50 for reject.
    """
    factors = (
        _calls_answered(invocations, tool_classes),
        _live_evidence(gatekeeper, tool_classes),
        _bindings_passed(gatekeeper),
        _claims_proven(evaluation),
        _severity(gatekeeper),
    )
    total = sum(factor.points for factor in factors)
    return RuleEvaluation(evidence_score=max(0, min(100, total)), factors=factors)


def _calls_answered(invocations: Sequence[ToolInvocation], tool_classes: Mapping[str, ToolClass]) -> Factor:
    calls = [
        call
        for call in invocations
        if tool_classes.get(call.tool_name, ToolClass.HELPER) is not ToolClass.HELPER
        and call.retrieval_details.evidence_status is not EvidenceStatus.DEDUPLICATED
    ]
    answered = [call for call in calls if call.retrieval_details.evidence_status is not EvidenceStatus.FAILED]
    return _share("calls_answered", CALLS_ANSWERED, len(answered), len(calls))


def _live_evidence(gatekeeper: GatekeeperResult | None, tool_classes: Mapping[str, ToolClass]) -> Factor:
    passed = [b for b in _claim_bindings(gatekeeper) if b.status is CheckState.PASS]
    live = sum(tool_classes.get(binding.tool_name) is ToolClass.LIVE for binding in passed)
    return Factor(name="live_evidence", points=LIVE_EVIDENCE if live else 0, detail=f"{live} passed live bindings")


def _bindings_passed(gatekeeper: GatekeeperResult | None) -> Factor:
    bindings = _claim_bindings(gatekeeper)
    passed = sum(binding.status is CheckState.PASS for binding in bindings)
    return _share("bindings_passed", BINDINGS_PASSED, passed, len(bindings))


def _claim_bindings(gatekeeper: GatekeeperResult | None) -> list[CheckedBinding]:
    return [binding for binding in gatekeeper.checked_bindings if binding.claim_id] if gatekeeper else []


def _claims_proven(evaluation: VerifierEvaluation | None) -> Factor:
    score = Fraction(evaluation.groundedness_score) if evaluation else Fraction(0)
    return Factor(
        name="claims_proven",
        points=round(CLAIMS_PROVEN * score),
        detail=f"groundedness score {evaluation.groundedness_score if evaluation else 0}",
    )


def _severity(gatekeeper: GatekeeperResult | None) -> Factor:
    severity = gatekeeper.severity if gatekeeper else Severity.NONE
    return Factor(name="gatekeeper_severity", points=SEVERITY_POINTS[severity], detail=severity)


def _share(name: str, most: int, part: int, whole: int) -> Factor:
    points = round(Fraction(most * part, whole)) if whole else 0
    return Factor(name=name, points=points, detail=f"{part} of {whole}")
