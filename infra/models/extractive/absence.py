"""What was looked for and not found: negative claims, and gaps where not even that can be said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from infra.models.extractive.alerts import relevant_alerts
from infra.models.extractive.calls import query_of
from infra.models.extractive.claims import Draft
from infra.models.extractive.conversation import Answered
from infra.models.extractive.inquiry import Inquiry
from infra.models.extractive.logs import relevant_lines
from infra.models.extractive.texts import text
from infra.models.extractive.tool_names import KNOWLEDGE, LOGS, METRICS
from infra.models.extractive.values import asks_value
from infra.models.extractive.words import holds_name, quoted_words, spaced

_KINDS = {METRICS: "kind.alert", LOGS: "kind.log"}


def absence_claims(inquiry: Inquiry, answered: Sequence[Answered]) -> Iterator[Draft]:
    """A negative observation for each complete answer without a relevant item, bound to its summary ref (R20)."""
    unknown = {name for done in answered for name in done.unknown}
    for done in answered:
        target = sought(inquiry, done)
        may_be_otherwise = done.call.tool_name == LOGS and inquiry.may_be_put_otherwise
        is_known = done.call.arguments.get("service") not in unknown
        proves = is_known and not may_be_otherwise and not _names_stand_in(done)
        if _is_unanswered(inquiry, done) and done.summary and proves:
            yield Draft(
                "negative_observation", spaced(text("absent", inquiry.language, sought=target)), (done.summary,)
            )


def gaps(inquiry: Inquiry, answered: Sequence[Answered]) -> list[str]:
    """Why something stays open: a failed call, an answer cut short, a knowledge base without a match."""
    found = []
    language = inquiry.language
    for done in answered:
        if done.call.tool_name not in (*_KINDS, KNOWLEDGE):
            continue
        if done.status == "failed":
            found.append(spaced(text("gap.failed", language, tool=done.call.tool_name, sought=sought(inquiry, done))))
        elif done.call.tool_name == KNOWLEDGE and not done.items:
            found.append(text("gap.knowledge", language))
        elif _is_unanswered(inquiry, done) and (done.summary is None or _names_stand_in(done)):
            found.append(spaced(text("gap.unquotable", language, sought=sought(inquiry, done))))
    return list(dict.fromkeys(found))


def sought(inquiry: Inquiry, done: Answered) -> str:
    """What a call looked for, in its own arguments: `inventory-service 的 HikariCP 日志`; of a query the words of the
    question that it was made of."""
    language = inquiry.language
    arguments: dict[str, Any] = dict(done.call.arguments)
    kind = text("kind.metric" if asks_value(done) else _KINDS.get(done.call.tool_name, "kind.knowledge"), language)
    service = str(arguments.get("service") or "")
    if done.call.tool_name == LOGS and arguments.get("query") == query_of(inquiry):
        arguments["query"] = " ".join(map(quoted_words, inquiry.terms))
    words = [str(arguments[name]) for name in ("alert_name", "expr", "level", "query") if arguments.get(name)]
    topic = " ".join(words) if done.call.tool_name in _KINDS else ""
    said = text("sought.of" if service else "sought", language, service=service, topic=topic, kind=kind)
    return spaced(said.strip())


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
