"""One reaction per step, on durable pull consumers (R1): each recorded event triggers the next step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from faststream import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsMessage, NatsRouter, PullSub

from domain.session.commands import FailSession
from handlers.delivery import Delivery, GiveUp, session_of, version_of
from handlers.runner import SessionRunner
from handlers.verdict_publisher import VerdictPublisher
from infra.streams import EVENTS, REACTIONS

STREAM = JStream(EVENTS, declare=False)  # declaring would rewrite the stream's configuration
FETCH_TIMEOUT_S = 5.0

PUBLISHERS = {durable: topic for durable, topic in REACTIONS.items() if durable.startswith("verdict-publisher-")}
PHASES = {durable: topic for durable, topic in REACTIONS.items() if durable not in PUBLISHERS}
"""Durable consumers by what they are for, and the one event type each hears of."""

React = Callable[[str], Awaitable[None]]
"""Called with the subject of the triggering event."""


@dataclass(frozen=True, slots=True)
class Subscriptions:
    """How reactions subscribe: the user's inbox prefix, the consumers' acknowledgement wait, and how many at once."""

    inbox_prefix: bytes
    ack_wait_s: float
    concurrency: int


def add_reactions(broker: NatsBroker, runner: SessionRunner, subscriptions: Subscriptions) -> None:
    """Planner, executor, gatekeeper, verifier and composer. A step that keeps failing ends its session (R7)."""

    async def give_up(session_id: UUID, stage: str, error: BaseException) -> None:
        reason = f"步骤 {stage} 反复失败：{type(error).__name__}: {error}"
        await runner.submit(session_id, FailSession(stage, "step_failed", reason))

    for phase, topic in PHASES.items():

        async def react(subject: str, phase: str = phase) -> None:
            await runner.advance(session_of(subject), phase)

        _subscribe(broker, subscriptions, phase, topic, react, give_up)


def add_publisher(broker: NatsBroker, publisher: VerdictPublisher, subscriptions: Subscriptions) -> None:
    """The verdict publisher, on a consumer for each event type it makes public (R52). It never gives a verdict up."""

    async def react(subject: str) -> None:
        await publisher.publish(session_of(subject), version_of(subject))

    for durable, topic in PUBLISHERS.items():
        _subscribe(broker, subscriptions, durable, topic, react, None)


def _subscribe(
    broker: NatsBroker, subscriptions: Subscriptions, durable: str, topic: str, react: React, give_up: GiveUp | None
) -> None:
    """Subscribe `concurrency` times, a message each: what is fetched is worked on and kept alive, never queued."""
    middleware = partial(Delivery, stage=durable, ack_wait_s=subscriptions.ack_wait_s, give_up=give_up)
    router = NatsRouter(middlewares=(middleware,))

    async def handle(message: NatsMessage) -> None:
        await react(message.raw_message.subject)

    for _ in range(subscriptions.concurrency):
        router.subscriber(
            f"assay.event.*.*.*.{topic}",
            durable=durable,
            stream=STREAM,
            pull_sub=PullSub(batch_size=1, timeout=FETCH_TIMEOUT_S),
            inbox_prefix=subscriptions.inbox_prefix + b".",
            ack_policy=AckPolicy.MANUAL,
        )(handle)
    broker.include_router(router)
