"""R60: who signs the log, when, and what is never signed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from domain.audit.head import Head
from domain.events import Event, Recorded, RoundStarted, RoundStartedContent, RoundStartedFacts
from handlers.audit import head_writer
from infra.audit.heads_file import HeadsFile
from infra.audit.signed_heads import opened_head
from infra.audit.signing_key import signing_key
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.session_log import SessionLog
from tests.integration.doctored import A, B, Site, end, make_streams, moved, new_database, note, rewrite


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, servers: Servers) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("heads")
    site = Site(NatsServer(folder / "nats"), new_database(servers), folder)
    site.nats.ensure_running()
    asyncio.run(make_streams(site))
    yield site
    site.nats.stop()


@pytest.fixture
def site(server: Site, tmp_path: Path) -> Site:
    """An empty log, an empty database, no key yet."""
    asyncio.run(rewrite(server, []))
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS assay_audit CASCADE")
    return replace(server, folder=tmp_path)


def signed(site: Site) -> list[Head]:
    """The heads of the database, which must all stand in the file too."""
    key = signing_key(site.settings.signing_key).public_key()
    with psycopg.connect(site.dsn) as connection:
        rows = connection.execute("SELECT size, envelope, leaves FROM assay_audit.head ORDER BY size").fetchall()
    assert [envelope for _, envelope, _ in rows] == [
        line for _, line in HeadsFile(site.settings.heads_file).envelopes()
    ]
    heads = [opened_head(key, envelope) for _, envelope, _ in rows]
    assert [head.size for head in heads] == [size for size, _, _ in rows]
    assert sum(len(leaves) for _, _, leaves in rows) == 32 * heads[-1].size
    return heads


def with_log(site: Site, case: Callable[[SessionLog], Any]) -> Any:
    async def opened() -> Any:
        async with site.log() as events:
            return await case(events)

    return asyncio.run(opened())


async def written(events: SessionLog, count: int, last: Recorded | None = None) -> Recorded:
    """Notes of one session."""
    for number in range(count):
        (last,) = await events.append(last.session_id if last else A, last, [note(str(number))], actor="actor-1")
    assert last
    return last


def started(number: int) -> Event:
    """With this a session goes on."""
    return RoundStarted(facts=RoundStartedFacts(round=number), content=RoundStartedContent())


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while True:
            if holds():
                return
            await asyncio.sleep(0.02)


def signed_sizes(site: Site) -> list[int]:
    """What stands in the file."""
    return [number for number, _ in HeadsFile(site.settings.heads_file).envelopes()]


def test_an_ended_session_is_signed_at_once_and_an_open_one_in_time(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R60: on a schedule, and when sessions end."""
    monkeypatch.setattr(head_writer, "LOOK_S", 0.02)

    async def case(events: SessionLog) -> list[int]:
        writer = site.head_writer(events, every=timedelta(hours=1))
        task = asyncio.create_task(writer.run())
        *_, last = await events.append(A, None, [started(1), started(2)], actor="actor-1")
        await asyncio.sleep(0.3)
        before = signed_sizes(site)
        await events.append(A, last, [end()], actor="actor-1")
        await until(lambda: len(signed_sizes(site)) == 1)
        task.cancel()
        hasty = asyncio.create_task(site.head_writer(events, every=timedelta()).run())
        (first,) = await events.append(B, None, [started(1)], actor="actor-1")
        await until(lambda: len(signed_sizes(site)) == 2)
        hasty.cancel()
        assert first.position == 4
        return before

    assert with_log(site, case) == []
    one, two = signed(site)
    assert (one.size, two.size) == (3, 4)
    assert one.log_id == two.log_id
    assert datetime.now(UTC) - two.time < timedelta(minutes=1)


def test_the_key_is_made_on_first_need_and_kept(site: Site) -> None:
    """R60: for its owner alone."""

    async def case(events: SessionLog) -> None:
        last = await written(events, 1)
        await site.head_writer(events).finish()
        made = site.settings.signing_key.read_bytes()
        await written(events, 1, last)
        await site.head_writer(events).finish()
        assert site.settings.signing_key.read_bytes() == made

    with_log(site, case)
    assert site.settings.signing_key.stat().st_mode & 0o777 == 0o600
    assert [head.size for head in signed(site)] == [1, 2]


def test_nothing_is_signed_twice(site: Site) -> None:
    async def case(events: SessionLog) -> None:
        await written(events, 3)
        await site.head_writer(events).finish()
        await site.head_writer(events).finish()

    with_log(site, case)
    assert [head.size for head in signed(site)] == [3]


def test_a_long_log_is_signed_in_steps(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """R60: a row of leaf hashes stays small."""
    monkeypatch.setattr(head_writer, "PAGE", 3)

    async def case(events: SessionLog) -> None:
        await written(events, 8)
        await site.head_writer(events).finish()

    with_log(site, case)
    assert [head.size for head in signed(site)] == [3, 6, 8]


def test_only_one_writer_signs_and_the_other_waits_for_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """R60: one head writer, however many workers."""
    monkeypatch.setattr(head_writer, "LOOK_S", 0.02)

    async def case(events: SessionLog) -> None:
        task = asyncio.create_task(site.head_writer(events, every=timedelta()).run())
        last = await written(events, 1)
        await until(lambda: len(signed_sizes(site)) == 1)
        await written(events, 1, last)
        await site.head_writer(events).finish()
        assert [head.size for head in signed(site)] == [1, 2]
        task.cancel()

    with_log(site, case)


def test_what_the_database_forgot_is_taken_from_the_log_and_must_be_what_was_shipped(site: Site) -> None:
    """R60: a database restored from a backup; the file is ahead of it."""

    def forget() -> None:
        with psycopg.connect(site.dsn, autocommit=True) as connection:
            connection.execute("TRUNCATE assay_audit.head, assay_audit.frontier")

    async def case(events: SessionLog) -> None:
        last = await written(events, 3)
        await site.head_writer(events).finish()
        forget()
        await written(events, 2, last)
        await site.head_writer(events).finish()

    with_log(site, case)
    key = signing_key(site.settings.signing_key).public_key()
    sizes = [opened_head(key, line).size for _, line in HeadsFile(site.settings.heads_file).envelopes()]
    assert sizes == [3, 5]
    assert site.found() == []


def test_a_broken_chain_is_not_signed(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """R60: it would make the forgery look genuine."""

    async def case(events: SessionLog) -> None:
        await written(events, 3)
        first, second, third = await events.stored_page(0, 3)
        await rewrite(site, [first, replace(second, body=b"{}"), third])
        await site.head_writer(events).finish()
        await site.head_writer(events).run()

    with_log(site, case)
    assert [head.size for head in signed(site)] == [1]
    assert f"the log is not signed: edited event at position 2, session {A}, version 2" in caplog.text
    assert "the log is no longer signed: edited event at position 2" in caplog.text


def test_an_event_in_another_partition_is_not_signed(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """R75: projectors of its own partition would never see it."""

    async def case(events: SessionLog) -> None:
        await written(events, 3)
        first, second, third = await events.stored_page(0, 3)
        await rewrite(site, [first, second, moved(third)])
        await site.head_writer(events).finish()

    with_log(site, case)
    assert [head.size for head in signed(site)] == [2]
    assert f"wrong subject at position 3, session {A}, version 3" in caplog.text


def test_a_log_that_does_not_continue_the_last_head_is_not_signed(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """R60: rolled back behind the head, as far as no event."""

    async def case(events: SessionLog) -> None:
        await written(events, 3)
        await site.head_writer(events).finish()

    async def again(events: SessionLog) -> None:
        await site.head_writer(events).run()

    with_log(site, case)
    asyncio.run(rewrite(site, []))
    with_log(site, again)
    assert "the log is no longer signed: the log ends at position 0, but a head over 3 events" in caplog.text
    assert [head.size for head in signed(site)] == [3]


def test_heads_of_another_key_are_not_continued(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """R60: all workers must sign with the same one, and none is made where heads of another exist."""

    async def case(events: SessionLog) -> None:
        last = await written(events, 1)
        await site.head_writer(events).finish()
        await written(events, 1, last)
        await site.head_writer(events, key_file=site.folder / "another.pem").finish()
        assert not (site.folder / "another.pem").exists()
        signing_key(site.folder / "another.pem")
        await site.head_writer(events, key_file=site.folder / "another.pem").finish()

    with_log(site, case)
    assert "the log is not signed: the signing key" in caplog.text
    assert "the log is not signed: signed by key" in caplog.text
    assert [head.size for head in signed(site)] == [1]


def test_a_line_that_a_crash_cut_short_is_written_anew(site: Site) -> None:
    """R60: the database has it."""

    async def case(events: SessionLog) -> None:
        last = await written(events, 1)
        await site.head_writer(events).finish()
        await written(events, 1, last)
        await site.head_writer(events).finish()
        whole = site.settings.heads_file.read_text()
        site.settings.heads_file.write_text(whole[: len(whole) - 100])
        await site.head_writer(events).finish()
        assert site.settings.heads_file.read_text() == whole

    with_log(site, case)


def test_without_a_database_nothing_is_signed_and_nothing_waits_for_long(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """R60, R67: an answer does not hang on it."""
    unreachable = replace(site, dsn="postgresql://127.0.0.1:9/none")

    async def case(events: SessionLog) -> None:
        await written(events, 1)
        await unreachable.head_writer(events).finish(patience_s=1.0)

    with_log(unreachable, case)
    assert "the end of the log is not signed yet" in caplog.text


def test_sessions_of_one_log_have_one_id(site: Site) -> None:
    """R60: a log is named by its first event."""

    async def case(events: SessionLog) -> str:
        await events.append(uuid4(), None, [note("first")], actor="actor-1")
        await site.head_writer(events).finish()
        (first,) = await events.stored_page(0, 1)
        return first.headers["Assay-Hash"]

    name = with_log(site, case)
    assert [head.log_id for head in signed(site)] == [name]
