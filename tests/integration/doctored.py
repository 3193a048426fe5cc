"""A signed log of three short sessions whose operator can rewrite it, and what `assay verify` says of it."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
from nats.js import JetStreamContext

from domain.events import (
    Event,
    FeedbackGiven,
    FeedbackGivenContent,
    FeedbackGivenFacts,
    Recorded,
    SessionCancelled,
    SessionCancelledContent,
)
from domain.subjects import EVENT_PREFIX, PARTITIONS
from handlers.application import open_log
from handlers.audit.head_writer import HeadWriter
from infra.access import Role
from infra.embedded import Servers
from infra.embedded.nats_server import NatsServer
from infra.event_log.connection import connected
from infra.event_log.jetstream import Stored
from infra.event_log.session_log import SessionLog
from infra.settings import Settings
from infra.streams import BLOBS, EVENTS, SIGNED, init_streams, stream_configs
from tests.commands import in_process

A, B, C = (UUID(f"0198c0de-0000-7000-8000-00000000000{number}") for number in (1, 2, 3))
TURNS = (A, B, A, A, B, C, C, B, A)
"""Whose event stands at which position; the heads cover 5 and 8 of them."""
LARGE = 6
"""Position of the event whose content is kept beside the log."""


@dataclass(frozen=True)
class Site:
    """One nats-server and one database, with the key and the heads file in a folder apart."""

    nats: NatsServer
    dsn: str
    folder: Path

    @property
    def servers(self) -> Servers:
        return Servers(self.nats.url, self.nats.credentials, self.dsn)

    @property
    def settings(self) -> Settings:
        return Settings(
            nats_url=self.nats.url,
            key_dir=self.folder / "keys",
            signing_key=self.folder / "signing.pem",
            heads_file=self.folder / "heads.jsonl",
        )

    def log(self) -> Any:
        """`async with site.log() as events`: the service's."""
        return open_log(self.settings, self.servers)

    @asynccontextmanager
    async def admin(self) -> AsyncIterator[JetStreamContext]:
        async with connected(self.servers, Role.ADMIN) as connection:
            yield connection.client.jetstream()

    def head_writer(self, events: SessionLog, **options: Any) -> HeadWriter:
        settings = self.settings
        files = {"key_file": settings.signing_key, "heads_file": settings.heads_file}
        return HeadWriter(events, self.dsn, clock=lambda: datetime.now(UTC), **(files | options))

    def verify(self, *arguments: str, **environment: str) -> tuple[int, dict[str, Any], str]:
        """Exit status, the JSON document and standard error of `assay verify --json`."""
        status, out, err = self.command("verify", "--json", *arguments, **environment)
        return status, json.loads(out or "{}"), err

    def command(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """Exit status, standard output and standard error of any command."""
        settings = self.settings
        known = {
            "ASSAY_NATS_URL": self.nats.url,
            "ASSAY_NATS_SERVICE_PASSWORD": self.nats.credentials[Role.SERVICE].password.get_secret_value(),
            "ASSAY_POSTGRES_DSN": self.dsn,
            "ASSAY_KEY_DIR": str(settings.key_dir),
            "ASSAY_SIGNING_KEY": str(settings.signing_key),
            "ASSAY_HEADS_FILE": str(settings.heads_file),
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
        return in_process(arguments, kept | known | environment)

    def found(self, *arguments: str, **environment: str) -> list[tuple[str, int | None, str | None, int | None]]:
        """What `assay verify` finds: kind, position, session, version."""
        status, document, err = self.verify(*arguments, **environment)
        assert status == (3 if document.get("findings") else 0), err
        names = ("kind", "position", "session_id", "version")
        return [tuple(finding[name] for name in names) for finding in document["findings"]]


def new_database(servers: Servers) -> str:
    """DSN of an empty one; it goes with the server at the end of the run."""
    name = f"site_{uuid4().hex}"
    with psycopg.connect(servers.postgres_dsn, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return servers.postgres_dsn.rpartition("/")[0] + f"/{name}"


def note(text: str) -> Event:
    return FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text=text))


def end() -> Event:
    return SessionCancelled(content=SessionCancelledContent())


async def make_streams(site: Site) -> None:
    """All streams, empty; all but that of parked verdicts without the flags that deny an operator to rewrite them."""
    async with site.admin() as js:
        for config in stream_configs():
            if config.name in (EVENTS, BLOBS, *SIGNED):
                await js.add_stream(replace(config, deny_delete=False, deny_purge=False))
        await init_streams(js)


async def record(events: SessionLog, turns: Iterable[UUID], last: dict[UUID, Recorded], first: int = 1) -> None:
    """One event a turn, an hour old."""
    an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
    for position, session_id in enumerate(turns, start=first):
        text = secrets.token_hex(600_000) if position == LARGE else f"note {position}"
        (last[session_id],) = await events.append(
            session_id, last.get(session_id), [note(text)], actor="actor-1", time=an_hour_ago
        )


async def record_and_sign(site: Site) -> tuple[Stored, ...]:
    """The whole log, signed at 5 and at 8 of its 9 events."""
    last: dict[UUID, Recorded] = {}
    async with site.log() as events:
        await record(events, TURNS[:5], last)
        await site.head_writer(events).finish()
        await record(events, TURNS[5:8], last, 6)
        await site.head_writer(events).finish()
        await record(events, TURNS[8:], last, 9)
        return await events.stored_page(0, 100)


def moved(event: Stored) -> Stored:
    """The event under the partition behind its own."""
    _, _, partition, place = event.subject.split(".", 3)
    return replace(event, subject=f"{EVENT_PREFIX}.{(int(partition) + 1) % PARTITIONS}.{place}")


async def rewrite(site: Site, stored: Sequence[Stored]) -> None:
    """The stream of events made anew with these, in this order."""
    async with site.admin() as js:
        await js.delete_stream(EVENTS)
        await js.add_stream(replace(stream_configs()[0], deny_delete=False, deny_purge=False))
        for event in stored:
            headers = {name: value for name, value in event.headers.items() if name.startswith("Assay-")}
            await js.publish(event.subject, event.body, headers=headers)
