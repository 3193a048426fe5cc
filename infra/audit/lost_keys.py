"""Sessions whose key is gone although nobody erased them (R62): without this a lost key folder looks like erasure."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import psycopg

from infra.event_log.session_log import SessionLog
from infra.postgres import connect

RECENT = 1_000
"""So many of the newest sessions are looked at."""


async def lost_keys(events: SessionLog, dsn: str) -> Sequence[UUID]:
    """Of the newest sessions that the read models hold. Raises LogUnavailable or psycopg.OperationalError."""
    async with await connect(dsn) as conn:
        try:
            found = await conn.execute(
                "SELECT session_id FROM assay.diagnosis_session WHERE NOT erased ORDER BY created_at DESC LIMIT %s",
                [RECENT],
            )
        except psycopg.errors.UndefinedTable:
            return ()
        rows = await found.fetchall()
    return [row["session_id"] for row in rows if await events.lost_key(row["session_id"])]
