"""A folder of logs to be: dated lines, rotated, packed, with the owners, modes and last changes of a server."""

from __future__ import annotations

import gzip
import lzma
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owned:
    """Mode, owner and group of the files that a glob names; ids need not exist on this machine."""

    glob: str
    mode: int
    owner: int = 0
    group: int = 0


@dataclass(slots=True)
class Tree:
    """`lines`: by path, in any order; `whole`: files of other content, with their last change."""

    lines: dict[str, list[tuple[datetime, str]]] = field(default_factory=dict)
    whole: dict[str, tuple[datetime, bytes]] = field(default_factory=dict)
    links: dict[str, tuple[datetime, str]] = field(default_factory=dict)
    owned: list[Owned] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def line(self, path: str, at: datetime, text: str) -> None:
        self.lines.setdefault(path, []).append((at, text))

    def text(self, path: str, changed: datetime, content: str) -> None:
        self.whole[path] = (changed, content.encode())

    def rotate(self, path: str, cuts: Sequence[datetime], names: Sequence[str]) -> None:
        """Move what is older than each cut (newest first) into the file of that name; older than the last: dropped."""
        waiting = self.lines.pop(path)
        for cut, name in zip(cuts, (path, *names), strict=False):
            self.lines[name] = [one for one in waiting if one[0] >= cut]
            waiting = [one for one in waiting if one[0] < cut]
        if len(names) == len(cuts):
            self.lines[names[-1]] = waiting

    # ------------------------------------------------------------ on disk

    def write(self, root: Path, *, as_others_see: bool, keeps_owners: bool = False) -> None:
        """`as_others_see`: with the modes of the server, for a reader who is neither owner nor of the group;
        `keeps_owners`: with its owners, which only root can give, else what others may do is all that the owner may."""
        for name, changed, content in self._contents():
            _put(root / name, content, changed)
        for name, (changed, target) in self.links.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(target.replace("{root}", str(root)), root / name)
            os.utime(root / name, (changed.timestamp(),) * 2, follow_symlinks=False)
        for name in self.folders:
            (root / name).mkdir(parents=True, exist_ok=True)
        if as_others_see:
            self._own(root, keeps_owners=keeps_owners)

    def _contents(self) -> Iterator[tuple[str, datetime, bytes]]:
        for name, lines in self.lines.items():
            ordered = sorted(lines, key=lambda one: one[0])
            text = "".join(f"{line}\n" for _, line in ordered).encode()
            if ordered:
                yield name, ordered[-1][0], _packed(name, text)
        yield from ((name, changed, content) for name, (changed, content) in self.whole.items())

    def _own(self, root: Path, *, keeps_owners: bool) -> None:
        for path in sorted(root.rglob("*"), key=lambda path: -len(path.parts)):
            name = str(path.relative_to(root))
            owned = next((one for one in self.owned if fnmatch(name, one.glob)), None)
            if owned is None or path.is_symlink():
                continue
            if keeps_owners:
                os.chown(path, owned.owner, owned.group)
                path.chmod(owned.mode)
            else:
                path.chmod((owned.mode & 0o007) << 6)


def remove(root: Path) -> None:
    """Also what its owner may not read any more."""
    for folder, _, _ in os.walk(root):
        Path(folder).chmod(0o700)
    shutil.rmtree(root)


def _packed(name: str, text: bytes) -> bytes:
    if name.endswith(".gz"):
        return gzip.compress(text, mtime=0)
    return lzma.compress(text) if name.endswith(".xz") else text


def _put(path: Path, content: bytes, changed: datetime) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (changed.timestamp(),) * 2)


def moments(rng: random.Random, start: datetime, end: datetime, every_s: float) -> Iterator[datetime]:
    """Moments from start to end, at about this distance."""
    seconds = 0.0
    while True:
        seconds += rng.uniform(0.2, 1.8) * every_s
        at = datetime.fromtimestamp(start.timestamp() + seconds, start.tzinfo)
        if at >= end:
            return
        yield at
