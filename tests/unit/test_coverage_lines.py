"""The account of a search as people read it on a terminal (R69, R73)."""

from __future__ import annotations

from domain.evidence.coverage import (
    Coverage,
    Doubt,
    DoubtKind,
    Excluded,
    InputRead,
    Sought,
    Unread,
    UnreadReason,
    coverage_of,
)
from handlers.cli.coverage_lines import coverage_lines, summary
from handlers.cli.plain import plain


def searched(inputs: int = 1, *, unread: tuple[Unread, ...] = (), doubts: tuple[Doubt, ...] = ()) -> Coverage:
    read = [
        InputRead(name=f"{number}.log", format="logback", entries=10, first="a", last="b", zone="UTC")
        for number in range(inputs)
    ]
    return coverage_of(
        window="2031-03-04T11:00:00Z/2031-03-04T12:00:00Z",
        sought=Sought(services=("order-service",), levels=("ERROR", "FATAL"), words=("disk full",)),
        inputs=read,
        unread=unread,
        excluded=[Excluded(by="level", count=7), Excluded(by="exclude *.gz", count=2)],
        doubts=doubts,
        entries=10 * inputs,
        matched=3,
        returned=3,
    )


def test_one_line_says_how_far_a_search_reaches() -> None:
    """R69: what was sought, where, in which window, among how many entries of how many inputs."""
    assert summary(searched()) == (
        "complete; 10 entries of 1 inputs, 3 matched; window 2031-03-04T11:00:00Z/2031-03-04T12:00:00Z; "
        'sought order-service ERROR/FATAL "disk full"'
    )
    assert summary(Coverage()) == "not complete; 0 entries of 0 inputs, 0 matched"


def test_what_was_not_read_and_what_was_doubted_stands_first() -> None:
    """R69: a reader mends those; the rest is for checking."""
    left = (
        Unread(name="auth.log", reason=UnreadReason.PERMISSION, could_match=True),
        Unread(name="wtmp", reason=UnreadReason.BINARY, could_match=False),
    )
    doubt = Doubt(kind=DoubtKind.LEVEL, count=4, example="something broke", input="0.log")
    coverage = searched(unread=left, doubts=(doubt,))
    assert summary(coverage).startswith("not complete; ")
    assert coverage_lines(coverage, 5) == [
        "doubt     level, 4 in 0.log: something broke",
        "doubt     input, 1 in auth.log",
        "excluded  7 by level",
        "excluded  2 by exclude *.gz",
        "unread    auth.log: permission, could match",
        "unread    wtmp: binary",
        "read      0.log: logback, 10 entries, a to b, zone UTC",
    ]


def test_a_long_list_says_how_many_more_there_are() -> None:
    """R69: the account holds the first 20 of a kind, the counts all."""
    lines = coverage_lines(searched(30), 5)
    assert [line for line in lines if line.startswith("read")][-2:] == [
        "read      4.log: logback, 10 entries, a to b, zone UTC",
        "read      25 more",
    ]
    assert coverage_lines(searched(30), 1_000)[-1] == "read      10 more"


def test_an_assumed_zone_and_an_input_without_dates_are_said() -> None:
    """R68."""
    read = (
        InputRead(name="a", format="log4j", entries=1, first="x", last="y", zone="Asia/Shanghai", zone_assumed=True),
        InputRead(name="b", format="text", entries=2),
    )
    assert coverage_lines(Coverage(inputs=read), 5) == [
        "read      a: log4j, 1 entries, x to y, zone Asia/Shanghai (assumed)",
        "read      b: text, 2 entries, none dated",
    ]


def test_an_assumed_year_is_said() -> None:
    """R68."""
    read = InputRead(name="syslog", format="syslog", entries=1, first="x", last="y", year_assumed=True)
    doubt = Doubt(kind=DoubtKind.TIME, count=3, yearless=2, input="syslog")
    assert coverage_lines(Coverage(inputs=(read,), doubts=(doubt,)), 5) == [
        "doubt     time, 3 (2 without a year) in syslog",
        "read      syslog: syslog, 1 entries, x to y, year assumed",
    ]


def test_names_from_outside_do_nothing_to_a_terminal() -> None:
    """R73: escapes, direction marks and line breaks show as what they are."""
    hostile = "a\x1b[2J\u202egol.\u200b\n"
    (line,) = coverage_lines(Coverage(unread=(Unread(name=hostile, reason=UnreadReason.ERROR, could_match=True),)), 5)
    assert line == "unread    a\\u001b[2J\\u202egol.\\u200b\\n: error, could match"
    assert plain("订单 é 🙂") == "订单 é 🙂"
