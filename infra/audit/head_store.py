"""Signed heads in PostgreSQL, and the leaf hashes between them: 32 bytes an event (R60).

The leaf hashes are what names the very event that was forged; they are believed as far as they hash to a signed root.
The schema belongs to no read model: rebuilds leave it alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from psycopg import sql
from psycopg.errors import UniqueViolation

from domain.merkle import HASH_SIZE, Frontier
from infra.postgres import Connection, NotPrepared, making

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
CREATE TABLE IF NOT EXISTS assay_audit.stream_head (
    stream text, size bigint, envelope text NOT NULL, leaves bytea NOT NULL, PRIMARY KEY (stream, size)
);
ALTER TABLE assay_audit.stream_head ALTER COLUMN leaves SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS assay_audit.stream_frontier (
    stream text PRIMARY KEY, size bigint NOT NULL, peaks bytea NOT NULL
);
"""
"""The heads of other streams than that of the events have tables of their own: the release before knows one stream."""
STREAMS = "streams"
"""Asks `exists` for the place of other streams' heads."""
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
    if not await exists(conn):
        with making():
            try:
                await conn.execute(_SCHEMA)
            except UniqueViolation:  # CREATE … IF NOT EXISTS of two at once: the other has made it
                await conn.execute(_SCHEMA)
    elif not await exists(conn, STREAMS):
        with contextlib.suppress(NotPrepared), making():  # the events' heads do not wait for `assay init`
            await conn.execute(_SCHEMA)


async def last_envelope(conn: Connection, stream: str = "") -> str | None:
    """The newest head, of the events or of another stream."""
    if not await exists(conn, stream):
        return None
    head, _, where = _tables(stream)
    found = await conn.execute(
        sql.SQL("SELECT envelope FROM {} WHERE {} ORDER BY size DESC LIMIT 1").format(head, where), {"stream": stream}
    )
    row = await found.fetchone()
    return row["envelope"] if row else None


async def last_size(conn: Connection, stream: str = "") -> int:
    """How many events the newest head covers."""
    return (await frontier(conn, stream)).size if await exists(conn, stream) else 0


async def frontier(conn: Connection, stream: str = "") -> Frontier:
    """The tree's frontier at the newest head. Raises ValueError if what is stored is none."""
    _, table, where = _tables(stream)
    found = await conn.execute(sql.SQL("SELECT size, peaks FROM {} WHERE {}").format(table, where), {"stream": stream})
    row = await found.fetchone()
    return Frontier(row["size"], tuple(_hashes(row["peaks"]))) if row else Frontier()


async def reserve(conn: Connection) -> None:
    """Inside a transaction: wait while the signing key is exchanged, and have an exchange wait until the end of it."""
    await conn.execute("LOCK TABLE assay_audit.frontier IN ROW EXCLUSIVE MODE")


async def reserve_exchange(conn: Connection) -> None:
    """Inside a transaction: nobody signs a head until the end of it."""
    await conn.execute("LOCK TABLE assay_audit.frontier IN SHARE ROW EXCLUSIVE MODE")


async def add(conn: Connection, head: StoredHead, tree: Frontier, stream: str = "") -> None:
    """Record a head and the frontier that belongs to it."""
    heads_table, frontiers, _ = _tables(stream)
    first, given, key = ("stream, ", "%(stream)s, ", "stream") if stream else ("", "", "single")
    values = {"stream": stream, "size": head.size, "envelope": head.envelope, "leaves": b"".join(head.leaves)}
    async with conn.transaction():
        await conn.execute(
            sql.SQL("INSERT INTO {} ({}size, envelope, leaves) VALUES ({}%(size)s, %(envelope)s, %(leaves)s)").format(
                heads_table, sql.SQL(first), sql.SQL(given)
            ),
            values,
        )
        await conn.execute(
            sql.SQL(
                """INSERT INTO {} ({}size, peaks) VALUES ({}%(size)s, %(peaks)s)
                   ON CONFLICT ({}) DO UPDATE SET size = excluded.size, peaks = excluded.peaks"""
            ).format(frontiers, sql.SQL(first), sql.SQL(given), sql.SQL(key)),
            {"stream": stream, "size": tree.size, "peaks": b"".join(tree.peaks)},
        )


async def heads(conn: Connection, after: int = 0, stream: str = "") -> AsyncIterator[StoredHead]:
    """All heads over more than `after` events, by size."""
    if not await exists(conn, stream):
        return
    table, _, where = _tables(stream)
    page = sql.SQL(
        "SELECT size, envelope, leaves FROM {} WHERE {} AND size > %(after)s ORDER BY size LIMIT %(limit)s"
    ).format(table, where)
    while True:
        rows = await (await conn.execute(page, {"stream": stream, "after": after, "limit": _PAGE})).fetchall()
        for row in rows:
            after = row["size"]
            yield StoredHead(after, row["envelope"], _hashes(row["leaves"]))
        if len(rows) < _PAGE:
            return


def _tables(stream: str) -> tuple[sql.Identifier, sql.Identifier, sql.SQL]:
    """Of heads and of frontiers, and which rows of them."""
    if stream:
        heads_of, frontiers = sql.Identifier("assay_audit", "stream_head"), "stream_frontier"
        return heads_of, sql.Identifier("assay_audit", frontiers), sql.SQL("stream = %(stream)s")
    return sql.Identifier("assay_audit", "head"), sql.Identifier("assay_audit", "frontier"), sql.SQL("true")


def _hashes(joined: bytes) -> list[bytes]:
    return [joined[at : at + HASH_SIZE] for at in range(0, len(joined), HASH_SIZE)]


async def exists(conn: Connection, stream: str = "") -> bool:
    """Whether there is a place for heads of the events, or of other streams."""
    table = "assay_audit.stream_frontier" if stream else "assay_audit.frontier"
    row = await (await conn.execute("SELECT to_regclass(%s) IS NOT NULL AS made", [table])).fetchone()
    return bool(row and row["made"])
