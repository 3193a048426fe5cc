"""Entries that are a JSON object a line, of every dialect (R18)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from domain.evidence.search import Header
from domain.language.levels import Level, Scale, level_of, level_of_letter, level_of_number
from infra.log_reading.formats.clock import Clock, Found
from infra.log_reading.formats.dialects import (
    ACCESS_KEYS,
    BATCHES,
    DIALECTS,
    HINT_KEYS,
    LEVEL_KEYS,
    MESSAGE_KEYS,
    NAME_KEYS,
    REQUEST_KEYS,
    TIME_KEYS,
    Dialect,
    plain_key,
)
from infra.log_reading.formats.escapes import without_escapes
from infra.log_reading.formats.json_values import Fields, Member, Number, members, read_json, written
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken, ReadInner
from infra.log_reading.formats.stamps import FORMS

_ANY = re.compile(FORMS["any"].pattern)
_EPOCH = re.compile(r"\d{9,19}(?:\.\d{1,9})?")
_VALUE_KINDS = ("stringValue", "intValue", "doubleValue", "boolValue")
_TIME_DIGITS = 8
_NAME_CHARACTERS = 256


class JsonFormat:
    """Objects a line. A line that begins like one and is none is text."""

    wraps = False
    is_cut = False
    late = False
    part_of = ""
    begins = r"\{"
    key: tuple[str | None, ...] = ()

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
        shape = _shape_of(tuple(fields))
        if shape.is_batch and any(isinstance(fields.get(key), list) and fields[key] for key in BATCHES):
            return NOT_TAKEN
        dialect = shape.dialect
        self.name, self.service = (dialect.name, dialect.service) if dialect else ("JSON", "")
        self.has_levels = shape.has_levels
        self.is_cut = dialect is not None and dialect.name == "journal" and fields.get("MESSAGE") is None
        for path in shape.time:
            value = _at(fields, path)
            if value is None:
                continue
            if line.count(f'"{path[-1]}"') > 1 and _is_repeated(line, path):
                return None
            if (found := time_of(value, clock)) is not None:
                return found
        return _joined(fields, shape, clock)

    def continues(self, _line: str) -> bool:
        return False

    def read(self, text: str) -> Header:
        first, _, more = text.partition("\n")
        header = self.read_whole(first)
        return replace(header, message=f"{header.message}\n{more}") if more else header

    def read_whole(self, text: str) -> Header:
        """The header of an object on one line or several."""
        try:
            fields = read_json(text)
        except ValueError:
            return Header(message=text)
        return header_of(fields, self.read_inner) if isinstance(fields, Fields) else Header(message=text)


def _loads(line: str) -> dict[str, Any] | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(line, strict=False)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


class _Shape:
    """What the keys of an object say of it: its dialect, and where its time may stand."""

    __slots__ = ("dialect", "has_levels", "is_batch", "pair", "time")

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.dialect = _dialect_of(frozenset(keys))
        plain = {plain_key(key): key for key in reversed(keys)}
        usual = [(plain[key],) for key in TIME_KEYS if key in plain]
        marked = [tuple(path.split(".")) if path not in keys else (path,) for path in _times(self.dialect)]
        self.is_batch = not BATCHES.isdisjoint(keys) and not usual and not marked
        self.time: list[tuple[str, ...]] = list(dict.fromkeys([*marked, *usual]))
        self.pair = (plain["date"], plain["time"]) if {"date", "time"} <= plain.keys() else None
        has_level = any(key in plain for key in LEVEL_KEYS) or any(key.startswith("log") for key in plain)
        is_access = bool(ACCESS_KEYS & plain.keys() and REQUEST_KEYS & plain.keys()) and not has_level
        self.has_levels = self.dialect.has_levels if self.dialect else not is_access


def _times(dialect: Dialect | None) -> tuple[str, ...]:
    return dialect.time if dialect else ()


@lru_cache(maxsize=1024)
def _shape_of(keys: tuple[str, ...]) -> _Shape:
    return _Shape(keys)


@lru_cache(maxsize=1024)
def _dialect_of(keys: frozenset[str]) -> Dialect | None:
    return next((dialect for dialect in DIALECTS if dialect.marks <= keys), None)


def _at(fields: dict[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = fields
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _is_repeated(line: str, path: tuple[str, ...]) -> bool:
    """Whether an object gives the field twice with different values."""
    try:
        fields = read_json(line)
    except ValueError:
        return True
    values = {str(member.value) for member in members(fields) if member.path == ".".join(path)}
    return len(values) > 1


def _joined(fields: dict[str, Any], shape: _Shape, clock: Clock) -> Found:
    """The stamp of a date and a time of day in two fields."""
    if shape.pair is None:
        return None
    date, time = (fields.get(key) for key in shape.pair)
    return time_of(f"{date} {time}", clock) if isinstance(date, str) and isinstance(time, str) else None


def time_of(value: Any, clock: Clock) -> Found:
    """The stamp of a value: a written time, a number since 1970, or an object that holds one."""
    if isinstance(value, dict):
        return _time_of_object(value, clock)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return clock.epoch(value) if value > 0 else None
    if isinstance(value, float):
        return clock.epoch(value) if value > 0 else None
    if not isinstance(value, str):
        return None
    text = value.strip()
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


# ---------------------------------------------------------------- the header


def header_of(fields: Fields, read_inner: ReadInner) -> Header:
    """The header of an object: fields without a role stay in the message as `key=value`."""
    dialect = _dialect_of(frozenset(fields))
    every = _merged(members(fields))
    by_path = {member.path: member for member in reversed(every)}
    level_path, level, said = _level(dialect, by_path)
    names, hints = _names(dialect, by_path), _hints(dialect, by_path)
    message_path = _first(by_path, dialect.message if dialect else (), MESSAGE_KEYS)
    text = without_escapes(_text(by_path[message_path].value)).rstrip("\n") if message_path else ""
    inner = read_inner(text) if text and (dialect is None or dialect.inner) else None
    repeated = _repeated(fields)
    if inner is not None:
        text, names, hints = inner.message, {**names, **dict.fromkeys(inner.names, "")}, [*hints, *inner.hints]
        if inner.level is not None and (level is None or dialect is None or dialect.inner):
            level, said = inner.level, inner.level_text
    if level is None and not said and dialect is not None and dialect.absent is not None:
        level = dialect.absent
    if level_path is not None and any(name.split(".")[-1] == level_path.split(".")[-1] for name in repeated):
        level = None
    time_path = _time_path(fields, by_path)
    dropped = {level_path, time_path, *names.values()} - set(repeated) | {message_path}
    rest = [
        f"{member.path}={written(member.value)}"
        for member in every
        if member.path not in dropped or member is not by_path[member.path]
        if time_path is None or not member.path.startswith(f"{time_path}.")
    ]
    return Header(
        level=level,
        level_text=said,
        names=tuple(names),
        hints=tuple(dict.fromkeys(hints)),
        message=" ".join(part for part in (text, *rest) if part),
        repeated_keys=tuple(dict.fromkeys([*repeated, *(inner.repeated_keys if inner else ())])),
    )


def _merged(every: list[Member]) -> list[Member]:
    """Attributes of OpenTelemetry, given as a list of keys and values, become members of their own."""
    found: list[Member] = []
    for member in every:
        if isinstance(member.value, list) and member.value and all(_is_attribute(one) for one in member.value):
            prefix = member.path.removesuffix(".attributes") if member.path.startswith("resource") else member.path
            found += [Member(f"{prefix}.{one['key']}", plain_value(one["value"])) for one in member.value]
        else:
            path, _, kind = member.path.rpartition(".")
            found.append(Member(path, member.value) if kind in _VALUE_KINDS else member)
    return found


def _is_attribute(value: Any) -> bool:
    return isinstance(value, Fields) and "key" in value and isinstance(value.get("value"), Fields)


def plain_value(value: Any) -> Any:
    """What an OpenTelemetry value holds: `{"stringValue": "a"}` is `a`."""
    if isinstance(value, Fields) and len(value) == 1:
        key, inner = next(iter(value.items()))
        if key.endswith("Value") and not isinstance(inner, Fields):
            return inner
    return value


def _level(dialect: Dialect | None, by_path: dict[str, Member]) -> tuple[str | None, Level | None, str]:
    """Where the level stands, which it is, and what is written there."""
    first: tuple[str | None, Level | None, str] = (None, None, "")
    for path in _paths(by_path, dialect.level if dialect else (), LEVEL_KEYS):
        value = by_path[path].value
        scale = dialect.scale if dialect else None
        if dialect is not None and dialect.name == "journal" and not _is_priority(by_path):
            continue
        level = level_value(value, scale)
        if level is not None:
            return path, level, _text(value)
        if first[0] is None and isinstance(value, str):
            first = (path, None, _text(value))
    return first


def _is_priority(by_path: dict[str, Member]) -> bool:
    """Whether a unit gave its priority itself: what is written to standard output is given 6 by the journal."""
    transport, priority = by_path.get("_TRANSPORT"), by_path.get("PRIORITY")
    return not (transport and priority and transport.value == "stdout" and str(priority.value) == "6")


def level_value(value: Any, scale: Scale | None) -> Level | None:
    if isinstance(value, str) and not isinstance(value, Number):
        word = value.strip()
        if word.isdigit():
            return level_of_number(int(word), scale) if scale is not None and len(word) < 6 else None
        if len(word) == 1 or (len(word) == 2 and word[0] == "D"):
            return level_of_letter(word[0])
        return level_of(word)
    if isinstance(value, Number) and scale is not None and re.fullmatch(r"-?\d{1,5}", value):
        return level_of_number(int(value), scale)
    return None


def _paths(by_path: dict[str, Member], marked: Iterable[str], usual: tuple[str, ...]) -> list[str]:
    """The paths that are there: those of the dialect, then those with a usual name."""
    plain: dict[str, str] = {}
    for path in by_path:
        plain.setdefault(plain_key(path), path)
    found = [path for path in marked if path in by_path] + [plain[key] for key in usual if key in plain]
    return [path for path in dict.fromkeys(found) if by_path[path].value not in (None, "")]


def _first(by_path: dict[str, Member], marked: Iterable[str], usual: tuple[str, ...]) -> str | None:
    return next(iter(_paths(by_path, marked, usual)), None)


def _names(dialect: Dialect | None, by_path: dict[str, Member]) -> dict[str, str]:
    """Names of the service and where each stands."""
    paths = _paths(by_path, dialect.names if dialect else (), NAME_KEYS)
    return {by_path[path].value: path for path in paths if _is_name(by_path[path].value)}


def _hints(dialect: Dialect | None, by_path: dict[str, Member]) -> list[str]:
    paths = _paths(by_path, dialect.hints if dialect else (), HINT_KEYS)
    return [by_path[path].value for path in paths if _is_name(by_path[path].value)]


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Number) and 0 < len(value) <= _NAME_CHARACTERS


def _time_path(fields: Fields, by_path: dict[str, Member]) -> str | None:
    """Where the stamp stands: the first of the fields for it that holds as much as a time."""
    for path in _shape_of(tuple(fields)).time:
        joined = ".".join(path)
        value = by_path[joined].value if joined in by_path else _at(fields, path)
        if sum(mark.isdigit() for mark in _text(value)) >= _TIME_DIGITS:
            return joined
    return None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(one, Number) and one.isdecimal() for one in value):
        return _decoded(value)
    return written(value)


def _decoded(numbers: list[Number]) -> str:
    """Text that the journal gives as the numbers of its bytes, where it is not all UTF-8."""
    try:
        return bytes(map(int, numbers)).decode(errors="replace")
    except ValueError:
        return written(numbers)


def _repeated(fields: Fields, prefix: str = "") -> list[str]:
    """Paths of the keys that an object gives more than once."""
    found = []
    if len(fields) != len(fields.pairs):
        keys = [key for key, _ in fields.pairs]
        found = [f"{prefix}{key}" for key in fields if keys.count(key) > 1]
    for key, value in fields.items():
        if isinstance(value, Fields):
            found += _repeated(value, f"{prefix}{key}.")
    return found
