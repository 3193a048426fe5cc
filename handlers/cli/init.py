"""`assay init`: streams, durable consumers and read models, made with the admin's credentials (R50, R65)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from handlers.application import jetstream, make_ready, prepare_database
from infra.access import Role, accounts
from infra.embedded import running_servers_async
from infra.settings import Settings
from infra.streams import init_streams, set_ack_wait


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Creates what is missing and changes nothing that exists; a difference is named and the command fails."""
    asyncio.run(_init(arguments, settings))
    return 0


async def _init(arguments: argparse.Namespace, settings: Settings) -> None:
    if arguments.print_users and settings.nats_url:
        print(json.dumps({"accounts": accounts(settings.nats_credentials)}, indent=2))
        return
    async with running_servers_async(settings) as servers:
        if arguments.print_users:
            print("assay: these are the embedded server's: ASSAY_NATS_URL names no other", file=sys.stderr)
            print(json.dumps({"accounts": accounts(servers.credentials)}, indent=2))
            return
        async with jetstream(servers, Role.ADMIN) as js:
            await init_streams(js, ack_wait=settings.ack_wait, replicas=arguments.replicas)
            await set_ack_wait(js, settings.ack_wait)
        await prepare_database(servers)
        await make_ready(settings, servers)
    print("streams, consumers and read models are ready")
