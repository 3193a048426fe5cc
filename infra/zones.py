"""Time zones as people name them: `Asia/Shanghai`, `+08:00`, `UTC`, and `local`, which is this machine's."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?", re.I | re.A)
_MOST_HOURS = 14
_UTC = frozenset({"utc", "z", "gmt", "etc/utc", "etc/gmt"})
_LOCAL = frozenset({"local", "localtime"})


class UnknownZone(ValueError):
    """A name that is no time zone; the message says what is, and the nearest name."""


def zone_name(written: str) -> str:
    """The one name that is recorded: an IANA name, `UTC` or `±HH:MM`; `local` becomes this machine's zone.

    Raises UnknownZone.
    """
    name = written.strip()
    if name.casefold() in _LOCAL:
        return local_zone()
    if name.casefold() in _UTC:
        return "UTC"
    if offset := _OFFSET.fullmatch(name):
        return _offset_name(offset, written)
    return name if _iana(name) else _respelt(written)


def zone_of(name: str) -> tzinfo:
    """The zone of a name, in any form that `zone_name` takes. Raises UnknownZone."""
    known = zone_name(name)
    if offset := _OFFSET.fullmatch(known):
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(-ahead if offset[1] == "-" else ahead)
    return ZoneInfo(known)


def local_zone() -> str:
    """This machine's zone by its IANA name, or by its offset of today where no name goes with its clock."""
    import tzlocal

    try:
        named = _iana(tzlocal.get_localzone_name() or "")
    except (LookupError, ValueError, OSError):  # settings that contradict each other, or name nothing
        named = None
    here = datetime.now().astimezone()
    ahead = here.utcoffset() or timedelta(0)
    if named and here.astimezone(named).utcoffset() == ahead:
        return "UTC" if named.key.casefold() in _UTC else named.key
    hours, minutes = divmod(abs(ahead) // timedelta(minutes=1), 60)
    return zone_name(f"{'-' if ahead < timedelta(0) else '+'}{hours:02}:{minutes:02}")


def _iana(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder of the database is an OSError
        return None


def _offset_name(offset: re.Match[str], written: str) -> str:
    hours, minutes = int(offset[2]), int(offset[3] or 0)
    if hours * 60 + minutes > _MOST_HOURS * 60:
        raise UnknownZone(f"{written!r} is no time zone: none lies more than {_MOST_HOURS} hours from UTC")
    return f"{offset[1]}{hours:02}:{minutes:02}" if hours or minutes else "UTC"


def _respelt(written: str) -> str:
    """An IANA name in another case or with blanks. Raises UnknownZone with the nearest."""
    known = {name.casefold(): name for name in available_timezones()}
    wanted = "_".join(written.split()).casefold()
    if wanted in known:
        return known[wanted]
    near = get_close_matches(wanted, known, n=1, cutoff=0.6)
    hint = f" (nearest: {known[near[0]]})" if near else ""
    raise UnknownZone(f"{written!r} is no time zone; write an IANA name{hint}, ±HH:MM, UTC or local")
