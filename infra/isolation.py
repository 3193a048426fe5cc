"""Foreign messages that an operator has set aside (R75): reads and signing go on behind them.

Each decision is a message of its own on the stream of accesses, and so under a signed head. It names what was set aside
by its digest: another message at the same position is not meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, Field

from infra.access import ACTOR_PATTERN
from infra.event_log.connection import Connection
from infra.event_log.errors import Unreadable
from infra.event_log.write_once import WriteOnce
from infra.streams import ACCESS, ACCESS_PREFIX

NAME = "isolated"
_PATIENCE_S = 5.0


class Isolation(BaseModel):
    """`digest`: of the message's subject, own headers and body (`domain.audit.record`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stream: str
    position: int
    digest: str
    time: datetime = Field(default_factory=lambda: datetime.now(UTC))
    actor: str = Field(pattern=rf"^{ACTOR_PATTERN}$")
    reason: str


async def isolate(connection: Connection, isolation: Isolation) -> bool:
    """False if it was done before. Raises LogFull or LogUnavailable."""
    name = f"{NAME}.{isolation.stream}.{isolation.position}"
    return await _stream(connection).put(name, isolation.model_dump_json().encode())


async def isolations(connection: Connection, stream: str) -> Mapping[int, Isolation]:
    """What was set aside in a stream, by position. Raises LogUnavailable."""
    found = [Isolation.model_validate_json(body) async for body in _stream(connection).all(f"{NAME}.{stream}.*")]
    return {one.position: one for one in found}


async def refuse_foreign(connection: Connection, stream: str, position: int, error: Exception) -> None:
    """Raises Unreadable for a message that was not set aside."""
    if position not in await isolations(connection, stream):
        reason = str(error).partition("\n")[0]
        raise Unreadable(
            f"{stream} position {position} holds a foreign message ({reason}); `assay log isolate {stream} {position} "
            "--reason …` sets it aside"
        ) from error


def _stream(connection: Connection) -> WriteOnce:
    return WriteOnce(connection, stream=ACCESS, prefix=ACCESS_PREFIX, patience=_PATIENCE_S)
