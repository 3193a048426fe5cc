"""`query_metrics` against a real Prometheus whose rule fires."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.events import sources_at
from domain.evidence.coverage import Coverage
from domain.evidence.extraction import extract_evidence
from infra.tools.contract import ToolContext, ToolResult
from infra.tools.metrics import check_metrics, metrics_tool

pytestmark = pytest.mark.program("prometheus")


@pytest.fixture
def url(prometheus: str) -> str:
    return prometheus


def run(url: str, now: datetime | None = None, **arguments: Any) -> ToolResult:
    context = ToolContext(now or datetime.now(UTC), 60, 7, "session")
    return asyncio.run(metrics_tool(sources_at({"metrics": url})).run(arguments, context))


def coverage(result: ToolResult) -> Coverage:
    assert result.retrieval.coverage is not None
    return result.retrieval.coverage


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


def test_an_alert_that_no_rule_has_is_unknown_there(url: str) -> None:
    """R71: with the nearest names, and no absence that could be cited."""
    result = run(url, alert_name="SpoolSlotLow")
    (doubt,) = coverage(result).doubts
    assert (doubt.unknown, doubt.nearest) == ("SpoolSlotLow", ("SpoolSlotsLow",))
    assert (total(result), coverage(result).complete) == (0, False)
    assert "没有名为 SpoolSlotLow 的告警，最接近的是 SpoolSlotsLow" in json.loads(result.output)["message"]


def test_an_inactive_rule_is_honestly_absent(url: str) -> None:
    """R71: the rule is known, has been evaluated and does not fire."""
    result = run(url, alert_name="SpoolJammed")
    assert (total(result), coverage(result).complete, coverage(result).doubts) == (0, True, ())
    assert [(one.format, one.entries) for one in coverage(result).inputs] == [("alerts", 2), ("rules", 3)]


def test_a_pods_alert_is_found_for_its_deployment(url: str) -> None:
    """R68: reports 04."""
    (found,) = json.loads(run(url, service="vault-keeper").output)["alerts"]
    assert found["labels"]["alertname"] == "KubePodCrashLooping"


def test_a_service_that_is_well_is_told_from_one_that_is_misspelt(url: str) -> None:
    """R71: by what the labels of its series say."""
    assert coverage(run(url, service="prometheus")).complete
    (doubt,) = coverage(run(url, service="vault-keper")).doubts
    assert (doubt.unknown, doubt.nearest) == ("vault-keper", ("vault-keeper-7d9f8b6c5-abcde",))


def test_a_trend_comes_as_figures_with_its_points_in_the_record(url: str) -> None:
    """R84: first, last, smallest, greatest, mean and direction are one item; the step is bounded."""
    now = datetime.now(UTC)
    started = int(now.timestamp()) - 40_000
    answer = json.loads(run(url, now=now, expr=f"vector(time() - {started})", minutes=600).output)
    (item,) = answer["items"]
    assert item["direction"] == "rising"
    assert float(item["minimum"]) == float(item["first"]) < float(item["mean"]) < float(item["maximum"])
    assert (item["samples"], item["step"]) == (301, "2m")
    assert len(answer["points"][0]["points"]) == 301
    refs = extract_evidence("query_metrics", answer).evidence_refs or ()
    assert [ref.raw_path for ref in refs] == ["$.items[0]", "$.items"]


def test_a_window_of_a_year_is_bounded(url: str) -> None:
    """Bad input: as many points as for a day."""
    (item,) = json.loads(run(url, expr="vector(5)", minutes=525_600).output)["items"]
    assert (item["samples"], item["step"], item["direction"]) == (366, "1d", "steady")


def test_what_is_down_is_found(url: str) -> None:
    """R71: a known metric without a series that matches is an absence; one that is unknown is none."""
    (item,) = json.loads(run(url, expr="up == 0").output)["items"]
    assert (item["labels"]["job"], item["value"]) == ("dead", "0")
    assert coverage(run(url, expr="up == 7")).complete
    (doubt,) = coverage(run(url, expr="upp == 0")).doubts
    assert doubt.unknown == "upp"


def test_a_wrong_expression_is_the_models_fault_and_named(url: str) -> None:
    """R7: the model can correct it."""
    result = run(url, expr="up{")
    assert result.error_kind == "bad_arguments"
    assert "parse error" in result.error_message


def test_the_source_passes_the_check_before_a_session(url: str) -> None:
    """Bad input: `assay ask` refuses a source that does not answer; this one does."""
    asyncio.run(check_metrics(*sources_at({"metrics": url + "/"})))
