"""A file of one or more texts, read forward; it begins anew only for an earlier place."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing

from infra.log_reading.archives import leaves_of
from infra.log_reading.byte_streams import FileBytes
from infra.log_reading.files import LogFile
from infra.log_reading.members import Leaf, Place


class FileReader:
    """`was_replaced`: another file had its name when it was opened, so what was listed may have moved.

    It can be sent to another process, which then opens the file itself.
    """

    def __init__(self, file: LogFile, last: Place | None = None) -> None:
        self.was_replaced = False
        self._file = file
        self._last = last  # the place after which nothing is left to read, once it is known
        self._walk: Generator[Leaf] | None = None
        self._ready: Leaf | None = None
        self._passed: Place = ()

    def __reduce__(self) -> tuple[type[FileReader], tuple[LogFile, Place | None]]:
        return FileReader, (self._file, self._last)

    def leaves(self) -> Iterator[Leaf]:
        """All texts from the beginning. Raises OSError where the file cannot be opened."""
        walk = self._walking()
        for leaf in walk:
            self._walk, self._ready, self._passed = walk, leaf, leaf.place
            yield leaf
        self._last, self._walk, self._ready = self._passed, None, None

    def at(self, place: Place) -> Leaf | None:
        """The text at a place, its stream at the beginning; None if there is none any more. Raises OSError."""
        ready, self._ready = self._ready, None
        if ready is not None and ready.place == place:
            return ready
        if self._walk is None or place <= self._passed:
            self._walk = self._walking()
        for leaf in self._walk:
            self._passed = leaf.place
            if leaf.place >= place:
                return leaf if leaf.place == place else None
        return None

    def leave(self, place: Place) -> None:
        """Say that a text was read; after the last one the file is closed."""
        if place == self._last:
            self.close()

    def close(self) -> None:
        """What is asked for next is read from a new beginning."""
        if self._walk is not None:
            self._walk.close()
        self._walk = self._ready = None

    def _walking(self) -> Generator[Leaf]:
        with closing(FileBytes(self._file.path)) as file:
            self.was_replaced = file.identity != (self._file.device, self._file.inode)
            yield from leaves_of(file, self._file.last_change)
