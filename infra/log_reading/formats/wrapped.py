"""Lines that carry the line of a program inside: container runtimes and the tools that show several programs (R18).

The inner line gives level, service and fields. Its stamp counts where the outer one's zone is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import orjson

from domain.evidence.search import Header, Stamp
from infra.log_reading.formats.clock import Clock, Found, Unsettled
from infra.log_reading.formats.continuation import Shape, shape_of
from infra.log_reading.formats.escapes import without_escapes
from infra.log_reading.formats.fields import LateHeader, header_of
from infra.log_reading.formats.json_lines import time_of
from infra.log_reading.formats.json_values import Fields, read_json
from infra.log_reading.formats.row import NOT_TAKEN, NotTaken
from infra.log_reading.formats.stamps import FORMS


class Inner(Protocol):
    """What reads the lines inside."""

    @property
    def has_levels(self) -> bool | None: ...

    @property
    def service(self) -> str: ...

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken: ...

    def header(self, text: str) -> Header: ...


@dataclass(frozen=True, slots=True)
class Wrapping:
    """`pattern`: what stands before the inner line; groups `stamp`, `name…`, `part` (P: more of it follows),
    `stream`."""

    name: str
    pattern: str
    form: str = ""
    begins: str = ""


class WrappedFormat:
    """A wrapping at work on the lines of one input."""

    wraps = True
    is_timed = False
    is_cut = False
    late = False
    part_of = ""

    def __init__(self, wrapping: Wrapping, inner: Inner) -> None:
        self.name, self.service, self.begins = wrapping.name, "", wrapping.begins
        self.is_timed = bool(wrapping.form)
        self.has_levels: bool | None = None
        self.shape = Shape.OTHER
        self.inside: str | None = ""
        self.key: tuple[str | None, ...] = ()
        pattern = wrapping.pattern
        if wrapping.form:
            pattern = pattern.replace("{stamp}", f"(?P<stamp>{FORMS[wrapping.form].pattern})")
        self._pattern = re.compile(pattern)
        self._read_stamp = FORMS[wrapping.form].read if wrapping.form else None
        self._inner = inner

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        """Also tells by `shape` and `key`, whose end is P for a part, how the inner line goes on with those before."""
        found = self._pattern.match(line)
        if found is None:
            return NOT_TAKEN
        groups = found.groupdict()
        outer = self._read_stamp(clock, groups["stamp"]) if self._read_stamp and groups["stamp"] else None
        self.inside = text = line[found.end() :]
        inner = self._inner.stamp(text, clock)
        self.key = (*(value for key, value in groups.items() if key not in ("stamp", "part")), groups.get("part"))
        if outer is not None and not self.is_timed:  # the stamp may be the program's own, with blanks behind it
            text = text.lstrip()
        self.shape = shape_of(text) if isinstance(inner, NotTaken) else Shape.OTHER
        self.has_levels = None if isinstance(inner, NotTaken) else self._inner.has_levels
        self.service = "" if isinstance(inner, NotTaken) else self._inner.service
        return _chosen(outer, None if isinstance(inner, NotTaken) else inner)

    def continues(self, _line: str) -> bool:
        return False

    def read(self, text: str) -> Header:
        if "\n" not in text and (found := self._pattern.match(text)):
            return _around(found.groupdict(), self._inner.header(text[found.end() :]))
        inner: list[str] = []
        groups: dict[str, str | None] = {}
        for line in text.split("\n"):
            found = self._pattern.match(line)
            groups = groups or (found.groupdict() if found else {})
            inner.append(line[found.end() :] if found else line)
        return _around(groups, self._inner.header("\n".join(inner)))


def _around(groups: dict[str, str | None], header: Header) -> Header:
    """The header of an inner line with the names that stand before it."""
    names = [value for key, value in groups.items() if key.startswith("name") and value]
    return _named(header, names) if names else header


def _named(header: Header, names: list[str]) -> Header:
    return Header(
        header.level,
        header.level_text,
        tuple(dict.fromkeys([*names, *header.names])),
        header.hints,
        header.message,
        header.repeated_keys,
        header.labels,
    )


_USUAL = ("log", "stream", "time")


class DockerFormat:
    """Objects with a line of a program in `log`, as Docker's json-file driver writes them. A long line is several."""

    name = "Docker"
    wraps = True
    is_timed = False
    is_cut = False
    late = False
    part_of = ""
    begins = r"\{"

    def __init__(self, inner: Inner) -> None:
        self.service = ""
        self.has_levels: bool | None = None
        self.shape = Shape.OTHER
        self.inside: str | None = None  # it stands escaped: each part stays as it is
        self.key: tuple[str | None, ...] = ()
        self._inner = inner

    def stamp(self, line: str, clock: Clock) -> Found | NotTaken:
        if not line.startswith('{"log":'):
            return NOT_TAKEN
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError:
            return NOT_TAKEN
        log, time = fields.get("log"), fields.get("time")
        if not isinstance(log, str) or not isinstance(time, str):
            return NOT_TAKEN
        text = without_escapes(log).rstrip("\r\n")
        inner = self._inner.stamp(text, clock)
        self.key = (fields.get("stream"), None if log.endswith("\n") else "P")
        self.shape = shape_of(text) if isinstance(inner, NotTaken) else Shape.OTHER
        self.has_levels = None if isinstance(inner, NotTaken) else self._inner.has_levels
        self.service = "" if isinstance(inner, NotTaken) else self._inner.service
        return _chosen(time_of(time, clock), None if isinstance(inner, NotTaken) else inner)

    def continues(self, _line: str) -> bool:
        return False

    def read(self, text: str) -> Header:
        """The lines inside, put together, with the fields beside them."""
        if "\n" not in text and (quick := self._quick(text)) is not None:
            return quick
        return self._whole(text)

    def _quick(self, line: str) -> Header | None:
        """The header of one line with no other field than usual."""
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError:
            return None
        if tuple(fields) != _USUAL or line.count('":') != len(_USUAL) + str(fields["log"]).count('":'):
            return None
        header = self._inner.header(str(fields["log"]).rstrip("\r\n"))
        if header.repeated_keys:
            return None
        return LateHeader(header.level, header.level_text, header.names, header.hints, partial(self._message, line))

    def _message(self, line: str) -> str:
        return self._whole(line).message

    def _whole(self, text: str) -> Header:
        inner, rest = "", Header()
        for number, line in enumerate(text.split("\n")):
            try:
                fields = read_json(line)
            except ValueError:
                inner += line
                continue
            inner += str(fields.get("log", ""))
            if not number:
                rest = header_of(_without_log(fields), lambda _: None)
        header = self._inner.header(inner.rstrip("\n"))
        first, newline, more = header.message.partition("\n")
        return Header(
            header.level,
            header.level_text,
            tuple(dict.fromkeys([*rest.names, *header.names])),
            tuple(dict.fromkeys([*rest.hints, *header.hints])),
            " ".join(part for part in (first, rest.message) if part) + newline + more,
            (*rest.repeated_keys, *header.repeated_keys),
        )


def _without_log(fields: Fields) -> Fields:
    pairs = [(key, value) for key, value in fields.pairs if key != "log"]
    rest = Fields(pairs)
    rest.pairs = pairs
    return rest


def _chosen(outer: Found, inner: Found) -> Found:
    if isinstance(outer, Stamp) and outer.zone_known:
        return outer
    if isinstance(inner, Stamp) and (inner.zone_known or outer is None):
        return inner
    return outer if outer is not None and not isinstance(outer, Unsettled) else inner or outer


WRAPPINGS = (
    Wrapping("CRI", r"^{stamp} (?P<stream>stdout|stderr) (?P<part>[FP])(?: |$)", "iso", r"\d"),
    Wrapping(
        "kubectl",
        r"^\[pod/(?P<name_pod>[a-z0-9][a-z0-9.-]{0,252})/(?P<name>[a-z0-9][a-z0-9-]{0,62})\] ?",
        begins=r"\[",
    ),
    Wrapping(
        "Compose",
        r"^(?:(?P<name>[A-Za-z][\w.-]{0,127}(?:[-_.]\d{1,4}|@[\w.-]{1,63})) {1,64}\|"
        r"|(?P<name_own>[a-z][a-z0-9_.-]{0,127}) {1,64}\|"
        r"(?= (?:\d{4}[-/]\d|\[?\d|\{|[IWEF](?:\d{4}){1,2} |[A-Z][a-z]{2} [ \d]\d ))) ?",
        begins="[A-Za-z]",
    ),
    Wrapping(
        "stern",
        r"^(?P<name_pod>[a-z][a-z0-9-]{0,200}-(?:(?:[a-f0-9]{8,10}-[a-z0-9]{5}|[bcdfghjklmnpqrstvwxz2456789]{5})"
        r"(?= [a-z0-9-]{1,63} (?:[\d{\[]|[A-Z]{4,8}[ :]|[IWEF](?:\d{4}){1,2} |\s|[a-z]{1,9}=))"
        r"|\d{1,4}(?= [a-z0-9-]{1,63} (?:\d{4}-\d\d-\d\d|\{)))) (?P<name>[a-z0-9][a-z0-9-]{0,62}) ",
        begins="[a-z]",
    ),
)
