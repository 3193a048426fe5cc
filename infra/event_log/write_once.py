"""A stream where each subject is written once: blobs, verdicts for other systems, parked ones, the access log."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any

from infra.event_log.connection import (
    FULL,
    NOT_FOUND,
    OCCUPIED,
    Connection,
    Rejected,
    Unanswered,
    answer,
    attempts,
    expect_empty,
    not_stored,
)
from infra.event_log.direct_get import direct_get
from infra.event_log.errors import LogError, LogFull, LogUnavailable

_PAGE = 1_000


class WriteOnce:
    """One such stream over one connection. `patience`: seconds for which an unanswered request is repeated."""

    def __init__(self, connection: Connection, *, stream: str, prefix: str, patience: float = 15.0) -> None:
        self._connection = connection
        self._stream = stream
        self._prefix = prefix
        self._patience = patience

    async def put(self, name: str, body: bytes, headers: Mapping[str, str] | None = None) -> bool:
        """Store a message under `<prefix>.<name>`; False if something stands there already, be it an earlier attempt.

        Raises LogFull or LogUnavailable.
        """
        subject = f"{self._prefix}.{name}"
        last = Unanswered("not asked")
        async for _ in attempts(self._patience):
            try:
                stored = answer(
                    await self._connection.request(subject, body, {**(headers or {}), **expect_empty(subject)})
                )
            except Unanswered as error:
                last = error
                continue
            except Rejected as error:
                if error.code in OCCUPIED:
                    return False
                if error.code in FULL:
                    raise LogFull(f"{self._stream} takes nothing more: {error}") from None
                raise LogError(f"{self._stream} refused {subject}: {error} ({error.code})") from None
            return not stored.get("duplicate", False)
        raise await not_stored(self._connection, self._stream, subject, last, self._patience)

    async def get(self, name: str) -> bytes | None:
        """What stands under a name, as the stream's leader knows it; None if nothing."""
        found = await self._last(name)
        return base64.b64decode(found.get("data", "")) if found else None

    async def last_name(self, names: str) -> str | None:
        """The name, covered by a filter, that was written last; None if none was."""
        found = await self._last(names)
        return str(found["subject"]).removeprefix(f"{self._prefix}.") if found else None

    async def _last(self, name: str) -> dict[str, Any] | None:
        query = json.dumps({"last_by_subj": f"{self._prefix}.{name}"}).encode()
        async for _ in attempts(self._patience):
            try:
                found = answer(await self._connection.request(f"$JS.API.STREAM.MSG.GET.{self._stream}", query))
            except Unanswered:
                continue
            except Rejected as error:
                if error.code == NOT_FOUND:
                    return None
                raise LogError(f"{self._stream} refused to be read: {error} ({error.code})") from None
            message: dict[str, Any] = found["message"]
            return message
        raise self._unavailable()

    async def all(self, names: str = ">", since: datetime | None = None) -> AsyncIterator[bytes]:
        """What stands under the names that a filter covers, in the order it was stored. Raises LogUnavailable."""
        async for _, body in self.all_placed(names, since):
            yield body

    async def all_placed(self, names: str = ">", since: datetime | None = None) -> AsyncIterator[tuple[int, bytes]]:
        """The same, each with its position."""
        query: dict[str, Any] = {"batch": _PAGE, "next_by_subj": f"{self._prefix}.{names}"}
        query |= {"start_time": since.isoformat()} if since else {"seq": 1}
        while True:
            page, _ = await direct_get(self._connection, self._stream, query, self._patience)
            for message in page:
                yield int(message.headers["Nats-Sequence"]), message.data
            if not page:
                return
            query.pop("start_time", None)
            query["seq"] = int(page[-1].headers["Nats-Sequence"]) + 1

    def _unavailable(self) -> LogUnavailable:
        return LogUnavailable(f"the stream {self._stream} did not answer for {self._patience:g} s")
