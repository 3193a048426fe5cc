"""A whole log against its chains, its signed heads and the leaf hashes behind them, in one pass (R60)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from domain.audit.alignment import WINDOW, Alignment, Leaf
from domain.audit.chain_walk import ChainWalk
from domain.audit.findings import Finding, Findings, Kind, StoredEvent
from domain.audit.head import Head, leaf_of
from domain.audit.record import RecordWalk
from domain.chain import HASH_HEADER
from domain.merkle import Frontier

_CHANGES_THE_TREE = set(Kind) - {
    Kind.EDITED,  # the leaf is the hash that stands with the event
    Kind.MISFILED,
    Kind.BLOB,
    Kind.SIGNATURE,
    Kind.FOREIGN_KEY,
    Kind.HEADS,
}
"""Kinds that explain why the log's tree is not the one that was signed."""


class LogAudit:
    """Feed the events page by page in the order of the log, then `end`.

    `heads`: those whose signature holds, in any order. Signed leaf hashes are optional (`expect`): without them a
    re-chained forgery is found, but only known to lie between two heads.
    """

    def __init__(self, heads: Iterable[Head], findings: Findings, walk: ChainWalk | RecordWalk | None = None) -> None:
        self.findings = findings
        self.signed_events = 0  # as far as a head agrees with the log
        self._ahead = deque(sorted(heads, key=lambda head: head.size))
        self._furthest = self._ahead[-1] if self._ahead else None
        self._broken: list[Head] = []
        self._walk = walk or ChainWalk()
        self._alignment = Alignment()
        self._tree = Frontier()
        self._last_hash = ""
        self._log_id = ""

    @property
    def events(self) -> int:
        return self._tree.size

    @property
    def position(self) -> int:
        """Of the last event read."""
        return self._walk.position

    @property
    def sessions(self) -> int:
        return self._walk.sessions

    @property
    def wants_leaves(self) -> bool:
        """More signed leaves are needed before a page of `WINDOW` events."""
        return self._alignment.expecting < 3 * WINDOW

    def expect(self, leaves: Iterable[Leaf]) -> None:
        self._alignment.expect(leaves)

    def page(self, events: Sequence[StoredEvent]) -> None:
        """At most `WINDOW` events."""
        leaves = [leaf_of(event.headers) for event in events]
        for event, leaf in zip(events, leaves, strict=True):
            self.findings.add(self._alignment.compare(event, leaf))
            self.findings.add(self._walk.findings(event))
        if events and not self._tree.size:
            self._log_id = events[0].headers.get(HASH_HEADER, "")
        begin, done = self._tree.size, 0
        while self._ahead and self._ahead[0].size <= begin + len(events):
            head = self._ahead.popleft()
            self._grow(events, leaves, done, head.size - begin)
            done = head.size - begin
            self._compare(head)
        self._grow(events, leaves, done, len(events))

    def end(self, last_position: int) -> None:
        """`last_position`: how many events the log's leader has counted."""
        self.findings.add(self._walk.end())
        self.findings.add(self._alignment.end())
        if self.position < last_position:
            detail = f"the server has counted {last_position} events and holds none from here on"
            self.findings.add([Finding(Kind.CUT, detail, self.position + 1)])
        if self._furthest and last_position < self._furthest.size:
            self.findings.add([Finding(Kind.ROLLED_BACK, self._furthest.beyond(last_position))])
        if self._broken and not self.findings.counts.keys() & _CHANGES_THE_TREE:
            head = self._broken[0]
            detail = f"the events from here to {head.size} are not those signed at {head.time.isoformat()}"
            self.findings.add([Finding(Kind.FORGED, detail, self.signed_events + 1)])

    @property
    def unsigned_events(self) -> int:
        """How many events no head covers yet."""
        return max(0, self.events - (self._furthest.size if self._furthest else 0))

    def _grow(self, events: Sequence[StoredEvent], leaves: Sequence[bytes], start: int, stop: int) -> None:
        if start < stop:
            self._tree = self._tree.extended(leaves[start:stop])
            self._last_hash = events[stop - 1].headers.get(HASH_HEADER, "")

    def _compare(self, head: Head) -> None:
        """The tree is as large as the head says. A head that a later one contradicts is wrong, not the log."""
        if self._tree.root.hex() != head.root and head.size > self.signed_events:
            self._broken.append(head)
            return
        if self._tree.root.hex() != head.root:
            self._broken.append(head)  # beside another of the same size, which the log agrees with
        elif (head.last_hash, head.log_id) != (self._last_hash, self._log_id):
            detail = f"the head over {head.size} events names another first or last event than its own root covers"
            self.findings.add([Finding(Kind.HEADS, detail, head.size)])
        for other in self._broken:
            detail = (
                f"the head over {other.size} events contradicts the one over {head.size}, which the log agrees with"
            )
            self.findings.add([Finding(Kind.HEADS, detail, other.size)])
        self._broken.clear()
        self.signed_events = head.size
