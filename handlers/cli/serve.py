"""`assay serve` and `assay worker`: carry sessions on until told to stop."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from handlers.application import make_ready, worker
from handlers.cli.errors import UsageError
from infra.embedded import running_servers_async
from infra.settings import Settings


def serve(arguments: argparse.Namespace, settings: Settings) -> int:
    """Embedded servers and all workers."""
    asyncio.run(_work(settings))
    return 0


def work(arguments: argparse.Namespace, settings: Settings) -> int:
    """All workers, against given servers."""
    if settings.nats_url is None or settings.postgres_dsn is None:
        raise UsageError(
            "assay worker needs ASSAY_NATS_URL and ASSAY_POSTGRES_DSN; `assay serve` starts its own servers"
        )
    asyncio.run(_work(settings))
    return 0


async def _work(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with worker(settings, servers):
            print(f"assay: working; NATS at {servers.nats_url}; Ctrl-C stops", file=sys.stderr, flush=True)
            await stop.wait()
            print("assay: stopping", file=sys.stderr, flush=True)
