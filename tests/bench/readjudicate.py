"""Sessions decided again in a second, beside merely reading the same sessions and checking their chains.

    python -m tests.bench.readjudicate [--runs 5] [--sessions 500]

The sessions are the sample questions, answered by the extractive model. Both go through the whole log in each run, one
session after the other, as `assay readjudicate --all` does.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from uuid import UUID

import psutil

from domain.readjudication import Readjudication, Result
from handlers.application import open_log, worker
from handlers.audit.readjudication import decided_today, opened_sessions
from infra.event_log.session_log import SessionLog
from tests.bench.figures import Ratio, Row, shown, table
from tests.bench.ground import Ground, at_once, ground, progress
from tests.bench.sample_sessions import Asker, Ends

OPENED_AT_ONCE = 8
AGAIN, READ = "read and decided again", "read, chain checked"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sessions", type=int, default=500)
    arguments = parser.parse_args()
    with ground() as servers:
        asyncio.run(_asked(servers, arguments.sessions))
        print(asyncio.run(_measured(servers, arguments.sessions, arguments.runs)))


async def _asked(servers: Ground, sessions: int) -> None:
    async with worker(servers.settings, servers.servers) as (runner, events):
        asker, ends = Asker(runner, servers.settings), Ends(events)
        progress(f"readjudicate: asking {sessions:,} questions")
        await at_once(OPENED_AT_ONCE, sessions, asker.open)
        await ends.wait_for(sessions)


async def _measured(servers: Ground, sessions: int, runs: int) -> str:
    figures: dict[str, list[float]] = defaultdict(list)
    memory = []
    async with open_log(servers.settings, servers.servers) as events:
        for run in range(-1, runs):  # the first warms up and does not count
            progress(f"readjudicate: run {run + 1} of {runs}")
            for name, work in ((READ, _read), (AGAIN, _decided)):
                took = await _through_the_log(events, work)
                if run >= 0:
                    figures[name].append(sessions / took)
            memory.append(psutil.Process().memory_info().rss / 2**20)
        position = await events.last_position()
    rows = [Row(READ, figures[READ]), Row(AGAIN, figures[AGAIN], (Ratio(READ),))]
    note = f"{sessions:,} sessions, {position:,} events; resident memory grew by {shown(memory[-1] - memory[0])} MB."
    return table("Sessions per second, by today's rules", rows, note)


async def _through_the_log(events: SessionLog, work: Callable[[SessionLog, str], Awaitable[None]]) -> float:
    """Seconds for all sessions."""
    started = time.perf_counter()
    async for session_id, _ in opened_sessions(events):
        await work(events, session_id)
    return time.perf_counter() - started


async def _read(events: SessionLog, session_id: str) -> None:
    await events.load(UUID(session_id))


async def _decided(events: SessionLog, session_id: str) -> None:
    done = await decided_today(events, session_id)
    if not isinstance(done, Readjudication) or done.result is not Result.SAME:
        raise RuntimeError(f"session {session_id} was decided otherwise: {done}")


if __name__ == "__main__":
    main()
