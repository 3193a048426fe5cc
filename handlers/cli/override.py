"""`assay verdict override`: an auditor's verdict in place of the one in force (R53)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import Any

from domain.contracts import Verdict
from domain.events import Erased, VerdictOverridden
from domain.session.commands import OverrideVerdict
from domain.session.state import Unopened
from handlers.application import runner_on
from handlers.audit.two_persons import agreed
from handlers.cli.session import opened_session, shown_in_read_models
from infra.access_log import Action, record_access
from infra.settings import Settings


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 2 where there is nothing to override, or the verdict in force is the same already."""
    done = asyncio.run(_override(arguments, settings))
    said = f"{done['session_id']}  {done['verdict_in_force']} in place of version {done['superseded_version']}"
    print(json.dumps(done) if arguments.json else said)
    if not done["reason_kept"]:
        print("assay: the session was erased: the reason could not be sealed and is not kept", file=sys.stderr)
    return 0


async def _override(arguments: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """The reason stands in the event alone, where it is sealed and can be erased."""
    command = OverrideVerdict(Verdict(arguments.verdict), arguments.reason)
    async with opened_session(settings, arguments.session) as (servers, events, history):
        session_id = history[-1].session_id
        if settings.takes_two("override"):
            await agreed(events.connection, settings.actor, Action.OVERRIDE, session_id, what=arguments.verdict)
        await record_access(events.connection, settings.actor, Action.OVERRIDE, session_id)
        state = await runner_on(events, settings, actor=settings.actor).submit(session_id, command)
        assert not isinstance(state, Unopened)
        recorded = state.file.head
        await shown_in_read_models(events, servers.writer_dsn, recorded.position)
    assert isinstance(recorded.event, VerdictOverridden)
    return {
        "session_id": str(session_id),
        "version": recorded.version,
        "verdict_in_force": recorded.event.facts.verdict,
        "superseded_version": recorded.event.facts.superseded_version,
        "reason_kept": not isinstance(recorded.event.content, Erased),
    }
