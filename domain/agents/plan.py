"""The Planner's output (R2)."""

from __future__ import annotations

import json
from typing import Any

from domain.contracts import PlannerPlan
from domain.json_objects import find_object

_NO_SKILL = frozenset({"", "null", "none", "无"})


def parse_plan(raw: str) -> PlannerPlan | None:
    """The plan, or None where the reply holds no single JSON object with a `plan`: then its raw text is the plan.

    Steps that are no strings are kept as compact JSON, and a plan of one string is one step.
    """
    found = find_object(raw).value
    if found is None or found.get("plan") is None:
        return None
    plan = found["plan"]
    skill = _text(found.get("selected_skill")).strip()
    return PlannerPlan(
        selected_skill=None if skill.lower() in _NO_SKILL else skill,
        selection_reason=_text(found.get("selection_reason")),
        plan=tuple(filter(None, map(_text, plan if isinstance(plan, list) else [plan]))),
        reasoning=_text(found.get("reasoning")),
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
