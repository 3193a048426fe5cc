"""`assay session list|show|tail|cancel|feedback`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

from handlers.cli.errors import UsageError
from handlers.cli.session_page import candidates, document, json_line, page, table
from infra.embedded import Servers, running_servers
from infra.postgres import connect_blocking
from infra.read_models import queries
from infra.settings import Settings

if TYPE_CHECKING:
    from domain.events import Recorded
    from domain.session.commands import Command
    from infra.access_log import Action
    from infra.event_log.session_log import SessionLog


def list_sessions(arguments: argparse.Namespace, settings: Settings) -> int:
    with running_servers(settings) as servers, connect_blocking(servers.reader_dsn) as connection:
        rows = queries.list_sessions(connection, arguments.limit, arguments.status, arguments.verdict)
        said = queries.headlines(connection, rows)
    if arguments.json:
        for row in rows:
            print(json_line(document(row, said.get(row.session_id))))
    elif rows:
        print(table(rows, said))
    else:
        print("no sessions", file=sys.stderr)
    return 0


def show(arguments: argparse.Namespace, settings: Settings) -> int:
    with running_servers(settings) as servers:
        try:
            detail = _found(servers.reader_dsn, arguments.session)
        except UsageError:
            asyncio.run(_refuse_newer(arguments.session, servers, settings))
            raise
        newer = asyncio.run(_record_show(detail.session.session_id, servers, settings))
    if newer:
        print(f"assay: not all of this session can be shown: the rest was {newer}", file=sys.stderr)
    whole = dataclasses.asdict(detail) | {"session": document(detail.session, detail.headline)}
    print(json_line(whole) if arguments.json else page(detail))
    return 0


async def _record_show(session_id: UUID, servers: Servers, settings: Settings) -> str | None:
    """Also looks whether a newer release wrote some of it, which the read models then lack (R64, R89)."""
    from infra.access_log import Action, record_access
    from infra.event_log.errors import by_newer_release

    async with _light_log(servers, settings) as events:
        await record_access(events.connection, settings.actor, Action.SHOW, session_id)
        newer = await events.newer_shape(session_id)
        return by_newer_release(newer) if newer else None


async def _refuse_newer(text: str, servers: Servers, settings: Settings) -> None:
    """A session that the read models wait for is there all the same (R89). Raises NewerEvent."""
    from infra.event_log.errors import NewerEvent

    with contextlib.suppress(ValueError):
        session_id = UUID(text)
        async with _light_log(servers, settings) as events:
            if newer := await events.newer_shape(session_id):
                raise NewerEvent(f"session {session_id}", newer)


@asynccontextmanager
async def _light_log(servers: Servers, settings: Settings) -> AsyncIterator[SessionLog]:
    """The log, to be read, without all that a worker loads."""
    from infra.access import Role
    from infra.event_log.connection import connected
    from infra.event_log.keys import KeyDirectory
    from infra.event_log.session_log import SessionLog

    async with connected(servers, Role.SERVICE) as connection:
        yield SessionLog(connection, KeyDirectory(settings.key_dir), settings.seal)


def tail(arguments: argparse.Namespace, settings: Settings) -> int:
    from domain.events import TERMINAL_TOPICS
    from handlers.cli.progress import as_json, line_for
    from infra.access_log import Action, record_access

    async def follow() -> None:
        async with opened_session(settings, arguments.session) as (_, events, history):
            session_id = history[-1].session_id
            await record_access(events.connection, settings.actor, Action.TAIL, session_id)
            async for recorded in events.follow_session(session_id, 0):
                print(json_line(as_json(recorded)) if arguments.json else line_for(recorded), flush=True)
                if recorded.event.TOPIC in TERMINAL_TOPICS:
                    return

    asyncio.run(follow())
    return 0


def cancel(arguments: argparse.Namespace, settings: Settings) -> int:
    from domain.session.commands import CancelSession

    return _submit(arguments, settings, CancelSession(arguments.reason))


def feedback(arguments: argparse.Namespace, settings: Settings) -> int:
    from domain.session.commands import GiveFeedback

    return _submit(arguments, settings, GiveFeedback(arguments.rating, arguments.text))


def _submit(arguments: argparse.Namespace, settings: Settings, command: Command) -> int:
    """Record one command and show it in the read models."""
    from domain.session.state import Closed, Unopened
    from handlers.application import runner_on

    async def submit() -> dict[str, Any]:
        async with opened_session(settings, arguments.session) as (servers, events, history):
            session_id = history[-1].session_id
            state = await runner_on(events, settings, actor=settings.actor).submit(session_id, command)
            assert not isinstance(state, Unopened)
            await shown_in_read_models(events, servers.writer_dsn, state.file.head.position)
            ended = state.end.TOPIC if isinstance(state, Closed) else None
            head = state.file.head
            return {
                "session_id": str(session_id),
                "recorded": head.version > history[-1].version,
                "last_event": head.event.TOPIC,
                "ended_by": ended,
            }

    done = asyncio.run(submit())
    told = done["last_event"] if done["recorded"] else f"had ended before ({done['ended_by']}): nothing was recorded"
    print(json_line(done) if arguments.json else f"{done['session_id']}  {told}")
    return 0


async def shown_in_read_models(events: SessionLog, dsn: str, position: int) -> None:
    """What was recorded stands, also if the read models wait for a newer release to go on (R89)."""
    from infra.read_models.projector import ProjectorWaits, catch_up

    try:
        await catch_up(events, dsn, position)
    except ProjectorWaits as reason:
        print(f"assay: recorded, and not in the read models yet: {reason}", file=sys.stderr)


async def shown_session(settings: Settings, text: str, action: Action) -> Sequence[Recorded]:
    """A session's events; who has them shown is recorded first (R64). Raises UsageError, ChainBroken."""
    from infra.access_log import record_access

    async with opened_session(settings, text) as (_, events, history):
        await record_access(events.connection, settings.actor, action, history[-1].session_id)
        return history


@asynccontextmanager
async def opened_session(
    settings: Settings, text: str
) -> AsyncIterator[tuple[Servers, SessionLog, Sequence[Recorded]]]:
    """The servers, the log and what it holds of one session, never nothing: it is there before it is in the read
    models. A whole id is taken as it is, a beginning is looked up. Raises UsageError, ChainBroken.
    """
    from handlers.application import make_ready, open_log
    from infra.embedded import running_servers_async

    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        session_id = await asyncio.to_thread(session_id_of, servers.reader_dsn, text)
        async with open_log(settings, servers) as events:
            if not (history := await events.load(session_id)):
                raise UsageError(f"there is no session {session_id}")
            yield servers, events, history


def session_id_of(dsn: str, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return _found(dsn, text).session.session_id


def _found(dsn: str, text: str) -> queries.SessionDetail:
    try:
        with connect_blocking(dsn) as connection:
            detail = queries.show_session(connection, text)
    except queries.AmbiguousSession as several:
        raise UsageError("\n".join([str(several), *candidates(several.sessions)])) from None
    if detail is None:
        raise UsageError(f"there is no session {text}")
    return detail
