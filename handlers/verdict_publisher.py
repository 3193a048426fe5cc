"""Publishes verdicts and session ends to other systems (R52), from the log and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from nats.js import JetStreamContext

from domain.public_events import public_event
from handlers.ports import EventLog
from handlers.runner import Behind
from infra import verdict_stream


@dataclass(frozen=True, slots=True)
class VerdictPublisher:
    """Reads the recorded event a message tells of, and publishes what it means to others."""

    events: EventLog
    js: JetStreamContext

    async def publish(self, session_id: UUID, version: int) -> None:
        """Publish the public event of one recorded event; one that is there already is left alone. Raises Behind."""
        history = await self.events.load(session_id, at_least=version)
        if len(history) < version:
            raise Behind(f"session {session_id} is known up to version {len(history)}, not {version}")
        event = public_event(history[version - 1])
        if event is not None:
            await verdict_stream.publish(self.js, event, session_id, version)
