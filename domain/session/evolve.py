"""From recorded events to the state of a session. Never raises: what is recorded has happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import assert_never

from domain.contracts import Agent, ToolInvocation
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
from domain.session.state import (
    CaseFile,
    Checking,
    Closed,
    Concluding,
    Executing,
    ModelTurn,
    Open,
    Planning,
    Round,
    SessionState,
    ToolCall,
    Unopened,
    VerdictInForce,
    Verifying,
)


def fold(history: Iterable[Recorded]) -> SessionState:
    """State after all events of one session, in order."""
    state: SessionState = Unopened()
    for recorded in history:
        state = evolve(state, recorded)
    return state


def evolve(state: SessionState, recorded: Recorded) -> SessionState:
    """State after one more event of the session."""
    if isinstance(state, Unopened):
        return _opened(recorded)
    in_force = _verdict_given(recorded) or state.file.verdict_in_force
    records_erasure = state.file.erasure_recorded or isinstance(recorded.event, SessionErased)
    erased = state.file.erased or records_erasure or isinstance(recorded.event.content, Erased)
    file = replace(
        state.file,
        head=recorded,
        tries=_tries_after(state.file, recorded),
        verdict_in_force=in_force,
        erased=erased,
        erasure_recorded=records_erasure,
    )
    if isinstance(state, Closed):
        return replace(state, file=file)
    return _advanced(state, file, recorded)


def _tries_after(file: CaseFile, recorded: Recorded) -> int:
    """A start of a tool belongs to the step that begins with it; every other event shows that the session moves."""
    event = recorded.event
    if isinstance(event, StepRepeated):
        return event.facts.tries
    return file.tries if isinstance(event, ToolCallStarted) else 1


def _opened(recorded: Recorded) -> SessionState:
    event = recorded.event
    if not isinstance(event, SessionOpened):
        return Unopened()
    brief = None if isinstance(event.content, Erased) else event.content
    first = Round(1)
    return Planning(CaseFile(recorded.session_id, recorded, event.facts, brief, (first,), erased=brief is None))


def _verdict_given(recorded: Recorded) -> VerdictInForce | None:
    match recorded.event:
        case VerdictIssued(facts=issued):
            return VerdictInForce(recorded.version, issued.verdict)
        case VerdictOverridden(facts=overridden):
            return VerdictInForce(recorded.version, overridden.verdict)
        case (
            SessionOpened()
            | RoundStarted()
            | AgentStepRecorded()
            | PlanProduced()
            | ToolCallStarted()
            | ToolInvoked()
            | ExecutorAnswered()
            | GatekeeperChecked()
            | RuleEvaluated()
            | AnswerComposed()
            | SessionCompleted()
            | SessionFailed()
            | SessionCancelled()
            | FeedbackGiven()
            | SessionErased()
            | StepRepeated()
        ):
            return None
        case _:
            assert_never(recorded.event)


def _advanced(state: Open, file: CaseFile, recorded: Recorded) -> SessionState:
    event = recorded.event
    match event:
        case RoundStarted():
            context = None if isinstance(event.content, Erased) else event.content.retry_context
            started = Round(event.facts.round, context)
            earlier = tuple(done for done in file.rounds if done.number < started.number)
            return Planning(replace(file, rounds=(*earlier, started)))
        case AgentStepRecorded():
            return replace(state, file=_stepped(file, event))
        case PlanProduced():
            plan, raw = (None, "") if isinstance(event.content, Erased) else (event.content.plan, event.content.raw)
            return Executing(file.with_round(replace(file.round, plan=plan, plan_text=raw)))
        case ToolCallStarted():
            return replace(state, file=_call_started(file, event, recorded))
        case ToolInvoked():
            return replace(state, file=_call_finished(file, event))
        case ExecutorAnswered():
            parsed = None if isinstance(event.content, Erased) else event.content.parsed
            return Checking(file.with_round(replace(file.round, parsed=parsed, failed_attempts=0)))
        case GatekeeperChecked():
            result = None if isinstance(event.content, Erased) else event.content.result
            return Verifying(file.with_round(replace(file.round, gatekeeper=result)))
        case VerdictIssued():
            evaluation = None if isinstance(event.content, Erased) else event.content.evaluation
            judged = replace(file.round, evaluation=evaluation, verdict=event.facts, failed_attempts=0)
            return Concluding(file.with_round(judged))
        case SessionCompleted() | SessionFailed() | SessionCancelled():
            return Closed(file, event)
        case (
            SessionOpened()
            | RuleEvaluated()
            | AnswerComposed()
            | FeedbackGiven()
            | VerdictOverridden()
            | SessionErased()
            | StepRepeated()
        ):
            return replace(state, file=file)  # of no effect on what comes next
        case _:
            assert_never(event)


def _stepped(file: CaseFile, event: AgentStepRecorded) -> CaseFile:
    file = replace(file, step_count=event.facts.step_index + 1)
    failed = file.round.failed_attempts + 1 if event.facts.error_kind else 0
    current = replace(file.round, failed_attempts=failed)
    if event.facts.agent is Agent.EXECUTOR:
        used = event.facts.input_tokens + event.facts.output_tokens
        current = replace(
            current,
            model_calls=current.model_calls + 1,
            tokens=current.tokens + used,
            last_call_tokens=used or current.last_call_tokens,
            spent_ms=current.spent_ms + event.facts.duration_ms,
        )
    if not event.facts.error_kind and not isinstance(event.content, Erased):
        calls = tuple(ToolCall(request) for request in event.content.tool_requests)
        turn = ModelTurn(event.facts.step_index, event.content.output, calls)
        if event.facts.agent is Agent.EXECUTOR:
            current = replace(current, executor_turns=(*current.executor_turns, turn))
        elif event.facts.agent is Agent.VERIFIER:
            current = replace(current, verifier_turns=(*current.verifier_turns, turn))
    return file.with_round(current)


def _call_started(file: CaseFile, event: ToolCallStarted, at: Recorded) -> CaseFile:
    facts = event.facts

    def start(call: ToolCall) -> ToolCall:
        return replace(call, attempts=facts.attempt, started_at=at.position, started=at.time, read_only=facts.read_only)

    return _with_call(file, facts.step_index, facts.call_index, start)


UNKNOWN_OUTCOMES = ("interrupted", "timeout", "crash", "too_large")
"""Ends of a run that do not tell what it did: what changes something may have changed it (R7)."""


def _call_finished(file: CaseFile, event: ToolInvoked) -> CaseFile:
    facts, content = event.facts, event.content
    if isinstance(content, Erased):
        return file
    invocation = ToolInvocation(
        id=facts.invocation_id,
        session_id=str(file.session_id),
        tool_name=content.tool_name,
        success=facts.success,
        round=facts.round,
        step_index=facts.step_index,
        input_params=content.input_params,
        output=content.output,
        duration_ms=facts.duration_ms,
        error_message=content.error_message,
        retrieval_details=content.retrieval_details,
    )
    current = replace(file.round, spent_ms=file.round.spent_ms + facts.duration_ms)
    file = replace(file, invocations=(*file.invocations, invocation)).with_round(current)

    def finish(call: ToolCall) -> ToolCall:
        unknown = not call.read_only and facts.error_kind in UNKNOWN_OUTCOMES
        return replace(call, finished=invocation, note=content.note, unknown=unknown)

    return _with_call(file, facts.step_index, facts.call_index, finish)


def _with_call(file: CaseFile, step_index: int, call_index: int, change: Callable[[ToolCall], ToolCall]) -> CaseFile:
    def changed(turn: ModelTurn) -> ModelTurn:
        if turn.step_index != step_index:
            return turn
        calls = tuple(change(call) if index == call_index else call for index, call in enumerate(turn.calls))
        return replace(turn, calls=calls)

    turns = tuple(changed(turn) for turn in file.round.executor_turns)
    return file.with_round(replace(file.round, executor_turns=turns))
