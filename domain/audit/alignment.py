"""The log held against the leaf hashes that were signed, kept in step across what was put in or taken out (R60)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from itertools import islice

from domain.audit.findings import Finding, Kind, StoredEvent
from domain.chain import SESSION_HEADER, TIME_HEADER, VERSION_HEADER

WINDOW = 256
"""Events compared at once where the log is out of step: what was moved further is told as missing and inserted."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A signed leaf hash: its position in the log, and when that was signed at the latest."""

    hash: bytes
    position: int
    signed: datetime


@dataclass(frozen=True, slots=True)
class _Held:
    """What is remembered of an event that is out of step."""

    hash: bytes
    position: int
    session_id: str | None
    version: int | None
    time: datetime | None

    def found(self, kind: Kind, detail: str) -> Finding:
        return Finding(kind, detail, self.position, self.session_id, self.version)


class Alignment:
    """Feed signed leaves (`expect`) and events (`compare`) in order, twice `WINDOW` leaves ahead of the events as long
    as there are any; then `end`."""

    def __init__(self) -> None:
        self._expected: deque[Leaf] = deque()
        self._held: list[_Held] = []

    @property
    def expecting(self) -> int:
        """How many leaves wait for their events."""
        return len(self._expected)

    def expect(self, leaves: Iterable[Leaf]) -> None:
        self._expected.extend(leaves)

    def compare(self, event: StoredEvent, leaf: bytes) -> Iterator[Finding]:
        """What is found by now; an event out of step is held until it can be said what became of it."""
        if not self._held:
            if not self._expected:
                return  # behind the last head
            if self._expected[0].hash == leaf:
                self._expected.popleft()
                return
        self._held.append(_held(event, leaf))
        if len(self._held) >= WINDOW:
            yield from self._explained()

    def end(self) -> Iterator[Finding]:
        """What is left to say at the end of the log. Leaves behind it are not named: the log is then shorter than its
        heads, which is told of those."""
        while self._held:
            yield from self._explained()

    def _explained(self) -> Iterator[Finding]:
        """Explain the events held, up to where log and leaves are in step again; all of them if they nowhere are."""
        held, expected = self._held, list(islice(self._expected, 2 * WINDOW))
        matcher = SequenceMatcher(None, [one.hash for one in expected], [one.hash for one in held], autojunk=False)
        *blocks, _ = matcher.get_matching_blocks()
        if blocks:
            last_leaf, last_event, size = blocks[-1]
            expected, held = expected[: last_leaf + size], held[: last_event + size]
        else:
            expected = expected[: len(held)]
        self._held = self._held[len(held) :]
        for _ in expected:
            self._expected.popleft()
        yield from _differences(expected, held, _unmatched(blocks, len(expected), len(held)))


def _unmatched(blocks: Sequence[tuple[int, int, int]], leaves: int, events: int) -> Iterator[tuple[slice, slice]]:
    """The stretches of leaves and of events between those that match."""
    leaf = event = 0
    for at_leaf, at_event, size in [*blocks, (leaves, events, 0)]:
        yield slice(leaf, at_leaf), slice(event, at_event)
        leaf, event = at_leaf + size, at_event + size


def _differences(
    leaves: Sequence[Leaf], events: Sequence[_Held], stretches: Iterable[tuple[slice, slice]]
) -> Iterator[Finding]:
    stretches = list(stretches)
    lost = {leaf.hash: leaf for ours, _ in stretches for leaf in leaves[ours]}
    put = {event.hash for _, theirs in stretches for event in events[theirs]}
    for ours, theirs in stretches:
        missing = [leaf for leaf in leaves[ours] if leaf.hash not in put]
        for event in events[theirs]:
            if leaf := lost.get(event.hash):
                yield event.found(Kind.SWAPPED, f"was signed at position {leaf.position}")
            elif missing:
                yield _replaced(event, missing.pop(0))
            elif leaves:
                yield event.found(Kind.INSERTED, "no event was signed here")
        for leaf in missing:
            yield Finding(Kind.MISSING, "the event that was signed at this position is not in the log", leaf.position)


def _replaced(event: _Held, leaf: Leaf) -> Finding:
    """An event where another was signed: written there after that, or made to look as if it had always been there."""
    if event.time and event.time > leaf.signed:
        detail = f"recorded at {event.time.isoformat()}, after the event at position {leaf.position} had been signed"
        return event.found(Kind.REUSED, detail)
    return event.found(Kind.FORGED, f"not the event that was signed at position {leaf.position}")


def _held(event: StoredEvent, leaf: bytes) -> _Held:
    headers = event.headers
    session_id, version = headers.get(SESSION_HEADER), headers.get(VERSION_HEADER, "")
    number = int(version) if version.isascii() and version.isdigit() and len(version) < 10 else None
    return _Held(leaf, event.position, session_id, number, _time(headers.get(TIME_HEADER, "")))


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else None
