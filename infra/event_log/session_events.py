"""Assay's own events for applications and projections of the `eventsourcing` library: to be read, and facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn
from uuid import UUID

import orjson
from eventsourcing.persistence import Notification, ProgrammingError, StoredEvent
from typing_extensions import override

from domain.chain import SCHEMA_HEADER
from infra.event_log.jetstream import Stored
from infra.event_log.keys import Key
from infra.event_log.mapper import SessionMapper
from infra.event_log.recorder import JetStreamApplicationRecorder


@dataclass(frozen=True)
class SessionNotification(Notification):
    """An event of a session, with the version of its stored shape."""

    schema_version: int = 1


class SessionEventRecorder(JetStreamApplicationRecorder):
    """The events of all sessions by position. They are recorded with a chain and a seal, which this does not make."""

    @override
    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> NoReturn:
        raise ProgrammingError("Assay's own events can only be read this way")

    @override
    def _notification(self, event: Stored) -> SessionNotification:
        schema_version = int(event.headers[SCHEMA_HEADER])
        session_id = UUID(event.originator)
        return SessionNotification(session_id, event.version, event.type, event.body, event.position, schema_version)


class FactsMapper(SessionMapper):
    """Reads events as `Entry`; content, which is sealed, stands as ERASED. Needs no keys."""

    def __init__(self) -> None:
        super().__init__(_NoKeys(), "none")

    @override
    def _open(self, stored: StoredEvent, key: Key | None) -> tuple[dict[str, Any], None]:
        return orjson.loads(stored.state)["facts"], None


class _NoKeys:
    def create(self, session_id: UUID) -> NoReturn:
        raise ProgrammingError(f"no key is made for {session_id}: events are only read here")

    def get(self, session_id: UUID) -> None: ...

    def destroy(self, session_id: UUID) -> None: ...
