"""The sample scenario's tools, which note every run of theirs in a file: a tool's own count of what was done (R7).

Loaded by the workers under test through `ASSAY_TOOLS=counting_tools:make`.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import Any

from domain.contracts import ToolClass
from infra.scenario.scenario import sample_scenario
from infra.tools.contract import Tool, ToolContext, ToolResult
from infra.tools.registry import build_tools

RUNS_FILE = "COUNTED_RUNS"
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
        return True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        line = f"{context.session_id} {context.invocation_id}\n".encode()
        file = os.open(os.environ[RUNS_FILE], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(file, line)  # one write of a short line: whole, whoever else appends
        finally:
            os.close(file)
        await asyncio.sleep(float(os.environ.get(SLOWNESS, "0")))
        return await self.wrapped.run(arguments, context)


def make() -> list[CountingTool]:
    tools = build_tools(sample_scenario().sources)
    return [CountingTool(tool) for name, tool in tools.items() if name.startswith("query_")]
