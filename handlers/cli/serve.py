"""`assay serve` and `assay worker`: carry sessions on until told to stop."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
from contextlib import AsyncExitStack

from nats.errors import Error as NatsError

from handlers.application import make_ready, worker
from handlers.cli.errors import UsageError
from infra.embedded import Servers, running_servers_async
from infra.event_log.connection import pauses
from infra.event_log.errors import LogUnavailable
from infra.settings import Settings
from infra.watch import Watch

log = logging.getLogger(__name__)

START_S = 60.0
"""For so long a worker that is started before the log, or while it restarts, waits for it."""


def serve(arguments: argparse.Namespace, settings: Settings) -> int:
    """Embedded servers and all workers."""
    asyncio.run(_work(settings))
    return 0


def work(arguments: argparse.Namespace, settings: Settings) -> int:
    """All workers, against given servers."""
    if settings.nats_url is None or not settings.has_postgres:
        raise UsageError(
            "assay worker needs ASSAY_NATS_URL and ASSAY_POSTGRES_DSN; `assay serve` starts its own servers"
        )
    asyncio.run(_work(settings))
    return 0


async def _work(settings: Settings) -> None:
    stop, watch = asyncio.Event(), Watch()

    def told_to_stop() -> None:
        watch.stopping()
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop)
    async with running_servers_async(settings) as servers, AsyncExitStack() as stack:
        watch.begin()
        stack.callback(watch.stopping)
        if await _begin(stack, settings, servers, stop):
            print(f"assay: working; NATS at {servers.nats_url}; Ctrl-C stops", file=sys.stderr, flush=True)
            await stop.wait()
        print("assay: stopping", file=sys.stderr, flush=True)


async def _begin(stack: AsyncExitStack, settings: Settings, servers: Servers, stop: asyncio.Event) -> bool:
    """Whether all workers run; False if told to stop before. Raises what the log last failed with."""
    failure: LogUnavailable | NatsError | None = None
    for pause in pauses(START_S):
        if stop.is_set():
            return False
        try:
            await make_ready(settings, servers)
            await stack.enter_async_context(worker(settings, servers))
        except (LogUnavailable, NatsError) as error:
            log.warning("waiting for the log: %s", error)
            failure = error
            await asyncio.sleep(pause)
        else:
            return True
    assert failure is not None
    raise failure
