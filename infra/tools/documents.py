"""Documents below a folder, read within limits: what cannot be read is named (R69, R72). For reading processes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from domain.evidence.coverage import Unread, UnreadReason
from infra.log_reading.exclusions import Exclusions
from infra.log_reading.files import LogFile, UnreadInput, find_files, reason_of, shown

DOCUMENT_BYTES = 8 * 1024**2
"""A larger document is not read."""
FOLDER_BYTES = 16 * 1024**2
"""What is read of all documents together; those that come after by name are named as unread."""

MARKDOWN = frozenset((".md", ".markdown", ".mdown", ".mkd", ".mdx"))
_OTHER_FORMATS = frozenset(
    (".txt", ".rst", ".adoc", ".asciidoc", ".org", ".html", ".htm", ".pdf", ".doc", ".docx", ".odt", ".rtf", ".wiki")
)
_MARKS = {b"\xff\xfe\x00\x00": "utf-32", b"\x00\x00\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_SAMPLE_BYTES = 65_536
_CHINESE = ("gb18030", "big5")
_ODD_CHARACTERS = 0.02
"""A text of which a greater share is neither letter, mark nor blank is no text in the encoding that was tried."""


@dataclass(frozen=True, slots=True)
class Place:
    """A source: its folder, what it is called, and what stands before its documents' names, where there are several."""

    name: str
    path: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """`is_sure`: every byte of it was understood in an encoding that it shows."""

    name: str
    text: str
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Left:
    """What was not read and could be a document, and why."""

    name: str
    reason: UnreadReason

    def told(self) -> Unread:
        return Unread(name=self.name, reason=self.reason, could_match=True)


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of a folder by name, what else could be one, and a sign that changes with any of them."""

    files: tuple[LogFile, ...]
    unread: tuple[Left, ...]
    signature: str

    @property
    def names(self) -> list[str]:
        """Of the files, as they are shown."""
        return [shown(name_of(file)) for file in self.files]


def list_documents(place: Place, is_wanted: Callable[[str], bool]) -> Listing:
    """Raises OSError if the place is no folder."""
    found = find_files(Path(place.path), Exclusions(()))
    files = sorted((file for file in found.files if is_wanted(name_of(file))), key=name_of)
    unread = [one for one in found.unread if _could_be(one, is_wanted)]
    unread += [
        UnreadInput(shown(name_of(file)), UnreadReason.FORMAT)
        for file in found.files
        if PurePosixPath(name_of(file)).suffix.casefold() in _OTHER_FORMATS and is_wanted(f"{name_of(file)}.md")
    ]
    sign = sha256()
    for file in files:
        told = f"{shown(name_of(file))}\0{file.size}\0{file.last_change.isoformat()}\0{file.inode}\n"
        sign.update(told.encode("utf-8", "replace"))
    for one in unread:
        sign.update(f"{one.name}\0{one.reason}\n".encode("utf-8", "replace"))
    told_unread = tuple(Left(place.prefix + one.name, one.reason) for one in unread)
    return Listing(tuple(files), told_unread, sign.hexdigest())


def is_markdown(name: str) -> bool:
    return PurePosixPath(name).suffix.casefold() in MARKDOWN


def name_of(file: LogFile) -> str:
    """The name that a reader knows: a mounted volume keeps what it shows behind links in hidden folders."""
    return min(file.names, key=lambda name: (f"/{name}".count("/."), name.count("/"), name))


def read_documents(place: Place, listing: Listing, is_over: Callable[[], bool]) -> Iterator[Document | Left]:
    """Each document, or why it was not read; none after `is_over` or more than FOLDER_BYTES."""
    left = FOLDER_BYTES
    for file in listing.files:
        name = place.prefix + shown(name_of(file))
        if left <= 0 or is_over():
            yield Left(name, UnreadReason.LIMIT)
            continue
        try:
            data = _bytes_of(file, left)
        except OSError as error:
            yield Left(name, reason_of(error))
            continue
        if isinstance(data, UnreadReason):
            yield Left(name, data)
            continue
        left -= len(data)
        text, is_sure = _decoded(data)
        if text is None:
            yield Left(name, UnreadReason.BINARY)
        else:
            yield Document(name, text, is_sure)


def _bytes_of(file: LogFile, left: int) -> bytes | UnreadReason:
    """Never more than the limit, whatever the file says of its size, and never of what is no regular file any more."""
    if file.size > DOCUMENT_BYTES:
        return UnreadReason.SIZE
    if file.size > left:
        return UnreadReason.LIMIT
    descriptor = os.open(file.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "no regular file")
        data = opened.read(DOCUMENT_BYTES + 1)
    return UnreadReason.SIZE if len(data) > DOCUMENT_BYTES else data


def _decoded(data: bytes) -> tuple[str | None, bool]:
    """The text and whether its encoding is sure; None for what is no text."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            text = data.decode(encoding, "replace")
            return text, "\ufffd" not in text
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _guessed(data), False
    return (None, False) if "\0" in text else (text, True)


def _guessed(data: bytes) -> str | None:
    """A text in no Unicode encoding: Chinese ones first, then what its bytes look like; else what UTF-8 makes of it."""
    if b"\0" in data[:_SAMPLE_BYTES]:
        return None
    spoilt = data.decode("utf-8-sig", "replace")
    if spoilt.count("\ufffd") <= len(spoilt) * _ODD_CHARACTERS:
        return spoilt
    for encoding in _CHINESE:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _is_chinese(text[:_SAMPLE_BYTES]):
            return text
    from charset_normalizer import from_bytes  # only for those who have such a document

    best = from_bytes(data[:_SAMPLE_BYTES]).best()
    return data.decode(best.encoding, "replace") if best else spoilt


def _is_chinese(text: str) -> bool:
    """Whether what is not ASCII are mostly common Chinese characters and their punctuation."""
    others = [char for char in text if not char.isascii()]
    usual = sum(
        "\u4e00" <= char <= "\u9fff" or "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uffef" for char in others
    )
    return bool(others) and usual >= 0.95 * len(others)


def _could_be(one: UnreadInput, is_wanted: Callable[[str], bool]) -> bool:
    """Whether what was not entered or not read may be a document, or a folder that holds some."""
    if one.name.endswith("/") or one.name == "." or one.reason is UnreadReason.LIMIT:
        return True
    if not PurePosixPath(one.name).suffix or one.last_change is None:
        return one.reason is not UnreadReason.FORMAT or is_wanted(one.name)
    return is_wanted(one.name)
