"""How a worker that stops takes no message with it: what the server hands to it meanwhile goes back at once (R7).

Closing a subscription drops what has come for it and was not fetched yet: nobody would answer that message, and its
session would stand still for the whole acknowledgement wait.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from faststream.nats import NatsBroker
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from handlers.delivery import CLOSING_S

log = logging.getLogger(__name__)

ROUND_TRIP_S = 2.0


async def let_go(broker: NatsBroker, client: Client) -> int:
    """Ask for nothing more, and put back what came too late; returns how many. To be called before the broker stops.

    The server is told first and its confirmation awaited: from then on it sends nothing more to these requests, and
    what it had sent has arrived. A message that a reaction takes meanwhile is that reaction's affair.
    """
    put_back = 0
    with suppress(NatsError, OSError):  # a server that is away has taken its messages back itself
        waiting = [_inbox(one.subscription) for one in broker.subscribers if hasattr(one, "subscription")]
        inboxes = [inbox for inbox in waiting if inbox is not None]
        for inbox in inboxes:
            await client._send_unsubscribe(inbox._id)  # the client itself still listens
        await client.flush(round(ROUND_TRIP_S))
        for inbox in inboxes:
            while (message := _next(inbox)) is not None:
                if message.reply.startswith("$JS.ACK."):
                    await message.nak(delay=CLOSING_S)
                    put_back += 1
        await client.flush(round(ROUND_TRIP_S))
    if put_back:
        log.info("%d messages came while this worker stopped, and were put back", put_back)
    return put_back


def _inbox(subscription: object) -> Subscription | None:
    return subscription._sub if isinstance(subscription, JetStreamContext.PullSubscription) else None


def _next(inbox: Subscription) -> Msg | None:
    try:
        return inbox._pending_queue.get_nowait()
    except asyncio.QueueEmpty:
        return None
