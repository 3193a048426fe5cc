"""The members of a zip."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import IO, cast

from domain.evidence.coverage import UnreadReason
from infra.log_reading.byte_streams import DAMAGE, FREE_BYTES, MOST_UNPACKED, UNPACKED_BYTES, MemberBytes, Peeked
from infra.log_reading.content import NO_LOG, content_of, unreadable
from infra.log_reading.members import Leaf, Members, Unfold, leads_out, moment, plain_name

_ENCRYPTED = 0x1
_LINK_TARGET = 4_096
_EXTENDED_TIME = 0x5455
_END_BYTES = 22
_COUNTED_ELSEWHERE = 0xFFFF
_LATEST_ZONE = timedelta(hours=12)


def zip_members(archive: Leaf, unfold: Unfold, file: IO[bytes]) -> Iterator[Leaf]:
    """`file`: the archive, so that its list, at its end, can be read first."""
    try:
        opened = zipfile.ZipFile(file)
    except MemoryError:
        yield archive.unread(UnreadReason.LIMIT)
        return
    except DAMAGE:
        yield archive.unread(UnreadReason.COMPRESSION)
        return
    with opened:
        if _is_document_or_program(set(opened.namelist())):
            yield Leaf(archive.place, archive.members, archive.last_change, archive.size, NO_LOG, archive.stream)
            return
        members = Members(archive)
        for member in opened.infolist():
            if not member.is_dir():
                yield from _leaves(opened, member, members, unfold)
        yield from members.open_links()
        if not _is_all(opened, file):
            yield members.rest(UnreadReason.COMPRESSION)


def _is_all(opened: zipfile.ZipFile, file: IO[bytes]) -> bool:
    """Whether the list is the one at the very end, whole, and nothing lies before the first member.

    The library takes whatever list it finds, also that of a zip in the zip.
    """
    file.seek(-_END_BYTES - len(opened.comment), io.SEEK_END)
    record = file.read(_END_BYTES)
    count = int.from_bytes(record[10:12], "little")
    is_counted = record.startswith(b"PK\x05\x06") and count in (len(opened.infolist()), _COUNTED_ELSEWHERE)
    return is_counted and min((member.header_offset for member in opened.infolist()), default=0) == 0


def _is_document_or_program(names: set[str]) -> bool:
    """Office files, books, Java programs and packages of phones are zips too."""
    is_program = "META-INF/MANIFEST.MF" in names and any(name.endswith((".class", ".dex")) for name in names)
    return is_program or "[Content_Types].xml" in names or "mimetype" in names


def _leaves(opened: zipfile.ZipFile, member: zipfile.ZipInfo, members: Members, unfold: Unfold) -> Iterator[Leaf]:
    name, last_change = plain_name(member.filename), _moment(member, members.archive.last_change)
    file = _opened(opened, member, members)
    if isinstance(file, UnreadReason):
        yield members.unread(name, last_change, file)
        return
    with file:
        stream = Peeked(MemberBytes(file, members.archive.stream))
        if stat.S_ISLNK(member.external_attr >> 16):
            members.add_link(name, stream.head[:_LINK_TARGET].decode("utf-8", "replace"), last_change)
            return
        content = content_of(stream.head, size=member.file_size)
        if not stream.head and stream.fault is not None:
            content = unreadable(stream.fault)
        members.add_name(name)
        yield from unfold(members.next(name, last_change, member.file_size, content, stream))


def _opened(opened: zipfile.ZipFile, member: zipfile.ZipInfo, members: Members) -> zipfile.ZipExtFile | UnreadReason:
    """A member as a file, or why it is not read."""
    if leads_out(plain_name(member.filename)):
        return UnreadReason.LINK
    if member.flag_bits & _ENCRYPTED:
        return UnreadReason.COMPRESSION
    members.unpacked += member.file_size
    members.packed += member.compress_size
    if members.unpacked > min(UNPACKED_BYTES, max(FREE_BYTES, MOST_UNPACKED * members.packed)):
        return UnreadReason.LIMIT
    try:
        return cast(zipfile.ZipExtFile, opened.open(member))
    except DAMAGE:
        return UnreadReason.COMPRESSION


def _moment(member: zipfile.ZipInfo, of_archive: datetime) -> datetime:
    """The last change. A local time of no known zone is taken at its latest, but not after the archive's."""
    extra = member.extra
    while len(extra) >= 4:
        kind, length = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        if kind == _EXTENDED_TIME and length >= 5 and extra[4] & 1:
            return moment(int.from_bytes(extra[5:9], "little")) or of_archive
        extra = extra[4 + length :]
    try:
        return min(of_archive, datetime(*member.date_time, tzinfo=UTC) + _LATEST_ZONE)
    except (ValueError, OverflowError):
        return of_archive
