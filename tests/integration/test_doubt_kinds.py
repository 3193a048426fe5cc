"""Every kind of doubt can be raised, and takes the proof of an absence away (R68, R69)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from domain.evidence.coverage import Coverage, Doubt, DoubtKind
from handlers.tool_run import run_tool
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolResult
from infra.tools.logs import logs_tool

NOW = datetime(2031, 5, 1, 11, 0, tzinfo=UTC)
CONTEXT = ToolContext(now=NOW, window_minutes=60, invocation_id=7, session_id="s")
NOTHING = json.dumps({"success": True, "items": [], "total": 0})

LINES: dict[DoubtKind, str] = {
    DoubtKind.TIME: "2031-05-01T09:00:00Z INFO start\nstrange words\n2031-05-01T10:30:00Z INFO end\n",
    DoubtKind.ZONE: "2031-05-01 03:30:00 ERROR strange words\n",
    DoubtKind.LEVEL: "2031-05-01T10:30:00Z strange words\n",
    DoubtKind.SERVICE: "2031-05-01T10:30:00Z ERROR strange words\n",
    DoubtKind.TEXT: f"2031-05-01T10:30:00Z ERROR {'x' * 70_000} strange words\n",
    DoubtKind.REPEATED_KEY: '{"time":"2031-05-01T10:30:00Z","level":"WARN","level":"INFO","msg":"strange words"}\n',
}
"""A line that matches a search for these words of `till-api` at level ERROR but for what is not understood of it."""


def of_logs(kind: DoubtKind) -> Callable[[Path], Tool]:
    def made(folder: Path) -> Tool:
        name = "app.log" if kind is DoubtKind.SERVICE else "till-api.log"
        (folder / name).write_text(LINES[kind])
        if kind is DoubtKind.SERVICE:
            (folder / "till-api.log").write_text("2031-05-01T10:30:00Z INFO all well\n")
        return logs_tool([Source(kind="logs", name="logs", address=str(folder))])

    return made


def with_an_unread_input(folder: Path) -> Tool:
    (folder / "till-api.log").write_text("2031-05-01T10:30:00Z INFO all well\n")
    (folder / "pod").symlink_to(folder.parent)
    return logs_tool([Source(kind="logs", name="logs", address=str(folder))])


def declared(kind: DoubtKind) -> Callable[[Path], Tool]:
    """A tool of somebody's own that gives its account in the same shape."""

    class Anything(Arguments):
        service: str = ""
        level: str = ""
        query: str = ""

    async def call(_: Anything, __: ToolContext) -> ToolResult:
        coverage = Coverage(doubts=(Doubt(kind=kind, count=1, example="status filter"),))
        return ToolResult(NOTHING, True, retrieval=RetrievalDetails(coverage=coverage))

    def made(_: Path) -> Tool:
        return FunctionTool("query_traces", "traces", Anything, ToolClass.LIVE, call)

    return made


TOOLS: dict[DoubtKind, Callable[[Path], Tool]] = {
    **{kind: of_logs(kind) for kind in LINES},
    DoubtKind.INPUT: with_an_unread_input,
    DoubtKind.PUSHED_DOWN: declared(DoubtKind.PUSHED_DOWN),
    DoubtKind.PARTIAL: declared(DoubtKind.PARTIAL),
}


def test_the_kinds_are_closed() -> None:
    """R69: a kind more needs a way to raise it here, words for the reader, and a version of the event."""
    assert set(TOOLS) == set(DoubtKind)
    assert [kind.value for kind in DoubtKind] == [
        *("time", "zone", "level", "service", "text", "input", "repeated_key", "pushed_down", "partial"),
    ]


@pytest.mark.parametrize("kind", DoubtKind)
def test_a_doubt_of_each_kind_is_recorded_and_proves_no_absence(kind: DoubtKind, tmp_path: Path) -> None:
    """R20, R68, R69."""
    folder = tmp_path / "logs"
    folder.mkdir()
    asked = {"service": "till-api", "level": "ERROR"}
    if kind is not DoubtKind.REPEATED_KEY:
        asked["query"] = '"strange words"'
    if kind in (DoubtKind.TIME, DoubtKind.TEXT):
        del asked["level"]
    if kind is DoubtKind.TEXT:
        asked["query"] = "elsewhere"
    outcome = asyncio.run(
        run_tool(TOOLS[kind](folder), asked, CONTEXT, timeout_s=60, mask_patterns={}),
    )
    details = outcome.details

    assert details.coverage is not None
    assert [one.kind for one in details.coverage.doubts] == [kind]
    assert not details.coverage.complete
    assert [ref.raw_path for ref in details.evidence_refs or () if not ref.raw_path.endswith("]")] == []
