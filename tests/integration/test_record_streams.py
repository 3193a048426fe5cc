"""R75: each way of tampering with the streams of accesses and public verdicts, and what `assay verify` says of it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from domain.audit.record import Record
from domain.public_events import PublicEvent
from handlers.audit import verification
from handlers.audit.head_writer import HeadWriter
from infra import verdict_stream
from infra.access_log import Action, record_access
from infra.audit.heads_file import HeadsFile, of_stream
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.records import RecordStream
from infra.event_log.session_log import SessionLog
from infra.streams import SIGNED, stream_configs
from tests.integration.doctored import A, B, Site, make_streams, new_database, record

Messages = list[Record]
TURNS = [A, B, A, B, A, B]


@pytest.fixture(scope="module")
def site(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Own nats-server, own database; both streams hold six messages, five of which are signed, at 2 and at 5."""
    folder = tmp_path_factory.mktemp("site")
    site = Site(NatsServer(folder / "nats"), new_database(servers), folder)
    site.nats.ensure_running()
    asyncio.run(_recorded(site))
    yield site
    site.nats.stop()


def writer(site: Site, events: SessionLog) -> HeadWriter:
    return site.head_writer(events, streams=[RecordStream(events.connection, stream) for stream in SIGNED])


async def _recorded(site: Site) -> None:
    await make_streams(site)
    async with site.log() as events:
        await record(events, [A], {})
        for number, session_id in enumerate(TURNS, start=1):
            await record_access(events.connection, "actor-1", Action.ERASE, session_id, reason=f"reason {number}")
            event = PublicEvent("PASS", {"specversion": "1.0", "id": f"event-{number}", "data": {"round": number}})
            await verdict_stream.publish(events.connection, event, session_id, number)
            if number in (2, 5):
                await writer(site, events).finish()


@pytest.fixture(scope="module")
def recorded(site: Site) -> dict[str, Messages]:
    async def read() -> dict[str, Messages]:
        async with site.log() as events:
            return {one: list(await RecordStream(events.connection, one).stored_page(0, 100)) for one in SIGNED}

    return asyncio.run(read())


@pytest.fixture(params=SIGNED)
def stream(site: Site, recorded: dict[str, Messages], request: pytest.FixtureRequest) -> str:
    """Each stream in turn, as it was recorded, whatever a test before did to it."""
    for name in SIGNED:
        asyncio.run(rewrite(site, name, recorded[name]))
    return str(request.param)


async def rewrite(site: Site, stream: str, messages: Sequence[Record]) -> None:
    """The stream made anew with these."""
    (config,) = [one for one in stream_configs() if one.name == stream]
    async with site.admin() as js:
        await js.delete_stream(stream)
        await js.add_stream(replace(config, deny_delete=False, deny_purge=False))
        for message in messages:
            await js.publish(message.subject, message.body, headers=dict(message.own_headers) or None)


def found(site: Site, *arguments: str, **environment: str) -> list[tuple[str, str, int | None, str | None]]:
    """Kind, stream, position and session."""
    status, document, err = site.verify(*arguments, **environment)
    assert status == (3 if document["findings"] else 0), err
    names = ("kind", "stream", "position", "session_id")
    return [tuple(one[name] for name in names) for one in document["findings"]]


def test_sound_streams_are_said_to_be_so(site: Site, stream: str) -> None:
    """R75: and how much of them is signed."""
    status, document, _ = site.verify()
    assert (status, document["findings"]) == (0, [])
    assert document["streams"][stream] == {
        "messages": 6,
        "heads": 2,
        "signed_messages": 5,
        "unsigned_messages": 1,
    }


def edited(messages: Messages) -> Messages:
    return [*messages[:2], replace(messages[2], body=messages[2].body.replace(b"3", b"4")), *messages[3:]]


def of_another_session(messages: Messages) -> Messages:
    return [*messages[:2], replace(messages[2], subject=messages[2].subject.replace(str(A), str(B))), *messages[3:]]


def one_left_out(messages: Messages) -> Messages:
    return [*messages[:2], *messages[3:]]


def one_put_in(messages: Messages) -> Messages:
    added = replace(messages[0], subject=messages[0].subject + "0", own_headers={}, body=b"{}")
    return [*messages[:3], added, *messages[3:]]


def swapped(messages: Messages) -> Messages:
    return [*messages[:2], messages[3], messages[2], *messages[4:]]


def rolled_back(messages: Messages) -> Messages:
    return messages[:3]


@pytest.mark.parametrize(
    ("tamper", "kind", "position", "session"),
    [
        (edited, "edited event", 3, A),
        (of_another_session, "edited event", 3, B),
        (one_left_out, "missing event", 3, None),
        (swapped, "swapped order", 3, B),
        (rolled_back, "rolled-back log", None, None),
    ],
)
def test_a_rewritten_stream_is_found_out(
    site: Site,
    recorded: dict[str, Messages],
    stream: str,
    tamper: Callable[[Messages], Messages],
    kind: str,
    position: int | None,
    session: UUID | None,
) -> None:
    """R75: what, in which stream, and where; the other stream is not blamed."""
    asyncio.run(rewrite(site, stream, tamper(recorded[stream])))
    assert found(site) == [(kind, stream, position, str(session) if session else None)]


def test_an_added_message_is_found_out(site: Site, recorded: dict[str, Messages], stream: str) -> None:
    """R75: nothing was signed there."""
    asyncio.run(rewrite(site, stream, one_put_in(recorded[stream])))
    assert [one[:3] for one in found(site)] == [("inserted event", stream, 4)]


def test_a_deleted_message_and_a_cut_tail_are_found_out(
    site: Site, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R75."""
    monkeypatch.setattr(verification, "CATCH_UP_S", 0.2)

    async def delete(position: int) -> None:
        async with site.admin() as js:
            await js.delete_msg(stream, position)

    asyncio.run(delete(3))
    assert found(site) == [("missing event", stream, 3, None)]
    asyncio.run(delete(6))
    assert ("cut tail", stream, 6, None) in found(site)


def test_heads_elsewhere_are_enough(site: Site, recorded: dict[str, Messages], stream: str, tmp_path: Path) -> None:
    """R75: one file of the heads of all streams, without PostgreSQL; between which of them it lies is told."""
    heads = tmp_path / "witness.jsonl"
    own = site.settings.heads_file
    heads.write_text("".join(path.read_text() for path in (own, *(of_stream(own, one) for one in SIGNED))))
    gone = {"ASSAY_POSTGRES_DSN": "postgresql://127.0.0.1:9/none"}
    assert found(site, "--heads", str(heads), **gone) == []
    asyncio.run(rewrite(site, stream, edited(recorded[stream])))
    assert found(site, "--heads", str(heads), **gone) == [("edited event", stream, 3, None)]


def test_a_stream_that_was_tampered_with_is_no_longer_signed_and_the_log_is(
    site: Site, recorded: dict[str, Messages], stream: str, caplog: pytest.LogCaptureFixture
) -> None:
    """R75: a rolled-back stream does not keep events from being signed."""
    sizes = len(list(HeadsFile(of_stream(site.settings.heads_file, stream)).envelopes()))
    asyncio.run(rewrite(site, stream, rolled_back(recorded[stream])))

    async def sign() -> None:
        async with site.log() as events:
            await writer(site, events).finish()

    asyncio.run(sign())
    assert f"the stream {stream} is no longer signed: the stream {stream} ends at position 3" in caplog.text
    assert len(list(HeadsFile(of_stream(site.settings.heads_file, stream)).envelopes())) == sizes


# ---------------------------------------------------------------- wherever the data folder lies


def test_heads_are_found_under_the_name_of_another_folder(
    site: Site, recorded: dict[str, Messages], stream: str, servers: Servers, tmp_path: Path
) -> None:
    """R75: a data folder that was moved, or is reached by a link, wrote its heads to a file of another name."""
    keys, own = tmp_path / "keys", site.settings.heads_file
    keys.mkdir()
    for path in (own, *(of_stream(own, name) for name in SIGNED)):
        shutil.copy(path, keys / path.name.replace("heads.", "heads-0123456789ab."))
    elsewhere = {
        "ASSAY_KEY_DIR": str(keys),
        "ASSAY_HEADS_FILE": str(keys / "heads-ba9876543210.jsonl"),
        "ASSAY_POSTGRES_DSN": new_database(servers),
    }
    assert found(site, **elsewhere) == []
    asyncio.run(rewrite(site, stream, rolled_back(recorded[stream])))
    assert found(site, **elsewhere) == [("rolled-back log", stream, None, None)]
    asyncio.run(rewrite(site, stream, recorded[stream]))
    with (keys / "heads-0123456789ab.jsonl").open("a") as file:
        file.write('{"signatures": []}\n')
    assert found(site, **elsewhere) == [("bad signature", None, None, None)]


def test_messages_are_told_apart_by_every_part() -> None:
    """R75: subject, headers and body are each of one meaning in the hash."""
    first = Record("assay.access.a.b", 1, {}, b"c")
    others = [
        replace(first, subject="assay.access.a.", body=b"bc"),
        replace(first, own_headers={"c": ""}, body=b""),
        replace(first, own_headers={"a": "b"}),
        replace(first, body=b"d"),
    ]
    assert len({one.hash for one in (first, *others)}) == 5
    assert replace(first, position=2).hash == first.hash  # which its place in the tree tells
