"""What is wrong with a log, by kind and place (R60)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class StoredEvent(Protocol):
    """An event as it stands in the log; `originator`, `version` and `type` are those of its subject."""

    @property
    def subject(self) -> str: ...
    @property
    def originator(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def position(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> bytes: ...
    @property
    def isolated(self) -> bool:
        """A foreign message that an operator has set aside: no event, but its place counts. `headers` hold its digest
        as its hash."""


class Kind(StrEnum):
    EDITED = "edited event"  # body or headers do not give the hash that stands with them
    MISSING = "missing event"
    CUT = "cut tail"  # the server counted events that are not there
    ROLLED_BACK = "rolled-back log"  # the log ends before a signed head
    INSERTED = "inserted event"
    SWAPPED = "swapped order"
    FORGED = "re-chained forgery"  # sound in itself, but not what was signed
    REUSED = "reused sequence"  # recorded later, at a position that was signed before
    MISFILED = "wrong subject"
    BLOB = "altered content"  # content kept beside the log is missing or is not what its name says
    SIGNATURE = "bad signature"
    FOREIGN_KEY = "foreign key"
    HEADS = "contradicting heads"


@dataclass(frozen=True, slots=True)
class Finding:
    """`position` in the log, or in the `stream` that is named, from 1; `version` in the session, from 1; None where it
    cannot be told."""

    kind: Kind
    detail: str
    position: int | None = None
    session_id: str | None = None
    version: int | None = None
    stream: str | None = None


_ONCE_A_SESSION = {Kind.FORGED, Kind.SWAPPED}
"""One such deed shows at every later event of its session."""

_REMEMBERED = 10_000  # findings, so as not to tell the same twice


@dataclass(slots=True)
class Findings:
    """Collects what is found, the first `limit` in full, and counts the rest: a log may be wrong everywhere."""

    limit: int = 100
    first: list[Finding] = field(default_factory=list)
    counts: Counter[Kind] = field(default_factory=Counter)
    _seen: set[tuple[Kind, str | None, str | None, int | None]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            place = None if finding.kind in _ONCE_A_SESSION else finding.position
            key = (finding.kind, finding.stream, finding.session_id, place)
            if key in self._seen and (finding.session_id or place):
                continue
            if len(self._seen) < _REMEMBERED:
                self._seen.add(key)
            self.counts[finding.kind] += 1
            if len(self.first) < self.limit:
                self.first.append(finding)
