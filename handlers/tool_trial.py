"""A tool call outside any session: what a model would be given of it, with nothing recorded and no server started."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from domain.contracts import ToolClass, ToolInvocation
from domain.session.tool_calls import tool_message
from domain.settings import SessionSettings
from handlers.tool_run import run_tool
from infra.settings import Settings
from infra.tools.contract import Tool, ToolContext

TIMEOUT_S = 120.0
UNRECORDED = 0
"""Stands in place of an invocation id: nothing can cite it."""


async def try_tool(
    tool: Tool, arguments: dict[str, Any], *, now: datetime, zone: str, settings: Settings
) -> ToolInvocation:
    """One call as a session with this clock and zone would record it, masked (R22).

    A tool that raises or is late has failed; nothing is raised.
    """
    outcome = await run_tool(
        tool,
        arguments,
        ToolContext(now, settings.window_minutes, UNRECORDED, "", zone),
        timeout_s=TIMEOUT_S,
        mask_patterns=settings.masking,
    )
    return ToolInvocation(
        id=UNRECORDED,
        session_id="",
        tool_name=tool.name,
        success=outcome.success,
        input_params=arguments,
        output=outcome.output,
        duration_ms=outcome.duration_ms,
        error_message=outcome.error_message,
        retrieval_details=outcome.details,
    )


def message_of(done: ToolInvocation, tool: Tool) -> dict[str, Any]:
    """What the model would be given of the call (R4, R69)."""
    is_helper = tool.tool_class is ToolClass.HELPER
    return tool_message(done, "", is_helper=is_helper, most_refs=SessionSettings().max_refs_shown)
