"""Milliseconds from a commit to a subscriber of verdicts, beside a bare NATS round trip.

    python -m tests.bench.latency [--runs 5] [--events 200]

A whole worker runs, otherwise idle. An auditor's verdict is committed to a finished session of the built-in scenario;
the verdict publisher hears of it, loads the session and publishes to the stream of verdicts, where a NATS user of its
own subscribes. The clock runs from the time that the event carries, so that both writes to the disk are in it. A round
trip is one request that another connection answers at once.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import cycle
from statistics import median

from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from domain.contracts import Verdict
from domain.events import VerdictOverridden, VerdictOverriddenContent, VerdictOverriddenFacts
from handlers.application import worker
from handlers.runner import SessionRunner
from infra.access import Role
from infra.event_log.session_log import SessionLog
from infra.streams import VERDICT_PREFIX, VERDICTS
from tests.bench.figures import Ratio, Row, percentile, table
from tests.bench.ground import Ground, ground, progress
from tests.bench.sample_sessions import QUESTIONS, Asker, Ends

ROUND_TRIP, TO_SUBSCRIBER = "bare NATS round trip", "commit to subscriber"
PATIENCE_S = 30.0

Once = Callable[[], Awaitable[float]]
"""Seconds of one measurement."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--events", type=int, default=200, help="of each run")
    arguments = parser.parse_args()
    with ground() as servers:
        print(asyncio.run(_measured(servers, arguments.runs, arguments.events)))


async def _measured(servers: Ground, runs: int, events: int) -> str:
    middle: dict[str, list[float]] = defaultdict(list)
    slow: dict[str, list[float]] = defaultdict(list)
    async with _round_trip(servers) as round_trip, _to_subscriber(servers) as to_subscriber:
        for run in range(-1, runs):  # the first warms up and does not count
            progress(f"latency: run {run + 1} of {runs}")
            for name, once in ((ROUND_TRIP, round_trip), (TO_SUBSCRIBER, to_subscriber)):
                took = [await once() * 1e3 for _ in range(events)]
                if run >= 0:
                    middle[name].append(median(took))
                    slow[name].append(percentile(took, 0.99))
    rows = [
        Row(ROUND_TRIP, middle[ROUND_TRIP]),
        Row(TO_SUBSCRIBER, middle[TO_SUBSCRIBER], (Ratio(ROUND_TRIP),)),
        Row(f"{ROUND_TRIP}, p99", slow[ROUND_TRIP]),
        Row(f"{TO_SUBSCRIBER}, p99", slow[TO_SUBSCRIBER], (Ratio(f"{ROUND_TRIP}, p99"),)),
    ]
    return table("Milliseconds from a commit to a verdict's subscriber", rows, f"{events} events a run.")


@asynccontextmanager
async def _round_trip(servers: Ground) -> AsyncIterator[Once]:
    async with servers.connection(Role.ADMIN) as here, servers.connection(Role.ADMIN) as there:

        async def answer(message: Msg) -> None:
            await message.respond(b"")

        async def once() -> float:
            started = time.perf_counter()
            await here.client.request("bench.echo", b"")
            return time.perf_counter() - started

        await there.client.subscribe("bench.echo", cb=answer)
        await there.client.flush()
        yield once


@asynccontextmanager
async def _to_subscriber(servers: Ground) -> AsyncIterator[Once]:
    async with (
        servers.connection(Role.SUBSCRIBER) as connection,
        worker(servers.settings, servers.servers) as (runner, events),
    ):
        override = await _overriding(servers, runner, events)
        verdicts = await connection.client.jetstream().pull_subscribe(
            f"{VERDICT_PREFIX}.>",
            stream=VERDICTS,
            config=ConsumerConfig(deliver_policy=DeliverPolicy.NEW, ack_policy=AckPolicy.NONE),
            inbox_prefix=f"{Role.SUBSCRIBER.inbox_prefix}.".encode(),
        )

        async def once() -> float:
            waiting = asyncio.create_task(verdicts.fetch(1, timeout=PATIENCE_S))
            committed_at, event_id = await override()
            while event_id not in (await waiting)[0].data:  # the end of an earlier session
                waiting = asyncio.create_task(verdicts.fetch(1, timeout=PATIENCE_S))
            return time.time() - committed_at

        yield once


async def _overriding(
    servers: Ground, runner: SessionRunner, events: SessionLog
) -> Callable[[], Awaitable[tuple[float, bytes]]]:
    """Commits a verdict to one of some finished sessions; tells its time, in seconds, and its id."""
    asker = Asker(runner, servers.settings)
    sessions = [await asker.open() for _ in QUESTIONS]
    await Ends(events).wait_for(len(sessions))
    heads = {session_id: (await events.load(session_id))[-1] for session_id in sessions}
    turn = cycle(sessions)

    async def override() -> tuple[float, bytes]:
        session_id = next(turn)
        facts = VerdictOverriddenFacts(verdict=Verdict.REJECT, superseded_version=heads[session_id].version)
        event = VerdictOverridden(facts=facts, content=VerdictOverriddenContent(reason="measured"))
        (recorded,) = await events.append(session_id, heads[session_id], [event], actor="auditor-1")
        heads[session_id] = recorded
        return recorded.time.timestamp(), str(recorded.event_id).encode()

    return override


if __name__ == "__main__":
    main()
