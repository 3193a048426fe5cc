"""The folder of a case: the file with the planted line, the live file beside it, and what else lies there."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from tests.long.searches.case import LEVELS, Entry, Sought, Written
from tests.long.searches.cells import Cell
from tests.long.searches.expectation import Judged, Known, judged
from tests.long.searches.levels import SPELLINGS
from tests.long.searches.names import rotated, spelled, stem
from tests.long.searches.packing import ELF, PNG, SQLITE, encoded, packed
from tests.long.searches.stamps import FORMS
from tests.long.searches.telling import Teller

SECOND = timedelta(seconds=1)
FOREIGN = {
    "picture": ("dashboard.png", PNG),
    "program": ("agent", ELF),
    "database": ("index.db", SQLITE),
    "empty file": ("empty.log", b""),
}


@dataclass
class Folder:
    """Files by path, their last changes, and every entry in them as R68 has it."""

    cell: Cell
    sought: Sought
    files: dict[str, bytes] = field(default_factory=dict)
    changed: dict[str, datetime] = field(default_factory=dict)
    judged: list[tuple[Entry, Judged]] = field(default_factory=list)

    def add(self, path: str, content: bytes, changed: datetime) -> None:
        self.files[path], self.changed[path] = content, changed


class Pen:
    """Writes entries in the spelling of a case."""

    def __init__(self, rng: Random, cell: Cell) -> None:
        self.rng, self.cell, self.zone = rng, cell, ZoneInfo(cell.written_zone)

    def _service(self, entry: Entry) -> str:
        in_line = self.cell.place in ("field", "program")
        return spelled(entry.service, self.cell.service_spelling) if in_line and entry.service else ""

    def _line(self, entry: Entry) -> str:
        cell, rank, at = self.cell, LEVELS.index(entry.level), entry.at.astimezone(self.zone)
        written = Written(
            stamp=FORMS[cell.stamp].write(at),
            at=at,
            level=SPELLINGS[cell.spelling][rank] if cell.spelling else "",
            rank=rank,
            service=self._service(entry),
            message=entry.message,
            entry=entry,
            number=self.rng.randrange(100, 400),
        )
        text = cell.layout.write(written)
        if entry.trace and cell.layout.traces:
            text = "\n".join((text, *entry.trace))
        return cell.wrapper.wrap(text, entry.at, entry.service) if cell.wrapper else text

    def text(self, entries: list[Entry]) -> str:
        head = [self.cell.layout.head] if self.cell.layout.head else []
        return "\n".join([*head, *map(self._line, entries)]) + "\n"


def known_of(cell: Cell, entries: list[Entry], changed: datetime) -> Known:
    """What the file of these entries lets one know."""
    form, zone = FORMS[cell.stamp].knows, ZoneInfo(cell.written_zone)
    if form == "day or month" and any(one.at.astimezone(zone).day > 12 for one in entries):
        form = "all"
    if cell.wrapper and cell.wrapper.stamps:
        form = "all"
    unseen = cell.layout.unseen
    return Known(
        form="unseen" if unseen else form,
        zone=cell.zone if cell.zone in ("own", "setting") else "assumed",
        levels=cell.spelling,
        unseen=unseen,
        bare=cell.layout.bare,
        service=not (unseen and cell.place == "field"),
        changed=changed,
    )


def judgement(entry: Entry, cell: Cell, known: Known, sought: Sought) -> Judged:
    """An entry by R68; a stamp without a zone is read in UTC where nothing tells its zone."""
    read_at = entry.at
    if cell.zone.startswith("assumed"):
        read_at = entry.at.astimezone(ZoneInfo(cell.written_zone)).replace(tzinfo=UTC)
    return judged(entry, read_at, known, sought)


def _judge(folder: Folder, entries: list[Entry], changed: datetime) -> None:
    known = known_of(folder.cell, entries, changed)
    folder.judged += [(one, judgement(one, folder.cell, known, folder.sought)) for one in entries]


def _another_service(folder: Folder, pen: Pen, teller: Teller, now: datetime) -> None:
    """A file of another service, with lines that match but for that."""
    cell, other = folder.cell, teller.others[0]
    at = [teller.between(teller.start, teller.end) for _ in range(4)]
    entries = [teller.noise(at[0]), teller.noise(at[1])]
    if cell.asks_service:
        entries += [teller.matching(one, "another service") for one in at[2:]]
    if cell.place != "format":
        entries = [replace(one, service=other) for one in sorted(entries, key=lambda one: one.at)]
        by_line = cell.place in ("field", "program", "prefix")
        path = "second.log" if by_line else f"{other}.log"
        folder.add(path, encoded(pen.text(entries), cell.encoding), min(now, entries[-1].at + SECOND))
        _judge(folder, entries, folder.changed[path])


def _beside(
    folder: Folder, pen: Pen, teller: Teller, path: str, content: bytes, changed: datetime, now: datetime
) -> None:
    cell = folder.cell
    match cell.beside:
        case "another service":
            _another_service(folder, pen, teller, now)
        case "copy" if cell.compression == "none":
            folder.add(f"{path}.gz", gzip.compress(content, mtime=0), changed)
        case "copy" if cell.compression in ("gz", "bz2", "xz", "zst"):
            folder.add(path, content, changed)
        case "broken archive":
            idle = [replace(teller.noise(teller.between(teller.start, teller.end)), message="idle") for _ in range(9)]
            broken = encoded(pen.text(idle), "utf-8")
            folder.add(f"{path}.9.gz", gzip.compress(broken, mtime=0)[:150], now)
        case kind if kind in FOREIGN:
            folder.add(*FOREIGN[kind], now)


def filled(
    rng: Random, cell: Cell, sought: Sought, service: str, entries: list[Entry], teller: Teller, now: datetime
) -> Folder:
    """The folder with `entries` in the file that the cell names."""
    folder, pen, day = Folder(cell, sought), Pen(rng, cell), f"{now:%Y-%m-%d}"
    base = stem(cell.place, service, cell.service_spelling)
    path, has_live = rotated(base, cell.rotation, day)
    changed = min(now, max(one.at for one in entries) + SECOND)
    content = encoded(pen.text(entries), cell.encoding)
    name, data = packed(path, content, cell.compression, changed, day)
    folder.add(name, data, changed)
    _judge(folder, entries, changed)
    if has_live:
        later = sorted((teller.noise(teller.between(changed, now)) for _ in range(2)), key=lambda one: one.at)
        folder.add(f"{base}.log", encoded(pen.text(later), cell.encoding), min(now, later[-1].at + SECOND))
        _judge(folder, later, folder.changed[f"{base}.log"])
    _beside(folder, pen, teller, path, content, changed, now)
    return folder
