"""Formats whose columns have names: by a line before them, or by a label in front of each value."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.evidence.search import Condition, Entry, Place
from domain.evidence.window import Window
from domain.language.levels import Level
from infra.log_reading.formats import Context, EntryReader, read_entries
from infra.tools.log_words import read_query

NOW = datetime(2026, 3, 17, 6, 30, tzinfo=UTC)
EAST = timezone(timedelta(hours=8))
IIS = (
    "#Software: Microsoft Internet Information Services 10.0",
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status "
    "sc-substatus sc-win32-status time-taken",
)
EVENTS = '"Level","Date and Time","Source","Event ID","Task Category","Message"'


def reader(lines: Sequence[str]) -> EntryReader:
    """Of a file whose stamps are of China by the setting."""
    return read_entries(iter([(line, True) for line in lines]), Context(NOW, EAST, True, NOW, "a.log"))


def entries(*lines: str) -> list[Entry]:
    return list(reader(lines))


def time(entry: Entry) -> str:
    return f"{entry.stamp.at:%H:%M:%S} {'known' if entry.stamp.zone_known else 'assumed'}" if entry.stamp else ""


# ---------------------------------------------------------------- W3C extended


@pytest.mark.parametrize(
    ("fields", "line", "at"),
    [
        (IIS[1], "2026-03-17 06:21:56 10.9.0.4 GET /x - 443 - 10.9.8.2 Mozilla/5.0 507 0 0 12", "06:21:56 known"),
        (
            "#Fields: date time c-ip cs-uri-stem sc-status",
            "2026-03-17\t06:21:56\t10.0.0.1\t/a b\t507",
            "06:21:56 known",
        ),
        ("#Fields: date-time,client-ip,sc-status", "2026-03-17T06:21:56.000Z,10.0.0.1,507", "06:21:56 known"),
        ("#Fields: time c-ip sc-status", "06:21:56 10.0.0.1 507", ""),  # of which day, no column tells
    ],
)
def test_the_format_itself_lays_down_that_its_times_are_of_utc(fields: str, line: str, at: str) -> None:
    """R68: whatever zone is set for the source; each value is under its column's name."""
    found = entries(IIS[0], fields, line)[-1]

    assert time(found) == at
    assert "sc-status=507" in found.header.message
    assert found.has_levels is False


def test_without_a_line_that_names_the_columns_the_setting_counts() -> None:
    """R68: what looks like IIS may be written by anybody."""
    (found,) = entries("2026-03-17 14:21:56 10.9.0.4 GET /x - 443 - 10.9.8.2 Mozilla/5.0 507 0 0 12")
    assert found.stamp is not None
    assert found.stamp.at == datetime(2026, 3, 17, 6, 21, 56, tzinfo=UTC)


def test_columns_may_be_named_anew_within_a_file() -> None:
    """R18: IIS does so when it is started."""
    found = entries(*IIS, "#Fields: date time sc-status sc-bytes", "2026-03-17 06:00:00 507 200")
    assert found[-1].header.message == "sc-status=507 sc-bytes=200"


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("2026-03-17 06:21:56 10.9.0.4 GET /x - 443 - 10.9.8.2 Mozilla/5.0 507 0 0 12", True),
        ("2026-03-17 06:21:56 10.9.0.4 GET /x - 443 - 10.9.8.2 Mozilla/5.0 200 0 0 507", False),  # it took so long
        ("2026-03-17 06:21:56 10.9.0.4 GET /x - 443 - 10.9.8.2 Mozilla/5.0 200 0 507 12", False),
        ("2026-03-17 06:21:56 10.9.0.4 GET /x - 507 - 10.9.8.2 Mozilla/5.0 200 0 0 12", False),
    ],
)
def test_a_status_is_sought_in_the_column_of_that_name(line: str, status: bool) -> None:
    """R68: the line itself does not say what a number in it is."""
    *_, found = entries(*IIS, line)
    condition = Condition(Window(None, NOW), words=read_query('"HTTP 507"', "")[0])

    assert (condition.objection(found, Place()) is None) is status


# ---------------------------------------------------------------- tables


@pytest.mark.parametrize(
    ("headings", "row"),
    [
        (EVENTS, '"Error","2026-03-17 14:01:50","WAS","5002","None","could not load a file"'),
        ("Level,Date and Time,Source,Event ID,Task Category", "Error,17.03.2026 14:01:50,WAS,7,None,it is gone"),
        ("级别,日期和时间,来源,事件 ID,任务类别", '错误,2026/3/17 14:01:50,WAS,7,无,"加载失败"'),
        ("timestamp;level;service;message", "2026-03-17T06:01:50Z;ERROR;WAS;gone"),
        ("time\tseverity\tapp\ttext", "2026-03-17 14:01:50\terror\tWAS\tgone"),
        ('"@timestamp",log.level,service.name,message', '"2026-03-17T06:01:50.000Z",error,WAS,"gone, all of it"'),
    ],
)
def test_a_table_whose_first_row_names_a_time_is_dated_levelled_and_named(headings: str, row: str) -> None:
    """R18, R68: exports of Windows event logs, which name no column for the message, and of other tools."""
    heading, found = entries(headings, row)

    assert (time(found)[:8], found.header.level, found.header.names) == ("06:01:50", Level.ERROR, ("WAS",))
    assert (heading.stamp, heading.header.level, heading.header.names) == (None, None, ())


def test_a_cell_in_quotes_may_have_several_lines() -> None:
    """R18, R68: nothing of it is glued to another entry, also where a quote was never closed."""
    found = entries(
        EVENTS,
        '"Error","2026-03-17 14:01:50","WAS","7","None","Application: w3wp.exe',
        "2026-03-17 14:01:51 it said, and then",
        '   at x"',
        '"Information","2026-03-17 14:02:00","WAS","7","None","an open " quote',
        '"Error","2026-03-17 14:03:00","WAS","7","None","closed"',
    )
    assert [(one.line, time(one)[:8], one.header.level) for one in found[1:]] == [
        (2, "06:01:50", Level.ERROR),
        (5, "06:02:00", Level.INFO),
        (6, "06:03:00", Level.ERROR),
    ]
    assert "2026-03-17 14:01:51 it said" in found[1].header.message


@pytest.mark.parametrize(
    "lines",
    [
        ("Time, level, and source of the sync were checked", "2026-03-17T06:00:00Z ERROR sync failed"),
        ("name,price,stock", "2026-03-17T06:00:00Z ERROR sync failed"),
        ("time,level,message", "2026-03-17T06:00:00Z ERROR sync failed"),
        ("time,level,message", "2026-03-17T06:00:00Z ERROR sync failed, a, b, c, d"),
    ],
)
def test_what_is_no_row_of_a_table_is_read_as_ever(lines: tuple[str, str]) -> None:
    """R68: a sentence with commas names no columns, and a line of another format is no row."""
    found = entries(*lines)[-1]
    assert (time(found), found.header.level) == ("06:00:00 known", Level.ERROR)
    assert found.header.message.startswith("sync failed")


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("line", "at", "message"),
    [
        (
            "time:17/Mar/2026:14:21:56 +0800\thost:10.1.2.3\treq:GET /x HTTP/1.1\tstatus:507\tsize:429",
            "06:21:56 known",
            'host=10.1.2.3 req="GET /x HTTP/1.1" status=507 size=429',
        ),
        ("time:[17/Mar/2026:14:21:56 +0800]\tstatus:507\tua:-", "06:21:56 known", "status=507"),
        ("time:2026-03-17T14:21:56\tstatus:507", "06:21:56 known", "status=507"),  # the zone is set
        ("host:10.1.2.3\tstatus:507", "", "host=10.1.2.3 status=507"),
    ],
)
def test_labels_with_values_between_tabs_are_fields(line: str, at: str, message: str) -> None:
    """R18: LTSV."""
    (found,) = entries(line)
    assert (time(found), found.header.message, found.has_levels) == (at, message, False)


def test_a_level_and_a_name_may_stand_in_labels() -> None:
    """R18"""
    (found,) = entries("time:2026-03-17T06:00:00Z\tlevel:ERROR\tapp:order\tmessage:db down")
    assert (found.header.level, found.header.names, found.header.message) == (Level.ERROR, ("order",), "db down")
    assert found.has_levels is True


@pytest.mark.parametrize("line", ["note: a\tb", "host:a\tpath:b", "time:12\t(see below)", "at:\tnoon"])
def test_a_text_with_tabs_and_colons_is_text(line: str) -> None:
    """R68"""
    assert reader([line]).format_name in ("text", "LTSV")
    assert entries(line)[0].stamp is None
