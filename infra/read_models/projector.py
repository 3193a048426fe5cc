"""One code path from the log to a read model, live or from the beginning: a page of events becomes rows, and the rows
commit together with the position (R55).

Any number of workers may run the same projector: whoever holds the positions applies, the others find them moved on.
Workers follow the build that serves; after a switch they find it replaced and follow the next (R56).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NoReturn, Protocol

import psycopg

from domain.events import Recorded
from domain.subjects import PARTITIONS, partition_of
from infra.event_log.errors import AccessRefused, ChainBroken, LogUnavailable, NewerEvent, Unreadable
from infra.event_log.newer import Told
from infra.postgres import Connection, connect
from infra.read_models.rows import (
    PendingRows,
    Position,
    advance,
    is_serving,
    lock_positions,
    record_halt,
    serving_build,
    stored_fingerprint,
)
from infra.read_models.tables import prepare
from projections.read_model import ReadModel, by_name
from projections.registry import READ_MODELS

logger = logging.getLogger(__name__)

PAGE_SIZE = 500
IDLE_SECONDS = 0.2
"""Wait at the end of the log, that is, after a page that was not full: what comes meanwhile shares a transaction."""
LOOK_SECONDS = 1.0
"""Between looks for another build to serve, while the serving one is halted or of another release, and for a newer
release that applies what this one does not know."""
NEWER_PATIENCE_S = 3.0
"""How long a worker of a newer release is waited for by whoever wants the read models at some position."""
FIRST_DELAY, LONGEST_DELAY = 0.2, 10.0
"""Seconds between attempts while PostgreSQL or the log cannot be reached."""

TRANSIENT_SQLSTATES = {"08", "25", "40", "53", "55", "57", "58"}
"""Classes of PostgreSQL errors that say nothing about the event: connection, conflict, resources, shutdown, disk."""


class LogReader(Protocol):
    """What a projector needs of the event log. Events come in the order of the log."""

    async def read(self, after: int, limit: int, *, partition: int | None = None) -> Sequence[Recorded]:
        """May be answered by a replica that lags behind. Ends before an event of a newer release; raises NewerEvent if
        that is the first."""

    async def last_position(self) -> int:
        """Of the newest event, as the log's leader knows it."""


class ProjectorHalted(Exception):
    """This read model stands still until its cause is removed and the process is started again (R55)."""

    def __init__(self, model: ReadModel, reason: str) -> None:
        super().__init__(f"projector {model.name} {model.label} halted: {reason}")


class ProjectorWaits(ProjectorHalted):
    """This read model stands at an event that a newer release wrote, until that release applies it (R89)."""

    def __init__(self, model: ReadModel, newer: NewerEvent) -> None:
        Exception.__init__(self, f"projector {model.name} {model.label} waits at position {newer.position}: {newer}")


class Replaced(Exception):
    """Another build serves now, or this one was dropped."""


class SharedPages:
    """The log as projectors of one process read it together: an event is fetched, opened and decoded once for all.

    Held is the furthest page, until the end of the log is reached. A single event is always read from the log itself:
    whether it stands there, and whether it can be read at all, is then the question.
    """

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self._page: Sequence[Recorded] = ()
        self._reading = asyncio.Lock()

    async def read(self, after: int, limit: int, *, partition: int | None = None) -> Sequence[Recorded]:
        if limit == 1 or partition is not None:
            return await self._log.read(after, limit, partition=partition)
        async with self._reading:
            if held := self._held(after):
                return held[:limit]
            page = await self._log.read(after, limit)
            if not page or not self._page or page[-1].position >= self._page[-1].position:
                self._page = page
            return page

    async def last_position(self) -> int:
        return await self._log.last_position()

    def _held(self, after: int) -> Sequence[Recorded]:
        """What the page holds behind a position; nothing if it may begin later."""
        if not self._page or after + 1 < self._page[0].position:
            return ()
        return self._page[bisect_right(self._page, after, key=attrgetter("position")) :]


class Projector:
    """Brings one build of one read model to the end of the log, or of several `versions` whichever build serves."""

    def __init__(
        self, versions: ReadModel | Sequence[ReadModel], log: LogReader, dsn: str, *, page_size: int = PAGE_SIZE
    ) -> None:
        self._follows = not isinstance(versions, ReadModel)
        self._versions = (versions,) if isinstance(versions, ReadModel) else versions
        self._model = self._versions[0]
        self._halted: ReadModel | None = None
        self._log = log
        self._dsn = dsn
        self._page_size = page_size
        self._limit = page_size
        self._after = 0
        self._waits_at, self._waits_since, self._told = 0, 0.0, Told()

    async def run(self) -> None:
        """Apply events as they come, for ever. Raises ProjectorHalted, or Replaced if it does not follow. An event that
        a newer release wrote is waited at, until somebody has applied it (R89)."""
        await self._project(until=None)

    async def catch_up(self, to_position: int) -> None:
        """Return once the rows hold every event up to `to_position`, none behind it. Raises ProjectorHalted,
        ProjectorWaits, or Replaced if it does not follow."""
        await self._project(until=to_position)

    async def _project(self, until: int | None) -> None:
        delay = FIRST_DELAY
        while True:
            try:
                async with await connect(self._dsn) as conn:
                    await conn.execute("SET synchronous_commit = off")  # rows lost in a crash lose their position too
                    await self._start(conn)
                    pause = 0.0
                    while until is None or self._after < until:
                        await asyncio.sleep(pause)
                        pause = await self._next_page(conn, until)
                        delay = FIRST_DELAY
                    return
            except Replaced:
                if not self._follows:
                    raise
                continue
            except Exception as error:
                if not _is_transient(error):
                    raise
                logger.warning("projector %s tries again in %.1f s: %s", self._model.name, delay, error)
            await asyncio.sleep(delay)
            delay = min(2 * delay, LONGEST_DELAY)

    async def _start(self, conn: Connection) -> None:
        """Go on where the rows stand, if the table has our shape and the log still holds what was applied."""
        await prepare(conn, self._versions, PARTITIONS)
        if self._follows:
            self._model = await self._serving(conn)
        fingerprint = await stored_fingerprint(conn, self._model)
        if fingerprint is None:
            raise Replaced(f"{self._model.name} {self._model.label} does not exist")
        if fingerprint != self._model.fingerprint:
            await self._halt(conn, "its shape was changed without a new version")
        async with conn.transaction():
            positions = await lock_positions(conn, self._model)
        for applied in set(positions.values()):
            if not await stands(self._log, applied):
                await self._halt(conn, f"the log does not hold the event that was applied at {applied.position}")
        self._after = min((applied.position for applied in positions.values()), default=0)

    async def _serving(self, conn: Connection) -> ReadModel:
        """The build that readers see. Raises ProjectorHalted for the one that halted us, or of an unknown version."""
        found = await serving_build(conn, self._model.name)
        known = {model.version: model for model in self._versions}
        if found.version not in known:
            raise ProjectorHalted(self._model, f"v{found.version} serves, which this release does not know")
        model = replace(known[found.version], build=found.build)
        if model == self._halted:
            raise ProjectorHalted(model, "it waits for another build to serve")
        return model

    async def _next_page(self, conn: Connection, until: int | None) -> float:
        """Read and apply one page; returns the seconds to wait before the next. A page that fails is tried again event
        by event, so that everything before the bad event is applied and it alone is named."""
        page: Sequence[Recorded] = ()
        limit = self._limit
        try:
            page = await self._log.read(self._after, limit if until is None else min(limit, until - self._after))
            if page:
                self._after = await self._apply(conn, page)
        except Replaced:
            raise
        except NewerEvent as newer:
            return await self._wait(conn, newer, is_awaited=until is not None)
        except Exception as error:
            if _is_transient(error):
                raise
            if self._limit == 1:
                await self._halt(conn, _blame(page, self._after, error), error)
            self._limit = 1
        else:
            self._limit = min(2 * self._limit, self._page_size)
        return IDLE_SECONDS if len(page) < limit else 0.0

    async def _apply(self, conn: Connection, page: Sequence[Recorded]) -> int:
        """Rows and positions in one transaction. Returns the position to read on from."""
        model, end = self._model, page[-1]
        async with conn.transaction():
            positions = await lock_positions(conn, model)
            if not positions or (self._follows and not await is_serving(conn, model)):
                raise Replaced(f"{model.name} {model.label} serves no more")
            slowest = min(applied.position for applied in positions.values())
            if slowest < self._after or slowest >= end.position:  # rebuilt from an earlier event, or another's work
                return slowest
            fresh = [
                event for event in page if event.position > positions[partition_of(str(event.session_id))].position
            ]
            rows = PendingRows(model)
            await rows.fold(conn, fresh)
            await rows.store(conn)
            await advance(conn, model, Position(end.position, end.hash))
        return end.position

    async def _wait(self, conn: Connection, newer: NewerEvent, *, is_awaited: bool) -> float:
        """Stand before an event of a newer release; go on where its projector has come to. Returns the pause."""
        async with conn.transaction():
            positions = await lock_positions(conn, self._model)
            if not positions or (self._follows and not await is_serving(conn, self._model)):
                raise Replaced(f"{self._model.name} {self._model.label} serves no more")
        slowest = min(applied.position for applied in positions.values())
        if slowest >= newer.position:
            self._after = slowest
            return 0.0
        if self._waits_at != newer.position:
            self._waits_at, self._waits_since = newer.position, time.monotonic()
            self._told.say(f"projector {self._model.name} {self._model.label}, at position {newer.position},", newer)
        if is_awaited and time.monotonic() - self._waits_since > NEWER_PATIENCE_S:
            raise ProjectorWaits(self._model, newer)
        return LOOK_SECONDS

    async def _halt(self, conn: Connection, reason: str, cause: Exception | None = None) -> NoReturn:
        await record_halt(conn, self._model, reason)
        self._halted = self._model
        logger.critical("projector %s %s halted: %s", self._model.name, self._model.label, reason, exc_info=cause)
        raise ProjectorHalted(self._model, reason)


async def stands(log: LogReader, applied: Position) -> bool:
    """Does the log hold, at this position, the very event that was applied? Raises LogUnavailable."""
    if not applied.position:
        return True
    try:
        found = await position_of(log, applied.position)
    except (ChainBroken, Unreadable):
        return False
    if not found and await log.last_position() >= applied.position:
        raise LogUnavailable(f"the replica asked does not hold position {applied.position} yet")
    return found == applied


async def position_of(log: LogReader, position: int) -> Position | None:
    """The event there, also one that this release does not know; None where the replica asked holds none."""
    try:
        page = await log.read(position - 1, 1)
    except NewerEvent as newer:
        return Position(newer.position, newer.hash)
    return Position(page[0].position, page[0].hash) if page else None


async def run_projectors(log: LogReader, dsn: str, models: Iterable[ReadModel] = READ_MODELS) -> None:
    """Keep the serving build of every read model at the end of the log until cancelled. One that halts leaves the
    others running, and stands still until another build serves in its place."""
    pages = SharedPages(log)
    async with asyncio.TaskGroup() as group:
        for versions in by_name(models).values():
            group.create_task(_follow(Projector(versions, pages, dsn)))


async def _follow(projector: Projector) -> NoReturn:
    while True:
        with contextlib.suppress(ProjectorHalted):  # recorded and reported already, or of another release
            await projector.run()
        await asyncio.sleep(LOOK_SECONDS)


async def catch_up(log: LogReader, dsn: str, to_position: int, models: Iterable[ReadModel] = READ_MODELS) -> None:
    """Return once all read models hold every event up to `to_position`, whoever applied them, however long it takes.
    Raises the first ProjectorHalted, after the others have caught up."""
    pages = SharedPages(log)
    work = [Projector(versions, pages, dsn).catch_up(to_position) for versions in by_name(models).values()]
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


def _blame(page: Sequence[Recorded], after: int, error: Exception) -> str:
    """Which event, and why."""
    where = f"event {page[0].position} ({page[0].event.TOPIC})" if page else f"the event after {after}"
    return f"{where} cannot be applied: {describe(error)}"


def describe(error: Exception) -> str:
    """Class and first line of an error: further lines may quote content (R62)."""
    first_line = str(error).partition("\n")[0][:200]
    return f"{type(error).__name__}: {first_line}"


def _is_transient(error: Exception) -> bool:
    if isinstance(error, psycopg.Error):
        state = error.sqlstate
        return state[:2] in TRANSIENT_SQLSTATES if state else isinstance(error, psycopg.OperationalError)
    return isinstance(error, OSError | LogUnavailable | AccessRefused)
