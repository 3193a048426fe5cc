"""Do keys and erasures agree (R62)? A lost key folder looks like erasure, and one that is put back undoes it."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import psycopg

from domain.events import SessionErased
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
    found = {*await _newest(dsn, erased=True), *await _erased_since(events, dsn)}
    return [session_id for session_id in sorted(found, reverse=True) if await events.surviving_key(session_id)]


async def _newest(dsn: str, *, erased: bool) -> Sequence[UUID]:
    """As the read models hold them."""
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


async def _erased_since(events: SessionLog, dsn: str) -> Sequence[UUID]:
    """Behind the event that the read models have come to: with no worker they do not go on by themselves."""
    async with await connect(dsn) as conn:
        try:
            found = await conn.execute(
                """SELECT coalesce(min(position), 0) AS position FROM assay_meta.position
                   JOIN assay_meta.read_model USING (version, build)
                   WHERE name = read_model AND name = 'diagnosis_session' AND serving"""
            )
        except psycopg.errors.UndefinedTable:
            return ()
        row = await found.fetchone()
    behind = await events.headers(row["position"], RECENT) if row else ()
    return [event.session_id for event in behind if event.topic == SessionErased.TOPIC]
