"""Asks `query_logs` about a case, and takes of its answer what an agent would see: the refs that code extracts."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC
from pathlib import Path
from typing import Any

from domain.events import Source
from domain.evidence.extraction import extract_evidence
from infra.tools.contract import ToolContext
from infra.tools.logs import logs_tool
from tests.long.searches.case import Case
from tests.long.searches.tally import Answer


def arguments_of(case: Case) -> dict[str, Any]:
    """The call that a planner makes which understands the question."""
    sought = case.sought
    words = f'"{sought.name}"' if sought.kind == "phrase" else sought.name
    found: dict[str, Any] = {"service": sought.service, "level": sought.level}
    found["query"] = "" if sought.kind == "level" else words
    if sought.start is None:
        return found | {"ever": True}
    return found | {"since": sought.start.isoformat(), "until": sought.end.isoformat()}


def answer(case: Case, folder: Path) -> Answer:
    """What the search says of the case whose files lie in `folder`."""
    source = Source(kind="logs", name="logs", address=str(folder), zone=case.log_zone or None)
    context = ToolContext(case.now.astimezone(UTC), window_minutes=60, invocation_id=7, session_id="case")
    result = asyncio.run(logs_tool([source]).run(arguments_of(case), context))
    if not result.success:
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
