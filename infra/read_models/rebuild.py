"""Making a build of a read model beside the serving one, from the beginning of the log (R56).

The log is folded partition by partition, by as many processes as there are, with the code that the live projector uses:
rows and the partition's position commit together, only in larger portions. Killed at any point, the next rebuild goes
on where the rows stand.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from psycopg import sql

from domain.subjects import PARTITIONS
from infra.event_log.errors import LogUnavailable, NewerEvent
from infra.postgres import Connection, connect
from infra.read_models.builds import BuildRefused
from infra.read_models.projector import LogReader, Projector, describe, position_of
from infra.read_models.rows import PendingRows, Position, advance, identity, lock_positions, record_halt
from infra.read_models.status import ProjectorStatus, build_statuses
from infra.read_models.tables import PREPARE_LOCK, create_build, prepare, table
from projections.read_model import ReadModel, by_name

PAGE_SIZE = 1_000
PORTION = 8_000
"""Events of one transaction. Rows of a session that is open at its end are written again in the next."""


class RebuildFailed(Exception):
    """A build cannot be loaded further. What it holds stays, and the next rebuild goes on from there."""


class PartitionedLog(LogReader, Protocol):
    async def next_position(self, after: int, partition: int) -> int | None:
        """As the log's leader knows it; None where there is none."""


async def begin(conn: Connection, models: Sequence[ReadModel], names: Sequence[str]) -> list[ReadModel]:
    """The builds to be loaded, of the newest version of each name: one that waits already, or else a new one.

    Raises BuildRefused if what waits is of another version or shape.
    """
    await prepare(conn, models, PARTITIONS)
    async with conn.transaction():
        await conn.execute("SELECT pg_advisory_xact_lock(%s)", [PREPARE_LOCK])
        statuses = await build_statuses(conn, models)
        versions = by_name(models)
        return [
            await _build(conn, versions[name][0], [status for status in statuses if status.name == name])
            for name in names
        ]


async def _build(conn: Connection, model: ReadModel, existing: Sequence[ProjectorStatus]) -> ReadModel:
    if waiting := next((one for one in existing if one.waits), None):
        if waiting.version != model.version or not waiting.fingerprint_ok:
            raise BuildRefused(
                f"{model.name} {waiting.label} was built for another release: "
                f"`assay projection drop {model.name} {waiting.label}` first"
            )
        return replace(model, build=waiting.build)
    last = max((one.build for one in existing if one.version == model.version), default=0)
    created = replace(model, build=last + 1)
    await create_build(conn, created, PARTITIONS)
    return created


async def end_of(log: LogReader) -> Position:
    """The newest event now: what a rebuild loads up to."""
    last = await log.last_position()
    if not last:
        return Position(0, "")
    end = await position_of(log, last)
    if end is None:
        raise LogUnavailable(f"the replica asked does not hold position {last} yet")
    return end


async def progress(conn: Connection, models: Sequence[ReadModel], until: Position) -> float:
    """The share of the events up to `until` that these builds hold, as far as one can tell without counting."""
    if not until.position:
        return 1.0
    builds = {identity(model) for model in models}
    statuses = await build_statuses(conn, models)
    positions = [position for one in statuses if identity(one) in builds for position in one.positions.values()]
    return sum(min(position, until.position) for position in positions) / (len(positions) * until.position)


async def load_partition(
    models: Sequence[ReadModel],
    log: PartitionedLog,
    dsn: str,
    partition: int,
    until: Position,
    wanted: Callable[[], bool] = lambda: True,
) -> None:
    """Fold one partition's events up to `until` into these builds, as long as it is `wanted`. Raises RebuildFailed."""
    portion = Portion(models, log, partition, until)
    async with await connect(dsn) as conn:
        await conn.execute("SET synchronous_commit = off")
        try:
            while wanted() and await portion.load(conn):
                pass
        except NewerEvent as newer:
            raise RebuildFailed(f"{newer}; what is loaded stays, and a rebuild by that release goes on") from newer
        except Exception as error:
            reason = f"partition {partition} behind position {portion.after}: {describe(error)}"
            if not conn.broken:
                for model in models:
                    await record_halt(conn, model, reason)
            raise RebuildFailed(reason) from error


class Portion:
    """As many events of one partition as one transaction takes. `after`: everything up to here is folded."""

    def __init__(self, models: Sequence[ReadModel], log: PartitionedLog, partition: int, until: Position) -> None:
        self._models = models
        self._log = log
        self._partition = partition
        self._until = until
        self.after = 0

    async def load(self, conn: Connection) -> bool:
        """Fold and store the next portion; False if there is none."""
        starts = [await self._position(conn, model) for model in self._models]
        self.after = min(start.position for start in starts)
        if self.after >= self._until.position:
            return False
        pending = [PendingRows(model) for model in self._models]
        with _no_collection():
            end = await self._fold(conn, pending, starts)
        async with conn.transaction():
            for model, rows, start in zip(self._models, pending, starts, strict=True):
                if await self._position(conn, model) != start:  # a killed rebuild's last process was quicker
                    return True
                await rows.store(conn)
                await advance(conn, model, end, self._partition)
        return True

    async def _fold(self, conn: Connection, pending: Sequence[PendingRows], starts: Sequence[Position]) -> Position:
        """How far it came: the last event folded, or `until` once nothing of the partition is left before it."""
        events, end = 0, Position(0, "")
        while events < PORTION:
            try:
                page = await self._log.read(self.after, PAGE_SIZE, partition=self._partition)
            except NewerEvent as newer:
                if newer.position > self._until.position:
                    return self._until
                if not events:
                    raise
                return end  # what was folded before it is stored first
            fitting = [event for event in page if event.position <= self._until.position]
            for rows, start in zip(pending, starts, strict=True):
                await rows.fold(conn, [event for event in fitting if event.position > start.position])
            if fitting:
                self.after, end = fitting[-1].position, Position(fitting[-1].position, fitting[-1].hash)
            if len(fitting) < PAGE_SIZE and await self._is_last():
                return self._until
            events += len(fitting)
        return end

    async def _is_last(self) -> bool:
        """Asked of the leader: the replica that gave a short page may lag behind."""
        following = await self._log.next_position(self.after, self._partition)
        if following is None or following > self._until.position:
            return True
        await asyncio.sleep(0.1)
        return False

    async def _position(self, conn: Connection, model: ReadModel) -> Position:
        return (await lock_positions(conn, model, self._partition))[self._partition]


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Rows that wait to be stored are many and none is garbage: looking through them took a fifth of a rebuild."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def finish(conn: Connection, models: Sequence[ReadModel], log: LogReader, dsn: str) -> None:
    """Bring loaded builds to the end of the log, as the live projector would. Raises ProjectorHalted.

    Twice: what the first round read before a session's key was destroyed it may have stored after the session's rows
    were emptied. The end of the log, looked up again, then holds the erasure (R62).
    """
    for _ in range(2):
        last = await log.last_position()
        await asyncio.gather(*(Projector(model, log, dsn).catch_up(last) for model in models))
    for model in models:
        await conn.execute(sql.SQL("ANALYZE {}").format(table(model)))
        await conn.execute(
            "UPDATE assay_meta.read_model SET loaded = true WHERE (name, version, build) = (%s, %s, %s)",
            identity(model),
        )
