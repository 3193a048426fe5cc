"""Signed statements: a DSSE envelope with one Ed25519 signature, named by the fingerprint of its key (R60, R61)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


class BadEnvelope(ValueError):
    """This is no envelope that the key signed; the message says why."""


class ForeignKey(BadEnvelope):
    """The envelope names another key than the one that is trusted."""


@dataclass(frozen=True, slots=True)
class _Envelope:
    payload_type: str
    payload: bytes
    key_id: str
    signature: bytes


def fingerprint(key: Ed25519PublicKey) -> str:
    """Hex SHA-256 of the key's SubjectPublicKeyInfo in DER; `openssl pkey -pubin -outform DER | sha256sum` agrees."""
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """The bytes that are signed."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def sign(key: Ed25519PrivateKey, payload_type: str, payload: bytes) -> dict[str, Any]:
    """The envelope as a JSON object."""
    signature = key.sign(pre_authentication_encoding(payload_type, payload))
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": payload_type,
        "signatures": [{"keyid": fingerprint(key.public_key()), "sig": base64.b64encode(signature).decode()}],
    }


def verified_payload(key: Ed25519PublicKey, payload_type: str, envelope: str | bytes) -> bytes:
    """The payload of an envelope given as JSON text. Raises BadEnvelope, or ForeignKey if it names another key."""
    opened = _opened(envelope)
    if opened.payload_type != payload_type:
        raise BadEnvelope(f"the payload is {opened.payload_type!r}, not {payload_type!r}")
    if opened.key_id != fingerprint(key):
        raise ForeignKey(f"signed by key {opened.key_id!r}, not {fingerprint(key)}")
    try:
        key.verify(opened.signature, pre_authentication_encoding(payload_type, opened.payload))
    except InvalidSignature:
        raise BadEnvelope("the signature does not belong to the payload") from None
    return opened.payload


def named_key(envelope: str | bytes) -> str:
    """The fingerprint of the key that an envelope says it is signed with, unchecked. Raises BadEnvelope."""
    return _opened(envelope).key_id


def unverified_payload(envelope: str | bytes) -> bytes:
    """What an envelope says, whoever signed it. Raises BadEnvelope."""
    return _opened(envelope).payload


def _opened(envelope: str | bytes) -> _Envelope:
    try:
        document = json.loads(envelope)
        (signature,) = document["signatures"]
        payload, sealed = _decoded(document["payload"]), _decoded(signature["sig"])
        if not isinstance(document["payloadType"], str) or not isinstance(signature["keyid"], str):
            raise TypeError("its type and its key are no texts")
        return _Envelope(document["payloadType"], payload, signature["keyid"], sealed)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadEnvelope(f"no DSSE envelope with one signature: {type(error).__name__}: {error}") from None


def _decoded(text: str) -> bytes:
    """Only the one spelling that an encoder writes, so that no character of an envelope can be changed unnoticed."""
    decoded = base64.b64decode(text, validate=True)
    if base64.b64encode(decoded).decode() != text:
        raise binascii.Error("not canonical base64")
    return decoded
