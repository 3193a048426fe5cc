"""Entries over several lines of which a later one has the stamp: objects on many lines, the journal's export."""

from __future__ import annotations

import re
from typing import Protocol

from domain.evidence.search import Header
from infra.log_reading.formats.clock import Clock, Found
from infra.log_reading.formats.fields import header_of
from infra.log_reading.formats.json_lines import JsonFormat
from infra.log_reading.formats.records import fields_of
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken

_OPENED = re.compile(r"(\s{0,64})\{\s{0,8}$")
_FIELD = re.compile(r"([A-Z_][A-Z0-9_]{0,63})=(.*)")


class Late(Protocol):
    """A format whose stamp is read when the entry is whole."""

    has_levels: bool | None
    is_cut: bool

    def late_stamp(self, text: str, clock: Clock) -> Found: ...


class DocumentFormat:
    """An object printed on several lines, alone or in a list, up to its closing bracket."""

    wraps = False
    is_cut = False
    part_of = ""
    begins = r"[\s{]"
    key: tuple[str | None, ...] = ()
    is_timed = False
    late = True

    def __init__(self, objects: JsonFormat) -> None:
        self.name, self.service = "JSON", ""
        self.has_levels: bool | None = None
        self._objects = objects
        self._end: re.Pattern[str] | None = None

    def stamp(self, line: str, _clock: Clock) -> Found | NotTaken:
        found = _OPENED.match(line)
        if found is None:
            return NOT_TAKEN
        self._end = re.compile(rf"{found[1]}\}}[,\]]?\s{{0,8}}$")
        self.has_levels = None
        return None

    def continues(self, line: str) -> bool:
        if self._end is None:
            return False
        if self._end.match(line):
            self._end = None
        return True

    def late_stamp(self, text: str, clock: Clock) -> Found:
        found = self._objects.stamp(text.strip().rstrip(",]"), clock)
        if isinstance(found, NotTaken):
            return None
        self.name, self.service, self.has_levels = self._objects.name, self._objects.service, self._objects.has_levels
        self.is_cut = self._objects.is_cut
        return found

    def read(self, text: str) -> Header:
        return self._objects.read_whole(text.strip().rstrip(",]"))


class ExportFormat:
    """The journal's export: a field a line, a blank line behind each entry."""

    name = "journal export"
    service = ""
    has_levels: bool | None = False
    wraps = False
    is_cut = False
    part_of = ""
    begins = "_"
    key: tuple[str | None, ...] = ()
    is_timed = False
    late = True

    def __init__(self, objects: JsonFormat) -> None:
        self._objects = objects

    def stamp(self, line: str, _clock: Clock) -> Found | NotTaken:
        return None if line.startswith("__CURSOR=") else NOT_TAKEN

    def continues(self, line: str) -> bool:
        return bool(line.strip()) and not line.startswith("__CURSOR=")

    def late_stamp(self, text: str, clock: Clock) -> Found:
        fields = dict(_fields(text))
        written = fields.get("_SOURCE_REALTIME_TIMESTAMP") or fields.get("__REALTIME_TIMESTAMP") or ""
        return clock.epoch(int(written)) if written.isdecimal() and len(written) < 20 else None

    def read(self, text: str) -> Header:
        return header_of(fields_of(_fields(text)), self._objects.read_inner)


def _fields(text: str) -> list[tuple[str, str]]:
    """The fields of an entry; what stands on further lines belongs to the field before."""
    fields: list[tuple[str, str]] = []
    for line in text.split("\n"):
        if found := _FIELD.fullmatch(line):
            fields.append((found[1], found[2]))
        elif fields:
            fields[-1] = (fields[-1][0], f"{fields[-1][1]}\n{line}")
    return fields
