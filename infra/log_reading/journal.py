"""A file of the systemd journal as text: an entry a line, as `journalctl -o json` writes it, for what tells of it.

Each entry names its fields by their places in the file; a field that many entries share stands there once. Read is what
the header says was finished when the file was opened: journald may be writing on.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import IO

from domain.evidence.coverage import UnreadReason
from infra.log_reading.byte_streams import DAMAGE, DECOMPRESSORS, FREE_BYTES, MOST_UNPACKED, UNPACKED_BYTES
from infra.log_reading.content import Form

SIGNATURE = b"LPKSHHRH"
MOST_OF_AN_ENTRY = 16 * 1024**2
"""So many bytes of its fields are read, and no more of one."""
MOST_FIELDS = 4_096
_HEADER = struct.Struct("<8s4xI72xQ40xQ")  # signature, what is needed to read it, its own size, the last object
_OBJECT = struct.Struct("<BB6xQ")  # kind, flags, size
_ENTRY = struct.Struct("<QQ8x16x8x")  # number, time; time since boot, boot, hash
_PAGE = 65_536
_KEPT, _SHORT = 20_000, 256  # fields that many entries share, and the longest of them
_DATA, _ENTRY_KIND = 1, 3
_XZ, _LZ4, _ZSTD = 1, 2, 4
_KNOWN, _COMPACT = 0b11111, 0b10000  # what a reader must know: three compressions, hashes with a key, short places


_OF_THE_MACHINE = frozenset(("_BOOT_ID", "_MACHINE_ID"))
"""The same in all entries: they tell nothing of one."""


class _Damaged(ValueError):
    """The file is not what a journal must be."""


class JournalText:
    """A stream of bytes, as the others are. `size`: of the file. What cannot be read ends it, with a `fault`."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._journal = _Journal(file, size)
        self._lines = self._journal.lines()
        self._rest = b""
        self._given = 0
        self._burden = max(FREE_BYTES, size * MOST_UNPACKED)
        self._fault: UnreadReason | None = None

    @property
    def fault(self) -> UnreadReason | None:
        return self._fault or self._journal.fault

    def read(self, size: int) -> bytes:
        if not self._rest and self._fault is None:
            self._rest = self._next()
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def _next(self) -> bytes:
        try:
            line = next(self._lines, b"")
        except MemoryError:
            self._fault = UnreadReason.LIMIT
        except DAMAGE:
            self._fault = UnreadReason.ERROR
        else:
            self._given += len(line)
            if self._given <= min(self._burden, UNPACKED_BYTES):
                return line
            self._fault = UnreadReason.LIMIT
        return b""


class _Journal:
    def __init__(self, file: IO[bytes], size: int) -> None:
        self.fault: UnreadReason | None = None
        self._file, self._size = file, size
        self._page = lru_cache(64)(self._read_page)
        self._kept: dict[int, tuple[str, str]] = {}
        self._is_compact = False

    def lines(self) -> Iterator[bytes]:
        """Every entry, in the order in which they were written. Raises _Damaged, and what the unpackers raise."""
        signature, needed, header, last = _HEADER.unpack(self._at(0, _HEADER.size))
        if signature != SIGNATURE or needed & ~_KNOWN or header < _HEADER.size:
            raise _Damaged
        self._is_compact = bool(needed & _COMPACT)
        place = header
        while place <= last:
            kind, _, size = self._object(place)
            if kind == _ENTRY_KIND:
                yield self._line(place, size)
            place += (size + 7) & ~7

    def _line(self, place: int, size: int) -> bytes:
        items = "<I" if self._is_compact else "<Q8x"
        number, rest = divmod(size - _OBJECT.size - _ENTRY.size, struct.calcsize(items))
        if not 0 <= number <= MOST_FIELDS:
            raise _Damaged
        data = self._at(place + _OBJECT.size, size - _OBJECT.size - rest)
        fields: dict[str, str | list[str]] = {"__REALTIME_TIMESTAMP": str(_ENTRY.unpack_from(data)[1])}
        left = MOST_OF_AN_ENTRY
        for (where,) in struct.iter_unpack(items, data[_ENTRY.size :]):
            name, value = self._field(where)
            left -= len(value)
            if left < 0:
                self.fault = UnreadReason.LIMIT
                break
            if name not in _OF_THE_MACHINE:
                known = fields.get(name)
                others = known if isinstance(known, list) else [] if known is None else [known]
                fields[name] = [*others, value] if others else value
        return json.dumps(fields, ensure_ascii=False).encode() + b"\n"

    def _field(self, place: int) -> tuple[str, str]:
        if known := self._kept.get(place):
            return known
        name, _, value = self._data(place).partition(b"=")
        field = name.decode("utf-8", "backslashreplace"), value.decode("utf-8", "backslashreplace")
        if len(value) <= _SHORT and len(self._kept) < _KEPT:
            self._kept[place] = field
        return field

    def _data(self, place: int) -> bytes:
        """What cannot be unpacked is a fault of the whole, and leaves the other fields readable."""
        kind, flags, size = self._object(place)
        head = _OBJECT.size + 48 + (8 if self._is_compact else 0)
        if kind != _DATA or size < head:
            raise _Damaged
        data = self._at(place + head, min(size - head, MOST_OF_AN_ENTRY))
        if flags & _LZ4:
            self.fault = UnreadReason.COMPRESSION
            return b"MESSAGE="
        if not flags & (_XZ | _ZSTD):
            return data
        unpacker = DECOMPRESSORS[Form.ZSTD if flags & _ZSTD else Form.XZ]()
        unpacked = unpacker.decompress(data, MOST_OF_AN_ENTRY)
        if not unpacker.eof:
            self.fault = UnreadReason.LIMIT
        return unpacked

    def _object(self, place: int) -> tuple[int, int, int]:
        kind, flags, size = _OBJECT.unpack(self._at(place, _OBJECT.size))
        if place % 8 or size < _OBJECT.size or place + size > self._size:
            raise _Damaged
        return kind, flags, size

    def _at(self, place: int, size: int) -> bytes:
        first, last = place // _PAGE, (place + size - 1) // _PAGE
        pages = self._page(first) if first == last else b"".join(map(self._page, range(first, last + 1)))
        data = pages[place - first * _PAGE :][:size]
        if len(data) < size:
            raise _Damaged
        return data

    def _read_page(self, number: int) -> bytes:
        self._file.seek(number * _PAGE)
        return self._file.read(_PAGE)
