"""R75: a message that is none of ours stands in a stream: it is named; once it is set aside all goes on behind it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from domain import events as e
from domain.audit.record import Record
from infra.access_log import Action, accesses, record_access
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.errors import Unreadable
from infra.event_log.records import RecordStream
from infra.isolation import Isolation, isolate
from infra.parked import ParkedDeliveries
from infra.read_models.projector import ProjectorHalted, catch_up
from infra.streams import ACCESS, EVENTS, PARKED, SIGNED
from tests.integration.doctored import A, B, Site, make_streams, moved, new_database, record, rewrite

FOREIGN = f"assay.event.5.{A}.2.FeedbackGiven"
FOREIGN_OPENING = "assay.event.0.0198c0de-0000-7000-8000-0000000000ff.1.SessionOpened"


@pytest.fixture
def site(servers: Servers, tmp_path: Path) -> Iterator[Site]:
    site = Site(NatsServer(tmp_path / "nats"), new_database(servers), tmp_path)
    site.nats.ensure_running()
    asyncio.run(make_streams(site))
    yield site
    site.nats.stop()


async def put(site: Site, subject: str, body: bytes = b"not ours", **headers: str) -> int:
    async with site.admin() as js:
        return (await js.publish(subject, body, headers=headers or None)).seq


async def set_aside(connection: Any, stream: str, position: int) -> Record:
    (message,) = await RecordStream(connection, stream).stored_page(position - 1, 1)
    made = Isolation(stream=stream, position=position, digest=message.hash, actor="operator", reason="a slip")
    assert await isolate(connection, made)
    assert not await isolate(connection, made)
    return message


def writer(site: Site, events: Any) -> Any:
    return site.head_writer(events, streams=[RecordStream(events.connection, stream) for stream in SIGNED])


@pytest.mark.parametrize("subject", [FOREIGN, "assay.event.x", FOREIGN_OPENING])
def test_reading_and_signing_go_on_behind_a_foreign_event_once_it_is_set_aside(
    site: Site, subject: str, caplog: pytest.LogCaptureFixture
) -> None:
    """R75, R55: up to it before that; `verify` finds nothing, and its place is under the head."""

    async def scenario() -> None:
        last: dict = {}
        async with site.log() as events:
            await record(events, [A], last, 10)
            position = await put(site, subject)
            await record(events, [B, B], last, 10)
            assert [one.position for one in await events.read(0, 100)] == [1]
            with pytest.raises(Unreadable, match=r"position 2 holds no event .* `assay log isolate ASSAY_EVENTS 2"):
                await events.read(1, 100)
            await writer(site, events).finish()
            assert "the log is not signed: " in caplog.text
            assert (await events.load(B))[-1].position == 4
            await set_aside(events.connection, EVENTS, position)
        async with site.log() as events:
            assert [one.position for one in await events.read(0, 100)] == [1, 3, 4]
            assert [one.position for one in await events.read(1, 1)] == [3]
            assert [one.position for one in await events.headers(0, 100)] == [1, 3, 4]
            assert len(await events.load(A)) == 1
            await writer(site, events).finish()
            assert (await events.last_position(), await events.end()) == (4, 4)
            again = await put(site, subject + "x")
            await set_aside(events.connection, EVENTS, again)
        async with site.log() as events:
            assert (await events.last_position(), await events.end()) == (4, 5)
            await writer(site, events).finish()

    asyncio.run(scenario())
    status, document, _ = site.verify()
    assert (status, document["signed_events"], document["findings"]) == (0, 5, [])


def test_tampering_is_found_behind_what_was_set_aside_too(site: Site) -> None:
    """R75: nor is an event that was recorded hidden by a decision about its position."""

    async def scenario() -> Any:
        last: dict = {}
        async with site.log() as events:
            await record(events, [A], last, 10)
            await set_aside(events.connection, EVENTS, await put(site, FOREIGN))
            await record(events, [B, B], last, 10)
        async with site.log() as events:
            await writer(site, events).finish()
            return await events._stream.read(0, 100)

    raw = list(asyncio.run(scenario()))
    assert site.found() == []
    for tampered, expected in (
        ([*raw[:2], moved(raw[2]), raw[3]], [("wrong subject", 3, str(B), 1)]),
        ([*raw[:3], replace(raw[3], body=b"{}")], [("edited event", 4, str(B), 2)]),
        (raw[:3], [("rolled-back log", None, None, None)]),
        ([*raw[:2], raw[3]], [("missing event", 3, str(B), 1), ("missing event", 3, None, None)]),
        ([raw[0], replace(raw[1], body=b"another"), *raw[2:]], [("edited event", 2, str(A), 2)]),
    ):
        asyncio.run(rewrite(site, tampered))
        found = site.found()
        assert [one for one in expected if one in found] == expected, found
        assert {one[1] for one in found} <= {one[1] for one in expected} | {None}, found


def test_another_message_in_its_place_is_not_meant(site: Site) -> None:
    """R75: the decision names a digest."""

    async def scenario() -> None:
        async with site.log() as events:
            await record(events, [A], {}, 10)
            position = await put(site, FOREIGN)
            wrong = Isolation(stream=EVENTS, position=position, digest="0" * 64, actor="operator", reason="a slip")
            await isolate(events.connection, wrong)
        async with site.log() as events:
            with pytest.raises(Unreadable):
                await events.read(1, 10)

            await writer(site, events).finish()

    asyncio.run(scenario())
    assert ("edited event", 2) in [one[:2] for one in site.found()]


def test_read_models_go_on_behind_it(site: Site, diagnosis: Any) -> None:
    """R55: they halt before it, with its position, and not for ever."""

    async def scenario() -> None:
        session_id = uuid4()
        async with site.log() as events:
            await events.append(session_id, None, [one.event for one in diagnosis()[:2]], actor="actor-1")
            position = await put(site, f"assay.event.0.{uuid4()}.1.SessionOpened")
            *_, last = await events.load(session_id)
            await events.append(
                session_id, last, [e.SessionCancelled(content=e.SessionCancelledContent())], actor="actor-1"
            )
            with pytest.raises(ProjectorHalted, match="position 3 holds no event"):
                await catch_up(events, site.dsn, await events.last_position())
            await set_aside(events.connection, EVENTS, position)
        async with site.log() as events:
            await catch_up(events, site.dsn, await events.last_position())

    asyncio.run(scenario())


def test_a_foreign_record_of_access_or_of_a_parked_verdict_is_passed_over_once_it_is_set_aside(site: Site) -> None:
    """R75: named with stream and sequence before."""

    async def scenario() -> None:
        async with site.log() as events:
            connection = events.connection
            await record_access(connection, "actor-1", Action.SHOW, A)
            access = await put(site, f"assay.access.{A}.x")
            parked = await put(site, f"assay.parked.{A}.1.parked")
            await record_access(connection, "actor-1", Action.SHOW, B)
            with pytest.raises(Unreadable, match=f"ASSAY_ACCESS position {access} holds a foreign message"):
                [one async for one in accesses(connection)]
            with pytest.raises(Unreadable, match=f"ASSAY_PARKED position {parked} holds a foreign message"):
                await ParkedDeliveries(connection).all()
            await set_aside(connection, ACCESS, access)
            await set_aside(connection, PARKED, parked)
            assert [one.session_id async for one in accesses(connection)] == [A, B]
            assert await ParkedDeliveries(connection).all() == []
            await writer(site, events).finish()

    asyncio.run(scenario())
    _, document, _ = site.verify()
    assert document["streams"][ACCESS]["signed_messages"] == 5  # the decisions among them
    assert document["findings"] == []


def test_what_was_recorded_is_not_set_aside(site: Site) -> None:
    """R75: by no command; nor what is edited, which `verify` still names."""

    async def scenario() -> None:
        async with site.log() as events:
            await record(events, [A, A], {}, 10)
            (first, second) = await events.stored_page(0, 2)
            await record_access(events.connection, "actor-1", Action.SHOW, A)
            await writer(site, events).finish()
            headers = {name: value for name, value in first.headers.items() if name.startswith("Assay-")}
            await put(site, first.subject.replace(str(A), str(B)), first.body, **headers)
            assert second.position == 2

    asyncio.run(scenario())

    def command(*arguments: str) -> tuple[int, str]:
        status, _, err = site.command("log", "isolate", *arguments, "--reason", "a slip", "--json")
        return status, err

    for stream, position, words in (
        (EVENTS, "1", "is no foreign message"),
        (ACCESS, "1", "is no foreign message"),
        (EVENTS, "9", "holds nothing at position 9"),
    ):
        status, err = command(stream, position)
        assert (status, words in err) == (2, True), err
    assert command(EVENTS, "3")[0] == 0  # a copy under another session's subject
    status, err = command(EVENTS, "3")
    assert (status, "was set aside before" in err) == (2, True)
    assert json.loads(site.command("access", "list", "--json")[1].splitlines()[-1])["action"] == "isolate"
