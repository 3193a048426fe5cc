"""`assay tool run`: one call of a tool, and what a model would be given of it. No server, nothing recorded."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from domain.contracts import ToolInvocation
from domain.events import Source
from domain.json_objects import load_strict
from domain.session.tool_calls import read_arguments
from handlers.application import injected_tools, wall_clock
from handlers.cli.coverage_lines import coverage_lines, summary
from handlers.cli.errors import UsageError
from handlers.cli.plain import plain
from handlers.cli.since import session_time
from handlers.cli.source_flags import asked_sources, say_sample
from handlers.session_settings import session_zone
from handlers.tool_trial import message_of, try_tool
from infra.scenario.scenario import sample_scenario
from infra.settings import Settings
from infra.tools.contract import Tool
from infra.tools.registry import build_tools

FAILED_CALL = 1
EVERY = 1_000


class Setting(NamedTuple):
    """What a call is made on: its tools, and the session's clock and zone (R9)."""

    tools: Mapping[str, Tool]
    now: datetime
    zone: str


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 for an answer, also an empty one; 1 for a call that failed; 2 for unusable input."""
    given = _object(arguments.arguments)
    tools, now, zone = _setting(arguments, settings)
    if (tool := tools.get(arguments.name)) is None:
        raise UsageError(f"there is no tool {arguments.name!r}; with these sources there are {', '.join(tools)}")
    done = asyncio.run(try_tool(tool, given, now=now, zone=zone, settings=settings))
    message = message_of(done, tool)
    print(json.dumps(message, ensure_ascii=False) if arguments.json else _page(message, done))
    return 0 if done.success else FAILED_CALL


def _setting(arguments: argparse.Namespace, settings: Settings) -> Setting:
    now = session_time(arguments.now)
    if asked := asked_sources(arguments, settings):
        return Setting(_tools(asked.sources, settings), now or wall_clock(), session_zone(settings, "given"))
    say_sample()
    scenario = sample_scenario()
    return Setting(_tools(scenario.sources, settings), now or scenario.now, session_zone(settings, "sample"))


def _tools(sources: tuple[Source, ...], settings: Settings) -> Mapping[str, Tool]:
    return build_tools(sources, injected_tools(settings))


def _object(text: str) -> dict[str, Any]:
    """As strictly as a model's arguments are read. Raises UsageError."""
    try:
        value = load_strict(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--arguments: no JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError('--arguments: must be a JSON object, such as {"service": "checkout"}')
    if isinstance(read_arguments(text), str):
        raise UsageError("--arguments: nested too deeply, or with whole numbers beyond 64 bits")
    return value


def _page(message: Mapping[str, Any], done: ToolInvocation) -> str:
    lines = [f"{done.tool_name}  {message['evidence_status']}  {done.duration_ms} ms"]
    lines += [f"  {plain(line)}" for line in message.get("output", "").splitlines()]
    for ref in message.get("evidence_refs", ()):
        lines += ["", f"  {plain(ref['raw_path'])}", *(f"    {plain(line)}" for line in ref["text"].splitlines())]
    if note := message.get("note"):
        lines += ["", f"  note      {plain(note)}"]
    if coverage := done.retrieval_details.coverage:
        lines += ["", f"  coverage  {summary(coverage)}", *(f"  {line}" for line in coverage_lines(coverage, EVERY))]
    return "\n".join(lines)
