"""What one reading process does of a search: its share of a folder's files, input by input (R68, R69)."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from itertools import islice
from pathlib import Path

from domain.evidence.coverage import UnreadReason
from domain.evidence.input_search import CLOCK_SLACK, InputSearch
from domain.evidence.input_survey import InputDigest, InputSurvey
from domain.evidence.log_answer import SearchedInput
from domain.evidence.search import Condition, Entry
from domain.evidence.window import Window
from domain.language.levels import Level
from infra.log_reading.exclusions import Exclusions
from infra.log_reading.files import LogFile, UnreadInput, find_files
from infra.log_reading.formats.context import FIRST_CHANGE, Context
from infra.log_reading.formats.reader import read_entries
from infra.log_reading.inputs import Input, InputLines, inputs_of
from infra.log_reading.places import Layout, layout_of
from infra.tools.log_words import read_query
from infra.zones import zone_of

log = logging.getLogger(__name__)

_BATCH = 512  # entries between two looks at the clock
_TALLIES_EACH, _TALLIES, _TALLIES_THEN = 400, 20_000, 20
"""Shapes of messages that are told of an input, of a share, and of each input when those are used up."""
_FARTHEST = timedelta(hours=26)  # that two zones lie apart


@dataclass(frozen=True, slots=True)
class LogFolder:
    """A source of logs. `zone`: of stamps that name none; `zone_known`: the operator told it. `prefix`: in front of
    its inputs' names, where there are several sources."""

    path: str
    zone: str
    zone_known: bool
    exclude: tuple[str, ...] = ()
    services: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A search in plain values: `query` as it was asked, `start` None for ever, `level` None for any. `survey_since`:
    the messages are surveyed, and compared with those from then on (R90); None: they are only sought."""

    start: datetime | None
    end: datetime
    service: str
    level: int | None
    query: str
    limit: int
    now: datetime
    survey_since: datetime | None = None

    def condition(self) -> Condition:
        words, _ = read_query(self.query, self.service)
        level = None if self.level is None else Level(self.level)
        return Condition(Window(self.start, self.end), self.service, level, words if words.alternatives else None)


@dataclass(frozen=True, slots=True)
class Part:
    """What became of one input, or of a file as a whole.

    `left_out`: inputs that the operator excluded, by glob. `contradicted`: a stamp is younger than the last change of
    the file, which therefore tells nothing in that folder. `ended`: the file that was read to its end with this part.
    `digest`: what the input holds, where it was surveyed.
    """

    searched: SearchedInput | None = None
    unread: UnreadInput | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    contradicted: str | None = None
    ended: str | None = None
    digest: InputDigest | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """The files of a folder by their tokens, in order, with their sizes, and what else lies there."""

    tokens: list[str]
    sizes: list[int]
    unread: list[UnreadInput]
    left_out: dict[str, int]


def walk(folder: LogFolder) -> Walk:
    """Raises OSError if it is no folder."""
    exclusions = Exclusions(folder.exclude)
    found = find_files(Path(folder.path), exclusions)
    return Walk(
        [_token(file) for file in found.files],
        [file.size for file in found.files],
        list(found.unread),
        dict(exclusions.counts),
    )


def _token(file: LogFile) -> str:
    """Which file it is, whatever it will be called, how it was listed, and its path below the folder in a form that
    any text may hold: names may be any bytes."""
    name = os.fsencode(file.names[0]).decode("latin-1")
    return f"{file.device:x}:{file.inode:x}:{file.size}:{file.last_change.isoformat(timespec='microseconds')}/{name}"


def _identity(token: str) -> str:
    """It stays the same when a rotation renames the file."""
    return ":".join(token.split(":", 2)[:2])


def _was_replaced(token: str, file: LogFile) -> bool:
    """Whether the file may be another than was listed: it is shorter, or has another name and was written to."""
    size, _, rest = token.split(":", 2)[2].partition(":")
    changed, _, name = rest.partition("/")
    is_as_listed = file.last_change.isoformat(timespec="microseconds") == changed
    return file.size < int(size) or not (is_as_listed or os.fsencode(file.names[0]).decode("latin-1") == name)


def name_of_token(token: str) -> str:
    """The path as people are shown it."""
    return token.partition("/")[2].encode("latin-1").decode("utf-8", "replace")


def search_share(folder: LogFolder, asked: Asked, tokens: Collection[str], seconds: float) -> Iterator[Part]:
    """Search these files of a folder. What `seconds` do not suffice for is unread. Raises OSError."""
    files = find_files(Path(folder.path), Exclusions(folder.exclude)).files
    layout = layout_of(
        Path(folder.path).resolve().name, folder.services, (file.names[0] for file in files), asked.service
    )
    reading = _Reading(folder, asked, asked.condition(), layout, time.monotonic() + seconds)
    wanted = {_identity(token): token for token in tokens}
    for file in files:
        if (token := wanted.pop(_identity(_token(file)), None)) is not None:
            if _was_replaced(token, file):
                yield _vanished(token)
            yield from reading.file(file, token)
    yield from map(_vanished, wanted.values())


def _vanished(token: str) -> Part:
    return Part(unread=UnreadInput(name_of_token(token), UnreadReason.VANISHED), ended=token)


@dataclass(slots=True)
class _Reading:
    folder: LogFolder
    asked: Asked
    condition: Condition
    layout: Layout
    deadline: float
    tallies: int = 0

    def file(self, file: LogFile, token: str) -> Iterator[Part]:
        exclusions = Exclusions(self.folder.exclude)
        if self._is_late():
            yield Part(unread=UnreadInput(file.name, UnreadReason.LIMIT, file.last_change), ended=token)
            return
        for one in inputs_of(file, exclusions):
            if isinstance(one, UnreadInput):
                yield Part(unread=one)
            elif self._is_late():
                yield Part(unread=UnreadInput(one.name, UnreadReason.LIMIT, one.last_change))
            else:
                yield self._searched(one)
        yield Part(left_out=dict(exclusions.counts), ended=token)

    def _searched(self, one: Input) -> Part:
        zone = zone_of(self.folder.zone)
        lines = one.lines()
        reader = read_entries(
            lines,
            Context(
                now=self.asked.now,
                zone=zone,
                zone_known=self.folder.zone_known,
                last_change=one.last_change,
                file_name=one.file_name,
                again=one.lines,
            ),
        )
        search = self._search(one, zone, lambda: reader.service)
        left = self._read_entries(search, reader)
        changed = one.last_change if one.last_change > FIRST_CHANGE else None
        account = search.finish(self.folder.prefix + one.name, changed)
        digest = self._digest(search) if isinstance(search, InputSurvey) else None
        is_assumed = reader.zone_used and not self.folder.zone_known
        slack = CLOCK_SLACK + (_FARTHEST if is_assumed else timedelta())
        is_contradicted = account.last is not None and account.last > one.last_change + slack
        return Part(
            searched=SearchedInput(
                account=account,
                format=_told_format(reader.format_name, lines),
                zone=self.folder.zone if reader.zone_used else "",
                zone_assumed=is_assumed,
                family=f"{self.folder.prefix}{one.family}",
            ),
            unread=UnreadInput(one.name, left, one.last_change) if left else lines.unread,
            contradicted=one.name.rpartition("/")[0] if is_contradicted else None,
            digest=digest,
        )

    def _search(self, one: Input, zone: tzinfo, format_service: Callable[[], str]) -> InputSearch:
        place = self.layout.place(one.name, one.folders, one.file_name, one.linked_as)
        if self.asked.survey_since is not None:
            return InputSurvey(
                self.condition, place, zone=zone, since=self.asked.survey_since, format_service=format_service
            )
        return InputSearch(
            self.condition,
            place,
            zone=zone,
            limit=self.asked.limit,
            format_service=format_service,
            keeps_keys=True,
        )

    def _digest(self, survey: InputSurvey) -> InputDigest:
        digest = survey.digest(_TALLIES_EACH if self.tallies < _TALLIES else _TALLIES_THEN)
        self.tallies += len(digest.tallies)
        return digest

    def _read_entries(self, search: InputSearch, entries: Iterator[Entry]) -> UnreadReason | None:
        """Why they were not read to their end; a fault of ours in one input costs no other."""
        try:
            while not self._is_late():
                batch = list(islice(entries, _BATCH))
                search.read(batch)
                if len(batch) < _BATCH:
                    return None
        except Exception:
            log.exception("an input could not be read on")
            return UnreadReason.ERROR
        return UnreadReason.LIMIT

    def _is_late(self) -> bool:
        return time.monotonic() > self.deadline


def _told_format(name: str, lines: InputLines) -> str:
    """With an encoding that is not UTF-8, and whether that is a guess."""
    if lines.encoding in ("utf-8", "ascii"):
        return name
    return f"{name}, {lines.encoding}{' (guessed)' if lines.encoding_guessed else ''}"


def left_out(parts: Collection[Part]) -> Counter[str]:
    """Over all parts, by glob."""
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(part.left_out)
    return counts
