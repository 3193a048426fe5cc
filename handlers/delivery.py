"""How a reaction's message is kept, answered and given up (R7; the broker's defaults would lose events).

- while a handler works, its message is kept alive, so that nobody else takes it;
- done: acknowledged; failed: put back with a growing delay; failed too often: the session ends with a reason;
- the log cannot be reached, or another worker is at it: left alone, the server delivers it again by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

from faststream import BaseMiddleware
from faststream.message import StreamMessage
from faststream.nats.message import NatsMessage
from nats.errors import Error as NatsError

from handlers.runner import Superseded
from infra.event_log.errors import LogFull, LogUnavailable

log = logging.getLogger(__name__)

MAX_FAILURES = 8
MAX_DELAY_S = 30.0

GiveUp = Callable[[UUID, str, BaseException], Awaitable[None]]
"""Ends the session of a message that keeps failing: session id, stage and the last error."""


def session_of(subject: str) -> UUID:
    """`assay.event.<partition>.<session_id>.<version>.<EventType>` → the session's id."""
    return UUID(subject.split(".")[3])


def version_of(subject: str) -> int:
    """The event's version in its session, from the same subject."""
    return int(subject.split(".")[4])


def delay_after(deliveries: int) -> float:
    """Seconds before the next delivery, after this many."""
    return min(MAX_DELAY_S, 0.5 * 2.0 ** max(0, deliveries - 1))


@asynccontextmanager
async def kept_alive(message: NatsMessage, every_s: float) -> AsyncIterator[None]:
    """Tell the server that the message is being worked on, until the block ends."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(every_s)
            with suppress(NatsError):
                await message.in_progress()

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class Delivery(BaseMiddleware[Any, Any]):
    """FastStream middleware around every reaction; build it with `functools.partial(Delivery, stage=…, …)`.

    Without `give_up` a message is tried for ever.
    """

    def __init__(self, msg: Any, /, *, context: Any, stage: str, ack_wait_s: float, give_up: GiveUp | None) -> None:
        super().__init__(msg, context=context)
        self._stage = stage
        self._ack_wait_s = ack_wait_s
        self._give_up = give_up

    async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: StreamMessage[Any]) -> Any:
        if not isinstance(msg, NatsMessage):
            return await call_next(msg)
        async with kept_alive(msg, self._ack_wait_s / 3):
            try:
                await call_next(msg)
            except asyncio.CancelledError:
                with suppress(NatsError):
                    await msg.nack()
                raise
            except (Superseded, LogUnavailable) as reason:
                log.info("%s: left to redelivery: %s", self._stage, reason)
                return None
            except LogFull as reason:
                log.error("%s: %s", self._stage, reason)
                await _answer(msg.nack(delay=MAX_DELAY_S))
                return None
            except Exception as error:
                await self._failed(msg, error)
                return None
            await _answer(msg.ack())
        return None

    async def _failed(self, msg: NatsMessage, error: Exception) -> None:
        deliveries = msg.raw_message.metadata.num_delivered
        if deliveries < MAX_FAILURES or self._give_up is None:
            log.exception("%s failed, delivery %d", self._stage, deliveries)
            await _answer(msg.nack(delay=delay_after(deliveries)))
            return
        log.exception("%s failed %d times, the session ends", self._stage, deliveries)
        try:
            await self._give_up(session_of(msg.raw_message.subject), self._stage, error)
        except Exception:
            log.exception("could not end the session")
            await _answer(msg.nack(delay=MAX_DELAY_S))
            return
        await _answer(msg.ack())


async def _answer(answer: Awaitable[None]) -> None:
    """An answer that cannot be sent is made up for by redelivery."""
    with suppress(NatsError, ConnectionError):
        await answer
