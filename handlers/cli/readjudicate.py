"""`assay readjudicate`: what today's rules would decide of recorded sessions (R59). It records no event."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import groupby

from pydantic import TypeAdapter, ValidationError

from domain.differences import Change
from domain.readjudication import Difference, Readjudication, Result
from domain.settings import Share
from handlers.application import make_ready, open_log
from handlers.audit.readjudication import decided_today, opened_sessions
from handlers.cli.errors import UsageError
from handlers.cli.progress_bar import ProgressBar
from handlers.cli.replay import change_lines
from handlers.cli.session import session_id_of
from handlers.cli.since import moment
from infra.access_log import Action, record_access
from infra.embedded import Servers, running_servers_async
from infra.settings import Settings

QUIET_S = 2.0
FOUND_A_DIFFERENCE = 3
BROKEN = "broken"
_ORDER = (*Result, BROKEN)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 3 if any session differs, is undetermined, or cannot be relied upon because its chain is broken."""
    _check(arguments)
    counts = asyncio.run(_run(arguments, settings))
    print(json.dumps({"sessions": counts.total(), **counts}) if arguments.json else _summary(counts))
    found = counts[Result.DIFFERS] + counts[Result.UNDETERMINED] + counts[BROKEN]
    return FOUND_A_DIFFERENCE if found else 0


def _check(arguments: argparse.Namespace) -> None:
    if bool(arguments.sessions) == arguments.all:
        raise UsageError("name the sessions by their ids, or give --all")
    if arguments.since and not arguments.all:
        raise UsageError("--since goes with --all")
    try:
        TypeAdapter(Share | None).validate_python(arguments.threshold)
    except ValidationError:
        raise UsageError(f"--threshold: {arguments.threshold!r} is no decimal number between 0 and 1") from None


async def _run(arguments: argparse.Namespace, settings: Settings) -> Counter[str]:
    """One session after the other, each read, decided and forgotten."""
    since, counts = moment(arguments.since), Counter(dict.fromkeys(_ORDER, 0))
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with open_log(settings, servers) as events:
            sessions = opened_sessions(events, since) if arguments.all else _named(servers, arguments.sessions)
            bar = ProgressBar("sessions", QUIET_S)
            async for session_id, share in sessions:
                done = await decided_today(events, session_id, arguments.threshold)
                counts[done.result if isinstance(done, Readjudication) else BROKEN] += 1
                if isinstance(done, Readjudication) and done.differences:
                    await record_access(events.connection, settings.actor, Action.READJUDICATE, done.session_id)
                _tell(session_id, done, as_json=arguments.json)
                bar.show(share, round(counts.total() / share) if share else counts.total())
            bar.end()
    return counts


async def _named(servers: Servers, texts: Iterable[str]) -> AsyncIterator[tuple[str, float]]:
    ids = [str(await asyncio.to_thread(session_id_of, servers.reader_dsn, text)) for text in texts]
    for number, session_id in enumerate(dict.fromkeys(ids), start=1):
        yield session_id, number / len(ids)


# ---------------------------------------------------------------- what is printed


def _tell(session_id: str, done: Readjudication | str, *, as_json: bool) -> None:
    """Nothing of a session that came out the same or is still running."""
    if isinstance(done, str):
        broken = {"session_id": session_id, "result": BROKEN, "reason": done}
        print(json.dumps(broken) if as_json else f"{session_id}  {BROKEN}  {done}", flush=True)
    elif done.result not in (Result.SAME, Result.RUNNING):
        print(_as_json(done) if as_json else _page(done), flush=True)


def _as_json(done: Readjudication) -> str:
    return json.dumps(dataclasses.asdict(done), ensure_ascii=False, default=str)


def _page(done: Readjudication) -> str:
    needs = f"  needs {done.missing}" if done.missing else ""
    lines = [f"{done.session_id}  {done.result}{needs}"]
    for event, differences in groupby(done.differences, _heading):
        lines += [f"    {event}", *(f"        {line}" for line in _lines(list(differences)))]
    return "\n".join(lines)


def _lines(differences: Sequence[Difference]) -> list[str]:
    if any(not difference.where for difference in differences):  # the event as a whole
        return ["- it would not be recorded" if differences[0].today is None else "+ it would be recorded"]
    return change_lines(Change(one.where, one.recorded, one.today) for one in differences)


def _heading(difference: Difference) -> str:
    place = f"version {difference.version}" if difference.version else "not recorded"
    of_round = f", round {difference.round}" if difference.round else ""
    return f"{difference.event} ({place}{of_round})" + (f": {difference.why}" if difference.why else "")


def _summary(counts: Counter[str]) -> str:
    told = ", ".join(f"{counts[result]:,} {result}" for result in _ORDER if counts[result])
    return f"{counts.total():,} sessions" + (f": {told}" if told else "")
