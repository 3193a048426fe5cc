"""Which tools a session has: those with a source, the clock, and what an operator adds by `ASSAY_TOOLS`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence, Sized
from pathlib import Path
from typing import assert_never

from domain.events import Source, SourceKind
from infra.tools.clock import clock_tool
from infra.tools.contract import Tool, ToolError
from infra.tools.knowledge import knowledge_tool
from infra.tools.log_files import log_files
from infra.tools.logs import logs_tool
from infra.tools.markdown import markdown_files
from infra.tools.metrics import check_metrics, metrics_tool
from infra.tools.skills import read_skills, skill_tool


class ToolLoadError(ValueError):
    """Tools that cannot be loaded, or two of one name."""


def place_of(sources: Sequence[Source], kind: SourceKind) -> str | None:
    """URL or path of the first source of a kind; further ones are refused by `check_sources`."""
    return next((source.address for source in sources if source.kind == kind), None)


def build_tools(sources: Sequence[Source], extra: Sequence[Tool] = ()) -> dict[str, Tool]:
    """The tools by name; one without a source is absent. Raises ToolLoadError if two have one name."""
    tools: list[Tool] = [clock_tool()]
    if metrics := place_of(sources, "metrics"):
        tools.append(metrics_tool(metrics))
    if logs := place_of(sources, "logs"):
        tools.append(logs_tool(Path(logs)))
    if knowledge := place_of(sources, "knowledge"):
        tools.append(knowledge_tool(Path(knowledge)))
    if skills := place_of(sources, "skills"):
        tools.append(skill_tool(Path(skills)))
    by_name: dict[str, Tool] = {}
    for tool in [*tools, *extra]:
        if by_name.setdefault(tool.name, tool) is not tool:
            raise ToolLoadError(f"two tools are named {tool.name}")
    return by_name


async def check_sources(sources: Sequence[Source]) -> list[str]:
    """What is wrong with the sources, one sentence each, before a session is started on them."""
    problems = []
    kinds: set[SourceKind] = set()
    for source in sources:
        if source.kind in kinds:
            problems.append(f"{source.name}: there is a source of {source.kind} already, and one alone can be used")
        elif problem := await _problem(source):
            problems.append(f"{source.name}: {problem}")
        kinds.add(source.kind)
    return problems


async def _problem(source: Source) -> str | None:
    folder = Path(source.address)
    try:
        match source.kind:
            case "metrics":
                await check_metrics(source.address)
                return None
            case "logs":
                found: Sized = log_files(folder)
            case "knowledge":
                found = markdown_files(folder)
            case "skills":
                found = read_skills(folder)
            case _:
                assert_never(source.kind)
    except (ToolError, OSError) as error:
        return str(error)
    return None if found else f"{folder} holds nothing to read"


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
