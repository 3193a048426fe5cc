"""Which keys are trusted with one that is known: it, those that came before it, and those that it vouched for (R76).

When a key is exchanged, the old one signs a statement that names the new one, and the new one signs the same: whoever
holds either public key learns of the other. A key that was exchanged signs nothing beyond the heads named there. Needs
the standard library and `cryptography` alone.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from infra.audit import dsse
from infra.audit.dsse import BadEnvelope, ForeignKey, fingerprint

PAYLOAD_TYPE = "application/vnd.assay.key-exchange.v1+json"


@dataclass(frozen=True, slots=True)
class Exchange:
    """`sizes`: how far the old key has signed, by stream ("" of the events). `document`: as it is kept and shown."""

    old: Ed25519PublicKey
    new: Ed25519PublicKey
    sizes: Mapping[str, int]
    document: Mapping[str, Any] = field(compare=False)


def exchanged(old: Ed25519PrivateKey, new: Ed25519PrivateKey, sizes: Mapping[str, int], time: datetime) -> Exchange:
    """The statement, signed by both."""
    said = {
        "old_key": _text(old.public_key()),
        "new_key": _text(new.public_key()),
        "sizes": dict(sizes),
        "time": time.isoformat(),
    }
    payload = json.dumps(said, separators=(",", ":")).encode()
    document = {"by_old": dsse.sign(old, PAYLOAD_TYPE, payload), "by_new": dsse.sign(new, PAYLOAD_TYPE, payload)}
    return Exchange(old.public_key(), new.public_key(), sizes, document)


def opened_exchange(document: Any) -> Exchange:
    """Raises BadEnvelope unless both have signed the same."""
    try:
        envelopes = [json.dumps(document[name]) for name in ("by_old", "by_new")]
        said = json.loads(dsse.unverified_payload(envelopes[0]))
        old, new = _key(said["old_key"]), _key(said["new_key"])
        sizes = {str(stream): int(size) for stream, size in said["sizes"].items()}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadEnvelope(f"no exchange of keys: {type(error).__name__}: {error}") from None
    payloads = {dsse.verified_payload(key, PAYLOAD_TYPE, one) for key, one in zip((old, new), envelopes, strict=True)}
    if len(payloads) != 1:
        raise BadEnvelope("the old and the new key have signed different exchanges")
    return Exchange(old, new, sizes, document)


@dataclass(frozen=True, slots=True)
class KeyRing:
    """Trusted keys by their fingerprint, and how far each may sign: None as far as it likes."""

    keys: Mapping[str, Ed25519PublicKey]
    limits: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(cls, root: Ed25519PublicKey, exchanges: Iterable[Exchange] = ()) -> KeyRing:
        keys, left = {fingerprint(root): root}, list(exchanges)
        limits: dict[str, Mapping[str, int]] = {}
        while found := next((one for one in left if {fingerprint(one.old), fingerprint(one.new)} & keys.keys()), None):
            left.remove(found)
            keys |= {fingerprint(found.old): found.old, fingerprint(found.new): found.new}
            limits[fingerprint(found.old)] = found.sizes
        return cls(keys, limits)

    def signer(self, envelope: str | bytes) -> Ed25519PublicKey:
        """The key that an envelope names, unchecked. Raises BadEnvelope, or ForeignKey."""
        named = dsse.named_key(envelope)
        if named not in self.keys:
            raise ForeignKey(f"signed by key {named!r}, not {' or '.join(self.keys)}")
        return self.keys[named]

    def check(self, signer: Ed25519PublicKey, stream: str, size: int) -> None:
        """The key could sign a head of that size. Raises BadEnvelope."""
        limit = self.limits.get(fingerprint(signer))
        if limit is not None and size > limit.get(stream, 0):
            raise BadEnvelope(f"signed by key {fingerprint(signer)!r} after it had been exchanged")


Trusted = Ed25519PublicKey | KeyRing


def ring_of(trusted: Trusted) -> KeyRing:
    return trusted if isinstance(trusted, KeyRing) else KeyRing.of(trusted)


def _text(key: Ed25519PublicKey) -> str:
    return base64.b64encode(key.public_bytes_raw()).decode()


def _key(text: str) -> Ed25519PublicKey:
    try:
        return Ed25519PublicKey.from_public_bytes(base64.b64decode(text, validate=True))
    except binascii.Error as error:
        raise ValueError(str(error)) from None
