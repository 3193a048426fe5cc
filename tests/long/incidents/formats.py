"""The ways in which lines are written: text with levels, JSON, logfmt, and the forms of well-known servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from tests.long.incidents.draw import Draw


@dataclass(frozen=True, slots=True)
class Line:
    """What is to be written: `time` in the zone of the incident. `origin` draws what is the same for all lines of
    one place in the code: its class, its file, its line."""

    time: datetime
    level: str
    message: str
    service: str
    host: str
    origin: Draw


Render = Callable[[Line, Draw], str]

SHORT = {"DEBUG": "D", "INFO": "I", "WARN": "W", "ERROR": "E", "FATAL": "F"}
PINO = {"DEBUG": 20, "INFO": 30, "WARN": 40, "ERROR": 50, "FATAL": 60}
PYTHON = {"WARN": "WARNING", "FATAL": "CRITICAL"}
LOGGERS = ("kafka.server.ReplicaManager", "kafka.cluster.Partition", "kafka.log.LogManager")
MODULES = ("client", "handler", "worker", "store", "http", "scheduler", "gateway", "repo")


def zulu(time: datetime, digits: int = 3) -> str:
    at = time.astimezone(UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond:06d}"[: 20 + digits] + "Z"


def offset(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")


def local(time: datetime, mark: str = ",") -> str:
    """Without a zone, as most frameworks write by default."""
    return f"{time:%Y-%m-%d %H:%M:%S}{mark}{time.microsecond // 1000:03d}"


def _class(line: Line) -> str:
    word = "".join(one.title() for one in line.service.replace("_", "-").split("-"))
    return f"{word}{line.origin.pick('Client', 'Controller', 'Service', 'Repository')}"


def spring(line: Line, draw: Draw) -> str:
    thread = f"nio-8080-exec-{draw.randint(1, 12)}"
    name = f"c.example.{line.service.lower().replace('-', '.').replace('_', '.')}.{_class(line)}"
    return f"{offset(line.time)} {line.level:>5} 1 --- [{line.service}] [{thread:>15}] {name:<40} : {line.message}"


def log4j(line: Line, draw: Draw) -> str:
    return (
        f"{local(line.time)} {line.level:<5} [exec-{draw.randint(1, 30)}] com.example.{_class(line)} - {line.message}"
    )


def bracket(line: Line, _: Draw) -> str:
    return f"[{zulu(line.time)}] [{line.level}] {line.message}"


def python(line: Line, _: Draw) -> str:
    name = f"{line.service.lower().replace('-', '_')}.{line.origin.of(MODULES)}"
    return f"{local(line.time)} - {name} - {PYTHON.get(line.level, line.level)} - {line.message}"


def tracing(line: Line, _: Draw) -> str:
    level = "ERROR" if line.level == "FATAL" else line.level
    target = f"{line.service.lower().replace('-', '_')}::{line.origin.of(MODULES)}"
    return f"{zulu(line.time, 6)} {level:>5} {target}: {line.message}"


def klog(line: Line, _: Draw) -> str:
    at = line.time
    stamp = f"{SHORT[line.level]}{at:%m%d %H:%M:%S}.{at.microsecond:06d}"
    return f"{stamp}       1 {line.origin.of(MODULES)}.go:{line.origin.randint(30, 900)}] {line.message}"


def logfmt(line: Line, _: Draw) -> str:
    quoted = json.dumps(line.message, ensure_ascii=False)
    level = line.level.lower()
    return f"time={zulu(line.time)} level={level} component={line.origin.of(MODULES)} msg={quoted}"


def zap(line: Line, _: Draw) -> str:
    row = {
        "level": line.level.lower(),
        "ts": zulu(line.time),
        "caller": f"{line.origin.of(MODULES)}/{line.origin.of(MODULES)}.go:{line.origin.randint(20, 600)}",
        "msg": line.message,
    }
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def logstash(line: Line, draw: Draw) -> str:
    row = {
        "@timestamp": offset(line.time),
        "level": line.level,
        "service": line.service,
        "logger_name": f"com.example.{_class(line)}",
        "thread_name": f"http-{draw.randint(1, 40)}",
        "message": line.message,
    }
    return json.dumps(row, ensure_ascii=False)


def pino(line: Line, _: Draw) -> str:
    row = {
        "level": PINO[line.level],
        "time": int(line.time.timestamp() * 1000),
        "pid": len(line.service),
        "hostname": line.host,
        "msg": line.message,
    }
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def postgres(line: Line, draw: Draw) -> str:
    at = line.time.astimezone(UTC)
    level = {"INFO": "LOG", "WARN": "WARNING"}.get(line.level, line.level)
    who = f"app@{draw.pick('main', 'orders')} " if line.level in ("ERROR", "FATAL") else ""
    stamp = f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} UTC"
    return f"{stamp} [{draw.randint(90, 9_000)}] {who}{level}:  {line.message}"


def mysql(line: Line, draw: Draw) -> str:
    level = {"INFO": "Note", "WARN": "Warning"}.get(line.level, "ERROR")
    code = f"MY-{line.origin.randint(10_000, 13_999):06d}"
    return f"{zulu(line.time, 6)} {draw.randint(5, 900)} [{level}] [{code}] [Server] {line.message}"


def redis(line: Line, draw: Draw) -> str:
    at = line.time
    mark = "#" if line.level in ("WARN", "ERROR", "FATAL") else "*"
    return f"1:{draw.pick('M', 'S', 'M')} {at:%d %b %Y %H:%M:%S}.{at.microsecond // 1000:03d} {mark} {line.message}"


def kafka(line: Line, _: Draw) -> str:
    return f"[{local(line.time)}] {line.level} {line.message} ({line.origin.of(LOGGERS)})"


def rabbit(line: Line, draw: Draw) -> str:
    level = {"WARN": "warning", "FATAL": "critical"}.get(line.level, line.level.lower())
    stamp = line.time.isoformat(sep=" ", timespec="microseconds")
    return f"{stamp} [{level}] <0.{draw.randint(200, 9_000)}.0> {line.message}"


def syslog(line: Line, _: Draw) -> str:
    """Of a host: the program is the part of the message before its colon."""
    program, _, text = line.message.partition(": ")
    pid = "" if program == "kernel" else f"[{line.origin.randint(400, 30_000)}]"
    return f"{line.time:%b} {line.time.day:>2} {line.time:%H:%M:%S} {line.host} {program}{pid}: {text}"


def iso_syslog(line: Line, _: Draw) -> str:
    program, _, text = line.message.partition(": ")
    pid = "" if program == "kernel" else f"[{line.origin.randint(400, 30_000)}]"
    return f"{line.time.isoformat(timespec='microseconds')} {line.host} {program}{pid}: {text}"


def nginx(line: Line, draw: Draw) -> str:
    """An access line where the message is a request, else one of the error log."""
    if line.message.startswith(("GET ", "POST ", "PUT ")):
        request, _, rest = line.message.partition(" -> ")
        status, _, seconds = rest.partition(" in ")
        stamp = f"{line.time:%d/%b/%Y:%H:%M:%S %z}"
        sent = f'"{request} HTTP/1.1" {status} {draw.randint(90, 9_000)} "-" "okhttp/4.12" {seconds}'
        return f"{draw.ip()} - - [{stamp}] {sent}"
    level = {"INFO": "notice", "FATAL": "crit"}.get(line.level, line.level.lower())
    client = f", client: {draw.ip()}, server: _" if line.level == "ERROR" else ""
    return f"{line.time:%Y/%m/%d %H:%M:%S} [{level}] 31#31: *{draw.randint(100, 99_999)} {line.message}{client}"


def kube(line: Line, _: Draw) -> str:
    """As an exporter of events writes them: the message is `reason object: text`."""
    head, _, text = line.message.partition(": ")
    reason, _, thing = head.partition(" ")
    row = {
        "metadata": {"namespace": line.host},
        "reason": reason,
        "type": "Normal" if line.level == "INFO" else "Warning",
        "lastTimestamp": zulu(line.time, 0).replace(".", ""),
        "involvedObject": {"kind": thing.split("/")[0].title(), "name": thing.partition("/")[2]},
        "message": text,
    }
    return json.dumps(row, ensure_ascii=False)


APPS: dict[str, Render] = {
    "spring": spring,
    "log4j": log4j,
    "bracket": bracket,
    "python": python,
    "tracing": tracing,
    "klog": klog,
    "logfmt": logfmt,
    "zap": zap,
    "logstash": logstash,
    "pino": pino,
}
SERVERS: dict[str, tuple[Render, ...]] = {
    "postgres": (postgres,),
    "mysql": (mysql,),
    "redis": (redis,),
    "kafka": (kafka,),
    "rabbit": (rabbit,),
    "node": (syslog, iso_syslog),
    "edge": (nginx,),
    "kube": (kube,),
}
