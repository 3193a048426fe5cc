"""What is worked through in a process apart comes out as it would here, and stays within its limits (R72)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from domain.contracts import RetrievalDetails, ToolClass
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.settings import SessionSettings
from handlers import heavy_work, tool_run
from handlers.tool_run import run_tool
from infra.models.extractive import app as extractive
from infra.reading.limits import LimitKind, Limits, ReadingLimit
from infra.reading.processes import ReadingProcesses
from infra.scenario.scenario import sample_scenario
from infra.tools.contract import ToolContext, ToolResult
from tests.integration.chain import House, run
from tests.long.hostile_tools import lines

LOGS = json.dumps(
    {"logs": [{"message": f"order-service failed password=s3cret {n}", "level": "ERROR"} for n in range(900)]}
)


class Told:
    """A tool that says what it is given to say."""

    name, description, parameters, tool_class, read_only = "told", "", dict[str, Any](), ToolClass.LIVE, True

    def __init__(self, result: Any) -> None:
        self._result = result

    async def run(self, *_: Any) -> Any:
        return self._result


def ran(result: Any, timeout_s: float = 30.0) -> Any:
    context = ToolContext(sample_scenario().now, 60, 1, str(uuid4()))
    return asyncio.run(run_tool(Told(result), {}, context, timeout_s=timeout_s, mask_patterns={}))


def everywhere(monkeypatch: pytest.MonkeyPatch, made: Callable[[], Any]) -> tuple[Any, Any]:
    """Worked through here, and apart."""
    monkeypatch.setattr(heavy_work, "LIGHT", 10**9)
    here = made()
    monkeypatch.setattr(heavy_work, "LIGHT", -1)
    return here, made()


def test_a_tools_output_is_masked_and_cited_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    result = ToolResult(LOGS, True, retrieval=RetrievalDetails(query="failed"))
    monkeypatch.setattr(tool_run, "_elapsed_ms", lambda _: 1)
    here, apart = everywhere(monkeypatch, lambda: ran(result))
    assert here == apart
    assert here.details.masked == {"password": 900}


@pytest.mark.parametrize(
    "outcome",
    [
        ModelReply(output="password=s3cret " * 10, thought="x", finish_reason="stop", input_tokens=3, duration_ms=4),
        ModelFailure(ErrorKind.SERVER, "token=abcdefgh", retry_after_s=1.5),
    ],
    ids=["reply", "failure"],
)
def test_a_reply_is_masked_alike(monkeypatch: pytest.MonkeyPatch, outcome: ModelReply | ModelFailure) -> None:
    here, apart = everywhere(monkeypatch, lambda: asyncio.run(heavy_work.masked_reply(outcome, {}, [])))
    assert here == apart
    assert "[masked:" in str(here)


@pytest.mark.parametrize("classes", [("direct_evidence",), ("no_evidence", "direct_evidence")], ids=["one", "two"])
def test_a_whole_session_is_decided_alike(monkeypatch: pytest.MonkeyPatch, classes: tuple[str, ...]) -> None:
    """Every event and every message of every agent, in one round and in two."""

    def told() -> tuple[list[Any], list[Any]]:
        house = House(classes)
        run(house, SessionSettings(threshold="0.9"))
        events = [(entry.event.TOPIC, entry.event.model_dump(mode="json")) for entry in house.log.history]
        for _, document in events:
            document["facts"].pop("duration_ms", None)
        return events, house.calls

    here, apart = everywhere(monkeypatch, told)
    assert here == apart
    assert here[0][-1][0] == "SessionCompleted"


def test_a_long_conversation_with_the_offline_model_is_answered_alike() -> None:
    body = json.dumps({"model": "extractive", "messages": [{"role": "user", "content": "{}"}]}).encode()
    here = extractive.routed("POST", "/v1/chat/completions", body)
    with pytest.raises(extractive.RequestError) as refused:
        asyncio.run(extractive._routed_apart("POST", "/v1/chat/completions", body))
    assert (refused.value.status, str(refused.value)) == here


def test_an_output_beyond_all_use_is_a_failure_with_a_reason() -> None:
    outcome = ran(ToolResult("x" * (tool_run.MAX_OUTPUT + 1), True))
    assert (outcome.success, outcome.error_kind, outcome.output) == (False, "too_large", "")
    assert "过大" in outcome.error_message


def test_what_exceeds_the_limits_is_a_failure_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    small = ReadingProcesses(1, Limits(output_bytes=1024))
    monkeypatch.setattr(heavy_work, "working_processes", lambda: small)
    try:
        outcome = ran(ToolResult(lines(8_000, "password=s3cret"), True))
    finally:
        small.close()
    assert (outcome.success, outcome.error_kind) == (False, "too_large")
    assert "output" in outcome.error_message


def test_a_tool_that_goes_on_when_cancelled_is_left_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_run, "LEAVE_TO_END_S", 0.1)

    class Stubborn(Told):
        async def run(self, *_: Any) -> Any:
            while not over.is_set():
                try:
                    await asyncio.wait_for(over.wait(), 60)
                except asyncio.CancelledError:
                    continue

    async def late() -> Any:
        nonlocal over
        over = asyncio.Event()
        context = ToolContext(sample_scenario().now, 60, 1, str(uuid4()))
        done = await run_tool(Stubborn(None), {}, context, timeout_s=0.1, mask_patterns={})
        over.set()
        return done

    over = asyncio.Event()
    assert asyncio.run(late()).error_kind == "timeout"


def test_a_limit_says_what_it_was() -> None:
    assert "cpu" in str(ReadingLimit(LimitKind.CPU, "1 s", []))
