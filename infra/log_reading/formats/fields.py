"""Headers of structured entries: level and service at once, the message with all other fields when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from domain.evidence.search import Header
from domain.language.levels import Level, Scale, level_of, level_of_letter, level_of_number
from infra.log_reading.formats.escapes import without_escapes
from infra.log_reading.formats.json_values import Fields, Member, Number, members, written
from infra.log_reading.formats.roles import Roles, roles_of
from infra.log_reading.formats.row import ReadInner

_VALUE_KINDS = ("stringValue", "intValue", "doubleValue", "boolValue")
_TIME_DIGITS = 8
_NAME_CHARACTERS = 256
_INTEGER = re.compile(r"-?\d{1,5}")


class LateHeader(Header):
    """A header whose message is put together when it is asked for."""

    __slots__ = ("_read_message",)
    _read_message: Callable[[], str]

    def __init__(
        self,
        level: Level | None,
        level_text: str,
        names: tuple[str, ...],
        hints: tuple[str, ...],
        read_message: Callable[[], str],
        other_levels: tuple[Level, ...] = (),
    ) -> None:
        for name, value in (("level", level), ("level_text", level_text), ("names", names), ("hints", hints)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "repeated_keys", ())
        object.__setattr__(self, "labels", ())
        object.__setattr__(self, "other_levels", other_levels)
        object.__setattr__(self, "_read_message", read_message)

    @property
    def message(self) -> str:
        return self._read_message()


def quick_header(
    values: Mapping[str, Any], roles: Roles, read_inner: ReadInner, read_message: Callable[[], str]
) -> Header:
    """The header of members none of which is given twice, by their paths."""
    dialect = roles.dialect
    _, level, said = _level(values, roles)
    others = _other_levels(values, roles, level)
    names, hints = _names(values, roles), _hints(values, roles)
    inner, path = None, _message_path(values, roles)
    if path and ((is_inner := _holds_entry(roles, level)) or _is_object(values[path])):
        inner = read_inner(without_escapes(_text(values[path])).rstrip("\n"))
    if inner is not None:
        names, hints = {**names, **dict.fromkeys(inner.names, "")}, [*hints, *inner.hints]
        if not is_inner:
            others = _differing(level, (*others, inner.level))
        elif inner.level is not None:
            level, said = inner.level, inner.level_text
    if level is None and not said:
        level = dialect.absent
    return LateHeader(level, said, tuple(names), tuple(dict.fromkeys(hints)), read_message, others)


def header_of(fields: Fields, read_inner: ReadInner) -> Header:
    """The header of an object: fields without a role stay in the message as `key=value`."""
    every = _merged(members(fields))
    values = {member.path: member.value for member in reversed(every)}
    first = {member.path: member for member in reversed(every)}
    roles = roles_of(tuple(fields), tuple(dict.fromkeys(member.path for member in every)))
    dialect = roles.dialect
    level_path, level, said = _level(values, roles)
    names, hints = _names(values, roles), _hints(values, roles)
    message_path = _message_path(values, roles)
    text = without_escapes(_text(values[message_path])).rstrip("\n") if message_path else ""
    others = _other_levels(values, roles, level)
    is_inner = _holds_entry(roles, level)
    inner = read_inner(text) if text and (is_inner or _is_object(text)) else None
    if inner is not None:
        names, hints = {**names, **dict.fromkeys(inner.names, "")}, [*hints, *inner.hints]
        if not is_inner:
            others = _differing(level, (*others, inner.level))
        else:
            text = inner.message
            level, said = (inner.level, inner.level_text) if inner.level is not None else (level, said)
    if level is None and not said:
        level = dialect.absent
    repeated = repeated_keys(fields)
    if level_path is not None and any(name.split(".")[-1] == level_path.split(".")[-1] for name in repeated):
        level = None
    time_path = _time_path(fields, values, roles)
    dropped = {level_path, time_path, *names.values()} - set(repeated) | {message_path}
    rest = [
        f"{member.path}={written(member.value)}"
        for member in every
        if member.path not in dropped or member is not first[member.path]
        if time_path is None or not member.path.startswith(f"{time_path}.")
    ]
    return Header(
        level=level,
        level_text=said,
        names=tuple(names),
        hints=tuple(dict.fromkeys(hints)),
        message=" ".join(part for part in (text, *rest) if part),
        repeated_keys=tuple(dict.fromkeys([*repeated, *(inner.repeated_keys if inner else ())])),
        other_levels=others,
    )


def _holds_entry(roles: Roles, level: Level | None) -> bool:
    """Whether the message is the entry itself, and the object around it no more than a wrapping."""
    return roles.dialect.inner or (level is None and not roles.dialect.marks)


def _is_object(message: Any) -> bool:
    return isinstance(message, str) and message[:1] == "{"


def _other_levels(values: Mapping[str, Any], roles: Roles, level: Level | None) -> tuple[Level, ...]:
    """What further fields for a level say where it is not the same: of a program, and of what sent it on."""
    if len(roles.level) < 2 or level is None:
        return ()
    return _differing(level, (level_value(values[path], roles.dialect.scale) for path in roles.level))


def _differing(level: Level | None, found: Iterable[Level | None]) -> tuple[Level, ...]:
    return tuple(dict.fromkeys(one for one in found if one is not None and one != level))


def _merged(every: list[Member]) -> list[Member]:
    """Attributes of OpenTelemetry, given as a list of keys and values, become members of their own."""
    found: list[Member] = []
    for member in every:
        if isinstance(member.value, list) and member.value and all(map(is_attribute, member.value)):
            prefix = member.path.removesuffix(".attributes") if member.path.startswith("resource") else member.path
            found += [Member(f"{prefix}.{one['key']}", _plain_value(one["value"])) for one in member.value]
        else:
            path, _, kind = member.path.rpartition(".")
            found.append(Member(path, member.value) if kind in _VALUE_KINDS else member)
    return found


def is_attribute(value: Any) -> bool:
    """Whether a value is a key with a value, as OpenTelemetry writes attributes."""
    return isinstance(value, dict) and "key" in value and isinstance(value.get("value"), dict)


def _plain_value(value: Any) -> Any:
    """What an OpenTelemetry value holds: `{"stringValue": "a"}` is `a`."""
    if isinstance(value, Fields) and len(value) == 1:
        key, inner = next(iter(value.items()))
        if key.endswith("Value") and not isinstance(inner, Fields):
            return inner
    return value


def _level(values: Mapping[str, Any], roles: Roles) -> tuple[str | None, Level | None, str]:
    """Where the level stands, which it is, and what is written there."""
    said: tuple[str | None, Level | None, str] = (None, None, "")
    for path in roles.level:
        value = values[path]
        if value in (None, "") or (path == "PRIORITY" and _is_of_output(values)):
            continue
        level = level_value(value, roles.dialect.scale)
        if level is not None:
            return path, level, _text(value)
        if said[0] is None and isinstance(value, str):
            said = (path, None, _text(value))
    return said


def _is_of_output(values: Mapping[str, Any]) -> bool:
    """Whether the journal gave a priority itself: it gives 6 to all that is written to standard output."""
    return values.get("_TRANSPORT") == "stdout" and str(values.get("PRIORITY")) == "6"


def level_value(value: Any, scale: Scale | None) -> Level | None:
    """The level of a word, a letter or, with a scale, a number; None for what is none."""
    if isinstance(value, str) and not isinstance(value, Number):
        word = value.strip()
        if not word.isdigit():
            return level_of_letter(word[0]) if len(word) == 1 or (len(word) == 2 and word[0] == "D") else level_of(word)
    if scale is None or isinstance(value, bool) or not isinstance(value, str | int):
        return None
    number = str(value).strip()
    return level_of_number(int(number), scale) if _INTEGER.fullmatch(number) else None


def _message_path(values: Mapping[str, Any], roles: Roles) -> str | None:
    return next((path for path in roles.message if values[path] not in (None, "")), None)


def _names(values: Mapping[str, Any], roles: Roles) -> dict[str, str]:
    """Names of the service and where each stands."""
    return {values[path]: path for path in roles.names if _is_name(values[path])}


def _hints(values: Mapping[str, Any], roles: Roles) -> list[str]:
    return [values[path] for path in roles.hints if _is_name(values[path])]


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Number) and 0 < len(value) <= _NAME_CHARACTERS


def _time_path(fields: Fields, values: Mapping[str, Any], roles: Roles) -> str | None:
    """Where the stamp stands: the first of the fields for it that holds as much as a time."""
    for path in roles.time:
        joined = ".".join(path)
        value = values[joined] if joined in values else value_at(fields, path)
        if sum(mark.isdigit() for mark in _text(value)) >= _TIME_DIGITS:
            return joined
    return None


def value_at(fields: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """The value below keys that stand one below the other; None where there is none."""
    value: Any = fields
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list) and value and all(str(one).isdecimal() for one in value):
        return _decoded(value)
    return written(value)


def _decoded(numbers: list[Any]) -> str:
    """Text that the journal gives as the numbers of its bytes, where it is not all UTF-8."""
    try:
        return bytes(map(int, numbers)).decode(errors="replace")
    except ValueError:
        return written(numbers)


def repeated_keys(fields: Fields, prefix: str = "") -> list[str]:
    """Paths of the keys that an object gives more than once."""
    found = []
    if len(fields) != len(fields.pairs):
        keys = [key for key, _ in fields.pairs]
        found = [f"{prefix}{key}" for key in fields if keys.count(key) > 1]
    for key, value in fields.items():
        if isinstance(value, Fields):
            found += repeated_keys(value, f"{prefix}{key}.")
    return found
