"""`assay verdict watch`: a subscriber like any other system's, with the subscriber's own credentials (R52, R65)."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from handlers.application import jetstream, make_ready
from handlers.cli.errors import UsageError
from infra import verdict_stream
from infra.access import Role
from infra.embedded import running_servers_async
from infra.settings import Settings
from infra.streams import VERDICTS

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def watch(arguments: argparse.Namespace, settings: Settings) -> int:
    since = _age(arguments.since) if arguments.since else None
    asyncio.run(_watch(settings, arguments.verdict or "*", since, as_json=arguments.json))
    return 0


def _age(text: str) -> timedelta:
    found = re.fullmatch(r"(\d+)([smhd])", text.strip())
    if not found:
        raise UsageError(f"--since: {text!r} is no age; write 30s, 15m, 1h or 7d")
    return timedelta(**{UNITS[found[2]]: int(found[1])})


async def _watch(settings: Settings, verdict: str, since: timedelta | None, *, as_json: bool) -> None:
    subject = f"assay.verdict.{verdict}.*.*"
    start = (datetime.now(UTC) - since).isoformat() if since else None
    config = ConsumerConfig(
        filter_subject=subject,
        ack_policy=AckPolicy.NONE,
        deliver_policy=DeliverPolicy.BY_START_TIME if start else DeliverPolicy.NEW,
        opt_start_time=start,  # type: ignore[arg-type]  # sent as it is, RFC 3339 text
        inactive_threshold=60,
    )
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with jetstream(servers, Role.SUBSCRIBER) as js:
            inbox = Role.SUBSCRIBER.inbox_prefix.encode() + b"."
            subscription = await js.pull_subscribe(subject, stream=VERDICTS, config=config, inbox_prefix=inbox)
            while True:
                try:
                    messages = await subscription.fetch(64, timeout=5)
                except NatsTimeoutError:
                    continue
                for message in messages:
                    event = verdict_stream.read(message.data)
                    print(json.dumps(event, ensure_ascii=False) if as_json else _line(event), flush=True)


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
