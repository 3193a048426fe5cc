"""Tools of the operator's own run in processes apart from the worker (R72).

One that never returns, holds its thread, exhausts the memory or ends its process costs its own call, and no other
session. A process does one call at a time, is kept for the next, and is ended with what it started when the call is
given up. It has this process's environment, and loads the tools anew; what they keep in memory is that process's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from domain.contracts import RetrievalDetails, ToolClass
from infra.reading.limits import Limits
from infra.reading.processes import ReadingProcesses
from infra.tools.contract import Tool, ToolContext, ToolResult, encodable
from infra.tools.registry import load_tools

CALLS_AT_ONCE = 4
LIMITS = Limits(memory_bytes=640 * 1024**2, cpu_seconds=120, wall_seconds=600.0, output_bytes=16 * 1024**2, files=None)


@dataclass(frozen=True, slots=True)
class HostedTool:
    """What the loaded tool says of itself, and where it is run."""

    spec: str
    name: str
    description: str
    parameters: dict[str, Any]
    tool_class: ToolClass
    read_only: bool

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Raises ReadingLimit, ReadingError, OSError; whoever waits for it bounds the time."""
        done = await tool_processes().run("infra.tools.hosted:answer", self.spec, self.name, arguments, context)
        return ToolResult(**{**done, "retrieval": RetrievalDetails.model_validate(done["retrieval"])})


def hosted_tools(spec: str) -> list[Tool]:
    """The tools that `module:factory` makes, each to be run apart. Raises ToolLoadError."""
    return [
        HostedTool(spec, tool.name, tool.description, tool.parameters, tool.tool_class, tool.read_only)
        for tool in load_tools(spec)
    ]


@cache
def tool_processes() -> ReadingProcesses:
    """Those of this process, ended with it."""
    return ReadingProcesses.until_exit(CALLS_AT_ONCE, LIMITS, own=True)


# ---------------------------------------------------------------- in the tool's process


def answer(spec: str, name: str, arguments: dict[str, Any], context: ToolContext) -> Mapping[str, Any]:
    """The result of one call, as JSON can hold it. Raises whatever the tool does."""
    result = _loop().run_until_complete(_loaded(spec)[name].run(arguments, context))
    return {
        "output": encodable(result.output),
        "success": result.success,
        "error_message": encodable(result.error_message),
        "error_kind": result.error_kind,
        "retrieval": result.retrieval.model_dump(mode="json"),
    }


@cache
def _loaded(spec: str) -> dict[str, Tool]:
    tools: Sequence[Tool] = load_tools(spec)
    return {tool.name: tool for tool in tools}


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One for all calls: what a tool has connected stays usable."""
    return asyncio.new_event_loop()
