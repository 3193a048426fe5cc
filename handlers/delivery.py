"""How a reaction's message is kept, answered and given up (R7; the broker's defaults would lose events).

- while a handler works, its message is kept alive, so that nobody else takes it; one that records nothing for too long
  has failed, and its message is kept alive no more;
- done: acknowledged; failed: put back with a growing delay; failed too often: given up, that is, the session ends with
  a reason, or a verdict is parked. How often a session's step was begun stands in its events, for all workers;
- the log cannot be reached, or another worker is at it: left alone, the server delivers it again by itself;
- this worker stops: put back at once; has no key for the session's model server: put back for one that has;
- a newer release wrote an event of the session: put back for a worker of that release, which is no failure (R89);
- no event of a session, or one whose record is broken: taken off the consumer, for no delivery can mend it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from faststream import BaseMiddleware
from faststream.message import StreamMessage
from faststream.nats.message import NatsMessage
from nats.errors import Error as NatsError

from handlers.deadline import STEP_S, Deadline, deadline
from handlers.runner import Superseded
from handlers.workbench import NoCredentials
from infra.event_log.errors import ChainBroken, HeadContradicted, LogFull, LogUnavailable, NewerEvent, Unreadable
from infra.event_log.newer import Told

log = logging.getLogger(__name__)

MAX_FAILURES = 8
"""Exceptions over one message in one process."""

DELIVERIES_A_ROUND = 16
STAND_ASIDE_S = 1.0
CLOSING_S = 0.5
"""After which a message comes back that a stopping worker puts back: by then its own requests are gone, to which the
server would hand it at once, and which nobody answers any more."""

HAND_BACKS_AT_ONCE = 10
"""Of a message that only a newer release can handle: it passes by this worker's requests, which are first in the
server's queue, and comes to another's. Then there is a pause, a longer one each time."""

MAX_HAND_BACKS = 80
"""Then the message is taken off, after a minute or two: its session stays unfinished, and the pump of the newer
release takes it up."""

MAX_DELAY_S = 30.0
MAX_REMEMBERED = 10_000


class GiveUp(Protocol):
    """What is done about an event whose message keeps failing, so that the message can be acknowledged."""

    def __call__(self, session_id: UUID, version: int, error: BaseException, /) -> Awaitable[None]: ...


def session_of(subject: str) -> UUID:
    """`assay.event.<partition>.<session_id>.<version>.<EventType>` → the session's id. Raises ValueError."""
    return UUID(subject.split(".")[3])


def version_of(subject: str) -> int:
    """The event's version in its session, from the same subject. Raises ValueError."""
    return int(subject.split(".")[4])


def delay_after(failures: int) -> float:
    """Seconds before the next delivery, after this many failures."""
    return min(MAX_DELAY_S, 0.25 * 2.0 ** min(failures, 16))


@dataclass(slots=True)
class Failures:
    """How often each message of one consumer failed in this process; the oldest are forgotten first."""

    _counts: dict[str, int] = field(default_factory=dict)

    def add(self, subject: str) -> int:
        count = self._counts.pop(subject, 0) + 1
        self._counts[subject] = count
        if len(self._counts) > MAX_REMEMBERED:
            del self._counts[next(iter(self._counts))]
        return count

    def forget(self, subject: str) -> None:
        self._counts.pop(subject, None)


@asynccontextmanager
async def kept_alive(message: NatsMessage, every_s: float, until: Deadline) -> AsyncIterator[None]:
    """Tell the server that the message is being worked on, until the block ends or its deadline is over."""

    async def beat() -> None:
        while not until.is_over:
            await asyncio.sleep(every_s)
            with suppress(NatsError, OSError):
                await message.in_progress()

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()


@dataclass(frozen=True, slots=True)
class Care:
    """How the messages of one consumer are treated. `has_pump`: a session that nobody triggers any more is taken up all
    the same. `is_last_try`: no further try of the session's step is allowed, whoever made the others.
    """

    stage: str
    ack_wait_s: float
    give_up: GiveUp
    has_pump: bool = True
    is_last_try: Callable[[UUID], Awaitable[bool]] | None = None
    step_s: float = STEP_S
    failures: Failures = field(default_factory=Failures)
    told: Told = field(default_factory=Told)
    newer: dict[UUID, NewerEvent] = field(default_factory=dict)  # sessions to be handed back without another look


class Delivery(BaseMiddleware[Any, Any]):
    """FastStream middleware around a reaction; build it with `functools.partial(Delivery, care=…)`."""

    def __init__(self, msg: Any, /, *, context: Any, care: Care) -> None:
        super().__init__(msg, context=context)
        self._care = care

    async def consume_scope(self, call_next: Callable[[Any], Awaitable[Any]], msg: StreamMessage[Any]) -> Any:
        if not isinstance(msg, NatsMessage):
            raise TypeError(f"not a message of NATS: {msg!r}")
        try:
            await self._handled(call_next, msg)
        except asyncio.CancelledError:
            await _answer(msg.nack(delay=CLOSING_S))
            raise

    async def _handled(self, call_next: Callable[[Any], Awaitable[Any]], msg: NatsMessage) -> None:
        care, subject = self._care, msg.raw_message.subject
        try:
            session_id, _ = session_of(subject), version_of(subject)
        except ValueError:
            log.error("%s: %s is no event of a session", care.stage, subject)
            return await _answer(msg.reject())
        if newer := care.newer.get(session_id):
            return await self._left_to_newer(msg, newer)
        try:
            async with deadline(care.step_s) as until, kept_alive(msg, care.ack_wait_s / 3, until):
                await call_next(msg)
        except (Superseded, LogUnavailable) as reason:
            log.info("%s: left to redelivery: %s", care.stage, reason)
        except NoCredentials as reason:
            log.info("%s: left to another worker: %s", care.stage, reason)
            await _left_to_another(msg)
        except NewerEvent as newer:
            await self._left_to_newer(msg, newer)
        except (LogFull, HeadContradicted) as reason:
            log.error("%s: %s", care.stage, reason)
            await _answer(msg.nack(delay=MAX_DELAY_S))
        except Exception as error:
            await self._failed(msg, error)
        else:
            care.failures.forget(subject)
            await _answer(msg.ack())

    async def _failed(self, msg: NatsMessage, error: Exception) -> None:
        care, subject = self._care, msg.raw_message.subject
        failures = care.failures.add(subject)
        log.error("%s failed, %d times so far, on %s", care.stage, failures, subject, exc_info=error)
        if failures < MAX_FAILURES and not await self._was_last(session_of(subject)):
            return await _answer(msg.nack(delay=delay_after(failures)))
        try:
            await care.give_up(session_of(subject), version_of(subject), error)
        except NewerEvent as newer:
            await self._left_to_newer(msg, newer)
        except (ChainBroken, Unreadable) as broken:
            log.critical("%s: the session cannot even be ended: %s", care.stage, broken)
            await _answer(msg.reject())
        except Exception:
            log.exception("%s: %s could not be given up", care.stage, subject)
            await _answer(msg.nack(delay=MAX_DELAY_S))
        else:
            log.error("%s: given up: %s", care.stage, subject)
            care.failures.forget(subject)
            await _answer(msg.ack())

    async def _was_last(self, session_id: UUID) -> bool:
        care = self._care
        try:
            return care.is_last_try is not None and await care.is_last_try(session_id)
        except Exception as unknown:  # then it is tried once more
            log.info("%s: how often it was tried cannot be read: %s", care.stage, unknown)
            return False

    async def _left_to_newer(self, msg: NatsMessage, newer: NewerEvent) -> None:
        """Put back for another worker, ever more slowly. This process never learns to read the session."""
        care, deliveries = self._care, msg.raw_message.metadata.num_delivered
        care.told.say(care.stage, newer)
        care.newer[session_of(msg.raw_message.subject)] = newer
        if len(care.newer) > MAX_REMEMBERED:
            del care.newer[next(iter(care.newer))]
        if care.has_pump and deliveries >= MAX_HAND_BACKS:
            log.info("%s: left to the pump of that release: %s", care.stage, newer)
            return await _answer(msg.ack())
        rounds, is_within = divmod(deliveries, HAND_BACKS_AT_ONCE)
        return await _answer(msg.nack(delay=None if is_within else delay_after(rounds)))


async def _left_to_another(msg: NatsMessage) -> None:
    """Put back, and ask for nothing for a moment: else this worker's requests, which are first in the server's queue,
    would get it again and again. Where nobody can take it, it comes round ever more slowly.
    """
    rounds = msg.raw_message.metadata.num_delivered // DELIVERIES_A_ROUND
    await _answer(msg.nack(delay=delay_after(rounds) if rounds else None))
    await asyncio.sleep(STAND_ASIDE_S)


async def _answer(answer: Awaitable[None]) -> None:
    """An answer that cannot be sent is made up for by redelivery."""
    with suppress(NatsError, OSError):
        await answer
