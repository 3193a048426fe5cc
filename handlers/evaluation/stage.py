"""What scripted sessions work with: real tools, and models that say their lines (R63)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from domain.contracts import Agent
from domain.events import SessionOpenedContent
from domain.session.conversation import Surroundings
from handlers.ports import Model, Workbench
from handlers.workbench import Workbenches
from infra.models.client import ModelClient, extractive_client
from infra.models.scripted import SCRIPTED, Replies, Script
from infra.tools.contract import Tool


@dataclass(frozen=True, slots=True)
class ScriptedWorkbench:
    """Real tools, and models that say their lines."""

    tools: Mapping[str, Tool]
    surroundings: Surroundings
    script: Script

    def model_for(self, agent: Agent) -> Model:
        return self.script.model_for(agent)


@dataclass(slots=True)
class Stage:
    """Workbenches of scripted sessions, told apart by their recorded model server, and of all others."""

    usual: Workbenches
    _offline: ModelClient = field(default_factory=extractive_client)
    _scripts: dict[str, Script] = field(default_factory=dict)

    def put_on(self, replies: Replies, session_id: UUID) -> tuple[str, Script]:
        """The script of a session, and the model server to record for it."""
        server, script = f"{SCRIPTED}:{session_id}", Script(replies, self._offline)
        self._scripts[server] = script
        return server, script

    async def __call__(self, opened: SessionOpenedContent) -> Workbench:
        script = self._scripts.get(opened.base_url or "")
        if script is None:
            return await self.usual(opened)
        bench = await self.usual(opened.model_copy(update={"base_url": None}))
        return ScriptedWorkbench(bench.tools, bench.surroundings, script)
