"""R50, R51, R60, R62: sessions in the event log, on a real nats-server."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, TypeVar
from uuid import UUID, uuid4

import pytest

from domain.chain import CHAINED_HEADERS, HASH_HEADER
from domain.events import (
    ERASED,
    Event,
    FeedbackGiven,
    FeedbackGivenContent,
    FeedbackGivenFacts,
    Recorded,
    RoundStarted,
    RoundStartedContent,
    RoundStartedFacts,
    SessionCancelled,
    SessionCancelledContent,
)
from domain.subjects import partition_of
from infra.access import Role
from infra.event_log.connection import Connection
from infra.event_log.errors import Conflict, ContentErased, LogError, LogFull, LogUnavailable, NewerEvent, Unreadable
from infra.event_log.jetstream import Draft, EventStream
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.streams import BLOBS, EVENTS, append_only, ensure_stream

OpenLog = Callable[..., AbstractAsyncContextManager[SessionLog]]
OwnStream = Callable[[], AbstractAsyncContextManager[EventStream]]
Connected = Callable[[Role], AbstractAsyncContextManager[Connection]]
T = TypeVar("T")


def feedback(text: str) -> FeedbackGiven:
    return FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text=text))


def round_started(number: int) -> RoundStarted:
    return RoundStarted(facts=RoundStartedFacts(round=number), content=RoundStartedContent())


def cancelled() -> SessionCancelled:
    return SessionCancelled(content=SessionCancelledContent())


@pytest.fixture
def own_stream(connected: Connected) -> Callable[[], AbstractAsyncContextManager[EventStream]]:
    """`async with own_stream() as stream`: raw events do not belong among the sessions all tests share."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[EventStream]:
        async with connected(Role.ADMIN) as admin:
            name = f"TEST_{uuid4().hex}"
            await ensure_stream(admin.client.jetstream(), append_only(name, f"test.{name}"))
            yield EventStream(admin, stream=name, prefix=f"test.{name}")

    return opened


async def write(log: SessionLog, *events: Event, session_id: UUID | None = None) -> tuple[Recorded, ...]:
    """A new session with these events, one commit each."""
    session_id = session_id or uuid4()
    last: Recorded | None = None
    recorded: list[Recorded] = []
    for event in events:
        (last,) = await log.append(session_id, last, [event], actor="actor-1")
        recorded.append(last)
    return tuple(recorded)


async def first(events: AsyncIterator[T], count: int) -> list[T]:
    """The first `count` of an endless iterator."""
    taken: list[T] = []
    async for event in events:
        taken.append(event)
        if len(taken) == count:
            break
    return taken


# ------------------------------------------------------------ writing and reading back


def test_a_session_is_read_back_as_it_was_recorded(open_log: OpenLog) -> None:
    """R50: event, ids, time, actor and hash."""

    async def scenario() -> None:
        async with open_log() as log:
            session_id, correlation_id, causation_id = uuid4(), uuid4(), uuid4()
            time = datetime(2026, 7, 8, 3, 0, tzinfo=UTC)
            recorded = await log.append(
                session_id,
                None,
                [feedback("一"), feedback("二")],
                actor="actor-1",
                correlation_id=correlation_id,
                causation_id=causation_id,
                time=time,
            )

            assert await log.load(session_id) == recorded
            one, two = recorded
            assert (one.version, two.version) == (1, 2)
            assert two.position == one.position + 1
            assert one.commit_id == two.commit_id
            assert one.event_id != two.event_id
            assert (one.correlation_id, one.causation_id, one.time, one.actor) == (
                correlation_id,
                causation_id,
                time,
                "actor-1",
            )
            assert (one.event, two.event) == (feedback("一"), feedback("二"))

    asyncio.run(scenario())


def test_an_event_is_caused_by_the_one_before_it_unless_told(open_log: OpenLog) -> None:
    """R50."""

    async def scenario() -> None:
        async with open_log() as log:
            one, two = await write(log, feedback("1"), feedback("2"))

            assert (one.correlation_id, one.causation_id) == (one.session_id, None)
            assert (two.correlation_id, two.causation_id) == (one.session_id, one.event_id)

    asyncio.run(scenario())


def test_an_unknown_session_has_no_events(open_log: OpenLog) -> None:
    async def scenario() -> None:
        async with open_log() as log:
            assert await log.load(uuid4()) == ()

    asyncio.run(scenario())


def test_any_nats_client_can_check_the_chain(open_log: OpenLog, connected: Connected) -> None:
    """R60: everything the hash covers stands in the message."""

    async def scenario() -> None:
        async with open_log() as log, connected(Role.ADMIN) as admin:
            (one,) = await write(log, feedback("1"))
            message = await admin.client.jetstream().get_msg(EVENTS, seq=one.position)

            assert (
                message.subject == f"assay.event.{partition_of(str(one.session_id))}.{one.session_id}.1.FeedbackGiven"
            )
            assert set(CHAINED_HEADERS) <= set(message.headers or {})
            assert (message.headers or {})[HASH_HEADER] == one.hash

    asyncio.run(scenario())


def test_an_actor_that_is_no_opaque_id_is_refused(open_log: OpenLog) -> None:
    """R62: actors are ids; a name with a line break would also forge a header."""

    async def scenario() -> None:
        async with open_log() as log:
            for actor in ("", "two words", "line\r\nbreak", "张三"):
                with pytest.raises(ValueError, match="printable ASCII"):
                    await log.append(uuid4(), None, [cancelled()], actor=actor)

    asyncio.run(scenario())


# ------------------------------------------------------------ conflicts and atomicity


def test_of_two_writers_one_wins(open_log: OpenLog) -> None:
    """R51: both have seen the same last event; the loser's commit leaves no trace."""

    async def scenario() -> None:
        async with open_log() as log, open_log() as other:
            (opened,) = await write(log, round_started(1))
            attempts = await asyncio.gather(
                log.append(opened.session_id, opened, [feedback("a"), feedback("b")], actor="actor-1"),
                other.append(opened.session_id, opened, [feedback("c"), feedback("d")], actor="actor-2"),
                return_exceptions=True,
            )
            (winner,) = [attempt for attempt in attempts if isinstance(attempt, tuple)]
            (loser,) = [attempt for attempt in attempts if not isinstance(attempt, tuple)]

            assert isinstance(loser, Conflict)
            assert await log.load(opened.session_id) == (opened, *winner)

    asyncio.run(scenario())


def test_a_session_is_opened_once(open_log: OpenLog) -> None:
    """R10, R51: the conflict check of version 1 is the idempotency check."""

    async def scenario() -> None:
        async with open_log() as log:
            (opened,) = await write(log, round_started(1))
            with pytest.raises(Conflict, match="version 1"):
                await write(log, feedback("again"), session_id=opened.session_id)

            assert await log.load(opened.session_id) == (opened,)

    asyncio.run(scenario())


def test_a_commit_is_stored_whole_or_not_at_all(open_log: OpenLog) -> None:
    """R51: a batch whose first version is taken stores none of the others either."""

    async def scenario() -> None:
        async with open_log() as log:
            one, two = await write(log, round_started(1), feedback("2"))
            with pytest.raises(Conflict, match="version 2"):
                await log.append(one.session_id, one, [feedback("x"), feedback("y"), feedback("z")], actor="actor-1")

            assert await log.load(one.session_id) == (one, two)

    asyncio.run(scenario())


def test_a_commit_sent_twice_is_stored_once(own_stream: OwnStream) -> None:
    """R51: after an unanswered attempt the same commit is sent again; the log tells that it is our own."""

    async def scenario() -> None:
        async with own_stream() as stream:
            originator = str(uuid4())
            drafts = [Draft(originator, version, "T", {"Assay-Commit-Id": "c1"}, b"{}") for version in (1, 2, 3)]

            positions = await stream.append(drafts)

            assert await stream.append(drafts) == positions
            assert await stream.append(drafts[:1]) == positions[:1]
            assert [event.version for event in await stream.originator(originator)] == [1, 2, 3]

    asyncio.run(scenario())


def test_a_commit_with_one_version_twice_is_refused(own_stream: OwnStream) -> None:
    async def scenario() -> None:
        async with own_stream() as stream:
            draft = Draft(str(uuid4()), 1, "T", {"Assay-Commit-Id": "c1"}, b"{}")
            with pytest.raises(Conflict):
                await stream.append([draft, draft])

            assert await stream.originator(draft.originator) == ()

    asyncio.run(scenario())


def test_an_event_larger_than_a_message_is_refused_by_name(own_stream: OwnStream) -> None:
    async def scenario() -> None:
        async with own_stream() as stream:
            huge = Draft(str(uuid4()), 1, "T", {"Assay-Commit-Id": "c1"}, b"x" * 2_000_000)
            with pytest.raises(LogError, match="2000000 bytes"):
                await stream.append([huge])

    asyncio.run(scenario())


# ------------------------------------------------------------ content: large, erased


def large_text(length: int) -> str:
    """Hexadecimal digits that packing makes no smaller than half."""
    return random.Random(length).randbytes(length // 2).hex()


def test_large_content_stands_beside_its_event(open_log: OpenLog, connected: Connected) -> None:
    """R17: content above 256 KiB is kept by its hash, in chunks, and read back whole."""

    async def scenario() -> None:
        async with open_log() as log, connected(Role.ADMIN) as admin:
            event = feedback(large_text(2_200_000))
            (recorded,) = await write(log, event)
            (stored,) = await log.stored(recorded.session_id)
            blobs = await admin.client.jetstream().stream_info(
                BLOBS, subjects_filter=f"assay.blob.{recorded.session_id}.>"
            )

            assert len(stored.body) < 1_000
            assert len(blobs.state.subjects or {}) == 3
            assert (await log.load(recorded.session_id))[0].event == event

    asyncio.run(scenario())


def test_missing_large_content_is_named(open_log: OpenLog, connected: Connected) -> None:
    async def scenario() -> None:
        async with open_log() as log, connected(Role.ADMIN) as admin:
            (recorded,) = await write(log, feedback(large_text(1_400_000)))
            (stored,) = await log.stored(recorded.session_id)
            digest = stored.body.split(b'"blob":"')[1][:64].decode()
            js = admin.client.jetstream()
            blob = await js.get_last_msg(BLOBS, f"assay.blob.{recorded.session_id}.{digest}.1")
            config = (await js.stream_info(BLOBS)).config
            await js.publish(str(blob.subject), b"altered")  # the last message of a subject is what is read
            with pytest.raises(Unreadable, match="missing or was altered"):
                await log.load(recorded.session_id)

            assert config.deny_delete

    asyncio.run(scenario())


def test_without_its_key_content_is_erased_and_the_chain_still_holds(open_log: OpenLog, key_dir: Path) -> None:
    """R62: small and large content alike; facts and hashes stay."""

    async def scenario() -> None:
        async with open_log() as log:
            before = await write(log, round_started(2), feedback("秘密"), feedback("秘密" + large_text(1_000_000)))
            session_id = before[0].session_id
            KeyDirectory(key_dir).destroy(session_id)
            after = await log.load(session_id)

            assert [recorded.event.content for recorded in after] == [ERASED, ERASED, ERASED]
            assert after[0].event.facts == RoundStartedFacts(round=2)
            assert [recorded.hash for recorded in after] == [recorded.hash for recorded in before]
            with pytest.raises(ContentErased):
                await log.append(session_id, after[-1], [feedback("more")], actor="actor-1")

    asyncio.run(scenario())


def test_a_key_is_made_before_the_first_event_and_for_one_session_alone(open_log: OpenLog, key_dir: Path) -> None:
    """R62."""

    async def scenario() -> None:
        async with open_log() as log:
            (one,), (two,) = await write(log, feedback("1")), await write(log, feedback("2"))
            KeyDirectory(key_dir).destroy(one.session_id)

            assert (await log.load(one.session_id))[0].event.content == ERASED
            assert (await log.load(two.session_id))[0].event == feedback("2")

    asyncio.run(scenario())
    assert [path.stat().st_mode & 0o777 for path in key_dir.iterdir()] == [0o600]
    assert key_dir.stat().st_mode & 0o777 == 0o700


def test_two_callers_get_the_same_key(tmp_path: Path) -> None:
    """R62: whoever loses the race to open a session must not seal with another key."""
    session_id = uuid4()

    async def scenario() -> None:
        stores = [KeyDirectory(tmp_path / "keys") for _ in range(8)]
        keys = await asyncio.gather(*(asyncio.to_thread(store.create, session_id) for store in stores))

        assert len({key.secret for key in keys}) == 1

    asyncio.run(scenario())


# ------------------------------------------------------------ reading the whole log


def test_the_log_is_read_in_pages_by_position(open_log: OpenLog) -> None:
    async def scenario() -> None:
        async with open_log() as log:
            start = await log.last_position()
            recorded = await write(log, *(feedback(str(number)) for number in range(5)))

            assert await log.read(start, 3) == recorded[:3]
            assert await log.read(recorded[2].position, 3) == recorded[3:]
            assert await log.read(recorded[4].position, 3) == ()
            assert await log.last_position() == recorded[4].position

    asyncio.run(scenario())


def test_a_partition_holds_all_events_of_its_sessions_and_no_others(open_log: OpenLog) -> None:
    """R56: rebuilding reads partitions beside each other."""

    async def scenario() -> None:
        async with open_log() as log:
            start = await log.last_position()
            sessions = [await write(log, feedback("1"), feedback("2")) for _ in range(20)]
            by_partition = {partition: await log.read(start, 100, partition=partition) for partition in range(8)}

            assert sorted(r.position for page in by_partition.values() for r in page) == list(
                range(start + 1, start + 41)
            )
            for session in sessions:
                assert set(session) <= set(by_partition[partition_of(str(session[0].session_id))])

    asyncio.run(scenario())


def test_headers_are_listed_without_bodies(open_log: OpenLog) -> None:
    """R7: what the pump looks at."""

    async def scenario() -> None:
        async with open_log() as log:
            start = await log.last_position()
            one, two = await write(log, round_started(1), feedback("2"))

            assert [(h.session_id, h.version, h.position, h.topic, h.time) for h in await log.headers(start)] == [
                (one.session_id, 1, one.position, "RoundStarted", one.time),
                (one.session_id, 2, two.position, "FeedbackGiven", two.time),
            ]

    asyncio.run(scenario())


@pytest.mark.parametrize(("role", "doorbell"), [(Role.SERVICE, False), (Role.PROJECTOR, True)])
def test_new_events_are_followed(open_log: OpenLog, role: Role, doorbell: bool) -> None:
    async def scenario() -> None:
        async with open_log() as log, open_log(role) as reader:
            start = await log.last_position()
            following = asyncio.create_task(first(reader.follow(start, doorbell=doorbell), 2))
            one = await write(log, feedback("1"))
            await asyncio.sleep(0.5)
            two = await write(log, feedback("2"))

            assert await asyncio.wait_for(following, 10) == [one, two]

    asyncio.run(scenario())


def test_a_session_is_followed_from_any_version(open_log: OpenLog) -> None:
    async def scenario() -> None:
        async with open_log() as log:
            one, two = await write(log, feedback("1"), feedback("2"))
            following = asyncio.create_task(first(log.follow_session(one.session_id, 1), 3))
            await write(log, feedback("of another session"))
            more = await log.append(one.session_id, two, [feedback("3"), feedback("4")], actor="actor-1")

            assert await asyncio.wait_for(following, 10) == [two, *more]

    asyncio.run(scenario())


class NewerFeedback(FeedbackGiven):
    VERSION: ClassVar[int] = 2


def test_reading_ends_before_an_event_of_a_newer_release(open_log: OpenLog) -> None:
    """R89: what stands before it is read; it is named with its place and its hash, and its chain holds."""

    async def scenario() -> None:
        async with open_log() as log:
            opening = await write(log, round_started(1), round_started(2))
            session_id, last = opening[0].session_id, opening[-1]
            newer = NewerFeedback(facts=FeedbackGivenFacts(rating="wrong"), content=ERASED)
            (*_, stored) = await log.append(session_id, last, [newer, cancelled()], actor="worker-2")

            page = await log.read(opening[0].position - 1, 3)
            assert [entry.version for entry in page] == [1, 2]
            with pytest.raises(NewerEvent) as raised:
                await log.read(last.position, 10)
            place = (raised.value.shape, raised.value.position, raised.value.hash)
            (kept,) = await log.stored_page(last.position, 1)
            assert place == ("FeedbackGiven 2", last.position + 1, kept.headers[HASH_HEADER])
            with pytest.raises(NewerEvent, match=f"session {session_id}, version 3: written by a newer release"):
                await log.load(session_id)
            followed = log.follow_session(session_id)
            assert [(await anext(followed)).version for _ in range(2)] == [1, 2]
            with pytest.raises(NewerEvent):
                await anext(followed)
            assert (await log.newer_shape(session_id), stored.version) == ("FeedbackGiven 2", 4)

    asyncio.run(scenario())


def test_reading_a_session_takes_one_request_however_long_the_log_is(
    open_log: OpenLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R7: every step loads its session, so the cost must not grow with the log."""

    async def scenario() -> None:
        async with open_log() as log:
            session = await write(log, *(feedback(str(number)) for number in range(30)))
            assert await log.load(session[0].session_id) == session  # which also asks once what was set aside (R75)
            requests: list[str] = []
            request_many = log.connection.request_many

            async def counted(subject: str, payload: bytes) -> object:
                requests.append(subject)
                return await request_many(subject, payload)

            monkeypatch.setattr(log.connection, "request_many", counted)

            assert await log.load(session[0].session_id) == session
            assert requests == ["$JS.API.DIRECT.GET.ASSAY_EVENTS"]

    asyncio.run(scenario())


def test_a_session_with_more_events_than_one_request_may_return_is_read_whole(own_stream: OwnStream) -> None:
    async def scenario() -> None:
        async with own_stream() as stream:
            originator = str(uuid4())
            for start in (1, 801):
                headers = {"Assay-Commit-Id": str(start)}
                await stream.append([Draft(originator, v, "T", headers, b"{}") for v in range(start, start + 800)])

            assert [event.version for event in await stream.originator(originator)] == list(range(1, 1601))

    asyncio.run(scenario())


# ------------------------------------------------------------ a full or unreachable log


@pytest.mark.parametrize("size", [1, 3])
def test_a_full_log_refuses_a_commit_whole(connected: Connected, size: int) -> None:
    """R67: with a clear error, at once."""

    async def scenario() -> None:
        async with connected(Role.ADMIN) as admin:
            name = f"TEST_{uuid4().hex}"
            await ensure_stream(admin.client.jetstream(), replace(append_only(name, f"test.{name}"), max_msgs=2))
            stream = EventStream(admin, stream=name, prefix=f"test.{name}")
            first_two = [Draft("a", version, "T", {"Assay-Commit-Id": "c1"}, b"{}") for version in (1, 2)]
            await stream.append(first_two)
            more = [Draft("b", version, "T", {"Assay-Commit-Id": "c2"}, b"{}") for version in range(1, size + 1)]

            with pytest.raises(LogFull, match=f"{name} takes no more events"):
                await stream.append(more)
            assert await stream.append(first_two) == (1, 2)
            assert await stream.last_position() == 2

    asyncio.run(scenario())


def test_a_log_that_answers_but_stores_nothing_is_full(connected: Connected) -> None:
    """R67: a nats-server whose disk is full leaves what is published unanswered."""

    async def scenario() -> None:
        async with connected(Role.ADMIN) as admin:
            await admin.client.subscribe("swallowed.>")
            stream = EventStream(admin, stream="ASSAY_EVENTS", prefix="swallowed", patience=0)
            with pytest.raises(LogFull, match="stored nothing for 0 s: the disk of its nats-server is full"):
                await stream.append([Draft("a", 1, "T", {"Assay-Commit-Id": "c1"}, b"{}")])

    asyncio.run(scenario())


def test_an_unreachable_server_is_named() -> None:
    """R67."""

    async def scenario() -> None:
        with pytest.raises(LogUnavailable, match=r"127\.0\.0\.1:1 cannot be reached"):
            await Connection.open("nats://127.0.0.1:1", "service", "x", "_INBOX_service")

    asyncio.run(scenario())
