"""Formats that write a record (mostly JSON) for an entry."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from tests.long.searches.case import Written
from tests.long.searches.layouts import Layout, compact, named
from tests.long.searches.levels import FIELD
from tests.long.searches.stamps import STRUCTURED

OWN = ("own",)
ISO = ("iso Z", "iso Z millis", "iso Z nanos", "iso offset")


def _time(w: Written) -> Any:
    """A stamp as it stands in a record: a number where it is one."""
    if w.stamp.isdigit():
        return int(w.stamp)
    return float(w.stamp) if w.stamp.replace(".", "", 1).isdigit() else w.stamp


def _plain(w: Written) -> str:
    fields = named({"timestamp": _time(w), "level": w.level}, "service", w)
    return compact(fields | {"message": w.message})


def _zap(w: Written) -> str:
    fields = {"level": w.level, "ts": _time(w), "caller": f"server/main.go:{w.number % 300}", "msg": w.message}
    return compact(named(fields, "service", w))


def _zerolog(w: Written) -> str:
    return compact(named({"level": w.level, "time": _time(w)}, "service", w) | {"message": w.message})


def _slog(w: Written) -> str:
    return compact(named({"time": _time(w), "level": w.level, "msg": w.message}, "service", w))


def _pino(w: Written) -> str:
    fields = {"level": int(w.level), "time": int(w.at.timestamp() * 1000), "pid": w.number, "hostname": "web1"}
    return compact(named(fields, "name", w) | {"msg": w.message})


def _bunyan(w: Written) -> str:
    fields = {"name": w.service, "hostname": "web1", "pid": w.number, "level": int(w.level), "msg": w.message}
    return compact(fields | {"time": w.stamp, "v": 0})


def _winston(w: Written) -> str:
    return compact(named({"level": w.level, "message": w.message, "timestamp": w.stamp}, "service", w))


def _clef(w: Written) -> str:
    fields = {"@t": w.stamp, "@mt": "{Text}", "@l": w.level, "Text": w.message, "@m": w.message}
    return compact(named(fields, "Application", w))


def _ecs_flat(w: Written) -> str:
    fields = {"@timestamp": w.stamp, "log.level": w.level, "message": w.message, "ecs.version": "1.6.0"}
    return compact(named(fields, "service.name", w))


def _ecs_nested(w: Written) -> str:
    fields = {"@timestamp": w.stamp, "log": {"level": w.level, "logger": "shop"}, "message": w.message}
    return compact(fields | ({"service": {"name": w.service}} if w.service else {}))


def _gelf(w: Written) -> str:
    fields = {
        "version": "1.1",
        "host": "web1",
        "short_message": w.message,
        "timestamp": _time(w),
        "level": int(w.level),
    }
    return compact(named(fields, "_service", w))


def _gcp(w: Written) -> str:
    severity = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")[w.rank]
    fields = {
        "insertId": f"i{w.number}",
        "timestamp": w.stamp,
        "severity": severity,
        "jsonPayload": {"message": w.message},
    }
    labels = {"container_name": w.service} if w.service else {"zone": "europe-west1"}
    return compact(fields | {"resource": {"type": "k8s_container", "labels": labels}})


def _otlp(w: Written) -> str:
    nanos = str((int(w.at.timestamp()) * 1_000_000 + w.at.microsecond) * 1000)
    record = {
        "timeUnixNano": nanos,
        "severityNumber": int(w.level),
        "severityText": ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")[w.rank],
        "body": {"stringValue": w.message},
    }
    names = [{"key": "service.name", "value": {"stringValue": w.service}}] if w.service else []
    return compact({"resourceLogs": [{"resource": {"attributes": names}, "scopeLogs": [{"logRecords": [record]}]}]})


def _journal(w: Written) -> str:
    micros = str(int(w.at.timestamp()) * 1_000_000 + w.at.microsecond)
    fields = {"__REALTIME_TIMESTAMP": micros, "PRIORITY": w.level, "_PID": str(w.number), "MESSAGE": w.message}
    return compact(fields | {"SYSLOG_IDENTIFIER": w.service, "_SYSTEMD_UNIT": f"{w.service}.service"})


def _mongodb(w: Written) -> str:
    date = w.at.astimezone(UTC).isoformat(timespec="milliseconds")
    fields = {"t": {"$date": date}, "s": w.level, "c": "NETWORK", "id": w.number, "ctx": f"conn{w.number % 50}"}
    return compact(fields | {"msg": w.message, "attr": {"n": 1}})


def _postgres_json(w: Written) -> str:
    word = ("DEBUG", "LOG", "WARNING", "ERROR", "FATAL")[w.rank]
    return compact(
        {
            "timestamp": w.stamp,
            "user": "shop",
            "dbname": "orders",
            "pid": w.number,
            "error_severity": word,
            "message": w.message,
        }
    )


RECORDS = (
    Layout("json", _plain, stamps=STRUCTURED, levels=FIELD, services=("field",)),
    Layout("zap", _zap, stamps=("epoch fraction", "iso Z millis"), levels=("lower", "panic"), services=("field",)),
    Layout("etcd", _zap, stamps=("iso Z millis",), levels=("panic", "lower")),
    Layout(
        "zerolog", _zerolog, stamps=("iso Z", "epoch", "epoch millis"), levels=("panic", "lower"), services=("field",)
    ),
    Layout("slog", _slog, stamps=("iso Z nanos", "iso offset"), levels=("upper",), services=("field",)),
    Layout("pino", _pino, stamps=("epoch millis",), levels=("pino number",), services=("field",)),
    Layout("bunyan", _bunyan, stamps=("iso Z millis",), levels=("pino number",), services=("field",), always=True),
    Layout("winston", _winston, stamps=("iso Z millis",), levels=("lower", "upper"), services=("field",)),
    Layout("serilog", _clef, stamps=("iso Z nanos", "iso offset"), levels=("title",), services=("field",)),
    Layout("ecs flat", _ecs_flat, stamps=("iso Z millis",), levels=("upper", "lower"), services=("field",)),
    Layout("ecs nested", _ecs_nested, stamps=("iso Z millis",), levels=("upper", "lower"), services=("field",)),
    Layout("gelf", _gelf, stamps=("epoch fraction", "epoch"), levels=("severity number",), services=("field",)),
    Layout("gcp", _gcp, stamps=("iso Z nanos",), levels=OWN, services=("field",)),
    Layout("otlp", _otlp, stamps=("epoch nanos",), levels=("otel number",), services=("field",)),
    Layout(
        "journal json",
        _journal,
        stamps=("epoch micros",),
        levels=("severity number",),
        services=("program",),
        always=True,
    ),
    Layout("mongodb", _mongodb, stamps=("iso Z millis",), levels=("letter",), names="mongodb"),
    Layout("postgres jsonlog", _postgres_json, stamps=("blank and UTC",), levels=OWN, names="postgres"),
    Layout(
        "cloudwatch events",
        lambda w: compact(
            {"timestamp": int(w.at.timestamp() * 1000), "message": f"{w.level} {w.message}", "logStreamName": "web1/5"}
        ),
        stamps=("epoch millis",),
        levels=("upper", "lower"),
    ),
)
