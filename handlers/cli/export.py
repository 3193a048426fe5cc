"""`assay session export`: one session as a file that others verify without this service (R61)."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from uuid import uuid4

from handlers.application import head_writer_on
from handlers.audit.export import Exporter
from handlers.cli.errors import UsageError
from handlers.cli.session import opened_session
from infra.access_log import Action, record_access
from infra.audit.bundled_session import VerifiedBundle
from infra.audit.key_exchanges import exchanges
from infra.audit.signing_key import existing_key
from infra.postgres import connect
from infra.private_files import sync_folder
from infra.settings import Settings


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    file: Path = arguments.output
    if str(file) == "-":
        raise UsageError("a bundle is written to a file, whole or not at all: name one")
    if file.exists() and not arguments.force:
        raise UsageError(f"{file} exists; --force writes over it")
    if not file.parent.is_dir():
        raise UsageError(f"there is no folder {file.parent}")
    lines, verified = asyncio.run(_export(arguments, settings))
    _write(file, lines, replace=arguments.force)
    if arguments.json:
        print(json.dumps({"file": str(file), **asdict(verified)}, default=str))
    else:
        print(f"{verified.session_id}  {verified.events} events, {verified.opened} of them opened, in {file}")
    if verified.opened:
        print("assay: the file holds the session's texts and the key that seals them", file=sys.stderr)
    return 0


async def _export(arguments: argparse.Namespace, settings: Settings) -> tuple[list[bytes], VerifiedBundle]:
    async with opened_session(settings, arguments.session) as (servers, events, history):
        session_id = history[-1].session_id
        await record_access(events.connection, settings.actor, Action.EXPORT, session_id)
        heads = head_writer_on(events, settings, servers)
        async with await connect(servers.reader_dsn) as conn:
            exporter = Exporter(
                events, conn, heads, existing_key(settings.signing_key), exchanges(settings.signing_key)
            )
            return await exporter.export(session_id, sealed_only=arguments.sealed_only)


def _write(file: Path, lines: Iterable[bytes], *, replace: bool) -> None:
    """Whole or not at all, for its owner alone. Raises UsageError if the file has come into being meanwhile."""
    draft = file.with_name(f".{file.name}.{uuid4()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.writelines(lines)
            out.flush()
            os.fsync(out.fileno())
        if replace:
            draft.replace(file)
        else:
            os.link(draft, file)
    except FileExistsError:
        raise UsageError(f"{file} exists; --force writes over it") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
    sync_folder(file.parent)
