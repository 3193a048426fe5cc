"""A long log without a model: recorded sessions appended again and again, each time as sessions of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from uuid import UUID, uuid4

from domain.events import Event, Recorded, ToolCallStarted, ToolInvoked
from infra.event_log.session_log import SessionLog


async def append_copies(
    log: SessionLog, recorded: Sequence[Sequence[Recorded]], events: int, *, at_once: int = 16
) -> list[UUID]:
    """Append copies of the recorded sessions in turn, many at once so that they lie among each other, until so many
    events are appended or a few more. Returns the new sessions.

    A tool's result names the position of its start, so a commit ends with each start.
    """
    sessions: list[UUID] = []
    left = events
    templates = cycle([[one.event for one in session] for session in recorded])

    async def one_task() -> None:
        nonlocal left
        while left > 0:
            template, session_id = next(templates), uuid4()
            left -= len(template)
            await _append_copy(log, session_id, template)
            sessions.append(session_id)

    await asyncio.gather(*(one_task() for _ in range(at_once)))
    return sessions


async def _append_copy(log: SessionLog, session_id: UUID, template: Sequence[Event]) -> None:
    last: Recorded | None = None
    started: dict[tuple[int, int], int] = {}
    for commit in _commits(template):
        renamed = [_with_its_start(event, started) for event in commit]
        *_, last = await log.append(session_id, last, renamed, actor="worker-1")
        if isinstance(last.event, ToolCallStarted):
            started[last.event.facts.step_index, last.event.facts.call_index] = last.position


def _commits(template: Sequence[Event]) -> Iterator[list[Event]]:
    begin = 0
    for end, event in enumerate(template, start=1):
        if isinstance(event, ToolCallStarted) or end == len(template):
            yield list(islice(template, begin, end))
            begin = end


def _with_its_start(event: Event, started: dict[tuple[int, int], int]) -> Event:
    if not isinstance(event, ToolInvoked):
        return event
    invocation_id = started[event.facts.step_index, event.facts.call_index]
    return event.model_copy(update={"facts": event.facts.model_copy(update={"invocation_id": invocation_id})})
