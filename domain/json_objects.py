"""The one JSON value in a model's reply, found without guessing (R13).

Strict JSON comes first. Then think blocks, one code fence and prose around one single complete outermost value are set
aside. Two values, a value that is cut off, duplicate keys, NaN and Infinity are problems, never repaired here. Every
step is linear in the length of the reply.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias, TypeVar

JsonObject: TypeAlias = dict[str, Any]
JsonArray: TypeAlias = list[Any]
Outermost = TypeVar("Outermost", JsonObject, JsonArray)


@dataclass(frozen=True, slots=True)
class FoundObject:
    """`value` is None where none was found; then `problem` says why. `stripped` names what stood around the value."""

    value: JsonObject | None
    stripped: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FoundArray:
    """Like `FoundObject`, for a reply whose outermost value is a JSON array."""

    value: JsonArray | None
    stripped: tuple[str, ...] = ()
    problem: str = ""


def find_object(raw: str) -> FoundObject:
    """The single JSON object of a reply."""
    value, stripped, problem = _find(raw, dict)
    return FoundObject(value, stripped, problem)


def find_array(raw: str) -> FoundArray:
    """The single JSON array of a reply; inside prose only an array of objects is recognised."""
    value, stripped, problem = _find(raw, list)
    return FoundArray(value, stripped, problem)


def strip_think(text: str) -> str:
    """The text without its think blocks, otherwise unchanged.

    A block that is never closed reaches to the end; before a closing tag without an opening one all was thought. Tags
    inside a JSON value are quotations, not thoughts.
    """
    return "".join(part.text for part in _parts(text) if part.kind is not _Kind.THOUGHT)


def load_strict(text: str, *, fraction: Callable[[str], Any] | None = None) -> Any:
    """Parse one JSON text. Raises ValueError for duplicate keys, NaN, Infinity, too deep nesting and bad syntax.

    Halves of surrogate pairs, which no UTF-8 text can hold, come out as U+FFFD. `fraction` reads the numbers that are
    no integers: `str` keeps them as written, by default they are floats.
    """
    try:
        return json.loads(
            without_lone_surrogates(text),
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_float=fraction or _finite,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def without_lone_surrogates(text: str) -> str:
    """The text with halves of surrogate pairs, written out or as JSON escapes, replaced by U+FFFD."""
    text = _SURROGATE.sub("\ufffd", text)
    return _ESCAPE.sub(lambda found: "\\ufffd" if found["lone"] else found[0], text) if "\\u" in text else text


_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u[dD][89a-fA-F]..)")


def _unique_keys(pairs: list[tuple[str, Any]]) -> JsonObject:
    found: JsonObject = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:40]!r} stands twice in one object")
        found[key] = value
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits[:40]} is out of range")
    return number


# ---------------------------------------------------------------- what stands around the value


class _Kind(Enum):
    PROSE = auto()
    THOUGHT = auto()
    VALUE = auto()
    CUT = auto()  # from an opening bracket that is never closed


@dataclass(frozen=True, slots=True)
class _Part:
    kind: _Kind
    text: str


_OPENING = re.compile(r"<(?P<tag>think(?:ing)?)>|\{(?=\s*[\"'{}\[])|\[(?=\s*\{)", re.IGNORECASE)
_THINK_CLOSED = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINK_BLOCK = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"(?:```|~~~)[\w-]*")
_WORD = re.compile(r"\w")
_STRUCTURE = {
    "{": re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}]', re.DOTALL),
    "[": re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]]', re.DOTALL),
}


def _find(raw: str, wanted: type[Outermost]) -> tuple[Outermost | None, tuple[str, ...], str]:
    text = raw.strip().lstrip("\ufeff")
    try:
        return _of_kind(load_strict(text), wanted)
    except json.JSONDecodeError:
        pass  # not JSON as a whole: look for the value inside
    except ValueError as refusal:
        return None, (), str(refusal)
    parts = _parts(text)
    around = "".join(part.text for part in parts if part.kind is _Kind.PROSE).strip()
    bare = _FENCE.sub("", around).strip()
    values = [part.text for part in parts if part.kind is _Kind.VALUE]
    if not values and wanted is list and bare == "[]":
        values, bare = ["[]"], ""
    if any(part.kind is _Kind.CUT for part in parts):
        return None, (), "a JSON value is never closed"
    if len(values) != 1:
        return None, (), f"{len(values)} JSON values, not one" if values else "no JSON value"
    if set(bare) & set("{}[]") and not _WORD.search(bare):
        return None, (), "brackets without a partner beside the JSON value"
    thought = any(part.kind is _Kind.THOUGHT for part in parts)
    noted = {"think block": thought, "code fence": _FENCE.search(around), "prose": bare}
    try:
        return _of_kind(load_strict(values[0]), wanted, tuple(word for word, present in noted.items() if present))
    except ValueError as error:
        return None, (), str(error)


def _of_kind(
    value: Any, wanted: type[Outermost], stripped: tuple[str, ...] = ()
) -> tuple[Outermost | None, tuple[str, ...], str]:
    if isinstance(value, wanted):
        return value, stripped, ""
    return None, (), f"the outermost JSON value is no {'object' if wanted is dict else 'array'}"


def _parts(text: str) -> list[_Part]:
    parts = _cut_up(text)
    thought_until = _last_closing_tag(parts)
    if not thought_until:
        return parts
    return [_Part(_Kind.THOUGHT, text[:thought_until]), *_cut_up(text[thought_until:])]


def _cut_up(text: str) -> list[_Part]:
    """The text in parts, in order; closing tags without an opening one are still prose."""
    parts: list[_Part] = []
    start = 0
    while mark := _OPENING.search(text, start):
        parts.append(_Part(_Kind.PROSE, text[start : mark.start()]))
        end = _thought_end(text, mark.end()) if mark["tag"] else _closing(text, mark.start())
        if end is None:
            return parts + _never_closed(text[mark.start() :])
        parts.append(_Part(_Kind.THOUGHT if mark["tag"] else _Kind.VALUE, text[mark.start() : end]))
        start = end
    return [*parts, _Part(_Kind.PROSE, text[start:])]


def _thought_end(text: str, start: int) -> int:
    closed = _THINK_CLOSED.search(text, start)
    return closed.end() if closed else len(text)


def _closing(text: str, start: int) -> int | None:
    """Where the bracket at `start` is closed, strings skipped; None if it never is."""
    opening, depth = text[start], 0
    for token in _STRUCTURE[opening].finditer(text, start):
        if token[0][0] != '"':
            depth += 1 if token[0] == opening else -1
            if depth == 0:
                return token.end()
    return None


def _never_closed(text: str) -> list[_Part]:
    parts: list[_Part] = []
    start = 0
    for block in _THINK_BLOCK.finditer(text):
        parts += [_Part(_Kind.CUT, text[start : block.start()]), _Part(_Kind.THOUGHT, block[0])]
        start = block.end()
    return [*parts, _Part(_Kind.CUT, text[start:])]


def _last_closing_tag(parts: list[_Part]) -> int:
    """The end of the last closing tag that has no opening one, 0 without such a tag."""
    offset = end = 0
    for part in parts:
        if part.kind in {_Kind.PROSE, _Kind.CUT}:
            for tag in _THINK_CLOSED.finditer(part.text):
                end = offset + tag.end()
        offset += len(part.text)
    return end
