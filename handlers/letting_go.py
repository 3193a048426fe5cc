"""How a worker that stops takes no message with it (R7): else its session stands still for the acknowledgement wait.

A request for a message that its sender gives up goes on in the server, which hands the next message to nobody:

- nats-server looks whether somebody still listens, but a request that it had not worked through when the listener left
  (a matter of milliseconds) counts as listened to until it expires. So nothing is asked for any more, then there is a
  pause, and only then nobody listens;
- what comes meanwhile and is not fetched would be dropped with the subscription. It is put back.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from faststream.nats import NatsBroker
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from handlers.delivery import CLOSING_S

log = logging.getLogger(__name__)

ROUND_TRIP_S = 2
WORKED_THROUGH_S = 0.1
"""In which the server has taken up the last requests."""

Pull = JetStreamContext.PullSubscription


async def let_go(broker: NatsBroker, client: Client) -> None:
    """Ask for nothing more, and put back what came too late. To be called before the broker stops.

    What a reaction takes meanwhile is that reaction's affair.
    """
    found = (getattr(subscriber, "subscription", None) for subscriber in broker.subscribers)
    pulls = [one for one in found if isinstance(one, Pull)]
    for pull in pulls:
        pull.fetch = _nothing_more  # type: ignore[method-assign]
    with suppress(NatsError, OSError):  # a server that is away takes its messages back by itself
        await client.flush(ROUND_TRIP_S)
        await asyncio.sleep(WORKED_THROUGH_S)
        for pull in pulls:
            await client._send_unsubscribe(pull._sub._id)  # the client itself still listens
        await client.flush(ROUND_TRIP_S)
        for pull in pulls:
            while message := _left_over(pull):
                log.info("put back, since this worker stops: %s", message.subject)
                await message.nak(delay=CLOSING_S)
        await client.flush(ROUND_TRIP_S)


async def _nothing_more(*_: Any, **__: Any) -> list[Msg]:
    """In place of the next request, until the subscriber is cancelled."""
    await asyncio.Event().wait()
    return []


def _left_over(pull: Pull) -> Msg | None:
    """A message that came and that nobody waits for; what the server says of a request is none."""
    with suppress(asyncio.QueueEmpty):
        while True:
            message = pull._sub._pending_queue.get_nowait()
            if message.reply.startswith("$JS.ACK."):
                return message
    return None
