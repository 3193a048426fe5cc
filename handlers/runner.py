"""Carries a session on: load, ask the domain for the step that is due, do its one effect, record it (R1, R7).

No state is held between steps but the log's. When another worker has recorded first, this one drops its work.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never
from uuid import UUID

from domain.contracts import Agent
from domain.events import Event, Recorded
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.session.commands import (
    BeginNextRound,
    CloseByTemplate,
    Command,
    FailSession,
    FinishTool,
    InterruptTool,
    JudgeByCode,
    RecordModelCall,
    RunGatekeeper,
    StartTool,
    StopExecutor,
)
from domain.session.conversation import already_recorded, messages_for
from domain.session.decide import decide
from domain.session.evolve import evolve, fold
from domain.session.state import CaseFile, Closed, SessionState, Unopened
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
    next_step,
    phase_of,
)
from domain.session.tool_calls import Run, ToolOutcome, prepare_call, recorded_outcome
from handlers.ports import Clock, EventLog, Prompts, Workbench, WorkbenchFor
from infra.event_log.errors import Conflict
from infra.tools.contract import Tool, ToolContext

log = logging.getLogger(__name__)

TOOL_TIMEOUT_S = 120


class Superseded(Exception):
    """Another worker carries this phase of the session on; its message is its own affair."""


@dataclass(frozen=True, slots=True)
class SessionRunner:
    """Runs the steps of sessions. `actor` is the opaque id of this worker, recorded with every event."""

    events: EventLog
    workbench_for: WorkbenchFor
    prompts: Prompts
    clock: Clock
    actor: str

    async def advance(self, session_id: UUID, phase: str | None = None) -> SessionState:
        """Take every step of one phase ("planner", …), or of all phases when None; returns the last state seen.

        Raises Superseded when another worker recorded first, LogUnavailable or LogFull when the log cannot be written.
        """
        state = fold(await self.events.load(session_id))
        if phase_of(state) != (phase or phase_of(state)):
            return state
        bench = await self._workbench(state)
        while step := next_step(state, self.clock()):
            if phase_of(state) != (phase or phase_of(state)):
                break
            state = await self._take(state, step, bench)
        return state

    async def submit(self, session_id: UUID, command: Command) -> SessionState:
        """Carry out one command from outside (cancel, feedback, fail) against the newest state, however often it moves.

        Raises domain.session.decide.InvalidCommand.
        """
        while True:
            state = fold(await self.events.load(session_id))
            try:
                return await self._record(state, session_id, decide(state, command))
            except Conflict:
                await asyncio.sleep(0.02)

    # ------------------------------------------------------------ steps

    async def _take(self, state: SessionState, step: Step, bench: Workbench | None) -> SessionState:
        if isinstance(state, Unopened | Closed):
            return state
        try:
            match step:
                case CallModel() if bench is not None:
                    return await self._ask_model(state, state.file, step, bench)
                case RunTool() if bench is not None:
                    return await self._run_tool(state, state.file, step, bench)
                case _:
                    return await self._decided(state, _command_of(step))
        except Conflict as conflict:
            return await self._moved_on(state, conflict)

    async def _moved_on(self, state: SessionState, conflict: Conflict) -> SessionState:
        """The session was cancelled or another worker is at it: only in the first case is there nothing left to do."""
        if isinstance(state, Unopened):
            return state
        newest = fold(await self.events.load(state.file.session_id))
        if phase_of(newest) == phase_of(state):
            raise Superseded(str(conflict)) from conflict
        return newest

    async def _ask_model(self, state: SessionState, file: CaseFile, step: CallModel, bench: Workbench) -> SessionState:
        await asyncio.sleep(step.delay_s)
        messages = messages_for(step.agent, file, bench.surroundings, must_answer=step.must_answer)
        offered = _offered(bench) if step.agent is Agent.EXECUTOR and not step.must_answer else None
        system = {"role": "system", "content": self.prompts.text(step.agent)}
        name = file.opened.settings.models.get(step.agent, "extractive")
        outcome = await self._complete(bench, step.agent, name, [system, *messages], offered)
        command = RecordModelCall(
            agent=step.agent,
            attempt=step.attempt,
            model=name,
            prompt_hash=self.prompts.sha256(step.agent),
            messages=tuple(messages[already_recorded(step.agent, file) :]),
            outcome=outcome,
        )
        return await self._decided(state, command)

    async def _complete(
        self,
        bench: Workbench,
        agent: Agent,
        model: str,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None,
    ) -> ModelReply | ModelFailure:
        started = time.monotonic()
        outcome = await bench.model_for(agent).complete(model=model, messages=messages, tools=tools)
        if isinstance(outcome, ModelFailure):
            log.warning("%s's model %s failed: %s", agent, model, outcome.message)
            if outcome.retry_after_s and outcome.kind is ErrorKind.RATE_LIMITED:
                await asyncio.sleep(min(outcome.retry_after_s, 30))
        log.debug("%s answered in %.2f s", agent, time.monotonic() - started)
        return outcome

    async def _run_tool(self, state: SessionState, file: CaseFile, step: RunTool, bench: Workbench) -> SessionState:
        request = step.call.request
        tool = bench.tools.get(request.tool_name)
        preparation = prepare_call(file, request, bench.tools)
        where = (step.turn.step_index, step.call_index)
        start = StartTool(*where, step.attempt, tool.read_only if tool else True)
        state = await self._decided(state, start)
        if isinstance(state, Unopened | Closed):
            return state
        invocation_id = state.file.head.position
        outcome = None
        if isinstance(preparation, Run) and tool is not None:
            outcome = await self._run(tool, preparation, state.file, invocation_id)
        return await self._decided(state, FinishTool(*where, invocation_id, preparation, outcome))

    async def _run(self, tool: Tool, run: Run, file: CaseFile, invocation_id: int) -> ToolOutcome:
        context = ToolContext(
            now=file.opened.now,
            window_minutes=file.opened.settings.window_minutes,
            invocation_id=invocation_id,
            session_id=str(file.session_id),
        )
        started = time.monotonic()
        try:
            result = await asyncio.wait_for(tool.run(run.arguments, context), TOOL_TIMEOUT_S)
        except TimeoutError:
            return ToolOutcome(False, error_kind="timeout", error_message=f"工具在 {TOOL_TIMEOUT_S} 秒内没有返回。")
        except Exception as error:  # an injected tool may raise anything; its failure is evidence of nothing
            log.exception("tool %s raised", tool.name)
            return ToolOutcome(False, error_kind="crash", error_message=f"工具出错：{type(error).__name__}")
        return recorded_outcome(
            tool.name,
            output=result.output,
            success=result.success,
            error_kind=result.error_kind,
            error_message=result.error_message,
            retrieval=result.retrieval,
            duration_ms=round((time.monotonic() - started) * 1000),
        )

    # ------------------------------------------------------------ recording

    async def _decided(self, state: SessionState, command: Command) -> SessionState:
        if isinstance(state, Unopened):
            return state
        events = decide(state, command)
        if not events:
            raise RuntimeError(f"{type(command).__name__} made no event in phase {phase_of(state)}")
        return await self._record(state, state.file.session_id, events)

    async def _record(self, state: SessionState, session_id: UUID, events: Sequence[Event]) -> SessionState:
        if not events:
            return state
        head: Recorded | None = None if isinstance(state, Unopened) else state.file.head
        recorded = await self.events.append(
            session_id, head, events, actor=self.actor, causation_id=head.event_id if head else None
        )
        for entry in recorded:
            state = evolve(state, entry)
        return state

    async def _workbench(self, state: SessionState) -> Workbench | None:
        if isinstance(state, Unopened | Closed) or state.file.brief is None:
            return None
        return await self.workbench_for(state.file.brief)


def _offered(bench: Workbench) -> list[dict[str, Any]] | None:
    offered = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in bench.tools.values()
    ]
    return offered or None


def _command_of(step: Step) -> Command:
    match step:
        case RecordInterrupted():
            return InterruptTool(step.turn.step_index, step.call_index)
        case EndExecutor():
            return StopExecutor(step.ended_by)
        case CheckEvidence():
            return RunGatekeeper()
        case IssueVerdict():
            return JudgeByCode()
        case StartRound():
            return BeginNextRound()
        case Conclude():
            return CloseByTemplate()
        case GiveUp():
            return FailSession(step.stage, step.reason_code, step.reason)
        case CallModel() | RunTool():
            return FailSession("worker", "no_workbench", "会话的来源不可用")
        case _:
            assert_never(step)
