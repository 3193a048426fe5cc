"""Entries of an input, in order: nothing of its text is lost, and nothing is glued to an entry it does not belong to.

The format that took the last line is tried first; stamps are read at once, headers only when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, cast

from domain.evidence.search import Entry, Header, Stamp
from domain.language.levels import Level
from infra.log_reading.formats import continuation
from infra.log_reading.formats.clock import Clock, Found, Unsettled
from infra.log_reading.formats.columns import ColumnsFormat
from infra.log_reading.formats.context import Context
from infra.log_reading.formats.documents import Late
from infra.log_reading.formats.escapes import without_escapes
from infra.log_reading.formats.known import HEAD_CHARACTERS, TEXT, Format, Formats, read_header
from infra.log_reading.formats.records import records_of
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken

ENTRY_CHARACTERS = 65_536
"""The rest of a longer entry is dropped and the entry is not whole."""
HELD_ENTRIES = 50_000
"""So many entries wait for the line that shows the order of day and month."""


class Wrapped(Format, Protocol):
    """A format whose lines have another inside: `shape`, `key` and `inside` are of the line that was read last."""

    shape: continuation.Shape
    inside: str | None


class EntryReader:
    """The entries of an input; the attributes say what was seen of it by then.

    `format_name`: of most lines. `service`: what that format itself is of, "" if it does not say. `zone_used`: whether
    any stamp was read by the zone that the input is assumed to have.
    """

    def __init__(self, lines: Iterable[tuple[str, bool]], context: Context) -> None:
        self._clock = Clock(context)
        self._formats = Formats(context, with_wrappings=True)
        self._objects = self._formats.objects
        self._lines_of: dict[tuple[str, str], int] = {}
        self._entries = self._settled(self._read(lines))

    def __iter__(self) -> Iterator[Entry]:
        return self._entries

    def __next__(self) -> Entry:
        return next(self._entries)

    @property
    def format_name(self) -> str:
        return self._prevailing[0]

    @property
    def service(self) -> str:
        return self._prevailing[1]

    @property
    def zone_used(self) -> bool:
        return self._clock.zone_used

    @property
    def _prevailing(self) -> tuple[str, str]:
        return max(self._lines_of, key=self._lines_of.__getitem__, default=(TEXT.name, ""))

    def _read(self, lines: Iterable[tuple[str, bool]]) -> Iterator[Entry]:
        clock = self._clock
        last: Format = TEXT
        open_: OpenEntry | None = None
        number, since = 0, 1
        for number, (text, is_whole) in enumerate(lines, 1):
            found = last.stamp(text, clock)
            if found is NOT_TAKEN or last.wraps:
                if found is NOT_TAKEN and text[:1] in ("{", "[") and (records := self._batch(text)):
                    if open_ is not None:
                        yield self._closed(open_)
                        open_ = None
                    yield from self._records(records, number, is_whole)
                    continue
                begun = self._begun(text, last, found, open_)
                if begun is None:
                    if open_ is not None:
                        open_.add(text, is_whole)
                    continue
                if begun[0] is not last:
                    self._count(last, number - since)
                    last, since = begun[0], number
                found = begun[1]
            if open_ is not None:
                yield self._closed(open_) if open_.more is not None or open_.format.late else open_
            open_ = OpenEntry(number, cast("Stamp | None", found), text, is_whole, last)
        self._count(last, number + 1 - since)
        if open_ is not None:
            yield self._closed(open_)

    def _closed(self, open_: OpenEntry) -> OpenEntry:
        open_.close()
        if open_.format.late:
            late = cast("Late", open_.format)
            open_.stamp = cast("Stamp | None", late.late_stamp(open_.text, self._clock))
            open_.has_levels = late.has_levels
            open_.is_whole = open_.is_whole and not late.is_cut
        return open_

    def _batch(self, text: str) -> list[str]:
        is_one = text[0] == "{" and self._objects.stamp(text, self._clock) is not NOT_TAKEN
        return [] if is_one else records_of(text)

    def _records(self, records: list[str], number: int, is_whole: bool) -> Iterator[Entry]:
        """Entries of one line: each has the part of the text that is its own."""
        for record in records:
            found = self._objects.stamp(record, self._clock)
            stamp = None if isinstance(found, NotTaken) else found
            one: Format = TEXT if isinstance(found, NotTaken) else self._objects
            self._count(one, 1)
            yield OpenEntry(number, cast("Stamp | None", stamp), record, is_whole, one)

    def _begun(
        self, text: str, last: Format, found: Found | NotTaken, open_: OpenEntry | None
    ) -> tuple[Format, Found] | None:
        """The format and stamp of the entry that a line begins; None for a line that goes on with the open one."""
        if found is NOT_TAKEN:
            if open_ is not None and open_.format.continues(text):
                return None
            if open_ is not None and continuation.is_trace(text):
                return None
            shown = without_escapes(text[:HEAD_CHARACTERS]) + text[HEAD_CHARACTERS:]
            in_list = open_ is not None and (open_.format is TEXT or open_.format.late) and shown.strip() == "{"
            if not shown[:1].isspace() or in_list or continuation.begins_like_stamp(shown.lstrip()):
                found = self._formats.stamp(shown, clock := self._clock)
                if found is NOT_TAKEN and shown[:1].isspace():
                    found = self._formats.stamp(shown.lstrip(), clock)
            if found is NOT_TAKEN:
                return self._text(text, shown, open_)
            last = self._formats.last
        assert not isinstance(found, NotTaken)
        if last.wraps and open_ is not None and _goes_on(cast("Wrapped", last), open_):
            return None
        part_of = last.part_of
        if part_of and open_ is not None and open_.format.name == part_of:
            return None
        return last, found

    def _text(self, text: str, shown: str, open_: OpenEntry | None) -> tuple[Format, Found] | None:
        if open_ is None:
            return (TEXT, None) if text.strip() else None
        if text.startswith("\x1b") and shown.strip():
            return TEXT, None
        return None if _belongs(continuation.shape_of(shown), open_) else (TEXT, None)

    def _count(self, one: Format, lines: int) -> None:
        key = (one.name, one.service)
        self._lines_of[key] = self._lines_of.get(key, 0) + lines

    def _settled(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        """Entries whose day and month are open wait, with those behind them, for the line that shows their order."""
        clock = self._clock
        waiting: list[Entry] = []
        for entry in entries:
            if not waiting and not isinstance(entry.stamp, Unsettled):
                yield entry
                continue
            waiting.append(entry)
            if clock.day_first is not None or len(waiting) >= HELD_ENTRIES:
                yield from _with_stamps(waiting, clock)
                waiting = []
        yield from _with_stamps(waiting, clock)


class OpenEntry(Entry):
    """An entry that further lines may belong to."""

    __slots__ = ("format", "key", "more", "rest", "size")

    def __init__(self, line: int, stamp: Stamp | None, text: str, is_whole: bool, format_: Format) -> None:
        self.line = line
        self.stamp = stamp
        self.is_whole = is_whole and not format_.is_cut
        if len(text) > ENTRY_CHARACTERS:
            text, self.is_whole = text[:ENTRY_CHARACTERS], False
        self.text = text
        self.has_levels = format_.has_levels
        self.format = format_
        self.more: list[str] | None = None
        self._header = None
        self.key = format_.key if format_.wraps else None
        self.rest: str | None = None  # what the next line brings of a line that the runtime cut

    @property
    def header(self) -> Header:
        if self._header is None:
            self._header = read_header(self.format, self.text)
        return self._header

    @property
    def has_columns(self) -> bool:
        return isinstance(self.format, ColumnsFormat)

    def add(self, text: str, is_whole: bool) -> None:
        if self.more is None:
            self.more, self.size = [self.text], len(self.text)
        self.is_whole = self.is_whole and is_whole
        if self.size + len(text) > ENTRY_CHARACTERS:
            self.is_whole = False
            return
        self.size += len(text) + 1
        if self.rest is None:
            self.more.append(text)
        else:
            self.more[-1] += self.rest

    def close(self) -> None:
        """Takes up the lines that were added."""
        if self.more is not None:
            self.text = "\n".join(self.more).rstrip("\n")
            self.more = None
            self._header = None


def _goes_on(one: Wrapped, open_: OpenEntry) -> bool:
    """Whether the line inside, that was just read, belongs to the open entry of the same program, which it may end."""
    if not open_.format.wraps or open_.key is None or open_.key[:-1] != one.key[:-1]:
        return False
    is_begun = open_.key[-1] == "P"
    open_.key, open_.rest = one.key, one.inside if is_begun else None
    return is_begun or _belongs(one.shape, open_)


def _belongs(shape: continuation.Shape, open_: OpenEntry) -> bool:
    """Whether a line of a shape belongs to the open entry; what an entry of a low level does not explain is its own."""
    if shape is continuation.Shape.EXCEPTION:
        level = open_.header.level
        return level is None or level >= Level.WARN
    return shape is continuation.Shape.PART


def _with_stamps(waiting: list[Entry], clock: Clock) -> Iterator[Entry]:
    for entry in waiting:
        if isinstance(entry.stamp, Unsettled):
            entry.stamp = clock.settled(entry.stamp)
        yield entry


def read_entries(lines: Iterable[tuple[str, bool]], context: Context) -> EntryReader:
    """The entries of an input's lines; each line comes with whether it is whole."""
    return EntryReader(lines, context)
