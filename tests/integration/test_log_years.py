"""Searches over logs whose times have no year: what their files' last changes prove, and what they do not (R9, R68)."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from domain.events import Source
from domain.evidence.coverage import Coverage, DoubtKind
from infra.tools.contract import ToolContext
from infra.tools.logs import logs_tool

NOW = datetime(2031, 7, 8, 12, 0, tzinfo=UTC)
CONTEXT = ToolContext(now=NOW, window_minutes=60, invocation_id=7, session_id="session")
DAY = timedelta(days=1)

OLD = (
    "Jun 14 15:16:01 till sshd[19939]: paper jam\n"
    "Jun 15 02:04:59 till sshd[20882]: check pass\n"
    "Jul 27 14:42:00 till kernel: all well\n"
)
"""Of 2005, which nothing in it says."""


@dataclass(frozen=True)
class Answered:
    total: int
    coverage: Coverage

    @property
    def doubts(self) -> list[tuple[DoubtKind, int, int]]:
        return [(one.kind, one.count, one.yearless) for one in self.coverage.doubts]


def search(folder: Path, since: str, until: str, words: str = "paper jam", zone: str | None = "UTC") -> Answered:
    source = Source(kind="logs", name="logs", address=str(folder), zone=zone)
    asked = {"since": since, "until": until, "query": f'"{words}"'}
    result = asyncio.run(logs_tool([source]).run(asked, CONTEXT))
    assert result.success, result.error_message
    assert result.retrieval.coverage is not None
    return Answered(json.loads(result.output)["total"], result.retrieval.coverage)


def write(folder: Path, text: str, changed: datetime, name: str = "messages") -> None:
    (folder / name).write_text(text)
    os.utime(folder / name, (changed.timestamp(), changed.timestamp()))


def test_a_copied_log_proves_no_absence_in_the_year_it_may_be_of(tmp_path: Path) -> None:
    """R68: the copy's last change is that of the copying."""
    write(tmp_path, OLD, NOW)
    answered = search(tmp_path, "2005-06-01T00:00:00Z", "2005-06-30T00:00:00Z")

    assert (answered.total, answered.doubts) == (0, [(DoubtKind.TIME, 1, 1)])
    assert not answered.coverage.complete
    assert answered.coverage.doubts[0].example.startswith("Jun 14 15:16:01")


def test_what_no_year_brings_into_the_window_is_excluded(tmp_path: Path) -> None:
    """R68: by its day, its words or its service, whatever year it is of."""
    write(tmp_path, OLD, NOW)

    assert search(tmp_path, "2005-08-01T00:00:00Z", "2005-08-30T00:00:00Z").coverage.complete
    assert search(tmp_path, "2005-06-01T00:00:00Z", "2005-06-30T00:00:00Z", "check mate").coverage.complete


def test_a_log_that_kept_its_last_change_is_of_its_year(tmp_path: Path) -> None:
    """R9: as `cp -p`, rsync and archives keep it; the assumption is said."""
    write(tmp_path, OLD, datetime(2005, 7, 27, 14, 42, 3, tzinfo=UTC))
    answered = search(tmp_path, "2005-06-01T00:00:00Z", "2005-06-30T00:00:00Z")

    assert (answered.total, answered.doubts) == (1, [])
    (read,) = answered.coverage.inputs
    assert (read.first, read.last, read.year_assumed) == ("2005-06-14T15:16:01Z", "2005-07-27T14:42:00Z", True)


def live(lines: int = 60) -> str:
    """A syslog that was written to until now: an entry an hour."""
    times = (NOW - timedelta(hours=hours) for hours in reversed(range(lines)))
    return "".join(f"{time:%b} {time.day:2} {time:%H:%M:%S} till cron[7]: paper jam\n" for time in times)


@pytest.mark.parametrize("zone", ["UTC", None])
def test_a_live_syslog_still_proves_absences_of_the_last_days(tmp_path: Path, zone: str | None) -> None:
    """R68: other years bring none of its entries into a window of days."""
    write(tmp_path, live(), NOW)
    write(tmp_path, live().replace("Jul  8", "Jul  1").replace("Jul  7", "Jun 30"), NOW - 7 * DAY, "messages.1")

    absent = search(tmp_path, "2031-07-03T12:00:00Z", "2031-07-04T12:00:00Z", zone=zone)
    assert (absent.total, absent.doubts, absent.coverage.complete) == (0, [], True)
    assert search(tmp_path, "2031-07-07T12:00:00Z", "2031-07-08T12:00:00Z").total == 25
    assert search(tmp_path, "2031-01-01T00:00:00Z", "2031-02-01T00:00:00Z", zone=zone).coverage.complete


def test_a_live_syslog_proves_nothing_of_the_same_days_a_year_ago(tmp_path: Path) -> None:
    """R68: nothing in it tells that it is no copy."""
    write(tmp_path, live(), NOW)

    assert search(tmp_path, "2030-07-06T00:00:00Z", "2030-07-09T00:00:00Z").doubts == [(DoubtKind.TIME, 60, 60)]


def test_windows_of_several_years_hold_every_day(tmp_path: Path) -> None:
    """R68: a window that ends before the assumed year holds the days of the years before."""
    write(tmp_path, OLD, NOW)

    assert search(tmp_path, "2029-01-01T00:00:00Z", "2031-07-01T00:00:00Z").total == 1
    assert search(tmp_path, "2027-01-01T00:00:00Z", "2030-01-01T00:00:00Z").doubts == [(DoubtKind.TIME, 1, 1)]


def test_an_undated_entry_between_two_of_an_assumed_year_is_open_as_they_are(tmp_path: Path) -> None:
    """R68: its neighbours move with their year."""
    write(tmp_path, "Jun 14 15:16:01 till a[1]: x\n??? paper jam\nJun 14 15:17:00 till a[1]: y\n", NOW)

    assert search(tmp_path, "2005-06-14T00:00:00Z", "2005-06-15T00:00:00Z").doubts == [(DoubtKind.TIME, 1, 1)]
    assert search(tmp_path, "2005-06-16T00:00:00Z", "2005-06-17T00:00:00Z").coverage.complete
    assert search(tmp_path, "2031-06-14T00:00:00Z", "2031-06-15T00:00:00Z").total == 1


def test_full_dates_in_the_lines_of_a_copy_tell_its_year(tmp_path: Path) -> None:
    """R9, R68: those of the same day; that one line happens to name another year is no proof for all others."""
    text = "Jun 14 15:16:01 till a[1]: x\nJun 14 15:16:02 till b[1]: paper jam\nJun 14 15:17:00 till c[1]: at {} y\n"
    write(tmp_path, text.format("2005-06-14 15:16:59"), NOW)

    assert search(tmp_path, "2005-06-14T00:00:00Z", "2005-06-15T00:00:00Z").total == 1
    assert search(tmp_path, "2030-06-14T00:00:00Z", "2030-06-15T00:00:00Z").doubts == [(DoubtKind.TIME, 1, 1)]
    assert search(tmp_path, "2031-06-14T00:00:00Z", "2031-06-15T00:00:00Z").doubts == [(DoubtKind.TIME, 1, 1)]


def test_the_head_of_a_file_tells_its_year(tmp_path: Path) -> None:
    """R9: as glog writes it."""
    head = "Log file created at: 2029/06/14 15:16:00\nRunning on machine: till\n"
    write(tmp_path, f"{head}E0614 15:16:01.000001       1 a.go:1] paper jam\n", NOW)

    assert search(tmp_path, "2029-06-14T00:00:00Z", "2029-06-15T00:00:00Z").total == 1


def test_a_date_of_another_year_changes_nothing_in_a_live_log(tmp_path: Path) -> None:
    """R68: the last change agrees with the last line."""
    write(tmp_path, live() + "Jul  8 12:00:00 till backup[1]: deleting 2030-07-08T12:00\n", NOW)

    assert search(tmp_path, "2031-07-08T11:00:00Z", "2031-07-08T12:00:00Z").total == 2


def test_dates_of_several_years_leave_the_year_open(tmp_path: Path) -> None:
    """R68."""
    lines = [f"Jun 14 15:16:0{n} till a[1]: paper jam of {year}-06-14 15:16\n" for n, year in ((1, 2028), (2, 2029))]
    write(tmp_path, "".join(lines), NOW)

    assert search(tmp_path, "2028-06-14T00:00:00Z", "2028-06-15T00:00:00Z").doubts == [(DoubtKind.TIME, 2, 2)]


def test_an_entry_inside_that_has_its_year_gives_it_to_the_line(tmp_path: Path) -> None:
    """R68: the time of the line counts, in the year of the stamp inside; where another was assumed, both count."""
    line = "Jun 14 15:16:01 till order[1]: {}-06-14 15:16:00,123 ERROR paper jam\n"
    write(tmp_path, line.format(2031), NOW)
    answered = search(tmp_path, "2031-06-14T00:00:00Z", "2031-06-15T00:00:00Z")
    assert (answered.total, answered.coverage.inputs[0].year_assumed) == (1, False)
    assert search(tmp_path, "2028-06-14T00:00:00Z", "2028-06-15T00:00:00Z").coverage.complete

    for written in (line.format(2029), line.format(2029).replace("00,123", "00Z")):
        write(tmp_path, written, datetime(2031, 6, 15, tzinfo=UTC))
        assert search(tmp_path, "2029-06-14T00:00:00Z", "2029-06-15T00:00:00Z", zone=None).total == 1
        open_ = search(tmp_path, "2031-06-14T00:00:00Z", "2031-06-15T00:00:00Z", zone=None)
        assert open_.doubts == [(DoubtKind.TIME, 1, 1)]


@pytest.mark.parametrize(
    ("changed", "since", "is_proven"),
    [
        (NOW - 10 * DAY, NOW - DAY, True),
        (NOW - 10 * DAY, NOW - 10 * DAY + timedelta(minutes=3), False),
        (NOW - 10 * DAY, NOW - 12 * DAY, False),
        (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), NOW - DAY, False),
        (NOW + 300 * DAY, NOW - DAY, False),
    ],
    ids=["before the window", "at its beginning", "in the window", "no date", "in the future"],
)
def test_only_a_last_change_before_the_window_places_a_file_without_dates(
    tmp_path: Path, changed: datetime, since: datetime, *, is_proven: bool
) -> None:
    """R68: nothing in it can be younger."""
    write(tmp_path, "[10.30 16:49:06] chrome.exe - paper jam\n[10.30 16:49:07] chrome.exe - close\n", changed)
    answered = search(tmp_path, since.isoformat(), (since + timedelta(hours=3)).isoformat())

    assert (answered.total, answered.coverage.complete) == (0, is_proven)


def test_a_weekday_narrows_the_years(tmp_path: Path) -> None:
    """R9: 14 June was a Tuesday in 2005 and 2022, and on no such day in 2031."""
    write(tmp_path, "Tue Jun 14 15:16:01 paper jam\n", NOW)

    assert search(tmp_path, "2022-06-14T00:00:00Z", "2022-06-15T00:00:00Z").total == 1
    assert search(tmp_path, "2005-06-14T00:00:00Z", "2005-06-15T00:00:00Z").doubts == [(DoubtKind.TIME, 1, 1)]
