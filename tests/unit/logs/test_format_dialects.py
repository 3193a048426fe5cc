"""Structured entries of every dialect: which field is the time, the level, the service and the message."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain.evidence.search import Entry
from domain.language.levels import Level
from infra.log_reading.formats import Context, read_entries

NOW = datetime(2024, 5, 2, tzinfo=UTC)
AT = "2024-05-01T10:05:00"


def entries(*lines: str) -> list[Entry]:
    return list(read_entries(iter([(line, True) for line in lines]), Context(NOW, UTC, False, NOW, "a.json")))


def entry(line: str) -> Entry:
    (found,) = entries(line)
    return found


def time(found: Entry) -> str:
    return found.stamp.at.isoformat()[:19] if found.stamp else ""


@pytest.mark.parametrize(
    ("line", "names", "message"),
    [
        # zap, slog, zerolog, logrus, winston, structlog, logback's encoder, Python
        ('{"ts":1714557900.123456,"level":"error","caller":"a.go:12","msg":"db down"}', (), "db down caller=a.go:12"),
        ('{"level":"error","ts":"2024-05-01T10:05:00.123Z","caller":"etcdserver/a.go:12","msg":"db down"}', (),
         "db down caller=etcdserver/a.go:12"),
        ('{"time":"2024-05-01T10:05:00.123456789Z","level":"ERROR","msg":"db down","service":"order"}', ("order",),
         "db down"),
        ('{"level":"error","time":"2024-05-01T18:05:00+08:00","message":"db down"}', (), "db down"),
        ('{"level":"error","message":"db down","timestamp":"2024-05-01T10:05:00.123Z","service":"order"}', ("order",),
         "db down"),
        ('{"event":"db down","level":"error","timestamp":"2024-05-01T10:05:00.123456Z"}', (), "db down"),
        ('{"@timestamp":"2024-05-01T18:05:00.123+08:00","@version":"1","message":"db down","level":"ERROR",'
         '"level_value":40000,"app":"order"}', ("order",), "db down @version=1 level_value=40000"),
        ('{"asctime":"2024-05-01 10:05:00,123","levelname":"ERROR","name":"a.b","message":"db down"}', (),
         "db down name=a.b"),
        # pino, bunyan
        ('{"level":50,"time":1714557900123,"pid":12,"hostname":"web1","msg":"db down"}', (),
         "db down pid=12 hostname=web1"),
        ('{"name":"order","hostname":"web1","pid":12,"level":50,"msg":"db down",'
         '"time":"2024-05-01T10:05:00.123Z","v":0}',
         ("order",), "db down hostname=web1 pid=12 v=0"),
        ('{"level":50,"time":1714557900000,"msg":"db down"}', (), "db down"),
        # Serilog, .NET
        ('{"@t":"2024-05-01T10:05:00.1234567Z","@mt":"Order {OrderId} failed","@l":"Error","OrderId":17}', (),
         "Order {OrderId} failed OrderId=17"),
        ('{"Timestamp":"2024-05-01T10:05:00.1234567+00:00","Level":"Error","MessageTemplate":"db down",'
         '"Properties":{"Application":"order"}}', ("order",), "db down"),
        ('{"Timestamp":"2024-05-01T10:05:00.123Z ","EventId":0,"LogLevel":"Error","Category":"Shop",'
         '"Message":"db down"}',
         (), "db down EventId=0 Category=Shop"),
        # ECS flat and nested, GELF, journal, OpenTelemetry, hclog
        ('{"@timestamp":"2024-05-01T10:05:00.123Z","log.level":"error","message":"db down","ecs.version":"1.6.0",'
         '"service.name":"order"}', ("order",), "db down ecs.version=1.6.0"),
        ('{"@timestamp":"2024-05-01T10:05:00.123Z","log":{"level":"error"},"message":"db down",'
         '"service":{"name":"order"}}',
         ("order",), "db down"),
        ('{"version":"1.1","host":"web1","short_message":"db down","timestamp":1714557900.123,'
         '"level":3,"_service":"order"}',
         ("order",), "db down version=1.1 host=web1"),
        ('{"__REALTIME_TIMESTAMP":"1714557900123456","PRIORITY":"3","_SYSTEMD_UNIT":"order.service",'
         '"MESSAGE":"db down"}',
         ("order.service",), "db down"),
        ('{"__REALTIME_TIMESTAMP":"1714557900123456","PRIORITY":"3",'
         '"MESSAGE":[100,98,32,100,111,119,110]}', (), "db down"),
        ('{"severityText":"ERROR","timestamp":"2024-05-01T10:05:00Z","body":"db down"}', (), "db down"),
        ('{"Timestamp":"2024-05-01T10:05:00.123Z","SeverityText":"ERROR","Body":"db down","Resource":'
         '{"service.name":"order"}}', ("order",), "db down"),
        ('{"@level":"error","@message":"db down","@module":"agent","@timestamp":"2024-05-01T10:05:00.123456Z"}', (),
         "db down @module=agent"),
        # clouds
        ('{"timestamp":"2024-05-01T10:05:00Z","severity":"ERROR","jsonPayload":{"message":"db down"},"resource":'
         '{"labels":{"container_name":"order"}}}', ("order",), "db down"),
        ('{"timestamp":"2024-05-01T10:05:00.1Z","severity":"DEFAULT","textPayload":"ERROR db down","resource":'
         '{"labels":{"container_name":"order"}}}', ("order",), "db down"),
        ('{"timestamp":1714557900123,"message":"ERROR db down","ingestionTime":1714557901000}', (),
         "db down ingestionTime=1714557901000"),
        # databases
        ('{"t":{"$date":"2024-05-01T10:05:00.123+00:00"},"s":"E","c":"STORAGE","ctx":"main","msg":"db down"}', (),
         "db down c=STORAGE ctx=main"),
        ('{"timestamp":"2024-05-01 10:05:00.123 UTC","pid":1,"error_severity":"ERROR","message":"db down"}', (),
         "db down pid=1"),
        ('{"prio":1,"err_code":10119,"subsystem":"Server","msg":"db down",'
         '"time":"2024-05-01T10:05:00.1Z","label":"Error"}',
         (), "db down prio=1 err_code=10119 subsystem=Server"),
        ('{"instant":{"epochSecond":1714557900,"nanoOfSecond":123000000},"level":"ERROR","message":"db down"}', (),
         "db down"),
        ('{"type":"server","timestamp":"2024-05-01T10:05:00,123Z","level":"ERROR",'
         '"component":"o.e.b","message":"db down"}',
         (), "db down type=server component=o.e.b"),
        # collectors
        (r'{"log":"E0501 10:05:00.123456       1 a.go:138] db down\n","stream":"stderr",'
         r'"time":"2024-05-01T10:05:00.1Z",'
         '"kubernetes":{"container_name":"order"}}', ("order",), "a.go db down thread=1 line=138 stream=stderr"),
        ('{"date":1714557900.123,"log":"ERROR db down",'
         '"kubernetes":{"container_name":"order"}}', ("order",), "db down"),
        # logfmt
        ('time="2024-05-01T10:05:00Z" level=error msg="db down" service=order', ("order",), "db down"),
        ("ts=2024-05-01T10:05:00.123Z caller=main.go:12 level=error msg=down", (), "down caller=main.go:12"),
        ("level=error ts=2024-05-01T10:05:00.123Z msg=down left over", (), "down left over"),
    ],
)  # fmt: skip
def test_an_error_of_every_dialect_is_understood(line: str, names: tuple[str, ...], message: str) -> None:
    """R18, R68: time, level, service and text; fields without a role stay in the message."""
    found = entry(line)
    header = found.header
    assert (time(found), header.level, header.names, header.message) == (AT, Level.ERROR, names, message)
    assert found.text == line


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ('{"@t":"2024-05-01T10:05:00Z","@mt":"started"}', Level.INFO),  # by definition of CLEF
        ('{"level":3,"message":"x","timestamp":"2024-05-01T10:05:00Z"}', None),  # of which scale?
        ('{"level":"Metadata","auditID":"x","stage":"s","verb":"get",'
         '"requestReceivedTimestamp":"2024-05-01T10:05:00Z"}',
         None),
        ('{"time":"2024-05-01T10:05:00Z","level":"high","msg":"x"}', None),
        ('{"severityNumber":9,"timeUnixNano":"1714557900000000000","body":"x"}', Level.INFO),
        ('{"__REALTIME_TIMESTAMP":"1714557900123456","PRIORITY":"6","_TRANSPORT":"stdout","MESSAGE":"x"}', None),
        ('{"__REALTIME_TIMESTAMP":"1714557900123456","PRIORITY":"6","_TRANSPORT":"syslog","MESSAGE":"x"}', Level.INFO),
        ('{"level":"panic","ts":"2024-05-01T10:05:00Z","msg":"nil map"}', Level.FATAL),
        ('{"levelno":40,"created":1714557900.5,"message":"x"}', Level.ERROR),
    ],
)  # fmt: skip
def test_a_level_is_understood_by_the_scale_of_its_dialect_or_not_at_all(line: str, level: Level | None) -> None:
    """R68: only what is known excludes."""
    found = entry(line)
    assert (time(found), found.header.level) == (AT, level)


@pytest.mark.parametrize(
    ("fields", "others"),
    [
        ('"level":"info","severity":"ERROR"', (Level.ERROR,)),
        ('"level":"info","Level":"error"', (Level.ERROR,)),
        ('"level" : "info", "severity" : "ERROR"', (Level.ERROR,)),
        ('"level":"info","severity":"INFO"', ()),
        (r'"level":"info","msg":"{\"level\":\"error\",\"msg\":\"db down\"}"', (Level.ERROR,)),
        (r'"level" : "info","msg":"{\"level\":\"error\",\"msg\":\"db down\"}"', (Level.ERROR,)),
    ],
)
def test_levels_that_contradict_each_other_are_told(fields: str, others: tuple[Level, ...]) -> None:
    """R68: what sent an entry on gives a level of its own; only a level that is known excludes."""
    header = entry(f'{{"time":"2024-05-01T10:05:00Z",{fields}}}').header
    assert (header.level, header.other_levels) == (Level.INFO, others)


@pytest.mark.parametrize(
    "line",
    [
        '{"time":"2024-05-01T10:05:00+00:00","status":"500","request":"GET / HTTP/1.1","remote_addr":"10.0.0.1"}',
        '{"start_time":"2024-05-01T10:05:00.123Z","response_code":503,"method":"GET","path":"/orders"}',
        '{"eventVersion":"1","eventTime":"2024-05-01T10:05:00Z","eventSource":"s3.amazonaws.com","eventName":"Put"}',
    ],
)
def test_an_access_log_in_json_has_no_levels(line: str) -> None:
    """R68: a format that gives none by definition excludes."""
    found = entry(line)
    assert (time(found), found.has_levels, found.header.level) == (AT, False, None)


def test_numbers_keep_their_text() -> None:
    """R68: no integer, decimal or exponent is rewritten; quotes and colours are what they mean."""
    line = (
        r'{"time":"2024-05-01T10:05:00Z","msg":"said \"no\" \u001b[31mred\u001b[0m",'
        '"id":123456789012345678901234,"v":1.10,"e":1e3}'
    )
    assert entry(line).header.message == 'said "no" red id=123456789012345678901234 v=1.10 e=1e3'


@pytest.mark.parametrize("depth", [300, 900, 1_023, 5_000])
def test_an_object_that_is_nested_deeply_is_an_entry(depth: int) -> None:
    """Bad input: neither lost nor the end of the reading."""
    line = '{"msg":"db down","a":' + '{"a":' * depth + "1" + "}" * depth + "}"
    assert "db down" in entry(line).header.message


def test_a_repeated_key_is_said_and_keeps_its_values() -> None:
    """R68: a record that gives one field twice is a doubt, and no level of it is believed."""
    found = entry('{"time":"2024-05-01T10:05:00Z","level":"ERROR","msg":"deadlock","msg":"ok"}')
    assert (found.header.repeated_keys, found.header.message) == (("msg",), "deadlock msg=ok")
    found = entry('{"time":"2024-05-01T10:05:00Z","level":"ERROR","level":"INFO","msg":"x"}')
    assert (found.header.level, found.header.repeated_keys) == (None, ("level",))
    assert found.header.message == "x level=ERROR level=INFO"
    found = entry('{"time":"2024-05-01T10:05:00Z","time":"2024-05-01T09:05:00Z","msg":"x"}')
    assert (found.stamp, found.header.repeated_keys) == (None, ("time",))


@pytest.mark.parametrize("line", ['{"a":1', "{}x", '{"a" 1}', "{'a': 1}", "{", '{"a":' * 5000])
def test_a_line_that_begins_like_an_object_and_is_none_is_text(line: str) -> None:
    """R68: nothing is lost, and no level is made up."""
    found = entry(line)
    assert (found.stamp, found.text, found.header.level) == (None, line, None)


@pytest.mark.parametrize(
    "value", ['"12ms"', "12", "0.5", "true", "null", '"tomorrow"', "-1714557900", '"2024"', "1e30", "[]"]
)
def test_a_field_named_time_that_holds_no_time_dates_nothing(value: str) -> None:
    """R68: never a guess."""
    assert entry(f'{{"time":{value},"msg":"x"}}').stamp is None


@pytest.mark.parametrize(
    "number", ["1714557900", "1714557900000", "1714557900000000", "1714557900000000000", '"1714557900"', "1714557900.0"]
)
def test_seconds_to_nanoseconds_since_1970_are_told_apart_by_their_size(number: str) -> None:
    """R9: epochs, as numbers or text."""
    assert time(entry(f'{{"ts":{number},"msg":"x"}}')) == AT


def test_a_batch_on_one_line_is_its_entries() -> None:
    """R18: OpenTelemetry and CloudWatch put many entries on a line; what is said of all counts for each."""
    line = (
        '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name",'
        '"value":{"stringValue":"order"}}]},"scopeLogs":'
        '[{"logRecords":[{"timeUnixNano":"1714557900000000000","severityNumber":17,"body":{"stringValue":"db down"}},'
        '{"timeUnixNano":"1714557901000000000","severityText":"INFO","body":{"stringValue":"b"},'
        '"attributes":[{"key":"k","value":{"intValue":"7"}}]}]}]}]}'
    )
    first, second = entries(line)
    assert (time(first), first.header.level, first.header.names) == (AT, Level.ERROR, ("order",))
    assert (first.header.message, second.header.message) == ("db down", "b attributes.k=7")
    line = (
        '{"messageType":"DATA_MESSAGE","logGroup":"/ecs/order","logStream":"a","logEvents":['
        '{"id":"1","timestamp":1714557900123,"message":"ERROR db down"},{"id":"2",'
        '"timestamp":1714557900456,"message":"ok"}]}'
    )
    first, second = entries(line)
    assert (time(first), first.header.level, second.header.level) == (AT, Level.ERROR, None)
    assert "logGroup=/ecs/order" in second.header.message


def test_an_ordinary_field_named_as_a_batch_is_none() -> None:
    """R18: an entry with a list in it is one entry."""
    line = '{"time":"2024-05-01T10:05:00Z","level":"ERROR","msg":"x","events":[{"a":1}]}'
    assert entry(line).header.message == 'x events=[{"a":1}]'


def test_objects_on_several_lines_are_read_as_one() -> None:
    """R18: `journalctl -o json-pretty`, and lists as cloud tools print them."""
    found = entries(
        "[",
        "  {",
        '    "timestamp": "2024-05-01T10:05:00Z",',
        '    "severity": "ERROR",',
        '    "jsonPayload": {',
        '      "message": "db down"',
        "    }",
        "  },",
        "  {",
        '    "timestamp": "2024-05-01T10:06:00Z",',
        '    "severity": "INFO",',
        '    "textPayload": "ok"',
        "  }",
        "]",
    )
    assert [(one.line, time(one), one.header.level) for one in found] == [
        (1, "", None),
        (2, AT, Level.ERROR),
        (9, "2024-05-01T10:06:00", Level.INFO),
    ]
    assert found[1].header.message == "db down"


def test_the_export_of_the_journal_is_read() -> None:
    """R18: a field a line, a blank line between entries; a message left out makes an entry that is not whole."""
    found = entries(
        "__CURSOR=s=1", "__REALTIME_TIMESTAMP=1714557900123456", "PRIORITY=3", "SYSLOG_IDENTIFIER=order",
        "MESSAGE=db down",
        "",
        "__CURSOR=s=2", "__REALTIME_TIMESTAMP=1714557901123456", "PRIORITY=6", "SYSLOG_IDENTIFIER=order", "MESSAGE=ok",
    )  # fmt: skip
    assert [(time(one), one.header.level, one.header.names) for one in found] == [
        (AT, Level.ERROR, ("order",)),
        ("2024-05-01T10:05:01", Level.INFO, ("order",)),
    ]
    assert not entry('{"__REALTIME_TIMESTAMP":"1714557900123456","PRIORITY":"3","MESSAGE":null}').is_whole


def test_formats_over_several_lines_are_one_entry_each() -> None:
    """R18: java.util.logging, RabbitMQ, PostgreSQL's parts and csvlog, MySQL's slow queries."""
    found = entries(
        "May 01, 2024 10:05:00 AM com.example.Foo run",
        "SEVERE: db down",
        "=ERROR REPORT==== 1-May-2024::10:05:00 ===",
        "** Generic server <0.1.0> terminating",
        "",
        "** Reason: noproc",
        "=INFO REPORT==== 1-May-2024::10:06:00 ===",
        "closing",
    )
    assert [(one.line, one.header.level) for one in found] == [(1, Level.ERROR), (3, Level.ERROR), (7, Level.INFO)]
    found = entries(
        '2024-05-01T10:05:00.000Z\tERROR\tpkg/a.go:12\tit failed\t{"error": "x y"}',
        "example.org/order/pkg.(*Store).Save",
        "\t/app/pkg/store.go:12",
        "main.main",
        "\t/app/main.go:12",
        "2024-05-01T10:05:01.000Z\tINFO\tsetup\tstarting manager",
    )
    assert [(one.line, one.header.level) for one in found] == [(1, Level.ERROR), (6, Level.INFO)]
    assert found[1].header.message == "setup starting manager"
    found = entries(
        "2024-05-01 10:05:00.123 UTC [1234] app@orders ERROR:  deadlock detected",
        "2024-05-01 10:05:00.123 UTC [1234] app@orders DETAIL:  Process 1 waits",
        "\tProcess 2 waits",
        "2024-05-01 10:05:00.123 UTC [1234] app@orders STATEMENT:  SELECT 1",
        "2024-05-01 10:05:01.123 UTC [1234] LOG:  ready",
    )
    assert [(one.line, one.header.level) for one in found] == [(1, Level.ERROR), (5, Level.INFO)]
    found = entries(
        "# Time: 2024-05-01T10:05:00.123456Z",
        "# User@Host: app[app] @  [10.0.0.1]  Id: 7",
        "# Query_time: 3.2",
        "SELECT *",
        "FROM orders;",
        "# Time: 2024-05-01T10:06:00.123456Z",
    )
    assert [one.line for one in found] == [1, 6]
