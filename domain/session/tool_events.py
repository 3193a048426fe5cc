"""The events of one tool call: its start, and its result by a run, by an earlier call or by refusal (R7, R17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from domain.contracts import EvidenceStatus
from domain.events import (
    AnyEvent,
    ToolCallStarted,
    ToolCallStartedContent,
    ToolCallStartedFacts,
    ToolInvoked,
    ToolInvokedContent,
    ToolInvokedFacts,
)
from domain.session.commands import FinishTool, InterruptTool, StartTool
from domain.session.state import CaseFile, ToolCall
from domain.session.tool_calls import AnswerFrom, Refuse, Run, ToolOutcome, failed_outcome, read_arguments

INTERRUPTED = "调用已开始但没有结果（进程中断），不再重复执行。"


def tool_started(file: CaseFile, command: StartTool) -> Sequence[AnyEvent]:
    call = _unfinished(file, command.step_index, command.call_index)
    if call is None or call.attempts != command.attempt - 1:
        return ()
    facts = ToolCallStartedFacts(
        round=file.round.number,
        step_index=command.step_index,
        call_index=command.call_index,
        attempt=command.attempt,
        read_only=command.read_only,
    )
    request = call.request
    content = ToolCallStartedContent(tool_name=request.tool_name, call_id=request.call_id, arguments=request.arguments)
    return (ToolCallStarted(facts=facts, content=content),)


def tool_finished(file: CaseFile, command: FinishTool) -> Sequence[AnyEvent]:
    """Only for the latest start: a worker that was given up and comes late records nothing (R7)."""
    call = _unfinished(file, command.step_index, command.call_index)
    if call is None or call.started_at != command.invocation_id:
        return ()
    preparation = command.preparation
    match preparation:
        case Refuse():
            outcome = failed_outcome(preparation.error_kind, preparation.message)
            return (_invoked(file, command, call, outcome, {}),)
        case AnswerFrom():
            first = preparation.first
            details = first.retrieval_details.model_copy(
                update={"evidence_status": EvidenceStatus.DEDUPLICATED, "duplicate_of": first.id}
            )
            where = "本轮" if first.round == file.round.number else "上一轮"
            note = f"与{where}第一次相同的调用（id {first.id}）重复，未再执行；请引用该 id。"
            return (_invoked(file, command, call, ToolOutcome(True, details=details), preparation.arguments, note),)
        case Run():
            outcome = command.outcome or failed_outcome("crash", "no result")
            return (_invoked(file, command, call, outcome, preparation.arguments),)
        case _:
            assert_never(preparation)


def tool_interrupted(file: CaseFile, command: InterruptTool) -> Sequence[AnyEvent]:
    call = _unfinished(file, command.step_index, command.call_index)
    if call is None or call.started_at is None:
        return ()
    arguments = read_arguments(call.request.arguments)
    run = Run(arguments if isinstance(arguments, dict) else {})
    outcome = failed_outcome("interrupted", INTERRUPTED)
    return tool_finished(file, FinishTool(command.step_index, command.call_index, call.started_at, run, outcome))


def _unfinished(file: CaseFile, step_index: int, call_index: int) -> ToolCall | None:
    """A call of this round that has no result yet."""
    for turn in file.round.executor_turns:
        if turn.step_index == step_index and 0 <= call_index < len(turn.calls):
            call = turn.calls[call_index]
            return call if call.finished is None else None
    return None


def _invoked(
    file: CaseFile,
    command: FinishTool,
    call: ToolCall,
    outcome: ToolOutcome,
    arguments: dict[str, Any],
    note: str = "",
) -> ToolInvoked:
    details = outcome.details
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
