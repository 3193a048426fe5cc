"""R76: what the witness of the README finds, with the subscriber's user and the public key alone."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from handlers.audit.head_writer import HeadWriter
from infra.access import Role
from infra.access_log import Action, record_access
from infra.audit.heads_file import of_stream
from infra.audit.signing_key import public_pem, signing_key
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.jetstream import Stored
from infra.event_log.records import RecordStream
from infra.event_log.session_log import SessionLog
from infra.head_stream import HeadPublisher
from infra.streams import EVENTS, HEADS, SIGNED, stream_configs
from tests.integration.doctored import A, B, C, Site, make_streams, new_database, record, rewrite

README = Path(__file__).parent.parent.parent / "infra" / "README.md"


@pytest.fixture
def site(servers: Servers, tmp_path: Path) -> Iterator[Site]:
    """A log of nine events and some accesses, signed and published at five and at nine."""
    site = Site(NatsServer(tmp_path / "nats"), new_database(servers), tmp_path)
    site.nats.ensure_running()
    asyncio.run(_recorded(site))
    yield site
    site.nats.stop()


def writer(site: Site, events: SessionLog, key_file: Path | None = None) -> HeadWriter:
    files = {"key_file": key_file} if key_file else {}
    streams = [RecordStream(events.connection, stream) for stream in SIGNED]
    return site.head_writer(events, streams=streams, publisher=HeadPublisher(events.connection), **files)


async def _recorded(site: Site) -> None:
    await make_streams(site)
    async with site.admin() as js:
        await js.delete_stream(HEADS)
        (config,) = [one for one in stream_configs() if one.name == HEADS]
        await js.add_stream(replace(config, deny_delete=False, deny_purge=False))
    async with site.log() as events:
        last: dict = {}
        for turns in ([A, B, A, A, B], [C, B, A, B]):
            await record(events, turns, last, 10)
            await record_access(events.connection, "actor-1", Action.SHOW, A)
            await writer(site, events).finish()
    (site.folder / "assay.pem").write_text(public_pem(signing_key(site.settings.signing_key).public_key()))


def witness(site: Site) -> subprocess.CompletedProcess[str]:
    section = README.read_text().split("### Give heads to a witness", 1)[1]
    script = re.search(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert script
    user = site.nats.credentials[Role.SUBSCRIBER]
    arguments = [site.nats.url, user.user, user.password.get_secret_value(), "kept.jsonl", "assay.pem"]
    command = [sys.executable, "-c", script[1], *arguments]
    return subprocess.run(command, cwd=site.folder, capture_output=True, text=True, check=False)


def kept(site: Site) -> list[str]:
    return (site.folder / "kept.jsonl").read_text().splitlines()


def forget_heads(site: Site) -> None:
    """As who rolls everything back would: database, files and stream hold no head."""
    with psycopg.connect(site.dsn, autocommit=True) as connection:
        connection.execute("DROP SCHEMA assay_audit CASCADE")
    for path in (site.settings.heads_file, *(of_stream(site.settings.heads_file, one) for one in SIGNED)):
        path.unlink(missing_ok=True)

    async def purge() -> None:
        async with site.admin() as js:
            await js.delete_stream(HEADS)
            (config,) = [one for one in stream_configs() if one.name == HEADS]
            await js.add_stream(config)

    asyncio.run(purge())


async def stored(site: Site) -> Sequence[Stored]:
    async with site.log() as events:
        return await events.stored_page(0, 100)


async def sign(site: Site, key_file: Path | None = None) -> None:
    async with site.log() as events:
        await writer(site, events, key_file).finish()


def test_a_witness_keeps_every_head_and_the_log_is_held_against_them(site: Site) -> None:
    """R76: of all streams; run again it finds growth alone, and keeps nothing twice."""
    first = witness(site)
    assert first.returncode == 0, first.stderr
    assert len(kept(site)) == 4  # two of the events, two of accesses; no verdict was published

    async def grow() -> None:
        async with site.log() as events:
            await record(events, [C], {C: (await events.load(C))[-1]}, 10)
            await writer(site, events).finish()

    asyncio.run(grow())
    assert (witness(site).returncode, len(kept(site))) == (0, 5)
    assert (witness(site).returncode, len(kept(site))) == (0, 5)
    held = ("--heads", str(site.folder / "kept.jsonl"), "--key", str(site.folder / "assay.pem"))
    status, document, _ = site.verify(*held, ASSAY_POSTGRES_DSN="postgresql://127.0.0.1:9/none")
    assert (status, document["heads"], document["signed_events"]) == (0, 3, 10)
    assert document["streams"]["ASSAY_ACCESS"]["signed_messages"] == 2


def test_a_log_rolled_back_together_with_its_heads_is_found(site: Site) -> None:
    """R76: nothing of the service's own knows of it."""
    assert witness(site).returncode == 0
    asyncio.run(rewrite(site, list(asyncio.run(stored(site)))[:5]))
    forget_heads(site)
    asyncio.run(sign(site))
    assert site.found() == []  # so the service itself finds nothing
    found = witness(site)
    assert (found.returncode, "heads that were kept are there no more" in found.stderr) == (1, True)
    held = ("--heads", str(site.folder / "kept.jsonl"), "--key", str(site.folder / "assay.pem"))
    assert ("rolled-back log", None, None, None) in site.found(*held)


def test_a_second_history_under_the_same_key_is_found(site: Site) -> None:
    """R76."""
    assert witness(site).returncode == 0
    events = list(asyncio.run(stored(site)))
    asyncio.run(rewrite(site, [one for one in events if one.originator != str(C)]))
    forget_heads(site)
    asyncio.run(sign(site))
    assert site.found() == []
    found = witness(site)
    assert found.returncode == 1
    held = ("--heads", str(site.folder / "kept.jsonl"), "--key", str(site.folder / "assay.pem"))
    assert site.found(*held) != []


def test_a_key_that_was_exchanged_without_the_old_ones_word_is_found(site: Site) -> None:
    """R76."""
    assert witness(site).returncode == 0
    forget_heads(site)
    asyncio.run(sign(site, site.folder / "another.pem"))
    found = witness(site)
    assert (found.returncode, "KeyError" in found.stderr) == (1, True)


def test_a_head_that_another_history_published_is_told_by_the_service_too(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """R76: each subject is written once, ever."""
    published = json.loads(witness_events(site)[0])
    assert (published["type"], published["subject"], published["data"]["previous_size"]) == (
        "assay.head.signed.v1",
        EVENTS,
        0,
    )
    with psycopg.connect(site.dsn, autocommit=True) as connection:
        connection.execute("UPDATE assay_audit.head SET envelope = replace(envelope, '\"sig\"', ' \"sig\"')")

    async def publish() -> None:
        async with site.log() as events, await psycopg.AsyncConnection.connect(site.dsn) as conn:
            conn.row_factory = psycopg.rows.dict_row  # type: ignore[assignment]
            publisher = HeadPublisher(events.connection)
            publisher._published[""] = 0
            await publisher.publish(conn, "", 9)  # type: ignore[arg-type]

    asyncio.run(publish())
    assert "another head than this log's was published as assay.head.EVENTS.5" in caplog.text


def witness_events(site: Site) -> list[bytes]:
    async def read() -> list[bytes]:
        async with site.admin() as js:
            info = await js.stream_info(HEADS)
            found = [await js.get_msg(HEADS, seq=seq) for seq in range(1, info.state.last_seq + 1)]
            return [one.data or b"" for one in found]

    return asyncio.run(read())
