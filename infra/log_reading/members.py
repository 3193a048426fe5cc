"""What is found in a file, and the members of an archive by name and number."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from domain.evidence.coverage import UnreadReason
from infra.log_reading.byte_streams import Peeked
from infra.log_reading.content import Content, unreadable

Place = tuple[int, ...]
"""Where a leaf is: the numbers of the members that lead to it; () for the file itself."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One text of a file, or something in it that is not read (`content.reason`).

    `members`: the names that lead to it within the file. `size`: in bytes, unpacked, None where not known.
    `stream`: valid until the next leaf is asked for.
    """

    place: Place
    members: tuple[str, ...]
    last_change: datetime
    size: int | None
    content: Content
    stream: Peeked

    def unread(self, reason: UnreadReason) -> Leaf:
        return replace(self, content=unreadable(reason))


Unfold = Callable[[Leaf], Iterator[Leaf]]
"""From a member to it, or to what is packed in it."""


@dataclass(slots=True)
class Members:
    """Numbers the members of an archive and remembers their names, so that a link to one of them needs no reading."""

    archive: Leaf
    packed: int = 0
    unpacked: int = 0
    _count: int = 0
    _names: set[str] = field(default_factory=set)
    _links: list[tuple[str, str, datetime]] = field(default_factory=list)

    def next(self, name: str, last_change: datetime, size: int | None, content: Content, stream: Peeked) -> Leaf:
        place = (*self.archive.place, self._count)
        self._count += 1
        return Leaf(place, (*self.archive.members, name), last_change, size, content, stream)

    def unread(self, name: str, last_change: datetime, reason: UnreadReason) -> Leaf:
        """A member that is named only."""
        return self.next(name, last_change, None, unreadable(reason), self.archive.stream)

    def add_name(self, name: str) -> None:
        """A member that is read, and with it the folders it lies in."""
        while name and name not in self._names:
            self._names.add(name)
            name = posixpath.dirname(name)

    def add_link(self, name: str, target: str, last_change: datetime, *, is_from_root: bool = False) -> None:
        folder = "" if is_from_root else posixpath.dirname(name)
        self._links.append((name, posixpath.normpath(posixpath.join(folder, target)), last_change))

    def open_links(self) -> Iterator[Leaf]:
        """The links that lead to no member that was read."""
        for name, target, last_change in self._links:
            if target not in self._names:
                yield self.unread(name, last_change, UnreadReason.LINK)

    def rest(self, reason: UnreadReason) -> Leaf:
        """The archive itself, of which something was not read."""
        return replace(self.archive, place=(*self.archive.place, self._count), content=unreadable(reason))


def plain_name(name: str) -> str:
    return name.removeprefix("./")


def leads_out(name: str) -> bool:
    return name.startswith("/") or ".." in name.split("/")


def moment(seconds: float) -> datetime | None:
    """None for no time: archives that are made to be the same each time give 1970."""
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (OverflowError, OSError, ValueError):
        return None
