"""Running one tool: whatever it does, there is a result to record (R7, R22)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any

from domain.session.tool_calls import ToolOutcome, failed_outcome, recorded_outcome
from infra.tools.contract import Tool, ToolContext

log = logging.getLogger(__name__)


async def run_tool(
    tool: Tool,
    arguments: dict[str, Any],
    context: ToolContext,
    *,
    timeout_s: float,
    mask_patterns: Mapping[str, str],
) -> ToolOutcome:
    """One run, masked and with its evidence extracted. A tool that raises or is late has failed; nothing is raised."""
    started = time.monotonic()
    try:
        async with asyncio.timeout(timeout_s):
            result = await tool.run(arguments, context)
        return recorded_outcome(
            tool.name,
            mask_patterns=mask_patterns,
            output=result.output,
            success=result.success,
            error_kind=result.error_kind,
            error_message=result.error_message,
            retrieval=result.retrieval,
            duration_ms=_elapsed_ms(started),
            tool_classes={tool.name: tool.tool_class},
        )
    except TimeoutError:
        return failed_outcome("timeout", f"工具在 {timeout_s:g} 秒内没有返回。", _elapsed_ms(started))
    except Exception as error:  # an injected tool may raise or return anything; its failure is evidence of nothing
        log.exception("tool %s failed", tool.name)
        return failed_outcome("crash", f"工具出错：{type(error).__name__}", _elapsed_ms(started))


def _elapsed_ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
