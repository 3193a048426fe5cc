"""R61: bundles of a log with large contents, heads from before and events that no head covers yet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from uuid import UUID

import pytest

from domain.events import Recorded
from handlers.audit.export import Exporter, NotExported
from infra.audit.signing_key import signing_key
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.keys import KeyDirectory
from infra.event_log.session_log import SessionLog
from infra.postgres import connect
from tests.integration.doctored import A, B, C, Site, end, make_streams, new_database, note


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, servers: Servers) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("export")
    site = Site(NatsServer(folder / "nats"), new_database(servers), folder)
    site.nats.ensure_running()
    asyncio.run(make_streams(site))
    yield site
    site.nats.stop()


async def written(events: SessionLog, session_id: UUID, *texts: str) -> None:
    last: Recorded | None = None
    for text in texts:
        (last,) = await events.append(session_id, last, [note(text)], actor="actor-1")
    await events.append(session_id, last, [end()], actor="actor-1")


def test_large_contents_go_with_their_event_and_the_head_continues_an_earlier_one(site: Site) -> None:
    """R60, R61: kept beside the log, in the bundle they stand behind their event; what no head covers yet
    is signed first. The head is the first one that covers the session."""

    async def case() -> None:
        async with site.log() as events, await connect(site.dsn) as conn:
            await written(events, A, "一")
            heads = site.head_writer(events)
            await heads.finish()
            large = "".join(f"{number:x}" for number in range(400_000))
            await written(events, B, "二", large)
            exporter = Exporter(events, conn, heads, signing_key(site.settings.signing_key))
            lines, verified = await exporter.export(B, sealed_only=False)
            assert (verified.events, verified.opened, verified.head.size) == (3, 3, 5)
            assert [line[:17] for line in lines if line.startswith(b'{"kind":"blob"')] == [b'{"kind":"blob","s']
            assert large.encode() in b"".join(lines)
            _, first = await exporter.export(A, sealed_only=True)
            assert (first.events, first.sealed, first.head.size) == (2, 2, 2)

    asyncio.run(case())


def test_what_was_never_sealed_is_not_said_to_be(site: Site) -> None:
    """R61: no bundle without texts is made of a session whose texts stand in its events."""

    async def case() -> None:
        async with site.log() as sealing, await connect(site.dsn) as conn:
            events = SessionLog(sealing.connection, KeyDirectory(site.settings.key_dir), "none")
            await written(events, C, "三")
            exporter = Exporter(events, conn, site.head_writer(events), signing_key(site.settings.signing_key))
            with pytest.raises(NotExported, match=f"2 events of session {C} were recorded without a seal"):
                await exporter.export(C, sealed_only=True)
            _, verified = await exporter.export(C, sealed_only=False)
            assert (verified.opened, verified.sealed) == (2, 0)

    asyncio.run(case())
