"""Heads as signed envelopes: signed, opened, and the newest one wherever it is kept (R60)."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from domain.audit.alignment import Leaf
from domain.audit.findings import Finding, Kind
from domain.audit.head import PAYLOAD_TYPE, Head
from domain.merkle import Frontier
from infra.audit import dsse, head_store
from infra.audit.heads_file import HeadsFile
from infra.audit.signing_key import existing_key, signing_key
from infra.event_log.errors import HeadContradicted
from infra.postgres import Connection, connect
from infra.settings import Settings

log = logging.getLogger(__name__)


def sign_head(key: Ed25519PrivateKey, head: Head) -> str:
    """The envelope as one line of JSON."""
    return json.dumps(dsse.sign(key, PAYLOAD_TYPE, head.payload()), separators=(",", ":"))


def opened_head(key: Ed25519PublicKey, envelope: str) -> Head:
    """Raises dsse.BadEnvelope, or dsse.ForeignKey."""
    payload = dsse.verified_payload(key, PAYLOAD_TYPE, envelope)
    try:
        return Head.from_payload(payload)
    except ValueError as error:
        raise dsse.BadEnvelope(f"no head is signed: {error}") from None


async def last_heads(settings: Settings, dsn: str) -> Sequence[Head]:
    """The newest head of the database and of the heads file: what the log must contain before anything is appended.

    A database that cannot be reached is left out, since sessions do not wait for it. Raises HeadContradicted for a head
    that is not sound, or that cannot be checked for want of the key that signed it, or KeyFileError.
    """
    newest = {f"in {settings.heads_file}": HeadsFile(settings.heads_file).last()}
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
        return opened_head(existing_key(key_file).public_key(), envelope)
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
    _by_digest: dict[bytes, Head | None] = field(default_factory=dict)  # of envelopes: most stand in both places

    def open(self, key: Ed25519PublicKey, envelope: str, where: str) -> Head | None:
        """The head of one envelope, or None and a finding."""
        digest = hashlib.sha256(envelope.encode()).digest()
        if digest in self._by_digest:
            return self._by_digest[digest]
        head = None
        try:
            head = opened_head(key, envelope)
            self.heads.append(head)
        except dsse.ForeignKey as error:
            self.findings.append(Finding(Kind.FOREIGN_KEY, f"{where}: {error}"))
        except dsse.BadEnvelope as error:
            self.findings.append(Finding(Kind.SIGNATURE, f"{where}: {error}"))
        self._by_digest[digest] = head
        return head


async def kept_heads(key: Ed25519PublicKey, conn: Connection | None, file: HeadsFile) -> KeptHeads:
    """Without a connection those of the file alone."""
    kept = KeptHeads()
    if conn:
        async for stored in head_store.heads(conn):
            kept.open(key, stored.envelope, f"the head over {stored.size} events in PostgreSQL")
    for number, envelope in file.envelopes():
        kept.open(key, envelope, f"{file.path}, line {number}")
    return kept


async def signed_leaves(
    key: Ed25519PublicKey, conn: Connection, kept: KeptHeads
) -> AsyncGenerator[Sequence[Leaf], None]:
    """The leaf hashes of the database, as far as they hash to a signed root; where they do not, that is a finding and
    the end."""
    tree, pending = Frontier(), list[bytes]()
    async for stored in head_store.heads(conn):
        pending += stored.leaves
        tree = tree.extended(stored.leaves)
        head = kept.open(key, stored.envelope, "PostgreSQL")
        if head is None:
            continue  # told already; the next good head covers these leaves too
        if (head.size, head.root) != (tree.size, tree.root.hex()):
            detail = f"the leaf hashes kept for the head over {head.size} events are not those it signs"
            kept.findings.append(Finding(Kind.HEADS, detail))
            return
        first = tree.size - len(pending) + 1
        yield [Leaf(leaf, position, head.time) for position, leaf in enumerate(pending, start=first)]
        pending = []
