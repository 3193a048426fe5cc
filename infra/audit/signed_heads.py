"""Heads as signed envelopes: signed, opened, and the newest one wherever it is kept (R60)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.audit.alignment import Leaf
from domain.audit.findings import Finding, Kind
from domain.audit.head import PAYLOAD_TYPE, STREAM_PAYLOAD_TYPE, Head
from domain.merkle import Frontier
from infra.audit import dsse, head_store
from infra.audit.heads_file import HeadsFile, of_stream
from infra.audit.key_exchanges import own_ring
from infra.audit.key_ring import Trusted, ring_of
from infra.audit.signing_key import existing_key, signing_key
from infra.event_log.errors import HeadContradicted
from infra.postgres import Connection, connect
from infra.settings import Settings

log = logging.getLogger(__name__)


def sign_head(key: Ed25519PrivateKey, head: Head) -> str:
    """The envelope as one line of JSON."""
    return json.dumps(dsse.sign(key, head.payload_type, head.payload()), separators=(",", ":"))


def opened_head(key: Trusted, envelope: str, stream: str = "") -> Head:
    """Of the events, or of another stream. Raises dsse.BadEnvelope, or dsse.ForeignKey."""
    ring = ring_of(key)
    signer = ring.signer(envelope)
    payload = dsse.verified_payload(signer, STREAM_PAYLOAD_TYPE if stream else PAYLOAD_TYPE, envelope)
    try:
        head = Head.from_payload(payload)
    except ValueError as error:
        raise dsse.BadEnvelope(f"no head is signed: {error}") from None
    if head.stream != stream:
        raise dsse.BadEnvelope(f"a head of {head.stream or 'the events'} is signed, not one of {stream or 'them'}")
    ring.check(signer, stream, head.size)
    return head


def heads_files(settings: Settings, log_id: str, stream: str = "") -> Sequence[HeadsFile]:
    """The file that heads are written to, and every other one of the key folder that is about the log which begins with
    this event, or about that stream of it: a data folder that was moved or is reached by a link has another name."""
    own = of_stream(settings.heads_file, stream) if stream else settings.heads_file
    pattern = of_stream(Path("heads-*.jsonl"), stream).name if stream else "heads-*.jsonl"
    others = [HeadsFile(path) for path in sorted(settings.key_dir.glob(pattern)) if path != own]
    return [HeadsFile(own), *(file for file in others if log_id and log_id in _logs_of(file))]


def _logs_of(file: HeadsFile) -> set[str]:
    """Which log the first and the last envelope of a file say that they are about, unchecked."""
    found: set[str] = set()
    for envelope in (next((text for _, text in file.envelopes()), None), file.last()):
        with contextlib.suppress(ValueError, KeyError, TypeError):
            found.add(str(json.loads(dsse.unverified_payload(envelope or ""))["log_id"]))
    return found


async def last_heads(settings: Settings, dsn: str, log_id: str) -> Sequence[Head]:
    """The newest head of the database and of each heads file: what the log, which begins with the event `log_id`, must
    contain before anything is appended.

    A database that cannot be reached is left out, since sessions do not wait for it. Raises HeadContradicted for a head
    that is not sound, or that cannot be checked for want of the key that signed it, or KeyFileError.
    """
    newest = {f"in {file.path}": file.last() for file in heads_files(settings, log_id)}
    try:
        async with await connect(dsn) as conn:
            newest["in PostgreSQL"] = await head_store.last_envelope(conn)
    except psycopg.OperationalError as error:
        log.warning("the last head in PostgreSQL cannot be read: %s", error)
    return [_own_head(settings.signing_key, envelope, where) for where, envelope in newest.items() if envelope]


async def own_key(settings: Settings, dsn: str) -> Ed25519PrivateKey:
    """The key that signs for this log; a new one only where nothing was ever signed. Raises KeyFileError or
    psycopg.OperationalError."""
    if settings.signing_key.exists() or HeadsFile(settings.heads_file).last():
        return existing_key(settings.signing_key)
    async with await connect(dsn) as conn:
        signed = await head_store.last_envelope(conn)
    return existing_key(settings.signing_key) if signed else signing_key(settings.signing_key)


def _own_head(key_file: Path, envelope: str, where: str) -> Head:
    try:
        if not key_file.exists():
            raise dsse.ForeignKey(f"signed by key {dsse.named_key(envelope)!r}, and there is no {key_file}")
        return opened_head(own_ring(key_file), envelope)
    except dsse.ForeignKey as error:
        raise HeadContradicted(
            f"the last signed head {where} cannot be checked: {error}; put the key that signed it back as {key_file}"
        ) from None
    except dsse.BadEnvelope as error:
        raise HeadContradicted(f"the last signed head was changed: {error}; `assay verify` says which") from None


@dataclass(slots=True)
class KeptHeads:
    """Every head of the database and of a file. `findings` tells of those that the key did not sign."""

    heads: list[Head] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    stream: str = ""
    _by_digest: dict[bytes, Head | None] = field(default_factory=dict)  # of envelopes: most stand in both places

    @property
    def unit(self) -> str:
        return "messages" if self.stream else "events"

    def open(self, key: Trusted, envelope: str, where: str) -> Head | None:
        """The head of one envelope, or None and a finding."""
        digest = hashlib.sha256(envelope.encode()).digest()
        if digest in self._by_digest:
            return self._by_digest[digest]
        head = None
        try:
            head = opened_head(key, envelope, self.stream)
            self.heads.append(head)
        except dsse.ForeignKey as error:
            self.findings.append(Finding(Kind.FOREIGN_KEY, f"{where}: {error}"))
        except dsse.BadEnvelope as error:
            self.findings.append(Finding(Kind.SIGNATURE, f"{where}: {error}"))
        self._by_digest[digest] = head
        return head


async def kept_heads(key: Trusted, conn: Connection | None, files: Sequence[HeadsFile], stream: str = "") -> KeptHeads:
    """Of the events or of another stream. Without a connection those of the files alone; in them may stand heads of
    other streams too."""
    kept = KeptHeads(stream=stream)
    if conn:
        async for stored in head_store.heads(conn, 0, stream):
            kept.open(key, stored.envelope, f"the head over {stored.size} {kept.unit} in PostgreSQL")
    for file in files:
        for number, envelope in file.envelopes():
            if stream_of(envelope) == stream:
                kept.open(key, envelope, f"{file.path}, line {number}")
    return kept


def stream_of(envelope: str) -> str:
    """Which stream's head an envelope says it is, unchecked; "" of the events, and of what is no head."""
    try:
        return str(json.loads(dsse.unverified_payload(envelope)).get("stream", ""))
    except (ValueError, AttributeError):
        return ""


async def signed_leaves(key: Trusted, conn: Connection, kept: KeptHeads) -> AsyncGenerator[Sequence[Leaf], None]:
    """The leaf hashes of the database, as far as they hash to a signed root; where they do not, that is a finding and
    the end."""
    tree, pending = Frontier(), list[bytes]()
    async for stored in head_store.heads(conn, 0, kept.stream):
        pending += stored.leaves
        tree = tree.extended(stored.leaves)
        head = kept.open(key, stored.envelope, "PostgreSQL")
        if head is None:
            continue  # told already; the next good head covers these leaves too
        if (head.size, head.root) != (tree.size, tree.root.hex()):
            detail = f"the leaf hashes kept for the head over {head.size} {kept.unit} are not those it signs"
            kept.findings.append(Finding(Kind.HEADS, detail))
            return
        first = tree.size - len(pending) + 1
        yield [Leaf(leaf, position, head.time) for position, leaf in enumerate(pending, start=first)]
        pending = []
