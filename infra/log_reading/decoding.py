"""Lines of a stream of bytes, decoded; a line that is too long or was not understood says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, repeat

from charset_normalizer import from_bytes

from domain.evidence.coverage import UnreadReason
from infra.log_reading.byte_streams import ByteStream, Utf8Bytes
from infra.log_reading.content import HEAD_BYTES

LINE_CHARACTERS = 65_536
"""The rest of a longer line is skipped and the line marked as cut."""

_BLOCK = 65_536  # larger ones leave the cache
_LINE_BYTES = 4 * LINE_CHARACTERS
_LINE_END = re.compile(rb"\r\n|\n|\r")
_HOLE = re.compile(rb"\0{4,}")
_BOM = b"\xef\xbb\xbf"

Line = tuple[str, bool]


class Lines:
    """An iterator of lines without their ends, each with whether it is whole: neither cut nor undecodable.

    `encoding`, `encoding_guessed`: what is known so far; UTF-8 until a line contradicts it. `fault`, after the last
    line: why what follows was not read. Lone carriage returns end a line; so do holes of zeros. A line with other zeros
    is not whole.
    """

    def __init__(self, stream: ByteStream, encoding: str = "") -> None:
        self.encoding = encoding or "utf-8"
        self.encoding_guessed = False
        self._is_sure = True  # of the encoding, if it was guessed
        self._is_mixed = self._is_wide = self.encoding.startswith(("utf-16", "utf-32"))
        self._stream = Utf8Bytes(stream, encoding) if self._is_wide else stream
        self._codec = "utf-8"
        self._legacy = ""
        self._has_utf8 = False
        self._lines = chain.from_iterable(self._read())

    @property
    def fault(self) -> UnreadReason | None:
        return self._stream.fault

    def __iter__(self) -> Iterator[Line]:
        return self._lines

    def __next__(self) -> Line:
        return next(self._lines)

    def _read(self) -> Iterator[Iterable[Line]]:
        """The lines, many at a time."""
        rest, is_skipping = b"", False
        for block in self._blocks():
            if is_skipping:
                end = _LINE_END.search(block)
                if end is None:
                    continue
                block, is_skipping = block[end.end() :], False
            block = rest + _without_holes(block, is_at_start=not rest)
            end_at = block.rfind(b"\n") + 1 or block.rfind(b"\r", 0, -1) + 1
            if end_at:
                yield self._decoded(block[:end_at])
            rest = block[end_at:]
            if len(rest) > _LINE_BYTES:
                yield [(self._beginning(rest), False)]
                rest, is_skipping = b"", True
        if rest:
            yield self._last(rest)

    def _blocks(self) -> Iterator[bytes]:
        yield self._stream.read(_BLOCK).removeprefix(_BOM)
        while block := self._stream.read(_BLOCK):
            yield block

    def _decoded(self, block: bytes) -> Iterable[Line]:
        """Lines of a block that ends with a line's end."""
        try:
            text = block.decode(self._codec) if self._is_sure or block.isascii() else None
        except UnicodeDecodeError:
            text = None
        if text is None:
            if not self.encoding_guessed and not self._is_mixed:
                self._judge(block)
            return map(self._decoded_alone, _pieces(block))
        self._has_utf8 = self._has_utf8 or not block.isascii()
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        lines.pop()
        if "\0" in text:
            return map(_bounded, lines)
        if len(text) > LINE_CHARACTERS and max(map(len, lines)) > LINE_CHARACTERS:
            return map(_bounded, lines)
        return zip(lines, repeat(True))

    def _last(self, rest: bytes) -> Iterable[Line]:
        """The last line, which has no end; it is not whole where the stream broke off."""
        *before, (text, is_whole) = self._decoded(rest + b"\n")
        return [*before, (text, is_whole and self.fault is None)]

    def _beginning(self, line: bytes) -> str:
        encoding = self._legacy or "utf-8"
        return line[:_LINE_BYTES].decode(encoding, "replace")[:LINE_CHARACTERS]

    def _judge(self, block: bytes) -> None:
        """Decide, at the first line that is no UTF-8, what the file is written in."""
        undecodable = [line for line in _pieces(block) if not _is_utf8(line)]
        decodable = sum(not line.isascii() and _is_utf8(line) for line in _pieces(block))
        self._legacy, self._is_sure = legacy_encoding(undecodable)
        self._is_mixed = self._has_utf8 or decodable * 10 > len(undecodable)
        if self._is_mixed:
            self._is_sure = True
            return
        self.encoding, self.encoding_guessed, self._codec = self._legacy, True, self._legacy

    def _decoded_alone(self, line: bytes) -> Line:
        if line.isascii():
            return _bounded(line.decode("ascii"))
        try:
            text, is_whole = _bounded(line.decode(self._codec))
            return text, is_whole and self._is_sure
        except UnicodeDecodeError:
            return line.decode(self._legacy or "utf-8", "replace")[:LINE_CHARACTERS], False


def _without_holes(block: bytes, *, is_at_start: bool) -> bytes:
    """A file that was cut while it was written to has zeros in place of what is gone; files put together, marks."""
    if b"\0\0\0\0" in block:
        block = _HOLE.sub(b"\n", block.lstrip(b"\0") if is_at_start else block)
    return block.replace(b"\n" + _BOM, b"\n") if _BOM in block else block


def _pieces(block: bytes) -> list[bytes]:
    pieces = _LINE_END.split(block)
    return pieces if pieces[-1] else pieces[:-1]


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _bounded(line: str) -> Line:
    if zeros := line.count("\0"):
        is_wide = zeros * 5 >= len(line) * 2  # a line of UTF-16 among others
        return (line.replace("\0", "") if is_wide else line)[:LINE_CHARACTERS], False
    return (line, True) if len(line) <= LINE_CHARACTERS else (line[:LINE_CHARACTERS], False)


def encoding_of(head: bytes, marked: str) -> tuple[str, bool]:
    """What the beginning of a text is written in, and whether that is a guess. `marked`: what its content shows."""
    lines = head.split(b"\n")
    is_cut = len(head) == HEAD_BYTES and len(lines) > 1
    foreign = [line for line in (lines[:-1] if is_cut else lines) if not _is_utf8(line)]
    if marked or not foreign:
        return marked or "utf-8", False
    return legacy_encoding(foreign)[0], True


_FOREIGN_WORD = re.compile(rb"[0-9A-Za-z]*[\x80-\xff][0-9A-Za-z\x80-\xff]*")
_SAMPLE_LINES = 200


def legacy_encoding(lines: list[bytes]) -> tuple[str, bool]:
    """What lines that are no UTF-8 are most likely written in, and whether that is beyond doubt: a guess either way."""
    sample = b"\n".join(lines[:_SAMPLE_LINES])
    words = b" ".join(_FOREIGN_WORD.findall(sample))
    found = from_bytes(words, cp_isolation=["gb18030", "cp1252", "latin_1"], enable_fallback=False)
    names = [match.encoding for match in found]
    if "gb18030" in names and _looks_chinese(sample):
        return "gb18030", True
    if names and names[0] != "gb18030":
        return names[0], "gb18030" not in names and _looks_western(words)
    return (names[0] if names else "latin_1"), False


def _looks_chinese(sample: bytes) -> bool:
    """Nearly all that is not ASCII is of the everyday part of GB 2312: its punctuation and its first level of signs."""
    try:
        signs = [sign.encode("gb18030") for sign in sample.decode("gb18030") if not sign.isascii()]
    except UnicodeDecodeError:
        return False
    everyday = sum(len(sign) == 2 and (0xB0 <= sign[0] <= 0xD7 or 0xA1 <= sign[0] <= 0xA3) for sign in signs)
    return everyday * 10 >= len(signs) * 9


def _looks_western(words: bytes) -> bool:
    """Marked letters stand among plain ones."""
    marked = len(words.translate(None, bytes(range(0x80))))
    return len(words) - words.count(b" ") >= 2 * marked
