"""Lines whose columns a line before them names: W3C extended logs, and tables with commas, semicolons or tabs (R18)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from domain.evidence.search import Header
from infra.log_reading.formats.cells import row_of
from infra.log_reading.formats.clock import Clock, Found
from infra.log_reading.formats.dialects import (
    HINT_KEYS,
    LEVEL_KEYS,
    MESSAGE_KEYS,
    NAME_KEYS,
    REQUEST_KEYS,
    TIME_KEYS,
    plain_key,
)
from infra.log_reading.formats.fields import header_of
from infra.log_reading.formats.json_lines import time_of
from infra.log_reading.formats.records import fields_of
from infra.log_reading.formats.roles import roles_of
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken, ReadInner

_MOST_COLUMNS = 256


class ColumnsFormat:
    """What both have in common: `names` by how many cells a line has, since a later line may name others."""

    wraps = False
    is_cut = False
    late = False
    part_of = ""
    begins = ""
    key: tuple[str | None, ...] = ()
    is_timed = False
    service = ""

    def __init__(self, name: str, read_inner: ReadInner) -> None:
        self.name = name
        self.has_levels: bool | None = False
        self.read_inner = read_inner
        self.names: dict[int, tuple[str, ...]] = {}

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        raise NotImplementedError

    def continues(self, _line: str) -> bool:
        return False

    def read(self, text: str) -> Header:
        return self.header_if(text) or Header(message=text)

    def header_if(self, text: str) -> Header | None:
        """The header of an entry, each value under the name of its column."""
        pairs = self._pairs(text)
        return header_of(fields_of(pairs), self.read_inner) if pairs else None

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        raise NotImplementedError


_VALUE = re.compile(r'"[^"]{0,65536}"|\S+')


class W3CFormat(ColumnsFormat):
    """The extended log file format, as IIS writes it. Its dates and times are of UTC: the format lays that down."""

    def __init__(self, read_inner: ReadInner) -> None:
        super().__init__("W3C extended", read_inner)
        self._mark = ""

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        if line[:1] == "#":
            return self._named(line)
        if not self.names or not line[:1].isdigit():
            return NOT_TAKEN
        cells = self._cells(line)
        names = self.names.get(len(cells))
        if names is None:
            return NOT_TAKEN
        values = dict(zip(names, cells, strict=True))
        if "date-time" in values:
            return time_of(values["date-time"], clock)
        try:
            return clock.stamp(datetime.fromisoformat(f"{values['date']} {values['time']}"), "Z")
        except (KeyError, ValueError):
            return None

    def _named(self, line: str) -> Found | NotTaken:
        if not line.startswith("#Fields:"):
            return NOT_TAKEN
        rest = line.removeprefix("#Fields:").strip()
        self._mark = "," if "," in rest else ""
        names = tuple(part.strip() for part in (rest.split(",") if self._mark else rest.split()))
        if 2 <= len(names) <= _MOST_COLUMNS:
            self.names[len(names)] = names
        return None

    def _cells(self, line: str) -> list[str]:
        if self._mark:
            return row_of(line, self._mark)
        return line.strip().split("\t") if "\t" in line else _VALUE.findall(line)

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        first, _, more = text.partition("\n")
        cells = self._cells(first)
        names = () if first[:1] == "#" else self.names.get(len(cells), ())
        pairs = [
            (name, cell.strip('"'))
            for name, cell in zip(names, cells, strict=bool(names))
            if name not in ("date", "time") and cell.strip('"') not in ("-", "")
        ]
        return [*pairs, ("more", more)] if more and pairs else pairs


_NAME = r"[A-Za-z_@\u3400-\u9fff][^\",;\t\d]{0,63}"
_HEADINGS = re.compile(rf"\ufeff?(?:{_NAME}|\"{_NAME}\")(?:(?P<mark>[,;\t])(?:{_NAME}|\"{_NAME}\")){{2,}}[,;\t]?$")
_TOLD = frozenset((*LEVEL_KEYS, *NAME_KEYS, *HINT_KEYS, *MESSAGE_KEYS, *REQUEST_KEYS))
_LONGEST_HEADINGS = 4_096
_MOST_LINES = 1_000
"""So many lines a cell may have before its quote counts as one that nobody closed."""


class TableFormat(ColumnsFormat):
    """A table whose first row names the columns, one of them a time: exports of event logs and of other tools. A cell
    in quotes may have several lines; one cell more than there are names is the message, as Windows exports it."""

    def __init__(self, read_inner: ReadInner) -> None:
        super().__init__("table", read_inner)
        self._mark = ","
        self._time: dict[int, int] = {}
        self._open = 0

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        if self.names and (found := self._stamp_of_row(line, clock)) is not NOT_TAKEN:
            return found
        if not self._open and self._mark_in(line) and len(line) <= _LONGEST_HEADINGS:
            return self._named(line)
        return NOT_TAKEN

    @staticmethod
    def _mark_in(line: str) -> bool:
        return line.count(",") > 1 or line.count(";") > 1 or line.count("\t") > 1

    def _named(self, line: str) -> Found | NotTaken:
        found = _HEADINGS.match(line)
        if found is None:
            return NOT_TAKEN
        names = [name.strip() for name in row_of(line.lstrip("\ufeff"), found["mark"])]
        plain = [plain_key(name) for name in names]
        times = [place for key in TIME_KEYS for place, name in enumerate(plain) if name == key]
        if not times or len(set(names)) != len(names) or len(names) > _MOST_COLUMNS or _TOLD.isdisjoint(plain):
            return NOT_TAKEN
        self._mark = found["mark"]
        self.names[len(names)], self._time[len(names)] = tuple(names), times[0]
        if not set(MESSAGE_KEYS) & set(plain):
            self.names[len(names) + 1], self._time[len(names) + 1] = (*names, "message"), times[0]
        self.has_levels = roles_of(tuple(names), tuple(names)).has_levels
        return None

    def _stamp_of_row(self, line: str, clock: Clock) -> Found | NotTaken:
        if self._mark not in line:
            return NOT_TAKEN
        cells, is_open = row_of(line, self._mark), line.count('"') % 2
        places = [count for count in self.names if count == len(cells) or (is_open and count > len(cells))]
        if not places or self._time[places[0]] >= len(cells):
            return NOT_TAKEN
        found = time_of(cells[self._time[places[0]]], clock)
        if found is None:
            return NOT_TAKEN
        self._open = _MOST_LINES if is_open else 0
        return found

    def continues(self, line: str) -> bool:
        if not self._open:
            return False
        self._open = 0 if line.count('"') % 2 else self._open - 1
        return True

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        cells = row_of(text, self._mark)
        names = self.names.get(len(cells))
        if names is None or _is_named(cells, names):
            return []
        return [(name, cell) for name, cell in zip(names, cells, strict=True) if cell]

    def header_if(self, text: str) -> Header | None:
        header = super().header_if(text)
        return replace(header, message=header.message.replace("\r", "")) if header and "\r" in text else header


def _is_named(cells: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the cells are the names themselves."""
    return [cell.strip().lstrip("\ufeff") for cell in cells] == list(names[: len(cells)])
