"""Running cases: each is a session of its own, recorded on servers of the evaluation's own (R63)."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from uuid import UUID

from domain.contracts import Agent
from domain.events import TERMINAL_TOPICS, Recorded, sources_at
from domain.evidence.masking import mask
from domain.language.tongues import language_of
from domain.session.commands import OpenSession
from handlers.application import PromptFiles, injected_tools, make_ready, wall_clock, worker
from handlers.evaluation.case import Case
from handlers.evaluation.expectations import Miss, misses
from handlers.evaluation.observation import observe
from handlers.evaluation.result import CaseResult
from handlers.evaluation.stage import Stage
from handlers.runner import SessionRunner
from handlers.session_ids import session_id_for
from handlers.session_settings import model_server, session_settings
from handlers.workbench import Workbenches
from infra.embedded import running_servers_async
from infra.event_log.session_log import SessionLog
from infra.models.scripted import SCRIPTED
from infra.read_models.projector import ProjectorHalted, catch_up
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings

AT_ONCE = 4
PATIENCE_S = 30


def own_settings(settings: Settings, folder: Path) -> Settings:
    """The same on embedded servers in `folder`: no verdict of an evaluation reaches anybody's subscribers."""
    return settings.model_copy(
        update={
            "data_dir": folder / "data",
            "key_dir": folder / "keys",
            "signing_key": folder / "keys" / "signing.pem",
            "heads_file": folder / "keys" / "heads.jsonl",
            "nats_url": None,
            "nats_credentials": {},
            "postgres_dsn": None,
            "postgres_writer_dsn": None,
            "postgres_reader_dsn": None,
        }
    )


Play = Callable[[Case], Awaitable[CaseResult]]


@asynccontextmanager
async def playing(settings: Settings, folder: Path) -> AsyncIterator[Play]:
    """Servers and workers in `folder`, until the block ends; yields the function that runs one case on them."""
    settings = own_settings(settings, folder)
    stage = Stage(Workbenches(settings, injected_tools(settings)))
    async with running_servers_async(settings) as servers:
        await make_ready(settings, servers)
        async with worker(settings, servers, stage) as (runner, events):

            async def play(case: Case) -> CaseResult:
                return await _played(case, settings, stage, runner, events)

            yield play
            await _shown_in_read_models(events, servers.writer_dsn)


async def evaluate(
    cases: Sequence[Case], play: Play, tell: Callable[[CaseResult], None] = lambda _: None
) -> list[CaseResult]:
    """Run all cases, a few at once. `tell` hears of each as it is done."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def in_turn(case: Case) -> CaseResult:
        async with turns:
            result = await play(case)
        tell(result)
        return result

    return await asyncio.gather(*map(in_turn, cases))


async def _played(
    case: Case, settings: Settings, stage: Stage, runner: SessionRunner, events: SessionLog
) -> CaseResult:
    """Open the case's session and wait for its end."""
    started = time.monotonic()
    session_id = session_id_for(None)
    server, script = model_server(settings) if case.model == "live" else None, None
    if case.model == "scripted":
        server, script = stage.put_on(case.replies, session_id)
    await runner.submit(session_id, _opening(case, settings, server))
    seen = observe(await _ended(events, session_id))
    faults = [Miss("replies", "enough for the session", fault) for fault in script.faults] if script else []
    return CaseResult(case, session_id, seen, (*faults, *misses(case.expect, seen)), time.monotonic() - started)


async def _shown_in_read_models(events: SessionLog, dsn: str) -> None:
    """So that sessions kept can be listed and shown; the results do not hang on it."""
    with contextlib.suppress(TimeoutError, ProjectorHalted):
        async with asyncio.timeout(PATIENCE_S):
            await catch_up(events, dsn, await events.last_position())


def _opening(case: Case, settings: Settings, server: str | None) -> OpenSession:
    scenario, prompts = sample_scenario(), PromptFiles()
    is_sample = case.sources is None
    now = case.now.astimezone(UTC) if case.now else scenario.now if is_sample else wall_clock()
    in_force = session_settings(
        settings if case.model == "live" else _offline(settings),
        injected_tools(settings),
        "sample" if is_sample else "given",
    )
    scripted = dict.fromkeys(case.replies, SCRIPTED)
    return OpenSession(
        question=mask(case.question)[0],
        now=now,
        clock="given" if case.now else "scenario" if is_sample else "wall",
        settings=case.settings.applied_to(in_force.model_copy(update={"models": in_force.models | scripted})),
        prompt_hashes={agent: prompts.sha256(agent) for agent in Agent},
        sources=scenario.sources if case.sources is None else sources_at(case.sources),
        base_url=server,
        language=case.language or language_of(case.question, settings.language),
    )


def _offline(settings: Settings) -> Settings:
    return settings.model_copy(update={"openai_base_url": None, "openai_api_key": None})


async def _ended(events: SessionLog, session_id: UUID) -> list[Recorded]:
    history: list[Recorded] = []
    async for recorded in events.follow_session(session_id):
        history.append(recorded)
        if recorded.event.TOPIC in TERMINAL_TOPICS:
            break
    return history
