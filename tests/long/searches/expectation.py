"""What may come of a search, decided from what was written down and from R68 to R71, before any code is run.

Each entry is judged by what can be known of it: it is excluded if one property is surely another, selected if all are
surely those asked for, and a doubt otherwise. A planted line that is a doubt, and an absence over entries of which one
is a doubt, must be a gap; by which row of the table, the case says.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.long.searches.case import LEVELS, Entry, Expected, Outcome, Sought
from tests.long.searches.levels import is_understood

MUST_BE_GAP = {
    "no service": "R68.3: neither line, file, folder nor format names a service, and the question does",
    "unknown service": "R71: every input names a service, and none the one asked for",
    "service of an unknown format": "R68.3: the name stands in a place that no parser can know",
    "level of an unknown format": "R68.2: unknown format, and no level that can be known",
    "no level in a bare line": "R68.2: a stamp and text; no format can be known by that, and no level stands there",
    "spelling of the level": "R68.2: a spelling in no list; the level is not understood",
    "time of an unknown format": "R68.1: no stamp that can be known",
    "undated": "R68.1: no stamp, and the file was changed within the window or later",
    "time without a date": "R68.1: the day is not known",
    "day or month": "R68.1: the two may be exchanged, and no stamp of the file tells",
    "stamp in no list": "R68.1: a form of stamp that the list of formats does not hold",
    "assumed zone": "R68.1: another zone would bring the entry into the window",
    "unreadable input": "R69: an input that could match and cannot be read",
}
"""Where the answer must be a gap, and why. A planted line may be found there all the same; an absence is not proven."""

EARLIEST, LATEST = timedelta(hours=12), timedelta(hours=14)

FAILURES = ("connection refused", "request failed", "unhandled exception", "permission denied", "写入失败")
"""Words that say a failure in a line of a format without levels."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a file lets one know of its entries. `form`: what its stamps give (of stamps.Form), "unseen" for an unknown
    format. `zone`: own, setting, or assumed. `levels`: the spelling, "" where the format has none by definition.
    `service`: whether a service that an entry carries can be known."""

    form: str
    zone: str
    levels: str
    unseen: bool
    bare: bool
    service: bool
    changed: datetime


@dataclass(frozen=True, slots=True)
class Judged:
    """`doubt` "": selected or excluded, by `selected`."""

    selected: bool
    doubt: str = ""


def _time(entry: Entry, read_at: datetime, known: Known, sought: Sought) -> bool | str:
    """True, false, or the rule by which it is not known. `read_at`: the stamp as it is read, in an assumed zone."""
    if sought.start is None:
        return True
    if known.changed < sought.start and known.form in ("unseen", "nothing", "time", "unlisted"):
        return False
    if known.form == "day or month":
        return _day_or_month(read_at, known, sought)
    rule = {
        "unseen": "time of an unknown format",
        "nothing": "undated",
        "time": "time without a date",
        "unlisted": "stamp in no list",
    }.get(known.form, "")
    if rule:
        return rule
    if known.zone != "assumed":
        return sought.start <= entry.at <= sought.end
    if sought.start <= read_at <= sought.end:
        return True
    return "assumed zone" if read_at + EARLIEST >= sought.start and read_at - LATEST <= sought.end else False


def _day_or_month(read_at: datetime, known: Known, sought: Sought) -> bool | str:
    """By both readings of the date, each in any zone where none is known."""
    readings = [read_at]
    with suppress(ValueError):
        readings.append(read_at.replace(day=read_at.month, month=read_at.day))
    slack = (EARLIEST, LATEST) if known.zone == "assumed" else (timedelta(), timedelta())
    assert sought.start is not None
    inside = [at + slack[0] >= sought.start and at - slack[1] <= sought.end for at in readings]
    return "day or month" if any(inside) else False


def _level(entry: Entry, known: Known, sought: Sought) -> bool | str:
    if not sought.level:
        return True
    if known.unseen:
        return "level of an unknown format"
    if known.bare:
        return "no level in a bare line"
    if not known.levels:
        return any(word in entry.message for word in FAILURES)
    if not is_understood(known.levels):
        return "spelling of the level"
    return LEVELS.index(entry.level) >= LEVELS.index(sought.level)


def _service(entry: Entry, known: Known, sought: Sought) -> bool | str:
    if not sought.service:
        return True
    if not entry.service:
        return "no service"
    return entry.service == sought.service if known.service else "service of an unknown format"


def judged(entry: Entry, read_at: datetime, known: Known, sought: Sought) -> Judged:
    """An entry of a file by R68."""
    properties = (
        entry.holds,
        _time(entry, read_at, known, sought),
        _level(entry, known, sought),
        _service(entry, known, sought),
    )
    if any(one is False for one in properties):
        return Judged(selected=False)
    doubt = next((one for one in properties if isinstance(one, str)), "")
    return Judged(selected=not doubt, doubt=doubt)


def expected_of(
    planted: Judged | None, others: Iterable[Judged], *, names_service: bool, all_readable: bool
) -> Expected:
    """What the case must come to. `names_service`: whether the service asked for is named, or none is."""
    if planted is not None:
        return Expected(Outcome.GAP, planted.doubt) if planted.doubt else Expected(Outcome.FOUND)
    doubts = [one.doubt for one in others if one.doubt]
    if not doubts and not names_service:
        doubts = ["unknown service"]
    if not doubts and not all_readable:
        doubts = ["unreadable input"]
    return Expected(Outcome.GAP, doubts[0]) if doubts else Expected(Outcome.PROVEN)
