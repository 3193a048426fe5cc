"""JSON read without loss: numbers keep their text, a repeated key keeps all its values (R68)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_DEPTH = 12


class Number(str):
    """A number as it is written."""

    __slots__ = ()


class Fields(dict[str, Any]):
    """An object; `pairs` are all its members in order."""

    __slots__ = ("pairs",)
    pairs: list[tuple[str, Any]]


def _object(pairs: list[tuple[str, Any]]) -> Fields:
    fields = Fields(pairs)
    fields.pairs = pairs
    return fields


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=Number, parse_float=Number, parse_constant=Number, strict=False
)


def read_json(text: str) -> Any:
    """The value of a JSON text, objects as Fields and numbers as Number. Raises ValueError."""
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deep") from error


def written(value: Any) -> str:
    """A value as text: a plain string without quotes, anything else as JSON."""
    if isinstance(value, str):
        if isinstance(value, Number) or (value and not any(mark in value for mark in _MARKS) and value.isprintable()):
            return value
        return json.dumps(value, ensure_ascii=False)
    return as_json(value)


_MARKS = (" ", '"', "=")


def as_json(value: Any) -> str:
    """A value as JSON on one line, its numbers as they were written."""
    match value:
        case Number():
            return value
        case Fields():
            return "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{as_json(v)}" for key, v in value.pairs) + "}"
        case list():
            return "[" + ",".join(map(as_json, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Member:
    """A value with its path; members of nested objects are joined by dots."""

    path: str
    value: Any


def members(fields: Fields, depth: int = _DEPTH, prefix: str = "") -> list[Member]:
    """All members, nested ones included; beyond the depth an object stays a value."""
    found: list[Member] = []
    for key, value in fields.pairs:
        if isinstance(value, Fields) and value and depth:
            found += members(value, depth - 1, f"{prefix}{key}.")
        else:
            found.append(Member(f"{prefix}{key}", value))
    return found
