"""Loading the partitions of a rebuild by several processes: folding events keeps a processor busy (R56).

The processes import little, so that they start soon.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.synchronize import Event

from domain.subjects import PARTITIONS
from infra.access import Role
from infra.embedded import Servers
from infra.event_log.connection import connected
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.read_models.rebuild import RebuildFailed, load_partition
from infra.read_models.rows import Position
from infra.settings import Settings
from projections.read_model import ReadModel


@dataclass(frozen=True, slots=True)
class Load:
    """What every process is told. `parent`: once it is gone, nobody wants anything any more."""

    settings: Settings
    servers: Servers
    models: Sequence[ReadModel]
    until: Position
    parent: int


async def load_by_processes(load: Load, workers: int) -> None:
    """All partitions, each by one of so many processes. Raises RebuildFailed, the first that any of them raised."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(min(workers, PARTITIONS), context, _begin, (stop,))
    loop = asyncio.get_running_loop()
    try:
        await asyncio.gather(*(loop.run_in_executor(pool, _load, load, partition) for partition in range(PARTITIONS)))
    except BrokenProcessPool:
        raise RebuildFailed("a process of the rebuild was killed: started again, it goes on where it was") from None
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


_stop: Event


def _begin(stop: Event) -> None:
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent then says when to stop


def _load(load: Load, partition: int) -> None:
    def wanted() -> bool:
        return not _stop.is_set() and os.getppid() == load.parent

    async def reading() -> None:
        async with connected(load.servers, Role.SERVICE) as connection:
            log = SessionLog(connection, KeyDirectory(load.settings.key_dir), load.settings.seal)
            await load_partition(load.models, log, load.servers.owner_dsn, partition, load.until, wanted)

    asyncio.run(reading())
