"""Which step is due: the aggregate decides the route, not a prompt and not a handler (R1)."""

from __future__ import annotations

import json
from typing import Any

from domain.contracts import Agent
from domain.events import ToolRequest
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.session.commands import FinishTool, RecordModelCall, StartTool, StopExecutor
from domain.session.steps import CallModel, CheckEvidence, EndExecutor, RecordInterrupted, RunTool, next_step
from domain.session.tool_calls import Refuse
from domain.settings import Budgets, SessionSettings

PLAN = ModelReply(output=json.dumps({"selected_skill": None, "selection_reason": "", "plan": ["查"], "reasoning": ""}))


def asks_for(*names: str) -> ModelReply:
    requests = tuple(ToolRequest(call_id=f"c{i}", tool_name=name, arguments="{}") for i, name in enumerate(names))
    return ModelReply(output="", tool_requests=requests, input_tokens=100, output_tokens=10)


def failed(agent: Agent, attempt: int, kind: ErrorKind = ErrorKind.SERVER) -> RecordModelCall:
    return RecordModelCall(agent, attempt, "test", "0" * 64, (), ModelFailure(kind, "HTTP 500"))


def executing(given: Any, settings: SessionSettings | None = None) -> Any:
    session = given(settings).opened()
    session.replied(Agent.PLANNER, PLAN)
    return session


def test_an_opened_session_asks_the_planner_first(given: Any) -> None:
    """R1."""
    assert given().opened().due == CallModel(Agent.PLANNER, attempt=1, delay_s=0.0)


def test_the_plan_leads_to_the_executor_and_its_answer_to_the_gatekeeper(given: Any) -> None:
    """R1."""
    session = executing(given)
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1, delay_s=0.0)
    session.replied(Agent.EXECUTOR, ModelReply(output="没有 JSON"))
    assert session.due == CheckEvidence()


def test_a_tool_call_is_run_before_the_model_is_asked_again(given: Any) -> None:
    """R3: each call in the order the model asked for it."""
    session = executing(given)
    session.replied(Agent.EXECUTOR, asks_for("query_logs", "query_metrics"))
    step = session.due
    assert isinstance(step, RunTool)
    assert (step.call.request.tool_name, step.attempt) == ("query_logs", 1)


def test_a_started_read_only_call_without_result_is_run_again_as_a_new_attempt(given: Any) -> None:
    """R7: a crash between start and result."""
    session = executing(given)
    session.replied(Agent.EXECUTOR, asks_for("query_logs"))
    session.when(StartTool(step_index=1, call_index=0, attempt=1, read_only=True))
    step = session.due
    assert isinstance(step, RunTool)
    assert step.attempt == 2


def test_a_started_call_that_may_not_be_repeated_is_recorded_as_interrupted(given: Any) -> None:
    """R7."""
    session = executing(given)
    session.replied(Agent.EXECUTOR, asks_for("restart_pod"))
    session.when(StartTool(step_index=1, call_index=0, attempt=1, read_only=False))
    assert isinstance(session.due, RecordInterrupted)


def test_a_transient_failure_is_tried_again_with_growing_delay(given: Any) -> None:
    """R7."""
    session = given().opened()
    session.when(failed(Agent.PLANNER, 1))
    assert session.due == CallModel(Agent.PLANNER, attempt=2, delay_s=0.5)
    session.when(failed(Agent.PLANNER, 2))
    assert session.due == CallModel(Agent.PLANNER, attempt=3, delay_s=1.0)


def test_the_last_model_call_of_the_budget_must_answer_and_none_follows(given: Any) -> None:
    """R3: budget of model calls."""
    session = executing(given, SessionSettings(budgets=Budgets(model_calls=2)))
    session.replied(Agent.EXECUTOR, asks_for("query_logs"))
    session.when(StartTool(step_index=1, call_index=0, attempt=1, read_only=True))
    session.when(FinishTool(1, 0, session.history[-1].position, Refuse("unknown_tool", "没有")))
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1, delay_s=0.0, must_answer=True)
    session.replied(Agent.EXECUTOR, ModelReply(output=""))
    assert session.due == CheckEvidence()


def test_a_spent_budget_ends_the_executor_with_what_it_has(given: Any) -> None:
    """R3: tokens and seconds; the event says which budget it was."""
    tokens = executing(given, SessionSettings(budgets=Budgets(tokens=100)))
    tokens.replied(Agent.EXECUTOR, asks_for("query_logs"))
    tokens.when(StartTool(step_index=1, call_index=0, attempt=1, read_only=True))
    tokens.when(FinishTool(1, 0, tokens.history[-1].position, Refuse("unknown_tool", "没有")))
    assert tokens.due == EndExecutor("tokens")
    (answered,) = tokens.when(StopExecutor("tokens"))
    assert (answered.facts.ended_by, answered.facts.parse_state) == ("tokens", "missing")

    seconds = executing(given).later(600)
    assert seconds.due == EndExecutor("seconds")


def test_an_unknown_session_has_nothing_due(given: Any) -> None:
    assert given().due is None
    assert next_step(given().state, given().now) is None
