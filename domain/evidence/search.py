"""A search as a decision: each entry is selected, excluded for a property that was understood, or a doubt (R68).

Sources bring entries; what they mean for a search is decided here, so that no format has its own idea of "not there".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from domain.language.levels import Level


@dataclass(frozen=True, slots=True)
class Stamp:
    """When an entry says it was written, in UTC. `zone_known` False: by the zone that is assumed for its input."""

    at: datetime
    zone_known: bool


@dataclass(frozen=True, slots=True)
class Header:
    """What an entry says of itself.

    `level` None: none given, or none that was understood; `level_text` is what is written there. `names`: what it calls
    the service it is of, in a field or place made for that; such a name also excludes. `hints`: a logger, a class, a
    thread, the first word: they may be the service asked for and never exclude. `message`: the text to show, with every
    field that has no role of its own as `key=value`; nothing of the entry is lost in it but stamp, level and names.
    """

    level: Level | None = None
    level_text: str = ""
    names: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    message: str = ""
    repeated_keys: tuple[str, ...] = ()


class Entry:
    """One entry of an input, its header read only when it is asked for.

    `line`: its place in the input, from 1. `text`: everything that stands there, decoded, without line ends at its end.
    `is_whole` False: it was cut, or could not be decoded. `has_levels`: whether its format gives a level; None where
    the format is not known.
    """

    __slots__ = ("_header", "_read", "has_levels", "is_whole", "line", "stamp", "text")

    def __init__(
        self,
        line: int,
        stamp: Stamp | None,
        text: str,
        read: Callable[[], Header],
        *,
        is_whole: bool = True,
        has_levels: bool | None = None,
    ) -> None:
        self.line = line
        self.stamp = stamp
        self.text = text
        self.is_whole = is_whole
        self.has_levels = has_levels
        self._read = read
        self._header: Header | None = None

    @property
    def header(self) -> Header:
        if self._header is None:
            self._header = self._read()
        return self._header
