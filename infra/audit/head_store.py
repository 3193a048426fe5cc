"""Signed heads in PostgreSQL, and the leaf hashes between them: 32 bytes an event (R60).

The leaf hashes are what names the very event that was forged; they are believed as far as they hash to a signed root.
The schema belongs to no read model: rebuilds leave it alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from domain.merkle import HASH_SIZE, Frontier
from infra.postgres import Connection, making

WRITER_LOCK = 0x61737361795F6864
"""Advisory lock of the one head writer."""

_SCHEMA = """
CREATE SCHEMA IF NOT EXISTS assay_audit;
CREATE TABLE IF NOT EXISTS assay_audit.head (
    size bigint PRIMARY KEY, envelope text NOT NULL, leaves bytea NOT NULL
);
ALTER TABLE assay_audit.head ALTER COLUMN leaves SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS assay_audit.frontier (
    single boolean PRIMARY KEY DEFAULT true CHECK (single), size bigint NOT NULL, peaks bytea NOT NULL
);
"""
_PAGE = 256  # heads


@dataclass(frozen=True, slots=True)
class StoredHead:
    """`leaves`: hashes of the events since the head before."""

    size: int
    envelope: str
    leaves: Sequence[bytes]


async def lock(conn: Connection) -> bool:
    """Become the one head writer for as long as the connection lives; False if another is. Creates what is missing."""
    row = await (await conn.execute("SELECT pg_try_advisory_lock(%s) AS held", [WRITER_LOCK])).fetchone()
    if not row or not row["held"]:
        return False
    await prepare(conn)
    return True


async def prepare(conn: Connection) -> None:
    """Create what is missing. Raises NotPrepared where this user may not."""
    if not await _exists(conn):
        with making():
            await conn.execute(_SCHEMA)


async def last_envelope(conn: Connection) -> str | None:
    """The newest head."""
    if not await _exists(conn):
        return None
    found = await conn.execute("SELECT envelope FROM assay_audit.head ORDER BY size DESC LIMIT 1")
    row = await found.fetchone()
    return row["envelope"] if row else None


async def last_size(conn: Connection) -> int:
    """How many events the newest head covers."""
    if not await _exists(conn):
        return 0
    row = await (await conn.execute("SELECT size FROM assay_audit.frontier")).fetchone()
    return int(row["size"]) if row else 0


async def frontier(conn: Connection) -> Frontier:
    """The tree's frontier at the newest head. Raises ValueError if what is stored is none."""
    row = await (await conn.execute("SELECT size, peaks FROM assay_audit.frontier")).fetchone()
    return Frontier(row["size"], tuple(_hashes(row["peaks"]))) if row else Frontier()


async def add(conn: Connection, head: StoredHead, tree: Frontier) -> None:
    """Record a head and the frontier that belongs to it."""
    async with conn.transaction():
        await conn.execute(
            "INSERT INTO assay_audit.head (size, envelope, leaves) VALUES (%s, %s, %s)",
            [head.size, head.envelope, b"".join(head.leaves)],
        )
        await conn.execute(
            """INSERT INTO assay_audit.frontier (size, peaks) VALUES (%s, %s)
               ON CONFLICT (single) DO UPDATE SET size = excluded.size, peaks = excluded.peaks""",
            [tree.size, b"".join(tree.peaks)],
        )


async def heads(conn: Connection, after: int = 0) -> AsyncIterator[StoredHead]:
    """All heads over more than `after` events, by size."""
    if not await _exists(conn):
        return
    while True:
        found = await conn.execute(
            "SELECT size, envelope, leaves FROM assay_audit.head WHERE size > %s ORDER BY size LIMIT %s", [after, _PAGE]
        )
        rows = await found.fetchall()
        for row in rows:
            after = row["size"]
            yield StoredHead(after, row["envelope"], _hashes(row["leaves"]))
        if len(rows) < _PAGE:
            return


def _hashes(joined: bytes) -> list[bytes]:
    return [joined[at : at + HASH_SIZE] for at in range(0, len(joined), HASH_SIZE)]


async def _exists(conn: Connection) -> bool:
    row = await (await conn.execute("SELECT to_regclass('assay_audit.frontier') IS NOT NULL AS made")).fetchone()
    return bool(row and row["made"])
