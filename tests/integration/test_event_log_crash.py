"""R51, R67: the server is killed while commits are under way: none is lost, stored twice or stored in part."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from domain.events import Event, FeedbackGiven, FeedbackGivenContent, FeedbackGivenFacts, Recorded
from domain.subjects import EVENT_PREFIX
from infra.access import Role
from infra.embedded.nats_server import NatsServer
from infra.event_log.connection import Connection
from infra.event_log.errors import LogUnavailable
from infra.event_log.jetstream import Draft, EventStream
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.streams import EVENTS, init_streams

KILLS = 3
WRITERS = 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "nats"


@pytest.fixture
def server(folder: Path) -> Iterator[NatsServer]:
    running = NatsServer(folder)
    running.ensure_running()
    yield running
    running.stop()


async def connect(server: NatsServer, role: Role) -> Connection:
    known = server.credentials[role]
    return await Connection.open(server.url, known.user, known.password.get_secret_value(), role.inbox_prefix)


async def initialise(server: NatsServer) -> None:
    admin = await connect(server, Role.ADMIN)
    await init_streams(admin.client.jetstream())
    await admin.close()


def kill(folder: Path) -> None:
    os.kill(int((folder / "pid").read_text()), signal.SIGKILL)


def feedback(text: str) -> Event:
    return FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text=text))


async def keep_writing(log: SessionLog, session_id: UUID, acknowledged: list[Recorded], enough: asyncio.Event) -> None:
    """Commits of one, two and three events in turn, until told to stop."""
    last: Recorded | None = None
    while not enough.is_set():
        size = len(acknowledged) % 3 + 1
        recorded = await log.append(session_id, last, [feedback("x")] * size, actor="actor-1")
        acknowledged.extend(recorded)
        last = recorded[-1]


def test_commits_survive_the_server_being_killed(server: NatsServer, folder: Path, tmp_path: Path) -> None:
    """R51: every doubtful commit is settled by reading back, so that each writer goes on without a conflict."""

    async def scenario() -> None:
        await initialise(server)
        log = SessionLog(await connect(server, Role.SERVICE), KeyDirectory(tmp_path / "keys"), "aes-256-gcm")
        sessions: dict[UUID, list[Recorded]] = {uuid4(): [] for _ in range(WRITERS)}
        enough = asyncio.Event()
        writers = [asyncio.create_task(keep_writing(log, *session, enough)) for session in sessions.items()]
        for _ in range(KILLS):
            await asyncio.sleep(0.5)
            kill(folder)
            await asyncio.to_thread(server.ensure_running)
        await asyncio.sleep(0.5)
        enough.set()
        await asyncio.gather(*writers)

        for session_id, acknowledged in sessions.items():
            loaded = await log.load(session_id)
            assert list(loaded) == acknowledged
            assert set(Counter(recorded.commit_id for recorded in loaded).values()) <= {1, 2, 3}
        assert await log.last_position() == sum(len(acknowledged) for acknowledged in sessions.values())
        await log.connection.close()

    asyncio.run(scenario())


def test_a_log_that_does_not_come_back_is_named(server: NatsServer, folder: Path) -> None:
    """R67: new work is refused with an error that says the outcome is unknown."""

    async def scenario() -> None:
        await initialise(server)
        connection = await connect(server, Role.SERVICE)
        stream = EventStream(connection, stream=EVENTS, prefix=EVENT_PREFIX, patience=0.5)
        await asyncio.to_thread(kill, folder)

        with pytest.raises(LogUnavailable, match="commit c1 is stored is unknown"):
            await stream.append([Draft("x", 1, "T", {"Assay-Commit-Id": "c1"}, b"{}")])
        with pytest.raises(LogUnavailable, match="did not answer"):
            await stream.originator("x")
        await connection.close()

    asyncio.run(scenario())


def test_what_was_refused_is_not_sent_later(server: NatsServer, folder: Path) -> None:
    """R67: a commit given up while the server was away must not appear when it is back."""

    async def scenario() -> None:
        await initialise(server)
        connection = await connect(server, Role.SERVICE)
        stream = EventStream(connection, stream=EVENTS, prefix=EVENT_PREFIX, patience=0.5)
        await asyncio.to_thread(kill, folder)
        await asyncio.sleep(0.2)  # the client has noticed
        with pytest.raises(LogUnavailable):
            await stream.append([Draft("x", 1, "T", {"Assay-Commit-Id": "c1"}, b"{}")])
        await asyncio.to_thread(server.ensure_running)

        patient = EventStream(connection, stream=EVENTS, prefix=EVENT_PREFIX)
        assert await patient.last_position() == 0
        assert await patient.append([Draft("x", 1, "T", {"Assay-Commit-Id": "c2"}, b"{}")]) == (1,)
        await connection.close()

    asyncio.run(scenario())
