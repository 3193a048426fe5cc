"""A tool of an operator's own that does whatever can go wrong in one: `ASSAY_TOOLS=hostile_tools:make`."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from domain.contracts import ToolClass
from infra.tools.contract import ToolContext, ToolResult

MB = 1024**2


def told(output: str) -> ToolResult:
    return ToolResult(output, True)


async def ignores_cancelling() -> ToolResult:
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3_600)


async def returns_never() -> ToolResult:
    await asyncio.Event().wait()
    return told("{}")


def holds_its_thread() -> ToolResult:
    time.sleep(3_600)
    return told("{}")


def computes_for_ever() -> ToolResult:
    number = 0
    while True:
        number += 1


async def computes_in_a_thread() -> ToolResult:
    await asyncio.to_thread(computes_for_ever)
    return told("{}")


def ends_its_process() -> ToolResult:
    os._exit(3)


def leaves_python() -> ToolResult:
    sys.exit(4)


def breaks_its_process() -> ToolResult:
    ctypes.string_at(0)
    return told("{}")


def takes_all_memory() -> ToolResult:
    taken = []
    while True:
        taken.append(bytearray(16 * MB))


def starts_others() -> ToolResult:
    for _ in range(3):
        subprocess.Popen(["sleep", "3600"])
    time.sleep(3_600)
    return told("{}")


def starts_threads() -> ToolResult:
    for _ in range(20):
        threading.Thread(target=computes_for_ever, daemon=True).start()
    time.sleep(3_600)
    return told("{}")


def lines(count: int, text: str) -> str:
    rows = [{"timestamp": "2026-07-08T11:00:00Z", "level": "ERROR", "message": f"{text} {n}"} for n in range(count)]
    return json.dumps({"logs": rows, "total": count})


ACTS: dict[str, Callable[[], Any]] = {
    "ignores_cancelling": ignores_cancelling,
    "returns_never": returns_never,
    "holds_its_thread": holds_its_thread,
    "computes_for_ever": computes_for_ever,
    "computes_in_a_thread": computes_in_a_thread,
    "ends_its_process": ends_its_process,
    "leaves_python": leaves_python,
    "breaks_its_process": breaks_its_process,
    "takes_all_memory": takes_all_memory,
    "starts_others": starts_others,
    "starts_threads": starts_threads,
    "returns_nothing": lambda: None,
    "returns_bytes": lambda: ToolResult(b"\xff" * 100, True),  # type: ignore[arg-type]
    "half_characters": lambda: told('{"logs": [{"message": "\ud800 boom"}]}'),
    "output_5_mb": lambda: told(lines(50_000, "order-service failed")),
    "output_300_mb": lambda: told("x" * (300 * MB)),
    "deep_json": lambda: told('{"logs":' * 100_000 + "[]" + "}" * 100_000),
    "deep_lists": lambda: told("[" * 1_000_000),
    "many_secrets": lambda: told(lines(8_000, "password=hunter2 token=abc")),
    "many_rows": lambda: told(lines(8_000, "order-service failed")),
    "one_long_row": lambda: told(json.dumps({"logs": [{"message": "order-service failed " * 45_000}]})),
    "key_signs": lambda: told("key=" * 240_000),
    "control_characters": lambda: told("\x1b]52;c;eA==\x07\u202e" * 60_000),
}


@dataclass(frozen=True, slots=True)
class HostileTool:
    name: str = "hostile"
    description: str = "does what it is told"
    parameters: dict[str, Any] = field(
        default_factory=lambda: {"type": "object", "properties": {"act": {"type": "string"}}, "required": ["act"]}
    )
    tool_class: ToolClass = ToolClass.LIVE
    read_only: bool = True

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:  # noqa: ARG002
        done = ACTS[arguments["act"]]()
        return await done if asyncio.iscoroutine(done) else done  # type: ignore[no-any-return]


def make() -> list[HostileTool]:
    return [HostileTool()]
