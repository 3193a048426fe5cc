"""A search as a decision: each entry is selected, excluded for a property that was understood, or a doubt (R68).

Sources bring entries; what they mean for a search is decided here, so that no format has its own idea of "not there".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Protocol, TypeAlias

from domain.evidence.coverage import DoubtKind
from domain.evidence.window import Window
from domain.language.failures import holds_failure
from domain.language.form import search_form
from domain.language.instances import pods_in
from domain.language.levels import Level, level_said
from domain.language.services import (
    Kinship,
    is_overseer,
    kinship,
    mentions_service,
    service_of,
    tells_of_process,
)

EASTMOST, WESTMOST = timedelta(hours=14), timedelta(hours=-12)
"""The zones that a stamp without one may be of."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """When an entry says it was written, in UTC. `zone_known` False: by the zone that is assumed for its input.

    `latest_year`: None where the year is written; else the latest that it may be of. A copied file has a younger last
    change than its last line, so it may be of any year before that, too.
    """

    at: datetime
    zone_known: bool
    latest_year: int | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """What an entry says of itself.

    `level` None: none given, or none that was understood; `level_text` is what is written there. `names`: what it calls
    the service it is of, in a field or place made for that; such a name also excludes. `hints`: a logger, a class, a
    thread, the first word: they may be the service asked for and never exclude. `labels`: those of them in brackets,
    where some programs write the service and others anything. `message`: the text to show, with every
    field that has no role of its own as `key=value`; nothing of the entry is lost in it but stamp, level and names.
    `other_levels`: what further fields say where they do not say the same.
    """

    level: Level | None = None
    level_text: str = ""
    names: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    message: str = ""
    repeated_keys: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    other_levels: tuple[Level, ...] = ()


class Entry:
    """One entry of an input, its header read only when it is asked for.

    `line`: its place in the input, from 1. `text`: everything that stands there, decoded, without line ends at its end.
    `is_whole` False: it was cut, or could not be decoded. `has_levels`: whether its format gives a level; None where
    the format is not known.
    """

    __slots__ = ("_header", "_read", "has_levels", "is_whole", "line", "stamp", "text")

    def __init__(
        self,
        line: int,
        stamp: Stamp | None,
        text: str,
        read: Callable[[], Header],
        *,
        is_whole: bool = True,
        has_levels: bool | None = None,
    ) -> None:
        self.line = line
        self.stamp = stamp
        self.text = text
        self.is_whole = is_whole
        self.has_levels = has_levels
        self._read = read
        self._header: Header | None = None

    @property
    def header(self) -> Header:
        if self._header is None:
            self._header = self._read()
        return self._header

    @property
    def has_columns(self) -> bool:
        """Whether another line names what stands in it, so that its message tells more than its text."""
        return False


class Words(Protocol):
    """What a text must hold, in the form of `search_form`."""

    def stand_in(self, form: str) -> bool: ...


class By(StrEnum):
    """The property of an entry that excludes it, once it was understood."""

    TIME = "time"
    LEVEL = "level"
    SERVICE = "service"
    WORDS = "words"
    DUPLICATE = "duplicate"


Objection: TypeAlias = By | DoubtKind
"""Why an entry is not selected. An exclusion outweighs a doubt."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an input stands.

    `names`: of its file, its folders or told by the operator, where they name a service: they exclude, too. `hints`:
    names that may be the service and exclude nothing, such as the folder that was given; `folders`: those of them that
    are folders of one plain word, which some operator gave them.
    """

    names: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True)
class Condition:
    """What is sought: entries in the window, of the service, at least of the level, that hold the words."""

    window: Window
    service: str = ""
    level: Level | None = None
    words: Words | None = None

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The level asked for and the worse ones; none: any."""
        return () if self.level is None else tuple(level for level in Level if level >= self.level)

    def objection(self, entry: Entry, place: Place, format_service: str = "") -> Objection | None:
        """Why an entry is not what is sought, its time apart; None if it is."""
        if self.words and not self._hold_words(entry):
            if entry.is_whole:
                return By.WORDS
            missed = self.of_service(entry, place, format_service) or self.of_level(entry)
            return missed if isinstance(missed, By) else DoubtKind.TEXT
        service = self.of_service(entry, place, format_service)
        found = service if isinstance(service, By) else self._worse(service, self.of_level(entry))
        if found is not None and entry.header.repeated_keys:
            return DoubtKind.REPEATED_KEY  # a field that stands twice may say something else than what was read of it
        return found

    @staticmethod
    def _worse(service: Objection | None, level: Objection | None) -> Objection | None:
        return level if isinstance(level, By) else service or level

    def _hold_words(self, entry: Entry) -> bool:
        assert self.words is not None
        if self.words.stand_in(search_form(entry.text)):
            return True
        is_told_elsewhere = "\\" in entry.text or entry.has_columns
        return is_told_elsewhere and self.words.stand_in(search_form(entry.header.message))

    def of_service(self, entry: Entry, place: Place, format_service: str) -> Objection | None:
        """None if the entry is of the service that is sought."""
        if not self.service:
            return None
        header = entry.header
        names = (*place.names, format_service) if format_service else place.names
        found = _service_objection(self.service, header.names, names, (*header.hints, *place.hints))
        if found is DoubtKind.SERVICE and mentions_service(entry.text, self.service):
            return None
        if found is not None and self._is_on_host(entry):
            return None
        if found is By.SERVICE and all(map(is_overseer, header.names or names)):
            return _OF_PROCESS[tells_of_process(entry.text, self.service)]
        return found

    def _is_on_host(self, entry: Entry) -> bool:
        """Whether a field of the entry says that it was written on the host that is asked for: whatever runs there."""
        if self.service not in entry.text:
            return False
        return any(found[1] == self.service for found in _HOST.finditer(entry.header.message))

    def of_level(self, entry: Entry) -> Objection | None:
        """None if the entry is at least of the level that is sought."""
        if self.level is None:
            return None
        level = entry.header.level
        if level is not None:
            if level >= self.level:
                return None
            inside = level_said(entry.text.partition("\n")[2]) if "\n" in entry.text else None
            others = (*entry.header.other_levels, *(() if inside is None else (inside,)))
            return DoubtKind.LEVEL if any(other >= self.level for other in others) else By.LEVEL
        if entry.has_levels is False:  # it gives none by definition: what it tells of counts
            tells = holds_failure(entry.text) or (entry.has_columns and holds_failure(entry.header.message))
            return None if tells else By.LEVEL
        said = level_said(entry.text)
        return None if said is not None and said >= self.level else DoubtKind.LEVEL


_HOST = re.compile(r"(?<![\w.-])(?:host|hostname|node|nodename)=\"?([\w.-]{1,253})")
_OF_PROCESS: dict[Kinship, Objection | None] = {
    Kinship.SAME: None,
    Kinship.UNSURE: DoubtKind.SERVICE,
    Kinship.OTHER: By.SERVICE,
}


@lru_cache(maxsize=4096)
def _service_objection(
    asked: str, line: tuple[str, ...], place: tuple[str, ...], hints: tuple[str, ...]
) -> Objection | None:
    """Any name that is the service's own is enough; a name of another excludes, the line's before the place's."""
    if any(kinship(name, asked) is Kinship.SAME for name in (*line, *place, *hints)):
        return None
    for names in (_telling(line), _telling(place)):
        if names:
            is_open = any(kinship(name, asked) is Kinship.UNSURE for name in names)
            return DoubtKind.SERVICE if is_open else By.SERVICE
    return DoubtKind.SERVICE


def _telling(names: tuple[str, ...]) -> list[str]:
    """Without a container that is called like the service of the pod beside it: the pod tells more."""
    of_pods = {service_of(name) for name in names if pods_in(name)}
    return [name for name in names if name not in of_pods]


# ---------------------------------------------------------------- time


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between which times something was written; None: not bounded on that side."""

    earliest: datetime | None
    latest: datetime | None


def bounds_of(stamp: Stamp, zone: tzinfo) -> Bounds:
    """When an entry was written at the earliest and latest, whatever zone its stamp is of. `zone`: the assumed one."""
    if stamp.zone_known:
        return Bounds(stamp.at, stamp.at)
    offset = stamp.at.astimezone(zone).utcoffset() or timedelta()
    return Bounds(stamp.at + offset - EASTMOST, stamp.at + offset - WESTMOST)


def is_met_in_another_year(window: Window, bounds: Bounds, assumed: int, latest: int) -> bool:
    """Whether what lies between these bounds by the year that was assumed may lie in the window by another one, up to
    the latest. Either side moves by whole years."""
    span = bounds.latest.year - bounds.earliest.year if bounds.earliest and bounds.latest else 0
    first = max(_FIRST_YEAR, (window.start or window.end).year - 1)
    for year in range(first, min(latest, window.end.year + span + 1) + 1):
        earliest, until = (_years_on(at, year - assumed) if at else None for at in (bounds.earliest, bounds.latest))
        if year != assumed and window.meets(earliest and earliest - _LEAP_DAY, until and until + _LEAP_DAY):
            return True
    return False


_FIRST_YEAR = 1980
"""A clock that shows an earlier year was not set."""
_LEAP_DAY = timedelta(days=1)
"""By so much a day that is counted from 29 February may be off in another year."""


def _years_on(at: datetime, years: int) -> datetime:
    return at.replace(year=at.year + years, day=28 if (at.month, at.day) == (2, 29) else at.day)
