"""Asking as `assay ask` does, in this process: the same steps on the same tools, an event log in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from domain.contracts import Agent
from domain.events import Source
from domain.session.commands import OpenSession
from domain.session.state import Closed
from handlers.application import PromptFiles
from handlers.cli.ask import _summary
from handlers.runner import SessionRunner
from handlers.session_settings import session_settings
from handlers.workbench import Workbenches
from infra.settings import Settings
from tests.integration.chain import NOW as CLOCK
from tests.integration.chain import MemoryLog


@dataclass(frozen=True, slots=True)
class Answered:
    """What `assay ask --json` prints; `tool_outputs`: what its calls returned."""

    document: dict[str, Any]

    @property
    def verdict(self) -> str:
        return str(self.document["verdict"])

    @property
    def headline(self) -> str:
        return str(self.document["headline"])

    @property
    def answer(self) -> str:
        return str(self.document["answer"])


def logs_at(folder: str, zone: str, exclude: Sequence[str] = ()) -> Source:
    return Source(kind="logs", name="logs", address=folder, zone=zone, exclude=tuple(exclude))


async def asked(question: str, source: Source, now: datetime, zone: str, benches: Workbenches) -> Answered:
    """One session, from its opening to its end. `zone`: in which the question names times."""
    log = MemoryLog()
    runner = SessionRunner(log, benches, PromptFiles(), lambda: CLOCK, "practical")
    session = uuid4()
    await runner.submit(session, opening(question, source, now, zone))
    while not isinstance(await runner.advance(session), Closed):
        pass
    return Answered(_summary(log.history, getattr(log.history[-1].event.content, "answer", "")))


def opening(question: str, source: Source, now: datetime, zone: str) -> OpenSession:
    settings = Settings.load({"ASSAY_ZONE": zone})
    return OpenSession(
        question=question,
        now=now.astimezone(UTC),
        clock="given",
        settings=session_settings(settings, (), "given"),
        prompt_hashes={agent: PromptFiles().sha256(agent) for agent in Agent},
        sources=(source,),
    )


def ask_all(questions: Sequence[str], source: Source, now: datetime, zone: str) -> list[Answered]:
    benches = Workbenches(Settings.load({"ASSAY_ZONE": zone}))

    async def in_turn() -> list[Answered]:
        return [await asked(question, source, now, zone, benches) for question in questions]

    return asyncio.run(in_turn())
