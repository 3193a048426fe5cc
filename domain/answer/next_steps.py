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
from domain.answer.texts import text
from domain.contracts import ToolInvocation
from domain.evidence.window import utc_text
from domain.language.tongues import Language

MOST_STEPS = 5
AROUND = timedelta(minutes=15)
"""A step looks so long before and behind the moment it is about."""
_MOST_OF_A_KIND = 2
_MOST_SERVICES = 4


def next_steps(invocations: Sequence[ToolInvocation] | None, scope: Scope, language: Language = "zh") -> list[str]:
    """At most MOST_STEPS sentences, each once, nothing that the question excludes."""
    calls = invocations or ()
    steps = [
        *_of_surveys(calls, language),
        *_of_doubts(calls, language),
    ]
    return [step for step in dict.fromkeys(steps) if mentions_excluded(step, scope) is None][:MOST_STEPS]


def _of_surveys(calls: Sequence[ToolInvocation], language: Language) -> Iterator[str]:
    items = [item for call in calls if call.tool_name == "survey_logs" for item in _listed(call, "items")]
    changes = [item for item in items if item.get("kind") == "change" and _moment(item, "time")]
    new = [item for item in items if item.get("kind") == "message" and item.get("new") and _moment(item, "first")]
    for item in changes[:_MOST_OF_A_KIND]:
        yield text("step.change", language, where=_where(item), time=_told(item, "time"), **_around(item, "time"))
    told = {_where(item) for item in changes[:_MOST_OF_A_KIND]}
    firsts = sorted((item for item in new if _where(item) not in told), key=lambda item: str(item["first"]))
    for item in firsts[:1]:
        yield text("step.new", language, where=_where(item), time=_told(item, "first"), **_around(item, "first"))
    for item in [item for item in items if item.get("kind") == "shared id" and _moment(item, "first")][:1]:
        services = ("、" if language == "zh" else ", ").join(map(str, item.get("services", ())[:_MOST_SERVICES]))
        yield text("step.shared", language, id=item.get("id"), services=services, **_around(item, "first"))


def _of_doubts(calls: Sequence[ToolInvocation], language: Language) -> Iterator[str]:
    for call in calls:
        coverage = call.retrieval_details.coverage
        if coverage and not coverage.complete and coverage.doubts and not coverage.doubts[0].unknown:
            yield doubt_gap(coverage, tool_name=call.tool_name, language=language).action


def _listed(call: ToolInvocation, key: str) -> list[Mapping[str, Any]]:
    """The objects of a list of a tool's output; none where the output is not as this release writes it."""
    try:
        output = json.loads(call.output)
    except ValueError:
        return []
    found = output.get(key) if isinstance(output, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _where(item: Mapping[str, Any]) -> str:
    return str(item.get("service") or item.get("input") or "")


def _moment(item: Mapping[str, Any], key: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(item.get(key)))
    except ValueError:
        return None
    return found if (found.tzinfo and _where(item)) or item.get("services") else None


def _told(item: Mapping[str, Any], key: str) -> str:
    return str(item[key])


def _around(item: Mapping[str, Any], key: str) -> dict[str, str]:
    moment = _moment(item, key)
    assert moment is not None
    moment = moment.replace(second=0, microsecond=0)
    return {"start": utc_text(moment - AROUND), "end": utc_text(moment + AROUND)}
