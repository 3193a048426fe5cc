"""The one way between events and their stored form: topics, versions of shapes, and sealing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args
from uuid import UUID

import orjson
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from pydantic import ValidationError

from domain.events import ERASED, EVENTS, AnyEvent, Erased, Part
from infra.event_log.errors import ContentErased, NewerEvent, Unreadable
from infra.event_log.keys import Key, KeyStore
from infra.event_log.sealing import Algorithm, Slot, seal, unseal


@dataclass(frozen=True, slots=True)
class Entry:
    """An event and its place in its session, in the words of the `eventsourcing` library."""

    originator_id: UUID
    originator_version: int
    event: AnyEvent


@dataclass(frozen=True)
class StoredEntry(StoredEvent):
    """Stored form of an entry; `state` is JSON, `{"facts": …, "content": slot or null}`."""

    schema_version: int = 1


class SessionMapper(Mapper[UUID]):
    """Maps entries. Content without a slot, or whose key is gone, reads as ERASED."""

    def __init__(self, keys: KeyStore, alg: Algorithm) -> None:
        super().__init__(JSONTranscoder())
        self._keys = keys
        self._alg = alg

    def to_stored_event(self, domain_event: DomainEventProtocol[UUID]) -> StoredEntry:
        """Raises ContentErased if the session's key is gone and there is content to seal."""
        if not isinstance(domain_event, Entry):
            raise TypeError(f"not an entry of a session: {domain_event!r}")
        event = domain_event.event
        slot = None if isinstance(event.content, Erased) else self._seal(domain_event)
        state = orjson.dumps({"facts": event.facts.model_dump(mode="json"), "content": slot})
        return StoredEntry(
            domain_event.originator_id,
            domain_event.originator_version,
            event.TOPIC,
            state,
            schema_version=event.VERSION,
        )

    def to_domain_event(self, stored_event: StoredEvent) -> Entry:
        """Raises Unreadable, or NewerEvent, which is one."""
        return self.entry(stored_event, self.key(UUID(str(stored_event.originator_id))))

    def entry(self, stored: StoredEvent, key: Key | None) -> Entry:
        """The same with the key at hand, so that reading a session fetches it once."""
        given_id = stored.originator_id
        session_id = given_id if isinstance(given_id, UUID) else UUID(given_id)
        schema_version = getattr(stored, "schema_version", 1)
        if shape := newer_shape(stored.topic, schema_version):
            raise NewerEvent(f"session {session_id}, version {stored.originator_version}", shape)
        cls = EVENTS[stored.topic]
        try:
            facts, content = self._open(stored, key)
            if schema_version < cls.VERSION:
                facts, content = _upcast(cls, schema_version, facts, content)
            return Entry(session_id, stored.originator_version, _event(cls, facts, content))
        except (ValidationError, orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise Unreadable(f"{_context(stored)}: {error}") from error

    def key(self, session_id: UUID) -> Key | None:
        """The session's key, whatever the setting says now: an earlier one may have sealed."""
        return self._keys.get(session_id)

    def _seal(self, entry: Entry) -> dict[str, str]:
        key = None if self._alg == "none" else self.key(entry.originator_id)
        if key is None and self._alg != "none":
            raise ContentErased(f"session {entry.originator_id} has no key: its content was erased")
        content = entry.event.content.model_dump_json().encode()
        context = f"{entry.originator_id}:{entry.originator_version}:{entry.event.TOPIC}"
        return seal(content, key, context).as_json()

    def _open(self, stored: StoredEvent, key: Key | None) -> tuple[dict[str, Any], bytes | None]:
        """Facts, and content as JSON text; None where it is erased."""
        state = orjson.loads(stored.state)
        slot = state["content"]
        return state["facts"], unseal(Slot.from_json(slot), key, _context(stored)) if slot else None


def newer_shape(topic: str, schema_version: int) -> str | None:
    """`SessionOpened 3`, if that is an event that this release does not know yet; None for one that it reads (R89)."""
    known = EVENTS.get(topic)
    return None if known and schema_version <= known.VERSION else f"{topic} {schema_version}"


def _context(stored: StoredEvent) -> str:
    """What sealed content belongs to: it does not open in another event's place."""
    return f"{stored.originator_id}:{stored.originator_version}:{stored.topic}"


def _upcast(
    cls: type[AnyEvent], schema_version: int, facts: dict[str, Any], content: bytes | None
) -> tuple[dict[str, Any], bytes | None]:
    parts: dict[str, Any] = {"facts": facts, "content": None if content is None else json.loads(content)}
    for version in range(schema_version, cls.VERSION):
        getattr(cls, f"upcast_v{version}_v{version + 1}")(parts)
    return parts["facts"], None if parts["content"] is None else json.dumps(parts["content"]).encode()


def _event(cls: type[AnyEvent], facts: dict[str, Any], content: bytes | None) -> AnyEvent:
    facts_class, content_class = _part_classes(cls)
    opened = ERASED if content is None else content_class.model_validate_json(content)
    return cls(facts=facts_class.model_validate(facts), content=opened)


@cache
def _part_classes(cls: type[AnyEvent]) -> tuple[type[Part], type[Part]]:
    """Facts class and content class: each event declares its content as `SomeContent | Erased`."""
    facts: Any = cls.model_fields["facts"].annotation
    content: Any = cls.model_fields["content"].annotation
    return facts, next(part for part in get_args(content) if part is not Erased)
