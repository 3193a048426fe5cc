"""The hash chain of one session: each event's hash covers its body, its headers and the hash before it (R60)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

GENESIS = "0" * 64
"""Stands for the hash before a session's first event."""

PREVIOUS_HASH_HEADER = "Assay-Previous-Hash"
HASH_HEADER = "Assay-Hash"
EVENT_HEADER = "Assay-Event-Id"
COMMIT_HEADER = "Assay-Commit-Id"
SESSION_HEADER = "Assay-Session-Id"
VERSION_HEADER = "Assay-Version"
TOPIC_HEADER = "Assay-Topic"
SCHEMA_HEADER = "Assay-Schema-Version"
CORRELATION_HEADER = "Assay-Correlation-Id"
CAUSATION_HEADER = "Assay-Causation-Id"
TIME_HEADER = "Assay-Time"
ACTOR_HEADER = "Assay-Actor"

CHAINED_HEADERS = (
    EVENT_HEADER,
    COMMIT_HEADER,
    SESSION_HEADER,
    VERSION_HEADER,
    TOPIC_HEADER,
    SCHEMA_HEADER,
    CORRELATION_HEADER,
    CAUSATION_HEADER,
    TIME_HEADER,
    ACTOR_HEADER,
)
"""Headers the hash covers, in this order. Never the server's own: sending a commit again changes those."""


def event_hash(previous: str, body: bytes, headers: Mapping[str, str]) -> str:
    """Hex SHA-256 over the previous hash, the chained headers ("" where absent) and the body as stored.

    Each field is preceded by its length in eight bytes, so that no two different events give the same input.
    """
    fields = [previous.encode(), *[headers.get(name, "").encode() for name in CHAINED_HEADERS], body]
    parts = [part for field in fields for part in (len(field).to_bytes(8, "big"), field)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


@dataclass(frozen=True, slots=True)
class Link:
    """An event as it is stored: `headers` hold at least the chained ones, its own hash and the one before."""

    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """The first place where a chain does not hold. `version` counts from 1, as the chain should have gone on."""

    version: int
    reason: str


def verify_chain(session_id: str, links: Iterable[Link], *, version: int = 0, previous: str = GENESIS) -> Fault | None:
    """The first fault of a session's events in order, or None.

    `version` and `previous` name the last event already verified. A tail that was cut off leaves a sound chain: that is
    found by signed heads, not here.
    """
    for link in links:
        version += 1
        if reason := _fault(session_id, link, version, previous):
            return Fault(version, reason)
        previous = link.headers[HASH_HEADER]
    return None


def _fault(session_id: str, link: Link, version: int, previous: str) -> str | None:
    headers = link.headers
    if headers.get(SESSION_HEADER) != session_id:
        return f"belongs to session {headers.get(SESSION_HEADER)}"
    if headers.get(VERSION_HEADER) != str(version):
        return f"version {headers.get(VERSION_HEADER)} stands where {version} should"
    if headers.get(PREVIOUS_HASH_HEADER) != previous:
        return "does not continue from the event before it"
    if headers.get(HASH_HEADER) != event_hash(previous, link.body, headers):
        return "was altered: its hash is another"
    return None
