"""Memory of a worker, nats-server and PostgreSQL while sessions pile up, and its growth.

    python -m tests.bench.memory [--sessions 10000] [--samples 20]

A worker of its own process answers the sample questions with the extractive model. Memory is resident memory; of
PostgreSQL's processes, which share most of theirs, the proportional share of each is added up.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import linear_regression

import psutil

from handlers.application import open_log, runner_on
from infra.read_models.projector import catch_up
from tests.bench.figures import plain_table, shown
from tests.bench.ground import Ground, at_once, ground, progress
from tests.bench.sample_sessions import Asker, Ends

ROOT = Path(__file__).parent.parent.parent
OPENED_AT_ONCE = 8
WORKER, NATS, POSTGRES = "worker", "nats-server", "PostgreSQL"
MEGABYTE = 2**20

Sample = tuple[int, Mapping[str, float]]
"""Sessions so far, and megabytes by process."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=20, help="measurements on the way")
    arguments = parser.parse_args()
    with ground() as servers, _worker(servers) as process:
        print(asyncio.run(_measured(servers, process, arguments.sessions, arguments.samples)))


async def _measured(servers: Ground, process: psutil.Process, sessions: int, samples: int) -> str:
    taken: list[Sample] = [(0, _megabytes(servers, process))]
    started = time.perf_counter()
    async with open_log(servers.settings, servers.servers) as events:
        asker, ends = Asker(runner_on(events, servers.settings), servers.settings), Ends(events)
        for number in range(1, samples + 1):
            wanted = sessions * number // samples
            await at_once(OPENED_AT_ONCE, wanted - taken[-1][0], asker.open)
            await ends.wait_for(wanted)
            await catch_up(events, servers.servers.postgres_dsn, await events.last_position())
            taken.append((wanted, _megabytes(servers, process)))
            progress(f"memory: {wanted:,} of {sessions:,} sessions, {time.perf_counter() - started:.0f} s")
        events_in_log = await events.last_position()
    return _table(taken, events_in_log)


def _table(taken: Sequence[Sample], events: int) -> str:
    sessions = taken[-1][0]
    later = taken[len(taken) // 2 :]
    rows = []
    for name in (WORKER, NATS, POSTGRES):
        slope = linear_regression([count for count, _ in later], [megabytes[name] for _, megabytes in later]).slope
        rows.append([name, *(shown(megabytes[name]) for _, megabytes in (taken[0], taken[-1])), shown(slope * 1_000)])
    header = ("megabytes", "at the start", f"after {sessions:,} sessions", "growth per 1,000 sessions")
    return plain_table("Memory", header, rows, f"{events:,} events in the log. Growth: over the second half.")


def _megabytes(servers: Ground, process: psutil.Process) -> Mapping[str, float]:
    folder = servers.settings.data_dir / "servers"
    nats = psutil.Process(int((folder / "nats" / "pid").read_text()))
    postmaster = psutil.Process(int((folder / "postgres" / "data" / "postmaster.pid").read_text().splitlines()[0]))
    return {
        WORKER: process.memory_info().rss / MEGABYTE,
        NATS: nats.memory_info().rss / MEGABYTE,
        POSTGRES: sum(map(_proportional, [postmaster, *postmaster.children(recursive=True)])) / MEGABYTE,
    }


def _proportional(process: psutil.Process) -> float:
    try:
        return float(process.memory_full_info().pss)
    except psutil.NoSuchProcess:  # a connection that was closed meanwhile
        return 0.0


@contextmanager
def _worker(servers: Ground) -> Iterator[psutil.Process]:
    """`assay worker` on these servers, ready."""
    environment = {
        "ASSAY_NATS_URL": servers.servers.nats_url,
        "ASSAY_NATS_CREDENTIALS_FILE": str(servers.settings.data_dir / "servers" / "nats" / "credentials.json"),
        "ASSAY_POSTGRES_DSN": servers.servers.postgres_dsn,
        "ASSAY_KEY_DIR": str(servers.settings.key_dir),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "handlers", "worker"],
        env={**os.environ, **environment},
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        if process.stderr is None or "working" not in process.stderr.readline():
            raise RuntimeError("the worker did not start")
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
