"""Entries that are a JSON object a line, of every dialect (R18)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from domain.evidence.search import Header
from infra.log_reading.formats.clock import Clock, Found
from infra.log_reading.formats.dialects import BATCHES
from infra.log_reading.formats.fields import header_of, quick_header, value_at
from infra.log_reading.formats.json_values import Fields, members, read_json
from infra.log_reading.formats.roles import SPACED_COLON, Roles, roles_of
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken, ReadInner
from infra.log_reading.formats.stamps import FORMS

_ANY = re.compile(FORMS["any"].pattern)
_EPOCH = re.compile(r"\d{9,19}(?:\.\d{1,9})?")
_LISTED = ("OpenTelemetry",)
"""Dialects that may give fields as lists of keys and values."""


class JsonFormat:
    """Objects a line. A line that begins like one and is none is text."""

    wraps = False
    is_cut = False
    late = False
    part_of = ""
    begins = r"\{"
    key: tuple[str | None, ...] = ()
    is_timed = False

    def __init__(self, read_inner: ReadInner) -> None:
        self.name = "JSON"
        self.service = ""
        self.has_levels: bool | None = True
        self.read_inner = read_inner

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        if line[:1] != "{":
            return NOT_TAKEN
        fields = _loads(line)
        if fields is None:
            return NOT_TAKEN
        keys = tuple(fields)
        roles = roles_of(keys, keys)
        if roles.is_batch and any(isinstance(fields.get(key), list) and fields[key] for key in BATCHES):
            return NOT_TAKEN
        dialect = roles.dialect
        self.name, self.service, self.has_levels = dialect.name, dialect.service, roles.has_levels
        self.is_cut = dialect.name == "journal" and fields.get("MESSAGE") is None
        for path in roles.time:
            value = value_at(fields, path)
            if value is None:
                continue
            if line.count(f'"{path[-1]}"') > 1 and _is_repeated(line, path):
                return None
            if (found := time_of(value, clock)) is not None:
                return found
        return _joined(fields, roles, clock)

    def continues(self, _line: str) -> bool:
        return False

    def read(self, text: str) -> Header:
        return self.header_if(text) or Header(message=text)

    def header_if(self, text: str) -> Header | None:
        """The header of an entry; None for one that is no object."""
        if text[:1] != "{":
            return None
        if "\n" not in text:
            return self._quick(text) or self._whole(text)
        first, _, more = text.partition("\n")
        header = self._whole(first)
        return replace(header, message=f"{header.message}\n{more}") if header and more else header

    def read_whole(self, text: str) -> Header:
        """The header of an object on one line or several."""
        return self._whole(text) or Header(message=text)

    def _whole(self, text: str) -> Header | None:
        try:
            fields = read_json(text)
            return header_of(fields, self.read_inner) if isinstance(fields, Fields) else None
        except (ValueError, RecursionError):
            return None

    def _quick(self, line: str) -> Header | None:
        """The header by a parser that is quick, but loses repeated keys: where there may be one, it gives None."""
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError:
            return None
        try:
            keys = _keys_of(fields)
        except RecursionError:
            return None
        if line.count('":') != keys or SPACED_COLON.search(line):
            return None
        values = _flat(fields)
        roles = roles_of(tuple(fields), tuple(values))
        if roles.is_batch or roles.dialect.name in _LISTED:
            return None
        return quick_header(values, roles, self.read_inner, partial(self._message, line))

    def _message(self, line: str) -> str:
        return self.read_whole(line).message


def _loads(line: str) -> dict[str, Any] | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(line, strict=False)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _keys_of(value: Any) -> int:
    """How many keys stand in a value."""
    if type(value) is dict:
        return len(value) + sum(_keys_of(one) for one in value.values() if type(one) in (dict, list))
    if type(value) is list:
        return sum(_keys_of(one) for one in value if type(one) in (dict, list))
    return 0


def _flat(fields: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Members by their paths, as `json_values.members` gives them."""
    if not any(type(value) is dict for value in fields.values()):
        return {f"{prefix}{key}": value for key, value in fields.items()} if prefix else fields
    flat: dict[str, Any] = {}
    for key, value in fields.items():
        if type(value) is dict and value and prefix.count(".") < _DEPTH:
            for path, inner in _flat(value, f"{prefix}{key}.").items():
                flat.setdefault(path, inner)
        else:
            flat.setdefault(f"{prefix}{key}", value)
    return flat


_DEPTH = 12


def _is_repeated(line: str, path: tuple[str, ...]) -> bool:
    """Whether an object gives the field twice with different values."""
    try:
        fields = read_json(line)
    except ValueError:
        return True
    values = {str(member.value) for member in members(fields) if member.path == ".".join(path)}
    return len(values) > 1


def _joined(fields: dict[str, Any], roles: Roles, clock: Clock) -> Found:
    """The stamp of a date and a time of day in two fields."""
    if roles.pair is None:
        return None
    date, time = (fields.get(key) for key in roles.pair)
    return time_of(f"{date} {time}", clock) if isinstance(date, str) and isinstance(time, str) else None


def time_of(value: Any, clock: Clock) -> Found:
    """The stamp of a value: a written time, a number since 1970, or an object that holds one."""
    if isinstance(value, str):
        return _written_time(value.strip(), clock)
    if isinstance(value, dict):
        return _time_of_object(value, clock)
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return clock.epoch(value)
    return None


def _written_time(text: str, clock: Clock) -> Found:
    if _EPOCH.fullmatch(text):
        return FORMS["epoch"].read(clock, text)
    is_iso = text[:1].isdigit() and text[4:5] == "-" and text[10:11] in ("T", " ")
    if is_iso and (found := FORMS["year"].read(clock, text)) is not None:
        return found
    found_text = _ANY.fullmatch(text.strip("[]"))
    return FORMS["any"].read(clock, found_text[0]) if found_text else None


def _time_of_object(value: dict[str, Any], clock: Clock) -> Found:
    if "$date" in value:
        date = value["$date"]
        return time_of(date.get("$numberLong") if isinstance(date, dict) else date, clock)
    for seconds, nanos in (("epochSecond", "nanoOfSecond"), ("seconds", "nanos")):
        if isinstance(value.get(seconds), int | str) and str(value[seconds]).isdigit():
            return clock.epoch(int(value[seconds]), int(value.get(nanos) or 0) // 1000)
    return None
