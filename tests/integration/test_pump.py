"""Sessions that nothing will trigger any more are taken up, and no others (R7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from faststream.nats import NatsBroker
from faststream.security import SASLPlaintext
from nats.js import JetStreamContext

from domain.events import TERMINAL_TOPICS
from domain.session.commands import OpenSession
from domain.settings import SessionSettings
from handlers import delivery
from handlers.application import Consumers, runner_on, wall_clock
from handlers.pump import Pump
from handlers.reactions import Subscriptions, add_reactions
from handlers.runner import SessionRunner, Superseded
from infra.access import Role
from infra.embedded.nats_server import NatsServer
from infra.event_log.connection import Connection
from infra.event_log.errors import LogUnavailable, NewerEvent
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import EventHeader, SessionLog
from infra.settings import Settings
from infra.streams import EVENTS, init_streams

PREFIX = Role.SERVICE.inbox_prefix.encode()
NOW = datetime(2026, 7, 8, 3, 0, tzinfo=UTC)
PATIENCE = timedelta(seconds=60)


# ---------------------------------------------------------------- on a real log with real consumers


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A nats-server of this module's own: whoever uses the durable consumers gets the messages of every session."""
    running = NatsServer(tmp_path_factory.mktemp("pump") / "nats")
    running.ensure_running()

    async def initialise() -> None:
        async with connected(running, Role.ADMIN) as connection:
            await init_streams(connection.client.jetstream())

    asyncio.run(initialise())
    yield running
    running.stop()


@asynccontextmanager
async def connected(server: NatsServer, role: Role) -> AsyncIterator[Connection]:
    user = server.credentials[role]
    connection = await Connection.open(server.url, user.user, user.password.get_secret_value(), role.inbox_prefix)
    try:
        yield connection
    finally:
        await connection.close()


@dataclass(frozen=True)
class Plant:
    log: SessionLog
    js: JetStreamContext
    runner: SessionRunner

    async def opened(self) -> UUID:
        session_id = uuid4()
        command = OpenSession(
            question="确认 order-service 是否存在 HikariCP 连接池耗尽。",
            now=NOW,
            clock="wall",
            settings=SessionSettings(),
            prompt_hashes={},
        )
        await self.runner.submit(session_id, command)
        return session_id

    async def message(self, durable: str) -> Any:
        """The next message of a reaction, taken but not answered."""
        inbox = Role.SERVICE.inbox_prefix.encode() + b"."
        taken = await self.js.pull_subscribe_bind(durable, EVENTS, inbox_prefix=inbox)
        (message,) = await taken.fetch(1, timeout=5)
        return message

    def pump(self, seconds_later: float = 3600) -> Pump:
        later = timedelta(seconds=seconds_later)
        return Pump(self.log, Consumers(self.js), self.runner, lambda: wall_clock() + later, PATIENCE, every_s=1)

    async def topics(self, session_id: UUID) -> list[str]:
        return [entry.event.TOPIC for entry in await self.log.load(session_id)]


@asynccontextmanager
async def plant(server: NatsServer, folder: Path) -> AsyncIterator[Plant]:
    async with connected(server, Role.SERVICE) as connection:
        log = SessionLog(connection, KeyDirectory(folder / "keys"), "aes-256-gcm")
        settings = Settings(data_dir=folder, key_dir=folder / "keys")
        yield Plant(log, connection.client.jetstream(), runner_on(log, settings))


def test_a_session_whose_trigger_was_acknowledged_without_a_next_event_is_taken_up(
    server: NatsServer, tmp_path: Path
) -> None:
    """R7: one phase, whose last event triggers the reaction of the next. One in work, or young, is left alone."""

    async def case() -> None:
        async with plant(server, tmp_path) as house:
            session_id = await house.opened()
            pump = house.pump()
            message = await house.message("planner")
            assert await pump.sweep() == 0, "its message is in work"
            await message.ack_sync()
            assert await house.pump(seconds_later=0).sweep() == 0, "it is young"
            assert await pump.sweep() == 1
            assert (await house.topics(session_id))[-1] == "PlanProduced"
            assert await pump.sweep() == 0, "its next reaction has a message"

    asyncio.run(case())


def test_a_step_that_keeps_failing_ends_its_session(
    server: NatsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R7: the real reactions on the real consumers; the workbench cannot be built."""
    monkeypatch.setattr(delivery, "delay_after", lambda _: 0.02)

    async def broken(_: Any) -> Any:
        raise FileNotFoundError("the folder has vanished")

    async def case() -> None:
        async with plant(server, tmp_path) as house:
            runner = SessionRunner(house.log, broken, house.runner.prompts, wall_clock, "worker")
            user = server.credentials[Role.SERVICE]
            broker = NatsBroker(
                server.url,
                security=SASLPlaintext(username=user.user, password=user.password.get_secret_value()),
                inbox_prefix=PREFIX,
                logger=None,
            )
            add_reactions(broker, runner, Subscriptions(PREFIX, 30.0, 2))
            session_id = await house.opened()
            await broker.start()
            async with asyncio.timeout(30):
                async for entry in house.log.follow_session(session_id):
                    if entry.event.TOPIC in TERMINAL_TOPICS:
                        break
            await broker.stop()
            end = entry.event
            assert (end.facts.stage, end.facts.reason_code) == ("planner", "step_failed")
            assert end.content.reason == "步骤 planner 反复失败：FileNotFoundError: the folder has vanished"

    asyncio.run(case())


# ---------------------------------------------------------------- what it remembers


@dataclass
class Headers:
    """A log of headers alone, that may be away."""

    entries: list[EventHeader] = field(default_factory=list)
    reads: int = 0

    def add(self, session_id: UUID, version: int, topic: str, age_s: float = 3600, newer_shape: str = "") -> None:
        time = NOW - timedelta(seconds=age_s)
        header = EventHeader(session_id, version, len(self.entries) + 1, topic, time, newer_shape or None)
        self.entries.append(header)

    async def headers(self, after: int, limit: int) -> tuple[EventHeader, ...]:
        self.reads += 1
        return tuple(self.entries[after : after + limit])


@dataclass
class Acknowledged:
    floors: dict[str, int] = field(default_factory=lambda: {"RoundStarted": 1_000, "PlanProduced": 1_000})

    async def acknowledged_up_to(self) -> Mapping[str, int]:
        return self.floors


@dataclass
class Runner:
    """Stands for the runner: notes what it is asked to do, and does it by a script."""

    failing: BaseException | None = None
    taken: list[UUID] = field(default_factory=list)
    ended: list[UUID] = field(default_factory=list)
    took: asyncio.Event = field(default_factory=asyncio.Event)

    async def advance(self, session_id: UUID, *, again: bool) -> None:
        assert again, "what the pump takes up was begun before"
        self.taken.append(session_id)
        self.took.set()
        if self.failing:
            raise self.failing

    async def give_up(self, session_id: UUID, *_: Any) -> None:
        self.ended.append(session_id)


@dataclass
class Bench:
    log: Headers = field(default_factory=Headers)
    consumers: Acknowledged = field(default_factory=Acknowledged)
    runner: Runner = field(default_factory=Runner)
    now: datetime = NOW

    def __post_init__(self) -> None:
        runner: Any = self.runner
        self.pump = Pump(self.log, self.consumers, runner, lambda: self.now, PATIENCE, every_s=0.01)

    def sweep(self, times: int = 1) -> list[int]:
        async def sweeps() -> list[int]:
            return [await self.pump.sweep() for _ in range(times)]

        return asyncio.run(sweeps())


A, B = uuid4(), uuid4()


def opened(bench: Bench, session_id: UUID = A, age_s: float = 3600) -> Bench:
    bench.log.add(session_id, 1, "SessionOpened", age_s)
    bench.log.add(session_id, 2, "RoundStarted", age_s)
    return bench


def test_only_unfinished_sessions_are_taken_up() -> None:
    """R7: what comes behind the end, like feedback, opens nothing again."""
    bench = opened(opened(Bench()), B)
    for version, topic in enumerate(("SessionCancelled", "FeedbackGiven"), start=3):
        bench.log.add(A, version, topic)
    bench.sweep()
    assert bench.runner.taken == [B]


def test_a_trigger_that_is_still_to_be_acknowledged_is_a_lease() -> None:
    """R7: also behind later events that trigger nothing."""
    bench = opened(Bench(consumers=Acknowledged({"RoundStarted": 1})))
    bench.log.add(A, 3, "AgentStepRecorded")
    bench.sweep()
    assert bench.runner.taken == []
    bench.consumers.floors["RoundStarted"] = 2
    bench.sweep()
    assert bench.runner.taken == [A]


def test_a_session_is_left_alone_until_its_last_event_is_old() -> None:
    """R7."""
    bench = opened(Bench(), age_s=59)
    assert bench.sweep() == [0]
    bench.now += timedelta(seconds=1)
    assert bench.sweep() == [1]


def test_the_log_is_read_once_and_then_only_what_is_new() -> None:
    """R7: the cost of a look does not grow with the log."""
    bench = opened(Bench())
    bench.sweep(3)
    assert bench.log.reads == 4
    bench.log.add(A, 3, "SessionCompleted")
    bench.sweep()
    assert len(bench.runner.taken) == 3


def test_the_patience_with_a_session_that_fails_doubles_and_then_it_ends() -> None:
    """R7: it is not tried for ever, and not every time."""
    bench = opened(Bench(runner=Runner(ValueError("kaputt"))), age_s=60)
    taken = []
    for _ in range(20):
        taken += bench.sweep()
        bench.now += timedelta(seconds=60)
    assert [minute for minute, count in enumerate(taken, start=1) if count] == [1, 2, 4, 8, 16]
    assert bench.runner.ended == [A]


def test_a_session_that_went_on_is_a_new_case() -> None:
    """R7: the failures before it do not count."""
    bench = opened(Bench(runner=Runner(ValueError("kaputt"))), age_s=60)
    bench.sweep()
    bench.log.add(A, 3, "PlanProduced", age_s=60)
    assert bench.sweep() == [1]


@pytest.mark.parametrize(
    "reason", [Superseded("another pump"), LogUnavailable("away"), NewerEvent("session", "RoundStarted 2")]
)
def test_what_is_no_failure_ends_no_session(reason: Exception) -> None:
    """R7."""
    bench = opened(Bench(runner=Runner(reason)))
    assert bench.sweep(10) == [1] * 10
    assert bench.runner.ended == []


def test_a_session_that_a_newer_release_has_written_in_is_that_releases_affair() -> None:
    """R89: it is not loaded again and again, and what comes behind changes nothing."""
    bench = opened(opened(Bench()), B)
    bench.log.add(A, 3, "PlanProduced", newer_shape="PlanProduced 2")
    bench.log.add(A, 4, "ToolCallStarted")
    bench.sweep(2)
    assert (bench.runner.taken, bench.runner.ended) == ([B, B], [])


def test_one_session_that_fails_does_not_keep_the_others_waiting() -> None:
    """R7."""
    bench = opened(opened(Bench(runner=Runner(ValueError("kaputt")))), B)
    bench.sweep()
    assert sorted(map(str, bench.runner.taken)) == sorted(map(str, [A, B]))


def test_the_pump_outlives_servers_that_do_not_answer() -> None:
    """R7: whatever they answer with."""

    class Away(Acknowledged):
        failures: Sequence[BaseException] = (TimeoutError(), RuntimeError("no responders"))
        looks = 0

        async def acknowledged_up_to(self) -> Mapping[str, int]:
            self.looks += 1
            if self.looks <= len(self.failures):
                raise self.failures[self.looks - 1]
            return self.floors

    bench = opened(Bench(consumers=Away()))

    async def case() -> None:
        running = asyncio.create_task(bench.pump.run())
        await asyncio.wait_for(bench.runner.took.wait(), 10)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(case())
    assert set(bench.runner.taken) == {A}
