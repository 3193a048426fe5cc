"""One input of a search, entry by entry: what it selects, excludes and leaves in doubt, and its account (R68, R69)."""

from __future__ import annotations

import heapq
from array import array
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from hashlib import blake2b

from domain.evidence.coverage import DoubtKind
from domain.evidence.search import (
    Bounds,
    By,
    Condition,
    Entry,
    Header,
    Objection,
    Place,
    Stamp,
    bounds_of,
    is_met_in_another_year,
)
from domain.evidence.window import utc_text
from domain.language.levels import name_of
from domain.language.services import Kinship, is_generic, is_overseer, kinship, mentions_service

ORDER_SLACK = timedelta(minutes=1)
"""Stamps of several threads may cross by so much in a file that counts as in order."""
CLOCK_SLACK = timedelta(minutes=5)
MOST_GAPS = 2_000  # stretches without a stamp that are told apart; the rest is one
MOST_KEYS = 200_000  # matched entries that are compared with those of a rotated copy
MOST_NAMES = 200
_SAMPLED = 100  # entries at the beginning whose names are noted, whenever they were written
MOST_MENTIONS = 1_000  # of a service that another one speaks of
EXAMPLE = 160  # characters

_FAR = timedelta(hours=26)  # no zone moves a stamp by more


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that was selected. `at` None: undated, but within the window by its neighbours; then `sorted_at` tells
    by when it was written. `instance`: what the entry calls the service, where that is not the name asked for."""

    sorted_at: datetime
    at: datetime | None
    level: str
    service: str
    instance: str
    message: str

    def row(self) -> dict[str, str]:
        """As a tool shows it; what is not known is left out."""
        row = {
            "timestamp": utc_text(self.at) if self.at else "",
            "level": self.level,
            "service": self.service,
            "instance": self.instance,
            "message": self.message,
        }
        return {name: value for name, value in row.items() if value or name == "message"}


@dataclass(frozen=True, slots=True)
class Account:
    """What became of one input. `is_elsewhere`: it holds what was sought, of services that are not the one asked for,
    and did not know that one. `keys`: of its matched entries, to find them again in a rotated copy, 64 bits each in
    base 64; "" where none are kept, or there were too many. `year_assumed`: stamps of it have no year; `yearless`: of
    its doubts of time, those that another year would bring into the window."""

    name: str
    entries: int
    matched: int
    found: tuple[Found, ...]
    first: datetime | None
    last: datetime | None
    zone_used: bool
    excluded: dict[By, int]
    doubts: dict[DoubtKind, tuple[int, str]]
    knows_service: bool
    names: tuple[str, ...]
    is_elsewhere: bool = False
    keys: str = ""
    year_assumed: bool = False
    yearless: int = 0


@dataclass(slots=True)
class _Gap:
    """Undated entries between two dated ones, sought but for their time."""

    after: datetime | None
    before: datetime | None = None
    by_objection: dict[DoubtKind | None, int] = field(default_factory=dict)
    examples: dict[DoubtKind | None, str] = field(default_factory=dict)
    found: list[Entry] = field(default_factory=list)
    is_last: bool = False  # bounded by the last change of the file


class InputSearch:
    """`add` every entry in order, then `finish`. `zone`: the assumed one, of stamps that have none; `format_service`
    tells the service that the format itself names, as far as it was read."""

    def __init__(
        self,
        condition: Condition,
        place: Place,
        *,
        zone: tzinfo,
        limit: int,
        format_service: Callable[[], str] = str,
        keeps_keys: bool = False,
    ) -> None:
        self._condition = condition
        self._place = place
        self._zone = zone
        self._limit = limit
        self._format_service = format_service
        self._window = condition.window
        self._entries = self._matched = self._mentions = 0
        self._is_elsewhere = False
        self._first: datetime | None = None
        self._last: datetime | None = None  # the latest stamp so far
        self._disorder = timedelta()
        self._zone_used = False  # an entry was selected by it
        self._is_zone_open = False  # there are stamps whose zone is not known
        self._latest_year: int | None = None  # that a stamp without one may be of
        self._other_years: dict[tuple[int, int, int, int], bool] = {}  # whether a day may lie in the window in one
        self._yearless = 0
        self._excluded: Counter[By] = Counter()
        self._doubts: Counter[DoubtKind] = Counter()
        self._examples: dict[DoubtKind, str] = {}
        self._newest: list[tuple[datetime, int, Entry, datetime | None]] = []
        self._gap: _Gap | None = None
        self._gaps: list[_Gap] = []
        self._keys: array[int] | None = array("Q") if keeps_keys else None
        self._names: dict[str, None] = dict.fromkeys((*place.names, *place.folders))
        asked = condition.service
        is_told = any(kinship(name, asked) is Kinship.SAME for name in (*place.names, *place.hints))
        may_be = [name for name in (*place.names, *place.folders) if not is_generic(name)]
        self._knows_service = not asked or is_told or any(kinship(name, asked) is not Kinship.OTHER for name in may_be)
        self._seeks_service = bool(asked) and not is_told  # in its lines: where it stands does not tell
        self._labels_services = False  # its lines have the service in brackets
        self._labelled: tuple[int, str] = (0, "")  # entries with another name there, and one of them

    def read(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        self._entries += 1
        if self._seeks_service:
            if self._entries <= _SAMPLED:
                self._names.update(dict.fromkeys(entry.header.names))
            if mentions_service(entry.text, self._condition.service):
                self._note_mention(entry)
        stamp = entry.stamp
        if stamp is None:
            self._add_undated(entry)
            return
        at = stamp.at
        self._note_time(at)
        self._is_zone_open |= not stamp.zone_known
        if stamp.latest_year is not None:
            self._latest_year = max(self._latest_year or 0, stamp.latest_year)
        if at in self._window:
            self._zone_used |= not stamp.zone_known
            self._settle(entry, self._objection(entry), at, at)
        elif not (stamp.zone_known or self._is_far(at)) and self._may_be_in(bounds_of(stamp, self._zone)):
            self._settle(entry, self._doubtful(entry, DoubtKind.ZONE), at, at)
        elif stamp.latest_year is not None and self._is_open_year(stamp, stamp.latest_year):
            doubtful = self._doubtful(entry, DoubtKind.TIME)
            self._yearless += doubtful is DoubtKind.TIME
            self._settle(entry, doubtful, at, at)
        else:
            self._excluded[By.TIME] += 1

    def finish(self, name: str, last_change: datetime | None) -> Account:
        """`last_change` bounds what stands undated at the end, unless the stamps before contradict it."""
        if self._gap:
            is_sound = last_change and (self._last is None or self._last <= last_change + CLOCK_SLACK)
            self._close_gap(last_change if is_sound else None)
            self._gaps[-1].is_last = True
        for gap in self._gaps:
            self._settle_gap(gap)
        self._settle_labelled()
        names = tuple(self._names)[:MOST_NAMES]
        return Account(
            name=name,
            entries=self._entries,
            matched=self._matched,
            found=tuple(
                self._found(entry, at, by) for by, _, entry, at in sorted(self._newest, key=lambda one: one[:2])
            ),
            first=self._first,
            last=self._last,
            zone_used=self._zone_used,
            excluded=dict(self._excluded),
            doubts={kind: (count, self._examples.get(kind, "")) for kind, count in self._doubts.items()},
            knows_service=self._knows_service or self._is_of_format() or self._matched > 0,
            is_elsewhere=self._is_elsewhere,
            names=names,
            keys="" if self._keys is None else b64encode(self._keys.tobytes()).decode(),
            year_assumed=self._latest_year is not None,
            yearless=self._yearless,
        )

    def _note_mention(self, entry: Entry) -> None:
        """A text that names the service, as systemd names a unit. What another service says of it makes it no service
        of this folder (R71)."""
        self._mentions += 1
        self._labels_services = any(self._is_asked(label) for label in entry.header.labels)
        if not self._knows_service:
            found = self._condition.of_service(entry, self._place, self._format_service())
            self._knows_service = found is None
        self._seeks_service = not self._labels_services and self._mentions < MOST_MENTIONS

    # ------------------------------------------------------------ deciding

    def _objection(self, entry: Entry) -> Objection | None:
        found = self._condition.objection(entry, self._place, self._format_service())
        if self._condition.service and len(self._names) < MOST_NAMES:
            self._names.update(dict.fromkeys(entry.header.names))
        return found

    def _doubtful(self, entry: Entry, kind: DoubtKind) -> Objection:
        """Of an entry that another zone or year would bring into the window: whether anything else excludes it."""
        objection = self._objection(entry)
        return objection if isinstance(objection, By) else kind

    def _settle(self, entry: Entry, objection: Objection | None, by: datetime, at: datetime | None) -> None:
        match objection:
            case None:
                self._select(entry, by, at)
            case By():
                self._excluded[objection] += 1
                self._is_elsewhere |= objection is By.SERVICE and self._may_be_asked_for(entry)
            case DoubtKind.SERVICE if self._is_labelled_otherwise(entry):
                self._labelled = (self._labelled[0] + 1, self._labelled[1] or shortened(entry.text))
            case _:
                self._doubt(objection, entry.text)

    def _may_be_asked_for(self, entry: Entry) -> bool:
        """Whether only the name of the service keeps it from being what is sought, and that is no name here."""
        return not self._knows_service and not isinstance(self._condition.of_level(entry), By)

    def _is_asked(self, name: str) -> bool:
        return kinship(name, self._condition.service) is Kinship.SAME

    def _is_labelled_otherwise(self, entry: Entry) -> bool:
        labels = entry.header.labels
        return bool(labels) and all(kinship(one, self._condition.service) is Kinship.OTHER for one in labels)

    def _settle_labelled(self) -> None:
        """A name in brackets is a service's where the one that is asked for stands there, too."""
        count, example = self._labelled
        if count and self._labels_services:
            self._excluded[By.SERVICE] += count
        elif count:
            self._doubt(DoubtKind.SERVICE, example, count)

    def _select(self, entry: Entry, by: datetime, at: datetime | None) -> None:
        self._count_match(entry, at)
        if len(self._newest) < self._limit:
            heapq.heappush(self._newest, (by, self._matched, entry, at))
        elif by >= self._newest[0][0]:
            heapq.heapreplace(self._newest, (by, self._matched, entry, at))

    def _count_match(self, entry: Entry, at: datetime | None) -> int:
        """The entry's key; 0 where none is kept."""
        self._matched += 1
        if self._keys is None:
            return 0
        key = _key(at, entry.text)
        self._keys.append(key)
        if len(self._keys) > MOST_KEYS:
            self._keys = None
        return key

    def _doubt(self, kind: DoubtKind, text: str, count: int = 1) -> None:
        self._doubts[kind] += count
        self._examples.setdefault(kind, shortened(text))

    def _found(self, entry: Entry, at: datetime | None, by: datetime) -> Found:
        header, asked = entry.header, self._condition.service
        names = (*header.names, *self._place.names, self._format_service())
        named = self._named(header)
        instance = next((name for name in names if kinship(name, asked) is Kinship.SAME), "") if asked else ""
        if not instance and asked and named and is_overseer(named):
            instance = named
        level = header.level_text if header.level is None else name_of(header.level)
        return Found(
            sorted_at=by,
            at=at,
            level=level,
            service=asked or named,
            instance=instance if instance.casefold() != asked.casefold() else "",
            message=header.message or entry.text,
        )

    def _named(self, header: Header) -> str:
        """What names the service of an entry first: itself, where it stands, its format; else a folder of one word."""
        names = (*header.names, *self._place.names, self._format_service(), *self._place.folders[-1:])
        return next(filter(None, names), "")

    def _is_of_format(self) -> bool:
        service = self._format_service()
        return bool(service) and kinship(service, self._condition.service) is not Kinship.OTHER

    # ------------------------------------------------------------ time

    def _note_time(self, at: datetime) -> None:
        if self._gap:
            self._close_gap(at)
        if self._first is None or at < self._first:
            self._first = at
        if self._last is None or at >= self._last:
            self._last = at
        else:
            self._disorder = max(self._disorder, self._last - at)

    def _is_far(self, at: datetime) -> bool:
        start, end = self._window.start, self._window.end
        return at > end + _FAR or (start is not None and at < start - _FAR)

    def _may_be_in(self, bounds: Bounds) -> bool:
        return self._window.meets(bounds.earliest, bounds.latest)

    def _is_open_year(self, stamp: Stamp, latest: int) -> bool:
        """Whether another year than the assumed one brings the day, or that beside it, into the window."""
        at = stamp.at
        key = at.year, at.month, at.day, latest
        found = self._other_years.get(key)
        if found is None:
            day = at.replace(hour=0, minute=0, second=0, microsecond=0)
            bounds = Bounds(day - _FAR, day + timedelta(days=1) + _FAR)
            found = self._other_years[key] = is_met_in_another_year(self._window, bounds, at.year, latest)
        return found and is_met_in_another_year(self._window, bounds_of(stamp, self._zone), at.year, latest)

    def _add_undated(self, entry: Entry) -> None:
        objection = self._objection(entry)
        if isinstance(objection, By):
            self._excluded[objection] += 1
            return
        if self._gap is None:
            self._gap = _Gap(self._last)
        gap = self._gap
        gap.by_objection[objection] = gap.by_objection.get(objection, 0) + 1
        gap.examples.setdefault(objection, shortened(entry.text))
        if objection is None and len(gap.found) < self._limit:
            gap.found.append(entry)

    def _close_gap(self, before: datetime | None) -> None:
        gap, self._gap = self._gap, None
        assert gap is not None
        gap.before = before
        if len(self._gaps) < MOST_GAPS:
            self._gaps.append(gap)
            return
        last = self._gaps[-1]  # too many to tell apart: one, with the bounds of all
        last.before = before
        for objection, count in gap.by_objection.items():
            last.by_objection[objection] = last.by_objection.get(objection, 0) + count
            last.examples.setdefault(objection, gap.examples[objection])
        last.found += gap.found[: self._limit - len(last.found)]

    def _settle_gap(self, gap: _Gap) -> None:
        bounds = self._bounds_of(gap)
        count = sum(gap.by_objection.values())
        widest = self._in_any_zone(bounds)
        if gap.is_last and widest.latest:
            widest = Bounds(widest.earliest, widest.latest + CLOCK_SLACK)
        if not self._may_be_in(widest):
            if self._may_be_of_another_year(gap, widest):
                self._yearless += count
                self._doubt(DoubtKind.TIME, next(iter(gap.examples.values())), count)
            else:
                self._excluded[By.TIME] += count
        elif not self._lies_within(bounds):
            self._doubt(DoubtKind.TIME, next(iter(gap.examples.values())), count)
        else:
            self._settle_placed(gap, bounds)

    def _settle_placed(self, gap: _Gap, bounds: Bounds) -> None:
        by = bounds.latest or self._window.end
        for objection, count in gap.by_objection.items():
            if objection is not None:
                self._doubt(objection, gap.examples[objection], count)
        for entry in gap.found:
            self._select(entry, by, None)
        self._matched += gap.by_objection.get(None, 0) - len(gap.found)

    def _bounds_of(self, gap: _Gap) -> Bounds:
        """By its neighbours, where the stamps of the file are in order; of a zone not known they may be off."""
        if self._disorder > ORDER_SLACK:
            return Bounds(None, None)
        slack = self._disorder
        return Bounds(
            gap.after - slack if gap.after else None,
            gap.before + slack if gap.before else None,
        )

    def _may_be_of_another_year(self, gap: _Gap, bounds: Bounds) -> bool:
        """Its neighbours move together; the last change of the file does not, unless the stamp before agrees with it:
        a copy is written later."""
        if self._latest_year is None:
            return False
        if gap.is_last and (gap.after is None or (gap.before and gap.before - gap.after > _FAR)):
            return self._may_be_in(Bounds(None, bounds.latest)) if gap.after else False
        known = bounds.latest or bounds.earliest
        return known is not None and is_met_in_another_year(self._window, bounds, known.year, self._latest_year)

    def _in_any_zone(self, bounds: Bounds) -> Bounds:
        """The bounds, whatever zone the stamps beside are of."""
        if not self._is_zone_open:
            return bounds
        earliest, latest = (Stamp(at, zone_known=False) if at else None for at in (bounds.earliest, bounds.latest))
        return Bounds(
            bounds_of(earliest, self._zone).earliest if earliest else None,
            bounds_of(latest, self._zone).latest if latest else None,
        )

    def _lies_within(self, bounds: Bounds) -> bool:
        start, end = self._window.start, self._window.end
        begins = start is None or (bounds.earliest is not None and bounds.earliest >= start)
        return begins and bounds.latest is not None and bounds.latest <= end


def keys_of(account: Account) -> Counter[int]:
    """How often each matched entry stands in an input."""
    keys = array("Q")
    keys.frombytes(b64decode(account.keys))
    return Counter(keys)


def _key(at: datetime | None, text: str) -> int:
    """The same in every process."""
    said = f"{at}\0{text}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(said, digest_size=8).digest())


def shortened(text: str) -> str:
    """The first line of a text, at most EXAMPLE characters of it."""
    line = " ".join(text[: EXAMPLE * 4].split("\n", 1)[0].split())
    return line if len(line) <= EXAMPLE else f"{line[:EXAMPLE]}…"
