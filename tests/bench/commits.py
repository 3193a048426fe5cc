"""Single-event commits a second, one after the other and 16 at once.

    python -m tests.bench.commits [--runs 5] [--commits 3000]

The core of the event log (conflict-checked appends of opaque bytes) beside `eventsourcing.postgres` with the same
bodies and beside JetStream publishes of the same subjects, headers and bodies without a condition. The last row is the
whole way of an event: encoded, sealed, chained and appended.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from eventsourcing.persistence import InfrastructureFactory, StoredEvent
from nats.js import JetStreamContext

from domain.chain import ACTOR_HEADER, CHAINED_HEADERS, COMMIT_HEADER, HASH_HEADER, PREVIOUS_HASH_HEADER, TIME_HEADER
from domain.events import FeedbackGiven, FeedbackGivenContent, FeedbackGivenFacts, Recorded
from domain.subjects import EVENT_PREFIX, partition_of
from handlers.application import open_log
from infra.event_log.jetstream import Draft, EventStream
from infra.event_log.session_log import SessionLog
from infra.streams import EVENTS
from tests.bench.figures import Ratio, Row, table
from tests.bench.ground import Ground, at_once, ground, postgres_environment, progress, threaded

BODY = os.urandom(1_000)
AT_ONCE = 16

Commit = Callable[[], Coroutine[Any, Any, object]]
"""Commits one event."""

CORE, LIBRARY, BARE, WHOLE = "Assay's core", "eventsourcing.postgres", "bare JetStream publish", "whole event, sealed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--commits", type=int, default=3_000, help="of each contender in each run")
    arguments = parser.parse_args()
    with ground() as servers, _library(servers) as insert:
        print(asyncio.run(_measured(servers, insert, arguments.runs, arguments.commits)))


async def _measured(servers: Ground, insert: Callable[[], object], runs: int, commits: int) -> str:
    rates: dict[tuple[str, int], list[float]] = defaultdict(list)
    async with servers.connection() as connection, open_log(servers.settings, servers.servers) as events:
        contenders: dict[str, Commit] = {
            CORE: _core(EventStream(connection, stream=EVENTS, prefix=EVENT_PREFIX)),
            BARE: _bare(connection.client.jetstream()),
            WHOLE: _whole(events),
        }
        for run in range(-1, runs):  # the first warms up and does not count
            for tasks in (1, AT_ONCE):
                progress(f"commits: run {run + 1} of {runs}, {tasks} at once")
                figures = {name: commits / await at_once(tasks, commits, commit) for name, commit in contenders.items()}
                figures[LIBRARY] = commits / await asyncio.to_thread(threaded, tasks, commits, insert)
                for name, figure in figures.items() if run >= 0 else ():
                    rates[name, tasks].append(figure)
    return "\n\n".join(
        [
            _table("Single-event commits a second, one after the other", 1, rates, aim=2),
            _table(f"Single-event commits a second, {AT_ONCE} at once", AT_ONCE, rates, aim=3),
        ]
    )


def _table(title: str, tasks: int, rates: dict[tuple[str, int], list[float]], aim: float) -> str:
    core = (Ratio(LIBRARY, aim), Ratio(BARE, 0.8))
    rows = [Row(CORE, rates[CORE, tasks], core), *(Row(name, rates[name, tasks]) for name in (LIBRARY, BARE))]
    rows.append(Row(WHOLE, rates[WHOLE, tasks], (Ratio(LIBRARY), Ratio(BARE))))
    return table(title, rows, f"Bodies of {len(BODY)} bytes. Tasks of one event loop; {LIBRARY} in as many threads.")


def _core(stream: EventStream) -> Commit:
    async def commit() -> object:
        return await stream.append([Draft(str(uuid4()), 1, "Measured", _headers(), BODY)])

    return commit


def _bare(js: JetStreamContext) -> Commit:
    async def commit() -> object:
        originator = str(uuid4())
        subject = f"{EVENT_PREFIX}.{partition_of(originator)}.{originator}.1.Measured"
        return await js.publish(subject, BODY, headers=_headers())

    return commit


def _headers() -> dict[str, str]:
    """As many and as long as an event of a session has."""
    text = str(uuid4())
    sealed = {PREVIOUS_HASH_HEADER: "0" * 64, HASH_HEADER: "f" * 64, TIME_HEADER: datetime.now(UTC).isoformat()}
    return {**dict.fromkeys(CHAINED_HEADERS, text), **sealed, ACTOR_HEADER: "worker-1", COMMIT_HEADER: text}


def _whole(events: SessionLog) -> Commit:
    """The next event of a session whose last one is known, as a worker that holds the session records it."""
    idle: list[tuple[UUID, Recorded | None]] = []
    content = FeedbackGivenContent(text=os.urandom(300).hex())  # sealed and written as base64, about as long as BODY
    event = FeedbackGiven(facts=FeedbackGivenFacts(rating="helpful"), content=content)

    async def commit() -> object:
        session_id, head = idle.pop() if idle else (uuid4(), None)
        (recorded,) = await events.append(session_id, head, [event], actor="worker-1")
        idle.append((session_id, recorded))
        return recorded

    return commit


@contextmanager
def _library(servers: Ground) -> Iterator[Callable[[], object]]:
    """Inserts of `eventsourcing.postgres` into a database of its own, a connection for each thread."""
    environment = postgres_environment(servers.new_database("library"))
    size = {"POSTGRES_POOL_SIZE": str(AT_ONCE), "POSTGRES_MAX_OVERFLOW": str(AT_ONCE)}
    factory = InfrastructureFactory.construct(
        env={"PERSISTENCE_MODULE": "eventsourcing.postgres", **environment, **size}
    )
    recorder = factory.application_recorder()

    def insert() -> object:
        return recorder.insert_events([StoredEvent(uuid4(), 1, "Measured", BODY)])

    try:
        yield insert
    finally:
        factory.close()


if __name__ == "__main__":
    main()
