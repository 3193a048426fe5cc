"""What no rebuild can beat: reading the stored events and copying the finished rows, by as many processes.

A module of its own, as its processes import it: the program that starts them would take seconds to import again.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from psycopg import sql

from domain.subjects import EVENT_PREFIX, PARTITIONS
from infra.event_log.jetstream import EventStream
from infra.postgres import connect
from infra.read_models.tables import create_build
from infra.read_models.tables import table as table_of
from infra.streams import EVENTS
from projections.read_model import ReadModel
from projections.registry import READ_MODELS
from tests.bench.ground import Ground, progress

PAGE = 1_000
COPY_BYTES = 2**18


def seconds(servers: Ground, workers: int, runs: int) -> list[float]:
    """Seconds of each run: finished rows, as the last rebuild left them, go into fresh tables."""
    with TemporaryDirectory(prefix="assay-bench-rows-") as name:
        shares = _dumped(servers.servers.postgres_dsn, Path(name), workers)
        took = []
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, context) as pool:
            for run in range(-1, runs):  # the first starts the processes and does not count
                progress(f"rebuild: bare bound, run {run + 1}")
                models = asyncio.run(_fresh_tables(servers.servers.postgres_dsn, run + 10))
                started = time.perf_counter()
                given = [(servers, models, share) for share in shares]
                list(pool.map(_read_and_copy, given, [range(n, PARTITIONS, len(shares)) for n in range(len(shares))]))
                took.append(time.perf_counter() - started)
        return took[1:]


def _dumped(dsn: str, folder: Path, shares: int) -> list[list[Path]]:
    """The rebuilt rows in COPY's text form: for each process one file of each table."""
    files = [[folder / f"{name}.{share}" for name in [model.name for model in READ_MODELS]] for share in range(shares)]
    with psycopg.connect(dsn) as conn:
        for number, model in enumerate(replace(model, build=2) for model in READ_MODELS):
            opened = [each[number].open("wb") for each in files]
            query = sql.SQL("COPY {} TO STDOUT").format(table_of(model))
            with conn.cursor().copy(query) as rows:
                for count, row in enumerate(rows):
                    opened[count % shares].write(row)
            for file in opened:
                file.close()
    return files


async def _fresh_tables(dsn: str, build: int) -> list[ReadModel]:
    models = [replace(model, build=build) for model in READ_MODELS]
    async with await connect(dsn) as conn:
        for model in models:
            await create_build(conn, model, PARTITIONS)
    return models


def _read_and_copy(given: tuple[Ground, Sequence[ReadModel], Sequence[Path]], partitions: Sequence[int]) -> None:
    """One process: its partitions of the log, then its share of the rows."""
    servers, models, files = given

    async def read() -> None:
        async with servers.connection() as connection:
            stream = EventStream(connection, stream=EVENTS, prefix=EVENT_PREFIX)
            for partition in partitions:
                after = 0
                while page := await stream.read(after, PAGE, partition=partition):
                    after = page[-1].position

    asyncio.run(read())
    with psycopg.connect(servers.servers.postgres_dsn) as conn:
        conn.execute("SET synchronous_commit = off")
        for model, path in zip(models, files, strict=True):
            into = sql.SQL("COPY {} FROM STDIN").format(table_of(model))
            with path.open("rb") as file, conn.cursor().copy(into) as copy:
                while block := file.read(COPY_BYTES):
                    copy.write(block)
