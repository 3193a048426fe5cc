"""Deeds that take two actors, where the setting says so (R76): the first asks, another one carries out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from infra.access_log import Action, accesses, record_access
from infra.event_log.connection import Connection

VALID_FOR = timedelta(days=7)
"""So long what one actor asked for can be carried out by another."""

_ASKED = {Action.ERASE: Action.ASK_ERASE, Action.OVERRIDE: Action.ASK_OVERRIDE}


class SecondActorNeeded(Exception):
    """One actor alone may not do this; that it was asked for is recorded. The message says what is to be done."""


async def agreed(
    connection: Connection, actor: str, action: Action, session_id: UUID, *, what: str, reason: str = ""
) -> None:
    """Another actor has asked for the same (`what`: of which verdict, say) since it was last done; else that this one
    does is recorded. Raises SecondActorNeeded."""
    asked, since = set[str](), datetime.now(UTC) - VALID_FOR
    async for access in accesses(connection, session_id):
        if access.action == action:
            asked.clear()
        elif (access.action, access.what) == (_ASKED[action], what) and access.time > since:
            asked.add(access.actor)
    if asked - {actor}:
        return
    if actor not in asked:
        await record_access(connection, actor, _ASKED[action], session_id, reason=reason, what=what)
    raise SecondActorNeeded(
        f"session {session_id}: {action} takes two actors; that {actor} asks for it is recorded, and another one who "
        f"gives the same command within {VALID_FOR.days} days carries it out"
    )
