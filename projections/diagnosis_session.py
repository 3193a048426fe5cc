"""`diagnosis_session`: one row for each session, as it stands now (R54; 004 section 9.1)."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, assert_never

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
from projections.self_evaluation import rule_slot, verifier_slot


def _key_of(recorded: Recorded) -> Key:
    return (recorded.session_id,)


def _fold(row: Row | None, recorded: Recorded) -> Row:
    """Every event moves `version` and `updated_at`; most change nothing else."""
    last = {"version": recorded.version, "updated_at": recorded.time}
    if isinstance(recorded.event, SessionOpened):
        return _opened(recorded.event, recorded) | last
    if row is None:
        raise CannotApply(recorded, "the session was never opened")
    return _changed(row, recorded) | last


def _opened(event: SessionOpened, recorded: Recorded) -> Row:
    facts, content = event.facts, event.content
    return {
        "status": "running",
        "agent_flow": "CHAT",
        "round": 0,
        "step_count": 0,
        "tool_call_count": 0,
        "total_token_count": 0,
        "source": facts.settings.source,
        "rule_version": facts.rule_version,
        "session_now": facts.now,
        "actor": recorded.actor,
        "created_at": recorded.time,
        **({} if isinstance(content, Erased) else {"query": content.question}),
    }


def _changed(row: Row, recorded: Recorded) -> dict[str, Any]:
    slots = row["self_evaluation"] or {}
    match recorded.event:
        case RoundStarted(facts=facts):
            return {"round": facts.round}
        case AgentStepRecorded(facts=facts):
            return {
                "step_count": max(row["step_count"], facts.step_index + 1),
                "total_token_count": row["total_token_count"] + facts.input_tokens + facts.output_tokens,
            }
        case ToolCallStarted():
            return {"tool_call_count": row["tool_call_count"] + 1}
        case VerdictIssued(facts=facts) as event:
            slot = verifier_slot(slots.get("verifier_evaluation"), event)
            return {
                "verdict": facts.verdict.value,
                "groundedness_score": Decimal(facts.groundedness_score),
                "self_evaluation": {**slots, "verifier_evaluation": slot},
            }
        case RuleEvaluated() as event:
            return {"self_evaluation": {**slots, "rule_evaluation": rule_slot(event)}}
        case SessionCompleted() | SessionFailed() | SessionCancelled() as event:
            return _ended(event) | _measured(row, recorded.time)
        case FeedbackGiven(facts=facts, content=content):
            text = {} if isinstance(content, Erased) else {"feedback_text": content.text}
            return {"feedback": facts.rating, **text}
        case VerdictOverridden(facts=facts, content=content):
            reason = {} if isinstance(content, Erased) else {"override_reason": content.reason}
            return {"verdict_override": facts.verdict.value, **reason}
        case (
            SessionOpened()
            | PlanProduced()
            | ToolInvoked()
            | ExecutorAnswered()
            | GatekeeperChecked()
            | AnswerComposed()
            | SessionErased()
            | StepRepeated()
        ):
            return {}
        case _:
            assert_never(recorded.event)


def _ended(event: SessionCompleted | SessionFailed | SessionCancelled) -> dict[str, Any]:
    match event:
        case SessionCompleted(facts=done, content=content):
            answer = {} if isinstance(content, Erased) else {"answer": content.answer}
            return {"status": "completed", "outcome": done.outcome.value, **answer}
        case SessionFailed(facts=facts, content=content):
            texts = {} if isinstance(content, Erased) else {"answer": content.answer, "end_reason": content.reason}
            return {
                "status": "failed",
                "outcome": facts.outcome.value,
                "failed_stage": facts.stage,
                "reason_code": facts.reason_code,
                **texts,
            }
        case SessionCancelled(content=content):
            reason = {} if isinstance(content, Erased) else {"end_reason": content.reason}
            return {"status": "cancelled", **reason}
        case _:
            assert_never(event)


def _measured(row: Row, time: datetime) -> dict[str, Any]:
    elapsed = time - row["created_at"]
    return {"completed_at": time, "total_duration_ms": round(elapsed.total_seconds() * 1000)}


DIAGNOSIS_SESSION = ReadModel(
    name="diagnosis_session",
    version=1,
    key=("session_id",),
    facts={
        "session_id": "uuid",
        "status": "text",
        "agent_flow": "text",
        "round": "bigint",
        "verdict": "text",
        "verdict_override": "text",
        "groundedness_score": "numeric",
        "outcome": "text",
        "failed_stage": "text",
        "reason_code": "text",
        "total_duration_ms": "bigint",
        "total_token_count": "bigint",
        "step_count": "bigint",
        "tool_call_count": "bigint",
        "feedback": "text",
        "source": "text",
        "rule_version": "text",
        "session_now": "timestamptz",
        "actor": "text",
        "created_at": "timestamptz",
        "completed_at": "timestamptz",
        "updated_at": "timestamptz",
        "version": "bigint",
    },
    content={
        "query": "text",
        "answer": "text",
        "self_evaluation": "jsonb",
        "end_reason": "text",
        "feedback_text": "text",
        "override_reason": "text",
    },
    key_of=_key_of,
    fold=_fold,
    indexes=("created_at",),
)
