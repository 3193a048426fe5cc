"""The alerts of a source, read for the search: each as its server gave it, with its duration and who silenced it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from domain.events import Source
from domain.evidence.alert_answer import Alert, AlertSource, RuleView
from domain.evidence.alert_search import AlertsAsked, AlertView
from domain.evidence.window import duration_text
from infra.tools.contract import ToolError
from infra.tools.metric_answers import AlertData, Rule, RuleData, Silence, read_rules
from infra.tools.metric_servers import names_of, rules_of, silences_of

_ZERO_TIME = re.compile(r"0001-01-01T00:00:00(?:\.0+)?(?:Z|\+00:00)")
_TIME: TypeAdapter[datetime] = TypeAdapter(AwareDatetime)
_NAMING = ("service", "app", "job", "deployment", "container", "namespace")
"""Labels whose values are the names of services, and few."""
_NO_FAULT = ("", "ok")


class _Status(BaseModel):
    silencedBy: list[str] = []
    inhibitedBy: list[str] = []


class _Alert(BaseModel):
    labels: dict[str, str]
    annotations: dict[str, str] = {}
    state: str
    activeAt: AwareDatetime | None = None
    status: _Status = Field(default_factory=_Status)
    fingerprint: str = ""


async def alert_source(
    source: Source, place: str, data: AlertData, warnings: Sequence[str], asked: AlertsAsked, now: datetime
) -> AlertSource:
    """What a source holds, read. Raises ToolError for an alert without labels or state."""
    alerts = await asyncio.to_thread(_read_all, data.alerts)
    silences = await _silences(source, alerts)
    rows = await asyncio.to_thread(_rows, alerts, silences, now)
    return AlertSource(place, asked, rows, warnings=warnings, tells_who=data.of_alertmanager)


async def with_rules(source: Source, read: AlertSource) -> AlertSource:
    """The same with the names of its rules, so that an unknown name differs from an inactive rule (R71). That they
    cannot be read is said by its warnings."""
    if read.tells_who or read.rules is not None:
        return read
    try:
        rules = await rules_of(source)
    except ToolError as error:
        return replace(read, warnings=(*read.warnings, f"rules: {error}"))
    return read if rules is None else replace(read, rules=tuple(map(_rule, rules)))


async def with_services(source: Source, read: AlertSource) -> AlertSource:
    """The same with what the labels of all its series call services, as far as the server lists them."""
    try:
        labels = (*_NAMING, *source.service_labels)
        listed = await asyncio.gather(*(names_of(source, label) for label in labels))
    except ToolError:
        return read
    return replace(read, services=tuple(name for names in listed for name in names or ()))


def ruled_source(place: str, data: RuleData, warnings: Sequence[str], asked: AlertsAsked, now: datetime) -> AlertSource:
    """The same of an answer of `/api/v1/rules`, in which the alerts stand below their rules."""
    rules = read_rules(data, place)
    alerts = _read_all([alert for rule in rules for alert in rule.alerts])
    return AlertSource(place, asked, _rows(alerts, {}, now), tuple(map(_rule, rules)), warnings)


def _rule(rule: Rule) -> RuleView:
    return RuleView(rule.name, "" if rule.health in _NO_FAULT else rule.lastError or rule.health)


async def _silences(source: Source, alerts: Sequence[tuple[dict[str, Any], _Alert]]) -> Mapping[str, Silence]:
    """Who silenced them is told if it can be; that they are silenced stands in the alert itself."""
    ids = [silence for _, alert in alerts for silence in alert.status.silencedBy]
    try:
        return await silences_of(source, ids)
    except ToolError:
        return {}


def _read_all(raw: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], _Alert]]:
    return [(row, _alert(row)) for row in map(_without_zero_times, raw)]


def _without_zero_times(raw: dict[str, Any]) -> dict[str, Any]:
    """Servers written in Go give the first second of year 1 where there is no time."""
    return {key: value for key, value in raw.items() if not (isinstance(value, str) and _ZERO_TIME.fullmatch(value))}


def _alert(raw: dict[str, Any]) -> _Alert:
    try:
        return _Alert.model_validate(raw)
    except ValidationError as error:
        raise ToolError("source", f"an alert of the response has no labels or state: {raw!r:.200}") from error


def _rows(
    alerts: Sequence[tuple[dict[str, Any], _Alert]], silences: Mapping[str, Silence], now: datetime
) -> list[Alert]:
    names = {alert.fingerprint: alert.labels.get("alertname", "") for _, alert in alerts if alert.fingerprint}
    return [
        Alert(
            AlertView(alert.labels, alert.annotations, alert.state.casefold()),
            raw | _duration(alert.activeAt, now) | _silenced(alert, silences) | _inhibited(alert, names),
        )
        for raw, alert in alerts
    ]


def _duration(active: datetime | None, now: datetime) -> dict[str, str]:
    """Since `activeAt`, on the session's clock (R9)."""
    return {"duration": duration_text(now - active)} if active and active <= now else {}


def _silenced(alert: _Alert, silences: Mapping[str, Silence]) -> dict[str, Any]:
    by = [silences[id] for id in alert.status.silencedBy if id in silences]
    told = {
        "silenced_by": [one.createdBy for one in by],
        "silenced_until": [one.endsAt for one in by],
        "silence_comment": [one.comment for one in by],
    }
    return {key: values[0] if len(values) == 1 else values for key, values in told.items() if any(values)}


def _inhibited(alert: _Alert, names: Mapping[str, str]) -> dict[str, Any]:
    """The alerts that it waits for, by name."""
    by = [name for fingerprint in alert.status.inhibitedBy if (name := names.get(fingerprint))]
    return {"inhibited_by": by[0] if len(by) == 1 else by} if by else {}
