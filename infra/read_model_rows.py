"""Rows and positions of one read model in PostgreSQL, a page at a time. Callers hold the transaction (R55)."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from infra.postgres import Connection, columns, table
from projections.read_model import Key, ReadModel, Row

MAX_DEPTH = 100
"""Levels of JSON stored; the encoder's limit is far away, a reader's patience is not."""

_REFUSED = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Position:
    """How far one partition of the log is applied. `position` 0, `hash` "": nothing yet."""

    position: int
    hash: str


async def stored_fingerprint(conn: Connection, model: ReadModel) -> str:
    """The fingerprint under which this version's table was made."""
    found = await conn.execute(
        "SELECT fingerprint FROM assay_meta.read_model WHERE name = %s AND version = %s", [model.name, model.version]
    )
    row = await found.fetchone()
    return row["fingerprint"] if row else ""


async def record_halt(conn: Connection, model: ReadModel, reason: str) -> None:
    """What `doctor` will say about this version until it moves on (R55, R66)."""
    await conn.execute(
        "UPDATE assay_meta.read_model SET halted_at = now(), halted_reason = %s WHERE name = %s AND version = %s",
        [reason, model.name, model.version],
    )


async def lock_positions(conn: Connection, model: ReadModel) -> dict[int, Position]:
    """Positions by partition; whoever holds them is the only one to write this version's rows."""
    rows = await conn.execute(
        """SELECT partition, position, hash FROM assay_meta.position
           WHERE read_model = %s AND version = %s ORDER BY partition FOR UPDATE""",
        [model.name, model.version],
    )
    return {row["partition"]: Position(row["position"], row["hash"]) async for row in rows}


async def advance(conn: Connection, model: ReadModel, to: Position) -> None:
    """Move every partition up to `to`; a version that moves is not halted."""
    await conn.execute(
        """WITH moved AS (
               UPDATE assay_meta.position SET position = %(position)s, hash = %(hash)s
               WHERE read_model = %(name)s AND version = %(version)s AND position < %(position)s)
           UPDATE assay_meta.read_model SET halted_at = NULL, halted_reason = NULL
           WHERE name = %(name)s AND version = %(version)s AND halted_at IS NOT NULL""",
        {"name": model.name, "version": model.version, "position": to.position, "hash": to.hash},
    )


async def load_rows(
    conn: Connection, model: ReadModel, keys: Collection[Key], whole_sessions: Collection[UUID]
) -> dict[Key, Row]:
    """The rows that exist among `keys`, and all rows of `whole_sessions`."""
    select = sql.SQL("SELECT {columns} FROM {table}").format(columns=columns(model.columns), table=table(model))
    found: list[Row] = []
    if keys:
        joined = sql.SQL("{} JOIN {} USING ({})").format(select, _wanted(model), columns(model.key))
        found += await (await conn.execute(joined, _arrays(model, keys))).fetchall()
    if whole_sessions:
        of_sessions = sql.SQL("{} WHERE session_id = ANY(%s)").format(select)
        found += await (await conn.execute(of_sessions, [list(whole_sessions)])).fetchall()
    return {tuple(row[column] for column in model.key): row for row in found}


async def replace_rows(conn: Connection, model: ReadModel, rows: Mapping[Key, Row], existing: Collection[Key]) -> None:
    """Store `rows`, of which `existing` take the place of rows that stand there already."""
    if existing:
        same_key = [sql.SQL("t.{0} = wanted.{0}").format(sql.Identifier(column)) for column in model.key]
        delete = sql.SQL("DELETE FROM {} AS t USING {} WHERE {}").format(
            table(model), _wanted(model), sql.SQL(" AND ").join(same_key)
        )
        await conn.execute(delete, _arrays(model, existing))
    if rows:
        copy_in = sql.SQL("COPY {} ({}) FROM STDIN").format(table(model), columns(model.columns))
        async with conn.cursor() as cursor, cursor.copy(copy_in) as copy:
            for row in rows.values():
                await copy.write_row([_value(row[column], kind) for column, kind in model.columns.items()])


def storable(value: Any, depth: int = 0) -> Any:
    """`value` as PostgreSQL can hold it: NUL and lone surrogates become U+FFFD, NaN and infinities their names."""
    match value:
        case str():
            return _REFUSED.sub("\ufffd", value)
        case float() if not math.isfinite(value):
            return str(value)
        case dict() | list() | tuple() if depth == MAX_DEPTH:
            return "…"
        case dict():
            return {storable(key): storable(inner, depth + 1) for key, inner in value.items()}
        case list() | tuple():
            return [storable(inner, depth + 1) for inner in value]
        case _:
            return value


def _value(value: Any, kind: str) -> Any:
    return Jsonb(storable(value)) if kind == "jsonb" and value is not None else storable(value)


def _wanted(model: ReadModel) -> sql.Composed:
    """The keys as a table, from one array parameter for each key column."""
    arrays = [sql.SQL("%s::{}[]").format(sql.SQL(model.facts[column])) for column in model.key]
    return sql.SQL("unnest({}) AS wanted ({})").format(sql.SQL(", ").join(arrays), columns(model.key))


def _arrays(model: ReadModel, keys: Collection[Key]) -> list[list[Any]]:
    return [[key[index] for key in keys] for index in range(len(model.key))]
