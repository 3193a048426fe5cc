"""Log lines as entries: JSON lines, logfmt, and plain lines with a time stamp; lines without one continue an entry.

The format is recognised line by line, so one file may mix them. A time stamp without a zone is in the machine's local
zone, as the program that wrote it meant it. Every expression here is anchored and works in time linear in the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import orjson

from infra.tools.log_times import PLAIN_STAMP, read_time

ENTRY_CHARACTERS = 8_000
"""The rest of a longer entry is dropped and the entry marked as cut."""

_HEADER_PARTS = 8
_TIME = ("timestamp", "@timestamp", "time", "ts", "datetime", "date", "asctime", "eventTime", "t")
_LEVEL = ("level", "severity", "lvl", "log.level", "levelname", "loglevel", "log_level")
_SERVICE = ("service", "service.name", "service_name", "serviceName", "app", "application", "app_name")
_WEAK_SERVICE = ("component", "logger", "logger_name", "log.logger")
_MESSAGE = ("message", "msg", "log", "event", "text", "body")

_LEVELS = {
    **{name: name for name in ("TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL", "SEVERE", "FATAL")},
    **{"WARNING": "WARN", "ERR": "ERROR", "INFORMATION": "INFO", "CRIT": "CRITICAL", "EMERG": "FATAL"},
}
_LEVEL_WORD = re.compile(rf"\s*({'|'.join(sorted(_LEVELS, key=len, reverse=True))})(?=[\s:|\]-]|$)")
_BRACKET = re.compile(r"\s*\[\s*([^\[\]\n]{0,64}?)\s*\]")
_SEPARATOR = re.compile(r"\s*(?:\d{1,7}\s*---|[-|:–]+(?=\s))")
_NAME_BEFORE_LEVEL = re.compile(
    rf"\s*([\w./-]{{1,64}}\s+[-|:]\s*|[a-z0-9]+(?:[-_][a-z0-9]+){{1,8}}\s+)(?=\[?(?:{'|'.join(_LEVELS)})\b)"
)
_PROGRAM_WITH_PID = re.compile(r"\s*\S{1,64} ([\w./-]{1,64})\[\d{1,10}\]:\s")
_SYSLOG_PROGRAM = re.compile(r"\s*\S{1,64} ([\w./-]{1,64}):\s")
_FIRST_WORD = re.compile(r"[A-Za-z][\w-]{1,63}(?=[\s:])")
_SERVICE_NAME = re.compile(r"[A-Za-z][\w.-]*")
_THREAD_NAME = re.compile(r"main|.*[-#_ ]\d+", re.IGNORECASE)
_PLAIN_COMPOUND = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z][a-z0-9]*)+")
_PAIR = re.compile(r'(?<![\w.@-])([A-Za-z_@][\w.@-]{0,63})=("(?:[^"\\]|\\.)*"|\S*)')
_STARTS_WITH_PAIR = re.compile(r"[A-Za-z_@][\w.@-]{0,63}=")
_TIME_OF_DAY = re.compile(r"\[?\d{2}:\d{2}(?::\d{2}|\])")


@dataclass(frozen=True, slots=True)
class FileOrigin:
    """What the name of a file says about its entries; names like app.log are generic and say little."""

    service: str
    is_generic: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether it names a service, as `order-service` does; a single word may also be a host or a stage."""
        return not self.is_generic and any(joiner in self.service for joiner in "-_")


@dataclass(frozen=True, slots=True)
class Entry:
    """One log entry. `services` are the names it goes by, best first, none if unknown; `time` is None where no stamp
    was understood."""

    time: datetime | None
    level: str
    services: tuple[str, ...]
    message: str
    is_cut: bool = False

    @property
    def is_readable(self) -> bool:
        """Whether all its text was kept and decoded: only then is a word that it lacks really absent."""
        return not self.is_cut and "\ufffd" not in self.message


def read_entries(lines: Iterable[tuple[str, bool]], origin: FileOrigin, now: datetime) -> Iterator[Entry]:
    """Entries of the lines of one file, in order; each line comes with whether its end was cut off. `now` supplies the
    year where a format has none."""
    entry: Entry | None = None
    for line, is_cut in lines:
        begun = read_line(line, origin, now)
        if begun is None and entry is not None and entry.time is not None:
            entry = _continued(entry, line, is_cut)
            continue
        if entry is not None:
            yield entry
        begun = begun or _undated(line, origin)
        entry = replace(begun, is_cut=True) if begun and is_cut else begun
    if entry is not None:
        yield entry


def read_line(line: str, origin: FileOrigin, now: datetime) -> Entry | None:
    """The entry that begins with this line, or None for a line that begins none."""
    if line.startswith("{"):
        fields = _json_object(line)
        return _from_fields(fields, "", origin, now) if fields else _undated(line, origin)
    if line[:1].isspace():
        return None
    if match := PLAIN_STAMP.match(line):
        return _plain(line, match, origin, now)
    if _STARTS_WITH_PAIR.match(line):
        fields, rest = _logfmt(line)
        return _from_fields(fields, rest, origin, now) if any(key in fields for key in _TIME) else None
    return _undated(line, origin) if _TIME_OF_DAY.match(line) else None


def is_level(written: str) -> bool:
    """Whether this is the name of a level, in any of its spellings."""
    return written.upper() in _LEVELS


def level_name(written: str) -> str:
    """A level in capitals under its usual name: `warning` is WARN."""
    return _LEVELS.get(written.upper(), written.upper())


def _entry(time: datetime | None, level: str, services: tuple[str, ...], message: str) -> Entry:
    return Entry(time, level, services, message[:ENTRY_CHARACTERS], len(message) > ENTRY_CHARACTERS)


def _continued(entry: Entry, line: str, is_cut: bool) -> Entry:
    if len(entry.message) + len(line) > ENTRY_CHARACTERS:
        return replace(entry, is_cut=True)
    return replace(entry, message=f"{entry.message}\n{line}".rstrip(), is_cut=entry.is_cut or is_cut)


def _undated(line: str, origin: FileOrigin) -> Entry | None:
    services = () if origin.is_generic else (origin.service,)
    return _entry(None, "", services, line.strip()) if line.strip() else None


# ---------------------------------------------------------------- fields: JSON and logfmt


def _json_object(line: str) -> dict[str, Any] | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return _flat(value) if isinstance(value, dict) else None


def _flat(fields: Mapping[str, Any]) -> dict[str, Any]:
    """One level of nesting is joined by dots, as in `{"service": {"name": …}}`."""
    flat: dict[str, Any] = {}
    for key, value in fields.items():
        flat |= {f"{key}.{inner}": v for inner, v in value.items()} if isinstance(value, dict) else {key: value}
    return flat


def _logfmt(line: str) -> tuple[dict[str, Any], str]:
    """The pairs of a line and the text between them."""
    fields = {key: _unquoted(value) for key, value in _PAIR.findall(line)}
    return fields, " ".join(_PAIR.sub(" ", line).split())


def _unquoted(value: str) -> str:
    if len(value) < 2 or not (value[0] == value[-1] == '"'):
        return value
    try:
        return str(orjson.loads(value))
    except orjson.JSONDecodeError:
        return value[1:-1]


def _from_fields(fields: dict[str, Any], rest: str, origin: FileOrigin, now: datetime) -> Entry:
    """Fields with no role of their own stay in the message as `key=value`, so that nothing of an entry is lost."""
    time_key, time = _first_time(fields, now)
    level_key, service_key, message_key = (_first_key(fields, keys) for keys in (_LEVEL, _SERVICE, _MESSAGE))
    roles = {time_key, level_key, service_key, message_key}
    parts = [str(fields[message_key]) if message_key else "", rest]
    parts += [f"{key}={_text(value)}" for key, value in fields.items() if key not in roles]
    message = " ".join(part.strip() for part in parts if part.strip())
    level = str(fields[level_key]) if level_key else ""
    weak = [str(fields[key]) for key in _WEAK_SERVICE if key in fields]
    likely = list(filter(_PLAIN_COMPOUND.fullmatch, weak))
    services = (str(fields[service_key]),) if service_key else _candidates(origin, likely, weak)
    return _entry(time, level_name(level), services, message)


def _first_time(fields: Mapping[str, Any], now: datetime) -> tuple[str | None, datetime | None]:
    for key in _TIME:
        if key in fields and (time := read_time(fields[key], now)):
            return key, time
    return None, None


def _first_key(fields: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if fields.get(key) not in (None, "")), None)


def _text(value: Any) -> str:
    if isinstance(value, str) and value and not re.search(r'[\s"=]', value):
        return value
    return orjson.dumps(value).decode()


# ---------------------------------------------------------------- plain lines


def _plain(line: str, stamp: re.Match[str], origin: FileOrigin, now: datetime) -> Entry | None:
    time = read_time(stamp["stamp"], now)
    if time is None:
        return _undated(line, origin)
    rest = f"{(stamp['before'] or '').rstrip()}{line[stamp.end() :]}"
    if _STARTS_WITH_PAIR.match(rest.lstrip()):
        fields, between = _logfmt(rest)
        return replace(_from_fields(fields, between, origin, now), time=time)
    header, text = _read_header(rest, is_syslog=stamp["stamp"][0].isalpha())
    first = match[0] if (match := _FIRST_WORD.match(text)) else ""
    likely = header.likely + ([first] if _PLAIN_COMPOUND.fullmatch(first) else [])
    services = (header.named,) if header.named else _candidates(origin, likely, [first] if first else [])
    return _entry(time, header.level, services, " ".join([*header.kept, text]))


@dataclass(slots=True)
class Header:
    """What stands between a time stamp and the message. `named` is the service in brackets or of syslog; `likely` are
    other names of a service's form, `kept` the parts that belong to the message."""

    level: str = ""
    named: str = ""
    likely: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def take(self, text: str, position: int) -> int:
        """Takes the part at a position and returns the position behind it; the same one where the message begins."""
        if match := _BRACKET.match(text, position):
            self._take_bracket(match[1])
        elif not self.level and (match := _LEVEL_WORD.match(text, position)):
            self.level = level_name(match[1])
        elif match := _SEPARATOR.match(text, position):
            pass
        elif not self.level and (match := _NAME_BEFORE_LEVEL.match(text, position)):
            name = match[1].rstrip(" -|:\t")
            self.likely.append(name)
            self.kept.append(name)
        return match.end() if match else position

    def _take_bracket(self, word: str) -> None:
        if not self.level and is_level(word):
            self.level = level_name(word)
        elif not self.named and _SERVICE_NAME.fullmatch(word) and not _THREAD_NAME.fullmatch(word):
            self.named = word
        else:
            self.kept.append(f"[{word}]")


def _read_header(rest: str, is_syslog: bool) -> tuple[Header, str]:
    """The header of a plain line and its message."""
    header = Header()
    position = 0
    program = _PROGRAM_WITH_PID.match(rest) or (_SYSLOG_PROGRAM.match(rest) if is_syslog else None)
    if program:
        header.named, position = program[1], program.end()
    for _ in range(_HEADER_PARTS):
        position, before = header.take(rest, position), position
        if position == before:
            break
    return header, rest[position:].strip()


def _candidates(origin: FileOrigin, likely: list[str], possible: list[str]) -> tuple[str, ...]:
    """A sure file name stands alone: its service also writes about others. Any other comes before the likely names
    unless it says nothing, and the merely possible ones come last."""
    if origin.is_sure:
        return (origin.service,)
    names = [*likely, origin.service] if origin.is_generic else [origin.service, *likely]
    return tuple(dict.fromkeys([*names, *possible]))
