"""Does a rebuilt table equal the one that readers see? Both are compared at one position of the log (R56)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import sql
from psycopg.rows import DictRow

from infra.event_log.connection import attempts
from infra.postgres import Connection, connect
from infra.read_models.builds import BuildRefused, builds_of, waiting_build
from infra.read_models.projector import LogReader, Projector
from infra.read_models.rows import identity, lock_positions
from infra.read_models.status import ProjectorStatus
from infra.read_models.tables import columns
from projections.read_model import ReadModel, by_name

SHOWN_DIFFERENCES = 5
PATIENCE_S = 30.0
"""For the serving build to come as far as the rebuilt one."""


@dataclass(frozen=True, slots=True)
class TableSum:
    """Of one build; the checksum is over the columns that both have."""

    label: str
    rows: int
    checksum: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One row. `columns`: in which it differs, or none if only one of the builds has it."""

    key: dict[str, Any]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`only_serving` and `only_rebuilt`: columns that cannot be compared. `differences`: the first few."""

    name: str
    position: int
    serving: TableSum
    rebuilt: TableSum
    only_serving: tuple[str, ...]
    only_rebuilt: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def equal(self) -> bool:
        return (self.serving.rows, self.serving.checksum) == (self.rebuilt.rows, self.rebuilt.checksum)


async def verify(log: LogReader, dsn: str, models: Sequence[ReadModel], names: Sequence[str]) -> list[Comparison]:
    """Compare what waits with what serves, and note whether they are equal. Raises BuildRefused, or ProjectorHalted."""
    comparisons = []
    for name in names:
        versions = by_name(models)[name]
        rebuilt, status = await waiting_build(dsn, versions)
        async with _standing_still(log, dsn, versions, rebuilt) as (conn, serving, position):
            comparison = await _compare(conn, rebuilt, serving, status, position)
        await _note(dsn, rebuilt, comparison.equal)
        comparisons.append(comparison)
    return comparisons


@asynccontextmanager
async def _standing_still(
    log: LogReader, dsn: str, versions: Sequence[ReadModel], rebuilt: ReadModel
) -> AsyncIterator[tuple[Connection, ProjectorStatus, int]]:
    """A snapshot in which both builds have come equally far; the projectors go on meanwhile."""
    async with await connect(dsn) as snapshot:
        await Projector(rebuilt, log, dsn).catch_up(await log.last_position())
        async for _ in attempts(PATIENCE_S):
            serving = next(one for one in await builds_of(dsn, versions) if one.serving)
            if (position := await _meet(log, dsn, serving, rebuilt, snapshot)) is not None:
                yield snapshot, serving, position
                return
            if model := next((one for one in versions if one.version == serving.version), None):
                await Projector([model], log, dsn).catch_up(await log.last_position())
    raise BuildRefused(f"{rebuilt.name} {serving.label} stays behind: does a worker run that knows it?")


async def _meet(
    log: LogReader, dsn: str, serving: ProjectorStatus, rebuilt: ReadModel, snapshot: Connection
) -> int | None:
    """Begin the snapshot while the serving build is held fast and the rebuilt one has come as far, or return None."""
    async with await connect(dsn) as conn, conn.transaction():
        held = {applied.position for applied in (await lock_positions(conn, serving)).values()}
        async with await connect(dsn) as other:
            come = {applied.position for applied in (await lock_positions(other, rebuilt)).values()}
        if len(held) > 1 or max(come) > max(held):
            return None
        (position,) = held
        await Projector(rebuilt, log, dsn).catch_up(position)
        await snapshot.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        await snapshot.execute("SELECT 1")
    return position


async def _compare(
    conn: Connection, model: ReadModel, serving: ProjectorStatus, rebuilt: ProjectorStatus, position: int
) -> Comparison:
    old, new = await _shape(conn, serving), await _shape(conn, rebuilt)
    shared = [name for name, kind in new.items() if old.get(name) == kind]
    sums = [await _sum(conn, build, shared) for build in (serving, rebuilt)]
    keyed = set(model.key) <= set(shared)
    differ = keyed and (sums[0].rows, sums[0].checksum) != (sums[1].rows, sums[1].checksum)
    return Comparison(
        name=model.name,
        position=position,
        serving=sums[0],
        rebuilt=sums[1],
        only_serving=tuple(sorted(old.keys() - set(shared))),
        only_rebuilt=tuple(sorted(new.keys() - set(shared))),
        differences=await _differences(conn, model, serving, rebuilt, shared) if differ else (),
    )


async def _shape(conn: Connection, build: ProjectorStatus) -> dict[str, str]:
    """Columns and their types, also of a version that this release does not know."""
    found = await conn.execute(
        """SELECT column_name, data_type FROM information_schema.columns
           WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position""",
        [build.schema, build.name],
    )
    return {row["column_name"]: row["data_type"] async for row in found}


async def _sum(conn: Connection, build: ProjectorStatus, shared: Sequence[str]) -> TableSum:
    """The sum of the rows' hashes does not depend on their order."""
    query = sql.SQL("SELECT count(*) AS rows, coalesce(sum(hashtextextended(ROW({})::text, 0)), 0) AS sum FROM {}")
    found = await conn.execute(query.format(columns(shared), sql.Identifier(build.schema, build.name)))
    (row,) = await found.fetchall()
    return TableSum(build.label, row["rows"], f"{int(row['sum']) % 2**64:016x}")


async def _differences(
    conn: Connection, model: ReadModel, serving: ProjectorStatus, rebuilt: ProjectorStatus, shared: Sequence[str]
) -> tuple[Difference, ...]:
    of_each = [sql.SQL(", ").join(sql.Identifier(one, name) for name in shared) for one in ("old", "new")]
    query = sql.SQL(
        """SELECT {key}, to_jsonb(ROW({old})) AS old, to_jsonb(ROW({new})) AS new
           FROM {serving} AS old FULL JOIN {rebuilt} AS new USING ({key})
           WHERE ROW({old}) IS DISTINCT FROM ROW({new}) ORDER BY {key} LIMIT {limit}"""
    ).format(
        key=columns(model.key),
        old=of_each[0],
        new=of_each[1],
        serving=sql.Identifier(serving.schema, serving.name),
        rebuilt=sql.Identifier(rebuilt.schema, rebuilt.name),
        limit=SHOWN_DIFFERENCES,
    )
    return tuple(_difference(model, row, shared) for row in await (await conn.execute(query)).fetchall())


def _difference(model: ReadModel, row: DictRow, shared: Sequence[str]) -> Difference:
    key = {name: row[name] for name in model.key}
    pairs = zip(shared, row["old"].values(), row["new"].values(), strict=True)
    differing = tuple(name for name, old, new in pairs if old != new)
    return Difference(key, () if set(model.key) <= set(differing) else differing)


async def _note(dsn: str, rebuilt: ReadModel, equal: bool) -> None:
    async with await connect(dsn) as conn:
        await conn.execute(
            """UPDATE assay_meta.read_model SET verified_at = CASE WHEN %s THEN now() END
               WHERE (name, version, build) = (%s, %s, %s)""",
            [equal, *identity(rebuilt)],
        )
