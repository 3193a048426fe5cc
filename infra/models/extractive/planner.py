"""The Planner's part: a skill by shared words, and a plan of the calls that the question asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infra.models.extractive.inquiry import Inquiry, Source, inquiry_of
from infra.models.extractive.words import features, spaced

MIN_SHARED = 2  # features a skill must share with the question beyond those every question has
_EVERYDAY = features(
    "请排查确认分析诊断当前现在是否存在告警日志服务问题异常指标只看一下这一件事 service alert log the of for and"
)


def plan(payload: Mapping[str, Any]) -> dict[str, Any]:
    """`planner_plan` for the Planner's payload."""
    inquiry = inquiry_of(payload)
    skill = _matching_skill(inquiry, payload.get("skill_catalog"))
    return {
        "selected_skill": skill,
        "selection_reason": "名称与说明和问题的关键词重合最多。" if skill else "没有与问题关键词重合的 skill。",
        "plan": _steps(inquiry, skill),
        "reasoning": "按问题中的名称与关键词确定查询范围。"
        + ("问题限定了范围，只查所问。" if inquiry.is_narrow else ""),
    }


def _matching_skill(inquiry: Inquiry, catalog: Any) -> str | None:
    asked = features(inquiry.asked) - _EVERYDAY
    best, best_shared = None, MIN_SHARED - 1
    for entry in catalog if isinstance(catalog, list) else ():
        if not isinstance(entry, dict):
            continue
        name, text = str(entry.get("name")), f"{entry.get('name')} {entry.get('description')}"
        shared = len(asked & features(text))
        if shared > best_shared and not inquiry.excludes(text):
            best, best_shared = name, shared
    return best


def _steps(inquiry: Inquiry, skill: str | None) -> list[str]:
    subject = "、".join(inquiry.services) or "相关服务"
    topic = " ".join(inquiry.terms)
    steps = [f"用 read_skill 读取 {skill}"] if skill else []
    if Source.METRICS in inquiry.sources:
        steps.append(spaced(f"用 query_metrics 查询{subject}的{'、'.join(inquiry.alerts) or topic}告警"))
    if inquiry.is_open:
        steps.append("用 survey_logs 概览全部服务的日志，找出新出现的消息和之前的变更")
    if Source.LOGS in inquiry.sources:
        steps.append(spaced(f"用 query_logs 检索{subject}的{topic}日志"))
    if Source.KNOWLEDGE in inquiry.sources:
        steps.append(spaced(f"用 lookup_knowledge 检索{topic or '、'.join(inquiry.alerts) or '问题涉及的主题'}"))
    return steps
