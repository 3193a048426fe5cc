"""The Planner's part: a skill by shared words, and a plan of the calls that the question asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.answer.texts import joined
from domain.language.alert_names import parts_of, stem, telling
from domain.language.form import search_form
from domain.language.searching import concepts_named_in, concepts_of, finder_of, names_a_mere_thing
from domain.question.question import TermKind
from infra.models.extractive.inquiry import Inquiry, Source, inquiry_of
from infra.models.extractive.texts import text
from infra.models.extractive.words import features, spaced, spread

_SUBJECTS = (TermKind.ALERT, TermKind.METRIC, TermKind.TOPIC, TermKind.PHRASE, TermKind.CODE)
_NAMING = (TermKind.ALERT, TermKind.METRIC)
_EVERYDAY = features(
    "请排查确认分析诊断当前现在是否存在告警日志服务问题异常指标只看一下这一件事 service alert log the of for and"
)


def plan(payload: Mapping[str, Any]) -> dict[str, Any]:
    """`planner_plan` for the Planner's payload."""
    inquiry = inquiry_of(payload)
    language = inquiry.language
    skill = _matching_skill(inquiry, payload.get("skill_catalog"))
    reasoning = [text("plan.reasoning", language), *([text("plan.narrow", language)] if inquiry.is_narrow else [])]
    return {
        "selected_skill": skill,
        "selection_reason": text("plan.skill" if skill else "plan.no_skill", language),
        "plan": _steps(inquiry, skill),
        "reasoning": joined("sentence", reasoning, language),
    }


def _matching_skill(inquiry: Inquiry, catalog: Any) -> str | None:
    """Of the skills that speak of what the question is about, the one that shares most words with it."""
    asked = features(inquiry.asked) - _EVERYDAY
    best, best_shared = None, -1
    for entry in catalog if isinstance(catalog, list) else ():
        if not isinstance(entry, dict):
            continue
        name, told = str(entry.get("name")), f"{entry.get('name')} {entry.get('description')}"
        shared = len(asked & features(told))
        if shared > best_shared and _bears(inquiry, told) and not inquiry.excludes(told):
            best, best_shared = name, shared
    return best


def _bears(inquiry: Inquiry, told: str) -> bool:
    """Whether a skill speaks of a thing that the question asks for: by name, or of the same thing or event."""
    said = {concept.name for concept in concepts_named_in(told)}
    held = frozenset(stem(part) for part in spread(told).split())
    form = search_form(told)
    subjects = [term for term in inquiry.question.terms if term.kind in _SUBJECTS]
    own = [term for term in subjects if term.kind in _NAMING or not names_a_mere_thing(term.text)]
    for term in own or subjects:  # that both are of some database, too, is not enough
        parts = frozenset(parts_of(term.text))
        asked = {concept.name for concept in concepts_of(" ".join(parts) or term.text)}
        if asked & said or finder_of(term.text).stands_in(form) or (telling(parts) and telling(parts) <= held):
            return True
    return False


def _steps(inquiry: Inquiry, skill: str | None) -> list[str]:
    language = inquiry.language
    subject = joined("and", inquiry.services, language) or text("plan.services", language)
    alerts = joined("and", inquiry.alerts, language)
    topic = " ".join(inquiry.terms)
    steps = [text("plan.read_skill", language, skill=skill)] if skill else []
    if Source.METRICS in inquiry.sources:
        steps.append(spaced(text("plan.metrics", language, of=subject, topic=alerts or topic)))
    if inquiry.is_open:
        steps.append(text("plan.survey", language))
    if Source.LOGS in inquiry.sources:
        steps.append(spaced(text("plan.logs", language, of=subject, topic=topic)))
    if Source.KNOWLEDGE in inquiry.sources:
        named = topic or alerts or text("plan.subject", language)
        steps.append(spaced(text("plan.knowledge", language, topic=named)))
    return [" ".join(step.split()) for step in steps]
