"""What a session needs next: a pure function of its state and the clock (R1, R3, R7).

The aggregate decides the route; whoever runs the step does its one effect and records the outcome.
"""

from __future__ import annotations

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
    Planning,
    SessionState,
    ToolCall,
    Unopened,
    Verifying,
)

Budget: TypeAlias = Literal["model_calls", "tool_calls", "tokens", "seconds"]

MAX_RETRY_DELAY_S = 30


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask an agent's model. `attempt` counts tries of this same call; wait `delay_s` before a repeated one.

    `must_answer`: the Executor's last call within its budget, so no tools are offered (R3).
    """

    agent: Agent
    attempt: int
    delay_s: float
    must_answer: bool = False


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
    """A call that may not be run twice was started and has no result: record it as failed (R7)."""

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
    | RunTool
    | RecordInterrupted
    | EndExecutor
    | CheckEvidence
    | IssueVerdict
    | StartRound
    | Conclude
    | GiveUp
)


def next_step(state: SessionState, now: datetime) -> Step | None:
    """The step that is due, or None when nothing is. `now` is the wall clock, for the budget of seconds."""
    match state:
        case Unopened() | Closed():
            return None
        case Planning() | Executing() | Checking() | Verifying() | Concluding() if state.file.erased:
            return GiveUp(phase_of(state), "erased", "会话内容已被擦除")
        case Planning():
            return _call(state.file, Agent.PLANNER)
        case Executing():
            return _executor_step(state.file, now)
        case Checking():
            return CheckEvidence()
        case Verifying():
            return IssueVerdict() if _gatekeeper_rejects(state.file) else _call(state.file, Agent.VERIFIER)
        case Concluding():
            return _concluding_step(state.file)
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


def _call(file: CaseFile, agent: Agent, *, must_answer: bool = False) -> CallModel:
    failed = file.round.failed_attempts
    delay_s = min(MAX_RETRY_DELAY_S, 0.5 * 2 ** (failed - 1)) if failed else 0.0
    return CallModel(agent, failed + 1, delay_s, must_answer)


def _gatekeeper_rejects(file: CaseFile) -> bool:
    result = file.round.gatekeeper
    return result is not None and result.severity is Severity.REJECT


def _concluding_step(file: CaseFile) -> Step:
    if file.round.route is Route.COMPOSE:
        return _call(file, Agent.COMPOSER)
    if file.round.route is Route.RETRY and file.round.number == 1:
        return StartRound()
    return Conclude()


def _executor_step(file: CaseFile, now: datetime) -> Step:
    turn = file.round.executor_turns[-1] if file.round.executor_turns else None
    if turn is not None:
        for index, call in enumerate(turn.calls):
            if call.finished is None:
                return _tool_step(turn, index, call)
    spent = _spent_budget(file, now)
    if spent is not None:
        return EndExecutor(spent)
    return _call(file, Agent.EXECUTOR, must_answer=_is_last_call(file))


def _tool_step(turn: ModelTurn, index: int, call: ToolCall) -> Step:
    if call.attempts and not call.read_only:
        return RecordInterrupted(turn, index)
    return RunTool(turn, index, call.attempts + 1)


def _spent_budget(file: CaseFile, now: datetime) -> Budget | None:
    budgets = file.opened.settings.budgets
    if file.round.model_calls >= budgets.model_calls:
        return "model_calls"
    if file.round.tokens >= budgets.tokens:
        return "tokens"
    if (now - file.round.started_at).total_seconds() >= budgets.seconds:
        return "seconds"
    return None


def _is_last_call(file: CaseFile) -> bool:
    """The last model call of the budget, and any after the last tool call of it, must answer."""
    budgets = file.opened.settings.budgets
    return file.round.model_calls >= budgets.model_calls - 1 or tool_budget_spent(file)


def tool_budget_spent(file: CaseFile) -> bool:
    """A tool call beyond the round's budget is answered with a failure instead of being run (R3)."""
    return file.round.tool_calls >= file.opened.settings.budgets.tool_calls
