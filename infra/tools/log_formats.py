"""Log lines as entries: JSON lines, logfmt, and plain lines with a time stamp; lines without one continue an entry.

The format is recognised line by line, so one file may mix them. A time stamp without a zone is in the machine's local
zone, as the program that wrote it meant it. Every expression here is anchored and works in time linear in the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import orjson

from infra.tools.log_times import PLAIN_STAMP, read_time

ENTRY_CHARACTERS = 8_000
"""The rest of a longer entry is dropped and the entry marked as cut."""

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
_NAME_BEFORE_LEVEL = re.compile(rf"\s*([\w./-]{{1,64}})\s+(?:[-|:]\s*)?(?=\[?(?:{'|'.join(_LEVELS)})\b)")
_SYSLOG_PROGRAM = re.compile(r"\s*\S{1,64} ([\w./-]{1,64})(?:\[\d{1,10}\])?:\s")
_FIRST_WORD = re.compile(r"[A-Za-z][\w-]{1,63}(?=[\s:])")
_SERVICE_NAME = re.compile(r"[A-Za-z][\w.-]*")
_THREAD_NAME = re.compile(r"main|.*[-#_ ]\d+", re.IGNORECASE)
_PLAIN_COMPOUND = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z][a-z0-9]*)+")
_PAIR = re.compile(r'(?<![\w.@-])([A-Za-z_@][\w.@-]{0,63})=("(?:[^"\\]|\\.)*"|[^\s"]*)')
_STARTS_WITH_PAIR = re.compile(r"[A-Za-z_@][\w.@-]{0,63}=")
_TIME_OF_DAY = re.compile(r"\[?\d{2}:\d{2}(?::\d{2}|\])")


@dataclass(frozen=True, slots=True)
class FileOrigin:
    """What the name of a file says about its entries. `is_generic`: names like app.log say little."""

    service: str
    is_generic: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One log entry. `services` are the names it goes by, best first; `time` is None where no stamp was understood."""

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
        entry = replace(begun, is_cut=is_cut) if begun else None
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


def _continued(entry: Entry, line: str, is_cut: bool) -> Entry:
    if len(entry.message) + len(line) > ENTRY_CHARACTERS:
        return replace(entry, is_cut=True)
    return replace(entry, message=f"{entry.message}\n{line}".rstrip(), is_cut=entry.is_cut or is_cut)


def _undated(line: str, origin: FileOrigin) -> Entry | None:
    return Entry(None, "", (origin.service,), line.strip()[:ENTRY_CHARACTERS]) if line.strip() else None


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
    if not value.startswith('"'):
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
    level = str(fields[level_key]).upper() if level_key else ""
    weak = [str(fields[key]) for key in _WEAK_SERVICE if key in fields]
    services = (str(fields[service_key]),) if service_key else _candidates(origin, weak, [])
    return Entry(time, _LEVELS.get(level, level), services, message[:ENTRY_CHARACTERS], len(message) > ENTRY_CHARACTERS)


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
    rest = f"{stamp['before'] or ''}{line[stamp.end() :]}"
    if _STARTS_WITH_PAIR.match(rest.lstrip()):
        fields, between = _logfmt(rest)
        return replace(_from_fields(fields, between, origin, now), time=time)
    level, named, services, message = _header(rest)
    names = (named,) if named else _candidates(origin, *services)
    return Entry(time, level, names, message[:ENTRY_CHARACTERS], len(message) > ENTRY_CHARACTERS)


def _header(rest: str) -> tuple[str, str, tuple[list[str], list[str]], str]:
    """Level, service in brackets or of syslog, (likely, possible) other service names, and the message of what follows
    a time stamp."""
    level, named, kept, before, position = "", "", [], [], 0
    if program := _SYSLOG_PROGRAM.match(rest):
        named, position = (program[1], program.end()) if not _LEVEL_WORD.match(rest) else ("", 0)
    for _ in range(8):
        if match := _BRACKET.match(rest, position):
            word = match[1]
            if word.upper() in _LEVELS and not level:
                level = _LEVELS[word.upper()]
            elif not named and _SERVICE_NAME.fullmatch(word) and not _THREAD_NAME.fullmatch(word):
                named = word
            else:
                kept.append(match[0].strip())
        elif not level and (match := _LEVEL_WORD.match(rest, position)):
            level = _LEVELS[match[1]]
        elif match := _SEPARATOR.match(rest, position):
            pass
        elif not level and (match := _NAME_BEFORE_LEVEL.match(rest, position)):
            before.append(match[1])
        else:
            break
        position = match.end()
    text = rest[position:].strip()
    first = match[0] if (match := _FIRST_WORD.match(text)) else ""
    likely = before + ([first] if _PLAIN_COMPOUND.fullmatch(first) else [])
    return level, named, (likely, [first] if first else []), " ".join([*kept, text])


def _candidates(origin: FileOrigin, likely: list[str], possible: list[str]) -> tuple[str, ...]:
    """The file's name comes first unless it says nothing; a mere first word of a message comes last."""
    names = [*likely, origin.service] if origin.is_generic else [origin.service, *likely]
    return tuple(dict.fromkeys([*names, *possible]))
