"""One counter of tries for each step (R7, R72): given what happened, when it is begun again, then it counts or ends."""

from __future__ import annotations

from typing import Any

import pytest

from domain.contracts import Agent
from domain.events import SessionFailed, StepRepeated
from domain.model_reply import ModelReply
from domain.session.commands import CancelSession, InterruptTool, RepeatStep
from domain.session.repeating import MAX_TRIES
from domain.session.steps import MAX_TOOL_ATTEMPTS, RecordInterrupted, RunTool, Wait, next_step

PLAN = ModelReply(output='{"plan": ["查指标"]}')


def begun(session: Any, times: int) -> Any:
    for _ in range(times - 1):
        session.when(RepeatStep())
    return session


def test_a_step_that_is_begun_again_is_counted(given: Any) -> None:
    (event,) = given().opened().when(RepeatStep())
    assert isinstance(event, StepRepeated)
    assert (event.facts.stage, event.facts.tries) == ("planner", 2)


def test_behind_the_last_try_the_session_ends_and_says_why(given: Any) -> None:
    session = begun(given().opened(), MAX_TRIES)
    (end,) = session.when(RepeatStep())
    assert isinstance(end, SessionFailed)
    assert (end.facts.stage, end.facts.reason_code) == ("planner", "worker_lost")
    assert f"{MAX_TRIES} 次" in end.content.reason
    assert "工作进程" in end.content.answer


@pytest.mark.parametrize("tries", [1, MAX_TRIES - 1])
def test_whatever_else_is_recorded_ends_the_count(given: Any, tries: int) -> None:
    """Also a failed model call: an outage of the model server is counted by its own rule."""
    session = begun(given().opened(), tries)
    session.model(Agent.PLANNER, PLAN)
    assert session.file.tries == 1
    session.when(RepeatStep())
    assert session.file.tries == 2


def test_a_start_of_a_tool_belongs_to_the_step_that_begins_with_it(given: Any) -> None:
    """A tool that takes its worker down each time starts again and again; its own limit comes first."""
    session = given().executing().asked_for(("query_metrics", {"query": "x"}))
    for _ in range(MAX_TOOL_ATTEMPTS - 1):
        session.started()
        session.when(RepeatStep())
    session.started()
    assert session.file.tries == MAX_TOOL_ATTEMPTS
    session.when(RepeatStep())
    due = session.due
    assert isinstance(due, RecordInterrupted)
    session.when(InterruptTool(due.turn.step_index, due.call_index))
    assert session.file.tries == 1


def test_a_try_does_not_make_a_young_start_an_interrupted_one(given: Any) -> None:
    """R7: it is given up only once the worker that recorded it must have lost its message."""
    session = given().executing().asked_for(("restart", {}))
    session.started(read_only=False)
    session.later(1).when(RepeatStep())
    assert isinstance(next_step(session.state, session.now, 30.0), Wait)
    assert isinstance(next_step(session.later(30).state, session.now, 30.0), RecordInterrupted)


def test_a_try_changes_nothing_of_what_is_due(given: Any) -> None:
    session = given().executing().asked_for(("query_metrics", {"query": "x"}))
    before = session.due
    session.when(RepeatStep())
    assert isinstance(before, RunTool)
    assert session.due == before


def test_a_session_that_has_ended_begins_nothing(given: Any) -> None:
    session = given().opened()
    session.when(CancelSession())
    assert session.when(RepeatStep()) == ()


def test_an_erased_session_is_counted_without_a_text(given: Any) -> None:
    """R62: there is no key to seal one with."""
    (event,) = given().opened().erased().when(RepeatStep())
    assert event.content.erased
