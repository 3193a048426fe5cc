"""`assay ask`: one question, from the command line to an audited answer."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from domain.contracts import Agent
from domain.events import (
    Erased,
    Recorded,
    SessionCancelled,
    SessionCompleted,
    SessionFailed,
    SessionOpened,
    Source,
)
from domain.session.commands import OpenSession
from handlers.application import PromptFiles, injected_tools, make_ready, wall_clock, worker
from handlers.cli.errors import UsageError
from handlers.cli.progress import line_for
from handlers.cli.since import instant
from handlers.cli.source_flags import asked_sources, usable
from handlers.session_ids import session_id_for
from handlers.session_settings import model_server, session_settings
from infra.embedded import Servers, running_servers_async
from infra.event_log.session_log import SessionLog
from infra.read_models.projector import ProjectorHalted, catch_up
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings

PATIENCE_S = 10
YEARS = range(1990, 2100)


class Evidence(NamedTuple):
    """Where the answer comes from, and the clock that goes with it (R9)."""

    sources: tuple[Source, ...]
    source: Literal["sample", "given"]
    now: datetime
    clock: Literal["wall", "given", "scenario"]


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 for any verdict, 1 when the session failed or was cancelled, 2 for unusable input."""
    if not arguments.question.strip():
        raise UsageError("the question is empty")
    return asyncio.run(_ask(arguments, settings))


async def _ask(arguments: argparse.Namespace, settings: Settings) -> int:
    evidence = await _evidence(arguments, settings)
    session_id = session_id_for(arguments.key)
    command = _open_command(arguments, settings, evidence)
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with worker(settings, servers) as (runner, events):
            asker = replace(runner, actor=settings.actor)
            await asker.submit(session_id, command)  # or find the session that the same key opened before (R10)
            try:
                history = await _followed(events, session_id, evidence.source)
            except asyncio.CancelledError:
                print(f"assay: interrupted; session {session_id} goes on while `assay serve` runs", file=sys.stderr)
                raise
            await _shown_in_read_models(events, servers, history[-1])
    return _report(history, as_json=arguments.json)


async def _evidence(arguments: argparse.Namespace, settings: Settings) -> Evidence:
    asked_now = _time(arguments.now) if arguments.now else None
    if asked := asked_sources(arguments, settings):
        sources = await usable(asked)
        return Evidence(sources, "given", asked_now or wall_clock(), "given" if asked_now else "wall")
    scenario = sample_scenario()
    return Evidence(scenario.sources, "sample", asked_now or scenario.now, "given" if asked_now else "scenario")


def _time(text: str) -> datetime:
    try:
        moment = instant(text)
    except (ValueError, OverflowError):
        raise UsageError(f"--now: {text!r} is no ISO 8601 time, such as 2026-07-08T11:17:00+08:00") from None
    if moment.year not in YEARS:
        raise UsageError(f"--now: {text!r} lies outside the years {YEARS.start} to {YEARS.stop - 1}")
    return moment


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
    )


async def _followed(events: SessionLog, session_id: UUID, source: str) -> list[Recorded]:
    """Tell of every event until the session has ended."""
    history: list[Recorded] = []
    if source == "sample":
        print("source: sample (the built-in scenario; give --metrics, --logs, … for your own)", file=sys.stderr)
    async for recorded in events.follow_session(session_id, 0):
        history.append(recorded)
        print(line_for(recorded), file=sys.stderr, flush=True)
        if isinstance(recorded.event, SessionCompleted | SessionFailed | SessionCancelled):
            break
    return history


async def _shown_in_read_models(events: SessionLog, servers: Servers, last: Recorded) -> None:
    """Wait a little for the read models, so that `session list` shows the session; the answer does not hang on it."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            await catch_up(events, servers.postgres_dsn, last.position)
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
        "answer": answer,
        "source": opened.facts.settings.source if isinstance(opened, SessionOpened) else None,
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
