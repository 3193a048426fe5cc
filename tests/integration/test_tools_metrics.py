"""`query_metrics` over files, and over servers that are something else. The real ones are in test_prometheus and
test_alertmanager.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from domain.events import sources_at
from domain.evidence.extraction import extract_evidence
from infra.tools import metric_servers
from infra.tools.contract import ToolContext, ToolResult
from infra.tools.metrics import metrics_tool

CONTEXT = ToolContext(datetime(2031, 3, 4, 12, 0, tzinfo=UTC), 60, 7, "session")
SPOOL = {
    "labels": {"alertname": "SpoolSlotsLow", "instance": "tape-service:9100", "severity": "ticket"},
    "annotations": {"description": "only 5 of 32 slots left"},
    "state": "firing",
    "activeAt": "2031-03-04T11:45:00.123456789Z",
    "value": "5e+00",
}
JAM = {
    "labels": {"alertname": "PaperJam", "service": "print-service"},
    "annotations": {},
    "state": "pending",
    "value": "1",
}


SILENCED = {
    "labels": {"alertname": "DiskSlow", "service": "tape-service"},
    "annotations": {"description": "write latency 840ms"},
    "startsAt": "2031-03-04T11:30:00.000Z",
    "endsAt": "2031-03-04T12:05:00.000Z",
    "updatedAt": "2031-03-04T12:00:00.000Z",
    "status": {"state": "suppressed", "silencedBy": ["4f2a"], "inhibitedBy": []},
    "receivers": [{"name": "tape-team"}],
    "fingerprint": "0ac1f46cf3e068ff",
}
UNSILENCED = SILENCED | {
    "labels": {"alertname": "SpoolSlotsLow", "service": "tape-service"},
    "status": {"state": "active", "silencedBy": [], "inhibitedBy": []},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "alerts.json"
    path.write_text(json.dumps({"status": "success", "data": {"alerts": [SPOOL, JAM]}}))
    return path


def run(source: Path | str, **arguments: Any) -> ToolResult:
    return asyncio.run(metrics_tool(sources_at({"metrics": str(source)})).run(arguments, CONTEXT))


def ask(source: Path | str, **arguments: Any) -> dict[str, Any]:
    result = run(source, **arguments)
    assert result.success, result.error_message
    return json.loads(result.output)


@contextmanager
def serving(status: int, body: bytes, before: Callable[[], object] = lambda: None) -> Iterator[str]:
    """A server that answers every request alike."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            before()
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_alert_keeps_the_servers_shape_and_gets_its_duration(file: Path) -> None:
    """R9, R18: the duration counts from activeAt to the session's now; the value keeps its form."""
    answer = ask(file, alert_name="spoolslotslow")
    assert answer["alerts"] == [SPOOL | {"duration": "14m"}]
    assert (answer["source"], answer["query"], answer["total"]) == ("alerts.json", "alert_name=spoolslotslow", 1)
    assert answer["window"] == "2031-03-04T12:00:00Z/2031-03-04T12:00:00Z"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["SpoolSlotsLow", "PaperJam"]),
        ({"service": "tape-service"}, ["SpoolSlotsLow"]),
        ({"service": "print-service"}, ["PaperJam"]),
        ({"service": "tape"}, []),
        ({"service": "ticket"}, []),
        ({"state": "pending"}, ["PaperJam"]),
        ({"alert_name": "PaperJam", "service": "tape-service"}, []),
    ],
)
def test_alerts_are_filtered_by_name_state_and_whole_words_of_labels(
    file: Path, arguments: dict[str, Any], names: list[str]
) -> None:
    """SPEC 15: no filler; nothing found is a success with total=0."""
    answer = ask(file, **arguments)
    assert [alert["labels"]["alertname"] for alert in answer["alerts"]] == names
    assert answer["total"] == len(names)


def test_a_file_may_hold_the_answer_of_an_instant_query(tmp_path: Path) -> None:
    """R18: values come as `$.items[i]`, each with its labels and time."""
    sample = {"metric": {"__name__": "up", "job": "tape-service"}, "value": [1930392000, "0"]}
    (tmp_path / "up.json").write_text(
        json.dumps({"status": "success", "data": {"resultType": "vector", "result": [sample]}})
    )
    assert ask(tmp_path / "up.json", service="tape-service")["items"] == [
        {"name": "up", "labels": {"job": "tape-service"}, "value": "0", "timestamp": "2031-03-04T12:00:00Z"}
    ]
    assert ask(tmp_path / "up.json", service="print-service")["total"] == 0


def test_a_native_histogram_keeps_its_count_and_sum(tmp_path: Path) -> None:
    """R84, reports 11: at one time; in a window beside plain values of the same series."""
    histogram = {"count": "10", "sum": "3.2", "buckets": [[0, "0.1", "0.2", "3"]]}
    sample = {"metric": {"__name__": "request_seconds"}, "histogram": [1930392000, histogram]}
    file = tmp_path / "hist.json"
    file.write_text(json.dumps({"status": "success", "data": {"resultType": "vector", "result": [sample]}}))
    (item,) = ask(file)["items"]
    assert (item["count"], item["sum"], item["timestamp"]) == ("10", "3.2", "2031-03-04T12:00:00Z")
    both = {"metric": {}, "values": [[1930391940, "NaN"]], "histograms": [[1930392000, histogram]]}
    file.write_text(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [both]}}))
    assert ask(file)["items"][0]["values"] == ["2031-03-04T11:59:00Z NaN", "2031-03-04T12:00:00Z count=10 sum=3.2"]


def test_the_zero_time_of_a_server_is_none(tmp_path: Path) -> None:
    """R84, reports 11: no duration of 2,000 years."""
    jam = JAM | {"activeAt": "0001-01-01T00:00:00Z"}
    (tmp_path / "zero.json").write_text(json.dumps({"status": "success", "data": {"alerts": [jam]}}))
    (alert,) = ask(tmp_path / "zero.json")["alerts"]
    assert alert.keys().isdisjoint({"activeAt", "duration"})


def test_a_file_of_rules_lists_alerts_and_names(tmp_path: Path) -> None:
    """R71: what it does not name is unknown there; what it names and does not fire is absent."""
    rules = [
        {"name": "SpoolSlotsLow", "type": "alerting", "health": "ok", "alerts": [SPOOL]},
        {"name": "PaperJam", "type": "alerting", "health": "ok", "alerts": []},
        {"name": "job:spool:rate", "type": "recording", "health": "ok"},
    ]
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"status": "success", "data": {"groups": [{"name": "g", "rules": rules}]}}))
    assert ask(file, alert_name="SpoolSlotsLow")["total"] == 1
    assert run(file, alert_name="PaperJam").retrieval.coverage.complete
    assert run(file, alert_name="PaperJams").retrieval.coverage.doubts[0].nearest == ("PaperJam",)


def test_five_thousand_alerts_are_bounded_and_said(tmp_path: Path) -> None:
    """Bad input: the worst come, of how many is said, and no summary claims to be all."""
    many = [SPOOL | {"labels": {"alertname": f"Low{n}", "severity": "info"}} for n in range(4_999)]
    worst = SPOOL | {"labels": {"alertname": "Worst", "severity": "critical"}}
    file = tmp_path / "many.json"
    file.write_text(json.dumps({"status": "success", "data": {"alerts": [*many, worst]}}))
    answer = ask(file)
    assert (len(answer["alerts"]), answer["total"], answer["truncated"]) == (30, 5_000, True)
    assert answer["alerts"][0]["labels"]["alertname"] == "Worst"
    assert answer["message"] == "共 5000 条，以下为最严重的 30 条"
    refs = extract_evidence("query_metrics", answer).evidence_refs or ()
    assert [ref.raw_path for ref in refs if "[" not in ref.raw_path] == []
    assert refs[-1].text == "alerts, matched=5000, returned=30, firing=5000"


@pytest.fixture
def alertmanager_file(tmp_path: Path) -> Path:
    path = tmp_path / "amtool.json"
    path.write_text(json.dumps([UNSILENCED, SILENCED]))
    return path


def test_alerts_of_an_alertmanager_come_in_the_same_shape(alertmanager_file: Path) -> None:
    """R18: `active` is firing, what is suppressed says so; the server's own words are kept in `status`."""
    active, suppressed = ask(alertmanager_file)["alerts"]
    assert (active["state"], active["status"]["state"]) == ("firing", "active")
    assert (active["activeAt"], active["duration"]) == ("2031-03-04T11:30:00.000Z", "30m")
    assert (suppressed["state"], suppressed["status"]["silencedBy"]) == ("suppressed", ["4f2a"])
    assert suppressed["annotations"] == {"description": "write latency 840ms"}
    assert active.keys().isdisjoint({"startsAt", "endsAt"})


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"state": "firing"}, ["SpoolSlotsLow", "DiskSlow"]),
        ({"state": "pending"}, []),
        ({"alert_name": "DiskSlow"}, ["DiskSlow"]),
        ({"service": "tape-team"}, []),
    ],
)
def test_a_silenced_alert_fires_all_the_same(
    alertmanager_file: Path, arguments: dict[str, Any], names: list[str]
) -> None:
    """R20: nobody may conclude that an alert is absent because it is silenced."""
    assert [alert["labels"]["alertname"] for alert in ask(alertmanager_file, **arguments)["alerts"]] == names


def test_what_is_cited_of_an_alertmanagers_alert(alertmanager_file: Path) -> None:
    """R18: state, who silenced it and since when stand in the text; when it expires does not."""
    refs = extract_evidence("query_metrics", run(alertmanager_file, alert_name="DiskSlow").output).evidence_refs
    assert refs is not None
    assert refs[0].text == (
        "DiskSlow suppressed, service=tape-service, updatedAt=2031-03-04T12:00:00.000Z, "
        "status.state=suppressed, status.silencedBy=[4f2a], receivers[0].name=tape-team, "
        "activeAt=2031-03-04T11:30:00.000Z, duration=30m; write latency 840ms"
    )
    assert refs[1].text.endswith("total=1: DiskSlow(tape-service)")


def test_an_alertmanager_without_alerts_proves_their_absence(tmp_path: Path) -> None:
    """R20: an empty list is an answer."""
    (tmp_path / "none.json").write_text("[]")
    assert ask(tmp_path / "none.json")["total"] == 0


def test_a_file_evaluates_no_expression(file: Path) -> None:
    """R7: a file holds one response."""
    assert run(file, expr="up").error_kind == "bad_arguments"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>login</html>",
        b'{"status": "success", "data": {"al',
        b"[1]",
        b'[{"labels": {}, "startsAt": "2031-03-04T11:45:00Z"}]',
        b'{"alerts": []}',
        b'{"status": "success", "data": {}}',
        b'{"status": "success", "data": {"alerts": [{"name": "x"}]}}',
        b'{"status": "success", "data": {"alerts": [{"labels": {}, "state": "x", "activeAt": "2031-03-04T11:00"}]}}',
        b'{"status": "success", "data": {"resultType": "vector", "result": [{"metric": {}, "value": [1e300, "1"]}]}}',
        b"\xff\xfe\x00",
    ],
)
def test_a_file_that_is_no_alert_response_is_a_failure_that_names_it(tmp_path: Path, content: bytes) -> None:
    """R19: what cannot be read proves no absence."""
    (tmp_path / "bad.json").write_bytes(content)
    result = run(tmp_path / "bad.json")
    assert (result.success, result.error_kind) == (False, "source")
    assert "query_metrics" in result.error_message


def test_a_missing_file_is_a_failure_that_names_it(tmp_path: Path) -> None:
    """R19: a source that is not there has found nothing out."""
    assert str(tmp_path / "none.json") in run(tmp_path / "none.json").error_message


@pytest.mark.parametrize(
    ("status", "body"), [(200, b"<html>welcome</html>"), (401, b"who are you"), (502, b""), (200, b"")]
)
def test_a_server_that_is_no_prometheus_is_a_failure_without_its_credentials(status: int, body: bytes) -> None:
    """R22: a password in the URL is in no message."""
    with serving(status, body) as url:
        result = run(url.replace("http://", "http://reader:secret@"))
    assert (result.success, result.error_kind) == (False, "source")
    assert f"HTTP {status}" in result.error_message
    assert "secret" not in result.error_message


def test_an_unreachable_server_is_a_failure_that_names_it() -> None:
    """R19: an unreachable server proves no absence."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        result = run(url)
    assert result.error_kind == "source"
    assert url in result.error_message


def test_a_server_that_does_not_answer_in_time_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """R7: nothing hangs."""
    monkeypatch.setattr(metric_servers, "TIMEOUT_S", 0.1)
    release = threading.Event()
    with serving(200, b"", before=release.wait) as url:
        result = run(url)
        release.set()
    assert result.error_kind == "timeout"


def test_a_partial_answer_is_marked_as_truncated() -> None:
    """R20: a server that warns of missing data proves no absence."""
    body = json.dumps({"status": "success", "data": {"alerts": []}, "warnings": ["one store is down"]})
    with serving(200, body.encode()) as url:
        answer = ask(url)
    assert (answer["truncated"], answer["message"]) == (True, "one store is down")


def test_wrong_arguments_are_refused_by_name(file: Path) -> None:
    """R7: the model is told what is wrong."""
    result = run(file, state="loud")
    assert result.error_kind == "bad_arguments"
    assert "state" in result.error_message
