"""Keeps to the ledger of erasures what a restore or an older key folder would bring back (R76).

A worker looks when it starts and now and then: keys of erased sessions that have come back are destroyed; a log that
was restored to an earlier day records the erasure again; and what an earlier release erased, or an erasure that was
cut short, is entered into the ledger.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

import psycopg

from domain.session.commands import CancelSession, EraseSession
from handlers.audit.erasure import Eraser
from infra.access_log import Action, record_access
from infra.audit import erasure_ledger
from infra.audit.erasure_ledger import ErasureLedger, Standing
from infra.audit.session_keys import erased_in_read_models
from infra.event_log.errors import LogError
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.read_models.erasure import erase_rows

log = logging.getLogger(__name__)

EVERY_S = 600.0
REASON = "as the ledger of erasures says"


@dataclass(slots=True)
class ErasureKeeper:
    """`reader_dsn`: of the read models. `eraser` is asked for once there is something to do."""

    events: SessionLog
    ledger: ErasureLedger
    keys: KeyDirectory
    reader_dsn: str
    eraser: Callable[[], Awaitable[Eraser]]
    _settled: set[UUID] = field(default_factory=set)  # sessions of which the log says what the ledger says

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.settle()
            except (LogError, ValueError, psycopg.Error, OSError) as error:
                log.error("erasures are not compared with the ledger: %s", error)
            await asyncio.sleep(EVERY_S)

    async def settle(self) -> int:
        """How many sessions had something left. Raises LogError, UnusableLedger, KeyFileError, psycopg.Error or
        OSError."""
        known = await asyncio.to_thread(self.ledger.standings)
        erased = {session_id: one for session_id, one in known.items() if one.erasure and not one.is_held}
        recorded = set(await erased_in_read_models(self.events, self.reader_dsn))
        if not erased and not recorded:
            return 0
        there = await asyncio.to_thread(self.keys.ids)
        missing = {one for one in recorded if not known.get(one, Standing()).erasure}
        unsure = {one: erased[one] for one in erased.keys() - recorded - self._settled}
        unrecorded = {one: standing for one, standing in unsure.items() if await self._is_unrecorded(one)}
        self._settled |= unsure.keys() - unrecorded.keys()
        back = {one: erased[one] for one in erased.keys() & there}
        if not (missing or unrecorded or back):
            return 0
        eraser = await self.eraser()
        for standing in (*back.values(), *unrecorded.values()):
            _check(standing, eraser)
        await self._destroy(back)
        await self._record_again(unrecorded, eraser)
        await self._enter(missing, there, eraser)
        return len(missing | unrecorded.keys() | back.keys())

    async def _is_unrecorded(self, session_id: UUID) -> bool:
        return bool(await self.events.stored(session_id)) and not await self.events.is_erased(session_id)

    async def _destroy(self, back: Collection[UUID]) -> None:
        for session_id in back:
            await self.events.destroy_key(session_id)
        if back:
            log.warning("%d keys of erased sessions had come back and were destroyed", len(back))

    async def _record_again(self, unrecorded: Mapping[UUID, Standing], eraser: Eraser) -> None:
        """A session that was still running at the time of the backup is ended first."""
        for session_id, standing in unrecorded.items():
            assert standing.erasure is not None
            actor = eraser.runner.actor
            await record_access(self.events.connection, actor, Action.ERASE, session_id, reason=REASON)
            runner = replace(eraser.runner, actor=standing.erasure.actor)
            await runner.submit(session_id, CancelSession(REASON))
            await runner.submit(session_id, EraseSession())
            await erase_rows(eraser.dsn, session_id)
        if unrecorded:
            log.warning("%d sessions are recorded as erased again, as the ledger says", len(unrecorded))

    async def _enter(self, missing: Collection[UUID], there: Collection[UUID], eraser: Eraser) -> None:
        """What the log says was erased, by a release before the ledger or by a command that was killed."""
        async with self.ledger.locked():
            for session_id in missing:
                await eraser.enter(session_id)
                if session_id in there:
                    await self.events.destroy_key(session_id)
                    await erase_rows(eraser.dsn, session_id)


def _check(standing: Standing, eraser: Eraser) -> None:
    """Nobody has a key destroyed by writing a line. Raises UnusableLedger."""
    assert standing.erasure is not None
    erasure_ledger.verify(standing.erasure, eraser.signers, str(eraser.ledger.path))
