"""Deciding the sessions of a real log again (R59)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.chain import COMMIT_HEADER
from domain.events import FeedbackGiven
from domain.readjudication import Readjudication
from domain.session.commands import OpenSession
from domain.session.state import Closed
from domain.settings import SessionSettings
from domain.subjects import EVENT_PREFIX
from handlers.audit.readjudication import UnknownSession, decided_today, opened_sessions
from infra.event_log.jetstream import Draft, EventStream
from infra.event_log.session_log import SessionLog
from infra.streams import EVENTS
from tests.integration.chain import NOW, House


async def recorded(log: SessionLog) -> UUID:
    """A session on this log from its question to its end."""
    session_id, runner = uuid4(), House(log=log).worker()  # type: ignore[arg-type]
    opening = OpenSession(question="慢？", now=NOW, clock="wall", settings=SessionSettings(), prompt_hashes={})
    await runner.submit(session_id, opening)
    while not isinstance(await runner.advance(session_id), Closed):
        pass
    return session_id


async def add_without_chain(log: SessionLog, session_id: UUID) -> None:
    """One more event that whoever may append has put there by another way than the log's own."""
    (*_, last) = await log.stored(session_id)
    ours = {name: value for name, value in last.headers.items() if name.startswith("Assay-")}
    headers = {**ours, COMMIT_HEADER: str(uuid4())}
    stream = EventStream(log.connection, stream=EVENTS, prefix=EVENT_PREFIX)
    await stream.append([Draft(str(session_id), last.version + 1, FeedbackGiven.TOPIC, headers, last.body)])


async def decided(log: SessionLog, since: datetime) -> dict[str, str]:
    """Every session opened since then, and what became of it."""
    results = {}
    async for session_id, _ in opened_sessions(log, since):
        done = await decided_today(log, session_id)
        results[session_id] = done.result if isinstance(done, Readjudication) else done
    return results


def test_a_broken_chain_is_told_and_the_others_are_decided_all_the_same(open_log: Callable[..., Any]) -> None:
    """R59, R60: deciding again adds nothing to the log."""

    async def scenario() -> None:
        async with open_log() as log:
            started = datetime.now(UTC)
            broken, sound = await recorded(log), await recorded(log)
            await add_without_chain(log, broken)
            end = await log.last_position()
            results = await decided(log, started)
            assert results[str(sound)] == "same"
            version = len(await log.stored(broken))
            assert results[str(broken)].startswith(f"session {broken}, version {version}: ")
            assert await log.last_position() == end
            assert await decided(log, datetime.now(UTC) + timedelta(hours=1)) == {}
            with pytest.raises(UnknownSession):
                await decided_today(log, str(uuid4()))

    asyncio.run(scenario())
