"""A connection to NATS that comes back by itself, and requests on it that say what became of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import Header

from infra.access import Role
from infra.event_log.errors import AccessRefused, LogError, LogFull, LogUnavailable

if TYPE_CHECKING:
    from infra.embedded import Servers

_log = logging.getLogger(__name__)
_CONNECT_SECONDS = 5.0
_REQUEST_SECONDS = 3.0
_REFUSAL = re.compile(r"permissions violation for (publish|subscription) to \"([^\"]+)\"", re.IGNORECASE)
STATUS = "Status"

# JetStream's error codes
OCCUPIED = {10071, 10164}  # the subject is not empty, or (on several replicas) another write to it is under way
FULL = {10023, 10028, 10047, 10077}  # out of memory or storage, or a limit of the stream reached
NOT_FOUND = 10037


class Unanswered(Exception):
    """No reply: whether the request took effect is unknown."""


class Silence(Unanswered):
    """Somebody took the request and said nothing: so does a nats-server that cannot write to its disk."""


class Rejected(Exception):
    """JetStream said no; `code` is its error code."""

    def __init__(self, code: int, description: str) -> None:
        super().__init__(description)
        self.code = code


@dataclass(frozen=True, slots=True)
class Reply:
    """One of several replies. A status, where there is one, stands among the headers as `Status`."""

    headers: Mapping[str, str]
    data: bytes


class _Client(Client):
    """nats-py's client, but the replies to a read go straight to who waits for them.

    Its own way, through a queue, a task and a callback for each message, takes most of the time of reading a log.
    """

    def __init__(self) -> None:
        super().__init__()
        self.collectors: dict[int, Callable[[Reply], None]] = {}

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        if collect := self.collectors.get(sid):
            collect(Reply(_parsed(headers or b""), data))
        else:
            await super()._process_msg(sid, subject, reply, data, headers)


def _parsed(headers: bytes) -> dict[str, str]:
    """A header block: `NATS/1.0` with or without a status and its description, then a line each."""
    first, *lines = headers.decode(errors="replace").split("\r\n")
    parsed = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    if status := first[len("NATS/1.0") :].strip():
        parsed[STATUS] = status[:3]
    return parsed


class Connection:
    """One NATS user's connection. Every user has an inbox prefix of its own (R65)."""

    def __init__(self, client: _Client, refused: set[str]) -> None:
        self.client = client
        self._refused = refused

    @classmethod
    async def open(cls, url: str, user: str, password: str, inbox_prefix: str) -> Connection:
        """`url`: of a server, or of several in one cluster, with commas between.

        Raises LogUnavailable if none can be reached now; later they are reconnected to for ever.
        """
        client, refused, problems = _Client(), set[str](), [""]

        async def on_error(error: Exception) -> None:
            problems[0] = str(error)
            if refusal := _REFUSAL.search(str(error)):
                refused.add(refusal[2].lower())
                _log.warning("%s: %s", user, error)

        async def on_loss() -> None:
            if not client.is_closed:
                _log.warning("connection to NATS at %s lost", url)

        async def on_return() -> None:
            _log.warning("connection to NATS at %s is back", url)

        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await client.connect(
                    addresses(url),
                    user=user,
                    password=password,
                    inbox_prefix=inbox_prefix.encode(),
                    error_cb=on_error,
                    disconnected_cb=on_loss,
                    reconnected_cb=on_return,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=0.2,  # type: ignore[arg-type]  # declared int, used as seconds of a sleep
                )
        except TimeoutError:
            await client.close()
            raise LogUnavailable(
                f"NATS at {url} cannot be reached as user {user}: {problems[0] or 'no answer'}"
            ) from None
        return cls(client, refused)

    async def close(self) -> None:
        await self.client.close()

    async def request(self, subject: str, payload: bytes = b"", headers: Mapping[str, str] | None = None) -> Msg:
        """One reply. Raises Unanswered or AccessRefused."""
        if not self.client.is_connected:  # nothing may wait in the client's buffer and be sent after we gave up
            raise Unanswered("not connected")
        try:
            return await self.client.request(
                subject, payload, timeout=_REQUEST_SECONDS, headers=dict(headers) if headers else None
            )
        except nats.errors.NoRespondersError:
            raise Unanswered("nobody serves the request") from None
        except (nats.errors.TimeoutError, nats.errors.ConnectionClosedError) as error:
            self._raise_if_refused(subject)
            raise Silence(str(error)) from None

    async def publish(self, subject: str, payload: bytes, headers: Mapping[str, str]) -> None:
        """Without a reply; it may never arrive."""
        await self.client.publish(subject, payload, headers=dict(headers))

    async def request_many(self, subject: str, payload: bytes) -> list[Reply]:
        """All replies up to the one that carries a status, which comes last. Raises Unanswered or AccessRefused."""
        if not self.client.is_connected:
            raise Unanswered("not connected")
        replies: list[Reply] = []
        complete = asyncio.Event()

        def collect(reply: Reply) -> None:
            replies.append(reply)
            if STATUS in reply.headers:
                complete.set()

        inbox = self.client.new_inbox()
        subscription = await self.client.subscribe(inbox)
        self.client.collectors[subscription._id] = collect
        try:
            await self.client.publish(subject, payload, reply=inbox)
            async with asyncio.timeout(_REQUEST_SECONDS):
                await complete.wait()
        except TimeoutError:
            self._raise_if_refused(subject)
            raise Unanswered("timeout") from None
        finally:
            del self.client.collectors[subscription._id]
            with contextlib.suppress(nats.errors.Error):
                await subscription.unsubscribe()
        return replies

    def _raise_if_refused(self, subject: str) -> None:
        if subject.lower() in self._refused:
            raise AccessRefused(f"this NATS user may not use {subject}")


@contextlib.asynccontextmanager
async def connected(servers: Servers, role: Role) -> AsyncIterator[Connection]:
    """A connection of one role's user. Raises LogUnavailable, or SettingsError without that user's credentials."""
    user = servers.user(role)
    connection = await Connection.open(servers.nats_url, user.user, user.password.get_secret_value(), role.inbox_prefix)
    try:
        yield connection
    finally:
        await connection.close()


def addresses(url: str) -> list[str]:
    """The servers that a URL with commas names."""
    return [one.strip() for one in url.split(",")]


def answer(reply: Msg) -> dict[str, Any]:
    """The JSON of a JetStream reply. Raises Rejected, or Unanswered for a failure that passes."""
    document: dict[str, Any] = json.loads(reply.data)
    if error := document.get("error"):
        code = int(error.get("err_code", error.get("code", 0)))
        if error.get("code") == 503 and code not in FULL:
            raise Unanswered(error.get("description", "unavailable"))
        raise Rejected(code, error.get("description", ""))
    return document


async def not_stored(connection: Connection, stream: str, what: str, last: Unanswered, patience: float) -> LogError:
    """Why a stream took nothing for so many seconds: it is full, as far as can be told, or cannot be reached.

    `last`: what became of the last attempt to store `what`. With a full disk a nats-server leaves what is published
    unanswered (also when there is room again, until it is started anew) and goes on to answer everything else.
    """
    if isinstance(last, Silence):
        with contextlib.suppress(Unanswered, Rejected):
            answer(await connection.request(f"$JS.API.STREAM.INFO.{stream}"))
            return LogFull(
                f"the stream {stream} answers, but stored nothing for {patience:g} s: the disk of its nats-server is "
                "full or fails; once there is room, restart that server"
            )
    return LogUnavailable(
        f"the stream {stream} did not answer for {patience:g} s ({last}); whether {what} is stored is unknown"
    )


def expect_empty(subject_filter: str) -> dict[str, str]:
    """Headers that make the server store a message only if nothing stands under the filter.

    The filter must cover the message's subject, else nothing is checked; every writer must name the same one.
    """
    name = Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value
    return {name: "0", f"{name}-Subject": subject_filter}


def pauses(patience: float) -> Iterator[float]:
    """Seconds to wait after each attempt, growing, as long as patience lasts; at least one."""
    clock, pause = asyncio.get_running_loop().time, 0.02
    deadline = clock() + patience
    while True:
        yield pause
        if clock() > deadline:
            return
        pause = min(pause * 2, 1.0)


async def attempts(patience: float) -> AsyncIterator[None]:
    """Go round the loop until patience is lost."""
    for pause in pauses(patience):
        yield
        await asyncio.sleep(pause)
