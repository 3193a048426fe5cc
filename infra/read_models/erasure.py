"""Erasure in the read models: a session's texts, in every version of every table (R62).

A projector empties the rows of its own version when it meets `SessionErased`. A version kept for rollback, half rebuilt
or halted has none that runs. Once the key is gone every fold of the log gives the same empty rows (R55).
"""

from __future__ import annotations

from uuid import UUID

from psycopg import sql

from infra.postgres import Connection, connect


async def erase_rows(dsn: str, session_id: UUID) -> tuple[str, ...]:
    """Empty the content columns of the session's rows; returns the schemas of the builds gone through.

    The session's key must have been destroyed before.
    """
    async with await connect(dsn) as conn, conn.transaction():
        builds = await conn.execute(
            "SELECT name, schema FROM assay_meta.read_model ORDER BY schema FOR KEY SHARE"  # none is dropped
        )
        found = await builds.fetchall()
        for row in found:
            await _erase_build(conn, row["schema"], row["name"], session_id)
    return tuple(row["schema"] for row in found)


async def _erase_build(conn: Connection, schema: str, table: str, session_id: UUID) -> None:
    emptied = [sql.SQL("{} = NULL").format(sql.Identifier(name)) for name in await _content(conn, schema, table)]
    await conn.execute(
        sql.SQL("UPDATE {} SET {} WHERE session_id = %s").format(
            sql.Identifier(schema, table), sql.SQL(", ").join([sql.SQL("erased = true"), *emptied])
        ),
        [session_id],
    )


async def _content(conn: Connection, schema: str, table: str) -> list[str]:
    """The content columns of any version, also one whose code is gone: they stand behind `erased`."""
    found = await conn.execute(
        """SELECT content.attname FROM pg_attribute erased JOIN pg_attribute content USING (attrelid)
           WHERE attrelid = format('%%I.%%I', %s::text, %s::text)::regclass AND erased.attname = 'erased'
             AND content.attnum > erased.attnum AND NOT content.attisdropped""",
        [schema, table],
    )
    return [row["attname"] for row in await found.fetchall()]
