"""What a session needs next: a pure function of its state and the clock (R1, R3, R7).

The aggregate decides the route; whoever runs the step does its one effect and records the outcome.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, assert_never

from domain.contracts import Agent, Route, Severity
from domain.session.state import (
    CaseFile,
    Checking,
    Closed,
    Concluding,
    Executing,
    ModelTurn,
    Open,
    Planning,
    SessionState,
    ToolCall,
    Unopened,
    Verifying,
)
from domain.verdict.routing import LAST_ROUND

Budget: TypeAlias = Literal["model_calls", "tool_calls", "tokens", "seconds"]

MAX_RETRY_DELAY_S = 30.0
MAX_TOOL_ATTEMPTS = 5
"""Starts of one tool call. A call that takes its worker down each time must not hold the session for ever (R7)."""


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask an agent's model. `attempt` counts tries of this same call, from 1.

    `must_answer`: a budget leaves the Executor this one call, so no tools are offered (R3).
    """

    agent: Agent
    attempt: int
    must_answer: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """The model call that is due failed a moment ago, or another worker may be at it: look again after so many seconds
    (R7)."""

    seconds: float


@dataclass(frozen=True, slots=True)
class RunTool:
    """Record a start, then run the tool the model asked for (R7). `attempt` over 1 repeats an interrupted call."""

    turn: ModelTurn
    call_index: int
    attempt: int

    @property
    def call(self) -> ToolCall:
        return self.turn.calls[self.call_index]


@dataclass(frozen=True, slots=True)
class RecordInterrupted:
    """A call was started, has no result, and may not be started again: record it as failed (R7)."""

    turn: ModelTurn
    call_index: int


@dataclass(frozen=True, slots=True)
class EndExecutor:
    """The Executor has used up a budget and ends with what it has (R3)."""

    ended_by: Budget


@dataclass(frozen=True, slots=True)
class CheckEvidence:
    """Run the gatekeeper over the Executor's output (R23)."""


@dataclass(frozen=True, slots=True)
class IssueVerdict:
    """Judge without a model: the gatekeeper rejected (R32)."""


@dataclass(frozen=True, slots=True)
class StartRound:
    """Verdict LOW_CONFID below the threshold in round 1 (section 7)."""


@dataclass(frozen=True, slots=True)
class Conclude:
    """Answer by template, without a model (R47)."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The session cannot go on: end it with a reason (R7)."""

    stage: str
    reason_code: str
    reason: str


Step: TypeAlias = (
    CallModel
    | Wait
    | RunTool
    | RecordInterrupted
    | EndExecutor
    | CheckEvidence
    | IssueVerdict
    | StartRound
    | Conclude
    | GiveUp
)


def next_step(state: Open, now: datetime, ack_wait_s: float = 0.0) -> Step:
    """The step that is due. `now` is the wall clock, for the delay after a failed model call, and for the time in which
    a call that another worker started is not given up (`ack_wait_s`)."""
    file = state.file
    if file.erased:
        return GiveUp(phase_of(state), "erased", "会话内容已被擦除")
    match state:
        case Planning():
            return _call(file, Agent.PLANNER, now)
        case Executing():
            return _executor_step(file, now, ack_wait_s)
        case Checking():
            return CheckEvidence()
        case Verifying():
            return IssueVerdict() if gatekeeper_rejects(file) else _call(file, Agent.VERIFIER, now)
        case Concluding():
            return _concluding_step(file, now)
        case _:
            assert_never(state)


def phase_of(state: SessionState) -> str:
    """Name of the reaction that owns the state's next step; "" where nothing is due."""
    match state:
        case Unopened() | Closed():
            return ""
        case Planning():
            return "planner"
        case Executing():
            return "executor"
        case Checking():
            return "gatekeeper"
        case Verifying():
            return "verifier"
        case Concluding():
            return "composer"
        case _:
            assert_never(state)


def due_agent(state: Open) -> Agent | None:
    """The agent whose model is to be asked, or None where a tool or code has its turn."""
    match state:
        case Planning():
            return Agent.PLANNER
        case Executing():
            return None if _pending_call(state.file) else Agent.EXECUTOR
        case Checking():
            return None
        case Verifying():
            return None if gatekeeper_rejects(state.file) else Agent.VERIFIER
        case Concluding():
            return Agent.COMPOSER if state.file.round.route is Route.COMPOSE else None
        case _:
            assert_never(state)


def gatekeeper_rejects(file: CaseFile) -> bool:
    """Then the Verifier is not asked (R32)."""
    result = file.round.gatekeeper
    return result is not None and result.severity is Severity.REJECT


def may_retry(file: CaseFile) -> bool:
    """At most two rounds, whatever a verdict asks for (R40)."""
    return file.round.route is Route.RETRY and file.round.number < LAST_ROUND


def _concluding_step(file: CaseFile, now: datetime) -> Step:
    if file.round.route is Route.COMPOSE:
        return _call(file, Agent.COMPOSER, now)
    return StartRound() if may_retry(file) else Conclude()


def _call(file: CaseFile, agent: Agent, now: datetime, *, must_answer: bool = False) -> CallModel | Wait:
    """A call that failed is due again after a delay that doubles, counted from the failure's record."""
    failed = file.round.failed_attempts
    if failed:
        delay = min(MAX_RETRY_DELAY_S, 0.25 * 2.0 ** min(failed, 16))
        waited = (now - file.head.time).total_seconds()
        if 0 <= waited < delay:
            return Wait(delay - waited)
    return CallModel(agent, failed + 1, must_answer)


# ---------------------------------------------------------------- the Executor's loop


def _executor_step(file: CaseFile, now: datetime, ack_wait_s: float) -> Step:
    """Pending tool calls in the order the model asked for them, then the model; at a budget neither (R3)."""
    pending = _pending_call(file)
    if pending and not _may_start(pending.call):
        if (left := ack_wait_s - _seconds_since_start(pending.call, now)) > 0:
            return Wait(left)  # a message given to two workers: the first may be at it still
        return RecordInterrupted(pending.turn, pending.call_index)
    if spent := _spent_budget(file):
        return EndExecutor(spent)
    return pending or _call(file, Agent.EXECUTOR, now, must_answer=forcing_budget(file) is not None)


def _pending_call(file: CaseFile) -> RunTool | None:
    """The first call of the latest turn without a result, as the step that starts it."""
    for turn in file.round.executor_turns[-1:]:
        for index, call in enumerate(turn.calls):
            if call.finished is None:
                return RunTool(turn, index, call.attempts + 1)
    return None


def _may_start(call: ToolCall) -> bool:
    return call.attempts == 0 or (call.read_only and call.attempts < MAX_TOOL_ATTEMPTS)


def _seconds_since_start(call: ToolCall, now: datetime) -> float:
    """Endless where it was never started, or the start lies ahead."""
    if call.started is None:
        return math.inf
    age = (now - call.started).total_seconds()
    return age if age >= 0 else math.inf


def _spent_budget(file: CaseFile) -> Budget | None:
    budgets = file.opened.settings.budgets
    if file.round.model_calls >= budgets.model_calls:
        return "model_calls"
    if file.round.tokens >= budgets.tokens:
        return "tokens"
    return "seconds" if seconds_left(file) <= 0 else None


def seconds_left(file: CaseFile) -> float:
    """What the Executor's next model call or tool call of this round may take."""
    return file.opened.settings.budgets.seconds - file.round.spent_ms / 1000


def forcing_budget(file: CaseFile) -> Budget | None:
    """The budget that leaves the Executor one call only: there it must answer (R3).

    Tokens are foreseen: a call sends the whole conversation again, so it takes no fewer than the one before.
    """
    budgets, current = file.opened.settings.budgets, file.round
    if current.model_calls >= budgets.model_calls - 1:
        return "model_calls"
    if current.tool_calls >= budgets.tool_calls:
        return "tool_calls"
    return "tokens" if current.tokens + current.last_call_tokens >= budgets.tokens else None
