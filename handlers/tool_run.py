"""Running one tool: whatever it does, there is a result to record, and nobody else waits for it (R7, R22, R72)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any

from domain.session.tool_calls import ToolOutcome, failed_outcome
from handlers import heavy_work
from infra.reading.limits import ReadingError, ReadingLimit
from infra.tools.contract import Tool, ToolContext, ToolResult

log = logging.getLogger(__name__)

MAX_OUTPUT = 1_000_000
"""Characters of a tool's output that are recorded; more is no answer that anybody could check."""
LEAVE_TO_END_S = 2.0
"""A tool that is late is cancelled; one that goes on all the same is left to itself."""


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
        result = await _within(timeout_s, tool, arguments, context)
        if len(result.output) + len(result.error_message) > MAX_OUTPUT:
            size = f"{len(result.output):,} 个字符，上限 {MAX_OUTPUT:,}"
            return failed_outcome("too_large", f"工具的输出过大（{size}），请收窄查询。", _elapsed_ms(started))
        return await heavy_work.outcome_of(tool, result, mask_patterns, _elapsed_ms(started))
    except TimeoutError:
        return failed_outcome("timeout", f"工具在 {timeout_s:g} 秒内没有返回。", _elapsed_ms(started))
    except ReadingLimit as limit:
        log.warning("tool %s: %s", tool.name, limit)
        kind = "crash" if limit.kind == "crash" else "too_large"
        return failed_outcome(kind, f"工具超出限制而被中止：{limit}", _elapsed_ms(started))
    except ReadingError as error:
        log.error("tool %s failed: %s", tool.name, error)
        return failed_outcome("crash", f"工具出错：{error.kind}", _elapsed_ms(started))
    except Exception as error:  # an injected tool may raise or return anything; its failure is evidence of nothing
        log.exception("tool %s failed", tool.name)
        return failed_outcome("crash", f"工具出错：{type(error).__name__}", _elapsed_ms(started))


async def _within(timeout_s: float, tool: Tool, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    """Raises TimeoutError, also where the tool does not let itself be cancelled."""
    running = asyncio.ensure_future(tool.run(arguments, context))
    try:
        done, _ = await asyncio.wait({running}, timeout=timeout_s)
        if done:
            if running.cancelled():
                raise RuntimeError("the tool cancelled itself")
            return running.result()
    finally:
        if not running.done():
            running.cancel()
    await asyncio.wait({running}, timeout=LEAVE_TO_END_S)
    if not running.done():
        log.error("tool %s goes on although it was cancelled; nobody waits for it any more", tool.name)
    elif not running.cancelled():
        running.exception()  # nobody else asks for it
    raise TimeoutError


def _elapsed_ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
