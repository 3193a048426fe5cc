"""Sealed content too large for an event: kept beside the log, in chunks under the hash of the sealed bytes.

The nonce of a seal is random, so two sessions never share a blob, and erasing one leaves no copy in another.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import orjson

from infra.event_log.errors import Unreadable
from infra.event_log.keys import Key
from infra.event_log.write_once import WriteOnce

INLINE_LIMIT = 256 * 1024
"""Bytes of sealed content up to which it stays in its event."""

_CHUNK = 512 * 1024
_MARK = b'"blob":'
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Blobs:
    def __init__(self, chunks: WriteOnce) -> None:
        self._chunks = chunks

    async def detach(self, session_id: UUID, state: bytes) -> bytes:
        """The state of an event with its content put aside, if that is large."""
        if len(state) <= INLINE_LIMIT:
            return state
        document = orjson.loads(state)
        slot = document["content"]
        data = base64.b64decode(slot["data"]) if slot else b""
        if len(data) <= INLINE_LIMIT:
            return state
        del slot["data"]
        digest = hashlib.sha256(data).hexdigest()
        chunks = [data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)]
        for number, chunk in enumerate(chunks):
            await self._chunks.put(f"{session_id}.{digest}.{number}", chunk)
        return orjson.dumps({**document, "content": {**slot, "blob": digest, "chunks": len(chunks)}})

    async def attach(self, session_id: UUID, state: bytes, key: Key | None) -> bytes:
        """The state of an event with its content in place, unless its key is gone and it could not be read anyway.

        Raises Unreadable if what was put aside is not there.
        """
        if _MARK not in state:
            return state
        document: dict[str, Any] = orjson.loads(state)
        slot: Mapping[str, Any] | None = document["content"]
        if slot is None or "blob" not in slot or (slot["kid"] and key is None):
            return state
        data = await self._data(session_id, slot)
        return orjson.dumps({**document, "content": {**slot, "data": base64.b64encode(data).decode()}})

    async def sealed(self, session_id: str, state: bytes) -> bytes | None:
        """What was put aside of this event; None if nothing was. Raises Unreadable unless it is there, unaltered. Needs
        no key."""
        try:
            if _MARK in state and (slot := orjson.loads(state)["content"]) and "blob" in slot:
                return await self._data(UUID(session_id), slot)
        except (KeyError, ValueError, TypeError) as error:
            raise Unreadable(f"session {session_id}: what is kept beside an event cannot be told: {error}") from error
        return None

    async def _data(self, session_id: UUID, slot: Mapping[str, Any]) -> bytes:
        if not _DIGEST.fullmatch(slot["blob"]):
            raise Unreadable(f"session {session_id}: {slot['blob']!r} names no content")
        chunks: list[bytes] = []
        for number in range(slot["chunks"]):
            if (chunk := await self._chunks.get(f"{session_id}.{slot['blob']}.{number}")) is None:
                break
            chunks.append(chunk)
        data = b"".join(chunks)
        if hashlib.sha256(data).hexdigest() != slot["blob"]:
            raise Unreadable(f"session {session_id}: the content kept under {slot['blob']} is missing or was altered")
        return data
