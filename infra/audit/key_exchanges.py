"""The exchanges of the signing key, in a file of JSON lines beside it (R76)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from infra.audit.dsse import BadEnvelope, fingerprint
from infra.audit.key_ring import Exchange, KeyRing, opened_exchange
from infra.audit.signing_key import KeyFileError, existing_key
from infra.private_files import create_private, open_private, sync_folder


def exchanges_file(signing_key: Path) -> Path:
    return signing_key.with_name(f"{signing_key.stem}-exchanges.jsonl")


def exchanges(signing_key: Path) -> Sequence[Exchange]:
    """Oldest first. Raises KeyFileError."""
    path = exchanges_file(signing_key)
    try:
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [opened_exchange(json.loads(line)) for line in lines]
    except (OSError, BadEnvelope, ValueError) as error:
        raise KeyFileError(f"{path} cannot be read: {error}") from None


def own_ring(signing_key: Path) -> KeyRing:
    """The signing key's own public half, and those before it. Raises KeyFileError."""
    return KeyRing.of(existing_key(signing_key).public_key(), exchanges(signing_key))


def put_in_place(signing_key: Path, fresh: Ed25519PrivateKey, exchange: Exchange) -> Path:
    """The new key in place of the old, which is kept aside under its fingerprint; the statement first, so that what the
    new one signs is trusted. Returns where the old one is."""
    aside = signing_key.with_name(f"{signing_key.stem}-{fingerprint(exchange.old)[:16]}{signing_key.suffix}")
    create_private(aside, signing_key.read_bytes())
    with open_private(exchanges_file(signing_key), "ab") as file:
        file.write(json.dumps(exchange.document, separators=(",", ":")).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    draft = signing_key.with_name(f".{signing_key.name}.new")
    draft.unlink(missing_ok=True)
    create_private(draft, fresh.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    draft.replace(signing_key)
    sync_folder(signing_key.parent)
    return aside
