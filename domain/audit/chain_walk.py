"""All hash chains of a log at once, event by event in the order of the log (R60)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from domain.audit.findings import Finding, Kind, StoredEvent
from domain.chain import (
    GENESIS,
    HASH_HEADER,
    PREVIOUS_HASH_HEADER,
    SESSION_HEADER,
    TOPIC_HEADER,
    VERSION_HEADER,
    event_hash,
)
from domain.subjects import subject_of


class _Gap(NamedTuple):
    """Versions `first` to `after - 1` of a session had not come when `after` came, at the position `noticed`."""

    first: int
    after: int
    noticed: int


class ChainWalk:
    """Remembers of each session its last event's version, hash and position, and nothing else of a sound log.

    `after`: the position that the walk goes on from. Behind one, a session that is met in its middle is taken as it
    comes: its beginning was walked before.
    """

    def __init__(self, after: int = 0) -> None:
        self.position = after
        self._resumed = after > 0
        self._last: dict[str, tuple[int, str, int]] = {}
        self._suspect: set[str] = set()  # sessions whose last event is not to be trusted: its successor is not to blame
        self._gaps: dict[str, list[_Gap]] = {}  # of a session, by version

    @property
    def sessions(self) -> int:
        """How many sessions are remembered."""
        return len(self._last)

    def findings(self, event: StoredEvent) -> Iterator[Finding]:
        """What is wrong with the next event of the log, or between it and the one before."""
        yield from self._holes(event.position)
        self.position = event.position
        if event.isolated:
            return
        headers = event.headers
        own = headers.get(HASH_HEADER, "")
        if own != event_hash(headers.get(PREVIOUS_HASH_HEADER, ""), event.body, headers):
            yield _found(Kind.EDITED, _edit(event), event.position, event.originator, event.version)
            self._suspect.add(event.originator)
            yield from self._placed(event, event.originator, event.version, own)
            self._suspect.add(event.originator)
            return
        session_id, version = headers.get(SESSION_HEADER, ""), _number(headers.get(VERSION_HEADER, ""))
        if event.subject != (own_subject := subject_of(headers)):
            detail = f"stands under {event.subject}, not under {own_subject}"
            yield _found(Kind.MISFILED, detail, event.position, session_id, version)
        yield from self._placed(event, session_id, version, own)

    def end(self) -> Iterator[Finding]:
        """What the whole log shows: versions that never came."""
        for session_id, gaps in self._gaps.items():
            for gap in gaps:
                lost = (
                    f"version {gap.first}" if gap.first + 1 == gap.after else f"versions {gap.first} to {gap.after - 1}"
                )
                detail = f"{lost} of the session nowhere in the log"
                yield _found(Kind.MISSING, detail, gap.noticed, session_id, gap.first)

    def _holes(self, position: int) -> Iterator[Finding]:
        first, last = self.position + 1, position - 1
        if first == last:
            yield _found(Kind.MISSING, "the log holds nothing at this position", first)
        elif first < last:
            yield _found(Kind.MISSING, f"the log holds nothing at positions {first} to {last}", first)

    def _placed(self, event: StoredEvent, session_id: str, version: int, own: str) -> Iterator[Finding]:
        """Where the event stands in its session."""
        previous = event.headers.get(PREVIOUS_HASH_HEADER, "")
        started = (version - 1, previous, 0) if self._resumed and version > 1 else (0, GENESIS, event.position)
        last_version, last_hash, last_position = self._last.get(session_id, started)
        if version <= last_version:
            yield self._late(event.position, session_id, version)
            return
        if version > last_version + 1:
            self._gaps.setdefault(session_id, []).append(_Gap(last_version + 1, version, event.position))
        elif previous != last_hash and session_id not in self._suspect:
            yield _unlinked(last_position, session_id, version)
        self._last[session_id] = (version, own, event.position)
        self._suspect.discard(session_id)

    def _late(self, position: int, session_id: str, version: int) -> Finding:
        gaps = self._gaps.get(session_id, [])
        at = bisect_right(gaps, version, key=attrgetter("first")) - 1
        if at >= 0 and version < gaps[at].after:
            gap = gaps[at]
            left = (gap._replace(after=version), gap._replace(first=version + 1))
            gaps[at : at + 1] = [part for part in left if part.first < part.after]
            detail = f"version {version} stands behind version {gap.after}"
            return _found(Kind.SWAPPED, detail, position, session_id, version)
        self._suspect.add(session_id)
        detail = f"version {version} of the session stands in the log a second time"
        return _found(Kind.INSERTED, detail, position, session_id, version)


def _found(
    kind: Kind, detail: str, position: int, session_id: str | None = None, version: int | None = None
) -> Finding:
    return Finding(kind, detail, position, session_id, version)


def _unlinked(position: int, session_id: str, version: int) -> Finding:
    """`position`: of the version before, which was hashed anew if it was edited."""
    if version == 1:
        return _found(Kind.EDITED, "the session's first event continues another one", position, session_id, version)
    detail = f"version {version} does not continue it: one of the two was replaced"
    return _found(Kind.EDITED, detail, position, session_id, version - 1)


def _edit(event: StoredEvent) -> str:
    """A header that its subject still knows is named; else body and headers share one hash, and either may be it."""
    known = {SESSION_HEADER: event.originator, VERSION_HEADER: str(event.version), TOPIC_HEADER: event.type}
    edited = [name for name, value in known.items() if event.headers.get(name) != value]
    if edited:
        return f"its header {edited[0]} is not what was recorded"
    return "its body or a header is not what was recorded"


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
