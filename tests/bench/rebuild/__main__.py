"""Events a second that a rebuild of all four read models folds, and what an event costs in a longer log.

    python -m tests.bench.rebuild [--runs 3] [--events 200000] [--library-events 5000] [--workers 2]

The log holds the sample sessions over and over, and grows to a tenth, a half and all of `--events`; at each size the
read models are rebuilt from nothing. Beside it, as far as possible by as many processes: the bare bound, reading the
stored events and copying the finished rows into tables of the same shape; and `eventsourcing`'s `ProjectionRunner` with
the same folds, on the first `--library-events` events only, since it takes one transaction an event.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import time
from collections.abc import Sequence
from statistics import median

from domain.events import Recorded
from domain.session.state import Closed
from domain.subjects import PARTITIONS
from handlers.application import open_log, runner_on
from handlers.rebuild import rebuild
from infra.postgres import connect
from infra.read_models.builds import drop
from infra.read_models.tables import prepare
from projections.read_model import ReadModel
from projections.registry import READ_MODELS
from tests.bench.figures import Ratio, Row, plain_table, shown, table
from tests.bench.ground import Ground, ground, progress
from tests.bench.rebuild import bare, library
from tests.bench.sample_sessions import QUESTIONS, Asker
from tests.copied_sessions import append_copies

REBUILD, BARE, LIBRARY = "Assay, rebuild", "bare: read the stream, COPY the rows", "eventsourcing, ProjectionRunner"
NAMES = [model.name for model in READ_MODELS]


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
    rates: dict[str, list[float]] = {LIBRARY: _library(servers, recorded, arguments)}
    sizes = []
    for size in (arguments.events // 10, arguments.events // 2, arguments.events):
        events = asyncio.run(_grown(servers, recorded, size))
        took = [asyncio.run(_rebuilt(servers, arguments.workers, run)) for run in range(arguments.runs)]
        sizes.append((events, median(took), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
        rates[REBUILD] = [events / each for each in took]
    rates[BARE] = [events / each for each in bare.seconds(servers, arguments.workers, arguments.runs)]
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
        rates.append(events / library.seconds(servers, dsn, events))
    return rates


async def _prepared(dsn: str, models: Sequence[ReadModel]) -> None:
    async with await connect(dsn) as conn:
        await prepare(conn, models, PARTITIONS)


if __name__ == "__main__":
    main()
