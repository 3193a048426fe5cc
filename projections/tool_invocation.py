"""`tool_invocation`: one row for each started tool call, finished when its result is recorded (R17; 004 section 9.3).

A call that a crash interrupted keeps the status `started`; its repetition is a row of its own with the next `attempt`.
"""

from __future__ import annotations

from typing import Any, assert_never

from domain.events import (
    AgentStepRecorded,
    AnswerComposed,
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
    ToolCallStartedContent,
    ToolInvoked,
    ToolInvokedContent,
    VerdictIssued,
    VerdictOverridden,
)
from projections.agent_step import step_id
from projections.read_model import CannotApply, Key, ReadModel, Row

MAX_PREVIEW = 2_000
"""Characters of `output_preview`; the whole output stands in the log."""


def _key_of(recorded: Recorded) -> Key | None:
    match recorded.event:
        case ToolCallStarted():
            return (recorded.position,)
        case ToolInvoked(facts=facts):
            return (facts.invocation_id,)
        case (
            SessionOpened()
            | RoundStarted()
            | AgentStepRecorded()
            | PlanProduced()
            | ExecutorAnswered()
            | GatekeeperChecked()
            | VerdictIssued()
            | RuleEvaluated()
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
        case ToolCallStarted() as event:
            return _started(event, recorded)
        case ToolInvoked() as event:
            if row is None or row["session_id"] != recorded.session_id:
                raise CannotApply(recorded, f"the session has no started call {event.facts.invocation_id}")
            return _finished(event, recorded)
        case _:
            raise CannotApply(recorded, "no tool call")


def _started(event: ToolCallStarted, recorded: Recorded) -> Row:
    facts, content = event.facts, event.content
    return {
        "id": recorded.position,
        "step_id": step_id(recorded.session_id, facts.step_index),
        "step_index": facts.step_index,
        "call_index": facts.call_index,
        "round": facts.round,
        "attempt": facts.attempt,
        "status": "started",
        "started_at": recorded.time,
        **({"tool_name": content.tool_name} if isinstance(content, ToolCallStartedContent) else {}),
    }


def _finished(event: ToolInvoked, recorded: Recorded) -> Row:
    facts, content = event.facts, event.content
    first = facts.duplicate_of
    return {
        "status": "finished",
        "finished_at": recorded.time,
        "success": facts.success,
        "evidence_status": facts.evidence_status.value,
        "ref_count": facts.ref_count,
        "output_length": facts.output_length,
        "is_truncated": facts.output_length > MAX_PREVIEW,
        "duration_ms": facts.duration_ms,
        "dedup_reason": None if first is None else f"same tool and arguments as invocation {first} in this round",
        "error_kind": facts.error_kind,
        **(_result(content) if isinstance(content, ToolInvokedContent) else {}),
    }


def _result(content: ToolInvokedContent) -> dict[str, Any]:
    """Without `coverage` where none was recorded: such rows are as those that were folded before there was any."""
    details = content.retrieval_details
    recorded = details.model_dump(mode="json", exclude=None if details.coverage else {"coverage"})
    return {
        "tool_name": content.tool_name,
        "input_params": content.input_params,
        "output_preview": content.output[:MAX_PREVIEW],
        "retrieval_layer": details.retrieval_layer,
        "l0_match_count": details.l0_match_count,
        "l1_match_count": details.l1_match_count,
        "relevance_level": details.relevance_level,
        "retrieval_details": recorded,
        "error_message": content.error_message,
        "note": content.note,
    }


TOOL_INVOCATION = ReadModel(
    name="tool_invocation",
    version=1,
    key=("id",),
    facts={
        "id": "bigint",
        "session_id": "uuid",
        "step_id": "bigint",
        "step_index": "bigint",
        "call_index": "bigint",
        "round": "bigint",
        "attempt": "bigint",
        "status": "text",
        "success": "boolean",
        "evidence_status": "text",
        "ref_count": "bigint",
        "output_length": "bigint",
        "is_truncated": "boolean",
        "duration_ms": "bigint",
        "dedup_reason": "text",
        "error_kind": "text",
        "started_at": "timestamptz",
        "finished_at": "timestamptz",
    },
    content={
        "tool_name": "text",
        "input_params": "jsonb",
        "output_preview": "text",
        "retrieval_layer": "text",
        "l0_match_count": "bigint",
        "l1_match_count": "bigint",
        "relevance_level": "text",
        "retrieval_details": "jsonb",
        "error_message": "text",
        "note": "text",
    },
    key_of=_key_of,
    fold=_fold,
    indexes=("session_id",),
)
