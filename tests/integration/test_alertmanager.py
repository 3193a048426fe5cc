"""`query_metrics` against a real Alertmanager that holds an active, a silenced and an inhibited alert."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from domain.events import Source, sources_at
from infra.tools.contract import ToolContext, ToolResult
from infra.tools.metrics import check_metrics, metrics_tool

pytestmark = pytest.mark.program("prometheus-alertmanager")

CONFIG = """
route: {receiver: nobody}
receivers: [{name: nobody}]
inhibit_rules:
  - source_matchers: [alertname="HostDown"]
    target_matchers: [alertname="DiskSlow"]
"""
ALERTS = [
    {
        "labels": {"alertname": "SpoolSlotsLow", "service": "tape-service"},
        "annotations": {"description": "only 5 of 32 slots left"},
        "startsAt": "2026-11-01T10:00:00Z",
    },
    {"labels": {"alertname": "PaperJam", "service": "print-service"}},
    {"labels": {"alertname": "HostDown", "host": "h7"}},
    {"labels": {"alertname": "DiskSlow", "host": "h7"}},
]
SILENCE = {
    "matchers": [{"name": "alertname", "value": "PaperJam", "isRegex": False, "isEqual": True}],
    "startsAt": "2026-11-01T10:00:00Z",
    "endsAt": "2099-01-01T00:00:00Z",
    "createdBy": "on-call",
    "comment": "known",
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on its own, which has sorted its alerts."""
    folder = tmp_path_factory.mktemp("alertmanager")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    (folder / "alertmanager.yml").write_text(CONFIG)
    command = ["prometheus-alertmanager", f"--config.file={folder}/alertmanager.yml", f"--storage.path={folder}/data"]
    command += [f"--web.listen-address={address}", "--cluster.listen-address="]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _post(f"http://{address}", server, folder / "log")
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait()


def _post(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Waits for the server, and then until silence and inhibition have taken effect."""
    while True:
        assert server.poll() is None, log.read_text()
        try:
            httpx2.post(f"{url}/api/v2/silences", json=SILENCE).raise_for_status()
            break
        except httpx2.HTTPError:
            time.sleep(0.1)
    httpx2.post(f"{url}/api/v2/alerts", json=ALERTS).raise_for_status()
    while sorted(states(url).values()) != ["firing", "firing", "suppressed", "suppressed"]:
        time.sleep(0.1)


def run(url: str, now: datetime | None = None, **arguments: Any) -> ToolResult:
    context = ToolContext(now or datetime.now(UTC), 60, 7, "session")
    return asyncio.run(metrics_tool(sources_at({"metrics": url})).run(arguments, context))


def states(url: str, **arguments: Any) -> dict[str, str]:
    """State by name of the alerts found."""
    found = json.loads(run(url, **arguments).output)["alerts"]
    return {alert["labels"]["alertname"]: alert["state"] for alert in found}


def test_an_active_alert_is_firing_and_has_its_duration(url: str) -> None:
    """R9, R18: labels, annotations and start as they were posted; the duration counts to the session's now."""
    start = datetime(2026, 11, 1, 10, 0, tzinfo=UTC)
    answer = json.loads(run(url, now=start + timedelta(minutes=15), service="tape-service").output)
    (alert,) = answer["alerts"]
    assert alert["labels"] == {"alertname": "SpoolSlotsLow", "service": "tape-service"}
    assert alert["annotations"] == {"description": "only 5 of 32 slots left"}
    assert (alert["state"], alert["activeAt"], alert["duration"]) == ("firing", "2026-11-01T10:00:00.000Z", "15m")
    assert answer["source"].rstrip("/") == url


def test_silenced_and_inhibited_alerts_are_there_and_say_so(url: str) -> None:
    """R20: they fire; that nobody is told of them does not make them absent."""
    assert states(url, state="firing") == {
        "SpoolSlotsLow": "firing",
        "HostDown": "firing",
        "PaperJam": "suppressed",
        "DiskSlow": "suppressed",
    }
    (jam,) = json.loads(run(url, service="print-service").output)["alerts"]
    assert len(jam["status"]["silencedBy"]) == 1


def test_who_silenced_an_alert_and_until_when_is_told(url: str) -> None:
    """R84: the silence by its author, the inhibition by the alert that it waits for."""
    (jam,) = json.loads(run(url, service="print-service").output)["alerts"]
    assert (jam["silenced_by"], jam["silenced_until"]) == ("on-call", "2099-01-01T00:00:00.000Z")
    assert jam["silence_comment"] == "known"
    (slow,) = json.loads(run(url, alert_name="DiskSlow").output)["alerts"]
    assert slow["inhibited_by"] == "HostDown"


def test_what_a_prometheus_says_fires_is_silenced_here(url: str, tmp_path: Path) -> None:
    """R84: both sources at once; one alert, firing, with who silenced it and until when."""
    fires = {
        "labels": {"alertname": "PaperJam", "service": "print-service"},
        "annotations": {},
        "state": "firing",
        "activeAt": "2026-11-01T10:00:00Z",
        "value": "1e+00",
    }
    file = tmp_path / "alerts.json"
    file.write_text(json.dumps({"status": "success", "data": {"alerts": [fires]}}))
    both = [
        Source(kind="metrics", name="prom", address=str(file)),
        Source(kind="metrics", name="am", address=url),
    ]
    context = ToolContext(datetime.now(UTC), 60, 7, "session")
    result = asyncio.run(metrics_tool(both).run({"service": "print-service"}, context))
    (jam,) = json.loads(result.output)["alerts"]
    assert (jam["state"], jam["silenced_by"], jam["source"]) == ("firing", "on-call", "prom, am")
    assert jam["silenced_until"] == "2099-01-01T00:00:00.000Z"


def test_an_alert_of_another_service_is_not_found(url: str) -> None:
    """R19: worked, nothing matched."""
    assert states(url, service="mail-service") == {}


def test_an_expression_is_the_models_fault_and_named(url: str) -> None:
    """R7: the model can ask for alerts instead."""
    result = run(url, expr="up")
    assert result.error_kind == "bad_arguments"
    assert "is an Alertmanager" in result.error_message


def test_the_source_passes_the_check_before_a_session(url: str) -> None:
    """Bad input: `assay ask` refuses a source that does not answer; this one does."""
    asyncio.run(check_metrics(*sources_at({"metrics": url + "/"})))
