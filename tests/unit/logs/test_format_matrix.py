"""Stamps, spellings of levels and layouts in all their combinations, and every wrapping around every format.

What is not understood is no stamp and no level; what is understood is always right (R68).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from domain.evidence.search import Entry
from domain.language.levels import Level
from infra.log_reading.formats import Context, read_entries

AT = datetime(2024, 5, 21, 10, 5, 7, tzinfo=UTC)
NOW = datetime(2024, 5, 22, tzinfo=UTC)

STAMPS = (
    *(
        "2024-05-21T10:05:07.123Z",
        "2024-05-21T18:05:07.123+08:00",
        "2024-05-21 10:05:07,123",
        "2024-05-21 10:05:07.123",
    ),
    *("2024-05-21 10:05:07.123 +0000", "2024-05-21 10:05:07.123 UTC", "2024/05/21 10:05:07.123"),
    *("2024.05.21 10:05:07",),
    *("20240521T100507.123Z", "21/05/2024 10:05:07.123", "05/21/2024 10:05:07.123 AM", "21.05.2024 10:05:07.123"),
    *("21-May-2024 10:05:07.123", "21 May 2024 10:05:07.123", "May 21, 2024 10:05:07.123 AM", "May 21 10:05:07.123"),
    *("Tue May 21 10:05:07.123 2024", "1716285907.123", "1716285907123", "21/May/2024:10:05:07 +0000"),
    *("Tue, 21 May 2024 10:05:07 GMT", "2024年05月21日 10:05:07.123", "2024-05-21T10:05:07.123456789Z"),
    *("2024-05-21 10:05:07.123 AM", "2024-05-21T18:05:07 UTC+8", "2024-05-21 上午 10:05:07"),
)
FRAMES = ("{}", "[{}]", "({})", '"{}"', "<{}>", "{}:", "{} -", "{} |", "{},")
LEVELS = {
    Level.ERROR: "ERROR error Error ERR E SEVERE [ERROR] [error] <error> (ERROR) ERROR: error: [E] 错误 level=error",
    Level.INFO: "INFO info Info INF [INFO] <info> info: [I] 信息 level=info",
    Level.WARN: "WARN WARNING warn [warning] WARN:",
    Level.FATAL: "FATAL PANIC fatal: [emerg]",
    Level.DEBUG: "DEBUG DBG [debug] debug:",
}
LAYOUTS = (
    *("{s} {l} {m}", "{s} {l}  {m}", "{s} {l} [main] {m}", "{s} [main] {l} {m}", "{s} {l} com.acme.Foo - {m}"),
    *("{s} 4711 {l} {m}", "{s} {l} [order-service] {m}", "{s} [order-service] {l} {m}", "{s} order-service {l} {m}"),
    *("{s} - {l} - {m}", "{s} | {l} | {m}", "{s} web1 order[12] {l} {m}", "{l} {s} {m}", "{s}\t{l}\t{m}"),
    *("{s} [req-1f] {l} {m}", "{s} order.handler {l} {m}"),
)


def entry(line: str) -> Entry:
    (found,) = read_entries([(line, True)], Context(NOW, UTC, False, NOW, "a.log"))
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("stamp", STAMPS)
def test_what_is_understood_of_a_line_is_right(stamp: str, layout: str) -> None:
    """R68: a level that excludes and a time that excludes are never made up, whatever the layout."""
    some = FRAMES[(STAMPS.index(stamp) + LAYOUTS.index(layout)) % 3 :: 3]
    spelled = [(level, word) for level, words in LEVELS.items() for word in words.split() for _ in some]
    frames = [frame for words in LEVELS.values() for _ in words.split() for frame in some]
    lines = [
        layout.format(s=frame.format(stamp), l=word, m="order 17 failed: timeout")
        for frame, (_, word) in zip(frames, spelled, strict=True)
    ]
    found = list(read_entries([(line, True) for line in lines], Context(NOW, UTC, False, NOW, "a.log")))
    assert [one.text for one in found] == lines
    for one, (level, _) in zip(found, spelled, strict=True):
        assert one.stamp is None or one.stamp.at.replace(microsecond=0) == AT, one.text
        assert one.header.level in (level, None), one.text
        assert one.header.level is not None or one.has_levels is not False, one.text
        assert one.header.names in ((), ("order-service",)), one.text
        assert "order 17 failed: timeout" in one.header.message, one.text
    is_number_in_text = stamp.startswith("17") and not layout.startswith("{s}")
    assert sum(one.stamp is not None for one in found) >= (0 if is_number_in_text else 0.3) * len(found)
    assert sum(one.header.level is not None for one in found) >= 0.8 * len(found)


INSIDE = {
    "iso": "2024-05-21T10:05:07.123Z ERROR db down",
    "log4j": "2024-05-21 10:05:07,123 ERROR [main] c.e.Foo - db down",
    "json": '{"time":"2024-05-21T10:05:07.123Z","level":"error","msg":"db down"}',
    "pino": '{"level":50,"time":1716285907123,"pid":1,"hostname":"h","msg":"db down"}',
    "logfmt": 'time=2024-05-21T10:05:07Z level=error msg="db down"',
    "klog": "E0521 10:05:07.123456       1 a.go:12] db down",
    "Spring": "2024-05-21 10:05:07.123 ERROR 1 --- [main] c.e.Foo : db down",
    "nginx": "2024/05/21 10:05:07 [error] 1#1: *1 db down",
    "PostgreSQL": "2024-05-21 10:05:07.123 UTC [1] app@orders ERROR:  db down",
    "MySQL": "2024-05-21T10:05:07.123456Z 0 [ERROR] [MY-1] [Server] db down",
    "coloured": "2024-05-21T10:05:07Z \x1b[1;31mERROR\x1b[0m db down",
    "zap": "2024-05-21T10:05:07.123Z\tERROR\tmain.go:12\tdb down",
    "Rails": "E, [2024-05-21T10:05:07.123456 #1] ERROR -- : db down",
    "Tomcat": "21-May-2024 10:05:07.123 SEVERE [main] x.Y db down",
    "Elasticsearch": "[2024-05-21T10:05:07,123][ERROR][o.e.b.Bootstrap] [node-1] db down",
    "MongoDB": '{"t":{"$date":"2024-05-21T10:05:07.123+00:00"},"s":"E","c":"X","id":1,"ctx":"m","msg":"db down"}',
    "Gunicorn": "[2024-05-21 10:05:07 +0000] [1] [ERROR] db down",
    "level alone": "ERROR db down",
    "level in brackets": "[ERROR] db down",
    "level in colour": "\x1b[31mERROR\x1b[0m db down",
    "time of day": "10:05:07.123 [main] ERROR c.e.Foo - db down",
    "Python": "ERROR:root:db down",
}
WITHOUT_DATE = ("level alone", "level in brackets", "level in colour", "time of day", "Python")


def _docker(line: str) -> str:
    fields = {"log": f"{line}\n", "stream": "stderr", "time": "2024-05-21T10:05:07.123456789Z"}
    return json.dumps(fields, separators=(",", ":"))


def _google(line: str) -> str:
    labels = {"container_name": "order"}
    return json.dumps({"textPayload": line, "timestamp": "2024-05-21T10:05:07.1Z", "resource": {"labels": labels}})


def _collected(line: str) -> str:
    return json.dumps({"@timestamp": "2024-05-21T10:05:07.1Z", "log": line, "kubernetes": {"container_name": "order"}})


def _journal(line: str) -> str:
    fields = {"__REALTIME_TIMESTAMP": "1716285907123456", "PRIORITY": "6", "_TRANSPORT": "stdout"}
    return json.dumps({**fields, "_SYSTEMD_UNIT": "order.service", "MESSAGE": line})


def _cloud_watch(line: str) -> str:
    return json.dumps({"timestamp": 1716285907123, "message": line, "ingestionTime": 1716285908000})


OUTSIDE: dict[str, tuple[Callable[[str], str], tuple[str, ...]]] = {
    "plain": ("{}".format, ()),
    "CRI": ("2024-05-21T10:05:07.123456789Z stderr F {}".format, ()),
    "Docker": (_docker, ()),
    "Compose 2": ("order-service-1  | {}".format, ("order-service-1",)),
    "Compose 1": ("order-service_1  | {}".format, ("order-service_1",)),
    "Compose in colour": ("\x1b[33morder-service-1  |\x1b[0m {}".format, ("order-service-1",)),
    "kubectl": ("[pod/order-7d9f8b6c5-abcde/app] {}".format, ("order-7d9f8b6c5-abcde", "app")),
    "with stamps": ("2024-05-21T10:05:07.123456789Z {}".format, ()),
    "syslog": ("May 21 10:05:07 web1 order[7]: {}".format, ("order",)),
    "syslog 5424": ("<14>1 2024-05-21T10:05:07.123Z web1 order 7 - - {}".format, ("order",)),
    "syslog with ISO stamps": ("2024-05-21T10:05:07.123456+00:00 web1 order[7]: {}".format, ("order",)),
    "Google Cloud": (_google, ("order",)),
    "CloudWatch": (_cloud_watch, ()),
    "a collector": (_collected, ("order",)),
    "the journal": (_journal, ("order.service",)),
}
WITHOUT_STAMP = ("plain", "Compose 2", "Compose 1", "Compose in colour", "kubectl")


@pytest.mark.parametrize("outside", OUTSIDE)
@pytest.mark.parametrize("inside", INSIDE)
def test_a_line_is_understood_inside_of_every_wrapping(inside: str, outside: str) -> None:
    """R18, R68: the level and the text of the program, the names and the time of what wrote its line down."""
    write, names = OUTSIDE[outside]
    found = entry(write(INSIDE[inside]))
    has_date = inside not in WITHOUT_DATE or outside not in WITHOUT_STAMP
    assert (found.stamp.at.replace(microsecond=0) if found.stamp else None) == (AT if has_date else None)
    assert (found.header.level, found.header.names) == (Level.ERROR, names)
    assert "db down" in found.header.message
