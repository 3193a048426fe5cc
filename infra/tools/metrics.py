"""`query_metrics`: alerts and instant values of Prometheus servers, alerts of Alertmanagers, or answers of either in
files; of several sources at once.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from domain.evidence.coverage import InputRead
from domain.evidence.window import Window, duration_text, utc_text
from infra.tools.alertmanager import SUPPRESSED
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.metric_servers import AlertData, NoExpressions, Sample, ScalarData, SeriesData, ask, shown_source
from infra.tools.partial import Failed, all_failed, partial_coverage, said_failed

_NOT_A_SERVICE = {"alertname", "__name__", "severity"}
_LABEL_PARTS = re.compile(r"[\s,;:/@]+")


class MetricsArguments(Arguments):
    alert_name: str = Field("", description="告警名，如 HighMemoryUsage；空表示全部告警")
    service: str = Field("", description="服务名，与标签值（service、job、app、instance 等）整词匹配")
    state: Literal["", "firing", "pending"] = Field("", description="告警状态；空表示不限")
    expr: str = Field("", description="PromQL 即时查询；给出时返回该表达式的当前值而不是告警", max_length=4_000)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one source has of what was asked. `place`: how it is called; `kind`: the list that its rows belong to."""

    place: str
    kind: Literal["alerts", "items"]
    rows: list[dict[str, Any]]
    warnings: list[str]


class Alert(BaseModel):
    """The parts of an alert that are filtered by; the rest is passed on as the server gave it."""

    labels: dict[str, str]
    annotations: dict[str, str] = {}
    state: str
    activeAt: AwareDatetime | None = None


def metrics_tool(sources: Sequence[Source]) -> Tool:
    """The tool over the base URLs of Prometheus servers and Alertmanagers, and the paths of files."""

    async def call(arguments: MetricsArguments, context: ToolContext) -> ToolResult:
        is_alone = len(sources) == 1
        places = [shown_source(source.address) if is_alone else source.name for source in sources]
        asking = (_asked(source, place, arguments, context.now) for source, place in zip(sources, places, strict=True))
        asked = await asyncio.gather(*asking)
        answers = [one for one in asked if isinstance(one, Answer)]
        failed = [one for one in asked if isinstance(one, Failed)]
        if not answers:
            raise all_failed(failed)
        if not is_alone:
            answers = list(map(_one_of_many, answers))
        missing = [one for one in failed if not isinstance(one.error, NoExpressions)]  # which holds none to miss
        return _result(arguments, answers, missing, context.now)

    return FunctionTool(
        name="query_metrics",
        description="查询当前的监控告警（名称、状态、标签、当前值、持续时间），或用 PromQL 查询指标的当前值。",
        arguments=MetricsArguments,
        tool_class=ToolClass.LIVE,
        call=call,
    )


async def check_metrics(source: Source) -> None:
    """Raises ToolError or OSError if the source does not answer with alerts or values."""
    await ask(source, "", datetime.now(UTC))


async def _asked(source: Source, place: str, arguments: MetricsArguments, now: datetime) -> Answer | Failed:
    try:
        response = await ask(source, arguments.expr, now)
        if isinstance(response.data, AlertData):
            return Answer(place, "alerts", _alerts(source, response.data, arguments, now), response.warnings)
        return Answer(place, "items", _items(source, response.data, arguments.service), response.warnings)
    except (ToolError, OSError) as error:
        return Failed(source.name, error)


def _alerts(source: Source, data: AlertData, arguments: MetricsArguments, now: datetime) -> list[dict[str, Any]]:
    """The alerts asked for, as the server gave them, with the `duration` since `activeAt` on the session's clock."""
    found = []
    for raw in data.alerts:
        alert = _alert(raw)
        if _is_asked(source, alert, arguments):
            active = alert.activeAt
            found.append(raw | ({"duration": duration_text(now - active)} if active and active <= now else {}))
    return found


def _alert(raw: dict[str, Any]) -> Alert:
    try:
        return Alert.model_validate(raw)
    except ValidationError as error:
        raise ToolError("source", f"an alert of the response has no labels or state: {raw!r:.200}") from error


def _is_asked(source: Source, alert: Alert, arguments: MetricsArguments) -> bool:
    name = alert.labels.get("alertname", "")
    return (
        (not arguments.alert_name or name.casefold() == arguments.alert_name.casefold())
        and (not arguments.state or arguments.state == ("firing" if alert.state == SUPPRESSED else alert.state))
        and (not arguments.service or _is_of(source, alert.labels, arguments.service))
    )


def _is_of(source: Source, labels: Mapping[str, str], service: str) -> bool:
    """Whether labels name the service, or the operator said that they stand for it."""
    told = (source.services.get(f"{label}={value}", "").casefold() for label, value in labels.items())
    return service.casefold() in told or names_service(labels, service)


def names_service(labels: Mapping[str, str], service: str) -> bool:
    """Whether a label names the service: as its whole value or as a whole part of it, as in `order-service:8080`."""
    wanted = service.casefold()
    values = (value.casefold() for label, value in labels.items() if label not in _NOT_A_SERVICE)
    return any(wanted == value or wanted in _LABEL_PARTS.split(value) for value in values)


def _items(source: Source, data: SeriesData | ScalarData, service: str) -> list[dict[str, Any]]:
    if isinstance(data, ScalarData):
        return [{"value": data.result[1], "timestamp": _time(data.result[0])}]
    series = [sample for sample in data.result if not service or _is_of(source, sample.metric, service)]
    return [_item(sample) for sample in series]


def _item(sample: Sample) -> dict[str, Any]:
    labels = {label: value for label, value in sample.metric.items() if label != "__name__"}
    item: dict[str, Any] = {"name": sample.metric.get("__name__", ""), "labels": labels}
    if sample.value is not None:
        return item | {"value": sample.value[1], "timestamp": _time(sample.value[0])}
    return item | {"values": [f"{_time(time)} {value}" for time, value in sample.values or ()]}


def _time(seconds: float) -> str:
    return utc_text(datetime.fromtimestamp(seconds, UTC))


def _one_of_many(answer: Answer) -> Answer:
    """As one of several: each row says which source it is of."""
    name = answer.place
    rows = [row | {"source": name} for row in answer.rows]
    return replace(answer, rows=rows, warnings=[f"{name}: {warning}" for warning in answer.warnings])


def _result(
    arguments: MetricsArguments, answers: Sequence[Answer], failed: Sequence[Failed], now: datetime
) -> ToolResult:
    query = ", ".join(f"{name}={value}" for name, value in arguments.model_dump(exclude_defaults=True).items())
    window = str(Window(now, now))
    rows: dict[str, list[dict[str, Any]]] = {}
    for answer in answers:
        rows.setdefault(answer.kind, []).extend(answer.rows)
    total = sum(map(len, rows.values()))
    warnings = [*said_failed(failed), *(warning for answer in answers for warning in answer.warnings)]
    output: dict[str, Any] = {"success": True, "source": ", ".join(answer.place for answer in answers)}
    output |= {"query": query, "window": window, **rows, "total": total, "truncated": bool(warnings)}
    output["message"] = "；".join(warnings) or ("" if total else "未找到匹配的告警或指标")
    read = [InputRead(name=answer.place, format=answer.kind, entries=len(answer.rows)) for answer in answers]
    coverage = partial_coverage(failed, read, window=window, query=query, matched=total, returned=total)
    return ToolResult(
        json_text(output), True, retrieval=RetrievalDetails(query=query, window=window, coverage=coverage)
    )
