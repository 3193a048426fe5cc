"""`assay log isolate`: set a foreign message aside, so that reading and signing go on behind it (R75)."""

from __future__ import annotations

import argparse
import asyncio

from domain.audit.record import Record
from domain.chain import HASH_HEADER, PREVIOUS_HASH_HEADER, event_hash
from domain.subjects import subject_of
from handlers.application import open_log
from handlers.cli.errors import UsageError
from infra.access_log import Access, Action, record_access
from infra.audit import head_store
from infra.embedded import running_servers_async
from infra.event_log.connection import Connection
from infra.event_log.direct_get import direct_get
from infra.event_log.records import RecordStream
from infra.isolation import NAME, Isolation, isolate
from infra.parked import ParkedDelivery, Settlement
from infra.postgres import connect
from infra.settings import Settings
from infra.streams import ACCESS, ACCESS_PREFIX, EVENTS, PARKED, VERDICTS
from infra.verdict_stream import read

STREAMS = (EVENTS, ACCESS, VERDICTS, PARKED)
_PATIENCE_S = 5.0


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 2 for a message that is one of ours: what was recorded is not set aside."""
    if not arguments.reason.strip():
        raise UsageError("--reason is empty")
    done = asyncio.run(_isolate(settings, arguments.stream, arguments.position, arguments.reason))
    if arguments.json:
        print(done.model_dump_json())
    else:
        print(f"{done.stream} position {done.position}  set aside: {done.digest}; restart what stood before it")
    return 0


async def _isolate(settings: Settings, stream: str, position: int, reason: str) -> Isolation:
    async with running_servers_async(settings) as servers, open_log(settings, servers) as events:
        connection = events.connection
        found = await RecordStream(connection, stream).stored_page(position - 1, 1)
        if not found or found[0].position != position:
            raise UsageError(f"{stream} holds nothing at position {position}")
        ours = await _is_event(connection, found[0]) if stream == EVENTS else is_ours(stream, found[0])
        if ours:
            raise UsageError(f"{stream} position {position} is no foreign message: what was recorded stays")
        async with await connect(servers.reader_dsn) as conn:
            if stream == EVENTS and await head_store.last_size(conn) >= position:
                raise UsageError(f"position {position} is under a signed head already: `assay verify` says more")
        isolation = Isolation(
            stream=stream, position=position, digest=found[0].hash, actor=settings.actor, reason=reason
        )
        what = f"{stream} {position} {isolation.digest}"
        await record_access(connection, settings.actor, Action.ISOLATE, None, reason=reason, what=what)
        if not await isolate(connection, isolation):
            raise UsageError(f"{stream} position {position} was set aside before")
        return isolation


def is_ours(stream: str, message: Record) -> bool:
    """Whether it is what the service writes there."""
    try:
        if stream == ACCESS:
            place = message.subject.removeprefix(f"{ACCESS_PREFIX}.")
            (Isolation if place.startswith(f"{NAME}.") else Access).model_validate_json(message.body)
        elif stream == VERDICTS:
            read(message.body)
        else:
            settled = message.subject.endswith(".settled")
            (Settlement if settled else ParkedDelivery).model_validate_json(message.body)
    except ValueError:
        return False
    return True


async def _is_event(connection: Connection, message: Record) -> bool:
    """By its own hash and subject. Where only its hash is another, `verify` tells of an edit, also once set aside."""
    query = {"seq": message.position, "batch": 1, "next_by_subj": ">"}
    (found,), _ = await direct_get(connection, EVENTS, query, _PATIENCE_S)
    own = found.headers.get(HASH_HEADER, "")
    if message.subject != subject_of(found.headers) or not own:
        return False
    return own == event_hash(found.headers.get(PREVIOUS_HASH_HEADER, ""), found.data, found.headers)
