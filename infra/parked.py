"""Deliveries of verdict events that kept failing, put aside for somebody to look at (R66).

Each is a message that is written once, and so is what became of it: published after all, or dropped. Nothing is lost:
the record stays, and the event itself stands in the log. They live on a stream and not in PostgreSQL, so that they are
there when the read models are rebuilt.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from infra.event_log.connection import Connection
from infra.event_log.write_once import WriteOnce
from infra.isolation import refuse_foreign
from infra.streams import PARKED, PARKED_PREFIX

_ERROR_LENGTH = 200


class Settlement(BaseModel):
    """What became of a parked delivery, and by whom."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: UUID
    version: int
    result: Literal["published", "dropped"]
    time: datetime = Field(default_factory=lambda: datetime.now(UTC))
    actor: str
    reason: str = ""


class ParkedDelivery(BaseModel):
    """The event that could not be published: its session, its version there, the consumer that delivered it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: UUID
    version: int
    consumer: str
    time: datetime = Field(default_factory=lambda: datetime.now(UTC))
    error: str
    settlement: Settlement | None = None

    @property
    def name(self) -> str:
        return f"{self.session_id}.{self.version}"


_Record = TypeVar("_Record", ParkedDelivery, Settlement)


class ParkedDeliveries:
    """The stream of them, over a connection of the service. Methods raise LogUnavailable, those that write LogFull."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stream = WriteOnce(connection, stream=PARKED, prefix=PARKED_PREFIX)

    async def park(self, session_id: UUID, version: int, consumer: str, error: BaseException) -> None:
        """Put a delivery aside; one that is parked already is left as it is."""
        parked = ParkedDelivery(session_id=session_id, version=version, consumer=consumer, error=said(error))
        await self._put("parked", parked)

    async def settle(self, settlement: Settlement) -> bool:
        """False if somebody else has settled it before."""
        return await self._put("settled", settlement)

    async def all(self) -> list[ParkedDelivery]:
        """In the order they were parked, each with what became of it."""
        parked = [one async for one in self._read("parked", ParkedDelivery)]
        settled = {(one.session_id, one.version): one async for one in self._read("settled", Settlement)}
        return [one.model_copy(update={"settlement": settled.get((one.session_id, one.version))}) for one in parked]

    async def _put(self, kind: str, record: ParkedDelivery | Settlement) -> bool:
        body = record.model_dump_json(exclude_none=True).encode()
        return await self._stream.put(f"{record.session_id}.{record.version}.{kind}", body)

    async def _read(self, kind: str, record: type[_Record]) -> AsyncIterator[_Record]:
        async for position, body in self._stream.all_placed(f"*.*.{kind}"):
            try:
                found = record.model_validate_json(body)
            except ValidationError as error:
                await refuse_foreign(self._connection, PARKED, position, error)
            else:
                yield found


def said(error: BaseException) -> str:
    """The first line: further ones may quote content, which could not be erased here (R62)."""
    from domain.evidence.masking import mask  # loads RE2, which nobody needs until something fails

    return mask(f"{type(error).__name__}: {str(error).partition(chr(10))[0][:_ERROR_LENGTH]}")[0]
