"""The whole chain with a scripted model, when models, tools, sources and the log fail (R7)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from domain.contracts import Agent
from domain.events import AgentStepRecorded, ExecutorAnswered, Recorded, ToolInvoked
from domain.model_reply import ErrorKind, ModelFailure
from domain.session.state import Closed
from domain.settings import Budgets, SessionSettings
from infra.event_log.errors import LogUnavailable
from infra.tools.contract import ToolResult
from tests.integration.chain import CLAIM, SESSION, CountingTool, House, MemoryLog, run, to_the_end


@pytest.mark.parametrize(
    ("kind", "attempts"), [(ErrorKind.AUTH, 1), (ErrorKind.UNREACHABLE, 2), (ErrorKind.RATE_LIMITED, 2)]
)
def test_a_model_that_is_down_ends_the_session_with_the_reason(kind: ErrorKind, attempts: int) -> None:
    """R7: tried again only where that can help."""
    end = run(house := House(failing=lambda _: ModelFailure(kind, "down", retry_after_s=0.0)))
    assert (end.TOPIC, end.facts.reason_code, end.content.reason) == ("SessionFailed", f"model_{kind}", "down")
    assert [step.facts.attempt for step in house.log.of(AgentStepRecorded)] == list(range(1, attempts + 1))


def test_a_composer_that_is_down_keeps_the_pass() -> None:
    """R7, R46."""
    down = ModelFailure(ErrorKind.SERVER, "down")
    end = run(House(failing=lambda agent: down if agent is Agent.COMPOSER else None))
    assert (end.facts.verdict, end.content.answer) == ("PASS", f"经核对的证据可以确认：\n- {CLAIM}")


def raises() -> Any:
    raise RuntimeError("password=hunter2")


async def hangs() -> Any:
    await asyncio.sleep(3600)


@pytest.mark.parametrize(
    ("behave", "kind"),
    [
        (raises, "crash"),
        (hangs, "timeout"),
        (lambda: "no ToolResult", "crash"),
        (lambda: ToolResult("", False, "连不上", "source"), "source"),
    ],
)
def test_a_tool_that_fails_is_recorded_and_proves_nothing(behave: Any, kind: str) -> None:
    """R7, R19: whatever it raises or returns, and if it never returns."""
    house = House(tool=CountingTool(behave))
    end = run(house, tool_timeout_s=0.05)
    for invoked in house.log.of(ToolInvoked):
        assert (invoked.facts.error_kind, invoked.facts.evidence_status) == (kind, "failed")
        assert "hunter2" not in invoked.model_dump_json()
    assert end.facts.verdict != "PASS"


@pytest.mark.parametrize(
    "house", [House(tool=CountingTool(hangs)), House(silent=Agent.EXECUTOR)], ids=["tool", "model"]
)
def test_the_executor_is_cut_off_when_the_rounds_time_is_up(house: House) -> None:
    """R3: the budget bounds the call that is under way, of a tool or of the model."""

    async def session() -> None:
        await house.opened(SessionSettings(budgets=Budgets(seconds=1)))
        await to_the_end(house.worker())

    asyncio.run(asyncio.wait_for(session(), 30))
    assert {answered.facts.ended_by for answered in house.log.of(ExecutorAnswered)} == {"seconds"}


@pytest.mark.parametrize("phase", ["planner", "executor"])
def test_a_workbench_that_cannot_be_built_is_the_deliverys_affair(phase: str) -> None:
    """R7: nothing is recorded, the message is tried again, elsewhere or later."""
    house = House()

    async def session() -> None:
        await house.opened()
        if phase == "executor":
            await house.worker().advance(SESSION, "planner")
        before = list(house.log.history)
        house.broken = FileNotFoundError("the folder has vanished")
        with pytest.raises(FileNotFoundError):
            await house.worker().advance(SESSION, phase)
        assert house.log.history == before

    asyncio.run(session())


def test_checking_and_answering_by_template_need_no_workbench() -> None:
    """R7: a folder that has vanished meanwhile stops only what reads it."""
    house = House(("contradicted",))

    async def session() -> None:
        await house.opened()
        for phase in ("planner", "executor"):
            await house.worker().advance(SESSION, phase)
        house.broken = FileNotFoundError("the folder has vanished")
        await house.worker().advance(SESSION, "gatekeeper")
        house.broken = None
        await house.worker().advance(SESSION, "verifier")
        house.broken = FileNotFoundError("the folder has vanished")
        assert isinstance(await house.worker().advance(SESSION, "composer"), Closed)

    asyncio.run(session())


def test_a_session_that_keeps_failing_is_given_up_with_the_reason() -> None:
    """R7."""
    house = House()

    async def session() -> None:
        await house.opened()
        await house.worker().give_up(SESSION, "planner", ValueError("token=abc123def"))

    asyncio.run(session())
    end = house.log.history[-1].event
    assert (end.facts.stage, end.facts.reason_code) == ("planner", "step_failed")
    assert end.content.reason == "步骤 planner 反复失败：ValueError: token=[masked:secret]"


def test_a_session_that_has_gone_on_is_not_given_up() -> None:
    """R7: another worker could do what this one could not."""
    house = House()

    async def session() -> None:
        await house.opened()
        await house.worker().advance(SESSION, "planner")
        before = list(house.log.history)
        await house.worker().give_up(SESSION, "planner", ValueError())
        assert house.log.history == before

    asyncio.run(session())


def test_an_unreachable_log_is_told_and_nothing_is_answered() -> None:
    """R67: nothing is answered that was not recorded."""

    class Away(MemoryLog):
        async def append(self, *_: Any, **__: Any) -> tuple[Recorded, ...]:
            raise LogUnavailable("the log did not answer")

    house = House()
    asyncio.run(house.opened())
    away = replace(house, log=Away(history=list(house.log.history)))
    with pytest.raises(LogUnavailable):
        asyncio.run(away.worker().advance(SESSION, "planner"))
    assert away.log.topics == ["SessionOpened", "RoundStarted"]
