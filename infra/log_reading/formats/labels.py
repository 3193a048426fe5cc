"""Entries that are labels with values between tabs, as LTSV (R18)."""

from __future__ import annotations

import re
from dataclasses import replace

from domain.evidence.search import Header
from infra.log_reading.formats.clock import Clock, Found
from infra.log_reading.formats.dialects import ACCESS_KEYS, LEVEL_KEYS, TIME_KEYS, plain_key
from infra.log_reading.formats.fields import header_of
from infra.log_reading.formats.json_lines import time_of
from infra.log_reading.formats.records import fields_of
from infra.log_reading.formats.roles import roles_of
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken, ReadInner

_LINE = re.compile(r"[A-Za-z_@][\w.@-]{0,63}:[^\t]*(?:\t+[A-Za-z_@][\w.@-]{0,63}:[^\t]*)+\t*$")
_LEVELS = frozenset(LEVEL_KEYS)
_SHOWING = frozenset((*TIME_KEYS, *LEVEL_KEYS, *ACCESS_KEYS))
"""One of these is a label of every entry: other lines may have tabs and colons, too."""


class LabelsFormat:
    """`time:[17/Mar/2026:10:00:42 +0800]<tab>host:10.1.2.3<tab>status:200`."""

    wraps = False
    is_cut = False
    late = False
    part_of = ""
    begins = "[A-Za-z_@]"
    key: tuple[str | None, ...] = ()
    is_timed = False
    name = "LTSV"
    service = ""

    def __init__(self, read_inner: ReadInner) -> None:
        self.has_levels: bool | None = False
        self._read_inner = read_inner

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        pairs = _pairs(line)
        labels = {plain_key(label): value for label, value in pairs}
        if _SHOWING.isdisjoint(labels):
            return NOT_TAKEN
        keys = tuple(label for label, _ in pairs)
        is_request = not ACCESS_KEYS.isdisjoint(labels) and _LEVELS.isdisjoint(labels)
        self.has_levels = not is_request and roles_of(keys, keys).has_levels
        for key in TIME_KEYS:
            if key in labels and (found := time_of(labels[key], clock)) is not None:
                return found
        return None

    def continues(self, _line: str) -> bool:
        return False

    def read(self, text: str) -> Header:
        return self.header_if(text) or Header(message=text)

    def header_if(self, text: str) -> Header | None:
        first, _, more = text.partition("\n")
        pairs = _pairs(first)
        if _SHOWING.isdisjoint(plain_key(label) for label, _ in pairs):
            return None
        header = header_of(fields_of(pairs), self._read_inner)
        return replace(header, message=f"{header.message}\n{more}") if more else header


def _pairs(line: str) -> list[tuple[str, str]]:
    """The labels of a line with their values; none if it is anything else."""
    if "\t" not in line or _LINE.match(line) is None:
        return []
    parts = (part.partition(":") for part in line.split("\t") if part)
    return [(label, value) for label, _, value in parts if value not in ("", "-")]
