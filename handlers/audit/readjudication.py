"""Recorded sessions from the log, decided again one after the other; nothing is written (R59)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

from domain.chain import TIME_HEADER
from domain.events import SessionOpened
from domain.readjudication import Readjudication, Result, readjudicate
from infra.event_log.errors import ChainBroken, NewerEvent, Unreadable
from infra.event_log.jetstream import Stored
from infra.event_log.session_log import SessionLog

PAGE = 1_000


class UnknownSession(LookupError):
    """The log holds no event of this session."""


async def opened_sessions(events: SessionLog, since: datetime | None = None) -> AsyncIterator[tuple[str, float]]:
    """Ids of the sessions opened since then and before now, in that order, and the share of the log behind each.

    Pages are read as they are stored: an event that cannot be decoded must not hide the sessions behind it.
    """
    position, end = 0, await events.last_position()
    while position < end and (page := await events.stored_page(position, PAGE)):
        position = page[-1].position
        for stored in page:
            if stored.type == SessionOpened.TOPIC and stored.position <= end and _is_recent(stored, since):
                yield stored.originator, stored.position / end


def _is_recent(stored: Stored, since: datetime | None) -> bool:
    """An altered time excludes no session: its chain will tell."""
    try:
        return since is None or datetime.fromisoformat(stored.headers[TIME_HEADER]) >= since
    except (KeyError, ValueError, TypeError):
        return True


async def decided_today(events: SessionLog, session_id: str, threshold: str | None = None) -> Readjudication | str:
    """One session, or in words why its record cannot be relied upon. Raises UnknownSession.

    One that a newer release has written in is for that release to decide (R89).
    """
    try:
        history = await events.load(UUID(session_id))
    except NewerEvent as newer:
        return Readjudication(UUID(session_id), Result.NEWER, missing=f"a release that reads {newer.shape}")
    except (ChainBroken, Unreadable, ValueError) as error:
        return str(error)
    if not history:
        raise UnknownSession(f"there is no session {session_id}")
    return readjudicate(history, threshold=threshold)
