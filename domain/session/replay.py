"""A session as it happened: each event with what it changed, and the state that it left (R58)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

from domain.contracts import ToolInvocation
from domain.differences import Change, changes
from domain.events import Recorded, SessionCancelled, SessionCompleted, SessionFailed
from domain.session.evolve import evolve
from domain.session.rounds import ERASED_TEXT, Picture, picture_of_round
from domain.session.state import Closed, SessionState, Unopened
from domain.session.steps import (
    MAX_RETRY_DELAY_S,
    CallModel,
    CheckEvidence,
    Conclude,
    EndExecutor,
    GiveUp,
    IssueVerdict,
    RecordInterrupted,
    RunTool,
    StartRound,
    Step,
    Wait,
    next_step,
    phase_of,
)


@dataclass(frozen=True, slots=True)
class Replayed:
    """One event. `changes` is empty where it decides nothing of what comes next; `state` is the one after it."""

    recorded: Recorded
    changes: Sequence[Change]
    state: Picture


def replay(history: Iterable[Recorded]) -> Iterator[Replayed]:
    """Every event of one session in order, as far as it is read."""
    state: SessionState = Unopened()
    before = picture_of(state)
    for recorded in history:
        state = evolve(state, recorded)
        after = picture_of(state)
        yield Replayed(recorded, changes(before, after), after)
        before = after


def picture_of(state: SessionState) -> Picture:
    """The state in plain values. What was erased says so."""
    if isinstance(state, Unopened):
        return {}
    file = state.file
    in_force = file.verdict_in_force
    calls = {f"#{call.id}": _call(call) for call in file.invocations}
    return {
        "question": ERASED_TEXT if file.erased else file.question,
        "phase": phase_of(state) or "ended",
        "due": _due(state),
        "tool_calls": ERASED_TEXT if file.erased else calls,
        "rounds": {str(done.number): picture_of_round(done, erased=file.erased) for done in file.rounds},
        "verdict_in_force": in_force.verdict if in_force else None,
        "end": _end(state.end) if isinstance(state, Closed) else None,
    }


def _call(call: ToolInvocation) -> str:
    details = call.retrieval_details
    told = f"{call.tool_name}: {details.evidence_status}, {len(details.evidence_refs or ())} refs"
    if details.coverage is None:
        return told
    return f"{told}, coverage {'complete' if details.coverage.complete else 'not complete'}"


def _end(end: SessionCompleted | SessionFailed | SessionCancelled) -> str:
    match end:
        case SessionCompleted():
            return f"completed, {end.facts.outcome}"
        case SessionFailed():
            return f"failed in {end.facts.stage}, {end.facts.reason_code}"
        case SessionCancelled():
            return "cancelled"
        case _:
            assert_never(end)


def _due(state: SessionState) -> str | None:
    """The step that is due, or will be once the pause after a failed model call is over."""
    if isinstance(state, Unopened | Closed):
        return None
    if state.file.erased:
        return ERASED_TEXT
    return _said(next_step(state, state.file.head.time + timedelta(seconds=MAX_RETRY_DELAY_S)))


def _said(step: Step) -> str:
    """A tool call that was started is expected to finish, though it may have to be started again (R7)."""
    match step:
        case CallModel():
            return f"ask the {step.agent}, attempt {step.attempt}"
        case Wait():
            return f"wait {step.seconds:g} s"
        case RunTool() | RecordInterrupted():
            call = step.turn.calls[step.call_index]
            running = f"finish #{call.started_at}, {call.request.tool_name}"
            return f"run {call.request.tool_name}" if call.started_at is None else running
        case EndExecutor():
            return f"end the executor: its {step.ended_by} are used up"
        case CheckEvidence():
            return "check the quotations"
        case IssueVerdict():
            return "issue the verdict by code"
        case StartRound():
            return "start another round"
        case Conclude():
            return "answer by template"
        case GiveUp():
            return f"give up: {step.reason_code}"
        case _:
            assert_never(step)
