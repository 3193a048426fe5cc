"""Servers of a cluster are killed: sessions end, commits stand, and nobody takes a lagging replica for the whole log.

Longer runs and another seed: `CLUSTER_SESSIONS`, `CLUSTER_KILLS`, `CLUSTER_SEED`.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.events import Event, FeedbackGiven, FeedbackGivenContent, FeedbackGivenFacts, Recorded
from handlers.application import jetstream, open_log
from infra.access import Role
from infra.embedded import Servers
from infra.event_log.session_log import SessionLog
from infra.settings import Settings
from infra.streams import EVENTS, drift, init_streams

SESSIONS = int(os.environ.get("CLUSTER_SESSIONS", "8"))
KILLS = int(os.environ.get("CLUSTER_KILLS", "3"))
WRITERS = 8
QUESTIONS = (
    "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。",
    "确认 inventory-service 是否存在 HikariCP 连接池耗尽。",
)


@pytest.fixture
def chance() -> random.Random:
    seed = int(os.environ.get("CLUSTER_SEED", time.time_ns() % 1_000_000))
    print(f"seed {seed}")
    return random.Random(seed)


@asynccontextmanager
async def log_on(url: str, cluster: Any, keys: Path) -> AsyncIterator[SessionLog]:
    settings = Settings(key_dir=keys)
    async with open_log(settings, Servers(url, cluster.credentials, "")) as log:
        yield log


async def initialise(cluster: Any) -> None:
    async with jetstream(Servers(cluster.url, cluster.credentials, ""), Role.ADMIN) as js:
        await init_streams(js, replicas=cluster.replicas)


def feedback() -> Event:
    return FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text="x"))


async def keep_writing(log: SessionLog, session_id: UUID, acknowledged: list[Recorded], enough: asyncio.Event) -> None:
    """Commits of one, two and three events in turn, until told to stop."""
    last: Recorded | None = None
    while not enough.is_set():
        recorded = await log.append(session_id, last, [feedback()] * (len(acknowledged) % 3 + 1), actor="actor-1")
        acknowledged.extend(recorded)
        last = recorded[-1]


@pytest.mark.timeout(540)
def test_sessions_survive_the_kill_of_any_server(plant: Callable[..., Any], chance: random.Random) -> None:
    """R7, R50, R51, R52, R55: servers are killed in turn, and in between the one that leads the events."""
    broken = plant(2, ack_wait_s=3.0, tool_s=0.4)
    workers = [worker.pid for worker in broken.workers]

    async def scenario() -> None:
        opened: list[UUID] = []
        for number in range(max(SESSIONS, KILLS)):
            if number < SESSIONS:
                opened.append(await broken.open_session(QUESTIONS[number % len(QUESTIONS)]))
            await asyncio.sleep(chance.uniform(0.1, 1.0))
            if number < KILLS:
                await asyncio.to_thread(chance.choice([broken.nats.kill, broken.nats.kill_leader]))
        assert await broken.all_closed(opened, patience_s=120) == []
        print(await broken.check(opened))

    asyncio.run(scenario())
    assert [worker.pid for worker in broken.workers if worker.poll() is None] == workers


def test_commits_survive_the_kill_of_the_streams_leader(cluster: Any, tmp_path: Path, chance: random.Random) -> None:
    """R51: every doubtful commit is settled by reading back, so that each writer goes on without a conflict."""

    async def scenario() -> None:
        await initialise(cluster)
        sessions: dict[UUID, list[Recorded]] = {uuid4(): [] for _ in range(WRITERS)}
        enough = asyncio.Event()
        async with log_on(cluster.url, cluster, tmp_path / "keys") as log:
            writers = [asyncio.create_task(keep_writing(log, *session, enough)) for session in sessions.items()]
            for _ in range(KILLS - 1):
                await asyncio.sleep(chance.uniform(0.2, 1.0))
                await asyncio.to_thread(cluster.kill_leader)
            await asyncio.sleep(0.5)
            enough.set()
            await asyncio.gather(*writers)
            await asyncio.to_thread(cluster.kill_leader)  # what a member holds back, its successor must hold
            for session_id, acknowledged in sessions.items():
                assert list(await log.load(session_id)) == acknowledged
                commits = Counter(recorded.commit_id for recorded in acknowledged)
                assert set(commits.values()) <= {1, 2, 3}
            assert await log.last_position() == sum(map(len, sessions.values()))
        print(
            {
                "events": sum(map(len, sessions.values())),
                "events of the slowest writer": min(map(len, sessions.values())),
            }
        )

    asyncio.run(scenario())


def test_a_replica_that_lags_is_not_taken_for_the_log(cluster: Any, tmp_path: Path) -> None:
    """R7, R50: any replica answers a read. Who knows of an event gets it, and who follows the log misses none."""

    async def scenario() -> None:
        await initialise(cluster)
        leader = await cluster.leader(EVENTS)
        behind = next(name for name in cluster.nodes if name != leader)
        keys, session_id = tmp_path / "keys", uuid4()
        async with (
            log_on(cluster.url_of(leader), cluster, keys) as log,
            log_on(cluster.url_of(behind), cluster, keys) as lagging,
        ):
            following = asyncio.create_task(followed(lagging, 151))
            appended = list(await log.append(session_id, None, [feedback()], actor="actor-1"))
            for number in range(150):
                with cluster.frozen(behind) if number % 15 == 0 else nullcontext():
                    appended += await log.append(session_id, appended[-1], [feedback()], actor="actor-1")
                assert len(await lagging.load(session_id, at_least=len(appended))) == len(appended)
            assert await following == appended

    asyncio.run(scenario())


async def followed(log: SessionLog, count: int) -> list[Recorded]:
    """The first events of the log."""
    events: list[Recorded] = []
    async with asyncio.timeout(60):
        async for page in log.follow(0):
            events.extend(page)
            if len(events) >= count:
                break
    return events


def test_streams_in_a_cluster_are_not_taken_for_drifted(cluster: Any) -> None:
    """R66: how many replicas there are is a matter of the installation."""

    async def scenario() -> None:
        await initialise(cluster)
        async with jetstream(Servers(cluster.url, cluster.credentials, ""), Role.SERVICE) as js:
            assert await drift(js) == []
            assert (await js.stream_info(EVENTS)).config.num_replicas == 3

    asyncio.run(scenario())
