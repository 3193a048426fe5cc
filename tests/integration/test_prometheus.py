"""`query_metrics` against a real Prometheus whose rule fires."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.events import sources_at
from infra.tools.contract import ToolContext, ToolResult
from infra.tools.metrics import check_metrics, metrics_tool

pytestmark = pytest.mark.program("prometheus")


@pytest.fixture
def url(prometheus: str) -> str:
    return prometheus


def run(url: str, now: datetime | None = None, **arguments: Any) -> ToolResult:
    context = ToolContext(now or datetime.now(UTC), 60, 7, "session")
    return asyncio.run(metrics_tool(sources_at({"metrics": url})).run(arguments, context))


def total(result: ToolResult) -> int:
    return json.loads(result.output).get("total", 0)


def test_a_firing_alert_comes_with_labels_annotations_value_and_duration(url: str) -> None:
    """R9, R18: the duration counts to the session's now."""
    later = datetime.now(UTC) + timedelta(hours=3, minutes=1)
    answer = json.loads(run(url, now=later, service="tape-service").output)
    (alert,) = answer["alerts"]
    assert alert["labels"] == {"alertname": "SpoolSlotsLow", "service": "tape-service", "severity": "ticket"}
    assert alert["annotations"] == {"current": "91%", "description": "few slots left"}
    assert (alert["state"], alert["value"]) == ("firing", "9.1e+01")
    assert alert["duration"].startswith("3h")
    assert answer["source"].rstrip("/") == url


def test_an_alert_of_another_service_is_not_found(url: str) -> None:
    """R19: worked, nothing matched."""
    result = run(url, service="print-service")
    assert result.success
    assert json.loads(result.output)["alerts"] == []


def test_an_instant_query_is_evaluated_at_the_sessions_now(url: str) -> None:
    """R9: `time()` is the session's clock."""
    now = datetime(2031, 3, 4, 12, 0, tzinfo=UTC)
    (item,) = json.loads(run(url, now=now, expr="vector(time())").output)["items"]
    assert (item["value"], item["timestamp"]) == ("1930392000", "2031-03-04T12:00:00Z")


def test_values_are_filtered_by_service(url: str) -> None:
    """R18: one item for each series, with its labels."""
    (item,) = json.loads(run(url, expr="up", service="prometheus").output)["items"]
    assert (item["name"], item["labels"]["job"], item["value"]) == ("up", "prometheus", "1")
    assert total(run(url, expr="up", service="tape-service")) == 0


def test_scalars_and_ranges_are_read(url: str) -> None:
    """R18: every type of result that an instant query can have."""
    assert json.loads(run(url, expr="scalar(vector(3))").output)["items"][0]["value"] == "3"
    (item,) = json.loads(run(url, expr='up{job="prometheus"}[5m]').output)["items"]
    assert item["values"][0].endswith("Z 1")


def test_a_wrong_expression_is_the_models_fault_and_named(url: str) -> None:
    """R7: the model can correct it."""
    result = run(url, expr="up{")
    assert result.error_kind == "bad_arguments"
    assert "parse error" in result.error_message


def test_the_source_passes_the_check_before_a_session(url: str) -> None:
    """Bad input: `assay ask` refuses a source that does not answer; this one does."""
    asyncio.run(check_metrics(*sources_at({"metrics": url + "/"})))
