"""Which tools a session has: those with a source, the clock, and what an operator adds by `ASSAY_TOOLS`."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import assert_never

from domain.events import Source, SourceKind
from infra.log_reading.exclusions import Exclusions
from infra.log_reading.files import find_files
from infra.tools.clock import clock_tool
from infra.tools.contract import Tool, ToolError
from infra.tools.knowledge import knowledge_tool, problem_of_knowledge
from infra.tools.logs import logs_tool
from infra.tools.metrics import check_metrics, metrics_tool
from infra.tools.skills import problem_of_skills, skill_tool
from infra.tools.survey import survey_tool


class ToolLoadError(ValueError):
    """Tools that cannot be loaded, or two of one name."""


def of_kind(sources: Iterable[Source], kind: SourceKind) -> list[Source]:
    """The sources of one kind, in their order."""
    return [source for source in sources if source.kind == kind]


def build_tools(sources: Sequence[Source], extra: Sequence[Tool] = ()) -> dict[str, Tool]:
    """The tools by name, each over all sources of its kind; one without a source is absent.

    Raises ToolLoadError if two have one name.
    """
    tools: list[Tool] = [clock_tool()]
    if metrics := of_kind(sources, "metrics"):
        tools.append(metrics_tool(metrics))
    if logs := of_kind(sources, "logs"):
        tools += [logs_tool(logs), survey_tool(logs)]
    if knowledge := of_kind(sources, "knowledge"):
        tools.append(knowledge_tool(knowledge))
    if skills := of_kind(sources, "skills"):
        tools.append(skill_tool(skills))
    by_name: dict[str, Tool] = {}
    for tool in [*tools, *extra]:
        if by_name.setdefault(tool.name, tool) is not tool:
            raise ToolLoadError(f"two tools are named {tool.name}")
    return by_name


async def check_sources(sources: Sequence[Source]) -> dict[str, str]:
    """What is wrong with sources, one sentence each by its name, before a session is started on them."""
    problems = await asyncio.gather(*map(_problem, sources))
    return {source.name: problem for source, problem in zip(sources, problems, strict=True) if problem}


async def _problem(source: Source) -> str | None:
    try:
        match source.kind:
            case "metrics":
                await check_metrics(source)
                return None
            case "logs":
                return await asyncio.to_thread(_problem_of_logs, Path(source.address))
            case "knowledge":
                return await problem_of_knowledge(source)
            case "skills":
                return await problem_of_skills(source)
            case _:
                assert_never(source.kind)
    except (ToolError, OSError) as error:
        return str(error)


def _problem_of_logs(folder: Path) -> str | None:
    """Raises OSError."""
    return None if find_files(folder, Exclusions(())).files else f"{folder} holds nothing to read"


def load_tools(spec: str) -> list[Tool]:
    """The tools that `module:factory` makes; none for an empty spec. Raises ToolLoadError that names what is wrong."""
    if not spec:
        return []
    module_name, _, factory_name = spec.partition(":")
    if not (module_name and factory_name):
        raise ToolLoadError(f"{spec!r} is not of the form module:factory")
    try:
        made = getattr(importlib.import_module(module_name), factory_name)()
    except Exception as error:  # a user's module and factory may raise anything
        raise ToolLoadError(f"cannot load tools from {spec!r}: {type(error).__name__}: {error}") from error
    tools = list(made)
    for tool in tools:
        missing = [
            part
            for part in ("name", "description", "parameters", "tool_class", "read_only", "run")
            if not hasattr(tool, part)
        ]
        if missing:
            raise ToolLoadError(f"{spec!r} made a {type(tool).__name__} without {', '.join(missing)}")
    return tools
