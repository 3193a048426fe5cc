"""Which sources a command asks: those of its flags and names, else all of the file of sources."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import count
from pathlib import Path
from typing import NamedTuple, get_args

from domain.events import Source, SourceKind
from handlers.cli.errors import UsageError
from infra.settings import Settings
from infra.source_entries import absolute, glob_below
from infra.tools.registry import check_sources, of_kind
from infra.zones import UnknownZone, zone_name


class Asked(NamedTuple):
    """`picked`: each by a flag or by its name, so that one which cannot be asked is an error."""

    sources: tuple[Source, ...]
    picked: bool


def asked_sources(arguments: argparse.Namespace, settings: Settings, names: Sequence[str] = ()) -> Asked | None:
    """None without any flag, name or file of sources: the sample scenario answers. Raises UsageError.

    `--log-zone` and `--exclude` go for every source of logs that is asked, whatever the file says of its zone.
    """
    named = _named([*arguments.source, *names], settings)
    picked = (*named, *_of_flags(arguments, {source.name for source in named}))
    sources = tuple(_with_log_flags(list(picked or settings.sources), arguments))
    return Asked(sources, bool(picked)) if sources else None


async def usable(asked: Asked) -> tuple[Source, ...]:
    """The sources, once they were looked at. Raises UsageError if one that was picked cannot be asked, or none can;
    of all those of a file each that cannot is said to be so, and stays: what it holds is not known to be absent."""
    problems = [f"{name}: {problem}" for name, problem in (await check_sources(asked.sources)).items()]
    if problems and (asked.picked or len(problems) == len(asked.sources)):
        raise UsageError("; ".join(problems))
    for problem in problems:
        print(f"assay: {problem}; --source names those to ask", file=sys.stderr)
    return asked.sources


def say_sample() -> None:
    """So that nobody takes the sample's answer for one about a system of theirs."""
    print("source: sample (the built-in scenario; give --metrics, --logs, … for your own)", file=sys.stderr)


def _named(names: Sequence[str], settings: Settings) -> list[Source]:
    known: dict[str, Source] = {source.name: source for source in settings.sources}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no source {name!r} {_instead(name, known, settings.config)}")
    return [known[name] for name in dict.fromkeys(names)]


def _instead(name: str, known: Collection[str], file: Path | None) -> str:
    if file is None:
        return "without a file of sources: give --config FILE or ASSAY_CONFIG"
    near = get_close_matches(name, known, n=1)
    return f"in {file} ({'nearest' if near else 'known'}: {', '.join(near or known) or 'none'})"


def given_sources(arguments: argparse.Namespace) -> dict[str, list[str]]:
    """What the flags name, by flag: files and folders as absolute paths."""
    kinds = {kind: [_located(kind, place) for place in getattr(arguments, kind)] for kind in get_args(SourceKind)}
    zone = [arguments.log_zone] if arguments.log_zone else []
    return kinds | {"source": arguments.source, "exclude": arguments.exclude, "log_zone": zone}


def _of_flags(arguments: argparse.Namespace, taken: Collection[str]) -> list[Source]:
    """The first of a kind is named like it, further ones logs-2, logs-3, …; one place given twice is one source."""
    sources: list[Source] = []
    for kind in get_args(SourceKind):
        names = (name for n in count(1) if (name := kind if n == 1 else f"{kind}-{n}") not in taken)
        places = dict.fromkeys(_located(kind, place) for place in getattr(arguments, kind))
        sources += [Source(kind=kind, name=next(names), address=place) for place in places]
    return sources


def _located(kind: SourceKind, place: str) -> str:
    """Paths are recorded absolute, since another worker may carry the session on from elsewhere."""
    if not place.strip():
        raise UsageError(f"--{kind}: the place is empty")
    if "://" in place:
        if re.match(r"[^:]*://[^/?#]*@", place):
            raise UsageError(
                f"--{kind}: an address is recorded for good, and this one holds a password: put the source into a file "
                "(--config) with token_env, whose variable may hold `Basic …`"
            )
        return place
    return absolute(place, Path.cwd())


def _with_log_flags(sources: list[Source], arguments: argparse.Namespace) -> list[Source]:
    zone, exclude = _zone(arguments.log_zone), tuple(map(_glob, arguments.exclude))
    if (zone or exclude) and not of_kind(sources, "logs"):
        raise UsageError(
            f"{'--log-zone' if zone else '--exclude'}: no source of logs is asked; give --logs or --source"
        )
    return [_told(source, zone, exclude) if source.kind == "logs" else source for source in sources]


def _told(source: Source, zone: str | None, exclude: tuple[str, ...]) -> Source:
    excluded = tuple(dict.fromkeys([*source.exclude, *exclude]))
    return source.model_copy(update={"zone": zone or source.zone, "exclude": excluded})


def _zone(written: str | None) -> str | None:
    try:
        return written and zone_name(written)
    except UnknownZone as error:
        raise UsageError(f"--log-zone: {error}") from None


def _glob(pattern: str) -> str:
    try:
        return glob_below(pattern)
    except ValueError as error:
        raise UsageError(f"--exclude: {error}") from None
