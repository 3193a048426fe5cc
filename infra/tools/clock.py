"""`getCurrentDateTime`: the session's clock, never the machine's (R9)."""

from __future__ import annotations

from domain.contracts import ToolClass
from domain.evidence.window import utc_text
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolResult, json_text


class NoArguments(Arguments):
    """The clock asks for nothing."""


def clock_tool() -> Tool:
    """The tool that tells the time of the session."""
    return FunctionTool(
        name="getCurrentDateTime",
        description="返回本次诊断的当前时间（UTC，ISO 8601）。计算查询时间窗口时以它为准。",
        arguments=NoArguments,
        tool_class=ToolClass.HELPER,
        call=_tell,
    )


async def _tell(_: NoArguments, context: ToolContext) -> ToolResult:
    return ToolResult(json_text({"success": True, "now": utc_text(context.now), "timezone": "UTC"}), True)
