"""What the reactions need of the outside world; `infra` provides it, `handlers.application` wires it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from domain.contracts import Agent
from domain.events import AnyEvent, Recorded, SessionOpenedContent
from domain.model_reply import ModelFailure, ModelReply
from domain.session.conversation import Surroundings
from infra.tools.contract import Tool

Clock = Callable[[], datetime]
"""The wall clock, aware UTC."""


class EventLog(Protocol):
    """The log of sessions (R50, R51)."""

    async def load(self, session_id: UUID, *, at_least: int = 0) -> tuple[Recorded, ...]:
        """All events of a session in order, chain checked; () for an unknown one. May still lack version `at_least`."""

    async def append(
        self,
        session_id: UUID,
        after: Recorded | None,
        events: Sequence[AnyEvent],
        *,
        actor: str,
        correlation_id: UUID | None = None,
        causation_id: UUID | None = None,
    ) -> tuple[Recorded, ...]:
        """Append all or none behind `after`. Raises Conflict when another writer was first."""


class Model(Protocol):
    """A chat model behind an OpenAI-compatible server."""

    async def complete(
        self, *, model: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None = None
    ) -> ModelReply | ModelFailure:
        """One attempt; a failure is a value, not an exception."""


class Workbench(Protocol):
    """What one session's agents work with, made from its recorded sources and model server."""

    @property
    def tools(self) -> Mapping[str, Tool]: ...

    @property
    def surroundings(self) -> Surroundings: ...

    def model_for(self, agent: Agent) -> Model: ...


WorkbenchFor = Callable[[SessionOpenedContent], Awaitable[Workbench]]


class Prompts(Protocol):
    """System prompts and the hashes recorded with every step (R42)."""

    def text(self, agent: Agent) -> str: ...

    def sha256(self, agent: Agent) -> str: ...
