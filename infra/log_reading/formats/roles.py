"""Which fields of a structured entry are its time, level, service and message: worked out once for each set of keys."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

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

_NONE = Dialect("JSON", frozenset())
_HOLDERS = ("fields", "record", "payload", "logrecord", "entry")
_KEPT = 1024
_MOST_PATHS = 128


class Roles:
    """Paths by their role, the best first. `time` are keys one below the other."""

    __slots__ = ("dialect", "has_levels", "hints", "is_batch", "level", "message", "names", "pair", "time")

    def __init__(self, keys: tuple[str, ...], paths: tuple[str, ...]) -> None:
        present = set(keys)
        self.dialect = dialect = next((one for one in DIALECTS if one.marks <= present), _NONE)
        plain: dict[str, list[str]] = {}
        for key_of in (plain_key, _usual_key):
            for path in paths:
                plain.setdefault(key_of(path), []).append(path)
        known = set(paths)
        self.level = _found(dialect.level, LEVEL_KEYS, known, plain)
        self.names = _found(dialect.names, NAME_KEYS, known, plain)
        self.hints = _found(dialect.hints, HINT_KEYS, known, plain)
        self.message = _found(dialect.message, MESSAGE_KEYS, known, plain)
        top = {plain_key(key): key for key in reversed(keys)}
        marked = [(path,) if path in present else tuple(path.split(".")) for path in dialect.time]
        usual = [(top[key],) for key in TIME_KEYS if key in top]
        self.time = tuple(dict.fromkeys([*marked, *usual]))
        self.pair = (top["date"], top["time"]) if {"date", "time"} <= top.keys() else None
        self.is_batch = not BATCHES.isdisjoint(present) and not self.time
        is_request = bool(ACCESS_KEYS & top.keys() and REQUEST_KEYS & top.keys())
        self.has_levels = (
            dialect.has_levels if dialect is not _NONE else bool(self.level) or "log" in top or not is_request
        )


def _usual_key(path: str) -> str:
    """The key of a path without an object that only holds the fields of an entry."""
    plain = plain_key(path)
    first, _, rest = plain.partition(".")
    return rest if first in _HOLDERS and rest else plain


def _found(
    marked: Iterable[str], usual: Iterable[str], known: set[str], plain: dict[str, list[str]]
) -> tuple[str, ...]:
    found = [path for path in marked if path in known] + [path for key in usual for path in plain.get(key, ())]
    return tuple(dict.fromkeys(found))


def roles_of(keys: tuple[str, ...], paths: tuple[str, ...]) -> Roles:
    """The roles of an object's keys at the top and of the paths of all its members."""
    return _kept_roles(keys, paths) if len(paths) <= _MOST_PATHS else Roles(keys, paths)


@lru_cache(maxsize=_KEPT)
def _kept_roles(keys: tuple[str, ...], paths: tuple[str, ...]) -> Roles:
    return Roles(keys, paths)


SPACED_COLON = re.compile(r"\"\s+:")
"""A key that is not followed by its colon at once."""
