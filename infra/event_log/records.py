"""The streams of accesses and of public verdicts as they are stored, message by message, to be signed and verified."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.audit.record import Record, own_headers
from infra.event_log.connection import Connection, Unanswered, answer, attempts
from infra.event_log.direct_get import direct_get
from infra.event_log.errors import LogUnavailable

_PATIENCE_S = 15.0
_SESSION = re.compile(r"\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.")


class RecordStream:
    """One such stream over one connection. Methods raise LogUnavailable."""

    def __init__(self, connection: Connection, stream: str) -> None:
        self._connection = connection
        self.stream = stream

    async def stored_page(self, after: int, limit: int) -> Sequence[Record]:
        """Up to `limit` messages behind a position, whatever their subject, in order."""
        query = {"seq": after + 1, "batch": limit, "next_by_subj": ">"}
        messages, _ = await direct_get(self._connection, self.stream, query, _PATIENCE_S)
        return [
            Record(
                subject := message.headers["Nats-Subject"],
                int(message.headers["Nats-Sequence"]),
                own_headers(message.headers),
                message.data,
                found[1] if (found := _SESSION.search(subject)) else None,
            )
            for message in messages
        ]

    async def end(self) -> int:
        """How many messages the stream's leader has counted."""
        async for _ in attempts(_PATIENCE_S):
            try:
                info = answer(await self._connection.request(f"$JS.API.STREAM.INFO.{self.stream}"))
            except Unanswered:
                continue
            return int(info["state"]["last_seq"])
        raise LogUnavailable(f"the stream {self.stream} did not answer for {_PATIENCE_S:g} s")

    async def confirm_heads(self) -> None:
        """Nothing: what the events' heads say of the log is looked at before."""
