"""Rows and positions of one build of a read model in PostgreSQL. Callers hold the transaction (R55)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

import orjson
from psycopg import sql
from psycopg.types.json import Jsonb

from domain.events import Recorded, SessionErased
from infra.postgres import Connection
from infra.read_models.tables import columns, table
from projections.read_model import Key, ReadModel, Row, fold_page

MAX_DEPTH = 100
"""Levels of JSON stored; the encoder's limit is far away, a reader's patience is not."""

_REFUSED = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Build:
    """Which build is meant, as the books name it."""

    name: str
    version: int
    build: int


@dataclass(frozen=True, slots=True)
class Position:
    """How far one partition of the log is applied. `position` 0, `hash` "": nothing yet."""

    position: int
    hash: str


async def stored_fingerprint(conn: Connection, model: ReadModel) -> str | None:
    """The fingerprint under which this build's table was made; None without such a build."""
    found = await conn.execute(
        "SELECT fingerprint FROM assay_meta.read_model WHERE (name, version, build) = (%s, %s, %s)", identity(model)
    )
    row = await found.fetchone()
    return row["fingerprint"] if row else None


async def is_serving(conn: Connection, model: ReadModel) -> bool:
    """Do readers see this build?"""
    return identity(await serving_build(conn, model.name)) == identity(model)


async def serving_build(conn: Connection, name: str) -> Build:
    """Which build of a read model readers see: there is always one, of a version that this code may not know."""
    found = await conn.execute(
        "SELECT name, version, build FROM assay_meta.read_model WHERE name = %s AND serving", [name]
    )
    rows = await found.fetchall()
    return Build(**rows[0])


async def record_halt(conn: Connection, model: ReadModel, reason: str) -> None:
    """What `doctor` will say about this build until it moves on (R55, R66)."""
    await conn.execute(
        """UPDATE assay_meta.read_model SET halted_at = now(), halted_reason = %s
           WHERE (name, version, build) = (%s, %s, %s)""",
        [reason, *identity(model)],
    )


async def lock_positions(conn: Connection, build: Identified, partition: int | None = None) -> dict[int, Position]:
    """Positions by partition, of all or of one; whoever holds them is the only one to write those rows of the build.
    Empty if it was dropped."""
    rows = await conn.execute(
        """SELECT partition, position, hash FROM assay_meta.position
           WHERE (read_model, version, build) = (%s, %s, %s) AND coalesce(partition = %s, true)
           ORDER BY partition FOR UPDATE""",
        [*identity(build), partition],
    )
    return {row["partition"]: Position(row["position"], row["hash"]) async for row in rows}


async def advance(conn: Connection, model: ReadModel, to: Position, partition: int | None = None) -> None:
    """Move every partition, or one, up to `to`; a build that moves is not halted."""
    await conn.execute(
        """WITH moved AS (
               UPDATE assay_meta.position SET position = %(position)s, hash = %(hash)s
               WHERE (read_model, version, build) = (%(name)s, %(version)s, %(build)s)
                 AND position < %(position)s AND coalesce(partition = %(partition)s, true))
           UPDATE assay_meta.read_model SET halted_at = NULL, halted_reason = NULL
           WHERE (name, version, build) = (%(name)s, %(version)s, %(build)s) AND halted_at IS NOT NULL""",
        {
            **dict(zip(("name", "version", "build"), identity(model), strict=True)),
            "position": to.position,
            "hash": to.hash,
            "partition": partition,
        },
    )


class PendingRows:
    """Rows of one build as pages of events change them, until they are stored: by one page, live, or by many, in a
    rebuild. The caller keeps others from writing the same rows."""

    def __init__(self, model: ReadModel) -> None:
        self._model = model
        self._rows: dict[Key, Row] = {}
        self._changed: dict[Key, Row] = {}
        self._existing: set[Key] = set()
        self._opened: set[UUID] = set()

    async def fold(self, conn: Connection, page: Sequence[Recorded]) -> None:
        """Raises what `fold_page` raises."""
        model = self._model
        self._opened |= {event.session_id for event in page if event.version == 1}
        before = [event for event in page if event.session_id not in self._opened]  # may have rows in the table
        keys = {key for event in before if (key := model.key_of(event)) is not None} - self._rows.keys()
        erased = {event.session_id for event in before if isinstance(event.event, SessionErased)}
        loaded = await load_rows(conn, model, keys, erased) if keys or erased else {}
        self._existing |= loaded.keys()
        self._rows = loaded | self._rows if loaded else self._rows
        changed = fold_page(model, self._rows, page)
        self._rows |= changed
        self._changed |= changed

    async def store(self, conn: Connection) -> None:
        await replace_rows(conn, self._model, self._changed, self._changed.keys() & self._existing)


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
            kinds = model.columns.items()
            for row in rows.values():
                await copy.write_row([_value(row[column], kind) for column, kind in kinds])


class Identified(Protocol):
    """A build of a read model, whatever else is known of it."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def build(self) -> int: ...


def identity(build: Identified) -> tuple[str, int, int]:
    """Name, version and build, as the books hold them."""
    return build.name, build.version, build.build


def storable(value: Any, depth: int = 0) -> Any:
    """`value` as PostgreSQL can hold it: NUL and lone surrogates become U+FFFD, NaN and infinities null."""
    match value:
        case str():
            return _storable_text(value)
        case float() if not math.isfinite(value):
            return None
        case dict() | list() | tuple() if depth == MAX_DEPTH:
            return "…"
        case dict():
            return {storable(key): storable(inner, depth + 1) for key, inner in value.items()}
        case list() | tuple():
            return [storable(inner, depth + 1) for inner in value]
        case _:
            return value


def _storable_text(value: str) -> str:
    """Nearly every text is storable as it is, and a search for what is not would take as long as its fold."""
    try:
        value.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return _REFUSED.sub("\ufffd", value)
    return value.replace("\0", "\ufffd")


def _value(value: Any, kind: str) -> Any:
    return Jsonb(value, dumps=_json) if kind == "jsonb" and value is not None else storable(value)


def _json(value: Any) -> str | bytes:
    """JSON as PostgreSQL can hold it. What the fast encoder refuses, or PostgreSQL would, is made storable first."""
    try:
        written = orjson.dumps(value)
    except TypeError:  # lone surrogates, nested too deeply, integers beyond 64 bits
        written = b"\\u0000"
    return json.dumps(storable(value)) if b"\\u0000" in written else written


def _wanted(model: ReadModel) -> sql.Composed:
    """The keys as a table, from one array parameter for each key column."""
    arrays = [sql.SQL("%s::{}[]").format(sql.SQL(model.facts[column])) for column in model.key]
    return sql.SQL("unnest({}) AS wanted ({})").format(sql.SQL(", ").join(arrays), columns(model.key))


def _arrays(model: ReadModel, keys: Collection[Key]) -> list[list[Any]]:
    return [[key[index] for key in keys] for index in range(len(model.key))]
