"""The events of one tool call: its start, and its result by a run, by an earlier call or by refusal (R7, R17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, assert_never

from domain.contracts import EvidenceStatus, RetrievalDetails
from domain.events import (
    Event,
    ToolCallStarted,
    ToolCallStartedContent,
    ToolCallStartedFacts,
    ToolInvoked,
    ToolInvokedContent,
    ToolInvokedFacts,
)
from domain.session.commands import (
    FinishTool,
    InterruptTool,
    StartTool,
)
from domain.session.state import (
    CaseFile,
    ModelTurn,
    ToolCall,
)
from domain.session.tool_calls import AnswerFrom, Refuse, Run, ToolOutcome, read_arguments

Events: TypeAlias = Sequence[Event]

FAILED = RetrievalDetails(evidence_status=EvidenceStatus.FAILED, evidence_refs=())


def _find_call(file: CaseFile, step_index: int, call_index: int) -> tuple[ModelTurn, ToolCall] | None:
    for turn in file.round.executor_turns:
        if turn.step_index == step_index and call_index < len(turn.calls):
            return turn, turn.calls[call_index]
    return None


def tool_started(file: CaseFile, command: StartTool) -> Events:
    found = _find_call(file, command.step_index, command.call_index)
    if found is None or found[1].finished or found[1].attempts != command.attempt - 1:
        return ()
    request = found[1].request
    facts = ToolCallStartedFacts(
        round=file.round.number,
        step_index=command.step_index,
        call_index=command.call_index,
        attempt=command.attempt,
        read_only=command.read_only,
    )
    content = ToolCallStartedContent(tool_name=request.tool_name, call_id=request.call_id, arguments=request.arguments)
    return (ToolCallStarted(facts=facts, content=content),)


def tool_finished(file: CaseFile, command: FinishTool) -> Events:
    found = _find_call(file, command.step_index, command.call_index)
    if found is None or found[1].finished or found[1].started_at != command.invocation_id:
        return ()
    call = found[1]
    preparation = command.preparation
    match preparation:
        case Refuse():
            outcome = ToolOutcome(False, error_kind=preparation.error_kind, error_message=preparation.message)
            return (_invoked(file, command, call, outcome, {}, FAILED),)
        case AnswerFrom():
            first = preparation.first
            details = first.retrieval_details.model_copy(
                update={"evidence_status": EvidenceStatus.DEDUPLICATED, "duplicate_of": first.id}
            )
            note = f"与本轮第一次相同的调用（id {first.id}）重复，未再执行；请引用该 id。"
            return (_invoked(file, command, call, ToolOutcome(True), preparation.arguments, details, note),)
        case Run():
            outcome = command.outcome or ToolOutcome(False, error_kind="crash", error_message="no result")
            return (_invoked(file, command, call, outcome, preparation.arguments, outcome.details),)
        case _:
            assert_never(preparation)


def tool_interrupted(file: CaseFile, command: InterruptTool) -> Events:
    found = _find_call(file, command.step_index, command.call_index)
    if found is None or found[1].finished or found[1].started_at is None:
        return ()
    call = found[1]
    arguments = read_arguments(call.request.arguments)
    preparation = Run(arguments if isinstance(arguments, dict) else {})
    outcome = ToolOutcome(
        False, error_kind="interrupted", error_message="调用已开始但没有结果（进程中断），且该工具不可重复执行。"
    )
    finish = FinishTool(command.step_index, command.call_index, found[1].started_at, preparation)
    return (_invoked(file, finish, call, outcome, preparation.arguments, FAILED),)


def _invoked(
    file: CaseFile,
    command: FinishTool,
    call: ToolCall,
    outcome: ToolOutcome,
    arguments: dict[str, Any],
    details: RetrievalDetails,
    note: str = "",
) -> ToolInvoked:
    facts = ToolInvokedFacts(
        round=file.round.number,
        step_index=command.step_index,
        call_index=command.call_index,
        invocation_id=command.invocation_id,
        success=outcome.success,
        evidence_status=details.evidence_status,
        ref_count=len(details.evidence_refs or ()),
        output_length=len(outcome.output),
        duration_ms=outcome.duration_ms,
        duplicate_of=details.duplicate_of,
        error_kind=outcome.error_kind,
    )
    content = ToolInvokedContent(
        tool_name=call.request.tool_name,
        input_params=arguments,
        output=outcome.output,
        retrieval_details=details,
        error_message=outcome.error_message,
        note=note,
    )
    return ToolInvoked(facts=facts, content=content)
