"""The whole chain with a scripted model: every route, one phase a message, commands beside the work (R1, R10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from domain.contracts import Agent
from domain.events import AgentStepRecorded, SessionCancelled, ToolCallStarted, ToolInvoked
from domain.session.commands import CancelSession, GiveFeedback
from domain.session.decide import InvalidCommand
from domain.session.evolve import fold
from domain.session.state import Closed, SessionState
from domain.settings import Budgets, SessionSettings
from handlers.runner import Behind
from tests.integration.chain import CLAIM, SESSION, House, run, to_the_end

# ---------------------------------------------------------------- every route


def test_a_proven_claim_goes_through_the_whole_chain() -> None:
    """R1: each step once, in order, and the answer at the end."""
    house = House()
    end = run(house)
    assert (end.facts.outcome, end.facts.verdict, end.content.answer) == ("NORMAL", "PASS", CLAIM)
    assert house.log.topics == [
        "SessionOpened",
        "RoundStarted",
        "AgentStepRecorded",
        "PlanProduced",
        "AgentStepRecorded",
        "ToolCallStarted",
        "ToolInvoked",
        "AgentStepRecorded",
        "ExecutorAnswered",
        "GatekeeperChecked",
        "AgentStepRecorded",
        "VerdictIssued",
        "AgentStepRecorded",
        "AnswerComposed",
        "RuleEvaluated",
        "SessionCompleted",
    ]


@pytest.mark.parametrize(
    ("classes", "outcome", "verdict", "rounds"),
    [
        (("indirect_support",), "LOW_CONFID_WITH_DISCLAIMER", "LOW_CONFID", 1),
        (("no_evidence", "direct_evidence"), "NORMAL", "PASS", 2),
        (("no_evidence", "no_evidence"), "LOW_CONFID_WITH_DISCLAIMER", "LOW_CONFID", 2),
        (("contradicted",), "DEGRADED", "REJECT", 1),
    ],
)
def test_the_verdict_decides_the_route(classes: tuple[str, ...], outcome: str, verdict: str, rounds: int) -> None:
    """R1, R40, section 7."""
    house = House(classes)
    end = run(house)
    assert (end.facts.outcome, end.facts.verdict, end.facts.rounds) == (outcome, verdict, rounds)
    assert len(house.tool.runs) == rounds


def test_the_model_gets_the_prompt_the_payload_and_the_tools_that_are_there() -> None:
    """R3, R42: tools for the Executor alone."""
    house = House()
    run(house)
    assert [messages[0]["content"] for messages in house.calls] == [
        "你是 planner",
        "你是 executor",
        "你是 executor",
        "你是 verifier",
        "你是 composer",
    ]
    assert [bool(tools) for tools in house.offered] == [False, True, True, False, False]


def test_in_its_last_call_the_executor_is_offered_no_tools() -> None:
    """R3."""
    house = House()
    run(house, SessionSettings(budgets=Budgets(tool_calls=1)))
    assert [bool(tools) for tools in house.offered] == [False, True, False, False, False]
    assert house.log.of(AgentStepRecorded)[2].content.input[-1]["role"] == "user"


def test_the_invocation_id_that_a_tool_is_given_is_the_recorded_one() -> None:
    """R17."""
    house = House()
    run(house)
    (start,) = [entry for entry in house.log.history if isinstance(entry.event, ToolCallStarted)]
    assert house.tool.runs == [start.position]
    assert house.log.of(ToolInvoked)[0].facts.invocation_id == start.position


# ---------------------------------------------------------------- phases and messages


def test_a_phase_is_taken_alone() -> None:
    """R1: the event it ends with triggers the next."""
    house = House()

    async def session() -> None:
        await house.opened()
        await house.worker().advance(SESSION, "planner")
        assert house.log.topics[-1] == "PlanProduced"
        await house.worker().advance(SESSION, "executor")
        assert house.log.topics[-1] == "ExecutorAnswered"

    asyncio.run(session())


@pytest.mark.parametrize("phase", ["planner", "executor", "gatekeeper", "verifier", "composer"])
def test_a_message_that_comes_late_does_nothing(phase: str) -> None:
    """R7: delivered again after its step, or after the session's end."""
    house = House()
    run(house)
    before, runs = list(house.log.history), list(house.tool.runs)
    asyncio.run(house.worker().advance(SESSION, phase))
    assert (house.log.history, house.tool.runs) == (before, runs)


def test_a_message_for_a_later_phase_does_nothing_yet() -> None:
    """R1."""
    house = House()

    async def session() -> None:
        await house.opened()
        await house.worker().advance(SESSION, "executor")
        assert house.log.topics == ["SessionOpened", "RoundStarted"]

    asyncio.run(session())


def test_a_replica_that_does_not_know_the_trigger_yet_is_not_believed() -> None:
    """R7: else the message would be acknowledged, and the session left without a next step."""
    house = House()

    async def session() -> None:
        await house.opened()
        house.log.hidden = 1
        with pytest.raises(Behind, match="known up to version 1, not 2"):
            await house.worker().advance(SESSION, "planner", version=2)

    asyncio.run(session())


def test_an_unknown_session_is_left_alone() -> None:
    """R7."""
    house = House()
    asyncio.run(house.worker().advance(SESSION))
    assert house.log.history == []


# ---------------------------------------------------------------- commands beside the work


def test_a_session_cancelled_during_a_model_call_ends_cancelled() -> None:
    """R10: what the worker was doing is dropped."""
    house = House()

    async def session() -> SessionState:
        await house.opened()

        def cancel(_: Agent) -> None:
            house.failing = lambda _: None
            task = asyncio.ensure_future(house.worker("user").submit(SESSION, CancelSession("问错了")))
            tasks.append(task)

        tasks: list[Any] = []
        house.failing = cancel  # type: ignore[assignment]  # a script that cancels instead of failing
        state = await house.worker().advance(SESSION, "planner")
        await asyncio.gather(*tasks)
        return fold(await house.log.load(SESSION)) if not isinstance(state, Closed) else state

    state = asyncio.run(session())
    assert isinstance(state, Closed)
    assert isinstance(state.end, SessionCancelled)


def test_feedback_before_the_end_is_refused_and_after_it_recorded() -> None:
    """R10."""
    house = House()

    async def session() -> None:
        await house.opened()
        with pytest.raises(InvalidCommand):
            await house.worker().submit(SESSION, GiveFeedback("wrong"))
        await to_the_end(house.worker())
        await house.worker("user-1").submit(SESSION, GiveFeedback("wrong", "不对"))

    asyncio.run(session())
    assert (house.log.topics[-1], house.log.history[-1].actor) == ("FeedbackGiven", "user-1")


def test_two_who_open_the_same_session_at_once_meet_in_the_log() -> None:
    """R10: the conflict check of version 1 is the idempotency check."""
    house = House()

    async def session() -> None:
        await asyncio.gather(house.opened(), house.opened())

    asyncio.run(session())
    assert house.log.topics == ["SessionOpened", "RoundStarted"]
