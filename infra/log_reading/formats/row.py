"""Formats that are a row of data: a pattern, what its groups mean, and lines that are its tests (R18).

In a pattern `{iso}` stands for the group `stamp` in that form of `stamps.FORMS`, `{LEVEL}` for the group `level`. Other
groups: `letter`, `number` (with the row's scale) and `pri` (of syslog) give the level; `name…` are names of the
service, `hint…` names that may be; `kept…` stay in front of the message as they stand. Any further group becomes
`key=value` behind the message, unless it is `-`; the name of a `file` may be that of a service, too. What follows the
pattern is the message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial
from typing import Protocol

from domain.evidence.search import Header, Stamp
from domain.language.levels import Level, Scale, level_of, level_of_letter, level_of_number, level_of_redis_mark
from domain.language.plain_words import NOT_NAMES
from domain.language.services import is_overseer, is_program, stem_of_file
from infra.log_reading.formats.cells import row_of
from infra.log_reading.formats.clock import Clock, Found, with_inner
from infra.log_reading.formats.layout import FIRST_WORD, read_layout
from infra.log_reading.formats.stamps import FORMS


class Rest(Enum):
    """What stands behind a pattern."""

    MESSAGE = "message"
    LAYOUT = "layout"  # a level, a logger and other parts that no format lays down, then the message
    ENTRY = "entry"  # a message that may be an entry of another format
    FIELDS = "fields"  # a message and, behind a tab, an object with its fields
    CELLS = "cells"  # the message as a cell, and further cells behind it


class Bare(Enum):
    """What a name before a colon is worth that has no process id: it may be the first word of a message that happens to
    end in a colon. Else it is a hint."""

    NAME = "name"
    WORD = "word"  # unless it names nothing, or stands behind a word that begins a sentence
    PROGRAM = "program"  # only where it is surely a program's
    HINT = "hint"  # never


@dataclass(frozen=True, slots=True)
class Example:
    """A line and what must be read of it; `at` in ISO 8601, "" for no stamp. `zone`: whether its zone is known."""

    line: str
    at: str = ""
    level: Level | None = None
    names: tuple[str, ...] = ()
    message: str | None = None
    zone: bool = False


@dataclass(frozen=True)
class Row:
    """A format. `service`: what it is of, where it says so itself. `next_lines`: what continues an entry of it beside
    the usual continuations. `part_of`: its lines belong to the entry before, of the format of that name."""

    name: str
    pattern: str
    examples: tuple[Example, ...]
    has_levels: bool | None = True
    service: str = ""
    may_be: str = ""
    """What most lines of it are of, without saying so: a hint."""
    scale: Scale | None = None
    rest: Rest = Rest.MESSAGE
    next_lines: str = ""
    part_of: str = ""
    bare: Bare = Bare.NAME
    """Of its names, where the group `pid` found nothing."""
    begins: str = ""
    """A pattern of the characters that a line of it may begin with; "" for any."""
    second: str = ""
    """A pattern of the second line with a group `level`, where that line begins with it: then comes the message."""


class NotTaken:
    """That a line is not of a format."""


NOT_TAKEN = NotTaken()

ReadInner = Callable[[str], Header | None]
"""The header of an entry that stands in another's message; None for text of no format."""


class Inside(Protocol):
    """What reads an entry that may stand in the message of another."""

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken: ...

    def inner_header(self, text: str) -> Header | None: ...


_INNER = re.compile(r"\{|\d{4}[-/]\d\d|\[?\d{1,2}:\d\d|[A-Z], \[|[IWEF](?:\d{4}){1,2} |[A-Za-z_]\w{0,31}=")
"""How what stands behind a stamp begins where it may be an entry of its own."""
_DATED = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[T ]|\{\"|(?:time|ts|t|level)=")
"""How an entry inside begins that may have a stamp with a zone."""
_FORM = re.compile(r"\{([a-z_]+)\}")


class RowFormat:
    """A row at work on lines."""

    wraps = False
    is_cut = False
    late = False
    key: tuple[str | None, ...] = ()

    def __init__(self, row: Row, inside: Inside) -> None:
        self.row = row
        self.name, self.service, self.has_levels = row.name, row.service, row.has_levels
        self.part_of, self.begins = row.part_of, row.begins
        self._is_entry, self._is_layout = row.rest is Rest.ENTRY, row.rest is Rest.LAYOUT
        self.is_timed = _FORM.search(row.pattern) is not None
        self._inside = inside

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(pattern_of(self.row))

    @cached_property
    def stamp(self) -> Callable[[str, Clock], Found | NotTaken]:
        """Gives the stamp of a line, None where it is not understood, NOT_TAKEN for a line of another format."""
        match = self._pattern.match
        names = _FORM.findall(self.row.pattern)
        if not names:
            return lambda line, _clock: NOT_TAKEN if match(line) is None else None
        read, place = FORMS[names[0]].read, self._pattern.groupindex["stamp"]
        if self.row.rest is Rest.ENTRY:
            return partial(self._stamp_outside, read)

        def stamp(line: str, clock: Clock) -> Found | NotTaken:
            found = match(line)
            return NOT_TAKEN if found is None else read(clock, found[place])

        return stamp

    def _stamp_outside(self, read: Callable[[Clock, str], Found], line: str, clock: Clock) -> Found | NotTaken:
        """The stamp of a line, which an entry inside may know better."""
        found = self._pattern.match(line)
        if found is None:
            return NOT_TAKEN
        outer = read(clock, found["stamp"]) if found["stamp"] else None
        if isinstance(outer, Stamp) and outer.zone_known and outer.latest_year is None:
            return outer
        begin = found.end() + 1
        if not _DATED.match(line, begin):
            return outer
        inner = self._inside.stamp(line[begin:], clock)
        if not isinstance(inner, Stamp) or not isinstance(outer, Stamp):
            return inner if isinstance(inner, Stamp) and outer is None else outer
        return with_inner(outer, inner)

    @cached_property
    def _keys(self) -> _Keys:
        return _Keys(tuple(key for key in self._pattern.groupindex if key != "stamp"))

    @cached_property
    def _next_line(self) -> re.Pattern[str] | None:
        return re.compile(self.row.next_lines) if self.row.next_lines else None

    def continues(self, line: str) -> bool:
        """Whether a line belongs to an entry of this format that is open."""
        return self._next_line is not None and self._next_line.match(line) is not None

    def read(self, text: str) -> Header:
        """The header of an entry; `text` may have several lines."""
        return self.header_if(text) or Header(message=text)

    def header_if(self, text: str) -> Header | None:
        """The header of an entry of this format; None for one of another."""
        first, _, more = text.partition("\n")
        found = self._pattern.match(first)
        if found is None:
            return None
        rest, keys = first[found.end() :].strip(), self._keys
        if keys.is_empty and not more:
            return self._behind(rest)
        level, said = _level(found, keys, self.row.scale) if keys.levels else (None, "")
        behind = self._behind(rest)
        message, is_headed = behind.message, False
        if self.row.second and (second := re.match(self.row.second, more)):
            level, said, is_headed = level_of(second["level"]), second["level"], True
            message, _, more = more[second.end() :].lstrip().partition("\n")
        elif behind.level is not None or not said:
            level, said = behind.level, behind.level_text
        names, bare = _values(found, keys.names), []
        if self.row.bare is not Bare.NAME and names and not (keys.has_process and found["pid"]):
            bare = [name for name in names if not _is_name(name, self.row.bare, found["host"])]
            names = [name for name in names if name not in bare]
        if keys.kept or keys.shown or bare:
            words = [*_values(found, keys.kept), *(f"{word}:" for word in bare)]
            parts = [message, f"({' '.join(words)})"] if is_headed else [*words, message]
            message = " ".join(part for part in (*parts, *_pairs(found, keys.shown)) if part)
        hints = behind.hints
        if keys.hints or keys.files or bare:
            files = map(stem_of_file, _values(found, keys.files))
            hints = (*_values(found, keys.hints), *bare, *files, *hints)
        return Header(
            level=level,
            level_text=said,
            names=tuple(dict.fromkeys((*names, *behind.names))) if names else behind.names,
            hints=(*hints, self.row.may_be) if self.row.may_be else hints,
            message="\n".join(part for part in (message, more) if part) if more else message,
            repeated_keys=behind.repeated_keys,
            labels=behind.labels,
        )

    def _behind(self, rest: str) -> Header:
        """The header of what follows the pattern."""
        if (self._is_entry or (self._is_layout and _INNER.match(rest))) and (
            inner := self._inside.inner_header(rest)
        ) is not None:
            return inner
        if self._is_layout:
            layout = read_layout(rest)
            return layout.header
        if self.row.rest is Rest.FIELDS:
            return self._with_fields(rest)
        if self.row.rest is Rest.CELLS:
            return Header(message=" ".join(cell for cell in row_of(rest) if cell))
        first_word = FIRST_WORD.match(rest) if self._is_entry else None
        return Header(hints=(first_word[0],) if first_word else (), message=rest)

    def _with_fields(self, rest: str) -> Header:
        """The header of a message, with what the object behind it says."""
        message, _, fields = rest.partition("\t{")
        inner = self._inside.inner_header("{" + fields) if fields.endswith("}") else None
        if inner is None:
            return Header(message=rest)
        said = " ".join(part for part in (message, inner.message) if part)
        return Header(names=inner.names, hints=inner.hints, message=said, repeated_keys=inner.repeated_keys)


_LEVEL_KEYS = ("level", "letter", "mark", "number", "pri")
_ROLES = (*_LEVEL_KEYS, "name", "hint", "kept")


class _Keys:
    """The groups of a pattern by what they mean."""

    __slots__ = ("files", "has_process", "hints", "is_empty", "kept", "levels", "names", "shown")

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.levels = tuple(key for key in keys if key in _LEVEL_KEYS)
        self.names = tuple(key for key in keys if key.startswith("name"))
        self.files = tuple(key for key in keys if key == "file")
        self.hints = tuple(key for key in keys if key.startswith("hint"))
        self.kept = tuple(key for key in keys if key.startswith(("kept", "hint")))
        self.shown = tuple(key for key in keys if not key.startswith(_ROLES))
        self.has_process = "pid" in keys
        self.is_empty = not keys


def _values(found: re.Match[str], keys: tuple[str, ...]) -> list[str]:
    return [value.strip() for key in keys if (value := found[key])]


_SENTENCE = re.compile(r"[A-Z][a-z]+")


def _is_name(word: str, bare: Bare, host: str) -> bool:
    """Whether a word before a colon, without a process id, is a name. `host`: what stands where a host is expected."""
    if bare is Bare.HINT:
        return False
    if _SENTENCE.fullmatch(host):
        return is_overseer(word)
    if bare is Bare.PROGRAM:
        return is_program(word)
    return word[0].isalpha() and word.casefold() not in NOT_NAMES


def _pairs(found: re.Match[str], keys: tuple[str, ...]) -> list[str]:
    return [f"{key}={value}" for key in keys if (value := found[key]) and value != "-"]


def _level(found: re.Match[str], keys: _Keys, scale: Scale | None) -> tuple[Level | None, str]:
    groups = {key: found[key] for key in keys.levels}
    if word := groups.get("level"):
        return level_of(word) or max(filter(None, map(level_of, word.split())), default=None), word
    if letter := groups.get("letter"):
        return level_of_letter(letter), letter
    if mark := groups.get("mark"):
        return (level_of_redis_mark(mark) if mark != "#" else None), mark  # its errors are written so, too
    if (number := groups.get("number")) and scale is not None:
        return level_of_number(int(number), scale), number
    if pri := groups.get("pri"):
        return level_of_number(int(pri) & 7, Scale.SYSLOG), pri
    return None, ""


def pattern_of(row: Row) -> str:
    """The pattern with its forms written out."""
    return _FORM.sub(lambda found: f"(?P<stamp>(?>{FORMS[found[1]].pattern}))", row.pattern).replace(
        "{LEVEL}", r"(?P<level>[A-Za-z]{3,11})"
    )
