"""The Executor's part: call what the question asks for, then claim what came back, in its own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from domain.answer.texts import joined
from infra.models.extractive.absence import absence_claims, gaps, sought
from infra.models.extractive.alerts import alert_claims
from infra.models.extractive.calls import WIDER_WINDOW, next_calls, offered_tools
from infra.models.extractive.claims import Draft, numbered, verified_drafts
from infra.models.extractive.conversation import Answered, Call, Payload, answered_calls, must_answer
from infra.models.extractive.inquiry import Inquiry, Source, inquiry_of
from infra.models.extractive.knowledge import DOCUMENTATION, knowledge_claims
from infra.models.extractive.logs import log_claims
from infra.models.extractive.survey import survey_claims
from infra.models.extractive.texts import text
from infra.models.extractive.tool_names import KNOWLEDGE, LOGS, METRICS
from infra.models.extractive.values import value_claims
from infra.models.extractive.words import spaced

MAX_CLAIMS = 21
MAX_NARROW_CLAIMS = 2  # R16
_RETRIES = {METRICS: "again.metrics", LOGS: "again.logs"}
_TOOL_OF = {Source.METRICS: METRICS, Source.LOGS: LOGS, Source.KNOWLEDGE: KNOWLEDGE}


def execute(payload: Payload, messages: Sequence[Mapping[str, Any]], tools: Any) -> list[Call] | dict[str, Any]:
    """The next tool calls, or the evidence contract once nothing is left to look up."""
    inquiry = inquiry_of(payload)
    answered = answered_calls(messages)
    offered = offered_tools(tools)
    if offered and not must_answer(messages):
        skill = _selected_skill(payload.get("planner_plan"))
        calls = next_calls(
            inquiry,
            offered,
            answered,
            skill=skill,
            minutes=_log_window(inquiry, payload),
            is_again=bool(payload.get("retry_context")),
        )
        if calls:
            return calls
    return contract(inquiry, answered, payload.get("retry_context"))


def contract(
    inquiry: Inquiry, answered: Sequence[Answered], retry_context: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """`executor_evidence_v2` over what the tools answered."""
    claims = numbered(_drafts(inquiry, answered, retry_context))
    open_points = [*gaps(inquiry, answered), *_never_asked(inquiry, answered)]
    summary = [claim["claim_text"] for claim in claims[:MAX_NARROW_CLAIMS]]
    return {
        "answer_version": "executor_evidence_v2",
        "diagnosis_summary": _run_on(summary, inquiry) or text("gap.nothing", inquiry.language),
        "claims": claims,
        "hypotheses": [],
        "missing_info": [
            {"info_id": f"missing-{number}", "description": said} for number, said in enumerate(open_points, start=1)
        ],
        "recommended_actions": _actions(inquiry, claims, answered),
    }


def _drafts(inquiry: Inquiry, answered: Sequence[Answered], retry_context: Mapping[str, Any] | None) -> list[Draft]:
    held = verified_drafts(retry_context)
    surveyed = list(survey_claims(inquiry, answered, held))
    live = [
        *alert_claims(inquiry, answered),
        *value_claims(inquiry, answered),
        *surveyed,
        *log_claims(inquiry, answered, [*held, *surveyed]),
    ]
    absent = list(absence_claims(inquiry, answered))
    asks_knowledge = inquiry.sources == {Source.KNOWLEDGE}
    known = knowledge_claims(inquiry, answered) if asks_knowledge or live else ()
    drafts = list({draft.text: draft for draft in chain(held, live, absent, known)}.values())
    return _narrowed(drafts, inquiry) if inquiry.is_narrow else drafts[:MAX_CLAIMS]


def _narrowed(drafts: Sequence[Draft], inquiry: Inquiry) -> list[Draft]:
    """At most two claims: more of one type become one with all their bindings (R16 limits claims, not proof)."""
    if len(drafts) <= MAX_NARROW_CLAIMS:
        return list(drafts)
    merged: dict[str, Draft] = {}
    quoted = [draft for draft in drafts if draft.claim_type == DOCUMENTATION]
    for draft in drafts:
        if draft.claim_type == DOCUMENTATION:  # a quotation of its own
            continue
        first = merged.get(draft.claim_type)
        merged[draft.claim_type] = (
            replace(first, text=_run_on((first.text, draft.text), inquiry), refs=first.refs + draft.refs)
            if first
            else draft
        )
    return [*merged.values(), *quoted][:MAX_NARROW_CLAIMS]


def _run_on(sentences: Sequence[str], inquiry: Inquiry) -> str:
    return joined("sentence", sentences, inquiry.language)


def _selected_skill(planner_plan: Any) -> str | None:
    skill = planner_plan.get("selected_skill") if isinstance(planner_plan, dict) else None
    return skill if isinstance(skill, str) and skill else None


def _log_window(inquiry: Inquiry, payload: Payload) -> int | None:
    """Where the question names no period, a second round looks further back than the default."""
    default = payload.get("window_minutes")
    if inquiry.period is None and payload.get("retry_context") and isinstance(default, int):
        return default * WIDER_WINDOW
    return None


def _never_asked(inquiry: Inquiry, answered: Sequence[Answered]) -> list[str]:
    asked = {done.call.tool_name for done in answered}
    needed = [_TOOL_OF[source] for source in Source if source in inquiry.sources and source is not Source.KNOWLEDGE]
    return [text("gap.never_asked", inquiry.language, tool=tool) for tool in needed if tool not in asked]


def _actions(
    inquiry: Inquiry, claims: Sequence[Mapping[str, Any]], answered: Sequence[Answered]
) -> list[dict[str, Any]]:
    """Only ever: look again where nothing was found."""
    empty = [done for done in answered if not done.items and done.call.tool_name in _RETRIES]
    proven = any(claim["claim_type"] == "observation" for claim in claims)
    return [
        {
            "action_id": f"action-{number}",
            "action_text": spaced(
                text(_RETRIES[done.call.tool_name], inquiry.language, sought=sought(done, inquiry.language))
            ),
            "reason": text("again.reason", inquiry.language),
            "evidence_bindings": [],
        }
        for number, done in enumerate(empty[:2] if not proven else (), start=1)
    ]
