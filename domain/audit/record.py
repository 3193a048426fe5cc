"""A message of a stream where each is written once: accesses, public verdicts. No chain of its own covers it (R75).

Its hash is made of its subject, its own headers and its body, and is the leaf under the stream's signed heads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from domain.audit.findings import Finding, Kind, StoredEvent
from domain.chain import HASH_HEADER, SESSION_HEADER

_OWN = "Nats-Msg-Id"
"""The one header of the server's that its publisher writes. Others are of one delivery, and are not covered."""


@dataclass(frozen=True)
class Record:
    """A message as it stands in its stream, in the words of a stored event, so that both are audited alike."""

    subject: str
    position: int
    own_headers: Mapping[str, str]
    body: bytes
    session_id: str | None = None

    originator = ""
    version = 0
    type = ""
    isolated = False

    @cached_property
    def headers(self) -> Mapping[str, str]:
        named = {SESSION_HEADER: self.session_id} if self.session_id else {}
        return {HASH_HEADER: self.hash, **named}

    @property
    def hash(self) -> str:
        """Hex SHA-256; each field is preceded by its length in eight bytes."""
        headers = [part for name in sorted(self.own_headers) for part in (name, self.own_headers[name])]
        fields = [self.subject.encode(), *(text.encode() for text in headers), self.body]
        return hashlib.sha256(b"".join(len(field).to_bytes(8, "big") + field for field in fields)).hexdigest()


def own_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """What the publisher of a message wrote, of what it is delivered with."""
    return {name: value for name, value in headers.items() if name == _OWN or not name.startswith(("Nats-", "Status"))}


class RecordWalk:
    """The messages of such a stream in their order: none is missing among them."""

    def __init__(self, after: int = 0) -> None:
        self.position = after
        self.sessions = 0

    def findings(self, record: StoredEvent) -> Iterator[Finding]:
        first, last = self.position + 1, record.position - 1
        if first == last:
            yield Finding(Kind.MISSING, "the stream holds nothing at this position", first)
        elif first < last:
            yield Finding(Kind.MISSING, f"the stream holds nothing at positions {first} to {last}", first)
        self.position = record.position

    def end(self) -> Iterator[Finding]:
        """Nothing more: a tail that was cut is told by what the server has counted."""
        yield from ()
