"""Publishes verdicts and session ends to other systems (R52), from the log and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from domain.public_events import PublicEvent, public_event
from handlers.ports import EventLog
from handlers.runner import Behind
from infra import verdict_stream
from infra.event_log.connection import Connection


@dataclass(frozen=True, slots=True)
class VerdictPublisher:
    """Reads the recorded event a message tells of, and publishes what it means to others."""

    events: EventLog
    connection: Connection

    async def publish(self, session_id: UUID, version: int) -> bool:
        """Publish the public event of one recorded event; one that is there already is left alone, and False returned.

        Raises Behind, or infra.event_log.errors.LogError.
        """
        event = await self.event_of(session_id, version)
        return event is not None and await verdict_stream.publish(self.connection, event, session_id, version)

    async def event_of(self, session_id: UUID, version: int) -> PublicEvent | None:
        """What would be published; None where a recorded event concerns nobody outside. Raises as `publish` does."""
        history = await self.events.load(session_id, at_least=version)
        if len(history) < version:
            raise Behind(f"session {session_id} is known up to version {len(history)}, not {version}")
        return public_event(history[version - 1])
