"""Do keys and erasures agree (R62)? A lost key folder looks like erasure, and one that is put back undoes it."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import psycopg

from infra.event_log.session_log import SessionLog
from infra.postgres import connect

RECENT = 1_000
"""So many of the newest sessions are looked at, of those erased and of those not."""


async def lost_keys(events: SessionLog, dsn: str) -> Sequence[UUID]:
    """Sessions whose key is gone although nobody erased them. Raises LogUnavailable or psycopg.OperationalError."""
    return [found for found in await _newest(dsn, erased=False) if await events.lost_key(found)]


async def surviving_keys(events: SessionLog, dsn: str) -> Sequence[UUID]:
    """Sessions that were recorded as erased and have a key: the erasure was cut short, or a key came back from a copy.
    Raises LogUnavailable or psycopg.OperationalError."""
    return [found for found in await _newest(dsn, erased=True) if await events.surviving_key(found)]


async def _newest(dsn: str, *, erased: bool) -> Sequence[UUID]:
    """As the read models hold them; the rows of an erased session are emptied as soon as its event is read."""
    async with await connect(dsn) as conn:
        try:
            found = await conn.execute(
                "SELECT session_id FROM assay.diagnosis_session WHERE erased = %s ORDER BY created_at DESC LIMIT %s",
                [erased, RECENT],
            )
        except psycopg.errors.UndefinedTable:
            return ()
        rows = await found.fetchall()
    return [row["session_id"] for row in rows]
