"""Bytes of files and archive members as streams: nothing is held whole, nothing is written to disk, none raises.

A stream ends where it cannot be read further; its `fault` then says why, so that what was read before still counts.
"""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import os
import stat
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import Protocol

from domain.evidence.coverage import UnreadReason
from infra.log_reading.content import HEAD_BYTES, Form

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BLOCK = 65_536
UNPACKED_BYTES = 4 * 1024**3
"""A packed file is read so far."""
FREE_BYTES, MOST_UNPACKED = 256 * 1024**2, 1_000
"""Beyond the first, no file may be so many times as large as it is packed: then it was made to be a burden."""
UNPACKING_MEMORY = 256 * 1024**2


class ByteStream(Protocol):
    """`read` gives at most `size` bytes, b"" at the end. `fault`: why the end came early."""

    @property
    def fault(self) -> UnreadReason | None: ...

    def read(self, size: int, /) -> bytes: ...


class Nothing:
    """What could not be opened."""

    def __init__(self, fault: UnreadReason) -> None:
        self.fault = fault

    def read(self, _: int) -> bytes:
        return b""


class FileBytes:
    """A regular file from its beginning to the size it has now. Raises OSError where it cannot be opened."""

    def __init__(self, path: str) -> None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        self.file = io.FileIO(os.open(path, flags))
        self.fault: UnreadReason | None = None
        status = os.fstat(self.file.fileno())
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise FileNotFoundError(f"{path} is no regular file any more")
        self.identity = status.st_dev, status.st_ino
        self.size = self._left = status.st_size

    def read(self, size: int) -> bytes:
        try:
            data = self.file.read(min(size, self._left)) or b""
        except (OSError, ValueError):  # the latter if it was closed
            self.fault = UnreadReason.ERROR
            return b""
        self._left -= len(data)
        if not data and self._left:
            self.fault = UnreadReason.VANISHED  # cut while it was read
        return data

    def tail(self) -> bytes:
        """The end, without moving."""
        try:
            return os.pread(self.file.fileno(), HEAD_BYTES, max(0, self.size - HEAD_BYTES))
        except OSError:
            return b""

    def close(self) -> None:
        self.file.close()


class Peeked:
    """A stream whose beginning can be looked at before it is read."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._ahead = self.head = read_fully(stream, HEAD_BYTES)

    @property
    def fault(self) -> UnreadReason | None:
        return self._stream.fault

    def read(self, size: int) -> bytes:
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
            return data
        return self._stream.read(size)


class Decompressor(Protocol):
    """What the compressors of the standard library have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gunzip:
    """zlib, in the way of the others; it checks sum and length."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=31)
        self._is_full = False

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail and not self._is_full

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        unpacked = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        self._is_full = len(unpacked) == max_length
        return unpacked


DECOMPRESSORS: dict[Form, Callable[[], Decompressor]] = {
    Form.GZIP: _Gunzip,
    Form.BZIP2: bz2.BZ2Decompressor,
    Form.XZ: lambda: lzma.LZMADecompressor(memlimit=UNPACKING_MEMORY),
    Form.ZSTD: lambda: zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 27}),
}
DAMAGE = (
    *(OSError, EOFError, ValueError, LookupError, ArithmeticError, RuntimeError, struct.error),
    *(zlib.error, lzma.LZMAError, zstd.ZstdError, tarfile.TarError, zipfile.BadZipFile),
)
"""What the libraries raise on bytes that are not what they should be."""


class Unpacked:
    """What a packed stream holds, all its parts one after the other, up to the limits."""

    def __init__(self, stream: ByteStream, form: Form) -> None:
        self._stream = stream
        self._new = DECOMPRESSORS[form]
        self._part: Decompressor | None = self._new()
        self._input = b""
        self._packed = self._unpacked = 0
        self._fault: UnreadReason | None = None

    @property
    def fault(self) -> UnreadReason | None:
        return self._fault or self._stream.fault

    def read(self, size: int) -> bytes:
        while self._fault is None and self._has_more():
            try:
                data = self._step(size)
            except MemoryError:
                self._fault = UnreadReason.LIMIT
            except DAMAGE:
                self._fault = UnreadReason.COMPRESSION
            else:
                if data:
                    self._count(data)
                    return data
        return b""

    def _has_more(self) -> bool:
        """Fetch input where it is needed; an end within a part is a fault."""
        if self._input or (self._part is not None and not self._part.needs_input and not self._part.eof):
            return True
        self._input = self._stream.read(BLOCK)
        self._packed += len(self._input)
        if not self._input and self._part is not None and not self._part.eof:
            self._fault = UnreadReason.COMPRESSION
        return bool(self._input)

    def _step(self, size: int) -> bytes:
        if self._part is None:
            self._input = self._input.lstrip(b"\0")  # parts may be padded
            if not self._input:
                return b""
            self._part = self._new()
        given, self._input = self._input, b""
        data = self._part.decompress(given, size)
        if self._part.eof:
            self._input, self._part = self._part.unused_data, None
        return data

    def _count(self, data: bytes) -> None:
        self._unpacked += len(data)
        is_burden = self._unpacked > FREE_BYTES and self._unpacked > MOST_UNPACKED * self._packed
        if is_burden or self._unpacked > UNPACKED_BYTES:
            self._fault = UnreadReason.LIMIT


class MemberFile(Protocol):
    """`read1`, since `read` drops what it has when it meets a cut."""

    def read1(self, size: int, /) -> bytes: ...


class MemberBytes:
    """A member of an archive; `container`: the stream that the archive itself is read from."""

    def __init__(self, file: MemberFile, container: ByteStream) -> None:
        self._file = file
        self._container = container
        self._fault: UnreadReason | None = None
        self._left = UNPACKED_BYTES

    @property
    def fault(self) -> UnreadReason | None:
        return self._container.fault or self._fault

    def read(self, size: int) -> bytes:
        if self._fault is not None:
            return b""
        try:
            data = self._file.read1(size)
        except MemoryError:
            self._fault = UnreadReason.LIMIT
        except DAMAGE:
            self._fault = UnreadReason.COMPRESSION
        else:
            self._left -= len(data)
            if self._left < 0:
                self._fault = UnreadReason.LIMIT
            return data
        return b""


class Utf8Bytes:
    """A stream of UTF-16 or UTF-32 as UTF-8; what could not be decoded becomes a byte that is none there."""

    def __init__(self, stream: ByteStream, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    @property
    def fault(self) -> UnreadReason | None:
        return self._stream.fault

    def read(self, size: int) -> bytes:
        while data := self._stream.read(size):
            if text := self._decoder.decode(data):
                return _as_utf8(text)
        return _as_utf8(self._decoder.decode(b"", final=True))


def _as_utf8(text: str) -> bytes:
    return text.replace("\ufffd", "\udcff").encode("utf-8", "surrogateescape")


def read_fully(stream: ByteStream, size: int) -> bytes:
    """So many bytes, fewer only at the end."""
    parts, length = [], 0
    while length < size and (data := stream.read(size - length)):
        parts.append(data)
        length += len(data)
    return b"".join(parts)
