"""Entries that are `key=value` pairs, as logfmt (R18)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial

from domain.evidence.search import Header
from infra.log_reading.formats.clock import Clock, Found
from infra.log_reading.formats.dialects import LEVEL_KEYS, TIME_KEYS, plain_key
from infra.log_reading.formats.fields import header_of, level_value, quick_header
from infra.log_reading.formats.json_lines import time_of
from infra.log_reading.formats.json_values import Fields
from infra.log_reading.formats.roles import roles_of
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken, ReadInner

PAIR = re.compile(r'(?<![\w.@/-])([A-Za-z_@][\w.@/-]{0,63})=("(?:[^"\\]|\\.){0,65536}"|\S*)')
_HEAD = re.compile(r'([A-Za-z_@][\w.@-]{0,63})=("[^"\\]{0,64}"|[^\s"]{1,64})(?=\s|$)')
_PAIRS_BEFORE_TIME = 12


class PairsFormat:
    """Pairs a line, of which one is the time. A line of pairs without one is undated."""

    wraps = False
    is_cut = False
    late = False
    part_of = ""
    begins = "[A-Za-z_@]"
    key: tuple[str | None, ...] = ()
    is_timed = False
    name = "logfmt"
    service = ""
    has_levels: bool | None = True

    def __init__(self, read_inner: ReadInner) -> None:
        self._read_inner = read_inner

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        found = _HEAD.match(line)
        if found is None:
            return NOT_TAKEN
        if plain_key(found[1]) in TIME_KEYS and (stamp := time_of(found[2].strip('"'), clock)) is not None:
            return stamp
        return self._stamp_of_pairs(line, clock)

    def _stamp_of_pairs(self, line: str, clock: Clock) -> Found | NotTaken:
        is_entry = False
        for number, found in enumerate(PAIR.finditer(line)):
            key = plain_key(found[1])
            if key in TIME_KEYS and (stamp := time_of(unquoted(found[2]), clock)) is not None:
                return stamp
            is_entry = is_entry or (key in LEVEL_KEYS and level_value(unquoted(found[2]), None) is not None)
            if number >= _PAIRS_BEFORE_TIME:
                break
        return None if is_entry else NOT_TAKEN

    def continues(self, _line: str) -> bool:
        return False

    def header_if(self, text: str) -> Header | None:
        """None: only the stamp shows whether a text is of this format."""

    def read(self, text: str) -> Header:
        first, _, more = text.partition("\n")
        if not more:
            return self._quick(first) or header_of_pairs(first, self._read_inner)
        header = header_of_pairs(first, self._read_inner)
        return replace(header, message=f"{header.message}\n{more}")

    def _quick(self, line: str) -> Header | None:
        """The header where no key stands twice."""
        pairs = PAIR.findall(line)
        values = {key: unquoted(value) for key, value in pairs}
        if len(values) != len(pairs):
            return None
        keys = tuple(values)
        return quick_header(values, roles_of(keys, keys), self._read_inner, partial(self._message, line))

    def _message(self, line: str) -> str:
        return header_of_pairs(line, self._read_inner).message


def header_of_pairs(text: str, read_inner: ReadInner) -> Header:
    """The header of the pairs of a text and of what stands between them."""
    pairs = [(found[1], unquoted(found[2])) for found in PAIR.finditer(text)]
    fields = Fields(pairs)
    fields.pairs = list(pairs)
    header = header_of(fields, read_inner)
    between = " ".join(PAIR.sub(" ", text).split())
    return replace(header, message=" ".join(part for part in (header.message, between) if part))


def unquoted(value: str) -> str:
    if len(value) < 2 or not value[0] == value[-1] == '"':
        return value
    if "\\" not in value:
        return value[1:-1]
    try:
        return str(json.loads(value, strict=False))
    except ValueError:
        return value[1:-1]
