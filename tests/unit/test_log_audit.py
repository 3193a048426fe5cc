"""R60: what was done to a log is told by kind and place, from its chains, its heads and the signed leaf hashes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from domain.audit.alignment import WINDOW, Leaf
from domain.audit.chain_walk import ChainWalk
from domain.audit.findings import Finding, Findings, Kind
from domain.audit.head import Head, leaf_of
from domain.audit.log_audit import LogAudit
from domain.chain import (
    GENESIS,
    HASH_HEADER,
    PREVIOUS_HASH_HEADER,
    SESSION_HEADER,
    TIME_HEADER,
    TOPIC_HEADER,
    VERSION_HEADER,
    event_hash,
)
from domain.merkle import Frontier
from domain.subjects import partition_of

BEFORE = datetime(2026, 7, 8, 3, 0, tzinfo=UTC)
SIGNED = BEFORE + timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Event:
    originator: str
    version: int
    type: str
    position: int
    headers: dict[str, str]
    body: bytes
    partition: int | None = None  # another one than its session's own
    isolated: bool = False

    @property
    def subject(self) -> str:
        partition = partition_of(self.originator) if self.partition is None else self.partition
        return f"assay.event.{partition}.{self.originator}.{self.version}.{self.type}"

    @property
    def hash(self) -> str:
        return self.headers[HASH_HEADER]


def written(session: str, version: int, previous: str, position: int, body: bytes, time: datetime = BEFORE) -> Event:
    headers = {
        SESSION_HEADER: session,
        VERSION_HEADER: str(version),
        TOPIC_HEADER: "Noted",
        TIME_HEADER: time.isoformat(),
        PREVIOUS_HASH_HEADER: previous,
    }
    return Event(
        session, version, "Noted", position, headers | {HASH_HEADER: event_hash(previous, body, headers)}, body
    )


def log_of(sessions: str, time: datetime = BEFORE) -> list[Event]:
    """`"aabab"`: the first event is of session a, the second too, the third of b, …"""
    last: dict[str, Event] = {}
    events = []
    for position, session in enumerate(sessions, start=1):
        before = last.get(session)
        version, previous = (before.version + 1, before.hash) if before else (1, GENESIS)
        last[session] = written(session, version, previous, position, b"%d" % position, time)
        events.append(last[session])
    return events


def head_over(events: Sequence[Event], time: datetime = SIGNED) -> Head:
    root = Frontier().extended(leaf_of(event.headers) for event in events).root.hex()
    return Head(events[0].hash, len(events), root, events[-1].hash, time)


def renumbered(events: Sequence[Event]) -> list[Event]:
    """In a stream that was made anew."""
    return [replace(event, position=position) for position, event in enumerate(events, start=1)]


def audited(
    events: Sequence[Event],
    heads: Sequence[Head] = (),
    *,
    signed: Sequence[Event] = (),
    last_position: int | None = None,
) -> LogAudit:
    """`signed`: events whose leaf hashes are kept."""
    audit = LogAudit(heads, Findings())
    audit.expect(Leaf(leaf_of(event.headers), event.position, SIGNED) for event in signed)
    for start in range(0, len(events), WINDOW):
        audit.page(events[start : start + WINDOW])
    audit.end(events[-1].position if last_position is None else last_position)
    return audit


def told(audit: LogAudit) -> list[tuple[Kind, int | None, str | None, int | None]]:
    found = audit.findings.first
    return [(one.kind, one.position, one.session_id, one.version) for one in found]


LOG = log_of("aabbaabcba")
HEADS = [head_over(LOG[:4]), head_over(LOG[:7])]


def test_a_sound_log_has_no_finding_and_says_what_is_not_signed_yet() -> None:
    audit = audited(LOG, HEADS, signed=LOG[:7])
    assert (told(audit), audit.events, audit.sessions) == ([], 10, 3)
    assert (audit.signed_events, audit.unsigned_events) == (7, 3)


def test_a_log_without_heads_is_wholly_unsigned() -> None:
    audit = audited(LOG)
    assert (told(audit), audit.signed_events, audit.unsigned_events) == ([], 0, 10)


@pytest.mark.parametrize("position", range(1, len(LOG) + 1))
def test_an_event_under_another_partition_is_named_at_every_position(position: int) -> None:
    """R75: no hash of it is another."""
    event = LOG[position - 1]
    moved = [replace(one, partition=(partition_of(one.originator) + 1) % 8) if one is event else one for one in LOG]
    assert told(audited(moved, HEADS, signed=LOG[:7])) == [(Kind.MISFILED, position, event.originator, event.version)]


def test_an_edited_body_is_named_where_it_stands() -> None:
    edited = replace(LOG[2], body=b"X")
    assert told(audited([*LOG[:2], edited, *LOG[3:]], HEADS, signed=LOG[:7])) == [(Kind.EDITED, 3, "b", 1)]


def test_an_edited_header_is_named_by_its_name_where_its_subject_knows_it() -> None:
    edited = replace(LOG[4], headers={**LOG[4].headers, VERSION_HEADER: "7"})
    audit = audited([*LOG[:4], edited, *LOG[5:]], HEADS, signed=LOG[:7])
    assert told(audit) == [(Kind.EDITED, 5, "a", 3)]
    assert "Assay-Version" in audit.findings.first[0].detail


def test_an_edit_with_its_own_hash_renewed_is_named_even_without_heads() -> None:
    forged = written("a", 2, LOG[0].hash, 2, b"X")
    assert told(audited([LOG[0], forged, *LOG[2:]])) == [(Kind.EDITED, 2, "a", 2)]


def rechained(log: Sequence[Event], at: int) -> list[Event]:
    """The event at a position replaced, and its session's later ones chained anew."""
    forged = list(log)
    last = written(log[at - 1].originator, log[at - 1].version, log[at - 1].headers[PREVIOUS_HASH_HEADER], at, b"X")
    forged[at - 1] = last
    for index in range(at, len(log)):
        if log[index].originator == last.originator:
            last = written(last.originator, last.version + 1, last.hash, index + 1, log[index].body)
            forged[index] = last
    return forged


def test_a_rechained_forgery_is_named_by_the_signed_leaf_hashes() -> None:
    assert told(audited(rechained(LOG, 2), HEADS, signed=LOG[:7])) == [(Kind.FORGED, 2, "a", 2)]


def test_a_rechained_forgery_without_leaf_hashes_lies_between_two_heads() -> None:
    audit = audited(rechained(LOG, 6), HEADS)
    assert told(audit) == [(Kind.FORGED, 5, None, None)]
    assert "the events from here to 7 are not those signed" in audit.findings.first[0].detail


def test_a_forgery_behind_the_last_head_cannot_be_known() -> None:
    audit = audited(rechained(LOG, 9), HEADS, signed=LOG[:7])
    assert (told(audit), audit.unsigned_events) == ([], 3)


def test_a_hole_is_named_and_so_is_the_version_that_is_lost() -> None:
    audit = audited([*LOG[:4], *LOG[5:]], HEADS, signed=LOG[:7])
    assert told(audit) == [(Kind.MISSING, 5, None, None), (Kind.MISSING, 6, "a", 3)]


def test_an_event_left_out_of_a_stream_made_anew_is_named() -> None:
    audit = audited(renumbered([*LOG[:4], *LOG[5:]]), HEADS, signed=LOG[:7])
    assert told(audit) == [(Kind.MISSING, 5, "a", 3), (Kind.MISSING, 5, None, None)]


def test_an_inserted_event_is_named() -> None:
    put = written("stranger", 1, GENESIS, 4, b"X")
    audit = audited(renumbered([*LOG[:3], put, *LOG[3:]]), HEADS, signed=LOG[:7])
    assert told(audit) == [(Kind.INSERTED, 4, "stranger", 1)]


def test_a_version_that_stands_twice_is_named_even_without_heads() -> None:
    again = replace(LOG[1], position=11)
    assert told(audited([*LOG, again])) == [(Kind.INSERTED, 11, "a", 2)]


def test_a_swapped_order_within_a_session_is_named_even_without_heads() -> None:
    swapped = renumbered([*LOG[:4], LOG[5], LOG[4], *LOG[6:]])
    assert told(audited(swapped)) == [(Kind.SWAPPED, 6, "a", 3)]
    assert told(audited(swapped, HEADS, signed=LOG[:7]))[0][0] is Kind.SWAPPED


def test_a_swapped_order_of_two_sessions_is_named_by_the_leaf_hashes() -> None:
    swapped = renumbered([LOG[0], LOG[2], LOG[1], *LOG[3:]])
    audit = audited(swapped, HEADS, signed=LOG[:7])
    assert told(audit) == [(Kind.SWAPPED, 2, "b", 1)]
    assert audit.findings.first[0].detail == "was signed at position 3"


def test_a_cut_tail_is_named_where_the_server_has_counted_further() -> None:
    assert told(audited(LOG[:6], HEADS, signed=LOG[:7], last_position=7)) == [(Kind.CUT, 7, None, None)]


def test_a_rolled_back_log_ends_before_its_head() -> None:
    audit = audited(LOG[:5], HEADS, signed=LOG[:7])
    assert told(audit) == [(Kind.ROLLED_BACK, None, None, None)]
    assert audit.findings.first[0].detail == (
        "the log ends at position 5, but a head over 7 events was signed at 2026-07-08T03:01:00+00:00"
    )


def test_a_sequence_used_again_is_told_from_a_forgery_by_its_time() -> None:
    later = SIGNED + timedelta(hours=1)
    anew = [written(session, 1, GENESIS, at, b"", later) for at, session in enumerate("def", start=5)]
    audit = audited([*LOG[:4], *anew], HEADS, signed=LOG[:7])
    assert told(audit) == [(Kind.REUSED, 5, "d", 1), (Kind.REUSED, 6, "e", 1), (Kind.REUSED, 7, "f", 1)]


def test_an_event_under_another_subject_is_named() -> None:
    moved = replace(LOG[2], type="Settled")
    assert told(audited([*LOG[:2], moved, *LOG[3:]])) == [(Kind.MISFILED, 3, "b", 1)]


def test_a_head_that_a_later_one_contradicts_is_to_blame_and_not_the_log() -> None:
    wrong = replace(HEADS[0], root="0" * 64)
    assert told(audited(LOG, [wrong, HEADS[1]])) == [(Kind.HEADS, 4, None, None)]
    assert told(audited(LOG, [HEADS[0], wrong, HEADS[1]])) == [(Kind.HEADS, 4, None, None)]
    assert told(audited(LOG, [replace(HEADS[1], log_id="0" * 64)])) == [(Kind.HEADS, 7, None, None)]


def test_another_log_is_not_the_one_that_was_signed() -> None:
    assert told(audited(log_of("xyzxyzxyz"), HEADS)) == [(Kind.FORGED, 1, None, None)]


def test_a_log_that_was_wholly_replaced_is_told_in_few_words() -> None:
    """R60: memory and output stay bounded, whatever was done."""
    long = log_of("abcdefghij" * 200)
    other = [written("z", n, GENESIS if n == 1 else "0" * 64, n, b"") for n in range(1, 2_001)]
    audit = audited(other, [head_over(long)], signed=long)
    assert len(audit.findings.first) == 100
    assert audit.findings.counts[Kind.EDITED] == 1_999


def test_events_are_named_in_a_long_log_too() -> None:
    """Windows of the alignment: an event taken out here, one forged there, and one put in."""
    log = log_of("abcdefghij" * 200)
    put = written("stranger", 1, GENESIS, 0, b"")
    changed = rechained(log, 1_000)
    changed = renumbered([*changed[:300], *changed[301:1_500], put, *changed[1_500:]])
    audit = audited(changed, [head_over(log)], signed=log)
    assert set(told(audit)) == {
        (Kind.MISSING, 301, None, None),
        (Kind.MISSING, 310, "a", 31),
        (Kind.FORGED, 999, "j", 100),
        (Kind.INSERTED, 1_500, "stranger", 1),
    }


def test_events_with_nothing_of_an_event_are_found_and_no_crash() -> None:
    empty = Event("", 0, "", 1, {}, b"")
    number = replace(empty, position=2, headers={VERSION_HEADER: "9" * 5_000, TIME_HEADER: "then", HASH_HEADER: "结"})
    kinds = {kind for kind, *_ in told(audited([empty, number], HEADS, signed=LOG[:7]))}
    assert Kind.EDITED in kinds


def test_a_walk_goes_on_from_where_another_stopped() -> None:
    """The head writer's: what lies behind it was walked before."""

    def found(events: Sequence[Event]) -> list[Finding]:
        walk = ChainWalk(after=4)
        return [finding for event in events for finding in walk.findings(event)]

    assert found(LOG[4:]) == []
    assert [one.kind for one in found([LOG[4], replace(LOG[5], body=b"X")])] == [Kind.EDITED]
    assert [one.kind for one in found(LOG[5:])] == [Kind.MISSING]


def spoiled(change: Callable[[dict[str, object]], object]) -> bytes:
    document = json.loads(HEADS[0].payload())
    change(document)
    return json.dumps(document).encode()


def test_a_head_is_read_back_as_it_was_written() -> None:
    assert Head.from_payload(HEADS[0].payload()) == HEADS[0]


@pytest.mark.parametrize(
    "payload",
    [
        b"[]",
        b"{}",
        b"\xff",
        spoiled(lambda head: head.update(size="7")),
        spoiled(lambda head: head.update(size=True)),
        spoiled(lambda head: head.update(size=0)),
        spoiled(lambda head: head.update(root_hash="7")),
        spoiled(lambda head: head.update(time="2026-07-08T03:00:00")),
        spoiled(lambda head: head.pop("log_id")),
    ],
)
def test_what_is_no_head_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"head|decode|isoformat"):
        Head.from_payload(payload)
