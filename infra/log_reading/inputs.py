"""The inputs of a folder of logs: every text in it, and by name whatever was not read (R69)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from domain.evidence.coverage import UnreadReason
from infra.log_reading.byte_streams import ByteStream, Nothing
from infra.log_reading.content import Form
from infra.log_reading.decoding import Line, Lines, encoding_of
from infra.log_reading.exclusions import Exclusions
from infra.log_reading.file_reader import FileReader
from infra.log_reading.files import LogFile, UnreadInput, find_files, is_link_as_text, reason_of, shown
from infra.log_reading.members import Leaf, Place
from infra.log_reading.rotation import family_of, unpacked_name

MOST_INPUTS = 20_000
"""So many inputs of one folder, archive members included, are read."""


@dataclass(frozen=True, slots=True)
class Input:
    """One text of a folder: a file, or a member of an archive.

    `name`: its path below the folder, a member's as `a.tar.gz/o.log`. `folders`: from the folder down, an archive
    without its suffix. `size`: in bytes, of a packed file as packed. `family`: the same for all parts of a rotation.
    `encoding`: as its beginning shows; its lines know it better. `linked_as`: names that links in the folder give it.
    """

    name: str
    folders: tuple[str, ...]
    file_name: str
    last_change: datetime
    size: int
    family: str
    encoding: str
    encoding_guessed: bool
    linked_as: tuple[str, ...]
    _reader: FileReader = field(repr=False, compare=False)
    _place: Place = ()

    def lines(self) -> InputLines:
        """Read it from its beginning. Raises nothing: what could not be read is `unread` afterwards."""
        return InputLines(self, self._reader, self._place)


class InputLines(Lines):
    """The lines of an input; `unread`, after the last: that it broke off there, and why."""

    def __init__(self, of: Input, reader: FileReader, place: Place) -> None:
        self._of, self._reader, self._place = of, reader, place
        self._was_replaced = False
        leaf = self._opened()
        super().__init__(leaf.stream if isinstance(leaf, Leaf) else leaf, of.encoding)

    def _opened(self) -> Leaf | ByteStream:
        try:
            leaf = self._reader.at(self._place)
        except (OSError, MemoryError) as error:
            return Nothing(reason_of(error))
        self._was_replaced = self._reader.was_replaced
        return leaf or Nothing(UnreadReason.VANISHED)

    def _read(self) -> Iterator[Iterable[Line]]:
        yield from super()._read()
        self._reader.leave(self._place)

    def close(self) -> None:
        """Give up before the last line."""
        self._reader.close()

    @property
    def unread(self) -> UnreadInput | None:
        reason = self.fault or (UnreadReason.VANISHED if self._was_replaced else None)
        return UnreadInput(self._of.name, reason, self._of.last_change) if reason else None


@dataclass(frozen=True, slots=True)
class InputListing:
    """`excluded`: how many inputs each glob left out."""

    inputs: tuple[Input, ...]
    unread: tuple[UnreadInput, ...]
    excluded: dict[str, int]


def find_inputs(folder: Path, *, exclude: Sequence[str] = ()) -> InputListing:
    """All inputs below a folder, by path; archives are passed through for it. Raises OSError if it is no folder."""
    exclusions = Exclusions(exclude)
    found = find_files(folder, exclusions)
    inputs: list[Input] = []
    unread = list(found.unread)
    for number, file in enumerate(found.files):
        if len(inputs) >= MOST_INPUTS:
            left = found.files[number:]
            newest = max(file.last_change for file in left)
            unread.append(UnreadInput(f"({len(left)} more files)", UnreadReason.LIMIT, newest))
            break
        for one in inputs_of(file, exclusions):
            inputs.append(one) if isinstance(one, Input) else unread.append(one)
    return InputListing(tuple(inputs), tuple(sorted(unread, key=lambda one: one.name)), dict(exclusions.counts))


def inputs_of(file: LogFile, exclusions: Exclusions) -> Iterator[Input | UnreadInput]:
    """The inputs of one file in order, and what is not read of it.

    An input whose lines are read before the next one is asked for costs no second pass through its archive.
    """
    reader = FileReader(file)
    try:
        for count, leaf in enumerate(reader.leaves()):
            if count >= MOST_INPUTS:
                yield UnreadInput(file.name, UnreadReason.LIMIT, file.last_change)
                break
            name = shown("/".join((file.names[0], *leaf.members)))
            if not leaf.members or exclusions.kept((name,)):
                yield _input(name, file, leaf, reader)
    except (OSError, MemoryError) as error:
        yield UnreadInput(file.name, reason_of(error), file.last_change)
    if reader.was_replaced:
        yield UnreadInput(file.name, UnreadReason.VANISHED, file.last_change)


def _input(name: str, file: LogFile, leaf: Leaf, reader: FileReader) -> Input | UnreadInput:
    content = leaf.content
    if content.form is not Form.TEXT:
        return UnreadInput(name, content.reason or UnreadReason.FORMAT, leaf.last_change, content.is_no_log)
    if not leaf.members and is_link_as_text(file.path, file.size, leaf.stream.head):
        return UnreadInput(name, UnreadReason.LINK)
    encoding, is_guess = encoding_of(leaf.stream.head, content.encoding)
    *folders, file_name = _folders(file, leaf)
    *above, own = file.names[0].split("/")
    return Input(
        name=name,
        folders=tuple(folders),
        file_name=file_name,
        last_change=leaf.last_change,
        size=file.size if leaf.size is None else leaf.size,
        family=family_of(shown("/".join([*above, *(leaf.members or [own])]))),
        encoding=encoding,
        encoding_guessed=is_guess,
        linked_as=tuple(map(shown, file.names[1:])),
        _reader=reader,
        _place=leaf.place,
    )


def _folders(file: LogFile, leaf: Leaf) -> list[str]:
    """The folders and the name; each archive on the way counts as a folder."""
    *above, last = [file.names[0], *leaf.members]
    parts = [part for path in above for part in (*path.split("/")[:-1], unpacked_name(path.split("/")[-1]))]
    return [shown(part) for part in (*parts, *last.split("/"))]
