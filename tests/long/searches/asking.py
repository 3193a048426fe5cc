"""Asks `query_logs` about a case, and takes of its answer what an agent would see: the refs that code extracts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from domain.events import Source
from domain.evidence.extraction import extract_evidence
from infra.models.extractive.calls import next_calls
from infra.models.extractive.inquiry import read_question
from infra.tools.contract import Tool, ToolContext
from infra.tools.logs import logs_tool
from tests.long.searches.case import Case
from tests.long.searches.tally import Answer

ENOUGH = 50
"""So many entries are asked for: more than match in any case."""


def understood(case: Case) -> dict[str, Any]:
    """The call of a planner that understands the question, whatever its words."""
    sought = case.sought
    words = f'"{sought.name}"' if sought.kind == "phrase" else sought.name
    found: dict[str, Any] = {"service": sought.service, "level": sought.level}
    found["query"] = "" if sought.kind == "level" else words
    if sought.start is None:
        return found | {"ever": True}
    return found | {"since": sought.start.isoformat(), "until": sought.end.isoformat()}


def planned(case: Case, tool: Tool) -> list[Mapping[str, Any]]:
    """The calls that the offline model makes of the question, once it is read."""
    inquiry = read_question(case.question, case.now, UTC)
    calls = next_calls(inquiry, {tool.name: tool.parameters}, (), skill=None, minutes=None)
    return [call.arguments for call in calls]


def _asked(tool: Tool, arguments: Mapping[str, Any], case: Case) -> Answer:
    context = ToolContext(case.now.astimezone(UTC), window_minutes=60, invocation_id=7, session_id="case")
    result = asyncio.run(tool.run({**arguments, "limit": ENOUGH}, context))
    if not result.success or result.retrieval is None:
        return Answer((), complete=False, said=f"failed: {result.error_message}")
    asked = result.retrieval
    details = extract_evidence(
        "query_logs", result.output, source="logs", query=asked.query, window=asked.window, base=asked
    )
    refs = details.evidence_refs or ()
    texts = tuple(ref.text for ref in refs if ref.raw_path.startswith("$.logs["))
    proven = any(ref.raw_path == "$.logs" and "total=0" in ref.text for ref in refs)
    doubts = asked.coverage.doubts if asked.coverage else ()
    said = "; ".join(f"{one.kind} {one.count} {one.example[:120]}" for one in doubts)
    return Answer(texts, complete=proven, said=said or json.loads(result.output).get("message", ""))


def answer(case: Case, folder: Path, *, reads: bool = True) -> Answer:
    """What the search says of the case whose files lie in `folder`. `reads`: the question is read, not only its aim
    searched for. No call at all is a gap: nothing was looked for."""
    tool = logs_tool([Source(kind="logs", name="logs", address=str(folder), zone=case.log_zone or None)])
    calls = planned(case, tool) if reads else [understood(case)]
    answers = [_asked(tool, arguments, case) for arguments in calls]
    return Answer(
        tuple(dict.fromkeys(text for one in answers for text in one.texts)),
        complete=bool(answers) and all(one.complete for one in answers),
        said="; ".join(one.said for one in answers) if answers else "no search was planned",
    )
