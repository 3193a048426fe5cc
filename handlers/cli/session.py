"""`assay session list|show|tail|cancel|feedback`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

from handlers.cli.claim_lines import round_lines
from handlers.cli.errors import UsageError
from handlers.cli.plain import plain
from infra.embedded import Servers, running_servers
from infra.postgres import connect_blocking
from infra.read_models import queries
from infra.settings import Settings

MOST_INPUTS = 5
"""So many inputs of a search are shown; `--json` gives all that were recorded."""

if TYPE_CHECKING:
    from domain.events import Recorded
    from domain.session.commands import Command
    from infra.access_log import Action
    from infra.event_log.session_log import SessionLog


def list_sessions(arguments: argparse.Namespace, settings: Settings) -> int:
    with running_servers(settings) as servers, connect_blocking(servers.postgres_dsn) as connection:
        rows = queries.list_sessions(connection, arguments.limit, arguments.status, arguments.verdict)
    if arguments.json:
        for row in rows:
            print(_json(_document(row)))
    elif rows:
        print(_table(rows))
    else:
        print("no sessions", file=sys.stderr)
    return 0


def show(arguments: argparse.Namespace, settings: Settings) -> int:
    with running_servers(settings) as servers:
        try:
            detail = _found(servers.postgres_dsn, arguments.session)
        except UsageError:
            asyncio.run(_refuse_newer(arguments.session, servers, settings))
            raise
        newer = asyncio.run(_record_show(detail.session.session_id, servers, settings))
    if newer:
        print(f"assay: not all of this session can be shown: the rest was {newer}", file=sys.stderr)
    whole = dataclasses.asdict(detail) | {"session": _document(detail.session)}
    print(_json(whole) if arguments.json else _page(detail))
    return 0


async def _record_show(session_id: UUID, servers: Servers, settings: Settings) -> str | None:
    """Also looks whether a newer release wrote some of it, which the read models then lack (R64, R89)."""
    from infra.access_log import Action, record_access
    from infra.event_log.errors import by_newer_release

    async with _light_log(servers, settings) as events:
        await record_access(events.connection, settings.actor, Action.SHOW, session_id)
        newer = await events.newer_shape(session_id)
        return by_newer_release(newer) if newer else None


async def _refuse_newer(text: str, servers: Servers, settings: Settings) -> None:
    """A session that the read models wait for is there all the same (R89). Raises NewerEvent."""
    from infra.event_log.errors import NewerEvent

    with contextlib.suppress(ValueError):
        session_id = UUID(text)
        async with _light_log(servers, settings) as events:
            if newer := await events.newer_shape(session_id):
                raise NewerEvent(f"session {session_id}", newer)


@asynccontextmanager
async def _light_log(servers: Servers, settings: Settings) -> AsyncIterator[SessionLog]:
    """The log, to be read, without all that a worker loads."""
    from infra.access import Role
    from infra.event_log.connection import connected
    from infra.event_log.keys import KeyDirectory
    from infra.event_log.session_log import SessionLog

    async with connected(servers, Role.SERVICE) as connection:
        yield SessionLog(connection, KeyDirectory(settings.key_dir), settings.seal)


def tail(arguments: argparse.Namespace, settings: Settings) -> int:
    from domain.events import TERMINAL_TOPICS
    from handlers.cli.progress import as_json, line_for
    from infra.access_log import Action, record_access

    async def follow() -> None:
        async with opened_session(settings, arguments.session) as (_, events, history):
            session_id = history[-1].session_id
            await record_access(events.connection, settings.actor, Action.TAIL, session_id)
            async for recorded in events.follow_session(session_id, 0):
                print(_json(as_json(recorded)) if arguments.json else line_for(recorded), flush=True)
                if recorded.event.TOPIC in TERMINAL_TOPICS:
                    return

    asyncio.run(follow())
    return 0


def cancel(arguments: argparse.Namespace, settings: Settings) -> int:
    from domain.session.commands import CancelSession

    return _submit(arguments, settings, CancelSession(arguments.reason))


def feedback(arguments: argparse.Namespace, settings: Settings) -> int:
    from domain.session.commands import GiveFeedback

    return _submit(arguments, settings, GiveFeedback(arguments.rating, arguments.text))


def _submit(arguments: argparse.Namespace, settings: Settings, command: Command) -> int:
    """Record one command and show it in the read models."""
    from domain.session.state import Closed, Unopened
    from handlers.application import runner_on

    async def submit() -> dict[str, Any]:
        async with opened_session(settings, arguments.session) as (servers, events, history):
            session_id = history[-1].session_id
            state = await runner_on(events, settings, actor=settings.actor).submit(session_id, command)
            assert not isinstance(state, Unopened)
            await shown_in_read_models(events, servers.postgres_dsn, state.file.head.position)
            ended = state.end.TOPIC if isinstance(state, Closed) else None
            head = state.file.head
            return {
                "session_id": str(session_id),
                "recorded": head.version > history[-1].version,
                "last_event": head.event.TOPIC,
                "ended_by": ended,
            }

    done = asyncio.run(submit())
    told = done["last_event"] if done["recorded"] else f"had ended before ({done['ended_by']}): nothing was recorded"
    print(_json(done) if arguments.json else f"{done['session_id']}  {told}")
    return 0


async def shown_in_read_models(events: SessionLog, dsn: str, position: int) -> None:
    """What was recorded stands, also if the read models wait for a newer release to go on (R89)."""
    from infra.read_models.projector import ProjectorWaits, catch_up

    try:
        await catch_up(events, dsn, position)
    except ProjectorWaits as reason:
        print(f"assay: recorded, and not in the read models yet: {reason}", file=sys.stderr)


async def shown_session(settings: Settings, text: str, action: Action) -> Sequence[Recorded]:
    """A session's events; who has them shown is recorded first (R64). Raises UsageError, ChainBroken."""
    from infra.access_log import record_access

    async with opened_session(settings, text) as (_, events, history):
        await record_access(events.connection, settings.actor, action, history[-1].session_id)
        return history


@asynccontextmanager
async def opened_session(
    settings: Settings, text: str
) -> AsyncIterator[tuple[Servers, SessionLog, Sequence[Recorded]]]:
    """The servers, the log and what it holds of one session, never nothing: it is there before it is in the read
    models. A whole id is taken as it is, a beginning is looked up. Raises UsageError, ChainBroken.
    """
    from handlers.application import make_ready, open_log
    from infra.embedded import running_servers_async

    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        session_id = await asyncio.to_thread(session_id_of, servers.postgres_dsn, text)
        async with open_log(settings, servers) as events:
            if not (history := await events.load(session_id)):
                raise UsageError(f"there is no session {session_id}")
            yield servers, events, history


def session_id_of(dsn: str, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return _found(dsn, text).session.session_id


def _found(dsn: str, text: str) -> queries.SessionDetail:
    try:
        with connect_blocking(dsn) as connection:
            detail = queries.show_session(connection, text)
    except queries.AmbiguousSession as several:
        raise UsageError("\n".join([str(several), *_candidates(several.sessions)])) from None
    if detail is None:
        raise UsageError(f"there is no session {text}")
    return detail


def _candidates(sessions: Sequence[queries.SessionRow]) -> list[str]:
    """Id, start and question of those that a short id fits."""
    listed = [
        f"  {row.session_id}  {row.created_at:%Y-%m-%d %H:%M:%S}  {_question(row, 60)}"
        for row in sessions[: queries.MOST_LISTED]
    ]
    return [*listed, "  and more"] if len(sessions) > queries.MOST_LISTED else listed


# ---------------------------------------------------------------- what is printed


def _document(row: queries.SessionRow) -> dict[str, Any]:
    return dataclasses.asdict(row) | {"verdict_in_force": row.verdict_in_force}


def _table(rows: Sequence[queries.SessionRow]) -> str:
    lines = [f"{'SESSION':36}  {'STARTED':19}  {'STATUS':9}  {'VERDICT':10}  {'SCORE':6}  QUESTION"]
    for row in rows:
        score = "" if row.groundedness_score is None else f"{row.groundedness_score.normalize():f}"
        lines.append(
            f"{row.session_id}  {row.created_at:%Y-%m-%d %H:%M:%S}  {row.status:9}  "
            f"{row.verdict_in_force or '-':10}  {score:6}  {_question(row, 60)}"
        )
    return "\n".join(lines)


def _question(row: queries.SessionRow, width: int) -> str:
    return plain(_one_line("(erased)" if row.erased else row.query or "", width))


def _page(detail: queries.SessionDetail) -> str:
    session = detail.session
    lines = [
        f"session   {session.session_id}",
        f"question  {'(erased)' if session.erased else session.query}",
        f"status    {session.status}" + (f" ({session.reason_code})" if session.reason_code else ""),
        f"verdict   {session.verdict_in_force or '-'}  score {session.groundedness_score}  outcome {session.outcome}",
        *_override_lines(session),
        f"source    {session.source}  rules {session.rule_version}  rounds {session.round}",
        f"used      {session.step_count} steps, {session.tool_call_count} tool calls, "
        f"{session.total_token_count} tokens, {session.total_duration_ms} ms",
        f"feedback  {session.feedback or '-'}" + (f": {session.feedback_text}" if session.feedback_text else ""),
        "",
        "steps",
    ]
    for step in detail.steps:
        error = f"  {step.error_kind}: {_one_line(step.error_message or '', 80)}" if step.error_kind else ""
        lines.append(
            f"  {step.step_index:>3}  round {step.round}  {step.agent_name:9}  {step.model}  "
            f"{step.duration_ms} ms  {step.token_count} tokens{error}"
        )
    lines += ["", "tool calls"]
    for tool in detail.tools:
        error = f"  {_one_line(tool.error_message, 80)}" if tool.error_message else ""
        lines.append(
            f"  #{tool.id}  round {tool.round}  {_called(tool)}  "
            f"{tool.evidence_status or tool.status}  {tool.ref_count or 0} refs{error}"
        )
        lines += [f"      {line}" for line in _searched(tool)]
    if detail.evaluation:
        lines += round_lines(detail.evaluation.verifier_evaluation)
    lines += ["", "answer", "(erased)" if session.erased else session.answer or "(none)"]
    return "\n".join(lines)


def _called(tool: queries.ToolRow) -> str:
    if tool.tool_name is None:
        return "(erased)"
    return f"{tool.tool_name}  {json.dumps(tool.input_params, ensure_ascii=False)}"


def _searched(tool: queries.ToolRow) -> list[str]:
    """The window of an evidence call and its account of itself (R9, R69)."""
    details = tool.retrieval_details or {}
    if given := details.get("coverage"):
        from domain.evidence.coverage import Coverage
        from handlers.cli.coverage_lines import coverage_lines, summary

        coverage = Coverage.model_validate(given)
        return [f"coverage  {summary(coverage)}", *coverage_lines(coverage, MOST_INPUTS)]
    window = [f"window    {details['window']}"] if details.get("window") else []
    is_evidence = tool.evidence_status in ("supported", "no_evidence") and (tool.ref_count or window)
    return [*window, "coverage  not recorded"] if is_evidence else window


def _override_lines(session: queries.SessionRow) -> list[str]:
    if session.verdict_override is None:
        return []
    reason = "(erased)" if session.erased else session.override_reason
    return [f"override  in place of {session.verdict}: {reason}"]


def _one_line(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
