"""JSON that has one meaning, and values of the one kind they should be (R61). Needs the standard library alone."""

from __future__ import annotations

import base64
import json
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")


class Refused(ValueError):
    """The bundle does not prove what it claims; the message says what is wrong and where."""


def parsed(what: str, text: bytes) -> Any:
    """A JSON value in UTF-8 without duplicate keys, NaN, infinities or a byte order mark."""
    try:
        return json.loads(text.decode(), object_pairs_hook=_unique, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{what} is no JSON that has one meaning: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def object_of(what: str, value: Any, *keys: str) -> dict[str, Any]:
    """An object with these keys, no more and no fewer."""
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise Refused(f"{what} does not hold exactly {', '.join(keys)}")
    return value


def array(what: str, value: Any) -> list[Any]:
    return typed(what, value, list)


def typed(what: str, value: Any, kind: type[T]) -> T:
    if type(value) is not kind:
        raise Refused(f"{what} is not of the type {kind.__name__}")
    return value


def base64_bytes(what: str, value: Any) -> bytes:
    """Base64, in the one spelling that an encoder writes."""
    try:
        data = base64.b64decode(typed(what, value, str), validate=True)
    except ValueError as error:
        raise Refused(f"{what} is no base64: {error}") from None
    if base64.b64encode(data).decode() != value:
        raise Refused(f"{what} is not spelled as base64 should be")
    return data


def spelled(value: Any) -> str:
    """In one way, in which 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)
