"""Reading stored messages by JetStream's direct get: of a cluster, any replica may answer, and it may lag behind."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from infra.event_log.connection import STATUS, Connection, Reply, Unanswered, attempts
from infra.event_log.errors import LogError, LogUnavailable

_ENDS = ("204", "404", "413")
"""Statuses of the reply that comes last: the end, nothing found, too many subjects."""


async def direct_get(
    connection: Connection, stream: str, query: Mapping[str, Any], patience: float
) -> tuple[list[Reply], Mapping[str, str]]:
    """The messages found, and the headers of the reply that ended them. Raises LogUnavailable after `patience` s."""
    payload = json.dumps(query).encode()
    async for _ in attempts(patience):
        with contextlib.suppress(Unanswered):
            *messages, end = await connection.request_many(f"$JS.API.DIRECT.GET.{stream}", payload)
            if end.headers[STATUS] in _ENDS:
                return messages, end.headers
            if end.headers[STATUS] != "503":
                raise LogError(f"reading {stream} failed: {dict(end.headers)}")
    raise LogUnavailable(f"the stream {stream} did not answer for {patience:g} s")
