"""Takes up sessions that nothing will trigger any more (R7): unfinished, their last event acknowledged and old.

Redelivery is the lease: an event that a consumer still has to acknowledge is that consumer's affair. The pump reads the
log, not PostgreSQL: headers alone, once from the beginning and then what is new.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from domain.events import TERMINAL_TOPICS
from handlers.ports import Clock
from handlers.runner import SessionRunner, Superseded
from handlers.workbench import NoCredentials
from infra.event_log.errors import LogFull, LogUnavailable, NewerEvent
from infra.event_log.newer import Told
from infra.event_log.session_log import EventHeader

log = logging.getLogger(__name__)

PAGE = 1000
AT_ONCE = 4
MAX_FAILURES = 5
"""Exceptions over one session; the patience doubles with each. Then the session ends with a reason."""


class Log(Protocol):
    async def headers(self, after: int, limit: int) -> tuple[EventHeader, ...]: ...


class Consumers(Protocol):
    async def acknowledged_up_to(self) -> Mapping[str, int]:
        """Topic of a reaction's trigger -> position up to which all its events are acknowledged."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A session without a terminal event: its last event, the last one a reaction waits for, and our failures since."""

    last: EventHeader
    trigger: EventHeader | None
    failures: int = 0


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
    _unfinished: dict[UUID, Unfinished] = field(default_factory=dict)
    _told: Told = field(default_factory=Told)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(self.every_s)
            try:
                await self.sweep()
            except Exception as error:  # servers come and go; whatever it is, the next look may be better
                log.warning("the pump could not look: %s: %s", type(error).__name__, error)

    async def sweep(self) -> int:
        """One look; returns how many sessions were taken up."""
        acknowledged = await self.consumers.acknowledged_up_to()
        await self._read_new(acknowledged)
        stuck = [id for id, session in self._unfinished.items() if self._is_stuck(session, acknowledged)]
        places = asyncio.Semaphore(AT_ONCE)

        async def in_turn(session_id: UUID) -> None:
            async with places:
                await self._carry_on(session_id)

        await asyncio.gather(*map(in_turn, stuck))
        return len(stuck)

    async def _read_new(self, triggers: Mapping[str, int]) -> None:
        while page := await self.events.headers(self._position, PAGE):
            for header in page:
                self._note(header, is_trigger=header.topic in triggers)
            self._position = page[-1].position

    def _note(self, header: EventHeader, *, is_trigger: bool) -> None:
        known = self._unfinished.pop(header.session_id, None)
        if header.newer_shape:  # only a worker of that release can carry it on: its pump finds it (R89)
            self._told.say("pump", NewerEvent(f"session {header.session_id}", header.newer_shape))
            return
        if header.topic in TERMINAL_TOPICS or (known is None and header.version > 1):
            return
        trigger = header if is_trigger else known.trigger if known else None
        self._unfinished[header.session_id] = Unfinished(header, trigger)

    def _is_stuck(self, session: Unfinished, acknowledged: Mapping[str, int]) -> bool:
        if self.clock() - session.last.time < self.patience * 2**session.failures:
            return False
        trigger = session.trigger
        return trigger is None or trigger.position <= acknowledged.get(trigger.topic, 0)

    async def _carry_on(self, session_id: UUID) -> None:
        log.warning("session %s has no one to carry it on; taking it up", session_id)
        try:
            await self.runner.advance(session_id, again=True)
        except (Superseded, LogUnavailable, LogFull, NewerEvent, NoCredentials) as reason:
            log.info("session %s: %s", session_id, reason)
        except Exception as error:
            await self._failed(session_id, error)

    async def _failed(self, session_id: UUID, error: Exception) -> None:
        session = self._unfinished[session_id]
        failures = min(session.failures + 1, MAX_FAILURES)
        self._unfinished[session_id] = replace(session, failures=failures)
        log.error("session %s could not be carried on", session_id, exc_info=error)
        if failures == MAX_FAILURES:
            try:
                await self.runner.give_up(session_id, None, error)
            except Exception:
                log.exception("session %s cannot even be ended", session_id)
