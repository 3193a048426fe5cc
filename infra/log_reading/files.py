"""The files below a folder and what else lies there; nothing is opened."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from domain.evidence.coverage import Unread, UnreadReason
from infra.log_reading.exclusions import Exclusions

MOST_FILES = 20_000
"""So many files of a folder are read; the newest, if there are more."""
MOST_ENTRIES = 1_000_000
"""A larger tree is not walked to its end."""
GRACE = timedelta(minutes=5)
"""A file may hold entries that are so much younger than its last change: clocks differ (R69)."""


@dataclass(frozen=True, slots=True)
class UnreadInput:
    """An input that was not read. `last_change` None: not known. `is_no_log`: its content shows it."""

    name: str
    reason: UnreadReason
    last_change: datetime | None = None
    is_no_log: bool = False

    def told(self, since: datetime | None) -> Unread:
        return Unread(name=self.name, reason=self.reason, could_match=could_match(self, since))


def could_match(unread: UnreadInput, since: datetime | None) -> bool:
    """Whether something from `since` on (None: ever) could stand in an unread input (R69)."""
    if unread.is_no_log:
        return False
    return since is None or unread.last_change is None or unread.last_change >= since - GRACE


@dataclass(frozen=True, slots=True)
class LogFile:
    """A regular file. `names`: its path below the folder and, after it, the links in the folder that lead to it."""

    path: str
    names: tuple[str, ...]
    device: int
    inode: int
    size: int
    last_change: datetime

    @property
    def name(self) -> str:
        return shown(self.names[0])


@dataclass(frozen=True, slots=True)
class FolderListing:
    files: tuple[LogFile, ...]
    unread: tuple[UnreadInput, ...]


def find_files(folder: Path, exclusions: Exclusions) -> FolderListing:
    """Every regular file below a folder, by path. Raises OSError if it is no folder.

    A link within the folder is followed once, one that leads out is named, as is what cannot be read at all. Of too
    many files those are taken that changed last.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    walk = _Walk(os.path.realpath(folder))
    walk.walk()
    walk.follow_links()
    files = [replace(file, names=kept) for file in walk.files.values() if (kept := exclusions.kept(file.names))]
    unread = [one for one in walk.unread if exclusions.kept((one.name,))]
    if len(files) > MOST_FILES:
        by_age = sorted(files, key=lambda file: (file.last_change, file.names))
        files, left = by_age[-MOST_FILES:], by_age[:-MOST_FILES]
        unread.append(UnreadInput(f"({len(left)} more files)", UnreadReason.LIMIT, left[-1].last_change))
    return FolderListing(
        tuple(sorted(files, key=lambda file: file.names)),
        tuple(sorted(unread, key=lambda one: one.name)),
    )


@dataclass(slots=True)
class _Walk:
    root: str
    files: dict[tuple[int, int], LogFile] = field(default_factory=dict)
    unread: list[UnreadInput] = field(default_factory=list)
    _links: list[str] = field(default_factory=list)
    _folders: set[tuple[int, int]] = field(default_factory=set)
    _seen: int = 0

    def walk(self) -> None:
        """Walk the tree without its links."""
        waiting = [""]
        while waiting and self._seen <= MOST_ENTRIES:
            for name, status in self._entries(waiting.pop()):
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(f"{name}/")
                elif stat.S_ISLNK(status.st_mode):
                    self._links.append(name)
                else:
                    self._add(name, status)
        if waiting:
            self.unread.append(UnreadInput("(more folders)", UnreadReason.LIMIT))

    def _entries(self, folder: str) -> Iterator[tuple[str, os.stat_result]]:
        """What lies in a folder: "" or a path that ends with a slash."""
        try:
            own = os.stat(self.root + "/" + folder)
            if (own.st_dev, own.st_ino) in self._folders:
                return
            self._folders.add((own.st_dev, own.st_ino))
            with os.scandir(self.root + "/" + folder) as entries:
                for entry in entries:
                    self._seen += 1
                    if self._seen > MOST_ENTRIES:
                        break
                    yield from self._stated(folder + entry.name)
        except OSError as error:
            self.unread.append(UnreadInput(shown(folder) or ".", reason_of(error)))

    def _stated(self, name: str) -> Iterator[tuple[str, os.stat_result]]:
        try:
            yield name, os.lstat(f"{self.root}/{name}")
        except OSError as error:
            self.unread.append(UnreadInput(shown(name), reason_of(error)))

    def _add(self, name: str, status: os.stat_result) -> None:
        last_change = moment_of(status)
        if not stat.S_ISREG(status.st_mode):
            self.unread.append(UnreadInput(shown(name), UnreadReason.FORMAT, last_change))
            return
        key = status.st_dev, status.st_ino
        known = self.files.get(key)
        names = tuple(sorted([name, *known.names])) if known else (name,)
        self.files[key] = LogFile(f"{self.root}/{names[0]}", names, *key, status.st_size, last_change)

    def follow_links(self) -> None:
        """A link to a file that was found gives it a name more; one to a folder does so for all in it."""
        folders: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(self._links):
            path = f"{self.root}/{name}"
            try:
                target, status = os.path.realpath(path, strict=True), os.stat(path)
            except OSError as error:
                self.unread.append(_broken(shown(name), path, error))
                continue
            if not f"{target}/".startswith(self.root.rstrip("/") + "/"):
                last_change = None if stat.S_ISDIR(status.st_mode) else moment_of(status)
                self.unread.append(UnreadInput(shown(name), UnreadReason.LINK, last_change))
            elif stat.S_ISDIR(status.st_mode):
                folders[os.path.relpath(target, self.root)].append(name)
            elif (known := self.files.get((status.st_dev, status.st_ino))) is not None:
                self.files[status.st_dev, status.st_ino] = replace(known, names=(*known.names, name))
        for key, file in self.files.items() if folders else ():
            self.files[key] = replace(file, names=(*file.names, *_names_by_folders(file.names[0], folders)))


def _names_by_folders(name: str, folders: Mapping[str, list[str]]) -> Iterator[str]:
    """The names that links to the folders of a file give it; a link into itself gives none."""
    folder = name
    while folder:
        folder = os.path.dirname(folder)
        for link in folders.get(folder or ".", ()):
            if not f"{link}/".startswith(f"{folder}/" if folder else ""):
                yield link + name[len(folder) :]


def _broken(name: str, path: str, error: OSError) -> UnreadInput:
    """A link that leads to nothing: as old as itself, unless a volume that is not there seems to be meant."""
    if error.errno == errno.ELOOP:
        return UnreadInput(name, UnreadReason.LINK, is_no_log=True)
    if error.errno != errno.ENOENT:
        return UnreadInput(name, reason_of(error))
    nearest = os.path.dirname(os.path.realpath(path))
    while not os.path.isdir(nearest):
        nearest = os.path.dirname(nearest)
    try:
        return UnreadInput(name, UnreadReason.VANISHED, moment_of(os.lstat(path)) if os.listdir(nearest) else None)
    except OSError as failure:
        return UnreadInput(name, reason_of(failure))


def is_link_as_text(path: str, size: int, head: bytes) -> bool:
    """Whether a file is a link whose target was written into it, as archives and checkouts do where a file system has
    no links: nothing but a path with a slash, of something that is there."""
    if not 1 < size <= _LONGEST_LINK or size != len(head) or b"/" not in head or _NO_PATH.search(head):
        return False
    return os.path.lexists(os.path.join(os.path.dirname(path), os.fsdecode(head)))


_LONGEST_LINK = 1_024
_NO_PATH = re.compile(rb"[\s\0]")


def reason_of(error: OSError | MemoryError) -> UnreadReason:
    match error:
        case MemoryError():
            return UnreadReason.LIMIT
        case PermissionError():
            return UnreadReason.PERMISSION
        case FileNotFoundError():
            return UnreadReason.VANISHED
        case OSError(errno=errno.ELOOP):
            return UnreadReason.LINK
        case _:
            return UnreadReason.ERROR


def moment_of(status: os.stat_result) -> datetime:
    """The last change; a time that no calendar has is the latest there is."""
    try:
        return datetime.fromtimestamp(status.st_mtime, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.max.replace(tzinfo=UTC)


def shown(name: str) -> str:
    """A name that any text can hold: bytes that are no UTF-8 are written out."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
