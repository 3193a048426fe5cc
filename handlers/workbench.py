"""What one session's agents work with: the tools on its recorded sources, and its recorded model server.

A worker takes both from the session, not from its own command line, so that any worker can carry on any session.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.contracts import Agent
from domain.events import SessionOpenedContent, Source
from domain.session.conversation import Surroundings
from handlers.ports import Model
from handlers.session_settings import model_server
from infra.models.client import build_client, extractive_client
from infra.settings import Settings
from infra.tools.contract import Tool
from infra.tools.knowledge import knowledge_map
from infra.tools.registry import build_tools, of_kind
from infra.tools.skills import skill_catalog

REST_S = 60.0


class NoCredentials(Exception):
    """This worker has no key for the session's model server, and a key is never sent to another server than its own."""


@dataclass(frozen=True, slots=True)
class SessionWorkbench:
    tools: Mapping[str, Tool]
    surroundings: Surroundings
    model: Model

    def model_for(self, agent: Agent) -> Model:  # noqa: ARG002 - one server for all agents today, by name (R42)
        return self.model


@dataclass(slots=True)
class _Folders:
    """What the planner was last told of folders of knowledge and skills, and the signs of their state then."""

    domains: tuple[str, ...] = ()
    skills: tuple[tuple[str, str], ...] = ()
    knowledge_sign: str = ""
    skills_sign: str = ""
    rests_until: float = 0.0

    async def follow(self, sources: Sequence[Source]) -> Surroundings:
        """As the folders are now: they are looked through each time, and read again only where something changed. Those
        that came to a limit of reading are let alone for a while."""
        knowledge, skills = of_kind(sources, "knowledge"), of_kind(sources, "skills")
        if time.monotonic() >= self.rests_until:
            mapped = await knowledge_map(knowledge, self.knowledge_sign)
            if mapped.text is not None:
                self.domains, self.knowledge_sign = tuple(mapped.text.splitlines()), mapped.signature
            self.skills_sign, catalog = await skill_catalog(skills, self.skills_sign)
            if catalog is not None:
                self.skills = tuple(catalog)
            if (knowledge and not self.knowledge_sign) or (skills and not self.skills_sign):
                self.rests_until = time.monotonic() + REST_S
        return Surroundings(knowledge_domains=self.domains, skills=self.skills)


@dataclass(slots=True)
class Workbenches:
    """Builds workbenches; tools and clients are shared between sessions with the same sources and server."""

    settings: Settings
    injected: Sequence[Tool] = ()
    _tools: dict[str, tuple[Mapping[str, Tool], _Folders]] = field(default_factory=dict)
    _models: dict[str | None, Model] = field(default_factory=dict)

    async def __call__(self, opened: SessionOpenedContent) -> SessionWorkbench:
        """Raises NoCredentials."""
        sources = "\n".join(source.model_dump_json() for source in opened.sources)
        if sources not in self._tools:
            self._tools[sources] = build_tools(opened.sources, self.injected), _Folders()
        if opened.base_url not in self._models:
            self._models[opened.base_url] = self._connected(opened.base_url)
        tools, folders = self._tools[sources]
        return SessionWorkbench(tools, await folders.follow(opened.sources), self._models[opened.base_url])

    def _connected(self, base_url: str | None) -> Model:
        if base_url is None:
            return extractive_client()
        if base_url != model_server(self.settings):
            raise NoCredentials(f"本进程没有配置模型服务 {base_url}")
        return build_client(base_url, self.settings.openai_api_key)
