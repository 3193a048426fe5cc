"""One input of a survey: which shapes of messages it holds, how often, since when, and before the window (R90)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from domain.evidence.input_search import InputSearch
from domain.evidence.search import By, Condition, Entry, Header, Objection, Place
from domain.language.changes import change_of
from domain.language.failures import holds_failure
from domain.language.instances import readings
from domain.language.levels import Level, level_said, name_of
from domain.language.message_shapes import ids_in, shape_of

MOST_SHAPES = 2_000  # of each of two kinds: those that tell of trouble, and the rest
MOST_IDS = 2_000
MOST_SERVICES = 200
EXAMPLE = 800  # characters
CAUSE = 300
SIGHTINGS = 4
"""So many times of a change are kept on either side of the window's beginning."""
UNDATED = 200  # undated entries between two dated ones
REST = "…"
"""Stands for the shape of whatever came when no more shapes were told apart."""


@dataclass(frozen=True, slots=True)
class Sighting:
    at: datetime
    example: str


@dataclass(slots=True)
class Tally:
    """The entries of one shape, service and level in one input.

    `own`: they are of the service asked for. `before`: how many there are in the time before the window. `fails`: a
    word of failure stands in it. `change`: the kind of change it tells of. `digest`: the same for the same entries,
    whatever their order.
    """

    service: str
    shape: str
    own: bool
    level: int | None = None
    level_text: str = ""
    fails: bool = False
    change: str = ""
    count: int = 0
    before: int = 0
    first: datetime | None = None
    last: datetime | None = None
    example: str = ""
    cause: str = ""
    digest: int = 0
    sightings: list[Sighting] = field(default_factory=list)

    @property
    def is_bad(self) -> bool:
        """ERROR or worse, or of no level and telling of a failure."""
        return self.fails if self.level is None else self.level >= Level.ERROR

    @property
    def tells_trouble(self) -> bool:
        return self.fails or (self.level is not None and self.level >= Level.WARN)


@dataclass(slots=True)
class IdTally:
    """One id in entries of one service that tell of trouble."""

    id: str
    service: str
    count: int = 0
    first: datetime | None = None
    last: datetime | None = None
    example: str = ""


@dataclass(frozen=True, slots=True)
class InputDigest:
    """`services_before`: those that have entries before the window. `is_full`: shapes were no longer told apart before
    the window began. `unlisted`: entries in the window that no tally holds."""

    tallies: list[Tally]
    ids: list[IdTally]
    services_before: list[str]
    is_full: bool
    unlisted: int


class InputSurvey(InputSearch):
    """A search of everything in the window that also counts shapes, from `since` on. Memory is bounded."""

    def __init__(
        self,
        condition: Condition,
        place: Place,
        *,
        zone: tzinfo,
        since: datetime,
        format_service: Callable[[], str] = str,
    ) -> None:
        super().__init__(condition, place, zone=zone, limit=UNDATED, format_service=format_service, keeps_keys=True)
        assert condition.window.start is not None
        self._since, self._start = since, condition.window.start
        self._tallies: dict[tuple[str, int | None, str, bool], Tally] = {}
        self._ids: dict[tuple[str, str], IdTally] = {}
        self._room = {True: MOST_SHAPES, False: MOST_SHAPES}
        self._services_before: dict[str, None] = {}
        self._is_full = False
        self._bases: dict[str, str] = {}

    def add(self, entry: Entry) -> None:
        super().add(entry)
        if entry.stamp and self._since <= entry.stamp.at < self._start:
            self._note_before(entry, entry.stamp.at)

    def digest(self, most: int) -> InputDigest:
        """At most so many tallies, those that tell of trouble and changes first; ask for it after `finish`."""
        tallies = [one for one in self._tallies.values() if one.count or one.change]
        tallies.sort(key=lambda one: (not one.tells_trouble, not one.change, -one.count))
        surveyed = sum(one.count for one in tallies[:most] if one.own)
        return InputDigest(
            tallies=tallies[:most],
            ids=list(self._ids.values())[:most],
            services_before=list(self._services_before),
            is_full=self._is_full,
            unlisted=max(0, self._matched - surveyed),
        )

    # ------------------------------------------------------------ the window

    def _select(self, entry: Entry, _by: datetime, at: datetime | None) -> None:
        key = self._count_match(entry, at)
        self._note(entry, at, own=True).digest ^= key

    def _settle(self, entry: Entry, objection: Objection | None, by: datetime, at: datetime | None) -> None:
        super()._settle(entry, objection, by, at)
        is_elsewhere = objection is By.SERVICE or (objection is not None and not isinstance(objection, By))
        if is_elsewhere and by in self._window:
            self._note(entry, at, own=False)

    def _note(self, entry: Entry, at: datetime | None, *, own: bool) -> Tally:
        message = entry.header.message or entry.text
        tally = self._tally(entry, message, own=own)
        tally.count += 1
        if not tally.example:
            tally.example, tally.cause = _line(message), _cause(message)
        if at is not None:
            tally.first = at if tally.first is None or at < tally.first else tally.first
            tally.last = at if tally.last is None or at > tally.last else tally.last
            if tally.change and sum(one.at >= self._start for one in tally.sightings) < SIGHTINGS:
                tally.sightings.append(Sighting(at, _line(message)))
        if tally.tells_trouble:
            self._note_ids(message, tally.service, at)
        return tally

    def _note_ids(self, message: str, service: str, at: datetime | None) -> None:
        for found in ids_in(message):
            tally = self._ids.get((found, service))
            if tally is None:
                if len(self._ids) >= MOST_IDS:
                    return
                tally = self._ids[found, service] = IdTally(found, service, example=_line(message))
            tally.count += 1
            if at is not None:
                tally.first = at if tally.first is None or at < tally.first else tally.first
                tally.last = at if tally.last is None or at > tally.last else tally.last

    # ------------------------------------------------------------ before it

    def _note_before(self, entry: Entry, at: datetime) -> None:
        own = (
            not self._condition.service or self._condition.objection(entry, self._place, self._format_service()) is None
        )
        message = entry.header.message or entry.text
        tally = self._tally(entry, message, own=own)
        tally.before += 1
        self._is_full |= tally.shape == REST
        if len(self._services_before) < MOST_SERVICES:
            self._services_before[tally.service] = None
        if tally.change:
            earlier = [one for one in tally.sightings if one.at < self._start][1 - SIGHTINGS :]
            later = [one for one in tally.sightings if one.at >= self._start]
            tally.sightings = [*earlier, Sighting(at, _line(message)), *later]

    # ------------------------------------------------------------ shapes

    def _tally(self, entry: Entry, message: str, *, own: bool) -> Tally:
        header = entry.header
        service = self._service_of(header)
        key = (service, header.level, shape_of(message), own)
        found = self._tallies.get(key)
        if found is None:
            found = self._new_tally(entry, message, key)
        return found

    def _new_tally(self, entry: Entry, message: str, key: tuple[str, int | None, str, bool]) -> Tally:
        service, level, shape, own = key
        said = level_said(entry.text) if level is None and entry.has_levels is not False else None
        worst = level if level is not None else said
        tally = Tally(service, shape, own, worst, fails=holds_failure(message[:EXAMPLE]))
        tally.level_text = entry.header.level_text if worst is None else name_of(Level(worst))
        tally.change = change_of(message)
        is_telling = tally.tells_trouble or bool(tally.change)
        if self._room[is_telling] > 0:
            self._room[is_telling] -= 1
            self._tallies[key] = tally
            return tally
        rest = Tally(service, REST, own, tally.level, tally.level_text)
        if len(self._tallies) < 2 * MOST_SHAPES + MOST_SERVICES:
            return self._tallies.setdefault((service, level, REST, own), rest)
        return self._tallies.setdefault(("", None, REST, own), Tally("", REST, own))

    def _service_of(self, header: Header) -> str:
        """The first name, without what tells its instances apart."""
        name = self._named(header)
        base = self._bases.get(name)
        if base is None:
            if len(self._bases) > MOST_SERVICES:
                self._bases.clear()
            base = self._bases[name] = _base(name) if name else ""
        return base


def _base(name: str) -> str:
    found = readings(name)
    return min((one.base for one in found if one.is_sure and found[0].base.startswith(one.base)), key=len, default=name)


def _line(message: str) -> str:
    """The beginning of a message, verbatim."""
    if len(message) <= EXAMPLE:
        return message
    head = message[:EXAMPLE]
    return head.rpartition("\n")[0] or head.rpartition(" ")[0] or head


def _cause(message: str) -> str:
    """The innermost cause that a stack trace names, as it is written there."""
    start = message.rfind("Caused by: ")
    return "" if start <= 0 else message[start : start + CAUSE].split("\n", 1)[0].rstrip()
