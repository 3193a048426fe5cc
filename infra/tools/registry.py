"""Which tools a session has: those with a source, the clock, and what an operator adds by `ASSAY_TOOLS`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

from domain.events import Sources
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


def build_tools(sources: Sources, extra: Sequence[Tool] = ()) -> dict[str, Tool]:
    """The tools by name; one without a source is absent. Raises ToolLoadError if two have one name."""
    tools: list[Tool] = [clock_tool()]
    if sources.metrics:
        tools.append(metrics_tool(sources.metrics))
    if sources.logs:
        tools.append(logs_tool(Path(sources.logs)))
    if sources.knowledge:
        tools.append(knowledge_tool(Path(sources.knowledge)))
    if sources.skills:
        tools.append(skill_tool(Path(sources.skills)))
    by_name: dict[str, Tool] = {}
    for tool in [*tools, *extra]:
        if by_name.setdefault(tool.name, tool) is not tool:
            raise ToolLoadError(f"two tools are named {tool.name}")
    return by_name


async def check_sources(sources: Sources) -> list[str]:
    """What is wrong with the sources, one sentence each, before a session is started on them."""
    problems = []
    if sources.metrics:
        try:
            await check_metrics(sources.metrics)
        except (ToolError, OSError) as error:
            problems.append(f"metrics: {error}")
    for name, folder, files in (
        ("logs", sources.logs, log_files),
        ("knowledge", sources.knowledge, markdown_files),
        ("skills", sources.skills, read_skills),
    ):
        if folder:
            try:
                if not files(Path(folder)):
                    problems.append(f"{name}: {folder} holds nothing to read")
            except OSError as error:
                problems.append(f"{name}: {error}")
    return problems


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
