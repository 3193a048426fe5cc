"""A search of log folders: shares of it run in reading processes, and their accounts become one answer (R68, R69)."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from domain.evidence.coverage import MOST_NAMED, Unread, UnreadReason
from domain.evidence.log_answer import LogAnswer, answer_of
from domain.evidence.survey import Surveyed
from infra.log_reading.files import UnreadInput
from infra.log_reading.share import Asked, LogFolder, Part, Walk, left_out, name_of_token
from infra.reading.limits import LimitKind, ReadingError, ReadingLimit
from infra.reading.processes import ReadingProcesses, shares

SECONDS = 50.0
"""What a search may take; what it did not come to then is unread, and said to be so."""
_GRACE_S = 15.0  # for the input that is being read when the time is up
_SMALL = 4_000_000  # bytes that one process reads as fast as two

_MODULE = "infra.log_reading.share"
_WALK = TypeAdapter(Walk)
_PARTS = TypeAdapter(list[Part])


@dataclass(slots=True)
class _Read:
    """What was read of one folder."""

    folder: LogFolder
    parts: list[Part]
    unread: list[UnreadInput]
    left_out: Counter[str]

    def told_unread(self, asked: Asked) -> list[Unread]:
        """Where stamps contradict the last changes of a folder's files, those tell nothing of what is unread there."""
        contradicted = {part.contradicted for part in self.parts}
        told = []
        for one in (*self.unread, *(part.unread for part in self.parts if part.unread)):
            is_dated = one.name.rpartition("/")[0] not in contradicted
            known = one if is_dated else replace(one, last_change=None)
            told.append(replace(known, name=self.folder.prefix + one.name).told(asked.start))
        return told


async def search_logs(
    folders: Sequence[LogFolder],
    asked: Asked,
    words: Sequence[str],
    processes: ReadingProcesses,
    most_named: int = MOST_NAMED,
) -> LogAnswer:
    """`words`: the query as it is told in the coverage; `most_named`: how many inputs of a kind that names. Raises
    ReadingError if the folder is none; of several, one that is none is unread."""
    return _answer(await _folders(folders, asked, processes), asked, words, most_named)


async def survey_logs(
    folders: Sequence[LogFolder], asked: Asked, processes: ReadingProcesses
) -> tuple[LogAnswer, list[Surveyed]]:
    """What a search of the window would answer, without entries, and what each input holds (R90). `asked` tells since
    when. Raises ReadingError as `search_logs` does."""
    read = await _folders(folders, asked, processes)
    parts = [part for one in read for part in one.parts]
    surveyed = [Surveyed(part.searched, part.digest) for part in parts if part.searched and part.digest]
    surveyed.sort(key=lambda one: one.searched.account.name)
    return _answer(read, asked, ()), surveyed


async def _folders(folders: Sequence[LogFolder], asked: Asked, processes: ReadingProcesses) -> list[_Read]:
    until = time.monotonic() + SECONDS
    return await asyncio.gather(*(_folder(folder, asked, processes, until) for folder in folders))


def _answer(read: Sequence[_Read], asked: Asked, words: Sequence[str], most_named: int = MOST_NAMED) -> LogAnswer:
    searched = [part.searched for one in read for part in one.parts if part.searched]
    return answer_of(
        asked.condition(),
        words,
        sorted(searched, key=lambda one: one.account.name),
        [unread for one in read for unread in one.told_unread(asked)],
        sum((one.left_out for one in read), Counter()),
        limit=asked.limit,
        most_named=most_named,
    )


async def _folder(folder: LogFolder, asked: Asked, processes: ReadingProcesses, until: float) -> _Read:
    try:
        walked = _WALK.validate_python(await processes.run(f"{_MODULE}:walk", folder, timeout_s=SECONDS))
    except ReadingError:
        if not folder.prefix:
            raise
        return _Read(folder, [], [UnreadInput("", UnreadReason.ERROR)], Counter())
    of = 1 if sum(walked.sizes) < _SMALL else processes.count
    chosen = [[walked.tokens[place] for place in share] for share in shares(walked.sizes, of)]
    found = await asyncio.gather(*(_share(folder, asked, tokens, processes, until) for tokens in chosen))
    parts = [part for share in found for part in share]
    return _Read(folder, parts, walked.unread, Counter(walked.left_out) + left_out(parts))


async def _share(
    folder: LogFolder, asked: Asked, tokens: Sequence[str], processes: ReadingProcesses, until: float
) -> list[Part]:
    """A file that comes to a limit is unread; it costs no other, nor what was found in it before."""
    done: list[Part] = []
    while tokens:
        seconds = max(0.0, until - time.monotonic())
        job = (f"{_MODULE}:search_share", folder, asked, tokens, seconds)
        try:
            return done + _PARTS.validate_python(await processes.run(*job, timeout_s=seconds + _GRACE_S))
        except ReadingLimit as limit:
            parts = _PARTS.validate_python(limit.parts)
            ended = {part.ended for part in parts}
            left = [token for token in tokens if token not in ended]
            lost = left if limit.kind is LimitKind.TIME else left[:1]
            done += parts
            done += [Part(unread=UnreadInput(name_of_token(one), UnreadReason.LIMIT)) for one in lost]
            tokens = left[len(lost) :]
    return done
