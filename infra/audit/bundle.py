"""A session as a file that a third party verifies without this service (R61).

JSON lines. The first is a DSSE envelope around an in-toto Statement: its subjects are the session (with the hash that
its chain ends in) and the SHA-256 digest of every line that follows, in order; its predicate holds what proves the
session's place in the log. Then come

    key        the key that seals the session's content, if the content is opened
    event/N    an event as it is stored: subject, position, headers and the bytes of its body
    blob/N     the sealed content of event N, where that is kept beside it
    content/N  the same content opened

Needs the standard library and `cryptography` alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.audit.head import Head
from domain.chain import CHAINED_HEADERS, HASH_HEADER, PREVIOUS_HASH_HEADER
from infra.audit import dsse
from infra.event_log.keys import Key

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:assay:session-bundle:v1"
HEADERS = (*CHAINED_HEADERS, PREVIOUS_HASH_HEADER, HASH_HEADER)
"""Headers of an event that stand in a bundle: all that the chain covers or is made of."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """What proves the session's place in the log. Envelopes are those of signed heads; `earlier` is of a head from
    before the session, which the one that covers it continues, or None."""

    head: Head
    envelope: Mapping[str, Any]
    earlier: Mapping[str, Any] | None = None
    exchanges: Sequence[Mapping[str, Any]] = ()  # of the signing key, if there were any
    consistency: Sequence[bytes] = ()


@dataclass(frozen=True, slots=True)
class BundledEvent:
    """One event: `blob` None unless its content is kept beside it, `content` (JSON text) None unless it is opened."""

    version: int
    position: int
    subject: str
    headers: Mapping[str, str]
    body: bytes
    inclusion: Sequence[bytes]
    blob: bytes | None = None
    content: bytes | None = None


def bundle(
    signing_key: Ed25519PrivateKey, session_id: str, anchor: Anchor, key: Key | None, events: Sequence[BundledEvent]
) -> list[bytes]:
    """The lines of the file, each with its line feed. `key`: of the session, if any of its content is opened."""
    named = list(_lines(key, events))
    chain_end = {"name": f"session/{session_id}", "digest": {"sha256": events[-1].headers[HASH_HEADER]}}
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [chain_end, *({"name": name, "digest": {"sha256": _sha256(line)}} for name, line in named)],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "log_id": anchor.head.log_id,
            "session_id": session_id,
            "head": anchor.envelope,
            "earlier_head": anchor.earlier,
            "consistency_proof": _texts(anchor.consistency),
            **({"key_exchanges": list(anchor.exchanges)} if anchor.exchanges else {}),
            "events": [
                {"version": event.version, "position": event.position, "inclusion_proof": _texts(event.inclusion)}
                for event in events
            ],
        },
    }
    envelope = dsse.sign(signing_key, PAYLOAD_TYPE, json.dumps(statement, separators=(",", ":")).encode())
    return [line + b"\n" for line in (_dumped(envelope), *(line for _, line in named))]


def _lines(key: Key | None, events: Sequence[BundledEvent]) -> Iterator[tuple[str, bytes]]:
    if key is not None:
        yield "key", _dumped({"kind": "key", "kid": key.kid, "secret": _text(key.secret)})
    for event in events:
        number = event.version
        yield f"event/{number}", _dumped(_event(event))
        if event.blob is not None:
            digest = _sha256(event.blob)
            yield f"blob/{number}", _dumped({"kind": "blob", "sha256": digest, "data": _text(event.blob)})
        if event.content is not None:
            yield f"content/{number}", _dumped({"kind": "content", "content": json.loads(event.content)})


def _event(event: BundledEvent) -> dict[str, Any]:
    return {
        "kind": "event",
        "subject": event.subject,
        "position": event.position,
        "headers": {name: event.headers.get(name, "") for name in HEADERS},
        "body": _text(event.body),
    }


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _texts(hashes: Sequence[bytes]) -> list[str]:
    return [_text(one) for one in hashes]
