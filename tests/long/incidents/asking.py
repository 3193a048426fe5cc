"""Asking as `assay ask --metrics FILE --logs DIR --knowledge DIR --now … --log-zone …` does, in this process."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from domain.contracts import Claim
from domain.events import Erased, VerdictIssued
from domain.session.state import Closed
from domain.verdict.verified import allowed_claims
from handlers.application import PromptFiles
from handlers.cli.ask import _evidence, _open_command, _summary
from handlers.cli.parser import build_parser
from handlers.runner import SessionRunner
from handlers.workbench import Workbenches
from infra.settings import Settings
from tests.integration.chain import NOW as CLOCK
from tests.integration.chain import MemoryLog
from tests.long.incidents.incident import Incident, Question


@dataclass(frozen=True, slots=True)
class Reply:
    """What the user reads, and the record behind it. `claims`: those of the last round that were confirmed."""

    answer: str
    verdict: str | None
    headline: str | None
    claims: tuple[Claim, ...] = ()
    seconds: float = 0.0


def ask_all(incident: Incident, places: tuple[Path, Path, Path], questions: Sequence[Question]) -> list[Reply]:
    """One session each, one after the other."""
    settings = Settings.load({"ASSAY_ZONE": incident.zone})
    benches = Workbenches(settings)

    async def in_turn() -> list[Reply]:
        return [await _asked(_arguments(incident, places, one), settings, benches) for one in questions]

    return asyncio.run(in_turn())


def _arguments(incident: Incident, places: tuple[Path, Path, Path], question: Question) -> argparse.Namespace:
    """The command as a person gives it."""
    logs, alerts, knowledge = map(str, places)
    flags = ["--metrics", alerts, "--logs", logs, "--knowledge", knowledge]
    flags += ["--now", incident.now.isoformat(), "--log-zone", incident.zone]
    return build_parser().parse_args(["ask", question.text, *flags])


async def _asked(arguments: argparse.Namespace, settings: Settings, benches: Workbenches) -> Reply:
    log, session = MemoryLog(), uuid4()
    runner = SessionRunner(log, benches, PromptFiles(), lambda: CLOCK, "incidents")
    started = time.monotonic()
    await runner.submit(session, _open_command(arguments, settings, await _evidence(arguments, settings)))
    while not isinstance(await runner.advance(session), Closed):
        pass
    told = _summary(log.history, getattr(log.history[-1].event.content, "answer", ""))
    issued = [one.event for one in log.history if isinstance(one.event, VerdictIssued)]
    evaluations = [one.content.evaluation for one in issued if not isinstance(one.content, Erased)]
    claims = tuple(one.claim for one in allowed_claims(evaluations)) if evaluations else ()
    return Reply(str(told["answer"]), told["verdict"], told["headline"], claims, time.monotonic() - started)
