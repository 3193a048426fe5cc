"""Next steps that code writes from what a session's calls returned: where to look, in which window (R15, R48, R90).

They only collect evidence: the change nearest the onset, the component that was new first, an id that several services
name, the runbook's own diagnosis, and what mends a search that could not decide.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from domain.agents.scope import Scope, mentions_excluded
from domain.answer.searches import doubt_gap
from domain.answer.speech import CHINESE, Speech
from domain.contracts import ToolInvocation
from domain.evidence.survey import ROUTINE
from domain.evidence.window import Window, utc_text
from domain.language.levels import Level, level_said
from domain.language.sections import Section, section_of

MOST_STEPS = 5
AROUND = timedelta(minutes=15)
"""A step looks so long before and behind the moment it is about."""
_MOST_OF_A_KIND = 2
_MOST_SERVICES = 4


def next_steps(invocations: Sequence[ToolInvocation] | None, scope: Scope, speech: Speech = CHINESE) -> list[str]:
    """At most MOST_STEPS sentences, each once, nothing that the question excludes."""
    calls = invocations or ()
    steps = [*_of_documents(calls, speech), *_of_surveys(calls, speech), *_of_doubts(calls, speech)]
    return [step for step in dict.fromkeys(steps) if mentions_excluded(step, scope) is None][:MOST_STEPS]


def _of_documents(calls: Sequence[ToolInvocation], speech: Speech) -> Iterator[str]:
    """The first section of a runbook that tells what to look at."""
    blocks = (
        block for call in calls if call.tool_name == "lookup_knowledge" for block in _listed(call, "evidence_blocks")
    )
    for block in blocks:
        title, _, section = str(block.get("title", "")).rpartition(" / ")
        if title and section_of(section) is Section.DIAGNOSIS:
            yield speech.text("step.section", title=title, section=section, source=block.get("source", ""))
            return


def _of_surveys(calls: Sequence[ToolInvocation], speech: Speech) -> Iterator[str]:
    items = [item for call in calls if call.tool_name == "survey_logs" for item in _listed(call, "items")]
    changes = [item for item in items if _is_made(item) and not _is_routine(item) and _moment(item, "time")]
    changes = changes[:_MOST_OF_A_KIND]
    for item in changes:
        yield speech.text("step.change", where=_where(item), **_around(item, "time", speech))
    told = {_where(item) for item in changes}
    new = [item for item in items if item.get("kind") == "message" and item.get("new") and _moment(item, "first")]
    firsts = sorted((item for item in new if _where(item) not in told), key=lambda item: str(item["first"]))
    for item in firsts[:1]:
        yield speech.text("step.new", where=_where(item), **_around(item, "first", speech))
    for item in [item for item in items if item.get("kind") == "shared id" and _moment(item, "first")][:1]:
        services = speech.joined("and", map(str, item.get("services", ())[:_MOST_SERVICES]))
        yield speech.text("step.shared", id=item.get("id"), services=services, **_around(item, "first", speech))


def _of_doubts(calls: Sequence[ToolInvocation], speech: Speech) -> Iterator[str]:
    for call in calls:
        coverage = call.retrieval_details.coverage
        if coverage and not coverage.complete and coverage.doubts and not coverage.doubts[0].unknown:
            yield doubt_gap(coverage, tool_name=call.tool_name, speech=speech).action


def _listed(call: ToolInvocation, key: str) -> list[Mapping[str, Any]]:
    """The objects of a list of a tool's output; none where the output is not as this release writes it."""
    try:
        output = json.loads(call.output)
    except ValueError:
        return []
    found = output.get(key) if isinstance(output, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _is_made(item: Mapping[str, Any]) -> bool:
    """Whether it is a change that somebody or something made, and no trouble that came of one."""
    level = level_said(str(item.get("level", "")))
    is_trouble = item.get("change") == "connection_loss" or (level is not None and level >= Level.WARN)
    return item.get("kind") == "change" and not is_trouble


def _is_routine(item: Mapping[str, Any]) -> bool:
    before = item.get("before")
    return isinstance(before, int) and before >= ROUTINE


def _where(item: Mapping[str, Any]) -> str:
    return str(item.get("service") or item.get("input") or "")


def _moment(item: Mapping[str, Any], key: str) -> datetime | None:
    """The time of an item that says where it stood; None for any other."""
    try:
        found = datetime.fromisoformat(str(item.get(key)))
    except ValueError:
        return None
    return found if found.tzinfo and (_where(item) or item.get("services")) else None


def _around(item: Mapping[str, Any], key: str, speech: Speech) -> dict[str, str]:
    moment = _moment(item, key)
    assert moment is not None
    minute = moment.replace(second=0, microsecond=0)
    window = speech.window(str(Window(minute - AROUND, minute + AROUND)))
    return {"time": speech.time(utc_text(moment)), "window": window}
