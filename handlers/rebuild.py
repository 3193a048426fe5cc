"""Rebuilding read models from the log, in this process or by several (R56)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from domain.subjects import PARTITIONS
from handlers.application import open_log
from infra.embedded import Servers
from infra.event_log.session_log import SessionLog
from infra.postgres import Connection
from infra.read_models.builds import no_rebuild
from infra.read_models.processes import Load, load_by_processes
from infra.read_models.rebuild import begin, end_of, finish, load_partition, progress
from infra.settings import Settings
from projections.read_model import ReadModel

LOOK_SECONDS = 0.5

Report = Callable[[float, int], None]
"""Told the share that is loaded, and of how many events."""


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
    async with no_rebuild(servers.owner_dsn) as conn, open_log(settings, servers) as log:
        builds = await begin(conn, models, names)
        load = Load(settings, servers, builds, await end_of(log), os.getpid())
        async with _reporting(conn, load, report):
            await (_here(load, log) if workers == 1 else load_by_processes(load, workers))
        await finish(conn, builds, log, servers.owner_dsn)
    return builds


async def _here(load: Load, log: SessionLog) -> None:
    for partition in range(PARTITIONS):
        await load_partition(load.models, log, load.servers.owner_dsn, partition, load.until)


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
