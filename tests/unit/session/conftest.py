"""Given events, when a command comes, then events: the vocabulary of the session's tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from domain.contracts import Agent
from domain.events import Event, Recorded
from domain.model_reply import ModelReply
from domain.session.commands import Command, OpenSession, RecordModelCall
from domain.session.decide import decide
from domain.session.evolve import fold
from domain.session.state import SessionState
from domain.session.steps import Step, next_step
from domain.settings import SessionSettings

SESSION = UUID("01900000-0000-7000-8000-000000000001")
STARTED = datetime(2026, 7, 8, 3, 0, tzinfo=UTC)


class Given:
    """A session with a history; `when` records what a command makes of it."""

    def __init__(self, settings: SessionSettings | None = None) -> None:
        self.settings = settings or SessionSettings()
        self.history: tuple[Recorded, ...] = ()
        self.now = STARTED

    @property
    def state(self) -> SessionState:
        return fold(self.history)

    @property
    def due(self) -> Step | None:
        return next_step(self.state, self.now)

    def happened(self, *events: Event) -> Given:
        for event in events:
            version = len(self.history) + 1
            entry = Recorded(
                session_id=SESSION,
                version=version,
                position=100 + version,
                event_id=uuid4(),
                commit_id=uuid4(),
                correlation_id=SESSION,
                causation_id=None,
                time=self.now,
                actor="test",
                hash=f"hash-{version}",
                event=event,
            )
            self.history = (*self.history, entry)
        return self

    def when(self, command: Command) -> Sequence[Event]:
        events = decide(self.state, command)
        self.happened(*events)
        return events

    def opened(self, question: str = "请排查 order-service 当前是否存在 HighMemoryUsage 告警") -> Given:
        self.when(
            OpenSession(
                question=question,
                now=STARTED,
                clock="wall",
                settings=self.settings,
                prompt_hashes=dict.fromkeys(Agent, "0" * 64),
            )
        )
        return self

    def replied(self, agent: Agent, reply: ModelReply) -> Sequence[Event]:
        return self.when(
            RecordModelCall(
                agent=agent, attempt=1, model="test", prompt_hash="0" * 64, messages=(), outcome=reply
            )
        )

    def later(self, seconds: float) -> Given:
        self.now += timedelta(seconds=seconds)
        return self


@pytest.fixture
def given() -> Callable[..., Given]:
    return Given
