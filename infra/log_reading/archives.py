"""A file as the texts in it: one, or the members of an archive and of the archives in that; read once, in order."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import IO

from domain.evidence.coverage import UnreadReason
from infra.log_reading.byte_streams import FileBytes, Peeked, Unpacked, read_fully
from infra.log_reading.content import BINARY, PACKED, TEXT, Form, content_of, unreadable
from infra.log_reading.journal import JournalText
from infra.log_reading.members import Leaf
from infra.log_reading.tar_archive import TarMembers
from infra.log_reading.zip_archive import zip_members

ARCHIVES_DEEP = 2
"""An archive and the archives in it; what is packed deeper is named."""
PACKED_DEEP = 2
"""A text may be packed twice, as a log is that was rotated by two programs."""
HELD_BYTES = 16 * 1024**2
"""A zip has its list at its end, and a journal is read in any order: one within an archive, or packed, must be held,
and is read up to this size."""


def leaves_of(file: FileBytes, last_change: datetime) -> Iterator[Leaf]:
    """The texts of a file. Reads no further than the beginning of each, unless an archive must be passed through."""
    stream = Peeked(file)
    content = content_of(stream.head, file.tail() if b"\0" in stream.head else b"", file.size)
    yield from _unfold(Leaf((), (), last_change, file.size, content, stream), file=file.file)


def _unfold(leaf: Leaf, depth: int = 0, file: IO[bytes] | None = None) -> Iterator[Leaf]:
    """The leaf itself, or what is in it. `file`: its bytes, where they can be read in any order."""
    for _ in range(PACKED_DEEP):
        if leaf.content.form in PACKED:
            leaf, file = _unpacked(leaf), None
    inner = partial(_unfold, depth=depth + 1)
    match leaf.content.form:
        case Form.TAR if depth < ARCHIVES_DEEP:
            yield from TarMembers(leaf, inner)
        case Form.ZIP if depth < ARCHIVES_DEEP:
            file = file or _held(leaf)
            yield from zip_members(leaf, inner, file) if file else [leaf.unread(UnreadReason.SIZE)]
        case Form.JOURNAL:
            file = file or _held(leaf)
            yield _journal(leaf, file) if file else leaf.unread(UnreadReason.SIZE)
        case Form.TEXT | Form.UNREADABLE:
            yield leaf
        case _:
            yield leaf.unread(UnreadReason.COMPRESSION)


def _unpacked(leaf: Leaf) -> Leaf:
    stream = Peeked(Unpacked(leaf.stream, leaf.content.form))
    is_damaged = not stream.head and stream.fault is not None
    content = unreadable(stream.fault) if is_damaged else content_of(stream.head)
    return replace(leaf, size=None, content=content, stream=stream)


def _journal(leaf: Leaf, file: IO[bytes]) -> Leaf:
    stream = Peeked(JournalText(file, file.seek(0, os.SEEK_END)))
    is_unknown = not stream.head and stream.fault is not None
    return replace(leaf, content=BINARY if is_unknown else TEXT, stream=stream)


def _held(leaf: Leaf) -> IO[bytes] | None:
    held = read_fully(leaf.stream, HELD_BYTES + 1)
    return io.BytesIO(held) if len(held) <= HELD_BYTES else None
