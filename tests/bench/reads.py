"""Milliseconds to read one session of 20 events, in a small stream and in a large one.

    python -m tests.bench.reads [--runs 5] [--reads 500] [--small 10000] [--large 400000]

Both streams stand in one server and are read in turn. They are filled by commits of 1,000 events, 50 sessions side by
side, so that a session's events lie apart as they do in practice. "Newest": the last sessions written, which the server
still holds in memory; "any": drawn from the whole stream.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from uuid import uuid4

from domain.chain import COMMIT_HEADER
from infra.access import Role
from infra.event_log.connection import Connection
from infra.event_log.jetstream import MAX_COMMIT, Draft, EventStream
from infra.streams import append_only, ensure_stream
from tests.bench.figures import Ratio, Row, percentile, table
from tests.bench.ground import Ground, ground, progress

EVENTS_OF_SESSION = 20
BODY_BYTES = 1_000
NEWEST = 100  # sessions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--reads", type=int, default=500, help="of each kind in each run")
    parser.add_argument("--small", type=int, default=10_000, help="events")
    parser.add_argument("--large", type=int, default=400_000, help="events")
    arguments = parser.parse_args()
    with ground() as servers:
        print(asyncio.run(_measured(servers, arguments)))


@dataclass(frozen=True, slots=True)
class Filled:
    """A stream of so many events, and its sessions in the order of writing."""

    size: int
    stream: EventStream
    sessions: Sequence[str]


async def _measured(servers: Ground, arguments: argparse.Namespace) -> str:
    figures: dict[str, list[float]] = defaultdict(list)
    async with servers.connection(Role.ADMIN) as connection:
        filled = [await _filled(connection, size) for size in (arguments.small, arguments.large)]
        for run in range(-1, arguments.runs):  # the first warms up and does not count
            progress(f"reads: run {run + 1} of {arguments.runs}")
            for kind, newest in (("newest", NEWEST), ("any", 0)):
                took = await _read_in_turn(filled, newest, arguments.reads)
                for size, milliseconds in took.items() if run >= 0 else ():
                    figures[f"{kind} of {size:,} events"].append(median(milliseconds))
                    figures[f"{kind} of {size:,} events, p99"].append(percentile(milliseconds, 0.99))
    rows = [Row(name, values, _ratios(name, arguments)) for name, values in sorted(figures.items())]
    return table(f"Milliseconds to read one session of {EVENTS_OF_SESSION} events", rows, _note(servers))


async def _read_in_turn(filled: Sequence[Filled], newest: int, reads: int) -> Mapping[int, Sequence[float]]:
    """Milliseconds of each read, by the stream's size; of the last `newest` sessions, or of all for 0."""
    took: dict[int, list[float]] = defaultdict(list)
    for _ in range(reads):
        for each in filled:
            session = random.choice(each.sessions[-newest:])
            started = time.perf_counter()
            events = await each.stream.originator(session)
            took[each.size].append((time.perf_counter() - started) * 1e3)
            if len(events) != EVENTS_OF_SESSION:
                raise RuntimeError(f"{len(events)} events read of {session}")
    return took


def _ratios(name: str, arguments: argparse.Namespace) -> tuple[Ratio, ...]:
    large, small = f"{arguments.large:,}", f"{arguments.small:,}"
    if large not in name:
        return ()
    return (Ratio(name.replace(large, small), None if "p99" in name else 1.1, at_most=True),)


def _note(servers: Ground) -> str:
    return (
        f"Bodies of {BODY_BYTES:,} bytes; {servers.log_bytes() / 2**20:,.0f} MB in both streams. The aim is the same "
        "time at either size: at most 1.1 times as long."
    )


async def _filled(connection: Connection, size: int) -> Filled:
    name, prefix = f"BENCH_{size}", f"bench.{size}"
    await ensure_stream(connection.client.jetstream(), append_only(name, prefix))
    stream = EventStream(connection, stream=name, prefix=prefix)
    sessions: list[str] = []
    for done in range(0, size, MAX_COMMIT):
        if done % 50_000 == 0:
            progress(f"reads: {done:,} of {size:,} events written")
        fresh = [str(uuid4()) for _ in range(MAX_COMMIT // EVENTS_OF_SESSION)]
        headers = {COMMIT_HEADER: str(uuid4())}
        versions = range(1, EVENTS_OF_SESSION + 1)
        await stream.append(
            [Draft(one, version, "Measured", headers, os.urandom(BODY_BYTES)) for version in versions for one in fresh]
        )
        sessions += fresh
    return Filled(size, stream, sessions)


if __name__ == "__main__":
    main()
