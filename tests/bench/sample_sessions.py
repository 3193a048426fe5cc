"""Sessions on the built-in scenario with the extractive model, as `assay ask` opens them."""

from __future__ import annotations

import asyncio
from itertools import cycle
from uuid import UUID

from domain.contracts import Agent
from domain.events import TERMINAL_TOPICS
from domain.session.commands import OpenSession
from handlers.application import PromptFiles
from handlers.runner import SessionRunner
from handlers.session_ids import session_id_for
from handlers.session_settings import session_settings
from infra.event_log.session_log import SessionLog
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings

QUESTIONS = (
    "请排查 payment-service 当前是否存在 HighCPUUsage 告警",
    "请排查 order-service 当前是否存在 HighMemoryUsage 告警",
    "请排查 user-service 响应慢的问题，查看 SlowResponse 告警和相关日志",
    "请排查 order-service 是否存在 HikariCP 连接池耗尽",
    "请排查 inventory-service 是否存在 HikariCP 连接池耗尽",
)

_POLL_S = 0.05
_PAGE = 1_000


class Asker:
    """Asks the sample questions in turn."""

    def __init__(self, runner: SessionRunner, settings: Settings) -> None:
        self._runner = runner
        self._settings = settings
        self._scenario = sample_scenario()
        self._questions = cycle(QUESTIONS)

    async def open(self) -> UUID:
        """One more session, recorded when this returns."""
        prompts, session_id = PromptFiles(), session_id_for(None)
        command = OpenSession(
            question=next(self._questions),
            now=self._scenario.now,
            clock="scenario",
            settings=session_settings(self._settings, (), "sample"),
            prompt_hashes={agent: prompts.sha256(agent) for agent in Agent},
            sources=self._scenario.sources,
        )
        await self._runner.submit(session_id, command)
        return session_id


class Ends:
    """Counts the sessions that have ended, by the headers of the log alone, so that counting costs little."""

    def __init__(self, events: SessionLog) -> None:
        self._events = events
        self._position = 0
        self.seen = 0

    async def wait_for(self, sessions: int) -> None:
        """Return once so many have ended since this object was made, or the log was empty."""
        while True:
            while page := await self._events.headers(self._position, _PAGE):
                self._position = page[-1].position
                self.seen += sum(header.topic in TERMINAL_TOPICS for header in page)
            if self.seen >= sessions:
                return
            await asyncio.sleep(_POLL_S)
