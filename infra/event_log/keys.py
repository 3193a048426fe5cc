"""Keys that seal the content of sessions, one each: destroying a key erases what it sealed (R62)."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from uuid import UUID

from infra.private_files import create_private, private_folder, sync_folder

_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Key:
    """`secret`: 32 bytes. `kid` names the key in what it sealed, without telling anything about it."""

    secret: bytes = field(repr=False)
    kid: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kid", hashlib.sha256(b"assay key id" + self.secret).hexdigest()[:16])


class KeyStore(Protocol):
    """Keeps one key a session, apart from the events."""

    def create(self, session_id: UUID) -> Key:
        """The session's key; a new one, safe on the disk, if it has none yet. Two callers at once get the same."""

    def get(self, session_id: UUID) -> Key | None:
        """None if there is no key, or no longer."""

    def destroy(self, session_id: UUID) -> None:
        """Erase the session's content for good, on the disk when this returns. Does nothing if there is no key."""


class KeyDirectory:
    """One small file a session in a private directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def create(self, session_id: UUID) -> Key:
        private_folder(self._folder)
        create_private(self._path(session_id), secrets.token_bytes(_SECRET_BYTES))
        return Key(self._path(session_id).read_bytes())

    def get(self, session_id: UUID) -> Key | None:
        try:
            descriptor = os.open(f"{self._folder}/{session_id}.key", os.O_RDONLY)  # asked for with every append
        except FileNotFoundError:
            return None
        try:
            return Key(os.read(descriptor, _SECRET_BYTES))
        finally:
            os.close(descriptor)

    def destroy(self, session_id: UUID) -> None:
        path = self._path(session_id)
        for draft in self._drafts_of(path):
            draft.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        if self._folder.exists():
            sync_folder(self._folder)

    def ids(self) -> set[UUID]:
        """The sessions that have a key."""
        found: set[UUID] = set()
        for path in self._folder.glob("*.key"):
            with contextlib.suppress(ValueError):  # a file of somebody else
                found.add(UUID(path.stem))
        return found

    def all(self) -> Iterator[tuple[UUID, Key]]:
        """Every session's key; one that is destroyed meanwhile may be missing."""
        for path in sorted(self._folder.glob("*.key")):
            with contextlib.suppress(ValueError):  # a file of somebody else
                session_id = UUID(path.stem)
                if key := self.get(session_id):
                    yield session_id, key

    def put(self, session_id: UUID, key: Key) -> None:
        """Give a session, which has none, the key it had."""
        private_folder(self._folder)
        create_private(self._path(session_id), key.secret)

    def _drafts_of(self, path: Path) -> list[Path]:
        """Other names of a key's file, which a crash in the middle of `create` leaves."""
        try:
            found = path.stat()
        except FileNotFoundError:
            return []
        if found.st_nlink == 1:
            return []
        with os.scandir(self._folder) as entries:
            return [Path(entry) for entry in entries if entry.inode() == found.st_ino and entry.name != path.name]

    def _path(self, session_id: UUID) -> Path:
        return self._folder / f"{session_id}.key"
