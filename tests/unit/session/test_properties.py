"""What holds for any order of commands and of events (R7, R40): found, not thought of."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import given as for_any
from hypothesis import strategies as st

from domain.contracts import Agent
from domain.events import TERMINAL_TOPICS, Erased, RoundStarted, ToolCallStarted, ToolInvoked, ToolRequest
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.readjudication import Result, readjudicate
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
from domain.session.decide import InvalidCommand, decide
from domain.session.evolve import evolve, fold
from domain.session.state import Closed, Unopened
from domain.session.steps import (
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
)
from domain.session.tool_calls import Run, failed_outcome, prepare_call
from domain.settings import Budgets, SessionSettings

MANY = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
NOW = datetime(2026, 7, 8, tzinfo=UTC)
AFTER_THE_END = {"FeedbackGiven"}


def verifier_text(verification: str) -> str:
    fact = {"fact": "慢", "is_critical": True, "verification": verification, "detail": ""}
    judged = {"verdict": "PASS", "groundedness_score": 1, "critical_fact_count": 1, "rationale": ""}
    return json.dumps(judged | {"facts_checked": [fact]})


TEXTS = [
    "",
    "没有 JSON",
    '{"plan": ["查"]}',
    '{"claims": []}',
    "[]",
    *map(verifier_text, ("no_evidence", "contradicted")),
]
REQUESTS = st.lists(st.sampled_from(["query_logs", "restart"]), max_size=2).map(
    lambda names: tuple(ToolRequest(call_id=f"c{n}", tool_name=name, arguments="{}") for n, name in enumerate(names))
)
REPLIES = st.builds(ModelReply, st.sampled_from(TEXTS), tool_requests=REQUESTS, input_tokens=st.integers(0, 50))
OUTCOMES = st.one_of(REPLIES, REPLIES, st.sampled_from(ErrorKind).map(lambda kind: ModelFailure(kind, "down")))
ATTEMPTS, TURNS, CALLS = st.integers(1, 3), st.integers(0, 4), st.integers(0, 1)
RESULTS = st.just(failed_outcome("source", "", duration_ms=1_000))
BUDGETS = st.builds(
    Budgets,
    model_calls=st.integers(1, 3),
    tool_calls=st.integers(0, 2),
    tokens=st.integers(1, 100),
    seconds=st.integers(1, 3),
)
SETTINGS = st.builds(SessionSettings, budgets=BUDGETS, max_model_attempts=st.integers(1, 2))


def opening(question: str, chosen: SessionSettings) -> OpenSession:
    return OpenSession(question=question, now=NOW, clock="wall", settings=chosen, prompt_hashes={})


def model_call(agent: Agent, attempt: int, outcome: ModelReply | ModelFailure) -> RecordModelCall:
    return RecordModelCall(agent, attempt, "test", "0", (), outcome)


ANY_COMMAND: st.SearchStrategy[Command] = st.one_of(
    st.builds(model_call, st.sampled_from(Agent), ATTEMPTS, OUTCOMES),
    st.builds(StartTool, TURNS, CALLS, ATTEMPTS, st.booleans()),
    st.builds(FinishTool, TURNS, CALLS, st.integers(101, 120), st.just(Run({})), RESULTS),
    st.builds(InterruptTool, TURNS, CALLS),
    st.builds(StopExecutor, st.sampled_from(["tokens", "seconds"])),
    st.sampled_from([RunGatekeeper(), JudgeByCode(), BeginNextRound(), CloseByTemplate()]),
    st.sampled_from([FailSession("executor", "step_failed", ""), CancelSession(), GiveFeedback("wrong")]),
    st.builds(opening, st.sampled_from(["慢", "快", ""]), st.just(SessionSettings())),
)


ENDS = st.sampled_from([FailSession("executor", "step_failed", "坏了"), CancelSession("算了")])


def commands_for(step: Step, session: Any) -> st.SearchStrategy[Command]:
    """What an honest worker might record of the step that is due."""
    match step:
        case CallModel():
            return st.builds(model_call, st.just(step.agent), st.just(step.attempt), OUTCOMES)
        case RunTool():
            where, invocation_id = (step.turn.step_index, step.call_index), step.call.started_at
            start = st.builds(StartTool, *map(st.just, (*where, step.attempt)), st.booleans())
            finish = FinishTool(*where, invocation_id or 0, Run({}), failed_outcome("source", "", 1_000))
            return st.one_of(start, st.just(finish)) if step.call.attempts else start
        case Wait():
            session.later(step.seconds)
            return commands_for(session.due, session)
        case RecordInterrupted():
            return st.just(InterruptTool(step.turn.step_index, step.call_index))
        case EndExecutor():
            return st.just(StopExecutor(step.ended_by))
        case CheckEvidence():
            return st.just(RunGatekeeper())
        case IssueVerdict():
            return st.just(JudgeByCode())
        case StartRound():
            return st.just(BeginNextRound())
        case Conclude():
            return st.just(CloseByTemplate())
        case GiveUp():
            return st.just(FailSession(step.stage, step.reason_code, step.reason))


def some_history(given: Any, data: st.DataObject, *, stray: int) -> Any:
    """A session driven by a worker and, one time in `stray`, by any command at all."""
    session = given()
    session.when(opening("慢", data.draw(SETTINGS)))
    for _ in range(data.draw(st.integers(0, 25))):
        if session.due is None or data.draw(st.integers(1, stray)) == 1:
            command = data.draw(ANY_COMMAND)
        else:
            command = data.draw(commands_for(session.due, session))
        try:
            session.when(command)
        except InvalidCommand:
            assert isinstance(command, OpenSession | GiveFeedback)
    return session


@MANY
@for_any(data=st.data())
def test_no_order_of_commands_breaks_a_session(given: Any, data: st.DataObject) -> None:
    """R7, R40: at most two rounds, at most one end and nothing but feedback behind it; no call finished twice."""
    events = [entry.event for entry in some_history(given, data, stray=2).history]
    topics = [event.TOPIC for event in events]
    assert [event.facts.round for event in events if isinstance(event, RoundStarted)] in ([1], [1, 2])
    ends = [index for index, topic in enumerate(topics) if topic in TERMINAL_TOPICS]
    assert len(ends) <= 1
    assert set(topics[ends[0] + 1 :] if ends else ()) <= AFTER_THE_END
    calls = [(event.facts.step_index, event.facts.call_index) for event in events if isinstance(event, ToolInvoked)]
    assert len(calls) == len(set(calls))


@MANY
@for_any(data=st.data())
def test_no_tool_call_is_finished_without_a_start_of_its_own(given: Any, data: st.DataObject) -> None:
    """R7, R17."""
    started: set[int] = set()
    for entry in some_history(given, data, stray=3).history:
        if isinstance(entry.event, ToolCallStarted):
            started.add(entry.position)
        if isinstance(entry.event, ToolInvoked):
            assert entry.event.facts.invocation_id in started
            started.remove(entry.event.facts.invocation_id)


@MANY
@for_any(data=st.data())
def test_a_session_driven_by_a_worker_alone_always_ends(given: Any, data: st.DataObject) -> None:
    """R7, R40: every step that is due makes an event, and there is a last one. The budgets bound the steps."""
    session = given()
    session.when(opening("慢", data.draw(SETTINGS)))
    for _ in range(200):
        if session.due is None:
            break
        assert session.when(data.draw(commands_for(session.due, session))) != ()
    assert isinstance(session.state, Closed)


@MANY
@for_any(data=st.data())
def test_an_ended_session_decided_again_comes_out_the_same(given: Any, data: st.DataObject) -> None:
    """R59: whatever models and tools said, whichever way it ended, and whoever crashed on the way."""
    session = given()
    session.when(opening("慢", data.draw(SETTINGS)))
    while session.due is not None:
        ended = data.draw(st.integers(1, 20)) == 1
        session.when(data.draw(ENDS if ended else commands_for(session.due, session).map(partial(as_live, session))))
    done = readjudicate(session.history)
    assert (done.result, done.differences, done.missing) == (Result.SAME, (), "")


def as_live(session: Any, command: Command) -> Command:
    """A call is finished as its preparation says, which a worker takes from the domain."""
    if not isinstance(command, FinishTool):
        return command
    prepared = prepare_call(session.file, session.due, {"query_logs"})
    return replace(command, preparation=prepared, outcome=failed_outcome("timeout", "晚了", 1_000))


@MANY
@for_any(data=st.data())
def test_repeating_a_command_is_harmless(given: Any, data: st.DataObject) -> None:
    """R7, R10: a second worker with the same result records nothing. Feedback may be given again, and an unreadable
    judgement is as good as the retry that follows it (R39)."""
    session = some_history(given, data, stray=4)
    command = data.draw(ANY_COMMAND if session.due is None else commands_for(session.due, session))
    try:
        session.when(command)
    except InvalidCommand:
        return
    is_judgement = isinstance(command, RecordModelCall) and command.agent is Agent.VERIFIER
    assert session.when(command) == () or is_judgement or isinstance(command, GiveFeedback)


@MANY
@for_any(data=st.data())
def test_no_order_of_events_stops_the_fold(given: Any, data: st.DataObject) -> None:
    """R7, R62: whatever is recorded has happened, in any order, several times, erased or not."""
    history = some_history(given, data, stray=8).history
    state = fold(())
    for entry in data.draw(st.lists(st.sampled_from(history), max_size=40)):
        if data.draw(st.booleans()):
            entry = replace(entry, event=entry.event.model_copy(update={"content": Erased()}))
        state = evolve(state, entry)
        if not isinstance(state, Unopened | Closed):
            next_step(state, NOW)


@MANY
@for_any(data=st.data())
def test_an_erased_session_takes_no_step_but_its_end(given: Any, data: st.DataObject) -> None:
    """R62."""
    session = some_history(given, data, stray=8).erased()
    command = data.draw(ANY_COMMAND)
    try:
        events = decide(session.state, command)
    except InvalidCommand:
        return
    assert {event.TOPIC for event in events} <= {"SessionFailed", "SessionCancelled", "FeedbackGiven"}
    assert all(isinstance(event.content, Erased) for event in events)
