"""The head writer: signs what the log is, again and again, so that nobody can change it unnoticed afterwards (R60).

Every worker has one; the one that holds the database's lock signs. It reads the log itself, and signs only what
continues the last head and holds in its hash chains. So do the streams of accesses and of public verdicts (R75), whose
messages have no chain; one that cannot be signed does not keep the others from it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.audit.chain_walk import ChainWalk
from domain.audit.findings import StoredEvent
from domain.audit.head import Head, leaf_of
from domain.audit.record import RecordWalk
from domain.chain import HASH_HEADER, TOPIC_HEADER
from domain.events import TERMINAL_TOPICS, FeedbackGiven, SessionErased, VerdictOverridden
from domain.merkle import Frontier
from infra.audit import head_store
from infra.audit.head_store import StoredHead
from infra.audit.heads_file import HeadsFile, of_stream
from infra.audit.key_exchanges import exchanges
from infra.audit.key_ring import KeyRing
from infra.audit.signed_heads import opened_head, sign_head
from infra.audit.signing_key import existing_key, signing_key
from infra.event_log.connection import attempts
from infra.event_log.errors import HeadContradicted, LogUnavailable
from infra.event_log.records import RecordStream
from infra.head_stream import HeadPublisher
from infra.postgres import Connection, connect

log = logging.getLogger(__name__)

PAGE = 1_000
"""Events under one head at most, so that no row of leaf hashes grows large."""
LOOK_S = 1.0
"""Between two looks at the log: sessions that come to rest within it share a head."""
RETRY_S = 5.0
PROMPT_TOPICS = TERMINAL_TOPICS | {FeedbackGiven.TOPIC, VerdictOverridden.TOPIC, SessionErased.TOPIC}
"""With one of these a session rests, and is signed at once."""
REMEMBERED = 10_000  # sessions whose last event is kept in mind


class Unsignable(Exception):
    """The log or what is kept of its heads is not sound: nothing is signed until a person has looked."""


class KeyExchanged(Exception):
    """Another key is in the key file than the one at hand: what is due is signed with that."""


class StoredLog(Protocol):
    """What the head writer needs of the event log."""

    async def stored_page(self, after: int, limit: int) -> Sequence[StoredEvent]: ...
    async def end(self) -> int: ...
    async def confirm_heads(self) -> None: ...


class HeadWriter:
    """`every`: how long an event waits for a head at most, as long as no session comes to rest sooner. `streams`: those
    that are signed beside the events. `publisher`: gives heads to others."""

    def __init__(
        self,
        events: StoredLog,
        dsn: str,
        *,
        key_file: Path,
        heads_file: Path,
        clock: Callable[[], datetime],
        every: timedelta = timedelta(seconds=60),
        streams: Sequence[RecordStream] = (),
        publisher: HeadPublisher | None = None,
    ) -> None:
        self._events = events
        self._dsn = dsn
        self._key_file = key_file
        self._file = HeadsFile(heads_file)
        self._clock = clock
        self._every = every
        self._streams = streams
        self._publisher = publisher

    async def run(self) -> None:
        """Sign on a schedule and when sessions rest, until cancelled; returns only if the log cannot be signed."""
        while True:
            try:
                async with await connect(self._dsn) as conn:
                    if await head_store.lock(conn):
                        signing, others = await self._resumed(conn), await self._others(conn)
                        while True:
                            await signing.sign(every=self._every)
                            others = [one for one in others if await _signed_beside(one, self._every)]
                            await self._publish(conn, [signing, *others])
                            await asyncio.sleep(LOOK_S)
            except KeyExchanged:
                log.warning("the signing key was exchanged: the new one signs from now on")
            except (Unsignable, HeadContradicted, ValueError) as error:
                log.critical("the log is no longer signed: %s", error)
                return
            except (psycopg.Error, LogUnavailable, OSError) as error:
                log.warning("no head is signed for now: %s", error)
            await asyncio.sleep(RETRY_S)

    def _key_holds(self, key: Ed25519PrivateKey) -> bool:
        """The key file still holds it; so it is said of one that was taken away."""
        if not self._key_file.exists():
            return True
        return existing_key(self._key_file).private_bytes_raw() == key.private_bytes_raw()

    async def finish(self, patience_s: float = 2.0) -> None:
        """Once `run` has ended: see to it that all events are under a head, by this process or by the one that holds
        the lock. Gives up when patience is lost: they are then signed by the next worker."""
        try:
            async with asyncio.timeout(patience_s), await connect(self._dsn) as conn:
                end = await self._events.end()
                async for _ in attempts(patience_s):
                    if await self._signed(conn, end):
                        return
        except (Unsignable, HeadContradicted, ValueError) as error:
            log.error("the log is not signed: %s", error)
        except (psycopg.Error, LogUnavailable, OSError) as error:
            log.warning("the end of the log is not signed yet: %s", error)

    async def _signed(self, conn: Connection, end: int) -> bool:
        if await head_store.lock(conn):
            try:
                signings = [await self._resumed(conn)]
                await signings[0].sign()
                signings += [one for one in await self._others(conn) if await _signed_beside(one)]
            except KeyExchanged:
                return False
            await self._publish(conn, signings)
            return True
        return await head_store.last_size(conn) >= end

    async def _publish(self, conn: Connection, signings: Sequence[Signing]) -> None:
        """For others to keep (R76). What cannot be published now is at another time: nothing waits for it."""
        for signing in signings if self._publisher else ():
            assert self._publisher is not None
            await self._publisher.publish(conn, signing.stream, signing.signed)

    async def _others(self, conn: Connection) -> list[Signing]:
        """The streams beside the events, as far as they can be signed."""
        signings: list[Signing] = []
        if not await head_store.exists(conn, head_store.STREAMS):
            log.warning("only events are signed until `assay init` has made the tables of other streams' heads")
            return signings
        for stream in self._streams:
            try:
                signings.append(await self._resumed(conn, stream))
            except (Unsignable, ValueError) as error:
                log.critical("the stream %s is not signed: %s", stream.stream, error)
        return signings

    async def _resumed(self, conn: Connection, stream: RecordStream | None = None) -> Signing:
        """Where the last head left off. Raises Unsignable, HeadContradicted or KeyFileError."""
        await self._events.confirm_heads()
        name = stream.stream if stream else ""
        file = HeadsFile(of_stream(self._file.path, name)) if name else self._file
        ours, shipped = await head_store.last_envelope(conn, name), file.last()
        # a new key could not continue what another has signed
        key = await asyncio.to_thread(existing_key if ours or shipped else signing_key, self._key_file)
        ring = KeyRing.of(key.public_key(), exchanges(self._key_file))
        head = opened_head(ring, ours, name) if ours else None
        ahead = opened_head(ring, shipped, name) if shipped else None
        tree = await head_store.frontier(conn, name)
        if tree.size != (head.size if head else 0) or (head and tree.root.hex() != head.root):
            raise Unsignable("the tree kept in assay_audit.frontier is not the one that the last head signs")
        newer = head_store.heads(conn, ahead.size if ahead else 0, name)
        if unshipped := [stored.envelope async for stored in newer]:
            await asyncio.to_thread(file.append, unshipped)
        holds = partial(self._key_holds, key)
        return Signing(stream or self._events, conn, file, key, self._clock, head, ahead, tree, name, holds)


async def _signed_beside(signing: Signing, every: timedelta | None = None) -> bool:
    """False if the stream cannot be signed any more, which is said once."""
    try:
        await signing.sign(every=every)
    except (Unsignable, HeadContradicted) as error:
        log.critical("the stream %s is no longer signed: %s", signing.stream, error)
        return False
    return True


class Signing:
    """The work of the one head writer, from the last head on.

    `shipped`: the last head of the heads file. If it lies ahead (the database is an older one), the log must have grown
    to it before anything else is signed.
    """

    def __init__(
        self,
        events: StoredLog,
        conn: Connection,
        file: HeadsFile,
        key: Ed25519PrivateKey,
        clock: Callable[[], datetime],
        last: Head | None,
        shipped: Head | None,
        tree: Frontier,
        stream: str = "",
        holds: Callable[[], bool] = lambda: True,
    ) -> None:
        self.stream = stream
        self._key_holds = holds
        self._events = events
        self._conn = conn
        self._file = file
        self._key = key
        self._clock = clock
        self._shipped = shipped
        self._log_id = last.log_id if last else ""
        self._last_hash = ""
        self._tree = tree
        self._leaves: list[bytes] = []  # of events that were read and are not under a head yet
        self._walk = RecordWalk(tree.size) if stream else ChainWalk(after=tree.size)
        self._rests = False  # a session has come to rest since the last head
        self._since = clock()

    async def sign(self, *, every: timedelta | None = None) -> None:
        """Read to the end of the log and sign it; with `every` only if a session rests or that time is over.

        Raises Unsignable, HeadContradicted or LogUnavailable.
        """
        end = await self._events.end()
        if end < self._tree.size:
            what = f"the stream {self.stream}" if self.stream else "the log"
            raise HeadContradicted(f"{what} ends at position {end}, and position {self._tree.size} was read before")
        while page := await self._events.stored_page(self._tree.size, self._room()):
            try:
                self._read(page)
            except Unsignable:
                if self._leaves:
                    await self._add_head()  # what lies before it
                raise
            if len(self._leaves) == PAGE:
                await self._add_head()
        due = every is None or self._rests or self._clock() - self._since >= every
        if self._leaves and due:
            await self._add_head()

    @property
    def signed(self) -> int:
        """How many events, or messages, the newest head covers."""
        return self._tree.size - len(self._leaves)

    def _room(self) -> int:
        """How many events may be read: up to the next head, or to the one that was shipped."""
        room = PAGE - len(self._leaves)
        ahead = self._shipped.size - self._tree.size if self._shipped else 0
        return min(room, ahead) if ahead > 0 else room

    def _read(self, page: Sequence[StoredEvent]) -> None:
        if not self._leaves:
            self._since = self._clock()
        for index, event in enumerate(page):
            for finding in self._walk.findings(event):
                self._take(page[:index])
                where = f"position {finding.position}"
                where += f", session {finding.session_id}, version {finding.version}" if not self.stream else ""
                raise Unsignable(f"{finding.kind} at {where}: {finding.detail}")
            self._rests |= event.headers.get(TOPIC_HEADER) in PROMPT_TOPICS
        if self._walk.sessions > REMEMBERED:
            self._walk = ChainWalk(after=self._walk.position)
        self._take(page)

    def _take(self, page: Sequence[StoredEvent]) -> None:
        """Into the tree."""
        if not page:
            return
        fresh = [leaf_of(event.headers) for event in page]
        self._log_id = self._log_id or page[0].headers[HASH_HEADER]
        self._last_hash = page[-1].headers[HASH_HEADER]
        self._leaves += fresh
        self._tree = self._tree.extended(fresh)
        if self._shipped and self._tree.size == self._shipped.size and self._tree.root.hex() != self._shipped.root:
            raise Unsignable(f"the log is not the one over whose {self._shipped.size} events a head was shipped")

    async def _add_head(self) -> None:
        tree = self._tree
        head = Head(self._log_id, tree.size, tree.root.hex(), self._last_hash, self._clock(), self.stream)
        async with self._conn.transaction():
            await head_store.reserve(self._conn)
            if not self._key_holds():
                raise KeyExchanged
            envelope = sign_head(self._key, head)
            await head_store.add(self._conn, StoredHead(head.size, envelope, self._leaves), tree, self.stream)
        self._leaves, self._rests, self._since = [], False, self._clock()
        if self._shipped is None or head.size > self._shipped.size:
            await asyncio.to_thread(self._file.append, [envelope])
            log.debug("a head over %d events was signed", head.size)
