"""Sealing of an event's content with its session's key."""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from infra.event_log.errors import Unreadable
from infra.event_log.keys import Key

Algorithm = Literal["aes-256-gcm", "none"]
_NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class Slot:
    """Sealed content. `alg` none: `data` is the content itself, and `kid` and `nonce` are empty."""

    alg: str
    kid: str
    nonce: bytes
    data: bytes

    def as_json(self) -> dict[str, str]:
        return {"alg": self.alg, "kid": self.kid, "nonce": _text(self.nonce), "data": _text(self.data)}

    @classmethod
    def from_json(cls, slot: dict[str, Any]) -> Slot:
        """Data kept elsewhere, and not fetched because its key is gone, is empty here."""
        return cls(slot["alg"], slot["kid"], base64.b64decode(slot["nonce"]), base64.b64decode(slot.get("data", "")))


def seal(content: bytes, key: Key | None, context: str) -> Slot:
    """Seal content with a key, or leave it as it is without one. It opens only under the same context."""
    if key is None:
        return Slot("none", "", b"", content)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return Slot("aes-256-gcm", key.kid, nonce, AESGCM(key.secret).encrypt(nonce, content, context.encode()))


def unseal(slot: Slot, key: Key | None, context: str) -> bytes | None:
    """The content, or None if the key that sealed it is gone. Raises Unreadable if it was sealed as something else."""
    if slot.alg == "none":
        return slot.data
    if slot.alg != "aes-256-gcm":
        raise Unreadable(f"{context}: content is sealed by an unknown algorithm, {slot.alg}")
    if key is None or key.kid != slot.kid:
        return None
    try:
        return AESGCM(key.secret).decrypt(slot.nonce, slot.data, context.encode())
    except InvalidTag:
        raise Unreadable(f"{context}: content does not open with its key") from None


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
