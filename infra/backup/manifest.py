"""What a backup consists of, and whether it is whole.

manifest.json      this description, written last
ASSAY_….snapshot   one a stream, as nats-server packs it
heads.jsonl        signed heads and the leaf hashes between them, from PostgreSQL
heads-file.jsonl   the heads file
stream-heads.jsonl, stream-heads-file.jsonl   the same of accesses and public verdicts
keys.jsonl         the sessions' keys; may be kept apart or left out
signing.pub        public half of the key that signs heads; signing.pem, the private one, only if asked for
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

MANIFEST = "manifest.json"
HEADS = "heads.jsonl"
HEADS_FILE = "heads-file.jsonl"
STREAM_HEADS = "stream-heads.jsonl"
STREAM_HEADS_FILE = "stream-heads-file.jsonl"
KEYS = "keys.jsonl"
PUBLIC_KEY = "signing.pub"
SIGNING_KEY = "signing.pem"
KEY_EXCHANGES = "signing-exchanges.jsonl"


class UnusableBackup(ValueError):
    """A folder is no backup, or is damaged; the message names what is wrong and where."""


class KeptFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int
    sha256: str


class KeptConsumer(BaseModel):
    """A durable consumer: `floor` is the position up to which it had acknowledged everything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config: dict[str, Any]
    floor: int


class KeptStream(BaseModel):
    """`snapshot`: the stream's `config` and `state`, as nats-server told them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    snapshot: dict[str, Any]
    consumers: dict[str, KeptConsumer]

    @property
    def last_position(self) -> int:
        return int(self.snapshot["state"]["last_seq"])


class Manifest(BaseModel):
    """`end_hash`: of the log's last event; empty for an empty log. `key_id`: of the signing key, if there was one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["assay-backup/1"] = "assay-backup/1"
    made_at: datetime
    assay: str
    nats_server: str
    end_hash: str
    key_id: str | None
    keys: int | None
    streams: dict[Annotated[str, Field(pattern=r"^ASSAY_[A-Z]+$")], KeptStream]
    files: dict[Annotated[str, Field(pattern=r"^[A-Za-z_-]+\.[a-z]+$")], KeptFile]


def kept_file(path: Path) -> KeptFile:
    """Size and digest of a file. Raises OSError."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return KeptFile(size=path.stat().st_size, sha256=digest)


def snapshot_name(stream: str) -> str:
    return f"{stream}.snapshot"


def read_backup(folder: Path, elsewhere: Mapping[str, Path | None]) -> Manifest:
    """The manifest, once every file of the backup was found whole. Raises UnusableBackup.

    `elsewhere`: files that lie at another path, or, with None, are not wanted.
    """
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except OSError as error:
        raise UnusableBackup(f"{folder} is no backup: {error.strerror}: {MANIFEST}") from None
    except ValidationError as error:
        raise UnusableBackup(f"{folder / MANIFEST} is no manifest that this release reads: {_problem(error)}") from None
    for name, kept in manifest.files.items():
        if path := elsewhere.get(name, folder / name):
            _check(path, kept)
    return manifest


def _check(path: Path, kept: KeptFile) -> None:
    try:
        found = kept_file(path)
    except OSError as error:
        raise UnusableBackup(f"{path} cannot be read: {error.strerror}") from None
    if found.size != kept.size:
        raise UnusableBackup(f"{path} is damaged: {found.size} bytes, not {kept.size}")
    if found.sha256 != kept.sha256:
        raise UnusableBackup(f"{path} is damaged: its SHA-256 is not the one in {MANIFEST}")


def _problem(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
