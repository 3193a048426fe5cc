"""`assay session erase|hold|release`: destroy what sessions say, for good, or see that nobody does (R62, R76)."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from domain.session.decide import InvalidCommand
from handlers.application import eraser_on, make_ready, open_log
from handlers.audit import holds
from handlers.audit.erasure import Eraser, Erasure
from handlers.audit.two_persons import SecondActorNeeded, agreed
from handlers.cli.errors import UsageError
from handlers.cli.progress_bar import ProgressBar
from handlers.cli.session import opened_session
from handlers.cli.since import moment
from infra.access_log import Action, record_access
from infra.audit.erasure_ledger import Entry, ErasureLedger
from infra.audit.signed_heads import own_key
from infra.embedded import running_servers_async
from infra.event_log.keys import KeyDirectory
from infra.postgres import connect_blocking
from infra.read_models import queries
from infra.read_models.projector import catch_up
from infra.settings import Settings

QUIET_S = 2.0


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 also for a session that was erased before: whatever was left of it is gone now. Exit 3 where a second
    actor is needed first."""
    if (arguments.session is None) == (arguments.older_than is None):
        raise UsageError("erase one session (ID) or those that ended long ago (--older-than AGE)")
    if arguments.session and (arguments.verdict or arguments.dry_run):
        raise UsageError("--verdict and --dry-run go with --older-than")
    if not (arguments.dry_run or arguments.reason.strip()):
        raise UsageError("--reason is missing or empty")
    if arguments.session:
        return _run_one(arguments, settings)
    before = moment(arguments.older_than, "--older-than")
    assert before is not None
    return _run_many(arguments, settings, before)


def hold(arguments: argparse.Namespace, settings: Settings) -> int:
    return _hold(arguments, settings, holds.hold)


def release(arguments: argparse.Namespace, settings: Settings) -> int:
    return _hold(arguments, settings, holds.release)


# ---------------------------------------------------------------- one session


def _run_one(arguments: argparse.Namespace, settings: Settings) -> int:
    if not (arguments.yes or _confirmed(f"session {arguments.session}")):
        return 1
    done = asyncio.run(_erase(arguments, settings))
    if arguments.json:
        print(json.dumps(dataclasses.asdict(done), default=str))
    else:
        print(f"{done.session_id}  erased: its key is destroyed, its rows are empty in {', '.join(done.read_models)}")
    return 0


def _confirmed(what: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("an erasure cannot be undone: confirm it with --yes")
    print(f"Erase {what}? This cannot be undone. [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


async def _erase(arguments: argparse.Namespace, settings: Settings) -> Erasure:
    async with opened_session(settings, arguments.session) as (servers, events, history):
        eraser = await eraser_on(events, settings, servers, settings.actor)
        return await _erase_one(eraser, settings, history[-1].session_id, arguments.reason)


async def _erase_one(
    eraser: Eraser, settings: Settings, session_id: UUID, reason: str, *, follow: bool = True
) -> Erasure:
    """Recorded first (R64). Raises InvalidCommand or SecondActorNeeded."""
    connection = eraser.events.connection
    await eraser.check(session_id)
    if settings.takes_two("erase"):
        await agreed(connection, settings.actor, Action.ERASE, session_id, what="", reason=reason)
    await record_access(connection, settings.actor, Action.ERASE, session_id, reason=reason)
    return await eraser.erase(session_id, follow=follow)


# ---------------------------------------------------------------- all that ended long ago


def _run_many(arguments: argparse.Namespace, settings: Settings, before: datetime) -> int:
    """Exit 0 if nothing is left but what is held, 3 if something could not be erased."""
    what = f"every session that ended before {before:%Y-%m-%d %H:%M} UTC"
    if not (arguments.dry_run or arguments.yes or _confirmed(what)):
        return 1
    done = asyncio.run(_erase_many(arguments, settings, before))
    if arguments.json:
        print(json.dumps(done))
    else:
        verb = "would be erased" if arguments.dry_run else "erased"
        others = [f"{done[name]} {text}" for name, text in _OTHERS.items() if done[name]]
        print(", ".join([f"{done['erased']} sessions {verb}", *others]))
    return 3 if done["refused"] or done["second_actor_needed"] else 0


_OTHERS = {
    "held": "are held",
    "second_actor_needed": "wait for a second actor",
    "refused": "could not be erased",
}


async def _erase_many(arguments: argparse.Namespace, settings: Settings, before: datetime) -> dict[str, Any]:
    """One after the other, oldest first. Killed, it is given again and goes on with what is left."""
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with open_log(settings, servers) as events:
            await catch_up(events, servers.writer_dsn, await events.last_position())
            eraser = await eraser_on(events, settings, servers, settings.actor)
            chosen = await asyncio.to_thread(_chosen, servers.reader_dsn, settings, before, arguments.verdict)
            counts: Counter[str] = Counter()
            bar = ProgressBar("sessions", quiet_s=QUIET_S)
            for number, session_id in enumerate(chosen, start=1):
                counts[await _outcome(arguments, eraser, settings, session_id)] += 1
                bar.show(number / len(chosen), len(chosen))
            bar.end()
    return {
        "older_than": before.isoformat(),
        "dry_run": arguments.dry_run,
        **{name: counts[name] for name in ("erased", *_OTHERS)},
    }


def _chosen(dsn: str, settings: Settings, before: datetime, verdict: str | None) -> Sequence[UUID]:
    """Those that are not erased, and those whose erasure was cut short: recorded, but their key is there."""
    keys = KeyDirectory(settings.key_dir).ids()
    with connect_blocking(dsn) as conn:
        ended = queries.ended_sessions(conn, before, verdict)
    return [row.session_id for row in ended if not row.erased or row.session_id in keys]


async def _outcome(arguments: argparse.Namespace, eraser: Eraser, settings: Settings, session_id: UUID) -> str:
    if await holds.holding(eraser.events.connection, eraser.ledger, session_id):
        return "held"
    try:
        if arguments.dry_run:
            await eraser.check(session_id)
        else:
            await _erase_one(eraser, settings, session_id, arguments.reason, follow=False)
    except SecondActorNeeded:
        return "second_actor_needed"
    except InvalidCommand as error:
        print(f"assay: {error}", file=sys.stderr)
        return "refused"
    return "erased"


# ---------------------------------------------------------------- legal holds


def _hold(arguments: argparse.Namespace, settings: Settings, work: Any) -> int:
    if not arguments.reason.strip():
        raise UsageError("--reason is empty")

    async def held() -> Entry:
        async with opened_session(settings, arguments.session) as (servers, events, history):
            key, ledger = await own_key(settings, servers.reader_dsn), ErasureLedger(settings.erasures_file)
            session_id = history[-1].session_id
            entry: Entry = await work(events, ledger, key, session_id, actor=settings.actor, reason=arguments.reason)
            return entry

    done = asyncio.run(held())
    if arguments.json:
        document = {"session_id": str(done.session_id), "state": done.deed.value, "time": done.time.isoformat()}
        print(json.dumps(document | {"actor": done.actor}))
    else:
        said = "held: nothing erases it until it is released" if done.deed == "held" else "released"
        print(f"{done.session_id}  {said}")
    return 0
