"""What a generated search is made of: entries, the files they stand in, the question, and what may come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

LEVELS = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")


class Outcome(StrEnum):
    """What an answer must be: the planted line, a proven absence, or a gap that says why."""

    FOUND = "found"
    PROVEN = "proven"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry before a format writes it down. `service` "" where nothing names one. `holds`: the words asked for, or,
    where no words are asked for, true. `role`: planted, noise, or what keeps it from matching."""

    at: datetime
    level: str
    service: str
    message: str
    role: str
    holds: bool = False
    trace: tuple[str, ...] = ()
    client: str = "198.51.100.7"
    status: int = 200
    size: int = 1184
    path: str = "/items"


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as a format gets it: stamp, level and service already in the spelling of the case, "" for none."""

    stamp: str
    at: datetime
    level: str
    rank: int
    service: str
    message: str
    entry: Entry
    number: int


@dataclass(frozen=True, slots=True)
class Sought:
    """What the question asks for. `name`: what it calls the thing. `start` None: ever. `level`, `service` "": any."""

    kind: str
    name: str
    service: str
    level: str
    start: datetime | None
    end: datetime


@dataclass(frozen=True, slots=True)
class Expected:
    """`must`: what a good answer is. `rule`: for a gap, the row of MUST_BE_GAP that allows it."""

    must: Outcome
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A folder, a question and what is expected. `cell`: the value of each axis. `marker`: stands in the planted line
    and nowhere else; "" where nothing is planted."""

    seed: int
    cell: Mapping[str, str]
    files: Mapping[str, bytes]
    changed: Mapping[str, datetime]
    question: str
    now: datetime
    log_zone: str
    marker: str
    planted_at: datetime | None
    sought: Sought
    expected: Expected
