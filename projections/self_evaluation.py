"""`self_evaluation`: what rules and the Verifier thought of a session, each in a slot of its own (R54; 000).

An event writes one slot and leaves the other as it is, whichever comes first.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, assert_never

from domain.contracts import RuleEvaluation
from domain.events import (
    AgentStepRecorded,
    AnswerComposed,
    Erased,
    ExecutorAnswered,
    FeedbackGiven,
    GatekeeperChecked,
    PlanProduced,
    Recorded,
    RoundStarted,
    RuleEvaluated,
    SessionCancelled,
    SessionCompleted,
    SessionErased,
    SessionFailed,
    SessionOpened,
    StepRepeated,
    ToolCallStarted,
    ToolInvoked,
    VerdictIssued,
    VerdictOverridden,
)
from projections.read_model import CannotApply, Key, ReadModel, Row

Slot = dict[str, Any]

ROUND_FIELDS = (
    "round",
    "verdict",
    "groundedness_score",
    "critical_fact_count",
    "facts_checked",
    "rationale",
    "reason",
    "decided_by",
)


def rule_slot(event: RuleEvaluated) -> Slot | None:
    """`rule_evaluation` (R57), or None once erased."""
    if isinstance(event.content, Erased):
        return None
    evaluation = RuleEvaluation(evidence_score=event.facts.evidence_score, factors=event.content.factors)
    return evaluation.model_dump(mode="json")


def verifier_slot(before: Slot | None, event: VerdictIssued) -> Slot | None:
    """`verifier_evaluation`: the last round in full, under `rounds` the facts of every round; None once erased."""
    if isinstance(event.content, Erased):
        return None
    evaluation = event.content.evaluation.model_dump(mode="json")
    earlier = before["rounds"] if before else []
    return {**evaluation, "rounds": [*earlier, {name: evaluation[name] for name in ROUND_FIELDS}]}


def _key_of(recorded: Recorded) -> Key | None:
    match recorded.event:
        case RuleEvaluated() | VerdictIssued():
            return (recorded.session_id,)
        case (
            SessionOpened()
            | RoundStarted()
            | AgentStepRecorded()
            | PlanProduced()
            | ToolCallStarted()
            | ToolInvoked()
            | ExecutorAnswered()
            | GatekeeperChecked()
            | AnswerComposed()
            | SessionCompleted()
            | SessionFailed()
            | SessionCancelled()
            | FeedbackGiven()
            | VerdictOverridden()
            | SessionErased()
            | StepRepeated()
        ):
            return None
        case _:
            assert_never(recorded.event)


def _fold(row: Row | None, recorded: Recorded) -> Row:
    match recorded.event:
        case RuleEvaluated() as event:
            return {"evidence_score": event.facts.evidence_score, "rule_evaluation": rule_slot(event)}
        case VerdictIssued(facts=facts) as event:
            return {
                "verdict": facts.verdict.value,
                "groundedness_score": Decimal(facts.groundedness_score),
                "critical_fact_count": facts.critical_fact_count,
                "fact_classes": facts.fact_classes,
                "round": facts.round,
                "decided_by": facts.decided_by,
                "reason": facts.reason,
                "rule_version": facts.rule_version,
                "traceability_version": facts.traceability_version,
                "verifier_evaluation": verifier_slot(row["verifier_evaluation"] if row else None, event),
            }
        case _:
            raise CannotApply(recorded, "no evaluation")


SELF_EVALUATION = ReadModel(
    name="self_evaluation",
    version=1,
    key=("session_id",),
    facts={
        "session_id": "uuid",
        "evidence_score": "bigint",
        "verdict": "text",
        "groundedness_score": "numeric",
        "critical_fact_count": "bigint",
        "fact_classes": "jsonb",
        "round": "bigint",
        "decided_by": "text",
        "reason": "text",
        "rule_version": "text",
        "traceability_version": "text",
    },
    content={"rule_evaluation": "jsonb", "verifier_evaluation": "jsonb"},
    key_of=_key_of,
    fold=_fold,
)
