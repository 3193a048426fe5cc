"""A chain to be driven to its end: a scripted model, a counting tool, and an event log in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from domain.contracts import Agent, ToolClass
from domain.events import Event, Recorded, ToolCallStarted, ToolInvoked, ToolRequest
from domain.model_reply import ModelFailure, ModelReply
from domain.session.commands import OpenSession
from domain.session.conversation import Surroundings
from domain.session.evolve import fold
from domain.session.state import Closed, SessionState
from domain.settings import SessionSettings
from handlers.runner import SessionRunner
from infra.event_log.errors import Conflict
from infra.tools.contract import ToolContext, ToolResult

SESSION = uuid4()
NOW = datetime(2026, 7, 8, 3, 0, tzinfo=UTC)
CLAIM = "order-service 的 HighMemoryUsage 告警处于 firing 状态，current=91%"
EXCERPT = "HighMemoryUsage firing, service=order-service, current=91%"
ALERTS = json.dumps(
    {
        "success": True,
        "alerts": [
            {
                "labels": {"alertname": "HighMemoryUsage", "service": "order-service"},
                "state": "firing",
                "annotations": {"current": "91%"},
            }
        ],
        "total": 1,
    }
)


class Crash(BaseException):
    """The process is gone: nothing catches this."""


@dataclass
class MemoryLog:
    """An event log as the port wants it. A test may make it crash at one append, before or after it is stored."""

    history: list[Recorded] = field(default_factory=list)
    appends: int = 0
    crash_at: int | None = None
    stored_before_crash: bool = True
    hidden: int = 0  # newest events that this replica does not know yet

    async def load(self, _: UUID, *, at_least: int = 0) -> tuple[Recorded, ...]:  # noqa: ARG002
        await asyncio.sleep(0)
        return tuple(self.history[: len(self.history) - self.hidden])

    async def append(
        self, session_id: UUID, after: Recorded | None, events: Sequence[Event], *, actor: str, **_: Any
    ) -> tuple[Recorded, ...]:
        await asyncio.sleep(0)
        self.appends += 1
        if self.appends == self.crash_at and not self.stored_before_crash:
            raise Crash
        if len(self.history) != (after.version if after else 0):
            raise Conflict(str(session_id), len(self.history))
        recorded = tuple(self._recorded(session_id, offset, event, actor) for offset, event in enumerate(events, 1))
        self.history += recorded
        if self.appends == self.crash_at:
            raise Crash
        return recorded

    def _recorded(self, session_id: UUID, offset: int, event: Event, actor: str) -> Recorded:
        version = len(self.history) + offset
        return Recorded(
            session_id=session_id,
            version=version,
            position=1000 + version,
            event_id=uuid4(),
            commit_id=uuid4(),
            correlation_id=session_id,
            causation_id=None,
            time=NOW,
            actor=actor,
            hash=str(version),
            event=event,
        )

    @property
    def topics(self) -> list[str]:
        return [entry.event.TOPIC for entry in self.history]

    def of(self, kind: type[Event]) -> list[Any]:
        return [entry.event for entry in self.history if isinstance(entry.event, kind)]


@dataclass
class ScriptedModel:
    """One agent's model. It answers from what it is sent alone, so a repeated call gets the same answer."""

    agent: Agent
    classes: tuple[str, ...]
    failing: Callable[[Agent], ModelFailure | None]
    calls: list[list[dict[str, Any]]]
    offered: list[Any]
    never_answers: bool

    async def complete(
        self, *, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None = None, **_: Any
    ) -> ModelReply | ModelFailure:
        await asyncio.sleep(0)
        self.calls.append(messages)
        self.offered.append(tools)
        if self.never_answers:
            await asyncio.sleep(3600)
        if failure := self.failing(self.agent):
            return failure
        payload = json.loads(messages[1]["content"])
        match self.agent:
            case Agent.PLANNER:
                return ModelReply(output='{"plan": ["查指标"]}')
            case Agent.EXECUTOR:
                return self._look(messages)
            case Agent.VERIFIER:
                return ModelReply(output=self._judgement(payload))
            case Agent.COMPOSER:
                return ModelReply(output=json.dumps([{"claim_ids": ["claim-1"], "sentence": CLAIM}]))

    @staticmethod
    def _look(messages: list[dict[str, Any]]) -> ModelReply:
        answers = [json.loads(message["content"]) for message in messages if message["role"] == "tool"]
        if not answers:
            asked = ToolRequest(call_id="call-1", tool_name="query_metrics", arguments='{"service": "order-service"}')
            return ModelReply(output="", tool_requests=(asked,), input_tokens=10)
        binding = {
            "tool_name": "query_metrics",
            "source_invocation_id": answers[-1]["source_invocation_id"],
            "raw_path": "$.alerts[0]",
            "evidence_excerpt": EXCERPT,
        }
        claim = {"claim_id": "claim-1", "claim_type": "observation", "claim_text": CLAIM}
        written = {"answer_version": "executor_evidence_v2", "claims": [claim | {"evidence_bindings": [binding]}]}
        return ModelReply(output=json.dumps(written, ensure_ascii=False), input_tokens=10)

    def _judgement(self, payload: dict[str, Any]) -> str:
        verification = self.classes[-1 if payload["retry_context"] else 0]
        fact = {"fact": CLAIM, "is_critical": True, "verification": verification, "detail": "", "claim_id": "claim-1"}
        written = {"verdict": "PASS", "groundedness_score": 1, "critical_fact_count": 1, "rationale": ""}
        return json.dumps(written | {"facts_checked": [fact]})


@dataclass
class CountingTool:
    """`query_metrics`, which notes every run of its own (R7)."""

    behave: Callable[[], Any] = lambda: None
    read_only: bool = True
    runs: list[int] = field(default_factory=list)
    name: str = "query_metrics"
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    tool_class: ToolClass = ToolClass.LIVE

    async def run(self, _: dict[str, Any], context: ToolContext) -> ToolResult:
        self.runs.append(context.invocation_id)
        await asyncio.sleep(0)
        result = self.behave()
        if asyncio.iscoroutine(result):
            result = await result
        return result if result is not None else ToolResult(ALERTS, True)


@dataclass
class House:
    """A log, a scripted model and a counting tool, and as many workers on them as a test wants."""

    classes: tuple[str, ...] = ("direct_evidence",)
    log: MemoryLog = field(default_factory=MemoryLog)
    tool: CountingTool = field(default_factory=CountingTool)
    failing: Callable[[Agent], ModelFailure | None] = lambda _: None
    calls: list[list[dict[str, Any]]] = field(default_factory=list)
    offered: list[Any] = field(default_factory=list)
    surroundings: Surroundings = field(default_factory=Surroundings)
    broken: Exception | None = None
    silent: Agent | None = None  # whose model never answers
    now: datetime = NOW

    @property
    def tools(self) -> dict[str, CountingTool]:
        return {self.tool.name: self.tool}

    def model_for(self, agent: Agent) -> ScriptedModel:
        return ScriptedModel(agent, self.classes, self.failing, self.calls, self.offered, agent is self.silent)

    def text(self, agent: Agent) -> str:
        return f"你是 {agent}"

    def sha256(self, _: Agent) -> str:
        return "0" * 64

    def worker(self, name: str = "worker", **changes: Any) -> SessionRunner:
        async def bench(_: Any) -> House:
            if self.broken:
                raise self.broken
            return self

        return SessionRunner(self.log, bench, self, self._clock, name, **changes)

    def _clock(self) -> datetime:
        self.now += timedelta(minutes=1)  # so that no test waits for a retry delay
        return self.now

    async def opened(self, settings: SessionSettings | None = None) -> None:
        chosen = settings or SessionSettings(max_model_attempts=2)
        await self.worker().submit(
            SESSION, OpenSession(question="慢？", now=NOW, clock="wall", settings=chosen, prompt_hashes={})
        )


async def to_the_end(runner: SessionRunner) -> SessionState:
    """What the reactions do, one phase after the other."""
    while True:
        state = await runner.advance(SESSION)
        if isinstance(state, Closed):
            return state


def run(house: House, settings: SessionSettings | None = None, **changes: Any) -> Any:
    """A session from its opening to its end; the terminal event."""

    async def session() -> Any:
        await house.opened(settings)
        state = await to_the_end(house.worker(**changes))
        assert isinstance(state, Closed)
        assert fold(await house.log.load(SESSION)) == state
        return state.end

    return asyncio.run(session())


def check_tool_runs(house: House, finished: int) -> None:
    """R7: every run has a recorded start of its own, and so many calls were finished, each once."""
    starts = [entry.position for entry in house.log.history if isinstance(entry.event, ToolCallStarted)]
    results = [invoked.facts.invocation_id for invoked in house.log.of(ToolInvoked)]
    assert len(house.tool.runs) == len(set(house.tool.runs)), "a recorded start was run twice"
    assert set(house.tool.runs) <= set(starts), "run without a recorded start"
    assert len(results) == finished
