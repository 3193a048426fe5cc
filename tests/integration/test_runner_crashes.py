"""The whole chain with a scripted model, with two workers and with a crash at every append (R7, R51)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from domain.events import AgentStepRecorded, ToolCallStarted, ToolInvoked
from domain.session.state import Closed, SessionState
from handlers.runner import SessionRunner, Superseded
from tests.integration.chain import SESSION, CountingTool, Crash, House, check_tool_runs, run, to_the_end


async def redelivered(runner: SessionRunner) -> None:
    """A worker whose message comes again whenever it was left alone."""
    for _ in range(200):
        try:
            if isinstance(await runner.advance(SESSION), Closed):
                return
        except Superseded:
            await asyncio.sleep(0.001)
    raise AssertionError("the session does not end")


@pytest.mark.parametrize("classes", [("direct_evidence",), ("no_evidence", "direct_evidence")])
def test_two_workers_on_one_session_record_each_step_once(classes: tuple[str, ...]) -> None:
    """R7, R51: one append wins, the other drops its work; a tool runs only behind a recorded start of its own."""
    house = House(classes)

    async def session() -> None:
        await house.opened()
        await asyncio.gather(redelivered(house.worker("a")), redelivered(house.worker("b")))

    asyncio.run(session())
    steps = [step.facts.step_index for step in house.log.of(AgentStepRecorded)]
    assert steps == list(range(len(steps)))
    check_tool_runs(house, finished=len(classes))
    assert house.log.topics.count("SessionCompleted") == 1


def test_the_worker_that_records_second_drops_its_work() -> None:
    """R7, R51: the phase is over for both."""
    house = House()

    async def session() -> None:
        await house.opened()
        await asyncio.gather(*(house.worker(name).advance(SESSION, "planner") for name in ("a", "b")))

    asyncio.run(session())
    assert house.log.topics.count("PlanProduced") == 1


def test_a_worker_that_meets_another_in_its_phase_leaves_the_phase_to_it() -> None:
    """R7, R51: its message comes again, should the other one die."""
    house = House()

    async def session() -> list[Any]:
        await house.opened()
        await house.worker().advance(SESSION, "planner")
        both = (house.worker(name).advance(SESSION, "executor") for name in ("a", "b"))
        return await asyncio.gather(*both, return_exceptions=True)

    results = asyncio.run(session())
    assert [type(result) for result in results].count(Superseded) == 1
    assert house.log.topics.count("ExecutorAnswered") == 1
    check_tool_runs(house, finished=1)


# ---------------------------------------------------------------- crashes


@pytest.mark.parametrize("stored", [True, False], ids=["after", "before"])
@pytest.mark.parametrize("classes", [("direct_evidence",), ("no_evidence", "direct_evidence"), ("contradicted",)])
def test_a_crash_at_any_append_changes_nothing_of_the_result(classes: tuple[str, ...], stored: bool) -> None:
    """R7: a new worker goes on from the log, and no finished tool call runs again."""
    whole = House(classes)
    expected = run(whole)
    for crash_at in range(2, whole.log.appends + 1):
        house = House(classes)

        async def session(house: House = house, crash_at: int = crash_at) -> SessionState:
            await house.opened()
            house.log.crash_at, house.log.stored_before_crash = crash_at, stored
            with pytest.raises(Crash):
                await to_the_end(house.worker("first"))
            return await to_the_end(house.worker("second"))

        state = asyncio.run(session())
        assert isinstance(state, Closed)
        assert state.end == expected, f"crash {crash_at}"
        again = [t for t in house.log.topics if t != "ToolCallStarted"]
        assert again == [t for t in whole.log.topics if t != "ToolCallStarted"]
        check_tool_runs(house, finished=len(whole.tool.runs))


def test_a_tool_that_may_not_run_twice_is_recorded_as_interrupted_after_a_crash() -> None:
    """R7."""
    house = House(tool=CountingTool(read_only=False))

    async def session() -> None:
        await house.opened()
        await house.worker().advance(SESSION, "planner")
        house.log.crash_at, house.log.stored_before_crash = house.log.appends + 3, False
        with pytest.raises(Crash):
            await house.worker().advance(SESSION, "executor")
        assert (len(house.tool.runs), house.log.topics[-1]) == (1, "ToolCallStarted")
        await to_the_end(house.worker())

    asyncio.run(session())
    assert house.log.of(ToolInvoked)[0].facts.error_kind == "interrupted"
    first = house.log.of(ToolCallStarted)[0].facts
    assert [start.facts.attempt for start in house.log.of(ToolCallStarted) if start.facts.round == first.round] == [1]
