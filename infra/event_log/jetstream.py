"""Events in one JetStream stream: the only code that appends them and reads them. Bodies are opaque bytes here.

An event's subject is `<prefix>.<partition>.<originator>.<version>.<type>`. The version stands in it so that one
originator's events are found by an index and not by a scan, and so that "nobody has recorded this version" is a
condition the server checks: its subject is empty.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from nats.aio.msg import Msg
from nats.js.api import Header

from domain.chain import COMMIT_HEADER
from domain.subjects import partition_of, token_of
from infra.event_log.connection import (
    FULL,
    NOT_FOUND,
    OCCUPIED,
    STATUS,
    Connection,
    Rejected,
    Reply,
    Silence,
    Unanswered,
    answer,
    attempts,
    expect_empty,
    not_stored,
    pauses,
)
from infra.event_log.direct_get import direct_get
from infra.event_log.errors import Conflict, LogError, LogFull, LogUnavailable

_log = logging.getLogger(__name__)

MAX_COMMIT = 1_000  # events; the server's limit of one atomic batch
_MAX_SUBJECTS = 1_024  # the server's limit of one request for the last messages of many subjects
_BATCHES_IN_FLIGHT = 12  # of one process; the server allows 50 a stream, shared by all
_IDLE_SECONDS = 0.25  # between two looks for new events when nothing rings

_DUPLICATE = {10201}  # a batch of this id was committed
_BATCH_INCOMPLETE = 10176  # a message of it was lost, or could not be written to the disk
_PASSING = {_BATCH_INCOMPLETE, 10210}  # that, or too many batches are in flight


@dataclass(frozen=True, slots=True)
class Draft:
    """An event to be appended; `type` and `originator` may be any text. `headers` must hold the commit id, which tells
    after an unanswered attempt whether the events found in the log are our own.
    """

    originator: str
    version: int
    type: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """An event as it stands in the stream. `position` is its sequence number there, from 1; `originator`, `version`
    and `type` are those of its subject."""

    subject: str
    originator: str
    version: int
    type: str
    position: int
    headers: Mapping[str, str]
    body: bytes
    isolated: bool = False  # a foreign message that an operator has set aside

    @property
    def ends_commit(self) -> bool:
        """It was recorded alone, or is the last event of its commit."""
        return Header.BATCH_ID.value not in self.headers or Header.BATCH_COMMIT.value in self.headers


class EventStream:
    """Appends to and reads from one stream over one connection. Safe to use from many tasks of one event loop.

    `patience`: seconds for which an unanswered request is repeated before LogUnavailable is raised.
    """

    def __init__(self, connection: Connection, *, stream: str, prefix: str, patience: float = 15.0) -> None:
        self._connection = connection
        self._stream = stream
        self._prefix = prefix
        self._patience = patience
        self._in_flight = asyncio.Semaphore(_BATCHES_IN_FLIGHT)

    # ------------------------------------------------------------ writing

    async def append(
        self, drafts: Sequence[Draft], *, confirm: Callable[[], Awaitable[None]] | None = None
    ) -> tuple[int, ...]:
        """Store all drafts or none, and return their positions, which are consecutive.

        All must carry the same commit id. `confirm` is awaited before each attempt, since the connection may have come
        back to another log; what it raises ends the append. Raises Conflict, LogFull, or LogUnavailable if no answer
        could be had, in which case the outcome is unknown.
        """
        if not drafts:
            return ()
        self._check(drafts)
        rejection: Rejected | None = None
        last = Unanswered("not asked")
        for pause in pauses(self._patience):
            if confirm:
                await confirm()
            try:
                return await (self._publish(drafts[0]) if len(drafts) == 1 else self._publish_batch(drafts))
            except Rejected as error:
                rejection = error
                last = Silence(str(error)) if error.code == _BATCH_INCOMPLETE else Unanswered(str(error))
            except Unanswered as error:
                rejection, last = None, error
                _log.info("commit to %s unanswered (%s), sent again", self._stream, error)
            if rejection and rejection.code not in _PASSING and (positions := await self._settle(drafts, rejection)):
                return positions
            await asyncio.sleep(pause)
        commit = f"commit {drafts[0].headers[COMMIT_HEADER]}"
        raise await not_stored(self._connection, self._stream, commit, last, self._patience)

    def _check(self, drafts: Sequence[Draft]) -> None:
        if len(drafts) > MAX_COMMIT:
            raise ValueError(f"one commit holds at most {MAX_COMMIT} events, not {len(drafts)}")
        seen = set[tuple[str, int]]()
        for draft in drafts:
            if (draft.originator, draft.version) in seen:
                raise Conflict(draft.originator, draft.version)
            seen.add((draft.originator, draft.version))
            if len(draft.body) > self._connection.client.max_payload - 8_192:
                raise LogError(f"an event of {len(draft.body)} bytes is more than the server takes in one message")

    async def _publish(self, draft: Draft) -> tuple[int, ...]:
        acknowledgement = await self._acknowledged(draft, {**draft.headers, **self._expect_empty(draft)})
        return (int(acknowledgement["seq"]),)

    async def _publish_batch(self, drafts: Sequence[Draft]) -> tuple[int, ...]:
        """A fresh batch id each time: under the old one the server would go on counting."""
        batch_id = uuid4().hex
        async with self._in_flight:
            for number, draft in enumerate(drafts, start=1):
                headers = {
                    **draft.headers,
                    **self._expect_empty(draft),
                    Header.BATCH_ID.value: batch_id,
                    Header.BATCH_SEQUENCE.value: str(number),
                }
                if number < len(drafts):
                    await self._connection.publish(self._subject(draft), draft.body, headers)
            acknowledgement = await self._acknowledged(drafts[-1], {**headers, Header.BATCH_COMMIT.value: "1"})
        last = int(acknowledgement["seq"])
        return tuple(range(last - len(drafts) + 1, last + 1))

    async def _acknowledged(self, draft: Draft, headers: Mapping[str, str]) -> dict[str, Any]:
        reply = await self._connection.request(self._subject(draft), draft.body, headers)
        return answer(reply)

    async def _settle(self, drafts: Sequence[Draft], rejection: Rejected) -> tuple[int, ...] | None:
        """Why a commit was rejected: an earlier attempt of ours is stored (its positions), another's events stand
        there, the log is full, or (None) it should be sent again. Only the log itself can tell.
        """
        for offset, draft in enumerate(drafts):
            try:
                found = await self._last(self._version_filter(draft.originator, draft.version))
            except Unanswered:
                return None
            if found is None:
                continue
            if found.headers.get(COMMIT_HEADER) != draft.headers[COMMIT_HEADER]:
                raise Conflict(draft.originator, draft.version)
            first = found.position - offset
            return tuple(range(first, first + len(drafts)))
        if rejection.code in FULL:
            raise LogFull(f"the event log {self._stream} takes no more events: {rejection}")
        if rejection.code not in OCCUPIED | _DUPLICATE:
            raise LogError(f"the event log {self._stream} refused a commit: {rejection} ({rejection.code})")
        return None

    def _expect_empty(self, draft: Draft) -> dict[str, str]:
        return expect_empty(self._version_filter(draft.originator, draft.version))

    # ------------------------------------------------------------ reading

    async def originator(self, originator: str) -> tuple[Stored, ...]:
        """All events of one originator, by position; also those that stand in a partition which is not its own."""
        found = await self._last_of_each([f"{self._wherever(originator)}.>"])
        if found is not None:
            return found
        events: list[Stored] = []  # more subjects than one request may ask for: page by version
        while page := await self.versions(originator, events[-1].version + 1 if events else 0, _MAX_SUBJECTS):
            events.extend(page)
        return tuple(events)

    async def versions(self, originator: str, first: int, count: int) -> tuple[Stored, ...]:
        """The events of one originator with the given consecutive versions, as far as they exist, wherever."""
        wanted = [f"{self._wherever(originator)}.{version}.*" for version in range(first, first + count)]
        return await self._last_of_each(wanted) or ()

    async def read(self, after: int, limit: int, *, partition: int | None = None) -> tuple[Stored, ...]:
        """Up to `limit` events behind a position, in order; empty at the end of the log."""
        subject = f"{self._prefix}.>" if partition is None else f"{self._prefix}.{partition}.>"
        query = {"seq": after + 1, "batch": limit, "next_by_subj": subject}
        events, _ = await self._direct_get(query)
        return tuple(events)

    async def next_position(self, after: int, partition: int) -> int | None:
        """Of the next event of a partition behind a position, as the leader knows it; None where there is none."""
        async for _ in attempts(self._patience):
            with contextlib.suppress(Unanswered):
                found = await self._leaders({"seq": after + 1, "next_by_subj": f"{self._prefix}.{partition}.>"})
                return found.position if found else None
        raise self._unavailable()

    async def last_position(self) -> int:
        """Position of the newest event; 0 for an empty log."""
        async for _ in attempts(self._patience):
            with contextlib.suppress(Unanswered):
                info = answer(await self._connection.request(f"$JS.API.STREAM.INFO.{self._stream}"))
                return int(info["state"]["last_seq"])
        raise self._unavailable()

    async def follow(
        self, after: int, *, limit: int = 1_000, partition: int | None = None, doorbell: bool = False
    ) -> AsyncIterator[tuple[Stored, ...]]:
        """Pages of events behind a position, for ever. An unreachable log is waited for.

        `doorbell`: also subscribe to the events as they are published, merely to look at once (needs the permission).
        """
        async with self.bell(doorbell) as bell:
            while True:
                bell.clear()
                try:
                    end = await self.last_position()
                    page = await self.read(after, limit, partition=partition) if end > after else ()
                except LogUnavailable as error:
                    _log.warning("following %s: %s", self._stream, error)
                    continue
                if page:
                    after = page[-1].position
                    yield page
                else:  # at the end, or other partitions' events, or a replica that lags: never a reason to move on
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(bell.wait(), _IDLE_SECONDS)

    @contextlib.asynccontextmanager
    async def bell(self, doorbell: bool = True) -> AsyncIterator[asyncio.Event]:
        """Set whenever an event is published, as long as the connection holds: no replacement for looking."""
        bell = asyncio.Event()
        if not doorbell:
            yield bell
            return

        async def ring(_: Msg) -> None:
            bell.set()

        subscription = await self._connection.client.subscribe(f"{self._prefix}.>", cb=ring)
        try:
            yield bell
        finally:
            if not self._connection.client.is_closed:
                await subscription.unsubscribe()

    # ------------------------------------------------------------ requests

    async def _last(self, subject_filter: str) -> Stored | None:
        """The last event under a filter."""
        return await self._leaders({"last_by_subj": subject_filter})

    async def _leaders(self, query: Mapping[str, Any]) -> Stored | None:
        """One event as the stream's leader knows it: a direct get may ask a follower."""
        payload = json.dumps(query).encode()
        try:
            reply = answer(await self._connection.request(f"$JS.API.STREAM.MSG.GET.{self._stream}", payload))
        except Rejected as error:
            if error.code == NOT_FOUND:
                return None
            raise Unanswered(str(error)) from None
        message = reply["message"]
        headers = dict(BytesHeaderParser().parsebytes(base64.b64decode(message["hdrs"]).split(b"\r\n", 1)[1]))
        return self._stored(message["subject"], message["seq"], headers, base64.b64decode(message.get("data", "")))

    async def _last_of_each(self, filters: list[str]) -> tuple[Stored, ...] | None:
        """The last event of every subject under the filters, by position; None if there are too many."""
        events: list[Stored] = []
        query: dict[str, Any] = {"multi_last": filters}
        while True:
            page, end = await self._direct_get(query)
            if end[STATUS] == "413":
                return None
            events.extend(page)
            if not page or int(end.get("Nats-Num-Pending", "0")) == 0:
                return tuple(events)
            query |= {"seq": page[-1].position + 1, "up_to_seq": int(end["Nats-UpTo-Sequence"])}

    async def _direct_get(self, query: Mapping[str, Any]) -> tuple[list[Stored], Mapping[str, str]]:
        """The events found, and the headers of the reply that ended them."""
        messages, end = await direct_get(self._connection, self._stream, query, self._patience)
        return [self._message(message) for message in messages], end

    def _unavailable(self) -> LogUnavailable:
        return LogUnavailable(f"the event log {self._stream} did not answer for {self._patience:g} s")

    # ------------------------------------------------------------ subjects

    def _originator_prefix(self, originator: str) -> str:
        return f"{self._prefix}.{partition_of(originator)}.{token_of(originator)}"

    def _wherever(self, originator: str) -> str:
        return f"{self._prefix}.*.{token_of(originator)}"

    def _version_filter(self, originator: str, version: int) -> str:
        return f"{self._originator_prefix(originator)}.{version}.*"

    def _subject(self, draft: Draft) -> str:
        return f"{self._originator_prefix(draft.originator)}.{draft.version}.{token_of(draft.type)}"

    def _message(self, reply: Reply) -> Stored:
        headers = reply.headers
        return self._stored(headers["Nats-Subject"], int(headers["Nats-Sequence"]), headers, reply.data)

    def _stored(self, subject: str, position: int, headers: Mapping[str, str], body: bytes) -> Stored:
        try:
            _, originator, version, type_ = subject.rsplit(".", 3)
            return Stored(subject, unquote(originator), int(version), unquote(type_), position, headers, body)
        except ValueError:  # nothing of ours; whoever reads it finds that it is no event
            return Stored(subject, "", 0, subject, position, headers, body)
