"""`assay ask`: one question, from the command line to an audited answer."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from nats.errors import Error as NatsError

from domain.answer.headline import headline
from domain.contracts import Agent, ToolClass
from domain.events import (
    AnyEvent,
    Erased,
    Recorded,
    SessionCancelled,
    SessionCompleted,
    SessionFailed,
    SessionOpened,
    Source,
    ToolInvoked,
    VerdictIssued,
)
from domain.language.tongues import language_of
from domain.question.question import fault_of_question
from domain.session.commands import OpenSession
from domain.session.request import request_hash
from handlers.application import PromptFiles, injected_tools, jetstream, make_ready, open_log, wall_clock, worker
from handlers.cli.errors import UsageError
from handlers.cli.progress import line_for
from handlers.cli.since import session_time
from handlers.cli.source_flags import asked_sources, given_sources, say_sample, usable
from handlers.reactions import PHASES
from handlers.session_ids import session_id_for
from handlers.session_settings import model_server, session_settings
from infra.access import Role
from infra.access_log import Action, record_access
from infra.embedded import Servers, running_servers_async
from infra.event_log.errors import LogError, LogUnavailable
from infra.event_log.session_log import SessionLog
from infra.read_models.projector import ProjectorHalted, catch_up
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings
from infra.streams import EVENTS

PATIENCE_S = 10
QUIET_S = 15.0
"""After so long without an event the asker is told what its session waits for; a model may take that long."""

ENDS = (SessionCompleted, SessionFailed, SessionCancelled)


class Evidence(NamedTuple):
    """Where the answer comes from, and the clock that goes with it (R9)."""

    sources: tuple[Source, ...]
    source: Literal["sample", "given"]
    now: datetime
    clock: Literal["wall", "given", "scenario"]


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 for any verdict, 1 when the session failed or was cancelled, 2 for unusable input."""
    if fault := fault_of_question(arguments.question.strip()):
        raise UsageError(fault)
    return asyncio.run(_ask(arguments, settings))


async def _ask(arguments: argparse.Namespace, settings: Settings) -> int:
    evidence = await _evidence(arguments, settings)
    session_id = session_id_for(arguments.key)
    command = _open_command(arguments, settings, evidence)
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with _told_when_interrupted(settings, servers, session_id), worker(settings, servers) as (runner, events):
            asker = replace(runner, actor=settings.actor)
            if arguments.key and (secret := await events.request_key(session_id)):
                command = replace(command, request_hash=_request_hash(secret, arguments))
            async with _told_how_to_go_on(session_id), _told_while_waiting(servers) as heard:
                await asker.submit(session_id, command)  # or find the session that the same key opened before (R10)
                if arguments.key and (await events.load(session_id))[0].actor != settings.actor:
                    await record_access(events.connection, settings.actor, Action.ASK, session_id)
                history = await _followed(events, session_id, evidence.source, heard)
            await _shown_in_read_models(events, servers, history[-1])
    return _report(history, as_json=arguments.json)


@asynccontextmanager
async def _told_when_interrupted(settings: Settings, servers: Servers, session_id: UUID) -> AsyncIterator[None]:
    """Say that an unfinished session goes on, whenever the interruption came: with its key it may have begun before."""
    try:
        yield
    except asyncio.CancelledError:
        async with open_log(settings, servers) as events:
            history = await events.load(session_id)
        if history and not isinstance(history[-1].event, ENDS):
            print(f"assay: interrupted; session {session_id} goes on while `assay serve` runs", file=sys.stderr)
        raise


async def _evidence(arguments: argparse.Namespace, settings: Settings) -> Evidence:
    asked_now = session_time(arguments.now)
    if asked := asked_sources(arguments, settings):
        sources = await usable(asked)
        return Evidence(sources, "given", asked_now or wall_clock(), "given" if asked_now else "wall")
    scenario = sample_scenario()
    return Evidence(scenario.sources, "sample", asked_now or scenario.now, "given" if asked_now else "scenario")


def _open_command(arguments: argparse.Namespace, settings: Settings, evidence: Evidence) -> OpenSession:
    prompts = PromptFiles()
    return OpenSession(
        question=arguments.question,
        now=evidence.now,
        clock=evidence.clock,
        settings=session_settings(settings, injected_tools(settings), evidence.source),
        prompt_hashes={agent: prompts.sha256(agent) for agent in Agent},
        sources=evidence.sources,
        base_url=model_server(settings),
        has_key=arguments.key is not None,
        language=arguments.lang or language_of(arguments.question, settings.language),
    )


def _request_hash(secret: bytes, arguments: argparse.Namespace) -> str:
    """As the caller gave it: what the file of sources says under a name may change, and masking too."""
    given, now = given_sources(arguments), session_time(arguments.now)
    asked_time = now.isoformat() if now else ""
    return request_hash(secret, question=arguments.question.strip(), sources=given, time=asked_time)


@asynccontextmanager
async def _told_how_to_go_on(session_id: UUID) -> AsyncIterator[None]:
    """A log that does not answer ends this command, and not the session."""
    try:
        yield
    except LogUnavailable as error:
        raise LogUnavailable(
            f"{error}; the session, if it was opened, goes on with any worker: `assay session tail {session_id}`"
        ) from error


@asynccontextmanager
async def _told_while_waiting(servers: Servers) -> AsyncIterator[Callable[[], None]]:
    """What a session waits for that hears nothing for a while; the block calls what it is given at each event."""
    heard = time.monotonic()

    def hear() -> None:
        nonlocal heard
        heard = time.monotonic()

    async def tell() -> None:
        while True:
            await asyncio.sleep(QUIET_S)
            if (quiet := time.monotonic() - heard) >= QUIET_S:
                with suppress(LogError, NatsError, OSError):
                    print(f"assay: no event for {quiet:.0f} s; {await _queue(servers)}", file=sys.stderr, flush=True)

    telling = asyncio.create_task(tell())
    try:
        yield hear
    finally:
        telling.cancel()


async def _queue(servers: Servers) -> str:
    async with jetstream(servers, Role.SERVICE) as js:
        found = [await js.consumer_info(EVENTS, durable) for durable in PHASES]
    work, waiting = sum(one.num_ack_pending or 0 for one in found), sum(one.num_pending or 0 for one in found)
    if not work:
        return (
            "no worker is at any step: `assay doctor` says why" if waiting else "no step waits: the session may be over"
        )
    return f"{work} steps of all sessions are in work, {waiting} wait for a worker"


async def _followed(events: SessionLog, session_id: UUID, source: str, heard: Callable[[], None]) -> list[Recorded]:
    """Tell of every event until the session has ended."""
    history: list[Recorded] = []
    if source == "sample":
        say_sample()
    async for recorded in events.follow_session(session_id, 0):
        history.append(recorded)
        heard()
        print(line_for(recorded), file=sys.stderr, flush=True)
        if isinstance(recorded.event, ENDS):
            break
    return history


async def _shown_in_read_models(events: SessionLog, servers: Servers, last: Recorded) -> None:
    """Wait a little for the read models, so that `session list` shows the session; the answer does not hang on it."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            await catch_up(events, servers.writer_dsn, last.position)
    except (TimeoutError, ProjectorHalted):
        print("assay: the read models are behind; `assay doctor` says why", file=sys.stderr)


def _report(history: list[Recorded], *, as_json: bool) -> int:
    end = history[-1].event
    answer = "" if isinstance(end.content, Erased) else getattr(end.content, "answer", "")
    if as_json:
        print(json.dumps(_summary(history, answer), ensure_ascii=False))
    elif answer:
        print(answer)
    return 0 if isinstance(end, SessionCompleted) else 1


def _summary(history: list[Recorded], answer: str) -> dict[str, Any]:
    opened, end = history[0].event, history[-1].event
    summary: dict[str, Any] = {
        "session_id": str(history[0].session_id),
        "status": "cancelled",
        "verdict": None,
        "outcome": None,
        "groundedness_score": None,
        "rounds": max((getattr(entry.event.facts, "round", 0) for entry in history), default=0),
        "headline": _headline(history),
        "answer": answer,
        "coverage": _coverages(history),
        **_opening(opened),
    }
    if isinstance(end, SessionCompleted):
        done = end.facts
        score = float(done.groundedness_score)
        return summary | {
            "status": "completed",
            "verdict": done.verdict,
            "outcome": done.outcome,
            "groundedness_score": score,
        }
    if isinstance(end, SessionFailed):
        reason = "" if isinstance(end.content, Erased) else end.content.reason
        failed = {"status": "failed", "outcome": end.facts.outcome, "reason_code": end.facts.reason_code}
        return summary | failed | {"reason": reason}
    return summary


def _opening(opened: AnyEvent) -> dict[str, Any]:
    facts = opened.facts if isinstance(opened, SessionOpened) else None
    return {
        "source": facts and facts.settings.source,
        "language": facts and facts.language,
        "template_version": facts and facts.template_version,
    }


def _headline(history: list[Recorded]) -> str | None:
    """What the verdict means for the reader; None where the claims that would tell were erased."""
    opened, end = history[0].event, history[-1].event
    verdicts = [entry.event for entry in history if isinstance(entry.event, VerdictIssued)]
    evaluations = [issued.content.evaluation for issued in verdicts if not isinstance(issued.content, Erased)]
    if len(evaluations) < len(verdicts) or not isinstance(opened, SessionOpened):
        return None
    return headline(evaluations, opened.facts.language, completed=isinstance(end, SessionCompleted))


def _coverages(history: list[Recorded]) -> list[dict[str, Any]]:
    """What each call of an evidence tool said of its search (R69); `coverage` null: not recorded, or erased."""
    opened = history[0].event
    classes = opened.facts.settings.tool_classes if isinstance(opened, SessionOpened) else {}
    return [
        told
        for entry in history
        if isinstance(event := entry.event, ToolInvoked)
        and event.facts.duplicate_of is None
        and (told := _coverage(event, classes))
    ]


def _coverage(event: ToolInvoked, classes: Mapping[str, ToolClass]) -> dict[str, Any] | None:
    told = {"invocation_id": event.facts.invocation_id, "tool_name": None, "coverage": None}
    if isinstance(event.content, Erased):
        return told
    name, coverage = event.content.tool_name, event.content.retrieval_details.coverage
    if classes.get(name, ToolClass.HELPER) is ToolClass.HELPER:
        return None
    return told | {"tool_name": name, "coverage": coverage.model_dump(mode="json") if coverage else None}
