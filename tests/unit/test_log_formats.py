"""How one line, or several, become a log entry: every format, every usual time stamp, and who is speaking."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from infra.tools.log_formats import ENTRY_CHARACTERS, Entry, FileOrigin, read_entries, read_line

NOW = datetime(2026, 7, 8, 11, 20, tzinfo=UTC)
AT = datetime(2026, 7, 8, 11, 17, tzinfo=UTC)
APP_LOG = FileOrigin("app", is_generic=True)


@pytest.fixture
def shanghai(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def entry(line: str, origin: FileOrigin = APP_LOG) -> Entry:
    found = read_line(line, origin, NOW)
    assert found is not None
    return found


def entries(*lines: str) -> list[Entry]:
    return list(read_entries([(line, False) for line in lines], APP_LOG, NOW))


def test_a_json_line_keeps_the_fields_without_a_role_in_its_message() -> None:
    """R18: nothing of an entry is lost on the way to its evidence ref."""
    line = '{"ts":"2026-07-08T11:17:00Z","level":"warning","service":"user-service","msg":"慢","path":"/a b","ms":42}'
    assert entry(line) == Entry(AT, "WARN", ("user-service",), '慢 path="/a b" ms=42')


def test_a_nested_json_line_of_the_elastic_schema_is_understood() -> None:
    """R18: `service.name` and `log.level` may be nested."""
    line = (
        '{"@timestamp":"2026-07-08T11:17:00.000Z","log":{"level":"error"},"service":{"name":"a-service"},"message":"x"}'
    )
    assert entry(line) == Entry(AT, "ERROR", ("a-service",), "x")


def test_a_logfmt_line_is_read_with_quotes_and_text_between_its_pairs() -> None:
    """R18: logfmt."""
    line = r'time=2026-07-08T11:17:00Z level=warn service=pay msg="said \"no\"" left over usage=92.0%'
    assert entry(line) == Entry(AT, "WARN", ("pay",), 'said "no" left over usage=92.0%')


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-07-08T11:17:00Z",
        "2026-07-08 11:17:00,000+00:00",
        "2026-07-08 11:17:00.000000000 +0000",
        "[2026-07-08 11:17:00 UTC]",
        "2026/07/08 11:17:00 Z",
        "[08/Jul/2026:11:17:00 +0000]",
        "2026-07-08T19:17:00+08:00",
    ],
)
def test_the_usual_time_stamps_of_plain_lines_are_understood(stamp: str) -> None:
    """R9: every time is brought to UTC."""
    assert entry(f"{stamp} [WARN] [order-service] 内存 91.0%") == Entry(AT, "WARN", ("order-service",), "内存 91.0%")


@pytest.mark.usefixtures("shanghai")
def test_a_time_stamp_without_zone_is_local_time() -> None:
    """R9: a program on this machine writes the time of this machine."""
    assert entry("2026-07-08 19:17:00 INFO started").time == AT


@pytest.mark.usefixtures("shanghai")
def test_a_syslog_line_lies_in_the_year_before_now() -> None:
    """R9: a format without a year is dated by the session's clock."""
    assert entry("Jul  8 19:17:00 host order-service[12]: out of memory") == Entry(
        AT, "", ("order-service",), "out of memory"
    )
    assert entry("Dec 31 08:00:00 host cron[1]: x").time == datetime(2025, 12, 31, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize("stamp", ["1783509420", "1783509420000", '"1783509420.0"'])
def test_seconds_and_milliseconds_since_1970_are_understood(stamp: str) -> None:
    """R9: epoch times of JSON lines."""
    assert entry(f'{{"time":{stamp},"msg":"x"}}').time == AT


@pytest.mark.parametrize(
    ("line", "level", "service", "message"),
    [
        ("2026-07-08T11:17:00Z WARN 12 --- [order-service] [nio-8080-exec-1] c.e.Foo : slow", "WARN", "order-service",
         "[nio-8080-exec-1] c.e.Foo : slow"),
        ("2026-07-08T11:17:00Z [http-exec-3] ERROR c.e.Foo - full", "ERROR", "app", "[http-exec-3] c.e.Foo - full"),
        ("2026-07-08T11:17:00Z - billing - ERROR - refused", "ERROR", "billing", "billing refused"),
        ("2026-07-08T11:17:00Z ERROR inventory-service: sync failed", "ERROR", "inventory-service",
         "inventory-service: sync failed"),
        ("[ERROR] 2026-07-08T11:17:00Z sync failed", "ERROR", "app", "sync failed"),
        ("2026-07-08T11:17:00Z Connection error: refused", "", "app", "Connection error: refused"),
        ("2026-07-08T11:17:00Z level=warn service=pay msg=low", "WARN", "pay", "low"),
    ],
)  # fmt: skip
def test_level_and_service_are_read_from_common_layouts(line: str, level: str, service: str, message: str) -> None:
    """R18: threads and classes are no services, and stay in the message."""
    found = entry(line)
    assert (found.level, found.services[0], found.message) == (level, service, message)


def test_a_service_named_by_its_file_is_not_replaced_by_one_it_writes_about() -> None:
    """R18: order-service complaining about inventory-service is no log of inventory-service."""
    line = "2026-07-08T11:17:00Z ERROR inventory-service did not answer"
    assert entry(line, FileOrigin("order-service")).services == ("order-service",)


def test_lines_without_a_time_stamp_continue_the_entry_before_them() -> None:
    """R18: a stack trace is one item with the error it belongs to."""
    found = entries(
        "2026-07-08T11:17:00Z [ERROR] [a-service] failed",
        "java.lang.IllegalStateException: x",
        "    at a.B(B.java:1)",
        "2026-07-08T11:18:00Z [INFO] [a-service] next",
    )
    assert [e.message for e in found] == ["failed\njava.lang.IllegalStateException: x\n    at a.B(B.java:1)", "next"]


@pytest.mark.parametrize(
    "line",
    ["11:17:05.123 [main] ERROR x", "[11:17][WARN][a] x", '{"msg": "half a', "2026-13-08 11:17:00 bad month", "x"],
)
def test_a_line_whose_time_is_not_understood_is_an_undated_entry_and_never_joins_another(line: str) -> None:
    """R9: what cannot be dated is not given the time of its neighbour."""
    assert entries("{}", line)[-1] == Entry(None, "", (), line)


def test_an_entry_is_cut_at_its_limit_and_says_so() -> None:
    """R20: a word may be missing from a cut entry without being absent."""
    (found,) = entries("2026-07-08T11:17:00Z start", *["x" * 1_000] * 20)
    assert len(found.message) <= ENTRY_CHARACTERS
    assert not found.is_readable


@pytest.mark.parametrize("unit", ["a", "a=", 'a="', "[", "a-", " ", '{"a":', "2026-07-08 ", "\\"])
def test_a_line_of_a_megabyte_is_read_in_linear_time(unit: str) -> None:
    """Bad input: no pattern backtracks; a quadratic one would not end before the test's time limit."""
    for head in ("", "2026-07-08T11:17:00Z ", 'time=2026-07-08T11:17:00Z msg="'):
        found = entries(head + unit * (1_000_000 // len(unit)))
        assert all(len(e.message) <= ENTRY_CHARACTERS for e in found)
