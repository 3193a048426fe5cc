"""Sessions in the event log: what the rest of Assay writes and reads events with."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID, uuid4

from domain.audit.head import Head
from domain.audit.record import Record, own_headers
from domain.chain import (
    ACTOR_HEADER,
    CAUSATION_HEADER,
    COMMIT_HEADER,
    CORRELATION_HEADER,
    EVENT_HEADER,
    GENESIS,
    HASH_HEADER,
    PREVIOUS_HASH_HEADER,
    SCHEMA_HEADER,
    SESSION_HEADER,
    TIME_HEADER,
    TOPIC_HEADER,
    VERSION_HEADER,
    Link,
    event_hash,
    verify_chain,
)
from domain.events import AnyEvent, Recorded, SessionErased
from domain.subjects import EVENT_PREFIX, subject_of
from infra.access import ACTOR_PATTERN
from infra.event_log.blobs import Blobs
from infra.event_log.connection import Connection, pauses
from infra.event_log.errors import AccessRefused, ChainBroken, HeadContradicted, LogUnavailable, NewerEvent, Unreadable
from infra.event_log.jetstream import Draft, EventStream, Stored
from infra.event_log.keys import Key, KeyStore
from infra.event_log.mapper import Entry, SessionMapper, StoredEntry, newer_shape
from infra.event_log.sealing import Algorithm, sealing_key, stands_open
from infra.event_log.write_once import WriteOnce
from infra.isolation import Isolation, isolations
from infra.streams import BLOB_PREFIX, BLOBS, EVENTS

_CATCH_UP_SECONDS = 2.0
_FOLLOW_SECONDS = 0.075
_FOLLOW_VERSIONS = 8
_ACTOR = re.compile(ACTOR_PATTERN)


@dataclass(frozen=True, slots=True)
class EventHeader:
    """An event without its body."""

    session_id: UUID
    version: int
    position: int
    topic: str
    time: datetime
    newer_shape: str | None = None  # what it is, if a newer release wrote it (R89)


LastHeads = Callable[[str], Awaitable[Sequence[Head]]]
"""The newest signed heads of the log whose first event has this hash ("": it is empty), from wherever they are kept."""


async def no_heads(_: str) -> Sequence[Head]:
    """Of a log that nobody signs."""
    return ()


class SessionLog:
    """One connection to the event log. Safe to use from many tasks of one event loop."""

    def __init__(
        self, connection: Connection, keys: KeyStore, alg: Algorithm, last_heads: LastHeads = no_heads
    ) -> None:
        self.connection = connection
        self._last_heads = last_heads
        self._confirmed: int | None = None  # the connection's count of returns when the heads were last held against it
        self._isolated: Mapping[int, Isolation] | None = None
        self._keys = keys
        self._alg = alg
        self._mapper = SessionMapper(keys, alg)
        self._stream = EventStream(connection, stream=EVENTS, prefix=EVENT_PREFIX)
        self._blobs = Blobs(WriteOnce(connection, stream=BLOBS, prefix=BLOB_PREFIX))

    # ------------------------------------------------------------ one session

    async def load(self, session_id: UUID, *, at_least: int = 0) -> tuple[Recorded, ...]:
        """All events of a session; none for an unknown one. Raises ChainBroken (R60), or NewerEvent (R89).

        In a cluster any replica answers, and it may lag: one that does not hold version `at_least` yet, which the
        caller knows to be recorded, is asked again for a while.
        """
        for pause in pauses(_CATCH_UP_SECONDS):
            stored = await self.stored(session_id)
            if len(stored) >= at_least:
                break
            await asyncio.sleep(pause)
        if fault := verify_chain(str(session_id), (Link(event.headers, event.body) for event in stored)):
            raise ChainBroken(session_id, fault.version, fault.reason)
        for event in stored:
            if event.subject != (own := subject_of(event.headers)):
                raise ChainBroken(session_id, event.version, f"stands under {event.subject}, not under {own}")
        recorded, newer = await self._recorded(stored, erased=_is_erased(stored))
        if newer:
            raise newer
        return recorded

    async def newer_shape(self, session_id: UUID) -> str | None:
        """The first of a session's events that a newer release wrote, such as `SessionOpened 3` (R89)."""
        headers = map(_event_header, await self.stored(session_id))
        return next((header.newer_shape for header in headers if header.newer_shape), None)

    async def stored(self, session_id: UUID) -> tuple[Stored, ...]:
        """A session's events as they are stored, unverified and sealed: for verification and export."""
        return await self._without_isolated(await self._stream.originator(str(session_id)))

    async def unsealed(self, session_id: UUID) -> tuple[int, ...]:
        """Versions of the session's events whose content stands in the clear: no key can erase it (R62)."""
        return tuple(event.version for event in await self.stored(session_id) if stands_open(event.body))

    def key(self, session_id: UUID) -> Key | None:
        """The key of the session's content; None if there is none, or no longer."""
        return self._mapper.key(session_id)

    async def is_erased(self, session_id: UUID) -> bool:
        """It was recorded as erased, whatever keys there are (R62)."""
        return _is_erased(await self.stored(session_id))

    async def lost_key(self, session_id: UUID) -> bool:
        """The session's key is gone, or is not the one that sealed it, and yet the session was not erased (R62)."""
        first, key = await self._stream.versions(str(session_id), 1, 1), self.key(session_id)
        if not first or sealing_key(first[0].body) in {None, key.kid if key else ""}:
            return False
        return not _is_erased(await self.stored(session_id))

    async def surviving_key(self, session_id: UUID) -> bool:
        """The session was recorded as erased and has a key: its content can still, or again, be read (R62)."""
        return self.key(session_id) is not None and _is_erased(await self.stored(session_id))

    async def destroy_key(self, session_id: UUID) -> None:
        """Erase the session's content in this log for good, blobs included. Repeating it is harmless (R62)."""
        await asyncio.to_thread(self._keys.destroy, session_id)

    async def append(
        self,
        session_id: UUID,
        after: Recorded | None,
        events: Sequence[AnyEvent],
        *,
        actor: str,
        correlation_id: UUID | None = None,
        causation_id: UUID | None = None,
        time: datetime | None = None,
    ) -> tuple[Recorded, ...]:
        """Record events behind the last one the writer has seen: all of them or none (R51).

        `after` None opens a session; its key is created first. `actor`: an opaque id of printable ASCII. By default
        events correlate with their session, are caused by `after`, and happen now. Raises Conflict, LogFull,
        LogUnavailable, ContentErased if the session's key is gone, or HeadContradicted.
        """
        if not _ACTOR.fullmatch(actor):
            raise ValueError(f"an actor is 1 to 128 printable ASCII characters without spaces, not {actor!r}")
        await self.confirm_heads()
        if after is None:
            await self._create_key(session_id)
        elif after.session_id != session_id:
            raise ValueError(f"{after.session_id} is not session {session_id}")
        shared = {
            COMMIT_HEADER: str(uuid4()),
            SESSION_HEADER: str(session_id),
            CORRELATION_HEADER: str(correlation_id or (after.correlation_id if after else session_id)),
            CAUSATION_HEADER: str(causation_id or (after.event_id if after else "")),
            TIME_HEADER: (time or datetime.now(UTC)).astimezone(UTC).isoformat(),
            ACTOR_HEADER: actor,
        }
        drafts = await self._drafts(session_id, after, events, shared)
        positions = await self._stream.append(drafts, confirm=self.confirm_heads)
        return tuple(
            _recorded(draft.headers, position, event)
            for draft, position, event in zip(drafts, positions, events, strict=True)
        )

    async def follow_session(self, session_id: UUID, after_version: int = 0) -> AsyncIterator[Recorded]:
        """A session's events behind a version as they come, for ever: the caller stops at the one it waits for.

        Raises NewerEvent at an event that this release does not know (R89).
        """
        erased = await self.is_erased(session_id)
        while True:
            page = await self._stream.versions(str(session_id), after_version + 1, _FOLLOW_VERSIONS)
            erased |= _is_erased(page)
            readable, newer = await self._recorded(page, erased=erased)
            for recorded in readable:
                after_version = recorded.version
                yield recorded
            if newer:
                raise newer
            if not page:
                await asyncio.sleep(_FOLLOW_SECONDS)

    # ------------------------------------------------------------ the whole log

    async def read(self, after: int, limit: int, *, partition: int | None = None) -> tuple[Recorded, ...]:
        """Up to `limit` events behind a position, of all sessions or of one partition. Empty at the end of the log.

        Ends before an event that this release does not know; raises NewerEvent if that is the first (R89).
        """
        while page := await self._stream.read(after, limit, partition=partition):
            recorded, newer = await self._recorded(await self._without_isolated(page), until_bad=True)
            if newer and not recorded:
                raise newer
            if recorded:
                return recorded
            after = page[-1].position  # all of them were set aside
        return ()

    async def follow(
        self, after: int, *, limit: int = 1_000, partition: int | None = None, doorbell: bool = False
    ) -> AsyncIterator[tuple[Recorded, ...]]:
        """Pages of events behind a position, for ever. `doorbell` looks at once when an event is published, which the
        projector's user may do and the service's may not; without it new events are seen within a quarter second.
        Raises NewerEvent at an event that this release does not know (R89).
        """
        async for page in self._stream.follow(after, limit=limit, partition=partition, doorbell=doorbell):
            recorded, newer = await self._recorded(page)
            yield recorded
            if newer:
                raise newer

    async def headers(self, after: int, limit: int = 1_000) -> tuple[EventHeader, ...]:
        """A page of the log without decoding any body."""
        while page := await self._stream.read(after, limit):
            if found := _headers_until_bad(await self._without_isolated(page)):
                return found
            after = page[-1].position
        return ()

    async def stored_page(self, after: int, limit: int) -> tuple[Stored, ...]:
        """A page of the log as it is stored, unverified and sealed: for verification. What was set aside is there."""
        isolated = await self._isolations()
        return tuple(_set_aside(event, isolated) for event in await self._stream.read(after, limit))

    async def sealed_beside(self, event: Stored) -> bytes | None:
        """The sealed content kept beside this event; None if there is none. Raises Unreadable unless it is there and is
        what its name says."""
        return await self._blobs.sealed(event.headers.get(SESSION_HEADER, ""), event.body)

    async def next_position(self, after: int, partition: int) -> int | None:
        """Of the next event of one partition, as the log's leader knows it; None where there is none."""
        isolated = await self._isolations()
        found = await self._stream.next_position(after, partition)
        while found is not None and found in isolated:
            found = await self._stream.next_position(found, partition)
        return found

    async def last_position(self) -> int:
        """Position of the newest event; 0 for an empty log."""
        isolated, end = await self._isolations(), await self.end()
        while end in isolated:
            end -= 1
        return end

    async def end(self) -> int:
        """Position of the newest message, also of one that was set aside."""
        return await self._stream.last_position()

    async def _isolations(self) -> Mapping[int, Isolation]:
        """Foreign messages that were set aside; read once, and anew where one is met that was not."""
        if self._isolated is None:
            try:
                self._isolated = await isolations(self.connection, EVENTS)
            except AccessRefused:  # of the projector's user: its own reads then end at a foreign message
                self._isolated = {}
        return self._isolated

    async def _without_isolated(self, page: tuple[Stored, ...]) -> tuple[Stored, ...]:
        if not (isolated := await self._isolations()):
            return page
        return tuple(event for event in page if not _set_aside(event, isolated).isolated)

    async def log_id(self) -> str:
        """What names this log: the hash of its first event; empty for an empty log."""
        first = await self._stream.read(0, 1)
        return first[0].headers.get(HASH_HEADER, "") if first else ""

    # ------------------------------------------------------------ what was signed

    async def confirm_heads(self) -> None:
        """The log holds what its newest signed heads cover; asked once for each time that the connection was made.

        Raises HeadContradicted, or LogUnavailable if only a replica that lags behind them answers.
        """
        returns = self.connection.client.stats["reconnects"]
        if self._confirmed == returns:
            return
        for head in await self._last_heads(await self.log_id()):
            await self._confirm(head)
        self._confirmed = returns

    async def _confirm(self, head: Head) -> None:
        for pause in pauses(_CATCH_UP_SECONDS):
            page = await self._stream.read(head.size - 1, 1)
            isolated = await self._isolations()
            page = tuple(_set_aside(event, isolated) for event in page)
            if page and (page[0].position, page[0].headers.get(HASH_HEADER)) == (head.size, head.last_hash):
                return
            if page:
                raise HeadContradicted(
                    f"the event at position {head.size} is not the one that the last signed head covers: the log was "
                    "changed, or is another one; `assay verify` says more"
                )
            if (end := await self.end()) < head.size:
                raise HeadContradicted(
                    f"{head.beyond(end)}: it was cut or rolled back, and nothing may be recorded (the README says what "
                    "to do if that was on purpose)"
                )
            await asyncio.sleep(pause)
        raise LogUnavailable(f"no replica was found that holds position {head.size}, which a signed head covers")

    # ------------------------------------------------------------

    async def request_key(self, session_id: UUID) -> bytes | None:
        """What a request is hashed with: the session's key, which is made for one that is not opened yet. None: it was
        destroyed. Raises LogUnavailable."""
        if self._alg == "none":
            return session_id.bytes
        if not await self.load(session_id):
            await self._create_key(session_id)
        key = await asyncio.to_thread(self._keys.get, session_id)
        return key.secret if key else None

    async def _create_key(self, session_id: UUID) -> None:
        if self._alg != "none":
            await asyncio.to_thread(self._keys.create, session_id)

    async def _drafts(
        self, session_id: UUID, after: Recorded | None, events: Sequence[AnyEvent], shared: Mapping[str, str]
    ) -> list[Draft]:
        """The chain goes on from `after` through all events of the commit."""
        last, previous = (after.version, after.hash) if after else (0, GENESIS)
        drafts: list[Draft] = []
        for version, event in enumerate(events, start=last + 1):
            stored = self._mapper.to_stored_event(Entry(session_id, version, event))
            body = await self._blobs.detach(session_id, stored.state)
            headers = {
                **shared,
                EVENT_HEADER: str(uuid4()),
                VERSION_HEADER: str(version),
                TOPIC_HEADER: stored.topic,
                SCHEMA_HEADER: str(stored.schema_version),
                PREVIOUS_HASH_HEADER: previous,
            }
            previous = headers[HASH_HEADER] = event_hash(previous, body, headers)
            drafts.append(Draft(str(session_id), version, stored.topic, headers, body))
        return drafts

    async def _recorded(
        self, page: Iterable[Stored], *, erased: bool = False, until_bad: bool = False
    ) -> tuple[tuple[Recorded, ...], NewerEvent | None]:
        """The events up to the first that this release does not know, and that one. What was recorded as `erased` reads
        so, also where a key of it has come back (R76). Raises Unreadable at a foreign message, or, with `until_bad`, if
        it is the first."""
        keys: dict[UUID, Key | None] = {}  # for this page alone: a key kept longer would outlive its destruction
        recorded: list[Recorded] = []
        for stored in page:
            try:
                session_id = _uuid(stored.headers[SESSION_HEADER])
                if stored.subject != (own := subject_of(stored.headers)):
                    raise ValueError(f"it stands under {stored.subject}, not under {own}")
                if session_id not in keys:
                    keys[session_id] = None if erased else self._mapper.key(session_id)
                event = await self._event(session_id, stored, keys[session_id])
                recorded.append(_recorded(stored.headers, stored.position, event))
            except NewerEvent as newer:
                where = f"session {session_id}, version {stored.version}"
                return tuple(recorded), NewerEvent(where, newer.shape, stored.position, stored.headers[HASH_HEADER])
            except (KeyError, ValueError) as error:
                if recorded and until_bad:
                    break
                raise _foreign(stored, error) from error
        return tuple(recorded), None

    async def _event(self, session_id: UUID, stored: Stored, key: Key | None) -> AnyEvent:
        """What it is is said by the headers, which the chain covers, and not by the subject."""
        entry = StoredEntry(
            originator_id=session_id,
            originator_version=int(stored.headers[VERSION_HEADER]),
            topic=stored.headers[TOPIC_HEADER],
            state=await self._blobs.attach(session_id, stored.body, key),
            schema_version=int(stored.headers[SCHEMA_HEADER]),
        )
        return self._mapper.entry(entry, key).event


@lru_cache(4_096)
def _uuid(text: str) -> UUID:
    """Most ids of an event stand in its neighbours too: the session, what caused it, the commit."""
    return UUID(text)


def _recorded(headers: Mapping[str, str], position: int, event: AnyEvent) -> Recorded:
    causation_id = headers.get(CAUSATION_HEADER)
    return Recorded(
        session_id=_uuid(headers[SESSION_HEADER]),
        version=int(headers[VERSION_HEADER]),
        position=position,
        event_id=_uuid(headers[EVENT_HEADER]),
        commit_id=_uuid(headers[COMMIT_HEADER]),
        correlation_id=_uuid(headers[CORRELATION_HEADER]),
        causation_id=_uuid(causation_id) if causation_id else None,
        time=datetime.fromisoformat(headers[TIME_HEADER]),
        actor=headers[ACTOR_HEADER],
        hash=headers[HASH_HEADER],
        event=event,
    )


def _is_erased(session: Iterable[Stored]) -> bool:
    return any(event.type == SessionErased.TOPIC for event in session)


def _event_header(stored: Stored) -> EventHeader:
    try:
        return EventHeader(
            session_id=UUID(stored.headers[SESSION_HEADER]),
            version=int(stored.headers[VERSION_HEADER]),
            position=stored.position,
            topic=stored.headers[TOPIC_HEADER],
            time=datetime.fromisoformat(stored.headers[TIME_HEADER]),
            newer_shape=newer_shape(stored.headers[TOPIC_HEADER], int(stored.headers[SCHEMA_HEADER])),
        )
    except (KeyError, ValueError) as error:
        raise _foreign(stored, error) from error


def _headers_until_bad(page: Iterable[Stored]) -> tuple[EventHeader, ...]:
    """Up to a foreign message; raises Unreadable if that is the first."""
    found: list[EventHeader] = []
    for stored in page:
        try:
            found.append(_event_header(stored))
        except Unreadable:
            if not found:
                raise
            break
    return tuple(found)


def _foreign(stored: Stored, error: Exception) -> Unreadable:
    return Unreadable(
        f"position {stored.position} holds no event of a session: {error}; `assay log isolate {EVENTS} "
        f"{stored.position} --reason …` sets it aside"
    )


def _set_aside(stored: Stored, isolated: Mapping[int, Isolation]) -> Stored:
    """As it is, or, if it is the very message that was set aside, known by its digest alone."""
    known = isolated.get(stored.position)
    if known is None:
        return stored
    digest = Record(stored.subject, stored.position, own_headers(stored.headers), stored.body).hash
    return replace(stored, headers={HASH_HEADER: digest}, isolated=True) if digest == known.digest else stored
