"""Sealing of an event's content with its session's key, packed first where that makes it smaller."""

from __future__ import annotations

import base64
import json
import secrets
import zlib
from dataclasses import dataclass
from typing import Any, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from infra.event_log.errors import Unreadable
from infra.event_log.keys import Key

Algorithm = Literal["aes-256-gcm", "none"]
_NONCE_BYTES = 12
_DEFLATE = "deflate"


@dataclass(frozen=True, slots=True)
class Slot:
    """Sealed content. `alg` none: `data` is the content itself, and `kid` and `nonce` are empty.

    `zip` deflate: what was sealed is the content in the zlib format (RFC 1950); "": the content itself.
    """

    alg: str
    kid: str
    nonce: bytes
    data: bytes
    zip: str = ""

    def as_json(self) -> dict[str, str]:
        zipped = {"zip": self.zip} if self.zip else {}
        return {"alg": self.alg, **zipped, "kid": self.kid, "nonce": _text(self.nonce), "data": _text(self.data)}

    @classmethod
    def from_json(cls, slot: dict[str, Any]) -> Slot:
        """Data kept elsewhere, and not fetched because its key is gone, is empty here."""
        alg, kid = slot["alg"], slot["kid"]
        nonce, data = base64.b64decode(slot["nonce"]), base64.b64decode(slot.get("data", ""))
        return cls(alg, kid, nonce, data, slot.get("zip", ""))


def stands_open(state: bytes) -> bool:
    """Does a stored event hold content that no key seals?"""
    slot = json.loads(state)["content"]
    return slot is not None and slot["alg"] == "none"


def sealing_key(state: bytes) -> str | None:
    """Id of the key that seals the content of a stored event; None where there is none, or none sealed."""
    slot = json.loads(state)["content"]
    return slot["kid"] if slot and slot["alg"] != "none" else None


def seal(content: bytes, key: Key | None, context: str) -> Slot:
    """Seal content with a key, or leave it as it is without one. It opens only under the same context."""
    if key is None:
        return Slot("none", "", b"", content)
    nonce, packed = secrets.token_bytes(_NONCE_BYTES), zlib.compress(content, 1)
    is_smaller = len(packed) < len(content)
    data = AESGCM(key.secret).encrypt(nonce, packed if is_smaller else content, context.encode())
    return Slot("aes-256-gcm", key.kid, nonce, data, _DEFLATE if is_smaller else "")


def unseal(slot: Slot, key: Key | None, context: str) -> bytes | None:
    """The content, or None if the key that sealed it is gone. Raises Unreadable if it was sealed as something else."""
    if slot.alg == "none":
        return slot.data
    if slot.alg != "aes-256-gcm" or slot.zip not in {"", _DEFLATE}:
        raise Unreadable(f"{context}: content is sealed by an unknown algorithm, {slot.alg} {slot.zip}".rstrip())
    if key is None or key.kid != slot.kid:
        return None
    try:
        data = AESGCM(key.secret).decrypt(slot.nonce, slot.data, context.encode())
        return zlib.decompress(data) if slot.zip else data
    except (InvalidTag, zlib.error):
        raise Unreadable(f"{context}: content does not open with its key") from None


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
