"""R60, R61: envelopes are signed and checked as the DSSE specification says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from infra.audit.dsse import (
    BadEnvelope,
    ForeignKey,
    fingerprint,
    named_key,
    pre_authentication_encoding,
    sign,
    verified_payload,
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))
KIND = "application/vnd.example+json"
ENVELOPE = sign(KEY, KIND, b'{"size":3}')
KNOWN_FINGERPRINT = "a050837d85070582ccf7394b0988847cc312cb88259b894899f6f239cf1791a5"


def opened(envelope: Any, kind: str = KIND) -> bytes:
    return verified_payload(KEY.public_key(), kind, json.dumps(envelope))


def test_the_bytes_that_are_signed_are_those_of_the_specification() -> None:
    encoded = pre_authentication_encoding("http://example.com/HelloWorld", b"hello world")
    assert encoded == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_a_signed_payload_is_given_back() -> None:
    assert opened(ENVELOPE) == b'{"size":3}'


def test_a_key_is_named_by_the_fingerprint_of_its_public_half() -> None:
    """SHA-256 of the DER that openssl writes."""
    assert fingerprint(KEY.public_key()) == KNOWN_FINGERPRINT
    assert ENVELOPE["signatures"][0]["keyid"] == KNOWN_FINGERPRINT


def test_a_foreign_key_is_told_from_a_bad_signature() -> None:
    with pytest.raises(ForeignKey, match="signed by key"):
        opened(sign(OTHER, KIND, b"{}"))
    forged = sign(OTHER, KIND, b"{}")
    forged["signatures"][0]["keyid"] = KNOWN_FINGERPRINT
    with pytest.raises(BadEnvelope, match="signature does not belong") as caught:
        opened(forged)
    assert not isinstance(caught.value, ForeignKey)


def test_a_signature_under_another_name_is_refused() -> None:
    """R61: the key id is not hashed by the signature, so it must be the key's fingerprint."""
    renamed = {**ENVELOPE, "signatures": [{**ENVELOPE["signatures"][0], "keyid": "mine"}]}
    with pytest.raises(ForeignKey, match="signed by key 'mine'"):
        opened(renamed)


def test_another_payload_type_is_refused() -> None:
    with pytest.raises(BadEnvelope, match="the payload is"):
        opened(ENVELOPE, "application/vnd.other+json")
    with pytest.raises(BadEnvelope, match="signature does not belong"):
        opened({**ENVELOPE, "payloadType": "application/vnd.other+json"}, "application/vnd.other+json")


@pytest.mark.parametrize(
    "envelope",
    [
        None,
        [],
        {},
        {**ENVELOPE, "signatures": []},
        {**ENVELOPE, "signatures": ENVELOPE["signatures"] * 2},
        {**ENVELOPE, "signatures": [None]},
        {**ENVELOPE, "payload": 7},
        {**ENVELOPE, "payload": "no base64"},
        {**ENVELOPE, "payload": "结"},
    ],
)
def test_what_is_no_envelope_is_refused(envelope: Any) -> None:
    with pytest.raises(BadEnvelope, match="no DSSE envelope"):
        opened(envelope)


def test_text_that_is_no_json_is_refused() -> None:
    for text in ("{", "[" * 100_000, b"\xff"):
        with pytest.raises(BadEnvelope, match="no DSSE envelope"):
            verified_payload(KEY.public_key(), KIND, text)


@given(st.data())
def test_no_character_of_an_envelope_can_be_changed(data: st.DataObject) -> None:
    """R61: but for white space, and the characters of field names that nobody reads."""
    text = json.dumps(ENVELOPE)
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(codec="ascii", categories=("L", "N", "P", "S")).filter(lambda c: c != text[at]))
    with pytest.raises(BadEnvelope):
        verified_payload(KEY.public_key(), KIND, text[:at] + other + text[at + 1 :])


@pytest.mark.parametrize("other", [[], {}, 7, None, True])
@pytest.mark.parametrize("part", ["payloadType", "keyid"])
def test_a_type_or_a_key_that_is_no_text_is_refused(part: str, other: object) -> None:
    """R61: whatever a bundle holds there, by the error that says so."""
    signature: dict[str, object] = {"keyid": "k", "sig": "AAAA"}
    envelope: dict[str, object] = {"payload": "e30=", "payloadType": "t", "signatures": [signature]}
    (envelope if part == "payloadType" else signature)[part] = other
    with pytest.raises(BadEnvelope, match="no DSSE envelope"):
        named_key(json.dumps(envelope))
