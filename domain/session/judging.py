"""The events of the gatekeeper's check, of the verdict, and of the round that may follow it (R23, R35, R40)."""

from __future__ import annotations

from collections.abc import Sequence

from domain.agents.executor_output import parse_executor_output
from domain.agents.verifier_io import VerifierReading
from domain.contracts import FactClass, GatekeeperResult, ParsedExecutorOutput
from domain.events import (
    AnyEvent,
    GatekeeperChecked,
    GatekeeperCheckedContent,
    GatekeeperCheckedFacts,
    RoundStarted,
    RoundStartedContent,
    RoundStartedFacts,
    VerdictIssued,
    VerdictIssuedContent,
    VerdictIssuedFacts,
)
from domain.gatekeeper.check import check_evidence
from domain.session.conversation import trace_of
from domain.session.state import CaseFile
from domain.session.steps import may_retry
from domain.settings import RULE_VERSION
from domain.verdict.judgement import judge
from domain.verdict.retry import retry_context_after


def gatekeeper_checked(file: CaseFile) -> GatekeeperChecked:
    parsed = file.round.parsed or parse_executor_output("", question=file.question)
    result = _checked(file, parsed)
    failing = [binding for binding in result.checked_bindings if binding.status == "fail"]
    facts = GatekeeperCheckedFacts(
        round=file.round.number,
        rule_version=RULE_VERSION,
        severity=result.severity,
        failed_rules=result.failed_rules,
        binding_count=len(result.checked_bindings),
        failed_binding_count=len(failing),
    )
    return GatekeeperChecked(facts=facts, content=GatekeeperCheckedContent(result=result))


def _checked(file: CaseFile, parsed: ParsedExecutorOutput) -> GatekeeperResult:
    return check_evidence(
        session_id=str(file.session_id),
        invocations=file.invocations,
        parsed=parsed,
        tool_classes=file.opened.settings.tool_classes,
    )


def verdict_issued(file: CaseFile, reading: VerifierReading | None) -> VerdictIssued:
    current, settings = file.round, file.opened.settings
    parsed = current.parsed or parse_executor_output("", question=file.question)
    judgement = judge(
        question=file.question,
        round=current.number,
        threshold=settings.threshold,
        structured=parsed.structured,
        parse_status=parsed.status,
        gatekeeper=current.gatekeeper or _checked(file, parsed),
        trace=trace_of(file),
        reading=reading,
        invocations=file.invocations,
        now=file.opened.now,
        window_minutes=settings.window_minutes,
        executor_final_answer=parsed.final_answer,
        tool_classes=settings.tool_classes,
        speech=file.speech,
        held=current.retry_context.verified_claims if current.retry_context else (),
    )
    evaluation = judgement.evaluation
    critical = [fact.verification for fact in evaluation.facts_checked if fact.is_critical]
    facts = VerdictIssuedFacts(
        round=current.number,
        rule_version=RULE_VERSION,
        verdict=evaluation.verdict,
        groundedness_score=evaluation.groundedness_score,
        critical_fact_count=evaluation.critical_fact_count,
        fact_classes={kind: critical.count(kind) for kind in FactClass},
        route=judgement.route,
        decided_by=evaluation.decided_by,
        reason=evaluation.reason,
        adjusted_rules=tuple(dict.fromkeys(adjustment.rule for adjustment in evaluation.adjustments)),
        traceability_version=evaluation.traceability_version,
    )
    return VerdictIssued(facts=facts, content=VerdictIssuedContent(evaluation=evaluation))


def next_round(file: CaseFile) -> Sequence[AnyEvent]:
    """The round that a verdict asks for, with what it is to mend (R40, R41)."""
    current = file.round
    if not may_retry(file) or current.evaluation is None:
        return ()
    context = retry_context_after(
        current.evaluation, gatekeeper=current.gatekeeper, invocations=file.invocations, speech=file.speech
    )
    facts = RoundStartedFacts(round=current.number + 1)
    return (RoundStarted(facts=facts, content=RoundStartedContent(retry_context=context)),)
