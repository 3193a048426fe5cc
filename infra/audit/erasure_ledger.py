"""The ledger of erasures and legal holds: signed lines in a file apart from all that is backed up (R76).

A restore brings back the log, the keys and the read models of an earlier day, and with them what was erased since. The
ledger is what tells: it lies among the keys by default, is to be shipped elsewhere like the heads file, and is never
in a backup. A line stands for itself, so that ledgers of several places can be joined.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from infra.audit import dsse
from infra.audit.heads_file import HeadsFile
from infra.event_log.connection import attempts
from infra.private_files import private_folder

PAYLOAD_TYPE = "application/vnd.assay.erasure-ledger.v1+json"
PATIENCE_S = 60.0
"""For so long the lock is waited for."""


class UnusableLedger(ValueError):
    """A line of a ledger is none, or nobody who is trusted has signed it; the message says which."""


class Deed(StrEnum):
    ERASED = "erased"
    HELD = "held"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Entry:
    """What was done to a session, when, and by whom (an opaque id)."""

    session_id: UUID
    deed: Deed
    time: datetime
    actor: str
    envelope: str = ""  # as it was signed

    def signed(self, key: Ed25519PrivateKey) -> Entry:
        document = {
            "session_id": str(self.session_id),
            "deed": self.deed.value,
            "time": self.time.isoformat(),
            "actor": self.actor,
        }
        payload = json.dumps(document, separators=(",", ":")).encode()
        envelope = json.dumps(dsse.sign(key, PAYLOAD_TYPE, payload), separators=(",", ":"))
        return Entry(self.session_id, self.deed, self.time, self.actor, envelope)


@dataclass(frozen=True, slots=True)
class Standing:
    """What the ledger says of a session: erased or not, and the last word on a hold (None: never held)."""

    erasure: Entry | None = None
    hold: Entry | None = None

    @property
    def is_held(self) -> bool:
        return self.hold is not None and self.hold.deed is Deed.HELD

    def after(self, entry: Entry) -> Standing:
        """The newest word on a hold counts, wherever its line stands."""
        if entry.deed is Deed.ERASED:
            return replace(self, erasure=self.erasure or entry)
        if self.hold and self.hold.time > entry.time:
            return self
        return replace(self, hold=entry)


class ErasureLedger:
    """One file. Several processes may use it; whoever decides by it and adds to it holds its lock meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = HeadsFile(path)
        self._read: tuple[int, int] = (0, 0)  # inode, and how many of its bytes are known
        self._lines: set[str] = set()
        self._standings: dict[UUID, Standing] = {}

    def entries(self) -> Iterator[Entry]:
        """Every line, unverified, oldest first; none of a file that does not exist. Raises UnusableLedger."""
        for number, envelope in self._file.envelopes():
            yield _entry(envelope, f"{self.path}, line {number}")

    def standings(self) -> Mapping[UUID, Standing]:
        """Of every session that is named, unverified. Raises UnusableLedger."""
        self._catch_up()
        return self._standings

    def of(self, session_id: UUID) -> Standing:
        """Raises UnusableLedger."""
        return self.standings().get(session_id, Standing())

    def add(self, entries: Iterable[Entry]) -> None:
        """Signed entries, those left out that stand there already. On the disk when this returns. Raises OSError."""
        self._catch_up()
        if fresh := [one.envelope for one in entries if one.envelope not in self._lines]:
            self._file.append(fresh)
            self.path.chmod(0o600)

    @contextlib.asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Nobody else decides by the ledger until the block ends, nor if this process dies."""
        private_folder(self.path.parent)
        descriptor = os.open(self.path.with_name(f".{self.path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            async for _ in attempts(PATIENCE_S):
                if _taken(descriptor):
                    break
            else:
                raise TimeoutError(f"another process holds the lock of {self.path}")
            yield
        finally:
            os.close(descriptor)

    def _catch_up(self) -> None:
        """Read what was added; another file in this one's place is read whole."""
        try:
            with self.path.open("rb") as file:
                found, (inode, known) = os.fstat(file.fileno()), self._read
                if inode != found.st_ino or found.st_size < known:
                    self._lines, self._standings, known = set(), {}, 0
                file.seek(known)
                whole = file.read()
        except FileNotFoundError:
            self._read, self._lines, self._standings = (0, 0), set(), {}
            return
        whole = whole[: whole.rfind(b"\n") + 1]  # a line that is still being written is read the next time
        for envelope in whole.decode(errors="replace").splitlines():
            entry = _entry(envelope, str(self.path))
            self._lines.add(envelope)
            self._standings[entry.session_id] = self._standings.get(entry.session_id, Standing()).after(entry)
        self._read = (found.st_ino, known + len(whole))


def verify(entry: Entry, keys: Collection[Ed25519PublicKey], where: str) -> None:
    """One of these keys has signed it. Raises UnusableLedger."""
    try:
        signer = dsse.named_key(entry.envelope)
        key = next((one for one in keys if dsse.fingerprint(one) == signer), None)
        if key is None:
            raise dsse.ForeignKey(f"signed by key {signer!r}")
        dsse.verified_payload(key, PAYLOAD_TYPE, entry.envelope)
    except dsse.BadEnvelope as error:
        raise UnusableLedger(
            f"{where}: the entry of session {entry.session_id} is not to be trusted: {error}"
        ) from None


def _entry(envelope: str, where: str) -> Entry:
    try:
        found = json.loads(dsse.unverified_payload(envelope))
        time = datetime.fromisoformat(found["time"])
        if time.tzinfo is None:
            raise ValueError("a time without its offset")
        return Entry(UUID(found["session_id"]), Deed(found["deed"]), time, str(found["actor"]), envelope)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnusableLedger(f"{where} is no entry of a ledger of erasures: {error}") from None


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
