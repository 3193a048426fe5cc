"""R60: what a session's stored events suffer is found when the session is loaded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from domain.chain import HASH_HEADER, PREVIOUS_HASH_HEADER, VERSION_HEADER, event_hash
from domain.events import FeedbackGiven, FeedbackGivenContent, FeedbackGivenFacts
from domain.subjects import subject_of
from infra.access import Role
from infra.embedded.nats_server import NatsServer
from infra.event_log.connection import Connection
from infra.event_log.errors import ChainBroken
from infra.event_log.jetstream import Stored
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.streams import EVENTS, init_streams, stream_configs
from tests.integration.doctored import moved


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A server whose operator can rewrite events: its stream lacks the flags that deny it."""
    running = NatsServer(tmp_path_factory.mktemp("nats"))
    running.ensure_running()
    asyncio.run(_initialise(running))
    yield running
    running.stop()


async def _initialise(server: NatsServer) -> None:
    async with admin(server) as connection:
        js = connection.client.jetstream()
        await js.add_stream(replace(stream_configs()[0], deny_delete=False, deny_purge=False))
        await init_streams(js)


@asynccontextmanager
async def admin(server: NatsServer) -> AsyncIterator[Connection]:
    known = server.credentials[Role.ADMIN]
    password = known.password.get_secret_value()
    connection = await Connection.open(server.url, known.user, password, Role.ADMIN.inbox_prefix)
    try:
        yield connection
    finally:
        await connection.close()


def edited(events: list[Stored]) -> list[Stored]:
    return [events[0], replace(events[1], body=events[1].body.replace(b"wrong", b"helpful")), *events[2:]]


def edited_and_rehashed(events: list[Stored]) -> list[Stored]:
    body = events[1].body.replace(b"wrong", b"helpful")
    digest = event_hash(events[1].headers[PREVIOUS_HASH_HEADER], body, events[1].headers)
    return [events[0], replace(events[1], body=body, headers={**events[1].headers, HASH_HEADER: digest}), *events[2:]]


def another_actor(events: list[Stored]) -> list[Stored]:
    return [*events[:2], replace(events[2], headers={**events[2].headers, "Assay-Actor": "somebody-else"})]


def one_removed(events: list[Stored]) -> list[Stored]:
    return [events[0], events[2]]


def renumbered_after_removal(events: list[Stored]) -> list[Stored]:
    headers = {**events[2].headers, VERSION_HEADER: "2"}
    return [events[0], replace(events[2], subject=subject_of(headers), headers=headers)]


def swapped(events: list[Stored]) -> list[Stored]:
    return [events[0], events[2], events[1]]


def under_another_type(events: list[Stored]) -> list[Stored]:
    subject = events[1].subject.replace("FeedbackGiven", "VerdictIssued")
    return [events[0], replace(events[1], subject=subject), events[2]]


def the_first_in_another_partition(events: list[Stored]) -> list[Stored]:
    return [moved(events[0]), *events[1:]]


def one_in_another_partition(events: list[Stored]) -> list[Stored]:
    return [events[0], moved(events[1]), events[2]]


def the_last_in_another_partition(events: list[Stored]) -> list[Stored]:
    return [*events[:2], moved(events[2])]


def all_in_another_partition(events: list[Stored]) -> list[Stored]:
    return [moved(event) for event in events]


def one_in_two_partitions(events: list[Stored]) -> list[Stored]:
    return [*events, moved(events[2])]


def the_first_removed(events: list[Stored]) -> list[Stored]:
    return events[1:]


@pytest.mark.parametrize(
    ("tamper", "version", "reason"),
    [
        (edited, 2, "was altered"),
        (edited_and_rehashed, 3, "does not continue"),
        (another_actor, 3, "was altered"),
        (one_removed, 2, "version 3 stands where 2 should"),
        (renumbered_after_removal, 2, "does not continue"),
        (swapped, 2, "version 3 stands where 2 should"),
        (under_another_type, 2, "stands under assay.event"),
        (the_first_in_another_partition, 1, "stands under assay.event"),
        (one_in_another_partition, 2, "stands under assay.event"),
        (the_last_in_another_partition, 3, "stands under assay.event"),
        (all_in_another_partition, 1, "stands under assay.event"),
        (one_in_two_partitions, 4, "version 3 stands where 4 should"),
        (the_first_removed, 1, "version 2 stands where 1 should"),
    ],
)
def test_a_tampered_session_is_not_loaded(
    server: NatsServer, tmp_path: Path, tamper: Callable[[list[Stored]], list[Stored]], version: int, reason: str
) -> None:
    """R60, R75: the error names session and version."""

    async def scenario() -> None:
        async with admin(server) as connection:
            log = SessionLog(connection, KeyDirectory(tmp_path / "keys"), "aes-256-gcm")
            session_id = uuid4()
            events = [
                FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text=str(number)))
                for number in range(3)
            ]
            await log.append(session_id, None, events, actor="actor-1")
            stored = list(await log.stored(session_id))
            js = connection.client.jetstream()
            await js.purge_stream(EVENTS)
            for event in tamper(stored):
                headers = {name: value for name, value in event.headers.items() if name.startswith("Assay-")}
                await js.publish(event.subject, event.body, headers=headers)

            with pytest.raises(ChainBroken, match=reason) as caught:
                await log.load(session_id)
            assert (caught.value.session_id, caught.value.version) == (session_id, version)

    asyncio.run(scenario())
