"""Asking as `assay ask --metrics FILE --logs DIR --knowledge DIR --now … --log-zone …` does, in this process."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from domain.contracts import Claim, VerifierEvaluation
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


def flags_of(incident: Incident, places: tuple[Path, Path, Path]) -> list[str]:
    """Those of the command with which a person asks about the incident."""
    logs, alerts, knowledge = map(str, places)
    sources = ["--metrics", alerts, "--logs", logs, "--knowledge", knowledge]
    return [*sources, "--now", incident.now.isoformat(), "--log-zone", incident.zone]


def ask_all(incident: Incident, places: tuple[Path, Path, Path], questions: Sequence[Question]) -> list[Reply]:
    """One session each, one after the other."""
    settings, flags = Settings.load({"ASSAY_ZONE": incident.zone}), flags_of(incident, places)
    benches, parser = Workbenches(settings), build_parser()

    async def in_turn() -> list[Reply]:
        asked = (parser.parse_args(["ask", one.text, *flags]) for one in questions)
        return [await _asked(arguments, settings, benches) for arguments in asked]

    return asyncio.run(in_turn())


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
    return reply_of(told, evaluations, time.monotonic() - started)


def reply_of(told: Mapping[str, Any], evaluations: Sequence[VerifierEvaluation], seconds: float = 0.0) -> Reply:
    """From what `assay ask --json` prints, and the evaluations that were recorded."""
    claims = tuple(one.claim for one in allowed_claims(evaluations)) if evaluations else ()
    return Reply(str(told["answer"]), told["verdict"], told["headline"], claims, seconds)
