"""What Prometheus servers and Alertmanagers answer, checked: alerts, rules, silences, values of expressions."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from infra.tools.alertmanager import as_prometheus
from infra.tools.contract import ToolError


class AlertData(BaseModel):
    """`of_alertmanager`: it cannot tell which alerts there could be, but who silenced one."""

    alerts: list[dict[str, Any]]
    of_alertmanager: bool = False


class Rule(BaseModel):
    """An alerting rule. `health`: ok, err (it cannot be evaluated) or unknown (it was not yet)."""

    name: str
    health: str = "ok"
    lastError: str = ""
    alerts: list[dict[str, Any]] = []


class RuleGroup(BaseModel):
    rules: list[dict[str, Any]]


class RuleData(BaseModel):
    """`/api/v1/rules`, of which the alerting ones count."""

    groups: list[RuleGroup]

    @cached_property
    def rules(self) -> list[Rule]:
        """Raises pydantic.ValidationError."""
        found = (rule for group in self.groups for rule in group.rules if rule.get("type", "alerting") == "alerting")
        return [Rule.model_validate(rule) for rule in found]


class Silence(BaseModel):
    id: str
    createdBy: str = ""
    comment: str = ""
    endsAt: str = ""


Seconds = Annotated[float, Field(ge=0, le=253_402_300_799)]
"""Since 1970, until the end of year 9999."""
Point = tuple[Seconds, str]
"""A time and a value as text, which keeps its form: NaN and +Inf are values."""


class Histogram(BaseModel):
    """A native histogram at one time, without its buckets."""

    count: str
    sum: str


HistogramPoint = tuple[Seconds, Histogram]


class Sample(BaseModel):
    """One series. An instant query gives one point, a range several; of values, of histograms, or of both."""

    metric: dict[str, str]
    value: Point | None = None
    values: list[Point] = []
    histogram: HistogramPoint | None = None
    histograms: list[HistogramPoint] = []


class SeriesData(BaseModel):
    resultType: Literal["vector", "matrix"]
    result: list[Sample]


class ScalarData(BaseModel):
    resultType: Literal["scalar", "string"]
    result: Point


class Response(BaseModel):
    """What a Prometheus server answers. `warnings` say that the answer may be incomplete."""

    status: Literal["success"]
    data: AlertData | RuleData | list[str] | Annotated[SeriesData | ScalarData, Field(discriminator="resultType")]
    warnings: list[str] = []


class Refusal(BaseModel):
    status: Literal["error"]
    errorType: str = ""
    error: str


_SILENCES = TypeAdapter(list[Silence])
_ANSWER: TypeAdapter[Response | Refusal] = TypeAdapter(Annotated[Response | Refusal, Field(discriminator="status")])


class Unrecognised(ToolError):
    """An answer in neither server's form."""


def read_answer(body: bytes, place: str) -> Response:
    """Raises ToolError."""
    try:
        document = orjson.loads(body)
        if isinstance(document, list):
            alerts = as_prometheus(document)
            return Response(status="success", data=AlertData(alerts=alerts, of_alertmanager=True))
        answer = _ANSWER.validate_python(document)
    except orjson.JSONDecodeError as error:
        raise Unrecognised("source", f"{place}: no answer of Prometheus or Alertmanager, not JSON ({error})") from error
    except ValidationError as error:
        raise Unrecognised("source", f"{place}: no answer of Prometheus or Alertmanager we know") from error
    if isinstance(answer, Refusal):
        kind: Literal["bad_arguments", "source"] = "bad_arguments" if answer.errorType == "bad_data" else "source"
        raise ToolError(kind, f"{place} refused the query: {answer.error}")
    return answer


def read_rules(data: RuleData, place: str) -> list[Rule]:
    """Raises ToolError."""
    try:
        return data.rules
    except ValidationError as error:
        raise ToolError("source", f"{place}: a rule that has no name") from error


def read_silences(body: bytes, place: str) -> list[Silence]:
    """Raises ToolError."""
    try:
        return _SILENCES.validate_json(body)
    except ValidationError as error:
        raise ToolError("source", f"{place}: no silences of an Alertmanager") from error
