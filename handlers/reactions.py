"""One reaction per step, on durable pull consumers (R1): each recorded event triggers the next step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from faststream import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsMessage, NatsRouter, PullSub
from nats.errors import Error as NatsError

from handlers.delivery import CLOSING_S, Care, Delivery, session_of, version_of
from handlers.runner import SessionRunner
from handlers.verdict_publisher import VerdictPublisher
from infra.parked import ParkedDeliveries
from infra.streams import EVENTS, REACTIONS

STREAM = JStream(EVENTS, declare=False)  # declaring would rewrite the stream's configuration
FETCH_TIMEOUT_S = 5.0

PUBLISHERS = {durable: topic for durable, topic in REACTIONS.items() if durable.startswith("verdict-publisher-")}
PHASES = {durable: topic for durable, topic in REACTIONS.items() if durable not in PUBLISHERS}
"""Durable consumers by what they are for, and the one event type each hears of."""

React = Callable[[UUID, int], Awaitable[object]]
"""Called with the session and the version of the triggering event."""


@dataclass(frozen=True, slots=True)
class Subscriptions:
    """How reactions subscribe: the user's inbox prefix, the consumers' acknowledgement wait, and how many at once."""

    inbox_prefix: bytes
    ack_wait_s: float
    concurrency: int


def add_reactions(broker: NatsBroker, runner: SessionRunner, subscriptions: Subscriptions) -> None:
    """Planner, executor, gatekeeper, verifier and composer. A step that keeps failing ends its session (R7)."""
    for phase, topic in PHASES.items():

        async def react(session_id: UUID, version: int, phase: str = phase) -> None:
            await runner.advance(session_id, phase, version=version)

        async def end(session_id: UUID, _: int, error: BaseException, phase: str = phase) -> None:
            await runner.give_up(session_id, phase, error)

        care = Care(phase, subscriptions.ack_wait_s, end)
        subscribe(broker, subscriptions, topic, react, care)


def add_publisher(
    broker: NatsBroker, publisher: VerdictPublisher, parked: ParkedDeliveries, subscriptions: Subscriptions
) -> None:
    """The verdict publisher, on a consumer for each event type it makes public (R52). What keeps failing is parked, and
    others go on; a server that is away is waited for, however often a message is delivered meanwhile (R66).
    """
    for durable, topic in PUBLISHERS.items():

        async def park(session_id: UUID, version: int, error: BaseException, durable: str = durable) -> None:
            await parked.park(session_id, version, durable, error)

        care = Care(durable, subscriptions.ack_wait_s, park, max_deliveries=None)
        subscribe(broker, subscriptions, topic, publisher.publish, care)


def subscribe(broker: NatsBroker, subscriptions: Subscriptions, topic: str, react: React, care: Care) -> None:
    """Subscribe `concurrency` times, a message each: what is fetched is worked on and kept alive, never queued."""
    router = NatsRouter(middlewares=(partial(Delivery, care=care),))

    async def handle(message: NatsMessage) -> None:
        subject = message.raw_message.subject
        await react(session_of(subject), version_of(subject))

    for _ in range(subscriptions.concurrency):
        router.subscriber(
            f"assay.event.*.*.*.{topic}",
            durable=care.stage,
            stream=STREAM,
            pull_sub=PullSub(batch_size=1, timeout=FETCH_TIMEOUT_S),
            inbox_prefix=subscriptions.inbox_prefix + b".",
            ack_policy=AckPolicy.MANUAL,
            decoder=_undecoded,
        )(handle)
    broker.include_router(router)


async def stop_pulling(broker: NatsBroker) -> None:
    """Take back what the subscribers have asked for, before they are stopped.

    A request waits at the server for the next message. FastStream forgets its subscription before the server has heard
    of that: what came in between was nobody's, and its session stood still for the acknowledgement wait.
    """
    client = await broker.connect()
    pulls = [pull for one in broker.subscribers if (pull := getattr(one, "subscription", None)) is not None]
    with suppress(NatsError, OSError, TimeoutError):
        for pull in pulls:
            await client._send_unsubscribe(pull._sub._id)
        await client.flush()  # once it is answered nothing more comes; what came is in hand, or lies in a queue
        for pull in pulls:
            while not pull._sub._pending_queue.empty():
                message = pull._sub._pending_queue.get_nowait()
                if message.reply.startswith("$JS.ACK"):
                    await message.nak(delay=CLOSING_S)


async def _undecoded(message: NatsMessage) -> bytes:
    """The subject says all; a body that cannot be decoded must not fail outside the middleware, unanswered."""
    return message.body
