"""What the first bytes of a file show: text, something packed, or no log at all. A name shows nothing (R69)."""

from __future__ import annotations

import codecs
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from domain.evidence.coverage import UnreadReason

HEAD_BYTES = 8_192
"""So much of the beginning (and, of what is binary, of the end) is looked at."""


class Form(Enum):
    """What is to be done with the bytes."""

    TEXT = auto()
    GZIP = auto()
    BZIP2 = auto()
    XZ = auto()
    ZSTD = auto()
    TAR = auto()
    ZIP = auto()
    JOURNAL = auto()
    UNREADABLE = auto()


PACKED = frozenset({Form.GZIP, Form.BZIP2, Form.XZ, Form.ZSTD})


@dataclass(frozen=True, slots=True)
class Content:
    """`encoding`: of a text that a mark or its structure gives away. `reason`: why it is not read."""

    form: Form
    encoding: str = ""
    reason: UnreadReason | None = None
    is_no_log: bool = False


TEXT = Content(Form.TEXT)
NO_LOG = Content(Form.UNREADABLE, reason=UnreadReason.BINARY, is_no_log=True)
BINARY = Content(Form.UNREADABLE, reason=UnreadReason.BINARY)


def unreadable(reason: UnreadReason | None) -> Content:
    return Content(Form.UNREADABLE, reason=reason)


def content_of(head: bytes, tail: bytes = b"", size: int | None = None) -> Content:
    """Judge bytes by their beginning, their end and their number; None where it is not known."""
    if encoding := _marked_encoding(head) or _wide_encoding(head):
        return Content(Form.TEXT, encoding)
    if (form := _packed_form(head)) is not None:
        return Content(form)
    if head.startswith(_PACKED_BUT_NOT_READ):
        return unreadable(UnreadReason.COMPRESSION)
    if head.startswith(_BINARY_LOGS):
        return BINARY
    if b"\0" in head and (_has_magic(head) or _holds_records(head, tail, size)):
        return NO_LOG
    return TEXT if _is_text(head) else BINARY


def _marked_encoding(head: bytes) -> str:
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8"
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) and len(head) % 4 == 0:
        return "utf-32"
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else ""


def _wide_encoding(head: bytes) -> str:
    """UTF-16 without a mark: of its ASCII signs every other byte is 0, always on the same side."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) * 20 <= len(head) or min(even, odd) * 20 > max(even, odd):
        return ""
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    decoded = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    strange = sum(not sign.isprintable() and sign not in "\a\b\t\n\v\f\r\x1b\ufeff" for sign in decoded)
    return encoding if strange * 100 <= len(decoded) and "\ufffd" not in decoded else ""


_TAR_CHECKSUM = slice(148, 156)


def _packed_form(head: bytes) -> Form | None:
    for magic, form in _PACKED_MAGIC:
        if magic.match(head):
            return form
    return Form.TAR if _is_tar(head[:512]) else None


_PACKED_MAGIC = tuple(
    (re.compile(pattern, re.DOTALL), form)
    for pattern, form in (
        (rb"\x1f\x8b\x08", Form.GZIP),
        (rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", Form.BZIP2),
        (rb"\xfd7zXZ\0", Form.XZ),
        (rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", Form.ZSTD),
        (rb"PK(?:\x03\x04|\x05\x06|\x07\x08PK\x03\x04)", Form.ZIP),
        (rb"LPKSHHRH", Form.JOURNAL),  # of systemd
    )
)

_PACKED_BUT_NOT_READ = (
    *(b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x04\x22\x4d\x18", b"LZIP\x01", b"\x89LZO\0"),
    *(b"\x1f\x9d", b"\x1f\xa0", b"\xff\x06\0\0sNaPpY"),
)
"""7-Zip, RAR, LZ4, lzip, lzop, compress, pack, snappy: there may be logs in them."""

_BINARY_LOGS = (b"ElfFile\0", b"\xfebin")
"""Journals of Windows and of MySQL."""


def _is_tar(block: bytes) -> bool:
    """A header block gives the sum of its own bytes, its field counted as blanks."""
    written = block[_TAR_CHECKSUM].strip(b" \0")
    if len(block) < 512 or not written or written.strip(b"01234567"):
        return False
    return int(written, 8) == sum(block) - sum(block[_TAR_CHECKSUM]) + 8 * 0x20


_MAGIC = tuple(
    (offset, magic)
    for offset, magics in (
        # programs and their parts
        (
            0,
            (
                b"\x7fELF",
                b"\xca\xfe\xba\xbe",
                b"\xcf\xfa\xed\xfe",
                b"\xce\xfa\xed\xfe",
                b"\0asm\x01\0\0\0",
                b"!<arch>\n",
            ),
        ),
        (0, (b"\xed\xab\xee\xdb", b"\xde\x12\x04\x95", b"PACK\0\0\0\x02", b"RHHHKSLP", b"KSLPHHRH")),
        # pictures, sound, fonts, documents
        (0, (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*", b"8BPS\0\x01")),
        (0, (b"OggS\0\x02", b"fLaC\0\0\0\x22", b"ID3\x02", b"ID3\x03", b"ID3\x04", b"\x1aE\xdf\xa3")),
        (
            0,
            (
                b"\0\x01\0\0\0",
                b"OTTO\0",
                b"wOFF",
                b"wOF2",
                b"ttcf\0\x01",
                b"%PDF-",
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            ),
        ),
        (4, (b"ftypisom", b"ftypmp4", b"ftypM4", b"ftypqt", b"ftypheic", b"ftypavif")),
        (8, (b"WEBPVP8", b"WAVEfmt", b"AVI LIST")),
        # databases
        (0, (b"SQLite format 3\0", b"\xce\x9a\x57\x13", b"\xcf\x9a\x57\x13", b"REDIS00", b"\x3f\xd7\x6c\x17")),
        (12, (b"\x61\x15\x06\0", b"\x62\x31\x05\0", b"\0\x06\x15\x61", b"\0\x05\x31\x62")),
        (16, (b"\xde\xc0\xef\xbe",)),
        # samples, traffic and memory
        (0, (b"\x96\xd5\x70\x21", b"\x96\xd5\x71\x21", b"\x96\xd5\x73\x21", b"\x96\xd5\x75\x21")),
        (0, (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1")),
        (8, (b"\x4d\x3c\x2b\x1a", b"\x1a\x2b\x3c\x4d")),
        (0, (b"JAVA PROFILE 1.0", b"PERFILE2", b"FLR\0\0\x02")),
    )
    for magic in magics
)


def _has_magic(head: bytes) -> bool:
    """A mark that text could begin with counts only where the rest is no text either."""
    if head.startswith(b"MZ"):
        at = int.from_bytes(head[60:64], "little")
        return head[at : at + 4] == b"PE\0\0"
    marks = (magic for offset, magic in _MAGIC if head.startswith(magic, offset))
    return any(magic.translate(None, _IN_TEXT) or not _is_text(head) for magic in marks)


def _is_login(record: bytes) -> bool:
    """utmp, wtmp, btmp: type, process, line, id, user, host, exit, session, seconds, microseconds, address."""
    times = "iii" if len(record) == 384 else "qqq"
    fields = struct.unpack_from(f"<hhi32s4s32s256si{times}", record)
    kind, padding, _, line, _, user, host, _, _, seconds, micros = fields
    is_valid = 0 <= kind <= 9 and padding == 0 and 0 <= micros < 1_000_000 and _is_moment(seconds)
    return is_valid and all(map(_is_padded, (line, user, host))) and not record[-20:].strip(b"\0")


def _is_last_login(record: bytes) -> bool:
    """lastlog: time, line, host."""
    seconds, line, host = record[:-288], record[-288:-256], record[-256:]
    return _is_moment(int.from_bytes(seconds, "little")) and _is_padded(line) and _is_padded(host)


def _is_failed_login(record: bytes) -> bool:
    """faillog: failures, most allowed, line, time, lock time."""
    seconds, locked = struct.unpack_from("<qq", record, 16)
    return _is_padded(record[4:16]) and _is_moment(seconds) and 0 <= locked < 2**31


_RECORDS: tuple[tuple[int, Callable[[bytes], bool]], ...] = (
    (384, _is_login),
    (400, _is_login),  # on ARM
    (292, _is_last_login),
    (296, _is_last_login),
    (32, _is_failed_login),
)


def _holds_records(head: bytes, tail: bytes, size: int | None) -> bool:
    """Whether the bytes are records of accounts, as far as both ends show; one at least is not empty."""
    return size is not None and any(
        size % length == 0 and _are_all(_cut(head, length) + _cut_from_end(tail, length), is_record)
        for length, is_record in _RECORDS
    )


def _cut(data: bytes, length: int) -> list[bytes]:
    return [data[at : at + length] for at in range(0, len(data) - length + 1, length)]


def _cut_from_end(data: bytes, length: int) -> list[bytes]:
    return _cut(data[len(data) % length :], length)


def _are_all(records: list[bytes], is_record: Callable[[bytes], bool]) -> bool:
    filled = [record for record in records if record.strip(b"\0")]
    return bool(filled) and all(map(is_record, filled))


def _is_moment(seconds: int) -> bool:
    return seconds == 0 or 631_152_000 <= seconds < 2**32  # from 1990 on


def _is_padded(name: bytes) -> bool:
    """A text of printable signs, filled up with zeros."""
    text = name.rstrip(b"\0")
    return b"\0" not in text and not text.translate(None, _PRINTABLE)


_PRINTABLE = bytes(range(0x20, 0x7F)) + bytes(range(0x80, 0x100))
_IN_TEXT = bytes(range(0x20, 0x7F)) + bytes(range(0x80, 0x100)) + b"\a\b\t\n\v\f\r\x1b"
_HOLE = re.compile(rb"\0{8,}")


def _is_text(head: bytes) -> bool:
    """Hardly any control characters; a hole of zeros, as a file cut while it was written to has, is none."""
    filled = _HOLE.sub(b"", head)
    return len(filled.translate(None, _IN_TEXT)) * 20 <= len(filled)
