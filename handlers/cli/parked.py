"""`assay parked list|show|requeue|drop`: verdicts that could not be published (R66)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from handlers.application import make_ready, open_log
from handlers.cli.errors import UsageError
from handlers.cli.plain import plain
from handlers.verdict_publisher import VerdictPublisher
from infra.access_log import Action, record_access
from infra.embedded import running_servers_async
from infra.parked import ParkedDeliveries, ParkedDelivery, Settlement, said
from infra.settings import Settings


@dataclass(frozen=True, slots=True)
class Desk:
    """The parked deliveries and the publisher, for one actor."""

    parked: ParkedDeliveries
    publisher: VerdictPublisher
    actor: str

    async def waiting(self) -> list[ParkedDelivery]:
        return [one for one in await self.parked.all() if one.settlement is None]

    async def found(self, text: str) -> ParkedDelivery:
        """The one of that name, or whose name alone begins so. Raises UsageError."""
        text = text.lower()
        named = {one.name: one for one in await self.parked.all() if one.name.startswith(text)}
        if text in named:
            return named[text]
        if len(named) != 1:
            raise UsageError(f"{'more than one delivery' if named else 'no delivery'} is parked as {text}")
        return next(iter(named.values()))

    async def found_waiting(self, text: str) -> ParkedDelivery:
        """Raises UsageError also for one that was settled before."""
        delivery = await self.found(text)
        if done := delivery.settlement:
            raise UsageError(f"{delivery.name} was {done.result} by {done.actor} at {done.time:%Y-%m-%d %H:%M:%S}")
        return delivery

    async def publish(self, delivery: ParkedDelivery) -> None:
        """Raises whatever keeps it from being published."""
        await self.record("requeue", delivery)
        await self.publisher.publish(delivery.session_id, delivery.version)
        await self._settle(delivery, "published")

    async def record(self, what: str, delivery: ParkedDelivery | None) -> None:
        """Before it is done (R64)."""
        session_id, name = (delivery.session_id, f" {delivery.name}") if delivery else (None, "")
        connection = self.publisher.connection
        await record_access(connection, self.actor, Action.PARKED, session_id, what=what + name)

    async def drop(self, delivery: ParkedDelivery, reason: str) -> None:
        connection = self.publisher.connection
        await record_access(connection, self.actor, Action.DROP, delivery.session_id, reason=reason)
        await self._settle(delivery, "dropped", reason)

    async def _settle(
        self, delivery: ParkedDelivery, result: Literal["published", "dropped"], reason: str = ""
    ) -> None:
        await self.parked.settle(
            Settlement(
                session_id=delivery.session_id,
                version=delivery.version,
                result=result,
                actor=self.actor,
                reason=reason,
            )
        )


def list_parked(arguments: argparse.Namespace, settings: Settings) -> int:
    async def work(desk: Desk) -> int:
        await desk.record("list", None)
        deliveries = await (desk.parked.all() if arguments.all else desk.waiting())
        for delivery in deliveries:
            print(_json(delivery) if arguments.json else _line(delivery))
        if not deliveries:
            print("nothing is parked", file=sys.stderr)
        return 0

    return _at_desk(settings, work)


def show(arguments: argparse.Namespace, settings: Settings) -> int:
    async def work(desk: Desk) -> int:
        delivery = await desk.found(arguments.name)
        await desk.record("show", delivery)
        obstacle = await _obstacle(desk, delivery)
        if arguments.json:
            print(_json(delivery, obstacle=obstacle))
        else:
            print(_line(delivery))
            print(f"now       {obstacle or 'it can be published: assay parked requeue ' + delivery.name}")
        return 0

    return _at_desk(settings, work)


def requeue(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 1 if one of them fails again; it stays parked."""
    if arguments.all == bool(arguments.name):
        raise UsageError("assay parked requeue: name one delivery, or say --all")

    async def work(desk: Desk) -> int:
        chosen = await desk.waiting() if arguments.all else [await desk.found_waiting(arguments.name)]
        return max([await _requeued(desk, delivery, as_json=arguments.json) for delivery in chosen], default=0)

    return _at_desk(settings, work)


def drop(arguments: argparse.Namespace, settings: Settings) -> int:
    if not (arguments.reason.strip() or arguments.yes):
        raise UsageError("assay parked drop: give a --reason, or say --yes")

    async def work(desk: Desk) -> int:
        delivery = await desk.found_waiting(arguments.name)
        await desk.drop(delivery, arguments.reason)
        print(_json(await desk.found(delivery.name)) if arguments.json else f"{delivery.name}  dropped")
        return 0

    return _at_desk(settings, work)


def _at_desk(settings: Settings, work: Callable[[Desk], Awaitable[int]]) -> int:
    async def run() -> int:
        async with running_servers_async(settings) as servers:
            await make_ready(settings, servers)
            async with open_log(settings, servers) as events:
                publisher = VerdictPublisher(events, events.connection)
                return await work(Desk(ParkedDeliveries(events.connection), publisher, settings.actor))

    return asyncio.run(run())


async def _requeued(desk: Desk, delivery: ParkedDelivery, *, as_json: bool) -> int:
    try:
        await desk.publish(delivery)
    except Exception as error:  # whatever keeps failing is what had it parked
        obstacle = said(error)
        print(_json(delivery, obstacle=obstacle) if as_json else f"{delivery.name}  fails again: {obstacle}")
        return 1
    print(_json(await desk.found(delivery.name)) if as_json else f"{delivery.name}  published")
    return 0


async def _obstacle(desk: Desk, delivery: ParkedDelivery) -> str | None:
    """Why it could not be published now, or None."""
    if done := delivery.settlement:
        return f"it was {done.result} by {done.actor}"
    try:
        await desk.publisher.event_of(delivery.session_id, delivery.version)
    except Exception as error:
        return said(error)
    return None


def _line(delivery: ParkedDelivery) -> str:
    state = delivery.settlement.result if delivery.settlement else "waits"
    told = f"{delivery.time:%Y-%m-%d %H:%M:%S}  {delivery.name}  {delivery.consumer}  {state}  {delivery.error}"
    return plain(told)


def _json(delivery: ParkedDelivery, **more: str | None) -> str:
    return json.dumps({"id": delivery.name, **delivery.model_dump(mode="json"), **more}, ensure_ascii=False)
