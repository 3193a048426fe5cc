"""Which events a command makes of a state. A command that comes too late makes none: repeating one is harmless."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from domain.events import (
    Event,
    FeedbackGiven,
    FeedbackGivenContent,
    FeedbackGivenFacts,
    RoundStarted,
    RoundStartedContent,
    RoundStartedFacts,
    SessionCancelled,
    SessionCancelledContent,
    SessionOpened,
    SessionOpenedContent,
    SessionOpenedFacts,
)
from domain.session.commands import (
    BeginNextRound,
    CancelSession,
    CloseByTemplate,
    Command,
    FailSession,
    FinishTool,
    GiveFeedback,
    InterruptTool,
    JudgeByCode,
    OpenSession,
    RecordModelCall,
    RunGatekeeper,
    StartTool,
    StopExecutor,
)
from domain.session.ending import completed_by_template, failed
from domain.session.judging import gatekeeper_checked, next_round, verdict_issued
from domain.session.model_events import executor_stopped, model_called
from domain.session.state import (
    Checking,
    Closed,
    Concluding,
    Executing,
    SessionState,
    Unopened,
    Verifying,
)
from domain.session.tool_events import tool_finished, tool_interrupted, tool_started
from domain.settings import RULE_VERSION

Events: TypeAlias = Sequence[Event]


class InvalidCommand(ValueError):
    """The command can never be carried out; the message says why."""


def decide(state: SessionState, command: Command) -> Events:
    """Events of one commit, or none when the session has moved on. Raises InvalidCommand for bad input."""
    match command:
        case OpenSession():
            return _open(state, command)
        case CancelSession():
            return _cancel(state, command)
        case GiveFeedback():
            return _feedback(state, command)
        case _:
            pass
    if isinstance(state, Unopened | Closed):
        return ()
    file = state.file
    match command:
        case RecordModelCall():
            return model_called(state, command)
        case StartTool():
            return tool_started(file, command) if isinstance(state, Executing) else ()
        case FinishTool():
            return tool_finished(file, command) if isinstance(state, Executing) else ()
        case InterruptTool():
            return tool_interrupted(file, command) if isinstance(state, Executing) else ()
        case StopExecutor():
            return executor_stopped(file, command.ended_by) if isinstance(state, Executing) else ()
        case RunGatekeeper():
            return (gatekeeper_checked(file),) if isinstance(state, Checking) else ()
        case JudgeByCode():
            return (verdict_issued(file, None),) if isinstance(state, Verifying) else ()
        case BeginNextRound():
            return next_round(file) if isinstance(state, Concluding) else ()
        case CloseByTemplate():
            return completed_by_template(file) if isinstance(state, Concluding) else ()
        case FailSession():
            return failed(file, command.stage, command.reason_code, command.reason)
        case _:
            assert_never(command)


def _open(state: SessionState, command: OpenSession) -> Events:
    if not command.question.strip():
        raise InvalidCommand("the question is empty")
    if not isinstance(state, Unopened):
        return ()
    facts = SessionOpenedFacts(
        now=command.now,
        clock=command.clock,
        settings=command.settings,
        rule_version=RULE_VERSION,
        prompt_hashes=command.prompt_hashes,
        has_key=command.has_key,
    )
    content = SessionOpenedContent(
        question=command.question, history=command.history, sources=command.sources, base_url=command.base_url
    )
    first = RoundStarted(facts=RoundStartedFacts(round=1), content=RoundStartedContent())
    return SessionOpened(facts=facts, content=content), first


def _cancel(state: SessionState, command: CancelSession) -> Events:
    if isinstance(state, Unopened):
        raise InvalidCommand("there is no such session")
    if isinstance(state, Closed):
        return ()
    return (SessionCancelled(content=SessionCancelledContent(reason=command.reason)),)


def _feedback(state: SessionState, command: GiveFeedback) -> Events:
    if isinstance(state, Unopened):
        raise InvalidCommand("there is no such session")
    if not isinstance(state, Closed):
        raise InvalidCommand("the session has not ended yet")
    return (
        FeedbackGiven(facts=FeedbackGivenFacts(rating=command.rating), content=FeedbackGivenContent(text=command.text)),
    )
