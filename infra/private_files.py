"""Files that only their owner may read, and that are on the disk, whole, or not there at all."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal
from uuid import uuid4


def private_folder(folder: Path, mode: int = 0o700) -> Path:
    """A folder that only its owner may enter, with every folder above it that was missing; one that is there stays."""
    for one in [missing for missing in (folder, *folder.parents) if not missing.exists()][::-1]:
        with contextlib.suppress(FileExistsError):  # another process was first
            one.mkdir(mode=mode)
            one.chmod(mode)  # whatever the umask takes away
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    return folder


def open_private(path: Path, mode: Literal["ab", "wb"]) -> IO[bytes]:
    """A file for its owner alone, where it is new."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if mode == "ab" else os.O_TRUNC)
    return os.fdopen(os.open(path, flags, 0o600), mode)


def create_private(path: Path, content: bytes) -> None:
    """Create a file, unless it exists: an existing one is left as it is, whoever created it a moment ago."""
    draft = path.with_name(f".{uuid4()}")
    try:
        with naming(path), os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)  # whole or not at all, and never in place of another
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """What was created in a folder or removed from it stays so after a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError of the block names this path; that of a full disk names none by itself."""
    try:
        yield
    except OSError as error:
        if error.filename or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
