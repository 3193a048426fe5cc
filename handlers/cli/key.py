"""`assay key show|rotate`: what heads and bundles are signed with, and another in its place (R76)."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from handlers.application import open_log
from handlers.cli.errors import UsageError
from infra.access_log import Action, record_access
from infra.audit import head_store
from infra.audit.dsse import fingerprint
from infra.audit.key_exchanges import exchanges, put_in_place
from infra.audit.key_ring import Exchange, exchanged
from infra.audit.signing_key import existing_key, public_pem
from infra.embedded import running_servers_async
from infra.head_stream import HeadPublisher
from infra.postgres import connect
from infra.settings import Settings
from infra.streams import SIGNED


def show(arguments: argparse.Namespace, settings: Settings) -> int:
    """The public key; with --json also those before it."""
    if not settings.signing_key.exists():
        raise UsageError(f"there is no signing key {settings.signing_key} yet: the first worker makes it")
    key = existing_key(settings.signing_key).public_key()
    if arguments.json:
        before = [fingerprint(one.old) for one in exchanges(settings.signing_key)]
        print(json.dumps({"key_id": fingerprint(key), "public_key": public_pem(key), "before": before}))
    else:
        print(public_pem(key), end="")
    return 0


def rotate(arguments: argparse.Namespace, settings: Settings) -> int:
    """Workers that run take the new key up before they sign again."""
    if not arguments.reason.strip():
        raise UsageError("--reason is empty")
    exchange, aside = asyncio.run(_rotate(settings, arguments.reason))
    old, new = fingerprint(exchange.old), fingerprint(exchange.new)
    if arguments.json:
        print(json.dumps({"old_key_id": old, "key_id": new, "old_key_kept_as": str(aside)}))
    else:
        print(f"{new} signs from now on, as {old} says; that one is kept as {aside}")
    return 0


async def _rotate(settings: Settings, reason: str) -> tuple[Exchange, Path]:
    old, fresh = existing_key(settings.signing_key), Ed25519PrivateKey.generate()
    async with running_servers_async(settings) as servers, open_log(settings, servers) as events:
        what = f"{fingerprint(old.public_key())} to {fingerprint(fresh.public_key())}"
        await record_access(events.connection, settings.actor, Action.ROTATE, None, reason=reason, what=what)
        async with await connect(servers.writer_dsn) as conn, conn.transaction():
            await head_store.reserve_exchange(conn)
            sizes: Mapping[str, int] = {one: await head_store.last_size(conn, one) for one in ("", *SIGNED)}
            exchange = exchanged(old, fresh, sizes, datetime.now(UTC))
            number = len(exchanges(settings.signing_key)) + 1
            await HeadPublisher(events.connection).publish_exchange(number, exchange)
            return exchange, put_in_place(settings.signing_key, fresh, exchange)
