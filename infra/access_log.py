"""Who looked at a session, or changed what others see of it, and when (R64): a log of its own, not the session's chain.

A record is made before its action: what cannot be recorded is not done and nothing is shown. It holds no content.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from infra.access import ACTOR_PATTERN
from infra.event_log.connection import Connection
from infra.event_log.write_once import WriteOnce
from infra.isolation import refuse_foreign
from infra.streams import ACCESS, ACCESS_PREFIX

NO_SESSION = "service"
"""Stands in the subject of a record that concerns no single session."""
_PATIENCE = 5.0  # seconds: somebody waits for the page


class Action(StrEnum):
    SHOW = "show"
    TAIL = "tail"
    REPLAY = "replay"
    DIFF = "diff"
    READJUDICATE = "readjudicate"
    EXPORT = "export"
    OVERRIDE = "override"
    ERASE = "erase"
    ASK_OVERRIDE = "ask-override"  # one of the two actors it takes has asked for it
    ASK_ERASE = "ask-erase"
    HOLD = "hold"
    RELEASE = "release"
    ASK = "ask"  # of a session that another actor opened with the same key
    PARKED = "parked"  # listed, shown or published again
    DROP = "drop"  # a parked verdict of it
    VERIFY = "verify"
    ROTATE = "rotate"  # the key that signs heads and bundles
    ISOLATE = "isolate"  # a foreign message of a stream
    REPUBLISH = "republish"  # verdicts that were missing on their stream
    BACKUP = "backup"
    RESTORE = "restore"


class Access(BaseModel):
    """One record. `actor`: an opaque id (ASSAY_ACTOR). `session_id`: None where it concerns no single one. `reason`:
    what the actor gave, if the action asks for one; `what`: further facts, such as a verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: UUID = Field(default_factory=uuid4)
    time: datetime = Field(default_factory=lambda: datetime.now(UTC))
    actor: str = Field(pattern=rf"^{ACTOR_PATTERN}$")
    action: Action
    session_id: UUID | None
    reason: str = ""
    what: str = ""


async def record_access(
    connection: Connection, actor: str, action: Action, session_id: UUID | None, *, reason: str = "", what: str = ""
) -> None:
    """Record what is about to be done, with the service's user. Raises LogFull or LogUnavailable: then do not do it."""
    if reason:
        from domain.evidence.masking import mask  # loads RE2, which most accesses do without

        reason = mask(reason)[0]
    access = Access(actor=actor, action=action, session_id=session_id, reason=reason, what=what)
    body = access.model_dump_json(exclude=None if what else {"what"})  # which the release before does not know
    await _stream(connection).put(f"{session_id or NO_SESSION}.{access.id}", body.encode())


async def accesses(
    connection: Connection, session_id: UUID | None = None, since: datetime | None = None
) -> AsyncIterator[Access]:
    """The records of one session or of all, oldest first. Raises LogUnavailable, or Unreadable at a foreign message."""
    async for access in _accesses(connection, f"{session_id or '*'}.*", since):
        yield access


async def _accesses(connection: Connection, names: str, since: datetime | None) -> AsyncIterator[Access]:
    async for position, body in _stream(connection).all_placed(names, since):
        try:
            access = Access.model_validate_json(body)
        except ValidationError as error:
            await refuse_foreign(connection, ACCESS, position, error)
        else:
            yield access


async def service_accesses(connection: Connection, since: datetime | None = None) -> AsyncIterator[Access]:
    """The records that concern no single session, oldest first. Raises LogUnavailable or Unreadable."""
    async for access in _accesses(connection, f"{NO_SESSION}.*", since):
        yield access


def _stream(connection: Connection) -> WriteOnce:
    return WriteOnce(connection, stream=ACCESS, prefix=ACCESS_PREFIX, patience=_PATIENCE)
