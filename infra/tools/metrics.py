"""`query_metrics`: alerts and instant values of a Prometheus server, alerts of an Alertmanager, or an answer of either
in a file.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import httpx2
import orjson
from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from domain.contracts import RetrievalDetails, ToolClass
from infra.tools.alertmanager import SUPPRESSED, as_prometheus
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.windows import Window, duration_text, utc_text

TIMEOUT_S = 15.0
MAX_FILE_BYTES = 64 * 2**20

_NOT_A_SERVICE = {"alertname", "__name__", "severity"}
_LABEL_PARTS = re.compile(r"[\s,;:/@]+")


class MetricsArguments(Arguments):
    alert_name: str = Field("", description="告警名，如 HighMemoryUsage；空表示全部告警")
    service: str = Field("", description="服务名，与标签值（service、job、app、instance 等）整词匹配")
    state: Literal["", "firing", "pending"] = Field("", description="告警状态；空表示不限")
    expr: str = Field("", description="PromQL 即时查询；给出时返回该表达式的当前值而不是告警", max_length=4_000)


class Alert(BaseModel):
    """The parts of an alert that are filtered by; the rest is passed on as the server gave it."""

    labels: dict[str, str]
    annotations: dict[str, str] = {}
    state: str
    activeAt: AwareDatetime | None = None


class AlertData(BaseModel):
    alerts: list[dict[str, Any]]


Point = tuple[Annotated[float, Field(ge=0, le=253_402_300_799)], str]
"""Seconds since 1970 and a value as text, which keeps its form."""


class Sample(BaseModel):
    metric: dict[str, str]
    value: Point | None = None
    values: list[Point] | None = None


class SeriesData(BaseModel):
    resultType: Literal["vector", "matrix"]
    result: list[Sample]


class ScalarData(BaseModel):
    resultType: Literal["scalar", "string"]
    result: Point


class Response(BaseModel):
    """What a Prometheus server answers. `warnings` say that the answer may be incomplete."""

    status: Literal["success"]
    data: AlertData | Annotated[SeriesData | ScalarData, Field(discriminator="resultType")]
    warnings: list[str] = []


class Refusal(BaseModel):
    status: Literal["error"]
    errorType: str = ""
    error: str


_ANSWER: TypeAdapter[Response | Refusal] = TypeAdapter(Annotated[Response | Refusal, Field(discriminator="status")])


def metrics_tool(source: str) -> Tool:
    """The tool over the base URL of a Prometheus server or an Alertmanager, or the path of a file."""

    async def call(arguments: MetricsArguments, context: ToolContext) -> ToolResult:
        response = await _ask(source, arguments.expr, context.now)
        if isinstance(response.data, AlertData):
            rows = {"alerts": _alerts(response.data, arguments, context.now)}
        else:
            rows = {"items": _items(response.data, arguments.service)}
        return _result(arguments, source, str(Window(context.now, context.now)), rows, response.warnings)

    return FunctionTool(
        name="query_metrics",
        description="查询当前的监控告警（名称、状态、标签、当前值、持续时间），或用 PromQL 查询指标的当前值。",
        arguments=MetricsArguments,
        tool_class=ToolClass.LIVE,
        call=call,
    )


async def check_metrics(source: str) -> None:
    """Raises ToolError or OSError if the source does not answer with alerts or values."""
    await _ask(source, "", datetime.now(UTC))


def is_url(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def shown_source(source: str) -> str:
    """The source as people and models see it: a URL without credentials, the name of a file."""
    if not is_url(source):
        return Path(source).name
    url = _url(source)
    return str(url.copy_with(userinfo=b"", query=None))


def _url(source: str) -> httpx2.URL:
    """Raises ToolError. A port beyond 65,535 is found here, not in the middle of connecting."""
    try:
        url = httpx2.URL(source)
        if url.host and urlsplit(source).port != 0:
            return url
    except (httpx2.InvalidURL, ValueError):
        pass
    raise ToolError("source", f"{source!r} is no usable URL")


def _read(path: Path) -> bytes:
    """A file that holds a response. Raises ToolError for what is none: a pipe or device may never end."""
    if path.exists() and not path.is_file():
        raise ToolError("source", f"{path} is no regular file")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ToolError("source", f"{path} has more than {MAX_FILE_BYTES // 2**20} MiB")
    return path.read_bytes()


async def _ask(source: str, expr: str, now: datetime) -> Response:
    if is_url(source):
        return await _ask_server(source, expr, now)
    if expr:
        raise ToolError("bad_arguments", f"{source} is a file: it holds one response and evaluates no expression")
    return _answer(await asyncio.to_thread(_read, Path(source)), source)


async def _ask_server(source: str, expr: str, now: datetime) -> Response:
    """A server that does not answer like Prometheus may be an Alertmanager: what it has is asked for there."""
    try:
        if expr:
            return await _fetch(source, "api/v1/query", {"query": expr, "time": str(now.timestamp())})
        return await _fetch(source, "api/v1/alerts", {})
    except Unrecognised as unrecognised:
        try:
            alerts = await _fetch(source, "api/v2/alerts", {})
        except ToolError:
            raise unrecognised from None
    if expr:
        raise ToolError(
            "bad_arguments", f"{shown_source(source)} is an Alertmanager: it holds alerts and evaluates no expression"
        )
    return alerts


async def _fetch(source: str, path: str, parameters: dict[str, str]) -> Response:
    try:
        url = _url(source)
        async with httpx2.AsyncClient(timeout=TIMEOUT_S, follow_redirects=True) as client:
            address = url.copy_with(path=f"{url.path.rstrip('/')}/{path}")
            response = await client.get(address, params=parameters)
    except httpx2.TimeoutException as error:
        raise ToolError("timeout", f"{shown_source(source)} did not answer within {TIMEOUT_S:.0f} s") from error
    except httpx2.HTTPError as error:
        raise ToolError("source", f"cannot reach {shown_source(source)}: {error or type(error).__name__}") from error
    return _answer(response.content, f"{shown_source(source)} (HTTP {response.status_code})")


class Unrecognised(ToolError):
    """An answer in neither server's form."""


def _answer(body: bytes, place: str) -> Response:
    try:
        document = orjson.loads(body)
        if isinstance(document, list):
            return Response(status="success", data=AlertData(alerts=as_prometheus(document)))
        answer = _ANSWER.validate_python(document)
    except orjson.JSONDecodeError as error:
        raise Unrecognised("source", f"{place}: no answer of Prometheus or Alertmanager, not JSON ({error})") from error
    except ValidationError as error:
        raise Unrecognised("source", f"{place}: no answer of Prometheus or Alertmanager we know") from error
    if isinstance(answer, Refusal):
        kind: Literal["bad_arguments", "source"] = "bad_arguments" if answer.errorType == "bad_data" else "source"
        raise ToolError(kind, f"{place} refused the query: {answer.error}")
    return answer


def _alerts(data: AlertData, arguments: MetricsArguments, now: datetime) -> list[dict[str, Any]]:
    """The alerts asked for, as the server gave them, with the `duration` since `activeAt` on the session's clock."""
    found = []
    for raw in data.alerts:
        alert = _alert(raw)
        if _is_asked(alert, arguments):
            active = alert.activeAt
            found.append(raw | ({"duration": duration_text(now - active)} if active and active <= now else {}))
    return found


def _alert(raw: dict[str, Any]) -> Alert:
    try:
        return Alert.model_validate(raw)
    except ValidationError as error:
        raise ToolError("source", f"an alert of the response has no labels or state: {raw!r:.200}") from error


def _is_asked(alert: Alert, arguments: MetricsArguments) -> bool:
    name = alert.labels.get("alertname", "")
    return (
        (not arguments.alert_name or name.casefold() == arguments.alert_name.casefold())
        and (not arguments.state or arguments.state == ("firing" if alert.state == SUPPRESSED else alert.state))
        and (not arguments.service or names_service(alert.labels, arguments.service))
    )


def names_service(labels: Mapping[str, str], service: str) -> bool:
    """Whether a label names the service: as its whole value or as a whole part of it, as in `order-service:8080`."""
    wanted = service.casefold()
    values = (value.casefold() for label, value in labels.items() if label not in _NOT_A_SERVICE)
    return any(wanted == value or wanted in _LABEL_PARTS.split(value) for value in values)


def _items(data: SeriesData | ScalarData, service: str) -> list[dict[str, Any]]:
    if isinstance(data, ScalarData):
        return [{"value": data.result[1], "timestamp": _time(data.result[0])}]
    series = [sample for sample in data.result if not service or names_service(sample.metric, service)]
    return [_item(sample) for sample in series]


def _item(sample: Sample) -> dict[str, Any]:
    labels = {label: value for label, value in sample.metric.items() if label != "__name__"}
    item: dict[str, Any] = {"name": sample.metric.get("__name__", ""), "labels": labels}
    if sample.value is not None:
        return item | {"value": sample.value[1], "timestamp": _time(sample.value[0])}
    return item | {"values": [f"{_time(time)} {value}" for time, value in sample.values or ()]}


def _time(seconds: float) -> str:
    return utc_text(datetime.fromtimestamp(seconds, UTC))


def _result(
    arguments: MetricsArguments, source: str, window: str, rows: dict[str, list[dict[str, Any]]], warnings: list[str]
) -> ToolResult:
    filters = arguments.model_dump(exclude_defaults=True)
    query = ", ".join(f"{name}={value}" for name, value in filters.items())
    total = sum(map(len, rows.values()))
    output: dict[str, Any] = {"success": True, "source": shown_source(source), "query": query, "window": window}
    output |= rows | {"total": total, "truncated": bool(warnings)}
    output["message"] = "；".join(warnings) or ("" if total else "未找到匹配的告警或指标")
    return ToolResult(json_text(output), True, retrieval=RetrievalDetails(query=query, window=window))
