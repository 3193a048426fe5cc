"""`agent_step`: one row for each model call of planner, executor, verifier and composer (R54; 004 section 9.2).

A repeated attempt of a failed call is a step of its own, with the next `attempt`.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, assert_never
from uuid import UUID

from domain.contracts import Agent
from domain.events import (
    AgentStepRecorded,
    AgentStepRecordedContent,
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
    ToolInvoked,
    VerdictIssued,
    VerdictOverridden,
)
from projections.read_model import CannotApply, Key, ReadModel, Row

MAX_TEXT = 8_000
"""Characters kept of each text; the whole stands in the log."""

MAX_VERIFIER_THOUGHT = 200


def step_id(session_id: UUID, step_index: int) -> int:
    """`agent_step.id`: computed, so that `tool_invocation.step_id` needs no look at another read model. 53 bits, which
    every reader of JSON holds exactly; unique within a session."""
    digest = blake2b(f"{session_id}/{step_index}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 11


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _texts(agent: Agent, content: AgentStepRecordedContent) -> dict[str, Any]:
    thought_limit = MAX_VERIFIER_THOUGHT if agent is Agent.VERIFIER else MAX_TEXT
    return {
        "model_input": _shortened(json.dumps(content.input, ensure_ascii=False), MAX_TEXT),
        "model_output": _shortened(content.output, MAX_TEXT),
        "thought": _shortened(content.thought, thought_limit),
        "error_message": _shortened(content.error_message, MAX_TEXT),
    }


def _key_of(recorded: Recorded) -> Key | None:
    match recorded.event:
        case AgentStepRecorded(facts=facts):
            return recorded.session_id, facts.step_index
        case (
            SessionOpened()
            | RoundStarted()
            | PlanProduced()
            | ToolCallStarted()
            | ToolInvoked()
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
    if row is not None:
        raise CannotApply(recorded, f"step {row['step_index']} is recorded already")
    match recorded.event:
        case AgentStepRecorded(facts=facts, content=content):
            return {
                "id": step_id(recorded.session_id, facts.step_index),
                "step_index": facts.step_index,
                "round": facts.round,
                "agent_name": facts.agent.value,
                "model": facts.model,
                "prompt_hash": facts.prompt_hash,
                "attempt": facts.attempt,
                "has_tool_call": facts.tool_call_count > 0,
                "finish_reason": facts.finish_reason,
                "error_kind": facts.error_kind,
                "duration_ms": facts.duration_ms,
                "token_count": facts.input_tokens + facts.output_tokens,
                "recorded_at": recorded.time,
                **(_texts(facts.agent, content) if isinstance(content, AgentStepRecordedContent) else {}),
            }
        case _:
            raise CannotApply(recorded, "no agent step")


AGENT_STEP = ReadModel(
    name="agent_step",
    version=1,
    key=("session_id", "step_index"),
    facts={
        "id": "bigint",
        "session_id": "uuid",
        "step_index": "bigint",
        "round": "bigint",
        "agent_name": "text",
        "model": "text",
        "prompt_hash": "text",
        "attempt": "bigint",
        "has_tool_call": "boolean",
        "finish_reason": "text",
        "error_kind": "text",
        "duration_ms": "bigint",
        "token_count": "bigint",
        "recorded_at": "timestamptz",
    },
    content={"model_input": "text", "model_output": "text", "thought": "text", "error_message": "text"},
    key_of=_key_of,
    fold=_fold,
)
