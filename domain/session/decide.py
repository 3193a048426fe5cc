"""Which events a command makes of a state. A command that comes too late makes none: repeating one is harmless."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from domain.answer.texts import TEMPLATE_VERSION
from domain.contracts import Route
from domain.events import (
    ERASED,
    AnyEvent,
    FeedbackGiven,
    FeedbackGivenContent,
    FeedbackGivenFacts,
    RoundStarted,
    RoundStartedContent,
    RoundStartedFacts,
    SessionCancelled,
    SessionCancelledContent,
    SessionErased,
    SessionOpened,
    SessionOpenedContent,
    SessionOpenedFacts,
    VerdictOverridden,
    VerdictOverriddenContent,
    VerdictOverriddenFacts,
)
from domain.evidence.masking import mask, patterns_with
from domain.language.tongues import language_of
from domain.question.question import fault_of_question
from domain.session.commands import (
    BeginNextRound,
    CancelSession,
    CloseByTemplate,
    Command,
    EraseSession,
    FailSession,
    FinishTool,
    GiveFeedback,
    InterruptTool,
    JudgeByCode,
    OpenSession,
    OverrideVerdict,
    RecordModelCall,
    RepeatStep,
    RunGatekeeper,
    StartTool,
    StepCommand,
    StopExecutor,
)
from domain.session.ending import completed, failed
from domain.session.judging import gatekeeper_checked, next_round, verdict_issued
from domain.session.model_events import executor_stopped, model_called
from domain.session.repeating import repeated
from domain.session.request import differing
from domain.session.state import (
    CaseFile,
    Checking,
    Closed,
    Concluding,
    Executing,
    Open,
    SessionState,
    Unopened,
    Verifying,
)
from domain.session.steps import gatekeeper_rejects, may_retry
from domain.session.tool_events import tool_finished, tool_interrupted, tool_started
from domain.settings import RULE_VERSION


class InvalidCommand(ValueError):
    """The command can never be carried out; the message says why."""


def decide(state: SessionState, command: Command) -> Sequence[AnyEvent]:
    """Events of one commit, or none when the session has moved on. Raises InvalidCommand for bad input."""
    match command:
        case OpenSession():
            return _open(state, command)
        case CancelSession():
            return _cancel(state, command)
        case GiveFeedback():
            return _feedback(state, command)
        case OverrideVerdict():
            return _override(state, command)
        case EraseSession():
            return _erase(state)
        case FailSession():
            if isinstance(state, Unopened | Closed):
                return ()
            return failed(state.file, command.stage, command.reason_code, command.reason)
        case RepeatStep():
            return () if isinstance(state, Unopened | Closed) else repeated(state)
        case _:
            if isinstance(state, Unopened | Closed) or state.file.erased:  # an erased session can only end
                return ()
            return _step_taken(state, command)


def _step_taken(state: Open, command: StepCommand) -> Sequence[AnyEvent]:
    """The route is the aggregate's: a step that is not due in this state makes no event (R1)."""
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
            is_due = isinstance(state, Verifying) and gatekeeper_rejects(file)
            return (verdict_issued(file, None),) if is_due else ()
        case BeginNextRound():
            return next_round(file) if isinstance(state, Concluding) else ()
        case CloseByTemplate():
            is_due = isinstance(state, Concluding) and file.round.route is not Route.COMPOSE and not may_retry(file)
            return completed(file) if is_due else ()
        case _:
            assert_never(command)


def _open(state: SessionState, command: OpenSession) -> Sequence[AnyEvent]:
    """A question is masked before it is recorded (R22). Opening again with the same key is harmless (R10)."""
    patterns = patterns_with(command.settings.mask_patterns)
    question, _ = mask(command.question.strip(), patterns)
    if fault := fault_of_question(question):
        raise InvalidCommand(fault)
    if not isinstance(state, Unopened):
        _check_same_request(state.file, question, command.request_hash)
        return ()
    facts = SessionOpenedFacts(
        now=command.now,
        clock=command.clock,
        settings=command.settings,
        rule_version=RULE_VERSION,
        prompt_hashes=command.prompt_hashes,
        has_key=command.has_key,
        request_hash=command.request_hash,
        language=command.language or language_of(question),
        template_version=TEMPLATE_VERSION,
        team=command.team,
        origin=command.origin,
        follows=command.follows,
    )
    history = tuple(turn.model_copy(update={"content": mask(turn.content, patterns)[0]}) for turn in command.history)
    content = SessionOpenedContent(
        question=question,
        history=history,
        sources=command.sources,
        agent=mask(command.agent, patterns)[0],
        base_url=command.base_url,
    )
    first = RoundStarted(facts=RoundStartedFacts(round=1), content=RoundStartedContent())
    return SessionOpened(facts=facts, content=content), first


def _check_same_request(file: CaseFile, question: str, asked: str | None) -> None:
    """R10: same key, another question, source or time: an error that names what differs."""
    recorded = file.opened.request_hash
    if file.erased:
        others, was = ["question"], "whose content has been erased"
    elif recorded and asked:
        others = differing(recorded, asked)
        was = f"asked with another {' and '.join(others)}" + (f": {file.question}" if "question" in others else "")
    else:  # recorded before requests were
        others, was = ["question"] if file.question != question else [], f"about another question: {file.question}"
    if others:
        raise InvalidCommand(f"this key belongs to session {file.session_id}, {was}")


def _cancel(state: SessionState, command: CancelSession) -> Sequence[AnyEvent]:
    if isinstance(state, Unopened):
        raise InvalidCommand("there is no such session")
    if isinstance(state, Closed):
        return ()
    reason = SessionCancelledContent(reason=state.file.masked(command.reason))
    return (SessionCancelled(content=ERASED if state.file.erased else reason),)


def _feedback(state: SessionState, command: GiveFeedback) -> Sequence[AnyEvent]:
    """Also on an erased session, where only the rating is kept: there is no key to seal a text with."""
    file = _ended(state)
    text = FeedbackGivenContent(text=file.masked(command.text))
    return (FeedbackGiven(facts=FeedbackGivenFacts(rating=command.rating), content=ERASED if file.erased else text),)


def _override(state: SessionState, command: OverrideVerdict) -> Sequence[AnyEvent]:
    """R53: what was recorded stays. On an erased session there is no key to seal the reason with."""
    file, reason = _ended(state), command.reason.strip()
    in_force = file.verdict_in_force
    if in_force is None:
        raise InvalidCommand("the session has no verdict that could be overridden")
    if in_force.verdict == command.verdict:
        raise InvalidCommand(f"the verdict in force is {in_force.verdict} already")
    if not reason:
        raise InvalidCommand("an override needs a reason")
    facts = VerdictOverriddenFacts(verdict=command.verdict, superseded_version=in_force.version)
    content = VerdictOverriddenContent(reason=file.masked(reason))
    return (VerdictOverridden(facts=facts, content=ERASED if file.erased else content),)


def _ended(state: SessionState) -> CaseFile:
    """What is known of a session that has ended. Raises InvalidCommand for any other."""
    if isinstance(state, Unopened):
        raise InvalidCommand("there is no such session")
    if not isinstance(state, Closed):
        raise InvalidCommand("the session has not ended yet")
    return state.file


def _erase(state: SessionState) -> Sequence[AnyEvent]:
    """Only of a session that has ended: nobody then writes more of it. Its event holds no text that could stay."""
    if isinstance(state, Unopened):
        raise InvalidCommand("there is no such session")
    if not isinstance(state, Closed):
        raise InvalidCommand("the session has not ended yet: cancel it first")
    return () if state.file.erasure_recorded else (SessionErased(content=ERASED),)
