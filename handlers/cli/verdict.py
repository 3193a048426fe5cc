"""`assay verdict watch`: a subscriber like any other system's, with the subscriber's own credentials (R52, R65)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import APIError, NotFoundError, ServiceUnavailableError

from handlers.application import jetstream, make_ready
from handlers.cli.plain import plain
from handlers.cli.since import moment
from infra import verdict_stream
from infra.access import Role
from infra.embedded import running_servers_async
from infra.settings import Settings
from infra.streams import VERDICTS

FETCH_S, PAUSE_S = 5.0, 1.0


def watch(arguments: argparse.Namespace, settings: Settings) -> int:
    asyncio.run(_watch(settings, arguments.verdict or "*", moment(arguments.since), as_json=arguments.json))
    return 0


async def _watch(settings: Settings, verdict: str, since: datetime | None, *, as_json: bool) -> None:
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with jetstream(servers, Role.SUBSCRIBER) as js:
            async for message in _messages(js, f"assay.verdict.{verdict}.*.*", since):
                try:
                    event = verdict_stream.read(message.data)
                except ValueError as error:
                    where = f"{VERDICTS} position {message.metadata.sequence.stream}"
                    print(plain(f"assay: {where} holds a foreign message: {error}"), file=sys.stderr)
                    continue
                print(json.dumps(event, ensure_ascii=False) if as_json else _line(event), flush=True)


async def _messages(js: JetStreamContext, subject: str, since: datetime | None) -> AsyncIterator[Msg]:
    """Messages as they come, for ever. The consumer is the server's for as long as it is asked; one that is gone after
    a restart is made again behind the last message seen.
    """
    inbox = Role.SUBSCRIBER.inbox_prefix.encode() + b"."
    config = _consumer(subject, _start_at(since))
    while True:
        subscription = await js.pull_subscribe(subject, stream=VERDICTS, config=config, inbox_prefix=inbox)
        print(f"assay: watching {subject}; Ctrl-C stops", file=sys.stderr, flush=True)
        try:
            while True:
                for message in await _fetched(subscription):
                    yield message
                    config = _consumer(subject, _start_behind(message))
        except NotFoundError:
            await subscription.unsubscribe()


def _consumer(subject: str, start: dict[str, Any]) -> ConsumerConfig:
    return ConsumerConfig(filter_subject=subject, ack_policy=AckPolicy.NONE, inactive_threshold=60, **start)


def _start_at(since: datetime | None) -> dict[str, Any]:
    if since is None:
        return {"deliver_policy": DeliverPolicy.NEW}
    return {"deliver_policy": DeliverPolicy.BY_START_TIME, "opt_start_time": since.isoformat()}


def _start_behind(message: Msg) -> dict[str, Any]:
    return {
        "deliver_policy": DeliverPolicy.BY_START_SEQUENCE,
        "opt_start_seq": message.metadata.sequence.stream + 1,
    }


async def _fetched(subscription: JetStreamContext.PullSubscription) -> list[Msg]:
    """What has come within a few seconds. Raises NotFoundError when the consumer is gone."""
    try:
        return await subscription.fetch(64, timeout=FETCH_S)
    except TimeoutError:  # also the library's own
        pass
    except APIError:
        await asyncio.sleep(PAUSE_S)
    with suppress(TimeoutError, ServiceUnavailableError):  # the server is away; the connection comes back by itself
        await subscription.consumer_info()
    return []


def _line(event: dict[str, Any]) -> str:
    data = event["data"]
    figures = [f"score {data['groundedness_score']}"] if data.get("groundedness_score") is not None else []
    if "round" in data:
        figures.append(f"round {data['round']}{'' if data['final'] else ', another follows'}")
    if data.get("reason"):
        figures.append(f"reason {data['reason']}")
    kind = event["type"].removeprefix("assay.").removesuffix(".v1")
    return (
        f"{event['time'][:19]}  {data['session_id']}  {kind:18}  {data['verdict'] or 'NONE':10}  {', '.join(figures)}"
    )
