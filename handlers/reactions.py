"""One reaction per step, on durable pull consumers (R1): each recorded event triggers the next step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from faststream import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsMessage, NatsRouter, PullSub

from handlers.delivery import Care, Delivery, session_of, version_of
from handlers.runner import SessionRunner
from handlers.verdict_publisher import VerdictPublisher
from infra.parked import ParkedDeliveries
from infra.streams import EVENTS, REACTIONS

STREAM = JStream(EVENTS, declare=False)  # declaring would rewrite the stream's configuration
FETCH_TIMEOUT_S = 5.0

PUBLISHERS = {durable: topic for durable, topic in REACTIONS.items() if durable.startswith("verdict-publisher-")}
PHASES = {durable: topic for durable, topic in REACTIONS.items() if durable not in PUBLISHERS}
"""Durable consumers by what they are for, and the one event type each hears of."""

React = Callable[[UUID, int, bool], Awaitable[object]]
"""Called with the session, the version of the triggering event, and whether it was delivered before."""


@dataclass(frozen=True, slots=True)
class Subscriptions:
    """How reactions subscribe: the user's inbox prefix, the consumers' acknowledgement wait, and how many at once."""

    inbox_prefix: bytes
    ack_wait_s: float
    concurrency: int


def add_reactions(broker: NatsBroker, runner: SessionRunner, subscriptions: Subscriptions) -> None:
    """Planner, executor, gatekeeper, verifier and composer. A step that keeps failing ends its session (R7)."""
    for phase, topic in PHASES.items():

        async def react(session_id: UUID, version: int, again: bool, phase: str = phase) -> None:
            await runner.advance(session_id, phase, version=version, again=again)

        async def end(session_id: UUID, _: int, error: BaseException, phase: str = phase) -> None:
            await runner.give_up(session_id, phase, error)

        care = Care(phase, subscriptions.ack_wait_s, end, is_last_try=runner.is_last_try)
        subscribe(broker, subscriptions, topic, react, care)


def add_publisher(
    broker: NatsBroker, publisher: VerdictPublisher, parked: ParkedDeliveries, subscriptions: Subscriptions
) -> None:
    """The verdict publisher, on a consumer for each event type it makes public (R52). What keeps failing is parked, and
    others go on; a server that is away is waited for, however often a message is delivered meanwhile (R66).
    """
    for durable, topic in PUBLISHERS.items():

        async def publish(session_id: UUID, version: int, _: bool) -> None:
            await publisher.publish(session_id, version)

        async def park(session_id: UUID, version: int, error: BaseException, durable: str = durable) -> None:
            await parked.park(session_id, version, durable, error)

        care = Care(durable, subscriptions.ack_wait_s, park, has_pump=False)
        subscribe(broker, subscriptions, topic, publish, care)


def subscribe(broker: NatsBroker, subscriptions: Subscriptions, topic: str, react: React, care: Care) -> None:
    """Subscribe `concurrency` times, a message each: what is fetched is worked on and kept alive, never queued."""
    router = NatsRouter(middlewares=(partial(Delivery, care=care),))

    async def handle(message: NatsMessage) -> None:
        raw = message.raw_message
        again = raw.metadata.num_delivered > 1
        await react(session_of(raw.subject), version_of(raw.subject), again)

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


async def _undecoded(message: NatsMessage) -> bytes:
    """The subject says all; a body that cannot be decoded must not fail outside the middleware, unanswered."""
    return message.body
