"""Legal holds: a session that is held is not erased by any means until it is released (R76).

A hold stands in the access record, with who and why, and in the ledger of erasures, which a restore does not take back.
The newest word of either counts.
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.session.decide import InvalidCommand
from infra.access_log import Action, accesses, record_access
from infra.audit.erasure_ledger import Deed, Entry, ErasureLedger
from infra.event_log.connection import Connection
from infra.event_log.session_log import SessionLog

_DEEDS = {Action.HOLD: Deed.HELD, Action.RELEASE: Deed.RELEASED}


async def hold(
    events: SessionLog, ledger: ErasureLedger, key: Ed25519PrivateKey, session_id: UUID, *, actor: str, reason: str
) -> Entry:
    """Raises InvalidCommand for a session that was erased, or is held already."""
    async with ledger.locked():
        if ledger.of(session_id).erasure or await events.is_erased(session_id):
            raise InvalidCommand(f"session {session_id} was erased: there is nothing left to hold")
        if holder := await holding(events.connection, ledger, session_id):
            raise InvalidCommand(_said(holder))
        return await _record(events, ledger, key, session_id, Action.HOLD, actor, reason)


async def release(
    events: SessionLog, ledger: ErasureLedger, key: Ed25519PrivateKey, session_id: UUID, *, actor: str, reason: str
) -> Entry:
    """Raises InvalidCommand for a session that is not held."""
    async with ledger.locked():
        if await holding(events.connection, ledger, session_id) is None:
            raise InvalidCommand(f"session {session_id} is not held")
        return await _record(events, ledger, key, session_id, Action.RELEASE, actor, reason)


async def holding(connection: Connection, ledger: ErasureLedger, session_id: UUID) -> Entry | None:
    """Who holds a session, since when; None if nobody does."""
    newest = ledger.of(session_id).hold
    async for access in accesses(connection, session_id):
        deed = _DEEDS.get(access.action)
        if deed and (newest is None or newest.time < access.time):
            newest = Entry(session_id, deed, access.time, access.actor)
    return newest if newest and newest.deed is Deed.HELD else None


async def refuse_held(connection: Connection, ledger: ErasureLedger, session_id: UUID) -> None:
    """Raises InvalidCommand for a session that is held."""
    if holder := await holding(connection, ledger, session_id):
        raise InvalidCommand(_said(holder))


async def _record(
    events: SessionLog,
    ledger: ErasureLedger,
    key: Ed25519PrivateKey,
    session_id: UUID,
    action: Action,
    actor: str,
    reason: str,
) -> Entry:
    """The access record first: killed before the ledger has it, the session counts as held, or as released, by that."""
    await record_access(events.connection, actor, action, session_id, reason=reason)
    entry = Entry(session_id, _DEEDS[action], datetime.now(UTC), actor).signed(key)
    ledger.add([entry])
    return entry


def _said(holder: Entry) -> str:
    since = f"{holder.time:%Y-%m-%d %H:%M:%S}"
    return f"session {holder.session_id} is held by {holder.actor} since {since}: it is not erased until it is released"
