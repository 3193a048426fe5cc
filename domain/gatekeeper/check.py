"""The gatekeeper: is each quotation real? Code only; whether a claim follows is not its business (R23 to R30)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from domain.contracts import (
    CheckedBinding,
    CheckedSubject,
    CheckState,
    Claim,
    ClaimType,
    EvidenceBinding,
    Finding,
    GatekeeperResult,
    ParsedExecutorOutput,
    ParseState,
    RecommendedAction,
    Severity,
    ToolClass,
    ToolInvocation,
)
from domain.gatekeeper.absence import is_summary_path
from domain.gatekeeper.citations import ABSENCE, AUTO_BACKFILL, Evidence, Ruling, backfilled, rule_on

NO_BINDINGS = "evidence.no_bindings"
SOURCE_CLASS = "evidence.source_class"
NO_CLAIMS = "evidence.no_claims"
OUTPUT_MALFORMED = "executor.output_malformed"
OUTPUT_MISSING = "executor.output_missing"

_RANK = {Severity.NONE: 0, Severity.LOW_CONFID: 1, Severity.REJECT: 2}


def check_evidence(
    *,
    session_id: str,
    invocations: Sequence[ToolInvocation],
    parsed: ParsedExecutorOutput,
    tool_classes: Mapping[str, ToolClass],
) -> GatekeeperResult:
    """Check every binding of the Executor's output against the recorded calls of all rounds of the session.

    Output that is malformed or missing (R14), or without a claim, proves nothing: `low_confid`.
    """
    if parsed.status.status is not ParseState.VALID or parsed.structured is None:
        rule = OUTPUT_MISSING if parsed.status.status is ParseState.MISSING else OUTPUT_MALFORMED
        return _result([_nothing_proven(rule, parsed.status.detail)])
    evidence = Evidence(session_id, invocations, tool_classes)
    claims = [_check_claim(claim, evidence) for claim in parsed.structured.claims]
    actions = [_check_action(action, evidence) for action in parsed.structured.recommended_actions]
    if not claims:
        return _result([_nothing_proven(NO_CLAIMS, "the output holds no claim"), *actions])
    return _result([*claims, *actions])


@dataclass(frozen=True, slots=True)
class _Checked:
    """What one subject contributes to the result; `severity` is what it caps the result at."""

    severity: Severity
    subject: CheckedSubject | None = None
    bindings: tuple[CheckedBinding, ...] = ()
    errors: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()


def _nothing_proven(rule: str, message: str) -> _Checked:
    return _Checked(Severity.LOW_CONFID, errors=(Finding(rule=rule, message=message),))


def _result(checks: Sequence[_Checked]) -> GatekeeperResult:
    """`reject` if any binding anywhere is, `low_confid` if any critical claim is, `none` otherwise (R27)."""
    severity = _worst(check.severity for check in checks)
    errors = [finding for check in checks for finding in check.errors]
    return GatekeeperResult(
        status=_state(severity),
        severity=severity,
        checked_bindings=tuple(binding for check in checks for binding in check.bindings),
        subjects=tuple(check.subject for check in checks if check.subject),
        failed_rules=tuple(dict.fromkeys(finding.rule for finding in errors)),
        warnings=tuple(finding for check in checks for finding in check.warnings),
        errors=tuple(errors),
    )


# ---------------------------------------------------------------- claims and actions


def _check_claim(claim: Claim, evidence: Evidence) -> _Checked:
    """A claim needs one passed binding, none rejected, and a live one, or for documentation a document (R26)."""
    bindings, backfills = _check_bindings(claim.evidence_bindings, evidence, claim=claim)
    rejected = [binding for binding in bindings if binding.severity is Severity.REJECT]
    weak = [binding for binding in bindings if binding.severity is Severity.LOW_CONFID]
    gap = _gap(claim, bindings, evidence)
    errors = _findings(rejected, claim.claim_id)
    remarks = (*_findings(weak, claim.claim_id), *([gap] if gap else []))
    severity = Severity.REJECT if rejected else Severity.LOW_CONFID if gap or _all_failed(bindings) else Severity.NONE
    caps = severity is Severity.LOW_CONFID and claim.is_critical
    if caps:
        errors, remarks = remarks, ()
    subject = CheckedSubject(
        id=claim.claim_id,
        kind="claim",
        status=_state(severity),
        severity=severity,
        rules=tuple(dict.fromkeys(finding.rule for finding in (*errors, *remarks))),
    )
    capping = severity if rejected or caps else Severity.NONE
    return _Checked(capping, subject, bindings, errors, (*backfills, *remarks))


def _gap(claim: Claim, bindings: Sequence[CheckedBinding], evidence: Evidence) -> Finding | None:
    """What a claim lacks although nothing it cites is wrong."""
    if not bindings:
        return Finding(rule=NO_BINDINGS, message="the claim cites no evidence", subject=claim.claim_id)
    passed = [binding for binding in bindings if binding.status is CheckState.PASS]
    if passed and claim.claim_type is ClaimType.NEGATIVE_OBSERVATION and not any(map(_cites_summary, passed)):
        message = "an absence is proven by the summary of a complete answer, not by an item that is there"
        return Finding(rule=ABSENCE, message=message, subject=claim.claim_id)
    wanted = ToolClass.REFERENCE if claim.claim_type is ClaimType.DOCUMENTATION else ToolClass.LIVE
    if not passed or any(evidence.class_of(binding.tool_name) is wanted for binding in passed):
        return None
    message = (
        "only live sources are cited: they are no documentation"
        if wanted is ToolClass.REFERENCE
        else "only reference sources are cited: they cannot prove what is happening now"
    )
    return Finding(rule=SOURCE_CLASS, message=message, subject=claim.claim_id)


def _cites_summary(binding: CheckedBinding) -> bool:
    return is_summary_path(binding.raw_path or "")


def _check_action(action: RecommendedAction, evidence: Evidence) -> _Checked:
    """An action with a bad binding is dropped with a warning; a rejected binding is an error as anywhere (R26)."""
    bindings, backfills = _check_bindings(action.evidence_bindings, evidence, action=action)
    rejected = [binding for binding in bindings if binding.severity is Severity.REJECT]
    weak = [binding for binding in bindings if binding.severity is Severity.LOW_CONFID]
    severity = _worst(binding.severity for binding in bindings)
    errors = _findings(rejected, action.action_id)
    warnings = _findings(weak, action.action_id, "the action is dropped: ")
    subject = CheckedSubject(
        id=action.action_id,
        kind="action",
        status=_state(severity),
        severity=severity,
        rules=tuple(dict.fromkeys(finding.rule for finding in (*errors, *warnings))),
        dropped=severity is not Severity.NONE,
    )
    capping = Severity.REJECT if rejected else Severity.NONE
    return _Checked(capping, subject, bindings, errors, (*backfills, *warnings))


# ---------------------------------------------------------------- bindings


def _check_bindings(
    cited: Sequence[EvidenceBinding],
    evidence: Evidence,
    *,
    claim: Claim | None = None,
    action: RecommendedAction | None = None,
) -> tuple[tuple[CheckedBinding, ...], tuple[Finding, ...]]:
    """The bindings of one subject as checked, and a warning for each id that was filled in (R28)."""
    subject = claim.claim_id if claim else action.action_id if action else ""
    checked, backfills = [], []
    for index, binding in enumerate(cited):
        full = backfilled(binding, evidence)
        ruling = rule_on(full, claim, evidence)
        if full is not binding:
            message = (
                f"source_invocation_id {full.source_invocation_id} was filled in: the only call of {full.tool_name}"
            )
            backfills.append(Finding(rule=AUTO_BACKFILL, message=message, subject=subject))
            if ruling.rule is None:
                ruling = Ruling(Severity.LOW_CONFID, AUTO_BACKFILL, message, ruling.match)
        checked.append(_checked(full, ruling, index, claim, action))
    return tuple(checked), tuple(backfills)


def _checked(
    binding: EvidenceBinding, ruling: Ruling, index: int, claim: Claim | None, action: RecommendedAction | None
) -> CheckedBinding:
    match = ruling.match
    return CheckedBinding(
        **binding.model_dump(),
        claim_id=claim.claim_id if claim else None,
        action_id=action.action_id if action else None,
        index=index,
        status=_state(ruling.severity),
        severity=ruling.severity,
        rule=ruling.rule,
        message=ruling.message,
        match_kind=match.kind if match else None,
        case_folded=match.case_folded if match else False,
        matched_text=match.matched_text if match else None,
        nearest_text=match.nearest_text if match else None,
        first_difference=match.first_difference if match else None,
    )


def _findings(bindings: Sequence[CheckedBinding], subject: str, prefix: str = "") -> tuple[Finding, ...]:
    return tuple(
        Finding(rule=binding.rule, message=prefix + binding.message, subject=subject)
        for binding in bindings
        if binding.rule
    )


def _all_failed(bindings: Sequence[CheckedBinding]) -> bool:
    return all(binding.status is CheckState.FAIL for binding in bindings)


def _worst(severities: Iterable[Severity]) -> Severity:
    return max(severities, key=_RANK.__getitem__, default=Severity.NONE)


def _state(severity: Severity) -> CheckState:
    return CheckState.PASS if severity is Severity.NONE else CheckState.FAIL
