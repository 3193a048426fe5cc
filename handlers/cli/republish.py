"""`assay verdict republish`: what is missing on the public stream of verdicts, published from the log (R52, R75)."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from datetime import datetime

from handlers.application import make_ready, open_log
from handlers.cli.progress_bar import ProgressBar
from handlers.cli.since import moment
from handlers.reactions import PUBLISHERS
from handlers.verdict_publisher import VerdictPublisher
from infra.access_log import Action, record_access
from infra.embedded import running_servers_async
from infra.settings import Settings

PAGE = 1_000
QUIET_S = 2.0
TOPICS = frozenset(PUBLISHERS.values())


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """What stands there is left alone: each subject is written once, ever."""
    counts = asyncio.run(_republish(settings, moment(arguments.since)))
    done = {name: counts[name] for name in ("published", "there")}
    if arguments.json:
        print(json.dumps(done))
    else:
        print(f"{done['published']} verdict events published that were missing; {done['there']} were there")
    return 0


async def _republish(settings: Settings, since: datetime | None) -> Counter[str]:
    counts: Counter[str] = Counter()
    bar = ProgressBar(quiet_s=QUIET_S)
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with open_log(settings, servers) as events:
            what = f"since {since:%Y-%m-%dT%H:%M:%SZ}" if since else "all"
            await record_access(events.connection, settings.actor, Action.REPUBLISH, None, what=what)
            publisher, last, after = VerdictPublisher(events, events.connection), await events.last_position(), 0
            while after < last and (page := await events.headers(after, PAGE)):
                for header in page:
                    if header.topic in TOPICS and (since is None or header.time >= since):
                        published = await publisher.publish(header.session_id, header.version)
                        counts["published" if published else "there"] += 1
                after = page[-1].position
                bar.show(after / last, last)
    bar.end()
    return counts
