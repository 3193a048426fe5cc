"""Verdicts that cannot be published are put aside, told of, and published or dropped by an operator (R66)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from faststream.nats import NatsBroker
from faststream.security import SASLPlaintext

from domain.events import SessionCancelled, SessionCancelledContent
from domain.subjects import partition_of
from handlers import delivery
from handlers.cli import main
from handlers.reactions import Subscriptions, add_publisher
from handlers.verdict_publisher import VerdictPublisher
from infra.access import Role
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.connection import connected
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.parked import ParkedDeliveries
from infra.streams import init_streams

PREFIX = Role.SERVICE.inbox_prefix.encode()
CANCELLED = SessionCancelled(content=SessionCancelledContent(reason=""))


@dataclass(frozen=True)
class FaultyPublisher(VerdictPublisher):
    """One that a fault of the program keeps from publishing one session's verdicts."""

    faulty: UUID | None = None

    async def publish(self, session_id: UUID, version: int) -> None:
        if session_id == self.faulty:
            raise ValueError("a fault of this release\nwith the user's text")
        await VerdictPublisher.publish(self, session_id, version)


@dataclass
class Plant:
    """A nats-server with the streams, the sessions' keys, and the command on them."""

    servers: Servers
    folder: Path
    command: Callable[..., tuple[int, list[str], str]]

    @asynccontextmanager
    async def log(self) -> AsyncIterator[SessionLog]:
        async with connected(self.servers, Role.SERVICE) as connection:
            yield SessionLog(connection, KeyDirectory(self.folder / "keys"), "aes-256-gcm")

    async def cancelled_session(self, diagnosis: Callable[[], list[Any]]) -> UUID:
        session_id = uuid4()
        async with self.log() as log:
            opening = [entry.event for entry in diagnosis()[:2]]
            await log.append(session_id, None, [*opening, CANCELLED], actor="test")
        return session_id

    async def published_until_parked(self, session_id: UUID, *, faulty: bool = True) -> None:
        """Let a publisher work until this session's verdict is parked."""
        user = self.servers.user(Role.SERVICE)
        broker = NatsBroker(
            self.servers.nats_url,
            security=SASLPlaintext(username=user.user, password=user.password.get_secret_value()),
            inbox_prefix=PREFIX,
            graceful_timeout=0.05,
            logger=None,
        )
        async with self.log() as log:
            parked = ParkedDeliveries(log.connection)
            publisher = FaultyPublisher(log, log.connection, session_id if faulty else None)
            add_publisher(broker, publisher, parked, Subscriptions(PREFIX, 30.0, 1))
            await broker.start()
            for _ in range(600):
                if session_id in {one.session_id for one in await parked.all()}:
                    break
                await asyncio.sleep(0.1)
            await broker.stop()

    async def verdicts(self, session_id: UUID) -> int:
        async with connected(self.servers, Role.ADMIN) as admin:
            info = await admin.client.jetstream().stream_info(
                "ASSAY_VERDICTS", subjects_filter=f"assay.verdict.*.{session_id}.>"
            )
            return sum((info.state.subjects or {}).values())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    running = NatsServer(tmp_path_factory.mktemp("parked") / "nats")
    running.ensure_running()

    async def initialise() -> None:
        async with connected(Servers(running.url, running.credentials, ""), Role.ADMIN) as admin:
            await init_streams(admin.client.jetstream())

    asyncio.run(initialise())
    yield running
    running.stop()


@pytest.fixture
def plant(
    server: NatsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Plant:
    """Delays are of milliseconds; the commands are an auditor's, and need no PostgreSQL."""
    monkeypatch.setattr(delivery, "delay_after", lambda _: 0.02)
    for name, value in {
        "NATS_URL": server.url,
        "NATS_SERVICE_PASSWORD": server.credentials[Role.SERVICE].password.get_secret_value(),
        "POSTGRES_DSN": "postgresql://127.0.0.1:1/none",
        "KEY_DIR": str(tmp_path / "keys"),
        "ACTOR": "auditor-7",
    }.items():
        monkeypatch.setenv(f"ASSAY_{name}", value)

    def command(*arguments: str) -> tuple[int, list[str], str]:
        capsys.readouterr()
        status = main(arguments)
        said = capsys.readouterr()
        return status, said.out.splitlines(), said.err

    return Plant(Servers(server.url, server.credentials, ""), tmp_path, command)


def test_a_verdict_that_keeps_failing_is_parked_and_published_once_when_mended(
    plant: Plant, diagnosis: Callable[[], list[Any]]
) -> None:
    """R66: after eight failures; other sessions' verdicts go on; requeue publishes it at most once."""

    async def scenario() -> tuple[UUID, UUID]:
        failing, other = [await plant.cancelled_session(diagnosis) for _ in range(2)]
        await plant.published_until_parked(failing)
        assert (await plant.verdicts(failing), await plant.verdicts(other)) == (0, 1)
        return failing, other

    failing, _ = asyncio.run(scenario())
    name = f"{failing}.3"
    (line,) = [line for line in plant.command("parked", "list", "--json")[1] if name in line]
    listed = json.loads(line)
    assert (listed["consumer"], listed["settlement"]) == ("verdict-publisher-SessionCancelled", None)
    assert listed["error"] == "ValueError: a fault of this release"
    _, findings, _ = plant.command("doctor", "--json")
    told = {found["check"]: found for found in map(json.loads, findings)}
    assert told["parked"]["state"] == "problem"
    assert "assay parked list" in told["parked"]["detail"]
    _, (_, now), _ = plant.command("parked", "show", name)
    assert now == f"now       it can be published: assay parked requeue {name}"

    assert plant.command("parked", "requeue", str(failing)) == (0, [f"{name}  published"], "")
    status, _, said = plant.command("parked", "requeue", name)
    assert (status, f"{name} was published by auditor-7" in said) == (2, True)
    assert asyncio.run(plant.verdicts(failing)) == 1


def test_what_fails_again_stays_parked_until_it_is_dropped(plant: Plant) -> None:
    """R66, R60: a session whose record is broken; dropping needs a reason or --yes, and is recorded (R64)."""

    async def scenario() -> UUID:
        session_id = uuid4()
        subject = f"assay.event.{partition_of(str(session_id))}.{session_id}.1.SessionFailed"
        async with connected(plant.servers, Role.ADMIN) as admin:
            await admin.client.jetstream().publish(subject, b"forged")
        await plant.published_until_parked(session_id, faulty=False)
        return session_id

    session_id = asyncio.run(scenario())
    (line,) = plant.command("parked", "list")[1]
    name = f"{session_id}.1"
    assert f"{name}  verdict-publisher-SessionFailed  waits  ChainBroken: " in line
    status, (said,), _ = plant.command("parked", "requeue", "--all")
    assert (status, said.startswith(f"{name}  fails again: ")) == (1, True)

    status, _, refused = plant.command("parked", "drop", name)
    assert (status, "--reason" in refused) == (2, True)
    assert plant.command("parked", "drop", name, "--reason", "the session is void")[0] == 0
    assert plant.command("parked", "list") == (0, [], "nothing is parked\n")
    (dropped,) = [json.loads(line) for line in plant.command("parked", "list", "--all", "--json")[1] if name in line]
    settlement = dropped["settlement"]
    assert (settlement["result"], settlement["actor"]) == ("dropped", "auditor-7")
    requeued, access = map(json.loads, plant.command("access", "list", str(session_id), "--json")[1])
    assert (requeued["action"], requeued["what"]) == ("parked", f"requeue {name}")
    assert (access["action"], access["reason"]) == ("drop", "the session is void")
