"""The whole chain of `assay ask` with the extractive model: sessions a second, and where the time goes.

    python -m tests.bench.ask [--runs 3] [--sessions 100] [--serial 20]

One worker in this process with everything that belongs to it: reactions, tools, gatekeeper, projectors, verdict
publisher. A run ends when the read models hold every session. The second table follows sessions one after the other
through the times of their recorded events; the third is a profile of the process while sessions run side by side.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from uuid import UUID

from domain.events import (
    AgentStepRecorded,
    GatekeeperChecked,
    Recorded,
    ToolCallStarted,
    ToolInvoked,
    VerdictIssued,
)
from handlers.application import worker
from infra.event_log.session_log import SessionLog
from infra.read_models.projector import catch_up
from tests.bench.figures import Row, plain_table, shown, table
from tests.bench.ground import Ground, at_once, ground, progress
from tests.bench.sample_sessions import Asker, Ends

OPENED_AT_ONCE = 16
WARM_UP = 8
MODEL_CALLS, TOOL_RUNS = "model calls", "tools themselves"

PARTS: Mapping[str, tuple[str, ...]] = {
    "extractive model and its client": (
        *("/infra/models/", "/openai/", "/httpx", "/httpcore", "/starlette/", "/anyio/", "/jieba/"),
    ),
    "event log: sealing, chain, keys": (
        *("/infra/event_log/", "/domain/chain.py", "/domain/events.py", "/cryptography/", "AESGCM", "/eventsourcing/"),
        *("hashlib", "/pathlib.py", "io.open", "/uuid.py"),
    ),
    "read models": ("/psycopg", "psycopg", "/projections/", "/infra/read_models/", "/infra/postgres"),
    "NATS client and FastStream": ("/nats/", "/faststream/", "/fast_depends/"),
    "documents (pydantic, JSON)": ("pydantic", "/json/", "orjson"),
    "session, gatekeeper, verdict, answer": ("/domain/",),
    "tools": ("/infra/tools/", "/jieba", "/yaml/", "re2"),
    "reactions": ("/handlers/",),
    "waiting": ("epoll",),
}
"""Parts of the program, each with what its file or function names contain; the first that fits counts."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sessions", type=int, default=100, help="of each run, and of the profile")
    parser.add_argument("--serial", type=int, default=20, help="sessions one after the other")
    arguments = parser.parse_args()
    with ground() as servers:
        print(asyncio.run(_measured(servers, arguments)))


@dataclass(frozen=True, slots=True)
class Bench:
    """A running worker and what is asked of it."""

    asker: Asker
    events: SessionLog
    dsn: str

    async def together(self, sessions: int) -> float:
        """Seconds for sessions that are all asked at once."""
        ends = Ends(self.events)
        await ends.wait_for(0)
        before, started = ends.seen, time.perf_counter()
        await at_once(OPENED_AT_ONCE, sessions, self.asker.open)
        await ends.wait_for(before + sessions)
        await catch_up(self.events, self.dsn, await self.events.last_position())
        return time.perf_counter() - started

    async def alone(self) -> tuple[Recorded, ...]:
        """The history of one session that had the worker for itself."""
        ends = Ends(self.events)
        await ends.wait_for(0)
        before = ends.seen
        session_id: UUID = await self.asker.open()
        await ends.wait_for(before + 1)
        return await self.events.load(session_id)


async def _measured(servers: Ground, arguments: argparse.Namespace) -> str:
    async with _bench(servers) as bench:
        progress("ask: warming up")
        await bench.together(WARM_UP)
        rates = []
        for run in range(arguments.runs):
            progress(f"ask: run {run + 1} of {arguments.runs}")
            rates.append(arguments.sessions / await bench.together(arguments.sessions))
        progress("ask: one after the other")
        histories = [await bench.alone() for _ in range(arguments.serial)]
        progress("ask: profile")
        profile = cProfile.Profile()
        profile.enable()
        await bench.together(arguments.sessions)
        profile.disable()
    return "\n\n".join([_rate_table(rates, histories), _step_table(histories), _profile_table(profile)])


@asynccontextmanager
async def _bench(servers: Ground) -> AsyncIterator[Bench]:
    async with worker(servers.settings, servers.servers) as (runner, events):
        yield Bench(Asker(runner, servers.settings), events, servers.servers.postgres_dsn)


# ---------------------------------------------------------------- tables


def _rate_table(rates: Sequence[float], histories: Sequence[Sequence[Recorded]]) -> str:
    events = median(len(history) for history in histories)
    note = f"One worker, sharing the machine with both servers; {events:.0f} events a session in the middle."
    return table("Sessions a second of one worker, extractive model", [Row("whole chain", rates)], note)


def _step_table(histories: Sequence[Sequence[Recorded]]) -> str:
    sums: dict[str, float] = defaultdict(float)
    for history in histories:
        for name, milliseconds in _milliseconds_by_step(history).items():
            sums[name] += milliseconds / len(histories)
    model_calls = sums.pop(MODEL_CALLS)
    rows = [[name, shown(value)] for name, value in sums.items() if value]
    rows += [["**together, apart from model calls**", f"**{shown(sum(sums.values()))}**"]]
    rows += [[MODEL_CALLS, shown(model_calls)]]
    note = (
        f"Averages of {len(histories)} sessions, one after the other, by the times in the log. A step is its hand-over "
        "by the log, loading the session, its work and its commit; model calls and tools count by their own clock."
    )
    return plain_table("Where a session's time goes", ("step", "milliseconds"), rows, note)


def _milliseconds_by_step(history: Sequence[Recorded]) -> Mapping[str, float]:
    """What lies between two events belongs to the step that ended with the later one. The time that a model or a tool
    says it took is theirs."""
    sums: dict[str, float] = defaultdict(float)
    for before, after in pairwise(history):
        took, own_name, own = (after.time - before.time).total_seconds() * 1e3, *_own(after)
        sums[own_name] += own
        sums[_step(after)] += took - own
    return sums


def _own(recorded: Recorded) -> tuple[str, float]:
    match recorded.event:
        case AgentStepRecorded(facts=facts):
            return MODEL_CALLS, facts.duration_ms
        case ToolInvoked(facts=facts):
            return TOOL_RUNS, facts.duration_ms
        case _:
            return MODEL_CALLS, 0.0


def _step(recorded: Recorded) -> str:
    match recorded.event:
        case AgentStepRecorded(facts=facts):
            return f"{facts.agent.value} steps"
        case ToolCallStarted():
            return "tool calls, recording the start"
        case ToolInvoked():
            return "tool calls, evidence and result"
        case GatekeeperChecked():
            return "gatekeeper"
        case VerdictIssued():
            return "verdict"
        case _:
            return "answer and end"


def _profile_table(profile: cProfile.Profile) -> str:
    sums: dict[str, float] = defaultdict(float)
    for (file, _, function), (_, _, own, *_) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        sums[_part(file, function)] += own
    total = sum(sums.values())
    rows = [[name, f"{100 * value / total:.0f} %"] for name, value in sorted(sums.items(), key=lambda item: -item[1])]
    return plain_table(
        "Where the process spends its time", ("part", "share"), rows, "By cProfile, a function's own time."
    )


def _part(file: str, function: str) -> str:
    for name, marks in PARTS.items():
        if any(mark in file or mark in function for mark in marks):
            return name
    return "Python and asyncio"


if __name__ == "__main__":
    main()
