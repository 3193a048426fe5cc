"""`assay access list`: who looked at sessions, or changed what others see of them (R64)."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
from uuid import UUID

from handlers.cli.errors import UsageError
from handlers.cli.plain import plain
from handlers.cli.since import moment
from infra.access import Role
from infra.access_log import Access, accesses
from infra.embedded import running_servers_async
from infra.event_log.connection import connected
from infra.settings import Settings


def list_accesses(arguments: argparse.Namespace, settings: Settings) -> int:
    asyncio.run(_list(arguments, settings))
    return 0


async def _list(arguments: argparse.Namespace, settings: Settings) -> None:
    since, beginning = moment(arguments.since), arguments.session or ""
    if arguments.session == "":
        raise UsageError("'' is no session id; without one the whole log is listed")
    whole = None
    with contextlib.suppress(ValueError):  # by a whole id the log finds its records without reading the others
        whole = UUID(beginning)
    found = 0
    async with running_servers_async(settings) as servers, connected(servers, Role.SERVICE) as connection:
        async for access in accesses(connection, whole, since):
            if whole or str(access.session_id or "").startswith(beginning.lower()):
                found += 1
                print(access.model_dump_json() if arguments.json else _line(access))
    if not found:
        print("no accesses", file=sys.stderr)


def _line(access: Access) -> str:
    what = f"  {access.what}" if access.what else ""
    reason = f"  {' '.join(access.reason.split())}" if access.reason else ""
    session = str(access.session_id or "-")
    return plain(f"{access.time:%Y-%m-%d %H:%M:%S}  {access.actor}  {access.action:12}  {session}{what}{reason}")
