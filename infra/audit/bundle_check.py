"""Verification of a bundle, offline: against the file and a public key alone (R61).

Every decoded value is covered: the envelope by its signature, each further line by its digest in the statement, and
what the signer himself could have made up by the hash chain, the signed head and the session's key. Needs the standard
library and `cryptography` alone, and so does whatever is imported here (a test sees to it).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from domain.audit.head import PAYLOAD_TYPE as HEAD_PAYLOAD_TYPE
from domain.audit.head import Head
from domain.merkle import continues
from infra.audit import dsse
from infra.audit.bundle import PAYLOAD_TYPE, PREDICATE_TYPE, STATEMENT_TYPE
from infra.audit.bundled_session import BundledSession, VerifiedBundle, hashes
from infra.audit.key_ring import Exchange, KeyRing, Trusted, opened_exchange, ring_of
from infra.audit.strict_json import Refused, array, object_of, parsed, typed


def check_bundle(lines: Iterable[bytes], key: Trusted) -> VerifiedBundle:
    """`lines`: of the file, with their line feeds. Raises Refused at the first thing that is wrong."""
    try:
        return _checked(_Lines(lines), key)
    except UnicodeEncodeError:
        raise Refused("a text in it is no Unicode: it holds half of a surrogate pair") from None


def _checked(numbered: _Lines, trusted: Trusted) -> VerifiedBundle:
    first = numbered.next()
    key = _ring(first, trusted)
    statement = _statement(first, key)
    head = _head(statement, key)
    session = BundledSession(statement, head)
    for subject in statement["subject"][1:]:
        session.read(subject["name"], numbered.next(subject["digest"]["sha256"]))
    numbered.end()
    verified = session.verified()
    if first != _written(json.loads(first)):
        raise Refused("the envelope is not spelled as an export spells it: no byte of the file is free")
    return verified


class _Lines:
    """The lines of a file, each asked for by what it must be."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines: Iterator[bytes] = iter(lines)
        self._number = 0

    def next(self, digest: str | None = None) -> bytes:
        """The next line without its line feed."""
        self._number += 1
        line = next(self._lines, None)
        if line is None or not line.endswith(b"\n"):
            raise Refused(f"line {self._number} is missing or cut short")
        line = line[:-1]
        if digest is not None and hashlib.sha256(line).hexdigest() != digest:
            raise Refused(f"line {self._number} is not the one that was signed: its SHA-256 digest is another")
        return line

    def end(self) -> None:
        if next(self._lines, None) is not None:
            raise Refused(f"line {self._number + 1} stands behind the last one that was signed")


# ---------------------------------------------------------------- the statement


def _ring(line: bytes, trusted: Trusted) -> KeyRing:
    """The trusted key and those that it leads to, by the exchanges in the bundle, each of which both keys signed."""
    ring, known = ring_of(trusted), list[Exchange]()
    with contextlib.suppress(Refused, ValueError, KeyError, TypeError, AttributeError):  # else it is refused below
        told = parsed("the statement", dsse.unverified_payload(line))["predicate"].get("key_exchanges", [])
        known = [opened_exchange(one) for one in told]
    for root in ring.keys.values():
        grown = KeyRing.of(root, known)
        ring = KeyRing({**ring.keys, **grown.keys}, {**ring.limits, **grown.limits})
    return ring


def _statement(line: bytes, key: KeyRing) -> dict[str, Any]:
    """The signed statement, each part of which is of the kind it should be."""
    payload = _signed(parsed("the envelope", line), "the envelope", PAYLOAD_TYPE, key)
    statement = object_of("the statement", parsed("the statement", payload), *_STATEMENT)
    if (statement["_type"], statement["predicateType"]) != (STATEMENT_TYPE, PREDICATE_TYPE):
        raise Refused("the statement is no statement about a session of this version")
    for subject in array("the subjects", statement["subject"]):
        object_of("a subject", subject, "name", "digest")
        typed("a subject's name", subject["name"], str)
        typed("a digest", object_of("a subject's digest", subject["digest"], "sha256")["sha256"], str)
    extra = ("key_exchanges",) if "key_exchanges" in typed("the predicate", statement["predicate"], dict) else ()
    predicate = object_of("the predicate", statement["predicate"], *_PREDICATE, *extra)
    for one in array("the exchanges of keys", predicate.get("key_exchanges", [])):
        _check_exchange(one)
    for event in array("the predicate's events", predicate["events"]):
        object_of("an event of the predicate", event, "version", "position", "inclusion_proof")
    if not statement["subject"] or not predicate["events"]:
        raise Refused("the statement is about nothing")
    return statement


def _check_exchange(document: Any) -> None:
    try:
        opened_exchange(document)
    except dsse.BadEnvelope as error:
        raise Refused(f"an exchange of keys: {error}") from None


_STATEMENT = ("_type", "subject", "predicateType", "predicate")
_PREDICATE = ("log_id", "session_id", "head", "earlier_head", "consistency_proof", "events")


def _head(statement: dict[str, Any], key: KeyRing) -> Head:
    """The head that covers the session; the earlier one, if there is one, leads to it."""
    predicate = statement["predicate"]
    head = _opened_head("the head", predicate["head"], key)
    proof = hashes("the consistency proof", predicate["consistency_proof"])
    if predicate["log_id"] != head.log_id:
        raise Refused("the head is one of another log than the statement names")
    if predicate["earlier_head"] is None:
        if proof:
            raise Refused("there is a consistency proof, but no earlier head")
        return head
    earlier = _opened_head("the earlier head", predicate["earlier_head"], key)
    roots = bytes.fromhex(earlier.root), bytes.fromhex(head.root)
    if earlier.log_id != head.log_id or not continues(roots[0], earlier.size, roots[1], head.size, proof):
        raise Refused("the head does not continue the earlier head")
    return head


def _opened_head(what: str, envelope: Any, key: KeyRing) -> Head:
    payload = _signed(envelope, what, HEAD_PAYLOAD_TYPE, key)
    try:
        parsed(what, payload)
        head = Head.from_payload(payload)
        key.check(key.signer(json.dumps(envelope)), "", head.size)
        return head
    except ValueError as error:
        raise Refused(f"{what}: {error}") from None


def _written(envelope: dict[str, Any]) -> bytes:
    """The one spelling: no signature covers blanks, escapes or the order of keys."""
    (signature,) = envelope["signatures"]
    ordered = {
        "payload": envelope["payload"],
        "payloadType": envelope["payloadType"],
        "signatures": [{"keyid": signature["keyid"], "sig": signature["sig"]}],
    }
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":")).encode()


def _signed(envelope: Any, what: str, payload_type: str, key: KeyRing) -> bytes:
    """The payload of a DSSE envelope that holds nothing but what is signed, and who signed it."""
    signatures = object_of(what, envelope, "payload", "payloadType", "signatures")["signatures"]
    for signature in array(f"{what}: its signatures", signatures):
        object_of(f"{what}: its signature", signature, "keyid", "sig")
    try:
        text = json.dumps(envelope)
        return dsse.verified_payload(key.signer(text), payload_type, text)
    except dsse.BadEnvelope as error:
        raise Refused(f"{what}: {error}") from None
