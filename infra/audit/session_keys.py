"""Do keys, erasures and the ledger of erasures agree (R62, R76)? A lost key folder looks like erasure, and one that is
put back, or a restored log, undoes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.events import SessionErased
from infra.audit.erasure_ledger import ErasureLedger, verify
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.postgres import connect

RECENT = 1_000
"""So many of the newest sessions are looked at, of those erased and of those not."""


async def lost_keys(events: SessionLog, dsn: str, ledger: ErasureLedger) -> Sequence[UUID]:
    """Sessions whose key is gone although nobody erased them. Raises LogUnavailable, UnusableLedger or
    psycopg.OperationalError."""
    newest = [found for found in await _newest(dsn, erased=False) if ledger.of(found).erasure is None]
    return [found for found in newest if await events.lost_key(found)]


async def surviving_keys(events: SessionLog, dsn: str) -> Sequence[UUID]:
    """Sessions that were recorded as erased and have a key: the erasure was cut short, or a key came back from a copy.
    Raises LogUnavailable or psycopg.OperationalError."""
    found = {*await _newest(dsn, erased=True), *await _erased_since(events, dsn)}
    return [session_id for session_id in sorted(found, reverse=True) if await events.surviving_key(session_id)]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Between the ledger and what it speaks of. `keys`: erased sessions that have one, as far as the log does not say
    that they are (`surviving_keys` does); `unrecorded`: those that the log does not say are erased; `unentered`: erased
    in the log, and not in the ledger."""

    entries: int
    keys: Sequence[UUID]
    unrecorded: Sequence[UUID]
    unentered: Sequence[UUID]


async def disagreement(
    events: SessionLog,
    dsn: str,
    ledger: ErasureLedger,
    keys: KeyDirectory,
    signers: Collection[Ed25519PublicKey] | None,
) -> Disagreement:
    """Of the newest entries the signatures are checked, if there are `signers`.

    Raises LogUnavailable, UnusableLedger or psycopg.OperationalError.
    """
    entries = list(ledger.entries())
    if signers is not None:
        for entry in entries[-RECENT:]:
            verify(entry, signers, str(ledger.path))
    erased = {found for found, one in ledger.standings().items() if one.erasure and not one.is_held}
    recorded = set(await erased_in_read_models(events, dsn))
    newest = {entry.session_id for entry in entries[-RECENT:]} & (erased - recorded)
    unrecorded = [one for one in sorted(newest) if await events.stored(one) and not await events.is_erased(one)]
    unentered = sorted(one for one in recorded if ledger.of(one).erasure is None)
    return Disagreement(len(entries), sorted((erased - recorded) & keys.ids()), unrecorded, unentered)


async def erased_in_read_models(events: SessionLog, dsn: str) -> Sequence[UUID]:
    """Every session that was recorded as erased. Raises LogUnavailable or psycopg.OperationalError."""
    async with await connect(dsn) as conn:
        try:
            found = await conn.execute("SELECT session_id FROM assay.diagnosis_session WHERE erased")
        except psycopg.errors.UndefinedTable:
            return ()
        rows = await found.fetchall()
    return [*(row["session_id"] for row in rows), *await _erased_since(events, dsn)]


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
