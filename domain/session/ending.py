"""How a session ends: with the Composer's answer, by template, or because it cannot go on (R7, R46, R47)."""

from __future__ import annotations

from collections.abc import Sequence

from domain.agents.scope import narrow_scope
from domain.answer.answer import answer_after
from domain.answer.links import without_links
from domain.answer.rendering import render_failure
from domain.contracts import ComposerOutput, Outcome, Route, Verdict
from domain.events import (
    ERASED,
    AnswerComposed,
    AnswerComposedContent,
    AnswerComposedFacts,
    AnyEvent,
    RuleEvaluated,
    RuleEvaluatedContent,
    RuleEvaluatedFacts,
    SessionCompleted,
    SessionCompletedContent,
    SessionCompletedFacts,
    SessionFailed,
    SessionFailedContent,
    SessionFailedFacts,
)
from domain.session.conversation import evaluations_of
from domain.session.state import CaseFile
from domain.verdict.routing import OUTCOMES
from domain.verdict.rule_evaluation import evaluate_by_rule

STEP_FAILED = "step_failed"
"""Reason code of a session that a worker gave up; all but these follow from what is recorded."""
WORKER_LOST = "worker_lost"
"""Reason code of a session one of whose steps took its worker down, or stood still, each time (R72)."""
STEP_LIMIT = "step_limit"
"""Reason code of a session whose texts are too large, or take too long, for one of its steps (R72)."""
GIVEN_UP = (STEP_FAILED, WORKER_LOST, STEP_LIMIT)


def completed(file: CaseFile, composition: str | None = None) -> Sequence[AnyEvent]:
    """The answer the verdict allows. `composition`: the Composer's raw text, None where none was asked or given."""
    route = file.round.route
    if route is None or route is Route.RETRY:  # no round behind the last (R40)
        route = Route.DISCLAIMER
    composed = answer_after(
        route,
        question=file.question,
        evaluations=evaluations_of(file),
        invocations=file.invocations,
        composition=composition,
        tool_classes=file.opened.settings.tool_classes,
        speech=file.speech,
    )
    return _completed(file, OUTCOMES[route], composed)


def failed(file: CaseFile, stage: str, reason_code: str, reason: str) -> Sequence[AnyEvent]:
    """The session ends DEGRADED; the reason is recorded, the user sees a sentence of ours (R7, R49).

    Once its content is erased there is no key to seal a text with: the reason code alone is recorded (R62).
    """
    facts = SessionFailedFacts(stage=stage, reason_code=reason_code)
    if file.erased:
        return (SessionFailed(facts=facts, content=ERASED),)
    answer = without_links(
        render_failure(
            reason_code,
            evaluations=evaluations_of(file),
            invocations=file.invocations,
            scope=narrow_scope(file.question),
            tool_classes=file.opened.settings.tool_classes,
            speech=file.speech,
        )
    )
    return (SessionFailed(facts=facts, content=SessionFailedContent(reason=file.masked(reason), answer=answer)),)


def _completed(file: CaseFile, outcome: Outcome, composed: ComposerOutput) -> Sequence[AnyEvent]:
    evaluation = file.round.evaluation
    answer = AnswerComposed(
        facts=AnswerComposedFacts(status=composed.status, outcome=outcome, sentence_count=len(composed.sentences)),
        content=AnswerComposedContent(answer=composed.answer, sentences=composed.sentences, reason=composed.reason),
    )
    end = SessionCompleted(
        facts=SessionCompletedFacts(
            outcome=outcome,
            verdict=evaluation.verdict if evaluation else Verdict.LOW_CONFID,
            groundedness_score=evaluation.groundedness_score if evaluation else "0.0",
            rounds=file.round.number,
        ),
        content=SessionCompletedContent(answer=composed.answer),
    )
    return answer, _rule_evaluated(file), end


def _rule_evaluated(file: CaseFile) -> RuleEvaluated:
    """R57: computed from recorded facts alone, whatever the verdict."""
    current = file.round
    evaluated = evaluate_by_rule(
        file.invocations, current.gatekeeper, current.evaluation, file.opened.settings.tool_classes
    )
    points = {factor.name: factor.points for factor in evaluated.factors}
    return RuleEvaluated(
        facts=RuleEvaluatedFacts(evidence_score=evaluated.evidence_score, factor_points=points),
        content=RuleEvaluatedContent(factors=evaluated.factors),
    )
