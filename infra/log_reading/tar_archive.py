"""The members of a tar, which is read as it comes."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Any, cast

from domain.evidence.coverage import UnreadReason
from infra.log_reading.byte_streams import BLOCK, DAMAGE, MemberBytes, MemberFile, Peeked
from infra.log_reading.content import content_of
from infra.log_reading.members import Leaf, Members, Unfold, leads_out, moment, plain_name

HEADER_BYTES = 1024**2
"""A longer name or header of a member is damage."""


class TarMembers:
    """The library passes over damage in the middle as if it were the end: the last block tells, which must be zeros."""

    def __init__(self, archive: Leaf, unfold: Unfold) -> None:
        self._archive = archive
        self._unfold = unfold
        self._members = Members(archive)
        self._last_block = b""

    def __iter__(self) -> Iterator[Leaf]:
        stream = self._archive.stream
        is_whole = False
        try:
            options: dict[str, Any] = {"fileobj": stream, "bufsize": BLOCK, "tarinfo": self._header()}
            with tarfile.open(mode="r|", **options) as tar:
                while (member := tar.next()) is not None:
                    tar.members = []  # type: ignore[attr-defined]  # else all are held
                    yield from self._leaves(tar, member)
                is_whole = self._last_block == bytes(tarfile.BLOCKSIZE) and _is_at_end(tar.fileobj)
        except MemoryError:
            yield self._members.rest(UnreadReason.LIMIT)
            return
        except DAMAGE:
            pass
        yield from self._members.open_links()
        if stream.fault is not None or not is_whole:
            yield self._members.rest(stream.fault or UnreadReason.COMPRESSION)

    def _header(self) -> type[tarfile.TarInfo]:
        """A header that bounds what it makes the library hold."""
        members = self

        class Header(tarfile.TarInfo):
            @classmethod
            def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
                members._last_block = bytes(buf)
                header = super().frombuf(buf, encoding, errors)
                if header.type not in tarfile.REGULAR_TYPES and header.size > HEADER_BYTES:
                    raise tarfile.ReadError(f"a header of {header.size} bytes")
                return header

        return Header

    def _leaves(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[Leaf]:
        last_change = moment(member.mtime) or self._archive.last_change
        name = plain_name(member.name)
        if member.isdir():
            return
        if member.islnk() or member.issym():
            self._members.add_link(name, member.linkname, last_change, is_from_root=member.islnk())
        elif not member.isreg() or leads_out(name):
            yield self._members.unread(name, last_change, UnreadReason.LINK)
        else:
            self._members.add_name(name)
            stream = Peeked(MemberBytes(_file_of(tar, member), self._archive.stream))
            content = content_of(stream.head, size=member.size)
            yield from self._unfold(self._members.next(name, last_change, member.size, content, stream))


def _file_of(tar: tarfile.TarFile, member: tarfile.TarInfo) -> MemberFile:
    return cast(MemberFile, tar.extractfile(member)) if member.issparse() else _Data(tar.fileobj, member)


class _Data:
    """The data of a member; the library's own reader drops what stands before a cut."""

    def __init__(self, stream: Any, member: tarfile.TarInfo) -> None:
        self._stream = stream
        self._left = member.size
        stream.seek(member.offset_data)

    def read1(self, size: int) -> bytes:
        data: bytes = self._stream.read(min(size, self._left))
        if not data and self._left:
            raise EOFError
        self._left -= len(data)
        return data


def _is_at_end(stream: Any) -> bool:
    """Whether only zeros follow; a second archive behind the first would be passed over."""
    while data := stream.read(BLOCK):
        if data.strip(b"\0"):
            return False
    return True
