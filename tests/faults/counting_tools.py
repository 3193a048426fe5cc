"""The sample scenario's tools, which note every run of theirs in a file: a tool's own count of what was done (R7).

Loaded by the workers under test through `ASSAY_TOOLS=counting_tools:make`.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import Any

from domain.contracts import ToolClass
from infra.scenario.scenario import sample_scenario
from infra.tools.contract import Tool, ToolContext, ToolResult
from infra.tools.registry import build_tools

RUNS_FILE = "COUNTED_RUNS"
EFFECTS_FILE = "COUNTED_EFFECTS"
"""Where it is set, the tools are not read-only, and what each run did is noted there."""
SLOWNESS = "COUNTED_SECONDS"


@dataclass(frozen=True, slots=True)
class CountingTool:
    wrapped: Tool

    @property
    def name(self) -> str:
        return self.wrapped.name

    @property
    def description(self) -> str:
        return self.wrapped.description

    @property
    def parameters(self) -> dict[str, Any]:
        return self.wrapped.parameters

    @property
    def tool_class(self) -> ToolClass:
        return self.wrapped.tool_class

    @property
    def read_only(self) -> bool:
        return EFFECTS_FILE not in os.environ

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        _append(os.environ[RUNS_FILE], f"{context.session_id} {context.invocation_id}")
        if effects := os.environ.get(EFFECTS_FILE):
            _append(effects, f"{context.session_id} {self.name} {json.dumps(arguments, sort_keys=True)}")
        await asyncio.sleep(float(os.environ.get(SLOWNESS, "0")))
        return await self.wrapped.run(arguments, context)


def _append(file: str, line: str) -> None:
    opened = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(opened, f"{line}\n".encode())  # one write of a short line: whole, whoever else appends
    finally:
        os.close(opened)


def make() -> list[CountingTool]:
    tools = build_tools(sample_scenario().sources)
    return [CountingTool(tool) for name, tool in tools.items() if name.startswith("query_")]
