"""Asking as `assay ask --metrics FILE --logs DIR --knowledge DIR --now … --log-zone …` does, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from domain.contracts import Claim
from domain.events import Erased, Source, VerdictIssued
from domain.session.state import Closed
from domain.verdict.verified import allowed_claims
from handlers.application import PromptFiles
from handlers.cli.ask import _summary
from handlers.runner import SessionRunner
from handlers.workbench import Workbenches
from infra.settings import Settings
from tests.integration.chain import NOW as CLOCK
from tests.integration.chain import MemoryLog
from tests.long.incidents.incident import Incident, Question
from tests.long.practical.asking import opening


@dataclass(frozen=True, slots=True)
class Reply:
    """What the user reads, and the record behind it. `claims`: those of the last round that were confirmed."""

    answer: str
    verdict: str | None
    headline: str | None
    claims: tuple[Claim, ...] = ()
    seconds: float = 0.0


def sources_of(places: tuple[Path, Path, Path], zone: str) -> tuple[Source, ...]:
    logs, alerts, knowledge = places
    return (
        Source(kind="metrics", name="metrics", address=str(alerts)),
        Source(kind="logs", name="logs", address=str(logs), zone=zone),
        Source(kind="knowledge", name="knowledge", address=str(knowledge)),
    )


def ask_all(incident: Incident, places: tuple[Path, Path, Path], questions: Sequence[Question]) -> list[Reply]:
    """One session each, one after the other."""
    benches = Workbenches(Settings.load({"ASSAY_ZONE": incident.zone}))
    sources = sources_of(places, incident.zone)

    async def in_turn() -> list[Reply]:
        return [await _asked(incident, one, sources, benches) for one in questions]

    return asyncio.run(in_turn())


async def _asked(incident: Incident, question: Question, sources: tuple[Source, ...], benches: Any) -> Reply:
    log, session = MemoryLog(), uuid4()
    runner = SessionRunner(log, benches, PromptFiles(), lambda: CLOCK, "incidents")
    command = replace(opening(question.text, sources[0], incident.now, incident.zone), sources=sources)
    started = asyncio.get_running_loop().time()
    await runner.submit(session, command)
    while not isinstance(await runner.advance(session), Closed):
        pass
    told = _summary(log.history, getattr(log.history[-1].event.content, "answer", ""))
    issued = [one.event for one in log.history if isinstance(one.event, VerdictIssued)]
    evaluations = [one.content.evaluation for one in issued if not isinstance(one.content, Erased)]
    claims = tuple(one.claim for one in allowed_claims(evaluations)) if evaluations else ()
    seconds = asyncio.get_running_loop().time() - started
    return Reply(str(told["answer"]), told["verdict"], told["headline"], claims, seconds)
