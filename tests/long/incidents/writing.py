"""The lines of an incident as files, some of them rotated; and what of them is decisive."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tests.long.incidents.casting import Cast
from tests.long.incidents.incident import Decisive, Entry
from tests.long.incidents.story import Happening, Story, decisive_of

Written = tuple[Entry, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Files:
    """`changed`: when each was last written; `owners`: the service of each."""

    contents: Mapping[str, bytes]
    changed: Mapping[str, datetime]
    owners: Mapping[str, str]

    def rows_of(self, service: str) -> list[str]:
        return [row for path in self.contents if self.owners[path] == service for row in self.text(path).splitlines()]

    def text(self, path: str) -> str:
        content = self.contents[path]
        return (gzip.decompress(content) if path.endswith(".gz") else content).decode()


def files_of(cast: Cast, written: Iterable[Written], rotated_at: datetime) -> Files:
    """What a service that rotates wrote before `rotated_at` lies in a file of its own."""
    lines: dict[str, list[str]] = defaultdict(list)
    changed, owners = {}, {}
    for entry, tail in sorted(written, key=lambda one: one[0].time):
        shelf = cast.shelves[entry.service]
        path = shelf.file_of(entry) + (shelf.rotation if entry.time < rotated_at else "")
        lines[path].append(shelf.text_of(entry, tail))
        changed[path], owners[path] = entry.time, entry.service
    return Files({path: _packed(path, rows) for path, rows in lines.items()}, changed, owners)


def _packed(path: str, rows: Sequence[str]) -> bytes:
    content = ("\n".join(rows) + "\n").encode()
    return gzip.compress(content, mtime=0) if path.endswith(".gz") else content


def decisive_texts(cast: Cast, story: Story, files: Files) -> tuple[Decisive, ...]:
    """With the length of the longest line that holds each."""
    found = []
    for one in story.happenings:
        if (parts := decisive_of(cast.said(one.text))) is None:
            continue
        service = cast.names[one.who]
        lengths = [len(row) for row in files.rows_of(service) if _stands_in(parts[1], row)]
        longest = max(lengths, default=0)
        found.append(Decisive(_part(one), service, cast.roles[service], parts[0], parts[1], longest))
    return tuple(found)


def cause_texts(cast: Cast, story: Story) -> tuple[str, ...]:
    """What states a cause in words."""
    marked = [decisive_of(cast.said(one.text)) for one in story.happenings if one.cause]
    return tuple(one[0] for one in marked if one)


def traced_texts(story: Story) -> tuple[str, ...]:
    """The "Caused by" of stack traces: the cause of an exception, and of nothing else."""
    return tuple(row for one in story.happenings for row in one.tail if row.startswith("Caused by"))


def _part(one: Happening) -> str:
    """What stands before the onset is a change, or what came first."""
    if one.at < 0:
        return "change"
    return "symptom" if one.who == "front" else "neighbour"


def _stands_in(text: str, row: str) -> bool:
    """Also within a string of JSON or logfmt, or of JSON in JSON."""
    once = text.replace("\\", "\\\\").replace('"', '\\"')
    twice = once.replace("\\", "\\\\").replace('"', '\\"')
    return any(form in row for form in (text, once, twice))
