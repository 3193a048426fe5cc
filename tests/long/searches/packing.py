"""Text into the bytes of a file: encodings, compression, archives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from datetime import datetime

from backports import zstd

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489") + bytes(64)
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + bytes(200)
SQLITE = b"SQLite format 3\x00" + bytes(512)


def encoded(text: str, encoding: str) -> bytes:
    """`text` as bytes; UTF-16 with its mark."""
    match encoding:
        case "utf-16":
            return b"\xff\xfe" + text.encode("utf-16-le")
        case "utf-16-be":
            return b"\xfe\xff" + text.encode("utf-16-be")
    return text.encode(encoding)


def packed(path: str, content: bytes, compression: str, changed: datetime, day: str) -> tuple[str, bytes]:
    """The name and bytes of the file as it lies in the folder; members of archives keep their time."""
    match compression:
        case "gz":
            return f"{path}.gz", gzip.compress(content, mtime=int(changed.timestamp()))
        case "bz2":
            return f"{path}.bz2", bz2.compress(content)
        case "xz":
            return f"{path}.xz", lzma.compress(content)
        case "zst":
            return f"{path}.zst", zstd.compress(content)
        case "zip":
            return f"{path}.zip", _zip(path, content, changed)
        case "tar.gz" | "tar":
            return f"logs-{day}.{compression}", _tar(path, content, changed, compression)
    return path, content


def _zip(path: str, content: bytes, changed: datetime) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        member = zipfile.ZipInfo(path.rsplit("/", 1)[-1], (changed.year, changed.month, changed.day, 23, 59, 58))
        archive.writestr(member, content)
    return out.getvalue()


def _tar(path: str, content: bytes, changed: datetime, kind: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz" if kind == "tar.gz" else "w") as archive:
        member = tarfile.TarInfo(path)
        member.size, member.mtime = len(content), int(changed.timestamp())
        archive.addfile(member, io.BytesIO(content))
    return out.getvalue()
