"""Takes up sessions that nothing will trigger any more (R7): unfinished, their last event acknowledged and old.

Redelivery is the lease: an event that a consumer still has to acknowledge is that consumer's affair. The pump reads the
log, not PostgreSQL: headers alone, once from the beginning and then what is new.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from domain.events import TERMINAL_TOPICS
from handlers.ports import Clock
from handlers.runner import SessionRunner, Superseded
from infra.event_log.errors import LogUnavailable
from infra.event_log.session_log import EventHeader

log = logging.getLogger(__name__)

PAGE = 1000


class Log(Protocol):
    async def headers(self, after: int, limit: int) -> tuple[EventHeader, ...]: ...


class Consumers(Protocol):
    async def acknowledged_up_to(self) -> Mapping[str, int]:
        """Topic of a reaction's trigger -> position up to which all its events are acknowledged."""


@dataclass(slots=True)
class Pump:
    """Looks every `every_s` seconds at sessions whose last event is older than `patience`."""

    events: Log
    consumers: Consumers
    runner: SessionRunner
    clock: Clock
    patience: timedelta
    every_s: float
    _position: int = 0
    _unfinished: dict[UUID, EventHeader] = field(default_factory=dict)
    _triggers: dict[UUID, EventHeader] = field(default_factory=dict)  # last event some reaction waits for

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(self.every_s)
            try:
                await self.sweep()
            except (LogUnavailable, OSError) as error:
                log.warning("the pump could not read the log: %s", error)

    async def sweep(self) -> int:
        """One look; returns how many sessions were carried on."""
        acknowledged = await self.consumers.acknowledged_up_to()
        await self._read_new(acknowledged)
        due = [session_id for session_id in self._unfinished if self._is_stuck(session_id, acknowledged)]
        for session_id in due:
            await self._carry_on(session_id)
        return len(due)

    async def _read_new(self, triggers: Mapping[str, int]) -> None:
        while page := await self.events.headers(self._position, PAGE):
            self._position = page[-1].position
            for header in page:
                if header.topic in TERMINAL_TOPICS:
                    self._unfinished.pop(header.session_id, None)
                    self._triggers.pop(header.session_id, None)
                elif header.version == 1 or header.session_id in self._unfinished:
                    self._unfinished[header.session_id] = header
                    if header.topic in triggers:
                        self._triggers[header.session_id] = header

    def _is_stuck(self, session_id: UUID, acknowledged: Mapping[str, int]) -> bool:
        last, trigger = self._unfinished[session_id], self._triggers.get(session_id)
        if self._age(last.time) < self.patience:
            return False
        return trigger is None or trigger.position <= acknowledged.get(trigger.topic, 0)

    def _age(self, time: datetime) -> timedelta:
        return self.clock() - time

    async def _carry_on(self, session_id: UUID) -> None:
        log.warning("session %s has no one to carry it on; taking it up", session_id)
        try:
            await self.runner.advance(session_id)
        except Superseded as reason:
            log.info("session %s: %s", session_id, reason)
        except LogUnavailable:
            raise
        except Exception:
            log.exception("session %s could not be carried on", session_id)
