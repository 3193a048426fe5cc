"""Time stamps of logs: ISO 8601 and its usual variants, access logs, syslog, and seconds since 1970."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

_ISO = (
    r"\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:\ ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})(?![\w:]))?"
)
_ACCESS = r"\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}\ [+-]\d{4}"
_SYSLOG = r"[A-Z][a-z]{2}\ [\ \d]\d\ \d{2}:\d{2}:\d{2}"
_LEVEL = r"\[?[A-Z]{3,8}\]?:?[ ]{1,4}"
_CLIENT = r"\S{1,64}\ \S{1,64}\ \S{1,64}\ "

PLAIN_STAMP = re.compile(
    rf"(?:<\d{{1,3}}>(?:1\ )?)?(?P<before>{_LEVEL}|{_CLIENT}(?=\[\d))?\[?(?P<stamp>{_ISO}|{_ACCESS}|{_SYSLOG})\]?"
)
"""A time stamp at the head of a line; `before` is a level or the client of an access log standing in front of it."""

_ACCESS_STAMP = re.compile(_ACCESS)
_SYSLOG_STAMP = re.compile(_SYSLOG)
_EPOCH = re.compile(r"\d{9,19}(?:\.\d+)?")
_EPOCH_UNITS = ((10**17, 10**9), (10**14, 10**6), (10**11, 10**3), (0, 1))  # at least this much -> units a second


def read_time(value: Any, now: datetime) -> datetime | None:
    """The time in UTC, None if it is not understood. A stamp without zone is local; one without year lies within the
    year before `now`."""
    text = str(value).strip()
    if isinstance(value, int | float) or _EPOCH.fullmatch(text):
        return _epoch(float(text)) if _EPOCH.fullmatch(text) else None
    with suppress(ValueError, OverflowError):
        return _written(text, now).astimezone(UTC)
    return None


def _epoch(number: float) -> datetime | None:
    units = next(units for least, units in _EPOCH_UNITS if number >= least)
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(number / units, UTC)
    return None


def _written(text: str, now: datetime) -> datetime:
    if ":" not in text:
        raise ValueError(f"{text!r} has no time of day")
    with suppress(ValueError):  # by far the most frequent form
        return datetime.fromisoformat(text)
    if _ACCESS_STAMP.fullmatch(text):
        return datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z")
    if _SYSLOG_STAMP.fullmatch(text):
        return _latest(text, now)
    iso = re.sub(r" ?(?:UTC|GMT)$", "Z", text).replace("/", "-")
    return datetime.fromisoformat(re.sub(r" (?=[Z+-])", "", iso))


def _latest(text: str, now: datetime) -> datetime:
    """The latest such day and time that is not after tomorrow, so that clocks may differ."""
    stamp = datetime.strptime(f"{now.year} {text}", "%Y %b %d %H:%M:%S").astimezone(UTC)
    return stamp if stamp <= now + timedelta(days=1) else stamp.replace(year=stamp.year - 1)
