"""Rebuilding read models by several processes: folding events keeps a processor busy (R56)."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.synchronize import Event

from handlers.application import open_log
from infra.builds import no_rebuild
from infra.embedded import Servers
from infra.event_log.jetstream import PARTITIONS
from infra.event_log.session_log import SessionLog
from infra.postgres import Connection
from infra.read_model_rows import Position
from infra.rebuild import begin, end_of, finish, load_partition, progress
from infra.settings import Settings
from projections.read_model import ReadModel

LOOK_SECONDS = 0.5

Report = Callable[[float, int], None]
"""Told the share that is loaded, and of how many events."""


@dataclass(frozen=True, slots=True)
class Load:
    """What every process is told. `parent`: gone, it wants nothing any more."""

    settings: Settings
    servers: Servers
    models: Sequence[ReadModel]
    until: Position
    parent: int


async def rebuild(
    settings: Settings,
    servers: Servers,
    models: Sequence[ReadModel],
    names: Sequence[str],
    *,
    workers: int,
    report: Report,
) -> list[ReadModel]:
    """Build the newest version of each name beside what serves, up to the end of the log; returns the builds.

    Raises BuildRefused, RebuildFailed or ProjectorHalted; what is loaded by then stays for the next try.
    """
    async with no_rebuild(servers.postgres_dsn) as conn, open_log(settings, servers) as log:
        builds = await begin(conn, models, names)
        load = Load(settings, servers, builds, await end_of(log), os.getpid())
        async with _reporting(conn, load, report):
            await (_here(load, log) if workers == 1 else _by_processes(load, workers))
        await finish(conn, builds, log, servers.postgres_dsn)
    return builds


async def _here(load: Load, log: SessionLog) -> None:
    for partition in range(PARTITIONS):
        await load_partition(load.models, log, load.servers.postgres_dsn, partition, load.until)


async def _by_processes(load: Load, workers: int) -> None:
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(min(workers, PARTITIONS), context, _begin_process, (stop,))
    loop = asyncio.get_running_loop()
    try:
        await asyncio.gather(*(loop.run_in_executor(pool, _load, load, partition) for partition in range(PARTITIONS)))
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


_stop: Event


def _begin_process(stop: Event) -> None:
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent then says when to stop


def _load(load: Load, partition: int) -> None:
    """Runs in a process of its own."""

    def wanted() -> bool:
        return not _stop.is_set() and os.getppid() == load.parent

    async def connected() -> None:
        async with open_log(load.settings, load.servers) as log:
            await load_partition(load.models, log, load.servers.postgres_dsn, partition, load.until, wanted)

    asyncio.run(connected())


@asynccontextmanager
async def _reporting(conn: Connection, load: Load, report: Report) -> AsyncIterator[None]:
    async def look() -> None:
        while True:
            report(await progress(conn, load.models, load.until), load.until.position)
            await asyncio.sleep(LOOK_SECONDS)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
    report(1.0, load.until.position)
