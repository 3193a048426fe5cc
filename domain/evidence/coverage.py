"""What a search read, what it left unread, and what it could not decide: its account of itself (R69).

An absence is proven by the search, so only a complete coverage carries a summary ref (R20).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from pydantic import Field

from domain.contract import Contract

MOST_NAMED = 20
"""A list holds so many names of a kind; the counts hold all."""


class UnreadReason(StrEnum):
    """Why an input was not read."""

    BINARY = "binary"
    FORMAT = "format"
    COMPRESSION = "compression"
    ENCODING = "encoding"
    PERMISSION = "permission"
    SIZE = "size"
    LIMIT = "limit"
    LINK = "link"
    VANISHED = "vanished"
    ERROR = "error"


class DoubtKind(StrEnum):
    """What could not be decided of something that matches otherwise (R68)."""

    TIME = "time"  # no stamp that was understood, and its neighbours do not place it; or a stamp of any year
    ZONE = "zone"  # a stamp of an assumed zone, which another zone would bring into the window
    LEVEL = "level"  # no level that was understood, in a format that may have one
    SERVICE = "service"  # nothing names a service, or what is named may be the one asked for
    TEXT = "text"  # cut or undecodable
    INPUT = "input"  # an unread input that could match
    REPEATED_KEY = "repeated_key"  # a record that gives one field twice
    PUSHED_DOWN = "pushed_down"  # a condition that the source decided by rules of its own
    PARTIAL = "partial"  # a source that says its answer is not whole


class Sought(Contract):
    services: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class InputRead(Contract):
    """`first` and `last`: ISO 8601, "" where no entry is dated. `zone`: of stamps without one; "" if all have one.
    `year_assumed`: some stamps have no year, and were taken to be of the latest that the input's last change allows."""

    name: str
    format: str
    entries: int
    first: str = ""
    last: str = ""
    zone: str = ""
    zone_assumed: bool = False
    year_assumed: bool = False


class Unread(Contract):
    name: str
    reason: UnreadReason
    could_match: bool


class Excluded(Contract):
    """`by`: time, level, service, state, words, duplicate; or `exclude GLOB`, which counts inputs, not entries."""

    by: str
    count: int


class Doubt(Contract):
    """`example`: one entry or input, shortened, for the reader, and the input it stands in. `unknown`: a name that was
    sought and that the source has never heard of, with the nearest names it knows (R71); `nearest` without it: names
    like it that are there, of a source that cannot list all. `yearless`: how many of these times are understood but for
    their year, and another year would bring them into the window."""

    kind: DoubtKind
    count: int
    example: str = ""
    input: str = ""
    unknown: str = ""
    nearest: tuple[str, ...] = ()
    yearless: int = 0


class Counts(Contract):
    inputs: int = 0
    entries: int = 0
    matched: int = 0
    returned: int = 0


class Coverage(Contract):
    """The account of one search. `window`: "start/end" in ISO 8601, "" for ever."""

    window: str = ""
    sought: Sought = Sought()
    inputs: tuple[InputRead, ...] = ()
    unread: tuple[Unread, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    counts: Counts = Counts()
    complete: bool = Field(False, description="no doubt, and no unread input that could match")


def coverage_of(
    *,
    window: str,
    sought: Sought,
    inputs: Iterable[InputRead],
    unread: Iterable[Unread],
    excluded: Iterable[Excluded],
    doubts: Iterable[Doubt],
    entries: int,
    matched: int,
    returned: int,
    most_named: int = MOST_NAMED,
) -> Coverage:
    """The coverage of a search, its lists cut to what is shown. An unread input that could match is a doubt."""
    read, left = list(inputs), sorted(unread, key=lambda one: not one.could_match)
    open_inputs = [one for one in left if one.could_match]
    said = [one for one in doubts if one.count]
    if open_inputs:
        said.append(
            Doubt(kind=DoubtKind.INPUT, count=len(open_inputs), example=open_inputs[0].name, input=open_inputs[0].name)
        )
    named: list[Unread] = []
    for reason in UnreadReason:
        named += [one for one in left if one.reason is reason][:most_named]
    return Coverage(
        window=window,
        sought=sought,
        inputs=tuple(read[:most_named]),
        unread=tuple(named),
        excluded=tuple(one for one in excluded if one.count),
        doubts=tuple(said),
        counts=Counts(inputs=len(read), entries=entries, matched=matched, returned=returned),
        complete=not said,
    )


def joined(parts: Sequence[Coverage]) -> Coverage:
    """One account of several searches that were asked alike, of which there is at least one."""
    first = parts[0]
    counted = [part.counts for part in parts]
    return first.model_copy(
        update={
            "inputs": tuple(one for part in parts for one in part.inputs)[:MOST_NAMED],
            "excluded": tuple(one for part in parts for one in part.excluded),
            "doubts": tuple(dict.fromkeys(one for part in parts for one in part.doubts)),
            "counts": Counts(
                inputs=sum(one.inputs for one in counted),
                entries=sum(one.entries for one in counted),
                matched=sum(one.matched for one in counted),
                returned=sum(one.returned for one in counted),
            ),
            "complete": all(part.complete for part in parts),
        }
    )
