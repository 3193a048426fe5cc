"""`assay session erase`: destroy what a session says, for good (R62)."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import sys

from handlers.application import runner_on
from handlers.audit.erasure import Erasure, erase
from handlers.cli.errors import UsageError
from handlers.cli.session import opened_session
from infra.access_log import Action, record_access
from infra.settings import Settings


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 also for a session that was erased before: whatever was left of it is gone now."""
    if not arguments.reason.strip():
        raise UsageError("--reason is empty")
    if not (arguments.yes or _confirmed(arguments.session)):
        return 1
    done = asyncio.run(_erase(arguments, settings))
    if arguments.json:
        print(json.dumps(dataclasses.asdict(done), default=str))
    else:
        print(f"{done.session_id}  erased: its key is destroyed, its rows are empty in {', '.join(done.read_models)}")
    return 0


def _confirmed(session: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("an erasure cannot be undone: confirm it with --yes")
    print(f"Erase session {session}? This cannot be undone. [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


async def _erase(arguments: argparse.Namespace, settings: Settings) -> Erasure:
    async with opened_session(settings, arguments.session) as (servers, events, history):
        session_id = history[-1].session_id
        await record_access(events.connection, settings.actor, Action.ERASE, session_id, reason=arguments.reason)
        runner = runner_on(events, settings, actor=settings.actor)
        return await erase(events, runner, servers.writer_dsn, session_id)
