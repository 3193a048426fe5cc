"""The whole chain with a scripted model and an event log in memory: every route, every fault, every crash (R1, R7)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.contracts import Agent, ToolClass
from domain.events import (
    AgentStepRecorded,
    Event,
    ExecutorAnswered,
    Recorded,
    SessionCancelled,
    ToolCallStarted,
    ToolInvoked,
    ToolRequest,
)
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.session.commands import CancelSession, GiveFeedback, OpenSession
from domain.session.conversation import Surroundings
from domain.session.decide import InvalidCommand
from domain.session.evolve import fold
from domain.session.state import Closed, SessionState
from domain.settings import Budgets, SessionSettings
from handlers.runner import Behind, SessionRunner, Superseded
from infra.event_log.errors import Conflict, LogUnavailable
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

    async def load(self, session_id: UUID) -> tuple[Recorded, ...]:
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

    async def complete(
        self, *, model: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None = None
    ) -> ModelReply | ModelFailure:
        await asyncio.sleep(0)
        self.calls.append(messages)
        self.offered.append(tools)
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

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
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
    failing: Callable[[Agent], ModelFailure | None] = lambda agent: None
    calls: list[list[dict[str, Any]]] = field(default_factory=list)
    offered: list[Any] = field(default_factory=list)
    surroundings: Surroundings = Surroundings()
    broken: Exception | None = None
    now: datetime = NOW

    @property
    def tools(self) -> dict[str, CountingTool]:
        return {self.tool.name: self.tool}

    def model_for(self, agent: Agent) -> ScriptedModel:
        return ScriptedModel(agent, self.classes, self.failing, self.calls, self.offered)

    def text(self, agent: Agent) -> str:
        return f"你是 {agent}"

    def sha256(self, agent: Agent) -> str:
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


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("kind", "attempts"), [(ErrorKind.AUTH, 1), (ErrorKind.UNREACHABLE, 2), (ErrorKind.RATE_LIMITED, 2)]
)
def test_a_model_that_is_down_ends_the_session_with_the_reason(kind: ErrorKind, attempts: int) -> None:
    """R7: tried again only where that can help."""
    end = run(house := House(failing=lambda agent: ModelFailure(kind, "down", retry_after_s=0.0)))
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


def test_the_executor_is_cut_off_when_the_rounds_time_is_up() -> None:
    """R3: the budget bounds a call under way."""
    house = House(tool=CountingTool(hangs))

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

        def cancel(agent: Agent) -> None:
            house.failing = lambda agent: None
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


# ---------------------------------------------------------------- two workers


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
    _check_tool_runs(house, finished=len(classes))
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
    _check_tool_runs(house, finished=1)


def _check_tool_runs(house: House, finished: int) -> None:
    starts = [entry.position for entry in house.log.history if isinstance(entry.event, ToolCallStarted)]
    results = [invoked.facts.invocation_id for invoked in house.log.of(ToolInvoked)]
    assert len(house.tool.runs) == len(set(house.tool.runs)), "a recorded start was run twice"
    assert set(house.tool.runs) <= set(starts), "run without a recorded start"
    assert len(results) == finished


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
        _check_tool_runs(house, finished=len(whole.tool.runs))


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
