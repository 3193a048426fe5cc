"""R65: with the credentials of a role only what the role needs can be done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from uuid import uuid4

import pytest
from nats.errors import TimeoutError as NoMessage
from nats.js.api import ConsumerConfig

from infra.access import Role
from infra.event_log.connection import Connection
from infra.event_log.errors import AccessRefused

Connected = Callable[[Role], AbstractAsyncContextManager[Connection]]

STREAMS = ("ASSAY_EVENTS", "ASSAY_BLOBS", "ASSAY_VERDICTS", "ASSAY_ACCESS", "ASSAY_PARKED", "ASSAY_HEADS")
GUESTS = (Role.SERVICE, Role.PROJECTOR, Role.SUBSCRIBER)
WRITES = (
    "assay.event.0.x.1.SessionOpened",
    "assay.blob.x.y.0",
    "assay.verdict.PASS.x.1",
    "assay.access.x",
    "assay.parked.x",
    "assay.head.x",
)

STREAM_CHANGES = [
    f"$JS.API.STREAM.{operation}.{stream}"
    for operation in ("CREATE", "UPDATE", "DELETE", "PURGE", "MSG.DELETE", "SNAPSHOT", "RESTORE")
    for stream in STREAMS
]
CONSUMER_CHANGES = [
    "$JS.API.CONSUMER.CREATE.ASSAY_EVENTS",
    "$JS.API.CONSUMER.CREATE.ASSAY_EVENTS.planner",
    "$JS.API.CONSUMER.CREATE.ASSAY_EVENTS.planner.assay.event.>",
    "$JS.API.CONSUMER.DURABLE.CREATE.ASSAY_EVENTS.planner",
    "$JS.API.CONSUMER.DELETE.ASSAY_EVENTS.planner",
    "$JS.API.CONSUMER.PAUSE.ASSAY_EVENTS.planner",
    "$JS.API.CONSUMER.RESET.ASSAY_EVENTS.planner",
]
READS_OF_EVENTS = [
    "$JS.API.DIRECT.GET.ASSAY_EVENTS",
    "$JS.API.DIRECT.GET.ASSAY_EVENTS.assay.event.>",
    "$JS.API.STREAM.MSG.GET.ASSAY_EVENTS",
    "$JS.API.STREAM.INFO.ASSAY_EVENTS",
    "$JS.API.CONSUMER.MSG.NEXT.ASSAY_EVENTS.planner",
    "$JS.API.CONSUMER.INFO.ASSAY_EVENTS.planner",
    "$JS.API.DIRECT.GET.ASSAY_BLOBS",
]


async def refused(connection: Connection, subjects: list[str] | tuple[str, ...]) -> list[str]:
    """Which of these subjects the user may not publish to."""

    async def attempt(subject: str) -> bool:
        try:
            await connection.request(subject, b"{}")
        except AccessRefused:
            return True
        except Exception:
            return False
        return False

    results = await asyncio.gather(*(attempt(subject) for subject in subjects))
    return [subject for subject, was_refused in zip(subjects, results, strict=True) if was_refused]


async def overheard(connection: Connection, subject: str, provoke: Callable[[], object]) -> list[str]:
    """Subjects of the messages that arrive while `provoke` does something to be overheard."""
    heard: list[str] = []

    async def listen(message: object) -> None:
        heard.append(message.subject)  # type: ignore[attr-defined]  # a nats message

    await connection.client.subscribe(subject, cb=listen)
    await connection.client.flush()
    await provoke()  # type: ignore[misc]  # a coroutine function
    await asyncio.sleep(0.3)
    return heard


async def contents(connected: Connected) -> dict[str, int | None]:
    """Number of messages in each stream, None for a stream that is gone."""
    async with connected(Role.ADMIN) as admin:
        js = admin.client.jetstream()
        return {name: (await js.stream_info(name)).state.messages for name in STREAMS}


@pytest.mark.parametrize("role", GUESTS)
def test_no_stream_is_changed_but_by_the_admin(connected: Connected, role: Role) -> None:
    """R65, R50: create, update, delete, purge, restore, and the deletion of a message."""

    async def scenario() -> None:
        async with connected(role) as connection:
            assert await refused(connection, STREAM_CHANGES) == STREAM_CHANGES

    asyncio.run(scenario())


@pytest.mark.parametrize("role", GUESTS)
def test_no_consumer_of_the_events_is_changed_but_by_the_admin(connected: Connected, role: Role) -> None:
    """R65: the service may only use them."""

    async def scenario() -> None:
        async with connected(role) as connection:
            assert await refused(connection, CONSUMER_CHANGES) == CONSUMER_CHANGES

    asyncio.run(scenario())


@pytest.mark.parametrize("role", [Role.PROJECTOR, Role.SUBSCRIBER])
def test_readers_publish_nothing(connected: Connected, role: Role) -> None:
    """R65."""

    async def scenario() -> None:
        async with connected(role) as connection:
            assert await refused(connection, WRITES) == list(WRITES)

    asyncio.run(scenario())


def test_a_verdict_subscriber_reads_no_events(connected: Connected) -> None:
    """R65: neither stored nor as they are published."""

    async def scenario() -> None:
        async with connected(Role.SUBSCRIBER) as subscriber, connected(Role.ADMIN) as admin:
            assert await refused(subscriber, READS_OF_EVENTS) == READS_OF_EVENTS

            js = admin.client.jetstream()
            for subject in ("assay.event.>", "assay.>", ">"):
                assert await overheard(subscriber, subject, lambda: js.publish(f"assay.access.{uuid4()}", b"")) == []

    asyncio.run(scenario())


@pytest.mark.parametrize("role", GUESTS)
@pytest.mark.parametrize("other", [Role.ADMIN, Role.SERVICE, Role.PROJECTOR, Role.SUBSCRIBER])
def test_nobody_listens_to_the_inboxes_of_another(connected: Connected, role: Role, other: Role) -> None:
    """R65: replies to the service hold whole events."""
    if role is other:
        return

    async def scenario() -> None:
        async with connected(role) as eavesdropper, connected(other) as victim:
            assert (
                await overheard(
                    eavesdropper, f"{other.inbox_prefix}.>", lambda: victim.client.request("$JS.API.INFO", timeout=5)
                )
                == []
            )

    asyncio.run(scenario())


@pytest.mark.parametrize("role", GUESTS)
@pytest.mark.parametrize(
    "target",
    ["assay.event.0.forged.1.SessionOpened", "$JS.API.STREAM.DELETE.ASSAY_ACCESS", "$JS.API.STREAM.PURGE.ASSAY_ACCESS"],
)
def test_a_reply_subject_reaches_no_further_than_its_user(connected: Connected, role: Role, target: str) -> None:
    """R65: a request may name any subject for its reply, which the server publishes without asking for permission."""
    requests = [
        ("$JS.API.INFO", b""),
        ("$JS.API.STREAM.INFO.ASSAY_EVENTS", b""),
        ("$JS.API.STREAM.INFO.ASSAY_VERDICTS", b""),
        ("$JS.API.DIRECT.GET.ASSAY_EVENTS", b'{"seq":1}'),
        ("$JS.API.STREAM.MSG.GET.ASSAY_EVENTS", b'{"seq":1}'),
        ("$JS.API.CONSUMER.MSG.NEXT.ASSAY_EVENTS.planner", b""),
        ("$JS.API.CONSUMER.INFO.ASSAY_EVENTS.planner", b""),
    ]

    async def scenario() -> None:
        before = await contents(connected)
        async with connected(role) as connection:
            for subject, payload in requests:
                await connection.client.publish(subject, payload, reply=target)
            await connection.client.flush()
            await asyncio.sleep(0.5)

        assert await contents(connected) == before

    asyncio.run(scenario())


def test_a_subscriber_cannot_have_verdicts_delivered_elsewhere(connected: Connected) -> None:
    """R65: it may make consumers of the verdicts, whose messages must not end in the log or in another's inbox."""

    async def scenario() -> None:
        async with connected(Role.SUBSCRIBER) as subscriber, connected(Role.SERVICE) as service:
            before = (await contents(connected))["ASSAY_EVENTS"]
            heard: list[str] = []

            async def listen(message: object) -> None:
                heard.append(message.subject)  # type: ignore[attr-defined]  # a nats message

            await service.client.subscribe("_INBOX_service.target", cb=listen)
            for target in ("assay.event.0.forged.1.SessionOpened", "_INBOX_service.target"):
                name = uuid4().hex
                config = {"name": name, "deliver_subject": target, "ack_policy": "none", "inactive_threshold": 10**10}
                request = json.dumps({"stream_name": "ASSAY_VERDICTS", "config": config}).encode()
                await subscriber.request(f"$JS.API.CONSUMER.CREATE.ASSAY_VERDICTS.{name}", request)
            await service.client.jetstream().publish(f"assay.verdict.PASS.{uuid4()}.1", b"{}")
            await asyncio.sleep(1)

            assert heard == []
            assert (await contents(connected))["ASSAY_EVENTS"] == before

    asyncio.run(scenario())


def test_a_subscriber_cannot_name_another_stream_in_its_request(connected: Connected) -> None:
    """R65: the subject is what is permitted, the body must agree with it."""

    async def scenario() -> None:
        async with connected(Role.SUBSCRIBER) as subscriber:
            name = uuid4().hex
            config = {"name": name, "ack_policy": "explicit"}
            request = json.dumps({"stream_name": "ASSAY_EVENTS", "config": config}).encode()
            reply = await subscriber.request(f"$JS.API.CONSUMER.CREATE.ASSAY_VERDICTS.{name}", request)

            assert json.loads(reply.data)["error"]["code"] == 400

    asyncio.run(scenario())


def test_a_subscriber_receives_the_verdicts_it_asks_for(connected: Connected) -> None:
    """R52: subjects filter by verdict; what was acknowledged does not come again."""

    async def scenario() -> None:
        session_id = uuid4()
        async with connected(Role.SUBSCRIBER) as subscriber, connected(Role.SERVICE) as service:
            for version, verdict in enumerate(("PASS", "REJECT", "PASS"), start=1):
                await service.client.jetstream().publish(f"assay.verdict.{verdict}.{session_id}.{version}", b"{}")
            verdicts = await subscriber.client.jetstream().pull_subscribe(
                f"assay.verdict.REJECT.{session_id}.>",
                durable=uuid4().hex,
                stream="ASSAY_VERDICTS",
                inbox_prefix=b"_INBOX_subscriber.",
                config=ConsumerConfig(ack_wait=0.5),
            )
            (message,) = await verdicts.fetch(5, timeout=2)
            await message.ack()

            assert message.subject == f"assay.verdict.REJECT.{session_id}.2"
            with pytest.raises(NoMessage):
                await verdicts.fetch(1, timeout=1)

    asyncio.run(scenario())


def test_the_service_uses_a_durable_consumer_it_could_not_have_made(connected: Connected) -> None:
    """R65."""

    async def scenario() -> None:
        async with connected(Role.SERVICE) as service:
            subscription = await service.client.jetstream().pull_subscribe_bind(
                "planner", "ASSAY_EVENTS", inbox_prefix=b"_INBOX_service."
            )
            info = await subscription.consumer_info()

            assert info.config.filter_subject == "assay.event.*.*.*.RoundStarted"

    asyncio.run(scenario())
