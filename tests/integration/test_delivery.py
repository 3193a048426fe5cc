"""How messages are kept, answered and given up, on a nats-server of the tests' own (R7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from faststream.nats import NatsBroker
from faststream.security import SASLPlaintext
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig

from handlers import delivery
from handlers.deadline import moved
from handlers.delivery import Care, Failures, delay_after, session_of, version_of
from handlers.letting_go import let_go
from handlers.reactions import Subscriptions, subscribe
from handlers.runner import Superseded
from infra.access import Role
from infra.embedded.nats_server import NatsServer
from infra.event_log.connection import Connection
from infra.event_log.errors import ChainBroken, HeadContradicted, LogFull, LogUnavailable, NewerEvent
from infra.streams import EVENTS, init_streams

PREFIX = Role.SERVICE.inbox_prefix.encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    running = NatsServer(tmp_path_factory.mktemp("delivery") / "nats")
    running.ensure_running()

    async def initialise() -> None:
        async with as_admin(running) as js:
            await init_streams(js)

    asyncio.run(initialise())
    yield running
    running.stop()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Delays of milliseconds, so that no test waits for the real ones."""
    monkeypatch.setattr(delivery, "delay_after", lambda _: 0.02)


@asynccontextmanager
async def as_admin(server: NatsServer) -> AsyncIterator[JetStreamContext]:
    user = server.credentials[Role.ADMIN]
    connection = await Connection.open(server.url, user.user, user.password.get_secret_value(), Role.ADMIN.inbox_prefix)
    try:
        yield connection.client.jetstream()
    finally:
        await connection.close()


@dataclass
class Reaction:
    """A reaction to one message, by a script: what it does at each delivery, the last entry again and again."""

    script: list[Any]
    deliveries: int = 0
    given_up: list[tuple[UUID, int, BaseException]] = field(default_factory=list)
    unending: BaseException | None = None  # what ending the session fails with

    async def __call__(self, *_: UUID | int) -> None:
        self.deliveries += 1
        act = self.script[min(self.deliveries, len(self.script)) - 1]
        if isinstance(act, BaseException):
            raise act
        if act is not None:
            await act()

    async def give_up(self, session_id: UUID, version: int, error: BaseException) -> None:
        self.given_up.append((session_id, version, error))
        if self.unending:
            raise self.unending


@dataclass
class Post:
    """One message on a durable consumer of its own, and workers that react to it."""

    server: NatsServer
    js: JetStreamContext
    reaction: Reaction
    ack_wait_s: float
    session: str = field(default_factory=lambda: str(uuid4()))
    durable: str = field(default_factory=lambda: f"test-{uuid4().hex}")

    async def sent(self) -> None:
        subject = f"assay.event.0.{self.session}.2.RoundStarted"
        every = f"assay.event.0.{self.session}.*.RoundStarted"
        config = ConsumerConfig(
            durable_name=self.durable,
            filter_subject=every,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self.ack_wait_s,
        )
        await self.js.add_consumer(EVENTS, config)
        await self.js.publish(subject, b"{not JSON")

    @asynccontextmanager
    async def worker(self, **care: Any) -> AsyncIterator[NatsBroker]:
        user = self.server.credentials[Role.SERVICE]
        broker = NatsBroker(
            self.server.url,
            security=SASLPlaintext(username=user.user, password=user.password.get_secret_value()),
            inbox_prefix=PREFIX,
            graceful_timeout=0.05,
            logger=None,
        )
        cared = Care(self.durable, self.ack_wait_s, self.reaction.give_up, **care)
        subscribe(broker, Subscriptions(PREFIX, self.ack_wait_s, 2), "RoundStarted", self.reaction, cared)
        client = await broker.connect()
        await broker.start()
        try:
            yield broker
        finally:
            await let_go(broker, client)
            await broker.stop()

    async def pending(self) -> int:
        """How many messages the consumer still has to acknowledge or to deliver."""
        info = await self.js.consumer_info(EVENTS, self.durable)
        return (info.num_ack_pending or 0) + (info.num_pending or 0)

    async def settled(self) -> None:
        await until(lambda: self._answered())

    async def _answered(self) -> bool:
        return await self.pending() == 0


async def until(holds: Callable[[], Any], patience_s: float = 20.0) -> None:
    async with asyncio.timeout(patience_s):
        while True:
            held = holds()
            if await held if asyncio.iscoroutine(held) else held:
                return
            await asyncio.sleep(0.02)


def posted(server: NatsServer, test: Callable[[Post], Any], script: list[Any], *, ack_wait_s: float = 30.0) -> Reaction:
    """Run a test on one message; what the reaction saw of it."""

    async def case() -> Reaction:
        async with as_admin(server) as js:
            post = Post(server, js, Reaction(script), ack_wait_s)
            await post.sent()
            await test(post)
            await js.delete_consumer(EVENTS, post.durable)
            return post.reaction

    return asyncio.run(case())


async def settle(post: Post) -> None:
    async with post.worker():
        await post.settled()


# ---------------------------------------------------------------- the subject and the delays


def test_the_subject_tells_session_and_version() -> None:
    """R1."""
    subject = "assay.event.3.01900000-0000-7000-8000-000000000001.12.RoundStarted"
    assert session_of(subject) == UUID("01900000-0000-7000-8000-000000000001")
    assert version_of(subject) == 12


def test_the_delay_doubles_up_to_half_a_minute() -> None:
    """R7."""
    assert [delay_after(failures) for failures in (1, 2, 3, 4, 7, 8, 10_000)] == [0.5, 1, 2, 4, 30, 30, 30]


def test_failures_are_counted_for_each_message_and_the_oldest_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """R7: a worker's memory is bounded."""
    monkeypatch.setattr(delivery, "MAX_REMEMBERED", 2)
    failures = Failures()
    assert [failures.add(subject) for subject in ("a", "a", "b", "a")] == [1, 2, 1, 3]
    failures.add("c")  # b is the oldest
    assert [failures.add("b"), failures.add("c")] == [1, 2]
    failures.forget("c")
    assert failures.add("c") == 1


# ---------------------------------------------------------------- answers


def test_a_message_that_was_handled_is_acknowledged(server: NatsServer) -> None:
    """R7."""
    assert posted(server, settle, [None]).deliveries == 1


@pytest.mark.usefixtures("impatient")
def test_a_message_that_failed_comes_again(server: NatsServer) -> None:
    """R7: nothing acknowledged is lost to an exception."""
    reaction = posted(server, settle, [ValueError(), ValueError(), None])
    assert (reaction.deliveries, reaction.given_up) == (3, [])


@pytest.mark.usefixtures("impatient")
def test_a_message_that_keeps_failing_ends_its_session_with_the_last_error(server: NatsServer) -> None:
    """R7: after eight failures, and then the message is done with."""
    error = ValueError("kaputt")
    sessions: list[str] = []

    async def given_up(post: Post) -> None:
        sessions.append(post.session)
        await settle(post)

    reaction = posted(server, given_up, [error])
    assert reaction.deliveries == 8
    ((session_id, version, last),) = reaction.given_up
    assert (str(session_id), version, last) == (sessions[0], 2, error)


@pytest.mark.usefixtures("impatient")
def test_a_session_that_cannot_be_ended_now_is_ended_later(server: NatsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """R7."""
    monkeypatch.setattr(delivery, "MAX_DELAY_S", 0.02)

    async def twice(post: Post) -> None:
        post.reaction.unending = LogUnavailable("away")
        async with post.worker():
            await until(lambda: len(post.reaction.given_up) > 1)
            post.reaction.unending = None
            await post.settled()

    assert posted(server, twice, [ValueError()]).deliveries > 8


@pytest.mark.usefixtures("impatient")
def test_a_session_whose_record_is_broken_is_taken_off_the_consumer(server: NatsServer) -> None:
    """R7, R60: nothing may be recorded behind a broken chain; other messages must not wait for it."""

    async def broken(post: Post) -> None:
        post.reaction.unending = ChainBroken(UUID(post.session), 3, "tampered")
        await settle(post)

    assert posted(server, broken, [ChainBroken(uuid4(), 3, "tampered")]).deliveries == 8


@pytest.mark.parametrize("reason", [LogUnavailable("away"), Superseded("another worker")], ids=["log", "other"])
def test_what_is_no_failure_is_left_to_redelivery_however_often(server: NatsServer, reason: Exception) -> None:
    """R7: a silent log and another worker at it end no session."""
    reaction = posted(server, settle, [reason] * 9 + [None], ack_wait_s=0.2)
    assert (reaction.deliveries, reaction.given_up) == (10, [])


@pytest.mark.parametrize("reason", [LogFull("full"), HeadContradicted("cut")], ids=["full", "cut"])
def test_a_log_that_takes_nothing_is_waited_for(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch, reason: Exception
) -> None:
    """R7, R60, R67."""
    monkeypatch.setattr(delivery, "MAX_DELAY_S", 0.02)
    reaction = posted(server, settle, [reason] * 9 + [None])
    assert (reaction.deliveries, reaction.given_up) == (10, [])


def test_the_last_try_of_all_workers_ends_the_session(server: NatsServer) -> None:
    """R72: how often others have tried stands in the session's events."""

    async def one_more(_: UUID) -> bool:
        return True

    async def once(post: Post) -> None:
        async with post.worker(is_last_try=one_more):
            await post.settled()

    reaction = posted(server, once, [ValueError("again")])
    assert reaction.deliveries == 1
    assert [str(error) for _, _, error in reaction.given_up] == ["again"]


@pytest.mark.usefixtures("impatient")
def test_a_reaction_that_stands_still_is_given_up(server: NatsServer) -> None:
    """R72: its message is not kept alive for ever."""

    async def still() -> None:
        await asyncio.sleep(3_600)

    async def hasty(post: Post) -> None:
        async with post.worker(step_s=0.3):
            await post.settled()

    reaction = posted(server, hasty, [still, None], ack_wait_s=0.2)
    assert (reaction.deliveries, reaction.given_up) == (2, [])


@pytest.mark.usefixtures("impatient")
def test_a_reaction_whose_steps_are_recorded_goes_on(server: NatsServer) -> None:
    """R72: the deadline is that of a step."""

    async def moving() -> None:
        for _ in range(6):
            await asyncio.sleep(0.2)
            moved()

    async def hasty(post: Post) -> None:
        async with post.worker(step_s=0.5):
            await post.settled()

    reaction = posted(server, hasty, [moving], ack_wait_s=0.3)
    assert (reaction.deliveries, reaction.given_up) == (1, [])


@pytest.mark.usefixtures("impatient")
def test_a_reaction_that_cannot_be_cancelled_keeps_its_message_no_longer(server: NatsServer) -> None:
    """R72"""
    ended = asyncio.Event()

    async def stubborn() -> None:
        while not ended.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.wait_for(ended.wait(), 3_600)

    async def hasty(post: Post) -> None:
        async with post.worker(step_s=0.3):
            await post.settled()
            ended.set()

    reaction = posted(server, hasty, [stubborn, None], ack_wait_s=0.3)
    assert (reaction.deliveries, reaction.given_up) == (2, [])


def test_a_verdict_is_not_given_up_because_a_server_was_away(server: NatsServer) -> None:
    """R52, R66: deliveries that no error came of do not count, however many."""

    async def patient(post: Post) -> None:
        async with post.worker(has_pump=False):
            await post.settled()

    reaction = posted(server, patient, [LogUnavailable("away")] * 9 + [None], ack_wait_s=0.2)
    assert (reaction.deliveries, reaction.given_up) == (10, [])


NEWER = NewerEvent("session 0198c0de, version 2", "RoundStarted 2")


async def handed_back(post: Post, times: int) -> None:
    async def often_enough() -> bool:
        info = await post.js.consumer_info(EVENTS, post.durable)
        return info.delivered is not None and info.delivered.consumer_seq > times

    await until(often_enough)


@pytest.mark.usefixtures("impatient")
def test_what_a_newer_release_wrote_is_given_back_until_somebody_reads_it(server: NatsServer) -> None:
    """R89: no failure, however often, and looked at once; the worker that knows it handles the same message."""

    async def both(post: Post) -> None:
        async with post.worker():
            await handed_back(post, 25)
            post.reaction.script = [None]
            async with post.worker():
                await post.settled()

    reaction = posted(server, both, [NEWER])
    assert (reaction.deliveries, reaction.given_up) == (2, [])


@pytest.mark.usefixtures("impatient")
def test_what_was_given_back_too_often_is_left_to_the_pump(server: NatsServer) -> None:
    """R7, R89: nobody here ever learns to read it."""
    reaction = posted(server, settle, [NEWER])
    assert (reaction.deliveries, reaction.given_up) == (1, [])


@pytest.mark.usefixtures("impatient")
def test_a_verdict_of_a_newer_release_is_given_back_for_ever(server: NatsServer) -> None:
    """R52, R89: no pump would publish it."""

    async def patient(post: Post) -> None:
        async with post.worker(has_pump=False):
            await handed_back(post, delivery.MAX_HAND_BACKS + 20)
            assert await post.pending() == 1
            post.reaction.script = [None]
            async with post.worker(has_pump=False):
                await post.settled()

    reaction = posted(server, patient, [NEWER])
    assert (reaction.deliveries, reaction.given_up) == (2, [])


@pytest.mark.usefixtures("impatient")
def test_a_session_that_a_newer_release_has_written_in_meanwhile_is_not_given_up(server: NatsServer) -> None:
    """R7, R89: its failures were those of an older worker."""

    async def written_in(post: Post) -> None:
        post.reaction.unending = NEWER
        async with post.worker():
            await until(lambda: post.reaction.given_up)
            post.reaction.script = [None]
            async with post.worker():
                await post.settled()

    assert posted(server, written_in, [ValueError()]).deliveries == 9


def test_a_message_that_is_no_event_of_a_session_is_taken_off_the_consumer(server: NatsServer) -> None:
    """R7: nobody could ever handle it."""

    async def case() -> Reaction:
        async with as_admin(server) as js:
            post = Post(server, js, Reaction([None]), 30.0, session="not-a-session")
            await post.sent()
            await settle(post)
            return post.reaction

    assert asyncio.run(case()).deliveries == 0


# ---------------------------------------------------------------- the lease


def test_a_long_call_keeps_its_message(server: NatsServer) -> None:
    """R7: three times the acknowledgement wait, and nobody else takes it."""

    async def slow() -> None:
        await asyncio.sleep(1.5)

    assert posted(server, settle, [slow], ack_wait_s=0.5).deliveries == 1


def test_a_worker_that_stops_hands_its_message_over_at_once(server: NatsServer) -> None:
    """R7: Ctrl-C; the next worker need not wait until the message's time is up."""

    async def stopped(post: Post) -> None:
        async with post.worker():
            await until(lambda: post.reaction.deliveries == 1)
        async with post.worker():
            await post.settled()

    async def endless() -> None:
        await asyncio.sleep(3600)

    assert posted(server, stopped, [endless, None], ack_wait_s=600).deliveries == 2


def test_a_message_that_comes_while_a_worker_stops_is_nobodys_for_no_moment(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R7: its request waited at the server still, and the session stood still for the acknowledgement wait."""
    unsubscribe = JetStreamContext.PullSubscription.unsubscribe

    async def late(post: Post) -> None:
        async def published_first(pull: Any, *limit: int) -> None:
            if not sent:
                sent.append(True)
                await post.js.publish(f"assay.event.0.{post.session}.2.RoundStarted", b"{not JSON")
                await asyncio.sleep(0.1)
            await unsubscribe(pull, *limit)

        sent: list[bool] = []
        async with post.worker():
            await post.settled()
            await asyncio.sleep(0.2)  # both subscribers wait for the next message
            monkeypatch.setattr(JetStreamContext.PullSubscription, "unsubscribe", published_first)
        assert sent
        async with post.worker():
            await until(lambda: post.reaction.deliveries == 2, 5.0)
            await post.settled()

    assert posted(server, late, [None, None], ack_wait_s=30).deliveries == 2


def test_a_worker_that_has_stopped_leaves_no_request_that_takes_a_message(server: NatsServer) -> None:
    """R7: nats-server would hand the next message to nobody, and its session stood still for the whole wait."""

    async def short_lived(post: Post) -> None:
        await post.settled()  # the message that the post was made with
        for version in range(3, 13):
            async with post.worker():
                pass
            await post.js.publish(f"assay.event.0.{post.session}.{version}.RoundStarted", b"{}")
            async with post.worker():
                await until(lambda version=version: post.reaction.deliveries >= version - 1, patience_s=10.0)

    async def scenario(post: Post) -> None:
        async with post.worker():
            await post.settled()
        await short_lived(post)

    reaction = posted(server, scenario, [None])
    assert reaction.deliveries == 11
