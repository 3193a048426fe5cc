"""`query_metrics`: alerts and values of Prometheus servers, alerts of Alertmanagers, or answers of either in files; of
several sources at once, with an account (R69, R71, R84).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from domain.answer.searches import kind_of_name
from domain.answer.texts import text
from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from domain.evidence.alert_answer import AlertAnswer, AlertSource, answer_of_alerts
from domain.evidence.alert_search import AlertsAsked
from domain.evidence.coverage import Coverage, Doubt, DoubtKind, Unread, UnreadReason, joined
from domain.evidence.value_answer import Listing, ValueAnswer, ValueSource, answer_of_values
from domain.evidence.window import Window
from infra.tools.contract import FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.metric_alerts import alert_source, ruled_source, with_rules, with_services
from infra.tools.metric_answers import AlertData, RuleData
from infra.tools.metric_servers import NoExpressions, ask, ask_range, names_of, shown_source
from infra.tools.metric_values import metrics_in, step_of, value_source
from infra.tools.metrics_arguments import MetricsArguments
from infra.tools.partial import Failed, all_failed, said_failed

_Read: TypeAlias = AlertSource | ValueSource | Failed


def metrics_tool(sources: Sequence[Source]) -> Tool:
    """The tool over the base URLs of Prometheus servers and Alertmanagers, and the paths of files."""

    async def call(arguments: MetricsArguments, context: ToolContext) -> ToolResult:
        window = arguments.window(context.now)
        read = await asyncio.gather(*(_read(one, sources, arguments, window, context.now) for one in sources))
        failed = [one for one in read if isinstance(one, Failed)]
        if len(failed) == len(read):
            raise all_failed(failed)
        missing = [one for one in failed if not isinstance(one.error, NoExpressions)]  # which holds none to miss
        query = _Query(arguments, str(window), len(sources) > 1, missing)
        alerts = await _alerts(sources, read, query)
        values = await _values(sources, read, query)
        return await asyncio.to_thread(_result, query, read, alerts, values)

    return FunctionTool(
        name="query_metrics",
        description="查询当前的监控告警（名称、状态、标签、当前值、持续时间，最严重的在前），或用 PromQL 查询指标的"
        "当前值、一段时间内的首末值、最值、均值和走向。只有 coverage.complete 为真时才能断言未检索到。",
        arguments=MetricsArguments,
        tool_class=ToolClass.LIVE,
        call=call,
    )


async def check_metrics(source: Source) -> None:
    """Raises ToolError or OSError if the source does not answer with alerts or values."""
    await ask(source, "", datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class _Query:
    """What all sources were asked. `named`: there are several; `missing`: those that could not be asked."""

    arguments: MetricsArguments
    window: str
    named: bool
    missing: Sequence[Failed]

    @property
    def unread(self) -> list[Unread]:
        return [Unread(name=one.name, reason=UnreadReason.ERROR, could_match=True) for one in self.missing]


async def _read(
    source: Source, sources: Sequence[Source], arguments: MetricsArguments, window: Window, now: datetime
) -> _Read:
    """What a source holds of what is asked for."""
    asked = AlertsAsked(
        name=arguments.alert_name,
        service=arguments.service,
        state=arguments.state,
        services=source.services,
        service_labels=source.service_labels,
    )
    step = step_of(window)
    try:
        place = source.name if len(sources) > 1 else shown_source(source.address)
        asking = ask_range(source, arguments.expr, window, step) if step else ask(source, arguments.expr, window.end)
        response = await asking
        data, warnings = response.data, response.warnings
        if isinstance(data, AlertData):
            return await alert_source(source, place, data, warnings, asked, now)
        if isinstance(data, RuleData):
            return await asyncio.to_thread(ruled_source, place, data, warnings, asked, now)
        if isinstance(data, list):
            raise ToolError("source", f"{place}: names, and no alerts or values")
        return await asyncio.to_thread(value_source, place, data, warnings, asked, step)
    except (ToolError, OSError) as error:
        return Failed(source.name, error)


async def _alerts(sources: Sequence[Source], read: Sequence[_Read], query: _Query) -> AlertAnswer | None:
    """Where none was found, the rules are read too: only they can tell that there is no such alert (R71). Where the
    service may be misspelt, the names of services are read, too: it may be there and have no alert."""
    pairs = [(source, one) for source, one in zip(sources, read, strict=True) if isinstance(one, AlertSource)]
    if not pairs:
        return None
    answer = await asyncio.to_thread(_alert_answer, [one for _, one in pairs], query)
    if answer.total:
        return answer
    ruled = await asyncio.gather(*(with_rules(source, one) for source, one in pairs))
    answer = await asyncio.to_thread(_alert_answer, ruled, query)
    if not any(doubt.unknown == query.arguments.service for doubt in answer.coverage.doubts):
        return answer
    named = await asyncio.gather(*(with_services(pair[0], one) for pair, one in zip(pairs, ruled, strict=True)))
    return await asyncio.to_thread(_alert_answer, named, query)


def _alert_answer(found: Sequence[AlertSource], query: _Query) -> AlertAnswer:
    limit = query.arguments.limit
    return answer_of_alerts(found, query.unread, window=query.window, limit=limit, named=query.named)


async def _values(sources: Sequence[Source], read: Sequence[_Read], query: _Query) -> ValueAnswer | None:
    """Where there is no series at all, a server may never have heard of the metric (R71)."""
    found = [one for one in read if isinstance(one, ValueSource)]
    if not found:
        return None
    names = metrics_in(query.arguments.expr)
    listings: list[Listing] = []
    if names and not any(one.series for one in found):
        listings = [one for one in await asyncio.gather(*map(_listing, sources)) if one is not None]
    return await asyncio.to_thread(
        answer_of_values,
        found,
        query.unread,
        listings,
        expr=query.arguments.expr,
        metrics=names,
        service=query.arguments.service,
        window=query.window,
        limit=query.arguments.limit,
        named=query.named,
    )


async def _listing(source: Source) -> Listing | None:
    try:
        names = await names_of(source, "__name__")
    except ToolError:
        return None
    return None if names is None else Listing(source.name, names)


# ---------------------------------------------------------------- the result


def _result(query: _Query, read: Sequence[_Read], alerts: AlertAnswer | None, values: ValueAnswer | None) -> ToolResult:
    coverage = joined([one.coverage for one in (alerts, values) if one is not None])
    total, returned = coverage.counts.matched, coverage.counts.returned
    answered = [one for one in read if not isinstance(one, Failed)]
    output: dict[str, Any] = {
        "success": True,
        "source": ", ".join(one.place for one in answered),
        "query": query.arguments.query,
        "window": query.window,
    }
    output |= {"alerts": alerts.rows} if alerts else {}
    counted = _counted(alerts) if alerts and alerts.total > len(alerts.rows) else []
    output |= {"items": [*counted, *(values.items if values else ())]} if values or counted else {}
    output |= {"points": values.points} if values and values.points else {}
    warnings = [f"{one.place}: {said}" if query.named else said for one in answered for said in one.warnings]
    told = [*said_failed(query.missing), *warnings]
    if not (total or told):
        told.append("未找到匹配的告警或指标")
    if total > returned:
        told.append(f"共 {total} 条，以下为最严重的 {returned} 条")
    told += [_doubt(one, coverage) for one in coverage.doubts if one.kind is not DoubtKind.INPUT]
    output |= {
        "total": total,
        "truncated": total > returned or not coverage.complete,
        "message": "；".join(dict.fromkeys(told)),
    }
    asked = query.arguments.query
    return ToolResult(
        json_text(output), True, retrieval=RetrievalDetails(query=asked, window=query.window, coverage=coverage)
    )


def _counted(alerts: AlertAnswer) -> list[dict[str, Any]]:
    """Of a list that is cut, how many there are: what may be cited of them all (R70)."""
    return [{"name": "alerts", "matched": alerts.total, "returned": len(alerts.rows), **alerts.states}]


def _doubt(doubt: Doubt, coverage: Coverage) -> str:
    """What failed and what a source says of itself stands there in its own words."""
    kind, near = text(f"kind.{kind_of_name(doubt, coverage)}"), "、".join(doubt.nearest)
    if doubt.unknown:
        return f"没有名为 {doubt.unknown} 的{kind}{f'，最接近的是 {near}' if near else ''}"
    if near:
        return f"有名称相近的{kind} {near}"
    if doubt.kind is DoubtKind.PARTIAL:
        return doubt.example
    return f"{doubt.count} 条存疑，可能属于所问的服务（如 {doubt.example}）"
