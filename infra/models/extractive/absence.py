"""What was looked for and not found: negative claims, and gaps where not even that can be said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from infra.models.extractive.alerts import relevant_alerts
from infra.models.extractive.claims import Draft
from infra.models.extractive.conversation import Answered
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.logs import relevant_lines
from infra.models.extractive.tool_names import KNOWLEDGE, LOGS, METRICS
from infra.models.extractive.values import asks_value
from infra.models.extractive.words import holds_name, spaced

_KINDS = {METRICS: "告警", LOGS: "日志"}


def absence_claims(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """A negative observation for each complete answer without a relevant item, bound to its summary ref (R20)."""
    for done in answered:
        target = sought(done)
        if _is_unanswered(inquiry, done) and done.summary and not _names_stand_in(done):
            yield Draft("negative_observation", spaced(f"在查询窗口内未检索到{target}。"), (done.summary,))


def gaps(inquiry: Inquiry, answered: Sequence[Answered]) -> list[str]:
    """Why something stays open: a failed call, an answer cut short, a knowledge base without a match."""
    found = []
    for done in answered:
        if done.call.tool_name not in (*_KINDS, KNOWLEDGE):
            continue
        if done.status == "failed":
            found.append(spaced(f"{done.call.tool_name} 调用失败，未能取得{sought(done)}。"))
        elif done.call.tool_name == KNOWLEDGE and not done.items:
            found.append("知识库中未检索到相关条目。")
        elif _is_unanswered(inquiry, done) and (done.summary is None or _names_stand_in(done)):
            found.append(spaced(f"返回结果中没有可引用的{sought(done)}，结果可能不完整。"))
    return list(dict.fromkeys(found))


def sought(done: Answered) -> str:
    """What a call looked for, in its own arguments: `inventory-service 的 HikariCP 日志`."""
    arguments: dict[str, Any] = dict(done.call.arguments)
    kind = "指标" if asks_value(done) else _KINDS.get(done.call.tool_name, "知识条目")
    of = f"{arguments['service']}的" if arguments.get("service") else ""
    words = [str(arguments[name]) for name in ("alert_name", "expr", "level", "query") if arguments.get(name)]
    topic = " ".join(words) if done.call.tool_name in _KINDS else ""
    return spaced(f"{of}{topic}{kind}")


def _is_unanswered(inquiry: Inquiry, done: Answered) -> bool:
    if done.status in ("failed", "deduplicated"):
        return False
    if asks_value(done):
        return not done.items
    if done.call.tool_name == METRICS:
        return not relevant_alerts(inquiry, [done])
    return done.call.tool_name == LOGS and not relevant_lines(inquiry, done) and (inquiry.is_narrow or not done.items)


def _names_stand_in(done: Answered) -> bool:
    """Items that bear the very names sought void an absence."""
    names = [str(done.call.arguments[key]) for key in ("alert_name", "service") if done.call.arguments.get(key)]
    return any(all(holds_name(item.text, name) for name in names) for item in done.items)
