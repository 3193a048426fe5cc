"""Which step is due: the aggregate decides the route, not a prompt and not a handler (R1)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from domain.contracts import Agent, Severity
from domain.events import ExecutorAnswered, SessionErased
from domain.model_reply import ErrorKind, ModelReply
from domain.session.commands import BeginNextRound, CloseByTemplate, JudgeByCode, StopExecutor
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
    Wait,
    next_step,
)
from domain.session.tool_calls import failed_outcome
from domain.settings import Budgets, SessionSettings

LOGS, METRICS = ("query_logs", {}), ("query_metrics", {})


def test_nothing_is_due_before_a_session_is_opened_and_after_it_has_ended(given: Any) -> None:
    """R1, R7."""
    assert given().due is None
    session = given().concluding()
    session.model(Agent.COMPOSER, ModelReply(output="[]"))
    assert session.due is None


def test_each_recorded_event_makes_the_next_step_due(given: Any, say: Any) -> None:
    """R1: Planner, Executor, Gatekeeper, Verifier, Composer."""
    session = given().opened()
    assert session.due == CallModel(Agent.PLANNER, attempt=1)
    session.model(Agent.PLANNER, say.plan)
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1)
    done = session.looked()
    session.answered(say.memory_claim(done.id))
    assert session.due == CheckEvidence()
    session.checked()
    assert session.due == CallModel(Agent.VERIFIER, attempt=1)
    session.verified(claim_1="direct_evidence")
    assert session.due == CallModel(Agent.COMPOSER, attempt=1)


def test_a_rejecting_gatekeeper_makes_a_verdict_due_without_the_verifier(given: Any, say: Any) -> None:
    """R32."""
    session = given().executing()
    done = session.looked()
    session.answered(say.claim(done.id, "order-service 内存使用率 99%", "HighMemoryUsage firing, 99%", "$.alerts[0]"))
    (checked,) = session.checked()
    assert checked.facts.severity is Severity.REJECT
    assert session.due == IssueVerdict()


@pytest.mark.parametrize(
    ("verification", "step"),
    [
        ("direct_evidence", CallModel(Agent.COMPOSER, 1)),
        ("no_evidence", StartRound()),
        ("contradicted", Conclude()),
        ("indirect_support", Conclude()),  # LOW_CONFID, 0.6
    ],
)
def test_the_verdict_of_round_1_decides_the_route(given: Any, verification: str, step: Any) -> None:
    """R1, section 7."""
    assert given().concluding(verification).due == step


def test_a_verdict_of_round_2_starts_no_third(given: Any, say: Any) -> None:
    """R40."""
    session = given().concluding("no_evidence")
    session.when(BeginNextRound())
    session.model(Agent.PLANNER, say.plan)
    done = session.looked()
    session.answered(say.memory_claim(done.id)).checked()
    session.verified(claim_1="no_evidence")
    assert session.due == Conclude()


def test_tool_calls_are_run_in_the_order_the_model_asked_for_them(given: Any, say: Any) -> None:
    """R3."""
    session = given().executing().asked_for(LOGS, METRICS)
    assert session.due.call.request.tool_name == "query_logs"
    session.tool(say.no_logs)
    assert session.due.call.request.tool_name == "query_metrics"
    session.tool(say.alerts)
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1)


# ---------------------------------------------------------------- failures and crashes


def test_a_failed_model_call_is_due_again_after_a_delay_that_doubles(given: Any, say: Any) -> None:
    """R7."""
    session = given().opened()
    session.model(Agent.PLANNER, say.failure())
    assert session.due == Wait(0.5)
    assert session.later(0.2).due == Wait(0.3)
    assert session.later(0.3).due == CallModel(Agent.PLANNER, attempt=2)
    session.model(Agent.PLANNER, say.failure())
    assert session.due == Wait(1.0)


def test_a_clock_that_is_behind_the_record_makes_nobody_wait(given: Any, say: Any) -> None:
    """R7: another worker's clock recorded the failure."""
    session = given().opened()
    session.model(Agent.PLANNER, say.failure())
    assert session.later(-3600).due == CallModel(Agent.PLANNER, attempt=2)


def test_a_started_read_only_call_without_result_is_run_again_as_a_new_attempt(given: Any) -> None:
    """R7: a crash between start and result."""
    session = given().executing().asked_for(LOGS)
    session.started()
    step = session.due
    assert isinstance(step, RunTool)
    assert step.attempt == 2


def test_a_call_that_takes_its_worker_down_each_time_is_not_started_for_ever(given: Any) -> None:
    """R7: the fifth start without a result is the last."""
    session = given().executing().asked_for(LOGS)
    for _ in range(5):
        session.started()
    assert isinstance(session.due, RecordInterrupted)


def test_a_started_call_that_may_not_be_repeated_is_recorded_as_interrupted(given: Any) -> None:
    """R7."""
    session = given().executing().asked_for(("restart_pod", {}))
    session.started(read_only=False)
    assert isinstance(session.due, RecordInterrupted)


@pytest.mark.parametrize("how", ["key destroyed", "erasure recorded"])
def test_an_erased_session_can_only_be_given_up(given: Any, how: str) -> None:
    """R7, R62."""
    session = given().executing()
    if how == "key destroyed":
        session.erased()
    else:
        session.happened(SessionErased())
    assert session.due == GiveUp("executor", "erased", "会话内容已被擦除")


# ---------------------------------------------------------------- budgets


def test_the_last_model_call_of_the_budget_must_answer(given: Any) -> None:
    """R3: model calls, failed ones included; the event says which budget it was."""
    session = given(SessionSettings(budgets=Budgets(model_calls=2))).executing()
    session.looked()
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1, must_answer=True)
    _, answered = session.model(Agent.EXECUTOR, ModelReply(output="查到的就是这些"))
    assert answered.facts.ended_by == "model_calls"


def test_a_model_that_asks_for_tools_in_its_last_call_gets_none(given: Any) -> None:
    """R3: model calls."""
    session = given(SessionSettings(budgets=Budgets(model_calls=2))).executing()
    session.looked()
    session.asked_for(LOGS)
    assert session.due == EndExecutor("model_calls")


def test_failed_model_calls_count(given: Any, say: Any) -> None:
    """R3: model calls."""
    session = given(SessionSettings(budgets=Budgets(model_calls=2))).executing()
    session.model(Agent.EXECUTOR, say.failure())
    session.model(Agent.EXECUTOR, say.failure())
    assert session.later(60).due == EndExecutor("model_calls")


def test_after_the_last_tool_call_of_the_budget_the_model_must_answer(given: Any) -> None:
    """R3: tool calls."""
    session = given(SessionSettings(budgets=Budgets(tool_calls=1))).executing()
    session.looked()
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1, must_answer=True)
    _, answered = session.model(Agent.EXECUTOR, ModelReply(output="查到的就是这些"))
    assert answered.facts.ended_by == "tool_calls"


def test_a_call_that_the_tokens_will_just_allow_must_answer(given: Any) -> None:
    """R3: tokens; the next call takes no fewer than the one before."""
    session = given(SessionSettings(budgets=Budgets(tokens=200))).executing()
    session.asked_for(LOGS, tokens=99).tool()
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1)
    session.asked_for(METRICS, tokens=60).tool()
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1, must_answer=True)
    _, answered = session.model(Agent.EXECUTOR, ModelReply(output="查到的就是这些", input_tokens=60))
    assert answered.facts.ended_by == "tokens"


def test_spent_tokens_end_the_executor_with_what_it_has(given: Any) -> None:
    """R3: tokens. What the model asked for last is not run: it could not read the answer."""
    session = given(SessionSettings(budgets=Budgets(tokens=100))).executing().asked_for(LOGS, tokens=100)
    assert session.due == EndExecutor("tokens")
    (answered,) = session.when(StopExecutor("tokens"))
    assert isinstance(answered, ExecutorAnswered)
    assert (answered.facts.ended_by, answered.facts.parse_state) == ("tokens", "missing")
    assert answered.content.parsed.status.detail.endswith("the round's budget of tokens is used up")


def test_seconds_are_those_of_model_and_tool_calls(given: Any) -> None:
    """R3: seconds. A night in which no worker was at it uses none up."""
    session = given(SessionSettings(budgets=Budgets(seconds=10))).executing().later(86_400)
    session.asked_for(LOGS, METRICS).tool(failed_outcome("timeout", "", duration_ms=9_999))
    assert isinstance(session.due, RunTool)
    session.tool(failed_outcome("timeout", "", duration_ms=1))
    assert session.due == EndExecutor("seconds")


def test_a_new_round_has_its_budgets_again(given: Any, say: Any) -> None:
    """R3: budgets per round."""
    session = given(SessionSettings(budgets=Budgets(model_calls=2, tool_calls=1))).concluding("no_evidence")
    session.when(BeginNextRound())
    session.model(Agent.PLANNER, say.plan)
    assert session.due == CallModel(Agent.EXECUTOR, attempt=1)


# ---------------------------------------------------------------- what is not due makes no event


@pytest.mark.parametrize("command", [BeginNextRound(), CloseByTemplate(), JudgeByCode()])
def test_a_pass_is_answered_by_the_composer_and_by_nothing_else(given: Any, command: Any) -> None:
    """R1: a handler cannot choose another route."""
    assert given().concluding("direct_evidence").when(command) == ()


def test_a_round_that_is_due_cannot_be_skipped(given: Any) -> None:
    """R1, section 7."""
    assert given().concluding("no_evidence").when(CloseByTemplate()) == ()


def test_code_judges_only_what_the_gatekeeper_rejects(given: Any, say: Any) -> None:
    """R32."""
    session = given().executing()
    session.answered(say.memory_claim(session.looked().id)).checked()
    assert session.when(JudgeByCode()) == ()


@pytest.mark.parametrize("verification", ["no_evidence", "contradicted", "indirect_support"])
def test_the_composer_is_not_asked_for_anything_but_a_pass(given: Any, verification: str) -> None:
    """R6, section 7."""
    assert given().concluding(verification).model(Agent.COMPOSER, ModelReply(output="[]")) == ()


def test_a_model_that_is_not_due_records_nothing(given: Any, say: Any) -> None:
    """R1."""
    session = given().opened()
    assert session.model(Agent.EXECUTOR, ModelReply(output="{}")) == ()
    assert session.model(Agent.VERIFIER, say.failure(ErrorKind.AUTH)) == ()


def test_the_executor_is_not_asked_while_a_tool_call_is_without_result(given: Any) -> None:
    """R3."""
    session = given().executing().asked_for(LOGS)
    assert session.model(Agent.EXECUTOR, ModelReply(output="{}")) == ()
    session.started()
    assert session.model(Agent.EXECUTOR, ModelReply(output="{}")) == ()


def test_a_start_younger_than_the_acknowledgement_wait_is_not_declared_interrupted(given: Any) -> None:
    """R7: a message that was given to two workers: the first may be running the tool still."""
    session = given().executing().asked_for(LOGS)
    session.started(read_only=False)
    started = session.file.head.time
    assert next_step(session.state, started + timedelta(seconds=4), 30.0) == Wait(26.0)
    assert isinstance(next_step(session.state, started + timedelta(seconds=30), 30.0), RecordInterrupted)
    assert isinstance(next_step(session.state, started - timedelta(seconds=1), 30.0), RecordInterrupted)
