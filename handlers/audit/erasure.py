"""Erasing one session (R62). Each step may be repeated: an erasure that was interrupted is finished by another.

1. `SessionErased` is recorded. Killed here, the key is still there, and so is the content.
2. The session's key is destroyed. From now on the log, its blobs and its copies read as erased.
3. The read models are emptied. Killed before, their rows still hold texts until the projectors come to the event.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from uuid import UUID

from domain.session.commands import EraseSession
from domain.session.decide import InvalidCommand
from domain.session.state import Unopened
from handlers.runner import SessionRunner
from infra.event_log.session_log import SessionLog
from infra.read_models.erasure import erase_rows
from infra.read_models.projector import ProjectorHalted, catch_up


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was done. `version` of the session's `SessionErased`; `read_models`: the schemas whose rows are empty."""

    session_id: UUID
    version: int
    read_models: tuple[str, ...]


async def erase(events: SessionLog, runner: SessionRunner, postgres_dsn: str, session_id: UUID) -> Erasure:
    """Raises InvalidCommand for an unknown, running or unsealed session."""
    if open_versions := await events.unsealed(session_id):
        raise InvalidCommand(
            f"session {session_id} cannot be erased: {len(open_versions)} of its events, version {open_versions[0]} "
            "first, were recorded without a seal (ASSAY_SEAL=none), and the log cannot be changed"
        )
    state = await runner.submit(session_id, EraseSession())
    assert not isinstance(state, Unopened)
    await events.destroy_key(session_id)
    with contextlib.suppress(ProjectorHalted):  # `doctor` names it; its rows are emptied all the same
        await catch_up(events, postgres_dsn, state.file.head.position)
    return Erasure(session_id, state.file.head.version, await erase_rows(postgres_dsn, session_id))
