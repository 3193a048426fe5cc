"""Events a second that a rebuild of all four read models folds, and what an event costs in a longer log.

    python -m tests.bench.rebuild [--runs 3] [--events 200000] [--library-events 5000] [--workers 2]

The log holds the sample sessions over and over, and grows to a quarter, a half and all of `--events`; at each size the
read models are rebuilt from nothing. Beside it, as far as possible by as many processes: the bare bound, reading the
stored events and copying the finished rows into tables of the same shape; and `eventsourcing`'s `ProjectionRunner` with
the same folds, on the first `--library-events` events only, since it takes one transaction an event.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import psycopg
from psycopg import sql

from domain.events import Recorded
from domain.session.state import Closed
from handlers.application import open_log, runner_on
from handlers.rebuild import rebuild
from infra.event_log.jetstream import PARTITIONS, EventStream
from infra.postgres import connect
from infra.read_models.builds import drop
from infra.read_models.tables import create_build, prepare
from infra.read_models.tables import table as table_of
from infra.streams import EVENT_PREFIX, EVENTS
from projections.read_model import ReadModel
from projections.registry import READ_MODELS
from tests.bench import library_projection
from tests.bench.figures import Ratio, Row, plain_table, shown, table
from tests.bench.ground import Ground, ground, progress
from tests.bench.sample_sessions import QUESTIONS, Asker
from tests.copied_sessions import append_copies

REBUILD, BARE, LIBRARY = "Assay, rebuild", "bare: read the stream, COPY the rows", "eventsourcing, ProjectionRunner"
NAMES = [model.name for model in READ_MODELS]
PAGE = 1_000
COPY_BYTES = 2**18


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--library-events", type=int, default=5_000)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with ground() as servers:
        print(_measured(servers, arguments))


def _measured(servers: Ground, arguments: argparse.Namespace) -> str:
    recorded = asyncio.run(_recorded(servers))
    library = _library(servers, recorded, arguments)
    rates: dict[str, list[float]] = {LIBRARY: library}
    sizes = []
    for size in (arguments.events // 4, arguments.events // 2, arguments.events):
        events = asyncio.run(_grown(servers, recorded, size))
        took = [asyncio.run(_rebuilt(servers, arguments.workers, run)) for run in range(arguments.runs)]
        sizes.append((events, median(took), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
        rates[REBUILD] = [events / each for each in took]
    rates[BARE] = [events / each for each in _bare(servers, arguments)]
    note = (
        f"{events:,} events, {arguments.workers} processes; {LIBRARY} alone had the first {arguments.library_events:,} "
        "of them, in one process."
    )
    ratios = (Ratio(LIBRARY, 30), Ratio(BARE, 0.5))
    rows = [Row(REBUILD, rates[REBUILD], ratios), Row(BARE, rates[BARE]), Row(LIBRARY, rates[LIBRARY])]
    return "\n\n".join([table("Events a second, four read models", rows, note), _by_size(sizes)])


def _by_size(sizes: Sequence[tuple[int, float, float]]) -> str:
    header = ("events in the log", "seconds", "µs an event", "against the smallest", "peak MB of a process")
    first = sizes[0][1] / sizes[0][0]
    rows = [
        [f"{events:,}", shown(took), shown(took / events * 1e6), shown(took / events / first), shown(peak)]
        for events, took, peak in sizes
    ]
    return plain_table("What an event costs in a longer log", header, rows, "Peak: of any process so far.")


async def _recorded(servers: Ground) -> list[Sequence[Recorded]]:
    """The sample questions, each answered once by the extractive model."""
    async with open_log(servers.settings, servers.servers) as log:
        runner = runner_on(log, servers.settings)
        asker, sessions = Asker(runner, servers.settings), []
        for _ in QUESTIONS:
            session_id = await asker.open()
            while not isinstance(await runner.advance(session_id), Closed):
                pass
            sessions.append(await log.load(session_id))
        return sessions


async def _grown(servers: Ground, recorded: Sequence[Sequence[Recorded]], size: int) -> int:
    """Let the log grow to about so many events; returns how many there are."""
    async with open_log(servers.settings, servers.servers) as log:
        last = await log.last_position()
        progress(f"rebuild: the log grows from {last:,} to {size:,} events")
        await append_copies(log, recorded, size - last, at_once=64)
        return await log.last_position()


async def _rebuilt(servers: Ground, workers: int, run: int) -> float:
    """Seconds; the builds of the run before are dropped, the last ones stay."""
    dsn = servers.servers.postgres_dsn
    async with await connect(dsn) as conn:
        await prepare(conn, READ_MODELS, PARTITIONS)
        found = await conn.execute("SELECT name FROM assay_meta.read_model WHERE build = 2")
        for row in await found.fetchall():
            await drop(dsn, READ_MODELS, row["name"], "v1.2")
    progress(f"rebuild: run {run + 1}")
    started = time.perf_counter()
    await rebuild(servers.settings, servers.servers, READ_MODELS, NAMES, workers=workers, report=lambda *_: None)
    return time.perf_counter() - started


# ---------------------------------------------------------------- the library


def _library(servers: Ground, recorded: Sequence[Sequence[Recorded]], arguments: argparse.Namespace) -> list[float]:
    """Events a second; while the log is still as short as it may be."""
    events = asyncio.run(_grown(servers, recorded, arguments.library_events))
    rates = []
    for run in range(arguments.runs):
        progress(f"rebuild: {LIBRARY}, run {run + 1}")
        dsn = servers.new_database(f"library_{run}")
        asyncio.run(_prepared(dsn, READ_MODELS))
        rates.append(events / library_projection.seconds(servers, dsn, events))
    return rates


async def _prepared(dsn: str, models: Sequence[ReadModel]) -> None:
    async with await connect(dsn) as conn:
        await prepare(conn, models, PARTITIONS)


# ---------------------------------------------------------------- the bare bound


def _bare(servers: Ground, arguments: argparse.Namespace) -> list[float]:
    """Seconds of each run: finished rows, as the last rebuild left them, go into fresh tables."""
    with TemporaryDirectory(prefix="assay-bench-rows-") as name:
        shares = _dumped(servers.servers.postgres_dsn, Path(name), arguments.workers)
        took = []
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(arguments.workers, context) as pool:
            for run in range(-1, arguments.runs):  # the first starts the processes and does not count
                progress(f"rebuild: {BARE}, run {run + 1}")
                models = asyncio.run(_fresh_tables(servers.servers.postgres_dsn, run + 10))
                started = time.perf_counter()
                given = [(servers, models, share) for share in shares]
                list(pool.map(_read_and_copy, given, [range(n, PARTITIONS, len(shares)) for n in range(len(shares))]))
                took.append(time.perf_counter() - started)
        return took[1:]


def _dumped(dsn: str, folder: Path, shares: int) -> list[list[Path]]:
    """The rebuilt rows in COPY's text form: for each process one file of each table."""
    files = [[folder / f"{name}.{share}" for name in NAMES] for share in range(shares)]
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


if __name__ == "__main__":
    main()
