"""Whole streams out of JetStream and back, packed by nats-server itself: positions, times and headers stay (R67)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO, NoReturn

import nats.errors
from nats.aio.msg import Msg

from infra.event_log.connection import STATUS, Connection, Rejected, Unanswered, answer
from infra.event_log.errors import LogError, LogUnavailable

_CHUNK = 128 * 1024  # bytes
_SILENCE = 60.0  # seconds; a server that restores acknowledges a chunk only once it is on its disk
_COMPLETE = "204"


async def take_snapshot(connection: Connection, stream: str, into: BinaryIO) -> Mapping[str, Any]:
    """Write a stream's messages, without its consumers, and return its `config` and the `state` they are in.

    The stream goes on meanwhile. It may end in the middle of an atomic commit. Needs the admin's user. Raises LogError
    or OSError.
    """
    inbox = connection.client.new_inbox()
    subscription = await connection.client.subscribe(inbox)
    try:
        wanted = {"deliver_subject": inbox, "no_consumers": True, "chunk_size": _CHUNK}
        told = await _asked(connection, stream, "SNAPSHOT", wanted)
        while (chunk := await subscription.next_msg(_SILENCE)).data:
            into.write(chunk.data)
            if chunk.reply:  # the server waits for it before it sends more
                await chunk.respond(b"")
        if (chunk.headers or {}).get(STATUS, _COMPLETE) != _COMPLETE:
            raise LogError(f"the snapshot of {stream} broke off: {chunk.headers}")
    except nats.errors.TimeoutError:
        raise LogUnavailable(f"the snapshot of {stream} broke off: no answer for {_SILENCE:g} s") from None
    finally:
        await subscription.unsubscribe()
    return {"config": told["config"], "state": told["state"]}


async def restore_snapshot(
    connection: Connection, stream: str, snapshot: Mapping[str, Any], source: BinaryIO
) -> Mapping[str, Any]:
    """Create a stream that does not exist from a snapshot, and return its state. Needs the admin's user.

    Raises LogError; then there is no stream.
    """
    told = await _asked(connection, stream, "RESTORE", snapshot)
    while chunk := source.read(_CHUNK):
        await _sent(connection, stream, told["deliver_subject"], chunk)
    try:
        return dict(answer(await _sent(connection, stream, told["deliver_subject"], b""))["state"])
    except (Rejected, Unanswered) as error:
        _refused(stream, "RESTORE", error)


async def _asked(connection: Connection, stream: str, what: str, query: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return answer(await connection.request(f"$JS.API.STREAM.{what}.{stream}", json.dumps(query).encode()))
    except (Rejected, Unanswered) as error:
        _refused(stream, what, error)


async def _sent(connection: Connection, stream: str, subject: str, chunk: bytes) -> Msg:
    try:
        return await connection.client.request(subject, chunk, timeout=_SILENCE)
    except nats.errors.Error as error:
        _refused(stream, "RESTORE", error)


def _refused(stream: str, what: str, error: Exception) -> NoReturn:
    raise LogError(f"{what.lower()} of {stream} failed: {str(error) or type(error).__name__}") from None
