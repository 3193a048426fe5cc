"""The formats at work on one input: which of them takes a line, and what its entries say of themselves."""

from __future__ import annotations

import re
from typing import Protocol, cast

from domain.evidence.search import Header
from infra.log_reading.formats.clock import Clock, Found
from infra.log_reading.formats.columns import ColumnsFormat, TableFormat, W3CFormat
from infra.log_reading.formats.context import Context
from infra.log_reading.formats.documents import DocumentFormat, ExportFormat
from infra.log_reading.formats.escapes import without_escapes
from infra.log_reading.formats.json_lines import JsonFormat
from infra.log_reading.formats.labels import LabelsFormat
from infra.log_reading.formats.layout import read_layout
from infra.log_reading.formats.pairs import PairsFormat
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken, RowFormat
from infra.log_reading.formats.tables import ROWS
from infra.log_reading.formats.wrapped import WRAPPINGS, DockerFormat, WrappedFormat

HEAD_CHARACTERS = 2_048
"""A format shows itself within so many characters of a line."""
_HEAD_OF_PAIR = 65
_BEGINNINGS = 512
_TIME_LIKE = re.compile(r"\d:\d|\d{6}|\d\.\d\d\.\d|^@4")
"""In every stamp that a row of data has a form for."""


class Format(Protocol):
    """How the entries of one format are read. `stamp` sets `has_levels` and `service` of the line it took."""

    name: str
    service: str
    has_levels: bool | None
    wraps: bool
    part_of: str
    begins: str
    is_timed: bool
    late: bool
    is_cut: bool
    key: tuple[str | None, ...]

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken: ...

    def continues(self, line: str) -> bool: ...

    def read(self, text: str) -> Header: ...


class Reading(Protocol):
    """A format that gives the header of a text that is of it, None for any other."""

    def header_if(self, text: str) -> Header | None: ...

    def read(self, text: str) -> Header: ...


class TextFormat:
    """Lines of no format: a level may stand in front of them all the same."""

    name = "text"
    service = ""
    has_levels: bool | None = None
    wraps = False
    is_cut = False
    part_of = ""
    begins = ""
    is_timed = False
    late = False
    key: tuple[str | None, ...] = ()

    def stamp(self, _line: str, _clock: Clock) -> Found | NotTaken:
        return NOT_TAKEN

    def continues(self, _line: str) -> bool:
        return False

    def header_if(self, text: str) -> Header | None:
        """None: any text may be of a format."""

    def read(self, text: str) -> Header:
        layout = read_layout(text)
        return layout.header


TEXT = TextFormat()


class Formats:
    """The formats at work on one input, and on the lines inside of lines."""

    def __init__(self, context: Context, *, with_wrappings: bool) -> None:
        inside = Formats(context, with_wrappings=False) if with_wrappings else self
        wrapped = [WrappedFormat(wrapping, inside) for wrapping in WRAPPINGS] if with_wrappings else []
        self.objects = JsonFormat(inside.inner_header)
        documents: list[Format] = [DocumentFormat(self.objects), ExportFormat(self.objects)] if with_wrappings else []
        read = inside.inner_header
        tables: list[ColumnsFormat] = [W3CFormat(read), TableFormat(read)] if with_wrappings else []
        self.all: tuple[Format, ...] = (
            *([DockerFormat(inside)] if with_wrappings else []),
            self.objects,
            *documents,
            *tables,
            *wrapped,
            *(RowFormat(row, inside) for row in ROWS),
            LabelsFormat(read),
            PairsFormat(read),
        )
        self.last: Format = TEXT
        self._beginning: dict[tuple[str, bool], tuple[Format, ...]] = {}
        self._reading: Reading = TEXT
        self._clock = Clock(context)

    @property
    def has_levels(self) -> bool | None:
        return self.last.has_levels

    @property
    def service(self) -> str:
        return self.last.service

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        """The stamp of a line by the first format that takes it, which is `last` then."""
        found = self.last.stamp(line, clock)
        if found is not NOT_TAKEN:
            return found
        first = line[:1]
        kind = first, _TIME_LIKE.search(line, 0, HEAD_CHARACTERS) is not None
        for one in self._beginning.get(kind) or self._with(*kind):
            found = one.stamp(line, clock)
            if found is not NOT_TAKEN:
                self.last = one
                return found
        return NOT_TAKEN

    def _with(self, first: str, is_timed: bool) -> tuple[Format, ...]:
        """The formats of which a line may begin with a character, and hold digits like a time or not."""
        begun = (one for one in self.all if not one.begins or re.match(one.begins, first))
        found = tuple(one for one in begun if is_timed or not one.is_timed)
        if len(self._beginning) < _BEGINNINGS:
            self._beginning[first, is_timed] = found
        return found

    def header(self, text: str) -> Header:
        """The header of an entry of any format or of none."""
        text = without_escapes(text)
        return self._header_if(text) or TEXT.read(text)

    def inner_header(self, text: str) -> Header | None:
        """The header of text that may be an entry; None where it is only text, without a level."""
        if (found := self._header_if(text)) is not None:
            return found
        header = TEXT.read(text)
        return header if header.level is not None else None

    def _header_if(self, text: str) -> Header | None:
        """The header of an entry of a known format; the format that read the last one is tried first."""
        if (found := self._reading.header_if(text)) is not None:
            return found
        if text[:1].islower() and "=" not in text[:_HEAD_OF_PAIR] and not _TIME_LIKE.search(text, 0, HEAD_CHARACTERS):
            return None
        if self.stamp(text.partition("\n")[0], self._clock) is NOT_TAKEN:
            return None
        self._reading = cast("Reading", self.last)
        return self.last.read(text)


def read_header(one: Format, text: str) -> Header:
    return one.read(without_escapes(text))
