"""The alerts that fire: those of the incident, and those of weeks ago; as Prometheus or Alertmanager tell."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from tests.long.incidents.draw import Draw
from tests.long.incidents.incident import Alert
from tests.long.incidents.names import lowered
from tests.long.incidents.story import AlertSketch

LASTING = (
    ("Watchdog", "none", "Ensures that alerting works", "This alert is always firing", 1),
    ("BackupOlderThanDay", "info", "A backup is old", "The last backup of archive-store is {v} hours old", 31),
    ("RootVolumeGrowing", "warning", "Root volume grows", "Root volume of build-host-3 is {v}% full", 81),
    ("DeprecatedApiInUse", "info", "A deprecated API is in use", "v1beta1 was requested {v} times today", 412),
    ("KubeVersionSkew", "warning", "Versions differ", "There are {v} versions of the kubelet", 2),
    ("SparePartCountLow", "info", "Few spare nodes", "{v} spare nodes are left in rack c4", 1),
    ("PodsPendingLong", "warning", "Pods are pending", "{v} pods of namespace sandbox are pending", 3),
)


def alert_of(
    draw: Draw, sketch: AlertSketch, service: str, role: str, namespace: str, pod: str, since: datetime
) -> Alert:
    """`service` is named by one label or by several, as the exporter has it."""
    described = sketch.description.replace("{v}", f"{sketch.value:g}")
    if role == "node":
        labels = {"node": service, "instance": f"{service}:9100", "job": "node-exporter"}
    elif role != "app":
        labels = {"instance": f"{service}:{draw.pick(9187, 9104, 9121, 9308)}", "job": service}
    else:
        labels = draw.pick(
            {"service": service, "namespace": namespace},
            {"app": service, "namespace": namespace, "pod": pod},
            {"job": service, "instance": f"{draw.ip()}:8080"},
            {"deployment": lowered(service), "namespace": namespace, "service": service},
            {"container": service, "pod": pod, "namespace": namespace},
        )
    named = {"alertname": sketch.name, "severity": sketch.severity}
    return Alert(sketch.name, service, sketch.severity, sketch.summary, described, since, named | labels, sketch.value)


def lasting(draw: Draw, count: int, onset: datetime) -> list[Alert]:
    """Alerts that have nothing to do with it."""
    return [
        Alert(
            name,
            "",
            severity,
            summary,
            text.replace("{v}", str(value)),
            onset - timedelta(hours=draw.randint(9, 900)),
            {"alertname": name, "severity": severity, "team": draw.pick("infra", "platform")},
            value,
        )
        for name, severity, summary, text, value in draw.sample(LASTING, count)
    ]


def alert_file(draw: Draw, alerts: list[Alert], now: datetime, linked: str) -> str:
    """In the form of Prometheus' `/api/v1/alerts` or of Alertmanager's `/api/v2/alerts`. `linked`: the alert that names
    the address of its document."""
    listed = draw.sample(alerts, len(alerts))
    if draw.chance(0.55):
        rows = [_of_prometheus(one, linked) for one in listed]
        return json.dumps({"status": "success", "data": {"alerts": rows}}, indent=2, ensure_ascii=False)
    return json.dumps([_of_alertmanager(draw, one, now, linked) for one in listed], indent=2, ensure_ascii=False)


def _stamp(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _annotations(alert: Alert, linked: str) -> dict[str, str]:
    told = {"summary": alert.summary, "description": alert.description}
    return told | ({"runbook_url": f"https://wiki.example.net/runbooks/{alert.name}"} if alert.name == linked else {})


def _of_prometheus(alert: Alert, linked: str) -> dict[str, object]:
    return {
        "labels": dict(alert.labels),
        "annotations": _annotations(alert, linked),
        "state": "firing",
        "activeAt": _stamp(alert.since),
        "value": f"{alert.value:e}",
    }


def _of_alertmanager(draw: Draw, alert: Alert, now: datetime, linked: str) -> dict[str, object]:
    return {
        "annotations": _annotations(alert, linked),
        "endsAt": _stamp(now + timedelta(minutes=4)),
        "fingerprint": draw.hex(16),
        "receivers": [{"name": "oncall"}],
        "startsAt": _stamp(alert.since),
        "status": {"inhibitedBy": [], "silencedBy": [], "state": "active"},
        "updatedAt": _stamp(now - timedelta(seconds=30)),
        "generatorURL": "http://prometheus:9090/graph",
        "labels": dict(alert.labels),
    }
