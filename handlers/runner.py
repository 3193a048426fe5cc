"""Carries a session on: load, ask the domain for the step that is due, do its one effect, record it (R1, R7).

No state is held between steps but the log's. When another worker has recorded first, this one drops its work.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from domain.contracts import Agent
from domain.events import AnyEvent
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.session.commands import (
    Command,
    FailSession,
    FinishTool,
    RecordModelCall,
    RepeatStep,
    StartTool,
    StepCommand,
    command_for,
)
from domain.session.decide import decide
from domain.session.ending import STEP_FAILED, STEP_LIMIT
from domain.session.evolve import evolve, fold
from domain.session.repeating import MAX_TRIES
from domain.session.state import CaseFile, Closed, Open, SessionState, Unopened
from domain.session.steps import CallModel, RunTool, Step, Wait, next_step, phase_of, seconds_left
from domain.session.tool_calls import Run, prepare_call
from handlers import heavy_work
from handlers.deadline import moved
from handlers.ports import Clock, EventLog, Prompts, Workbench, WorkbenchFor
from handlers.tool_run import run_tool
from infra.event_log.errors import Conflict
from infra.reading.limits import LimitKind, ReadingLimit
from infra.tools.contract import Tool, ToolContext

log = logging.getLogger(__name__)

MAX_RETRY_AFTER_S = 30.0
CONFLICT_PAUSE_S = 0.02


class Superseded(Exception):
    """Another worker carries this phase of the session on; its message is its own affair."""


class Behind(Exception):
    """The log, as this replica of it knows it, does not hold the triggering event yet."""


@dataclass(frozen=True, slots=True)
class SessionRunner:
    """Runs the steps of sessions. `actor` is the opaque id of this worker, recorded with every event."""

    events: EventLog
    workbench_for: WorkbenchFor
    prompts: Prompts
    clock: Clock
    actor: str
    tool_timeout_s: float = 120.0
    ack_wait_s: float = 0.0  # a call that another worker started so long ago is not given up yet

    async def advance(
        self, session_id: UUID, phase: str | None = None, *, version: int = 0, again: bool = False
    ) -> SessionState:
        """Take every step of one phase: the given one ("planner", …), or the one the session is in.

        `version`: of the triggering event. `again`: the step was begun before, which is counted. Returns the last state
        seen; a session that has left the phase is left alone. Raises Superseded when another worker recorded first,
        Behind, or LogUnavailable or LogFull when the log cannot be written.
        """
        history = await self.events.load(session_id, at_least=version)
        if len(history) < version:
            raise Behind(f"session {session_id} is known up to version {len(history)}, not {version}")
        state = fold(history)
        phase = phase or phase_of(state)
        while not isinstance(state, Unopened | Closed) and phase_of(state) == phase:
            try:
                if again:
                    state, again = await self._repeated(state), False
                    continue
                state = await self._taken(state, next_step(state, self.clock(), self.ack_wait_s))
            except Conflict as conflict:
                state = await self._newer(session_id, phase, conflict)
            except ReadingLimit as limit:
                if limit.kind is LimitKind.CRASH:
                    raise
                state = await self.submit(session_id, FailSession(phase, STEP_LIMIT, f"步骤 {phase} 超出限制：{limit}"))
        return state

    async def submit(self, session_id: UUID, command: Command) -> SessionState:
        """Carry out one command from outside (open, cancel, feedback) against the newest state, however often it moves.

        Raises domain.session.decide.InvalidCommand.
        """
        while True:
            state = fold(await self.events.load(session_id))
            try:
                return await self._recorded(state, session_id, decide(state, command))
            except Conflict:
                await asyncio.sleep(CONFLICT_PAUSE_S)

    async def give_up(self, session_id: UUID, phase: str | None, error: BaseException) -> None:
        """End a session that a phase's failures keep from going on, unless it has left that phase all the same (R7).

        `phase` None: whichever it is in.
        """
        found = phase_of(fold(await self.events.load(session_id)))
        if found and phase in {found, None}:
            reason = f"步骤 {found} 反复失败：{type(error).__name__}: {error}"
            await self.submit(session_id, FailSession(found, STEP_FAILED, reason))

    async def is_last_try(self, session_id: UUID) -> bool:
        """Whether the step that is due may not be begun once more."""
        state = fold(await self.events.load(session_id))
        return not isinstance(state, Unopened) and state.file.tries >= MAX_TRIES

    # ------------------------------------------------------------ steps

    async def _taken(self, state: Open, step: Step) -> SessionState:
        match step:
            case Wait():
                await asyncio.sleep(step.seconds)
                return fold(await self.events.load(state.file.session_id))
            case CallModel():
                return await self._ask_model(state, step)
            case RunTool():
                return await self._run_tool(state, step)
            case _:
                return await self._decided(state, command_for(step))

    async def _repeated(self, state: Open) -> SessionState:
        """A worker that could not take the step leaves the count alone."""
        if state.file.brief is not None:
            await self._workbench(state.file)
        return await self._decided(state, RepeatStep())

    async def _newer(self, session_id: UUID, phase: str, conflict: Conflict) -> SessionState:
        """The session was ended from outside, or another worker is at it: only then is its phase the same."""
        state = fold(await self.events.load(session_id))
        if phase_of(state) == phase:
            raise Superseded(str(conflict)) from conflict
        return state

    async def _ask_model(self, state: Open, step: CallModel) -> SessionState:
        file, agent = state.file, step.agent
        bench = await self._workbench(file)
        patterns = file.opened.settings.mask_patterns
        messages, recorded = await heavy_work.messages_of(agent, file, bench.surroundings, must_answer=step.must_answer)
        outcome = await self._completed(bench, step, file, messages)
        command = RecordModelCall(
            agent=agent,
            attempt=step.attempt,
            model=file.opened.settings.models.get(agent, "extractive"),
            prompt_hash=self.prompts.sha256(agent),
            messages=tuple(messages[recorded:]),
            outcome=await heavy_work.masked_reply(outcome, patterns, messages),
        )
        state_after = await self._decided(state, command)
        await _heed_retry_after(command.outcome)
        return state_after

    async def _completed(
        self, bench: Workbench, step: CallModel, file: CaseFile, messages: Sequence[dict[str, Any]]
    ) -> ModelReply | ModelFailure:
        """One model call. The Executor's is cut off when the round's time is up (R3)."""
        is_executor = step.agent is Agent.EXECUTOR
        limit = seconds_left(file) if is_executor else None
        try:
            async with asyncio.timeout(limit):
                return await bench.model_for(step.agent).complete(
                    model=file.opened.settings.models.get(step.agent, "extractive"),
                    messages=[{"role": "system", "content": self.prompts.text(step.agent)}, *messages],
                    tools=_offered(bench) if is_executor and not step.must_answer else None,
                )
        except TimeoutError:
            used_up = "the round's time was used up before the model answered"
            return ModelFailure(ErrorKind.TIMEOUT, used_up, duration_ms=round((limit or 0) * 1000))

    async def _run_tool(self, state: Open, step: RunTool) -> SessionState:
        """Start, run, finish. Whether it runs at all is decided before the start is recorded."""
        where = (step.turn.step_index, step.call_index)
        bench = await self._workbench(state.file)
        tool = bench.tools.get(step.call.request.tool_name)
        preparation = prepare_call(state.file, step, bench.tools)
        started = await self._decided(state, StartTool(*where, step.attempt, tool.read_only if tool else True))
        if isinstance(started, Unopened | Closed):
            return started
        invocation_id = started.file.head.position
        outcome = None
        if tool and isinstance(preparation, Run):
            limit = min(self.tool_timeout_s, seconds_left(started.file))
            context = _context_of(started.file, invocation_id)
            patterns = started.file.opened.settings.mask_patterns
            outcome = await run_tool(tool, preparation.arguments, context, timeout_s=limit, mask_patterns=patterns)
        return await self._decided(started, FinishTool(*where, invocation_id, preparation, outcome))

    async def _workbench(self, file: CaseFile) -> Workbench:
        if file.brief is None:  # never: an erased session has no step that needs one
            raise ValueError(f"the content of session {file.session_id} is erased")
        return await self.workbench_for(file.brief)

    # ------------------------------------------------------------ recording

    async def _decided(self, state: Open, command: StepCommand | RepeatStep | FailSession) -> SessionState:
        events = await heavy_work.decided(state, command)
        if not events:
            raise RuntimeError(f"{type(command).__name__} made no event in phase {phase_of(state)}")
        return await self._recorded(state, state.file.session_id, events)

    async def _recorded(self, state: SessionState, session_id: UUID, events: Sequence[AnyEvent]) -> SessionState:
        if not events:
            return state
        head = None if isinstance(state, Unopened) else state.file.head
        for entry in await self.events.append(session_id, head, events, actor=self.actor):
            state = evolve(state, entry)
        moved()
        return state


async def _heed_retry_after(outcome: ModelReply | ModelFailure) -> None:
    """A server may ask for a longer pause than the delay between attempts."""
    if isinstance(outcome, ModelFailure) and outcome.kind is ErrorKind.RATE_LIMITED:
        await asyncio.sleep(min(outcome.retry_after_s or 0.0, MAX_RETRY_AFTER_S))


def _context_of(file: CaseFile, invocation_id: int) -> ToolContext:
    return ToolContext(
        now=file.opened.now,
        window_minutes=file.opened.settings.window_minutes,
        invocation_id=invocation_id,
        session_id=str(file.session_id),
        zone=file.opened.settings.zone,
    )


def _offered(bench: Workbench) -> list[dict[str, Any]] | None:
    return [_as_function(tool) for tool in bench.tools.values()] or None


def _as_function(tool: Tool) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }
