"""How the lines of an input become entries: where one begins, what belongs to it, and what stays open."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given, settings
from hypothesis.strategies import lists, sampled_from

from domain.evidence.search import Entry
from domain.language.levels import Level
from infra.log_reading.formats import Context, EntryReader, read_entries

NOW = datetime(2026, 7, 8, 11, 20, tzinfo=UTC)
EAST = timezone(timedelta(hours=8))


def reader(
    *lines: str, now: datetime = NOW, zone: tzinfo = UTC, zone_known: bool = False, changed: datetime | None = None
) -> EntryReader:
    return read_entries(iter([(line, True) for line in lines]), Context(now, zone, zone_known, changed or now, "a.log"))


def entries(*lines: str, now: datetime = NOW) -> list[Entry]:
    return list(reader(*lines, now=now))


def times(found: Iterable[Entry]) -> list[str]:
    return [one.stamp.at.isoformat() if one.stamp else "" for one in found]


def levels(found: Iterable[Entry]) -> list[Level | None]:
    return [one.header.level for one in found]


# ---------------------------------------------------------------- where an entry begins


def test_a_line_of_another_format_is_an_entry_of_its_own() -> None:
    """R68: klog, Tomcat, Redis and dates with dots are not glued to the ISO line before them."""
    found = entries(
        "2026-07-08T10:00:00Z INFO entrypoint: starting",
        "E0708 11:10:00.123456       1 reflector.go:138] deadlock detected",
        "08-Jul-2026 11:11:00.123 SEVERE [main] x.Y deadlock detected",
        "1:M 08 Jul 2026 11:12:00.123 # deadlock detected",
        "08.07.2026 11:13:00 ERROR deadlock detected",
    )
    assert times(found) == [
        "2026-07-08T10:00:00+00:00",
        "2026-07-08T11:10:00.123456+00:00",
        "2026-07-08T11:11:00.123000+00:00",
        "2026-07-08T11:12:00.123000+00:00",
        "2026-07-08T11:13:00+00:00",
    ]
    assert levels(found) == [Level.INFO, Level.ERROR, Level.ERROR, None, Level.ERROR]


@pytest.mark.parametrize(
    "line",
    ["2026-13-08 11:17:00 bad month", "07/08/2026 11:14:00 ERROR x", "11:17:05.123 [main] ERROR x", "20260708 x",
     "08/07/26 10:00 x", "9:15 x", "1783509420 users", "  2026-07-08 11:77 x", "\x1b[31mred", "Jul 40 x"],
)  # fmt: skip
def test_a_line_that_begins_like_a_stamp_that_is_not_understood_is_undated_and_alone(line: str) -> None:
    """R68: what cannot be dated is not given the time of its neighbour."""
    first, second = entries("2026-07-08T11:00:00Z INFO start", line)
    assert first.text == "2026-07-08T11:00:00Z INFO start"
    assert (second.stamp, second.text, second.line) == (None, line, 2)


def test_a_coloured_line_is_an_entry_with_its_stamp_and_keeps_its_text() -> None:
    """R68: escape sequences are taken off before the stamp is sought."""
    line = "\x1b[31m2026-07-08T11:10:00Z ERROR deadlock detected\x1b[0m"
    found = entries("2026-07-08T11:09:00Z INFO start", line)
    assert times(found)[1] == "2026-07-08T11:10:00+00:00"
    assert (found[1].text, found[1].header.level, found[1].header.message) == (line, Level.ERROR, "deadlock detected")


@pytest.mark.parametrize(
    "lines",
    [
        [
            "java.lang.IllegalStateException: x",
            "\tat a.B(B.java:1)",
            "Caused by: java.io.IOException: y",
            "\t... 3 more",
        ],
        ["Traceback (most recent call last):", '  File "a.py", line 1, in <module>', "ValueError: x"],
        ["", "  indented", "}", "----"],
        ["goroutine 1 [running]:", "main.main()", "\t/app/main.go:12 +0x1d", "exit status 2"],
    ],
)
def test_a_trace_belongs_to_the_entry_before_it(lines: list[str]) -> None:
    """R18: a stack trace is one item with the error that it explains."""
    first, last = entries("2026-07-08T11:00:00Z ERROR failed", *lines, "2026-07-08T11:01:00Z INFO next")
    assert first.text == "\n".join(["2026-07-08T11:00:00Z ERROR failed", *lines]).rstrip()
    assert last.line == len(lines) + 2


def test_an_exception_behind_an_entry_that_reports_none_is_an_entry_of_its_own() -> None:
    """R68: a virtual machine that dies writes its error without a stamp; the INFO before it must not exclude it."""
    found = entries("2026-07-08T11:00:00Z INFO ok", "java.lang.OutOfMemoryError: Java heap space", "\tat a.B(B.java:1)")
    assert levels(found) == [Level.INFO, None]
    assert (found[1].stamp, found[1].has_levels) == (None, None)
    assert found[1].text.endswith("\tat a.B(B.java:1)")


def test_any_other_text_is_an_undated_entry_of_its_own_wherever_it_stands() -> None:
    """R68: a line without a stamp may be of any time."""
    found = entries("starting up", "2026-07-08T11:00:00Z INFO ok", "database is gone")
    assert [(one.line, one.stamp is None, one.text) for one in found] == [
        (1, True, "starting up"),
        (2, False, "2026-07-08T11:00:00Z INFO ok"),
        (3, True, "database is gone"),
    ]


def test_nothing_of_an_input_is_lost() -> None:
    """R68: every line that holds anything stands in one entry."""
    lines = ["x", " y", "{", "2026-07-08T11:00:00Z a", "b", "\tc", '{"msg": "half', "[", "]", "=", "d=e", "\x1b[0m z"]
    assert "\n".join(one.text for one in entries(*lines)) == "\n".join(lines)


def test_a_long_entry_is_kept_to_its_limit_and_is_not_whole() -> None:
    """R69: a word may be missing from a cut entry without being absent."""
    (found,) = entries("2026-07-08T11:00:00Z ERROR x", *[f"\tat {'x' * 1000}"] * 100)
    assert len(found.text) <= 65_536
    assert not found.is_whole


def test_a_longer_line_is_cut() -> None:
    """R69: nobody reads further than 64 Ki characters of an entry."""
    (found,) = entries("2026-07-08T11:00:00Z ERROR " + "x" * 70_000)
    assert (len(found.text), found.is_whole, found.header.level) == (65_536, False, Level.ERROR)


_PIECES = (
    *("2026-07-08T11:00:00Z ", "INFO ", "ERROR", "x: y", "{", "}", '{"msg":"a"}', "[", "]", "\t", "  ", "at a.b(c)"),
    *("Jul  8 11:00:00 h a[1]: ", "05/06/2026 10:00:00 ", "\x1b[31m", "| ", "web-1  | ", "Caused by: e", "a.B: Error"),
    *("2026-07-08T11:00:00.1Z stdout F ", "=", "k=v", '"', "# Time: 2026-07-08T11:00:00Z", "__CURSOR=a", "", "错误 "),
)


@settings(deadline=None)  # the first one compiles all patterns
@given(lists(lists(sampled_from(_PIECES), max_size=4).map("".join), max_size=12))
def test_every_line_stands_in_one_entry_in_order(lines: list[str]) -> None:
    """R68: whatever the lines are, nothing is lost, doubled or moved."""
    found = entries(*lines)
    kept = [line.rstrip() for one in found for line in one.text.split("\n") if line.strip()]
    assert kept == [line.rstrip() for line in lines if line.strip()]
    assert all(one.header is not None for one in found)


def test_a_line_that_is_not_whole_makes_an_entry_that_is_not() -> None:
    """R69: what was cut or not decoded is said."""
    context = Context(NOW, UTC, False, NOW, "a.log")
    found = list(read_entries([("2026-07-08T11:00:00Z a", True), ("\tb", False)], context))
    assert [one.is_whole for one in found] == [False]


# ---------------------------------------------------------------- zones, years, order of day and month


def test_a_stamp_without_zone_is_read_by_the_assumed_one_and_says_so() -> None:
    """R68: an assumed zone is said; a setting makes it known."""
    (assumed,) = one = reader("2026-07-08 19:10:00 ERROR x", zone=EAST)
    assert (times([assumed]), assumed.stamp and assumed.stamp.zone_known) == (["2026-07-08T11:10:00+00:00"], False)
    assert one.zone_used
    (told,) = reader("2026-07-08 19:10:00 ERROR x", zone=EAST, zone_known=True)
    assert told.stamp is not None
    assert told.stamp.zone_known


def test_an_entry_with_its_own_zone_uses_no_other() -> None:
    """R68: `zone_used` is only of stamps that have none."""
    one = reader("2026-07-08T11:10:00Z ERROR x", '{"time":1783509000000,"msg":"x"}', zone=EAST)
    assert times(one) == ["2026-07-08T11:10:00+00:00", "2026-07-08T11:10:00+00:00"]
    assert not one.zone_used


def test_a_stamp_without_year_is_of_the_latest_that_is_not_too_late() -> None:
    """R9: neither after tomorrow nor after the input's last change; 29 February is of a leap year."""
    lines = (
        "Jul  9 10:00:00 h a[1]: x",
        "Jul 10 10:00:00 h a[1]: x",
        "Dec 31 23:00:00 h a[1]: x",
        "Feb 29 10:00:00 h a[1]: x",
    )
    assert times(entries(*lines)) == [
        "2026-07-09T10:00:00+00:00",
        "2025-07-10T10:00:00+00:00",
        "2025-12-31T23:00:00+00:00",
        "2024-02-29T10:00:00+00:00",
    ]
    changed = datetime(2025, 3, 1, tzinfo=UTC)
    assert times(reader("Jul  9 10:00:00 h a[1]: x", changed=changed)) == ["2024-07-09T10:00:00+00:00"]


def test_a_weekday_tells_the_year() -> None:
    """R9: 1 May was a Wednesday in 2024, and in no later year until now."""
    assert times(entries("Wed May  1 10:00:00 x")) == ["2024-05-01T10:00:00+00:00"]


def test_a_number_behind_the_time_may_be_a_year_or_not() -> None:
    """R68: never a guess."""
    assert times(entries("May  1 10:00:00 2019 x", "Wed May  1 10:00:00 2019: x")) == ["", "2019-05-01T10:00:00+00:00"]


def test_the_order_of_all_lines_shows_their_years() -> None:
    """R9: a file of more than a year, changed long after its last line, dates its first lines in their year."""
    days = ("Oct  1", "Dec 31", "Jan  1", "Oct  2", "Dec 30", "Feb  3")
    lines = [(f"{day} 10:00:00 h a[1]: x", True) for day in days]
    context = Context(NOW, UTC, False, NOW, "a.log", lambda: iter(lines))
    assert [time[:10] for time in times(read_entries(iter(lines), context))] == [
        "2024-10-01",
        "2024-12-31",
        "2025-01-01",
        "2025-10-02",
        "2025-12-30",
        "2026-02-03",
    ]


def test_lines_out_of_order_turn_no_year() -> None:
    """R9: a late line of December behind one of January is of the year before."""
    lines = [(f"{day} 10:00:00 h a[1]: x", True) for day in ("Dec 31", "Jan  1", "Dec 31", "Jan  1", "Jan  2")]
    context = Context(NOW, UTC, False, NOW, "a.log", lambda: iter(lines))
    assert [time[:4] for time in times(read_entries(iter(lines), context))] == ["2025", "2026", "2025", "2026", "2026"]


def test_the_stamp_of_an_entry_inside_counts_where_only_its_zone_is_known() -> None:
    """R68: syslog names no zone; what stands inside may."""
    (found,) = entries("Jul  8 11:10:01 web1 order[7]: 2026-07-08T19:10:00+08:00 ERROR db down")
    assert (times([found]), found.header.level) == (["2026-07-08T11:10:00+00:00"], Level.ERROR)


def test_the_whole_file_shows_whether_the_day_comes_before_the_month() -> None:
    """R68: entries before the line that shows it are dated by it, too, and stay in order."""
    found = entries("05/06/2026 10:00:00 a", "text", "13/06/2026 10:00:00 b", "06/07/2026 10:00:00 c")
    assert times(found) == ["2026-06-05T10:00:00+00:00", "", "2026-06-13T10:00:00+00:00", "2026-07-06T10:00:00+00:00"]
    found = entries("05/06/2026 10:00:00 a", "05/13/2026 10:00:00 b")
    assert times(found) == ["2026-05-06T10:00:00+00:00", "2026-05-13T10:00:00+00:00"]


def test_where_no_line_shows_the_order_of_day_and_month_there_is_no_stamp() -> None:
    """R68: never a guess; equal numbers need none."""
    found = entries("05/06/2026 10:00:00 a", "06/06/2026 10:00:00 b")
    assert times(found) == ["", "2026-06-06T10:00:00+00:00"]


def test_lines_that_contradict_each_other_settle_nothing() -> None:
    """R68: a file of two orders dates only what can be read one way."""
    found = entries("05/06/2026 10:00:00 a", "13/06/2026 10:00:00 b", "06/14/2026 10:00:00 c", "05/06/2026 10:00:00 d")
    assert times(found)[1:] == ["2026-06-13T10:00:00+00:00", "2026-06-14T10:00:00+00:00", ""]


# ---------------------------------------------------------------- lines inside of lines


def test_a_container_line_gives_what_stands_inside_and_a_known_time() -> None:
    """R18: CRI with an ISO line, JSON and text inside."""
    found = entries(
        "2026-07-08T11:10:00.123456789Z stderr F 2026-07-08 11:10:00 ERROR db down",
        '2026-07-08T11:11:00.123456789Z stderr F {"level":"error","msg":"connection refused","service":"order"}',
        "2026-07-08T11:12:00.000000001Z stdout F java.lang.OutOfMemoryError: Java heap space",
    )
    assert times(found)[0] == "2026-07-08T11:10:00.123456+00:00"
    assert levels(found) == [Level.ERROR, Level.ERROR, None]
    assert [one.header.names for one in found] == [(), ("order",), ()]
    assert found[2].has_levels is None


def test_a_trace_inside_of_container_lines_belongs_to_its_entry() -> None:
    """R18: its lines have stamps of the runtime, not of the program."""
    found = entries(
        "2026-07-08T11:10:00.1Z stderr F 2026-07-08 11:10:00 ERROR db down",
        "2026-07-08T11:10:00.2Z stderr F java.io.IOException: y",
        "2026-07-08T11:10:00.3Z stderr F \tat a.B(B.java:1)",
        "2026-07-08T11:10:01.0Z stdout F   indented",
    )
    assert [one.line for one in found] == [1, 4]
    assert found[0].header.message == "db down\njava.io.IOException: y\n\tat a.B(B.java:1)"


def test_a_line_that_the_runtime_cut_is_put_together() -> None:
    """R18, R68: P marks a part of a line, F its end; words are sought across the cut, and the next line is its own."""
    found, another, last = entries(
        "2026-07-08T11:10:00.1Z stdout P 2026-07-08T11:10:00Z ERROR d",
        "2026-07-08T11:10:00.1Z stdout P b d",
        "2026-07-08T11:10:00.1Z stdout F own",
        "2026-07-08T11:10:01.1Z stdout F cache down",
        "2026-07-08T11:10:02.1Z stdout F 2026-07-08T11:10:02Z INFO up",
    )
    assert (found.header.level, found.header.message) == (Level.ERROR, "db down")
    assert found.text == "2026-07-08T11:10:00.1Z stdout P 2026-07-08T11:10:00Z ERROR db down"
    assert (another.text, last.header.message) == ("2026-07-08T11:10:01.1Z stdout F cache down", "up")


def test_a_line_of_the_json_file_driver_gives_what_stands_inside() -> None:
    """R18: Docker's json-file, also where a long line is cut in two."""
    (first, second) = entries(
        r'{"log":"2026-07-08T11:10:00Z ERROR said \"no\"\n","stream":"stderr","time":"2026-07-08T11:10:00.123456789Z"}',
        r'{"log":"ERROR db d","stream":"stderr","time":"2026-07-08T11:11:00.1Z"}',
        r'{"log":"own\n","stream":"stderr","time":"2026-07-08T11:11:00.1Z"}',
    )
    assert (first.header.level, first.header.message) == (Level.ERROR, 'said "no" stream=stderr')
    assert (second.header.level, second.header.message) == (Level.ERROR, "db down stream=stderr")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("order-service-1  | 2026-07-08 11:10:00,123 ERROR db down", ("order-service-1",)),
        ("order-service_1  | 2026-07-08 11:10:00,123 ERROR db down", ("order-service_1",)),
        ("shop_order.1.abc123@node1    | 2026-07-08 11:10:00,123 ERROR db down", ("shop_order.1.abc123@node1",)),
        ("[pod/order-7d9f8b6c5-abcde/app] 2026-07-08 11:10:00,123 ERROR db down", ("order-7d9f8b6c5-abcde", "app")),
        ("order-7d9f8b6c5-abcde app 2026-07-08 11:10:00,123 ERROR db down", ("order-7d9f8b6c5-abcde", "app")),
        ("order-7d9f8b6c5-abcde app E0708 11:10:00.123000 1 a.go:1] db down", ("order-7d9f8b6c5-abcde", "app")),
        ("order-7d9f8b6c5-abcde app E20260708 11:10:00.123000 1 a.go:1] db down", ("order-7d9f8b6c5-abcde", "app")),
        ("order  | E20260708 11:10:00.123000 1 a.go:1] db down", ("order",)),
    ],
)
def test_the_prefix_of_a_tool_that_shows_several_programs_names_them(line: str, names: tuple[str, ...]) -> None:
    """R68: Compose, Swarm, kubectl, stern."""
    (found,) = entries(line)
    assert (times([found]), found.header.level) == (["2026-07-08T11:10:00.123000+00:00"], Level.ERROR)
    assert (found.header.names, found.header.message.removeprefix("a.go ")[:7]) == (names, "db down")


def test_the_message_of_syslog_may_be_an_entry() -> None:
    """R68: its level counts; plain syslog has none."""
    found = entries(
        "Jul  8 11:10:00 web1 order-service[7]: ERROR db down",
        'Jul  8 11:10:00 web1 order-service[7]: {"level":"warn","msg":"slow"}',
        "Jul  8 11:10:00 web1 order-service[7]: level=info msg=started",
        "Jul  8 11:10:00 web1 order-service[7]: started",
    )
    assert levels(found) == [Level.ERROR, Level.WARN, Level.INFO, None]
    assert {one.header.names for one in found} == {("order-service",)}
    assert found[3].has_levels is False


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Jul  8 11:10:00 web1 kernel: x", ("kernel",)),
        ("Jul  8 11:10:00 Debian kernel: x", ("kernel",)),
        ("Jul  8 11:10:00 web1 CRON[12]: x", ("CRON",)),
        ("Jul  8 11:10:00 web1 systemd[1]: x", ("systemd",)),
        ("Jul  8 11:10:00 web1 logrotate: x", ("logrotate",)),
        ("Jul  8 11:10:00 Connection broken: x", ()),
        ("Jul  8 11:10:00 request failed: x", ()),
        ("Jul  8 11:10:00 router 1234: %LINK-3-UPDOWN: x", ()),
        ("2026-07-08T11:10:00.123456+00:00 web1 kernel: x", ("kernel",)),
        ("2026-07-08T11:10:00.123456+00:00 web1 sudo: x", ("sudo",)),
        ("2026-07-08T11:10:00.123456+00:00 web1 order-service: x", ("order-service",)),
        ("2026-07-08T11:10:00.123456+00:00 web1 CRON[12]: x", ("CRON",)),
        ("2026-07-08T11:10:00.123+00:00 user bob: x", ()),
        ("2026-07-08T11:10:00.123+00:00 Reading config.yml: x", ()),
        ("2026-07-08T11:10:00+0000 Connection broken: x", ()),
        ("- 1131566461 2005.11.09 a Nov 9 12:01:01 a/a ntpd[12]: x", ("ntpd",)),
        ("- 1131566461 2005.11.09 a Nov 9 12:01:01 a/a ip_tables: x", ()),
        ("- 1131566461 2005.11.09 a Nov 9 12:01:01 a/a IOAPIC[0]: x", ()),
    ],
)
def test_a_word_before_a_colon_without_a_process_is_no_name_where_a_message_may_begin_so(
    line: str, names: tuple[str, ...]
) -> None:
    """R68: it is a hint then, stays in the message, and excludes nothing."""
    (found,) = entries(line)
    word = line.removesuffix(" x").split(" %")[0].rsplit(" ", 1)[-1].rstrip(":").split("[")[0]
    assert found.header.names == names
    assert names or (word in found.header.hints and f"{word}:" in found.header.message)


# ---------------------------------------------------------------- what is said of the input


def test_the_prevailing_format_and_its_service_are_said() -> None:
    """R69: an input names its format; nginx names itself."""
    one = reader(*["2026/07/08 11:10:00 [error] 12#12: *1 x"] * 3, "2026-07-08T11:10:00Z x")
    list(one)
    assert (one.format_name, one.service) == ("nginx", "nginx")


_UNITS = (
    *("a", "a=", 'a="', "[", "a-", " ", '{"a":', "2026-07-08 ", "\\", "a.", "1:", "<", "\x1b[", "a b ", "(a", "a:"),
    *("- ", "ERROR ", '"', "a,", "at ", "Caused by: "),
)
_HEADS = (
    *("", "2026-07-08T11:17:00Z ", 'time=2026-07-08T11:17:00Z msg="', "2026-07-08 11:17:00 UTC ", "Jul  8 11:17:00 "),
    *("<11>1 2026-07-08T11:17:00Z a b c d ", "1.2.3.4 ", "[", '{"log":"', "2026-07-08T11:17:00.1Z stdout F "),
)


@pytest.mark.parametrize("unit", _UNITS)
@pytest.mark.parametrize("head", _HEADS)
def test_a_hostile_line_is_read_in_linear_time(head: str, unit: str) -> None:
    """Bad input: no pattern backtracks; a quadratic one would not end before the test's time limit."""
    for found in entries((head + unit * 65_536)[:65_536]):
        assert len(found.header.message) <= 2 * len(found.text)
