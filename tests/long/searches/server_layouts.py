"""Formats of servers and of the system, that write a line of text for an entry."""

from __future__ import annotations

from tests.long.searches.case import Written
from tests.long.searches.layouts import Layout
from tests.long.searches.text_layouts import quoted

UPPER = ("upper",)
OWN = ("own",)  # the format itself decides how a level is written


def _mysql(w: Written) -> str:
    word = ("Note", "Note", "Warning", "ERROR", "ERROR")[w.rank]
    return f"{w.stamp} {w.number} [{word}] [MY-{w.number:06d}] [Server] {w.message}"


def _redis(w: Written) -> str:
    return f"{w.number}:M {w.stamp} {'.*###'[w.rank]} {w.message}"


def _syslog(w: Written) -> str:
    return f"{w.stamp} web1 {w.service}[{w.number}]: {w.message}"


def _priority(w: Written) -> int:
    return 24 + (7, 6, 4, 3, 2)[w.rank]


def _rfc5424(w: Written) -> str:
    return f"<{_priority(w)}>1 {w.stamp} web1 {w.service} {w.number} ID{w.number % 90} - {w.message}"


def _journal_export(w: Written) -> str:
    micros = int(w.at.timestamp()) * 1_000_000 + w.at.microsecond
    fields = {
        "__CURSOR": f"s=abc;i={w.number:x}",
        "__REALTIME_TIMESTAMP": micros,
        "_BOOT_ID": "5f1c",
        "PRIORITY": (7, 6, 4, 3, 2)[w.rank],
        "SYSLOG_IDENTIFIER": w.service,
        "_SYSTEMD_UNIT": f"{w.service}.service",
        "MESSAGE": w.message,
    }
    return "\n".join(f"{key}={value}" for key, value in fields.items()) + "\n"


SERVERS = (
    Layout(
        "nginx error",
        lambda w: (
            f"{w.stamp} [{('debug', 'info', 'warn', 'error', 'crit')[w.rank]}] {w.number}#{w.number}: *5 {w.message}"
        ),
        stamps=("slashes",),
        levels=OWN,
        names="nginx",
    ),
    Layout(
        "apache error",
        lambda w: (
            f"[{w.stamp}] [core:{('debug', 'info', 'warn', 'error', 'crit')[w.rank]}] [pid {w.number}] {w.message}"
        ),
        stamps=("ctime micros",),
        levels=OWN,
    ),
    Layout(
        "envoy",
        lambda w: f"[{w.stamp}][1][{w.level}][upstream] [source/common/upstream/cluster.cc:1] {w.message}",
        stamps=("blank dot",),
        levels=("lower",),
    ),
    Layout(
        "postgres",
        lambda w: (
            f"{w.stamp} [{w.number}] shop@orders {('DEBUG', 'LOG', 'WARNING', 'ERROR', 'FATAL')[w.rank]}:  {w.message}"
        ),
        stamps=("blank and UTC",),
        levels=OWN,
        names="postgres",
    ),
    Layout(
        "postgres csvlog",
        lambda w: (
            f'{w.stamp},"shop","orders",{w.number},"10.0.0.4:5000",6650.1,1,"SELECT",{w.stamp},3/1,0,'
            f'{("DEBUG", "LOG", "WARNING", "ERROR", "FATAL")[w.rank]},00000,{quoted(w.message)},,,,,,,,,"psql"'
        ),
        stamps=("blank and UTC",),
        levels=OWN,
    ),
    Layout("mysql", _mysql, stamps=("iso Z micros",), levels=OWN, worst=3, names="mysql"),
    Layout("redis", _redis, stamps=("redis",), levels=OWN, worst=2, names="redis"),
    Layout(
        "kafka",
        lambda w: f"[{w.stamp}] {w.level} {w.message} (kafka.server.Log)",
        stamps=("blank comma",),
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "zookeeper",
        lambda w: f"{w.stamp} [myid:1] - {w.level:<5} [main:QuorumPeer@{w.number}] - {w.message}",
        stamps=("blank comma",),
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "hadoop",
        lambda w: f"{w.stamp} {w.level} org.apache.hadoop.ipc.Server: {w.message}",
        stamps=("blank comma",),
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "hdfs",
        lambda w: f"{w.stamp} {w.number} {w.level} dfs.DataNode: {w.message}",
        stamps=("six digits",),
        levels=UPPER,
    ),
    Layout(
        "spark",
        lambda w: f"{w.stamp} {w.level} Executor: {w.message}",
        stamps=("short year slashes",),
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "elasticsearch",
        lambda w: f"[{w.stamp}][{w.level:<5}][o.e.c.r.a.Allocation] [node-1] {w.message}",
        stamps=("iso comma",),
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "rabbitmq",
        lambda w: f"{w.stamp} [{w.level}] <0.{w.number}.0> {w.message}",
        stamps=("blank and micros with offset",),
        levels=("lower",),
    ),
    Layout("syslog", _syslog, stamps=("bsd",), levels=(), services=("program",), always=True),
    Layout(
        "syslog with ISO stamps",
        _syslog,
        stamps=("iso Z micros", "iso offset"),
        levels=(),
        services=("program",),
        always=True,
    ),
    Layout(
        "syslog with priority",
        lambda w: f"<{_priority(w)}>{_syslog(w)}",
        stamps=("bsd",),
        levels=("severity number",),
        services=("program",),
        always=True,
    ),
    Layout(
        "syslog RFC 5424",
        _rfc5424,
        stamps=("iso Z millis", "iso offset"),
        levels=("severity number",),
        services=("program",),
        always=True,
    ),
    Layout(
        "journal export",
        _journal_export,
        stamps=("epoch micros",),
        levels=("severity number",),
        services=("program",),
        always=True,
    ),
)
"""`hdfs` writes yymmdd."""
