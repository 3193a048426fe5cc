"""R61: what a third party accepts of a session that was handed over, and what it refuses, with nothing but a key."""

from __future__ import annotations

import base64
import copy
import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from domain.audit.head import Head, leaf_of
from domain.chain import (
    EVENT_HEADER,
    GENESIS,
    HASH_HEADER,
    PREVIOUS_HASH_HEADER,
    SESSION_HEADER,
    TOPIC_HEADER,
    VERSION_HEADER,
    event_hash,
)
from domain.events import FeedbackGiven, FeedbackGivenContent, FeedbackGivenFacts, SessionErased
from domain.merkle import Tree, leaf_hash
from domain.subjects import subject_of
from infra.audit import dsse
from infra.audit.bundle import PAYLOAD_TYPE, Anchor, BundledEvent, bundle
from infra.audit.bundle_check import check_bundle
from infra.audit.bundled_session import VerifiedBundle
from infra.audit.signed_heads import sign_head
from infra.audit.strict_json import Refused
from infra.event_log.keys import Key
from infra.event_log.mapper import Entry, SessionMapper
from infra.event_log.sealing import Slot, unseal

SESSION = UUID("0198c0de-0000-7000-8000-000000000001")
SIGNER = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
OTHER_SIGNER = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
KEY = Key(b"\x03" * 32)
POSITIONS = (3, 4, 7)
TEXTS = ("一", "二" * 40, "三")
LOG_SIZE = 9
BEFORE = 2  # the earlier head


@dataclass(frozen=True)
class OneKey:
    """A key store with this key for every session, or with none."""

    key: Key | None = KEY

    def create(self, _: UUID) -> Key:
        assert self.key
        return self.key

    def get(self, _: UUID) -> Key | None:
        return self.key

    def destroy(self, _: UUID) -> None: ...


def slot_of(event: BundledEvent) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(event.body)["content"]
    return found


def stored(*, seal: Any = "aes-256-gcm", blob: int | None = None) -> list[BundledEvent]:
    """Three ratings as they stand in a log, the content of one kept beside it, unless told, and the session erased."""
    mapper = SessionMapper(OneKey(), seal)
    events: list[BundledEvent] = []
    previous = GENESIS
    for version, (position, text) in enumerate(zip(POSITIONS, TEXTS, strict=True), start=1):
        rating = FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text=text))
        body, beside = mapper.to_stored_event(Entry(SESSION, version, rating)).state, None
        if version == blob:
            document = json.loads(body)
            beside = base64.b64decode(document["content"].pop("data"))
            document["content"] |= {"blob": hashlib.sha256(beside).hexdigest(), "chunks": 1}
            body = json.dumps(document).encode()
        headers = {SESSION_HEADER: str(SESSION), VERSION_HEADER: str(version), TOPIC_HEADER: "FeedbackGiven"}
        headers |= {EVENT_HEADER: f"event-{version}", PREVIOUS_HASH_HEADER: previous}
        previous = headers[HASH_HEADER] = event_hash(previous, body, headers)
        events.append(BundledEvent(version, position, subject_of(headers), headers, body, (), beside))
    return events


def opened(events: Sequence[BundledEvent], key: Key | None = KEY) -> list[BundledEvent]:
    found = []
    for event in events:
        slot = Slot.from_json(slot_of(event))
        whole = slot if event.blob is None else replace(slot, data=event.blob)
        content = unseal(whole, key, f"{SESSION}:{event.version}:FeedbackGiven")
        found.append(replace(event, content=content))
    return found


def anchored(events: Sequence[BundledEvent]) -> tuple[Anchor, list[BundledEvent]]:
    """A log of nine events that holds these at their positions, a head over it, and one from before them."""
    leaves = [leaf_hash(bytes([number])) for number in range(LOG_SIZE)]
    for event in events:
        leaves[event.position - 1] = leaf_of(event.headers)
    tree = Tree(leaves)
    head, earlier = head_over(tree, LOG_SIZE), head_over(tree, BEFORE)
    envelopes = [json.loads(sign_head(SIGNER, one)) for one in (head, earlier)]
    anchor = Anchor(head, *envelopes, consistency=tree.consistency_proof(BEFORE, LOG_SIZE))
    return anchor, [replace(one, inclusion=tree.inclusion_proof(one.position - 1, LOG_SIZE)) for one in events]


def head_over(tree: Tree, size: int) -> Head:
    return Head("a" * 64, size, tree.root(size).hex(), "b" * 64, datetime(2026, 7, 8, tzinfo=UTC))


def bundled(events: Sequence[BundledEvent], key: Key | None = KEY, signer: Ed25519PrivateKey = SIGNER) -> list[bytes]:
    anchor, placed = anchored(events)
    return bundle(signer, str(SESSION), anchor, key, placed)


def checked(lines: Sequence[bytes], signer: Ed25519PrivateKey = SIGNER) -> VerifiedBundle:
    return check_bundle(lines, signer.public_key())


GOOD = bundled(opened(stored(blob=2)))
"""Envelope, key, event 1, content 1, event 2, blob 2, content 2, event 3, content 3."""


# ---------------------------------------------------------------- what is accepted


def test_a_good_bundle_says_what_it_proves() -> None:
    """R61."""
    found = checked(GOOD)
    assert (found.session_id, found.events, found.opened, found.sealed, found.erased) == (str(SESSION), 3, 3, 0, False)
    assert (found.head.size, found.head.log_id) == (9, "a" * 64)
    assert [json.loads(line)["kind"] for line in GOOD[1:]] == [
        *("key", "event", "content", "event", "blob", "content", "event", "content")
    ]


def test_contents_may_stay_sealed() -> None:
    """R61, R62: as for an erased session, whose key is gone: the chain and its place in the log are proven all the
    same, and no text is in the file."""
    lines = bundled(stored(blob=2), key=None)
    found = checked(lines)
    assert (found.events, found.opened, found.sealed) == (3, 0, 3)
    assert "二" not in b"".join(lines).decode()


def test_contents_that_were_never_sealed_are_opened_without_a_key() -> None:
    """R61."""
    assert checked(bundled(opened(stored(seal="none"), None), key=None)).opened == 3


def test_an_erasure_among_the_events_is_told() -> None:
    """R61, R62."""
    events = stored()
    body = SessionMapper(OneKey(None), "none").to_stored_event(Entry(SESSION, 4, SessionErased())).state
    body = json.dumps(json.loads(body) | {"content": None}).encode()
    headers = {SESSION_HEADER: str(SESSION), VERSION_HEADER: "4", TOPIC_HEADER: "SessionErased"}
    headers[PREVIOUS_HASH_HEADER] = events[-1].headers[HASH_HEADER]
    headers[HASH_HEADER] = event_hash(events[-1].headers[HASH_HEADER], body, headers)
    erased = BundledEvent(4, 9, subject_of(headers), headers, body, ())
    found = checked(bundled([*events, erased], key=None))
    assert (found.events, found.sealed, found.erased) == (4, 3, True)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "line 1 is missing or cut short"),
        ([b"{}\n"], "the envelope does not hold exactly payload, payloadType, signatures"),
        ([b"\xff\n"], "the envelope is no JSON that has one meaning"),
        (GOOD[:-1], "line 9 is missing or cut short"),
        ([*GOOD[:-1], GOOD[-1][:-1]], "line 9 is missing or cut short"),
        ([*GOOD, b"{}\n"], "line 10 stands behind the last one that was signed"),
        ([*GOOD, b"\n"], "line 10 stands behind the last one that was signed"),
        ([GOOD[0], GOOD[2], GOOD[1], *GOOD[3:]], "line 2 is not the one that was signed"),
        ([GOOD[0][:-2] + b', "payload": ""}\n', *GOOD[1:]], "a key stands there twice"),
        ([GOOD[0][:-2] + b', "more": 1}\n', *GOOD[1:]], "the envelope does not hold exactly"),
    ],
)
def test_lines_that_are_not_those_that_were_signed_are_refused(lines: list[bytes], reason: str) -> None:
    """R61: nothing missing, nothing extra, nothing with two meanings; the line is named."""
    with pytest.raises(Refused, match=reason):
        checked(lines)


def test_another_signer_is_refused() -> None:
    """R61: the envelope's key id must be the fingerprint of the key that is trusted; a head of another's likewise."""
    with pytest.raises(Refused, match="the envelope: signed by key"):
        checked(GOOD, OTHER_SIGNER)
    with pytest.raises(Refused, match="the head: signed by key"):
        checked(bundled(stored(), None, OTHER_SIGNER), OTHER_SIGNER)
    renamed = json.loads(GOOD[0])
    renamed["signatures"][0]["keyid"] = dsse.fingerprint(OTHER_SIGNER.public_key())
    with pytest.raises(Refused, match="the envelope: signed by key"):
        checked([json.dumps(renamed).encode() + b"\n", *GOOD[1:]])


def test_base64_in_another_spelling_is_refused() -> None:
    """R61: unused bits of its last character would change unnoticed."""
    envelope = json.loads(GOOD[0])
    signature = envelope["signatures"][0]["sig"]
    assert signature.endswith("==")
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = last[last.index(signature[-3]) ^ 1]
    envelope["signatures"][0]["sig"] = signature[:-3] + other + "=="
    assert base64.b64decode(envelope["signatures"][0]["sig"]) == base64.b64decode(signature)
    with pytest.raises(Refused, match="not canonical base64"):
        checked([json.dumps(envelope).encode() + b"\n", *GOOD[1:]])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside a JSON document."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


def edit(value: Any, data: st.DataObject) -> Any:
    """Another value of the same kind, or of another."""
    other = data.draw(st.sampled_from([None, 0, 1, True, "", "a", [], {}]))
    match value:
        case str() if value and data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(value) - 1))
            return value[:at] + data.draw(st.sampled_from("aZ0=/\n")) + value[at + data.draw(st.integers(0, 1)) :]
        case int() if data.draw(st.booleans()):
            return value + data.draw(st.sampled_from([-1, 1, 0.0]))
        case list() if value and data.draw(st.booleans()):
            return data.draw(st.sampled_from([value[1:], value[:-1], value[::-1], [*value, value[-1]]]))
        case dict() if value and data.draw(st.booleans()):
            name = data.draw(st.sampled_from(sorted(value)))
            kept = {key: inner for key, inner in value.items() if key != name}
            return data.draw(st.sampled_from([kept, value | {"more": 1}, kept | {name.upper(): value[name]}]))
        case _:
            return other


def edited(document: Any, data: st.DataObject) -> Any:
    """The document with one value changed."""
    changed = copy.deepcopy(document)
    *way, last = data.draw(st.sampled_from(list(places(changed))))
    inner = changed
    for step in way:
        inner = inner[step]
    inner[last] = edit(inner[last], data)
    assume(json.dumps(changed, sort_keys=True) != json.dumps(document, sort_keys=True))
    return changed


def dumped(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_value_of_the_file_can_be_changed(data: st.DataObject) -> None:
    """R61: in any line, or in the statement, the head and the bodies that are written in base64 there."""
    lines = list(GOOD)
    number = data.draw(st.integers(0, len(lines) - 1))
    document = json.loads(lines[number])
    inside = data.draw(st.sampled_from([name for name in ("payload", "body") if name in document] + [None]))
    if inside is None:
        changed = edited(document, data)
    else:
        within = edited(json.loads(base64.b64decode(document[inside])), data)
        changed = document | {inside: base64.b64encode(dumped(within)).decode()}
    lines[number] = dumped(changed) + b"\n"
    with pytest.raises(Refused):
        checked(lines)


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_no_byte_of_the_file_can_be_changed_added_or_left_out(data: st.DataObject) -> None:
    """R61: also where it would change no value: blanks, escapes, line ends, a mark at the beginning."""
    whole = b"".join(GOOD)
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, min(begin + 3, len(whole))))
    put = data.draw(
        st.one_of(st.binary(max_size=3), st.sampled_from([b" ", b"\r", b"\n", b"\t", b"\xef\xbb\xbf", b"{}\n"]))
    )
    changed = whole[:begin] + put + whole[end:]
    assume(changed != whole)
    with pytest.raises(Refused):
        checked(io.BytesIO(changed).readlines())


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b'{"payload":', b'{ "payload":', 1),
        lambda text: text.replace(b'"payloadType"', b'"payload\\u0054ype"', 1),
        lambda text: text.replace(b'{"payload":', b'{"payload":"","payload":', 1),
        lambda text: text.replace(b"\n", b"\r\n", 1),
        lambda text: text + b"\n",
        lambda text: text + b" ",
        lambda text: text + text,
        lambda text: text.splitlines(keepends=True)[0] + text,
        lambda text: text.decode().encode("utf-16"),
    ],
    ids=[
        "mark",
        "blank",
        "escape",
        "key twice",
        "line end",
        "empty line",
        "blank behind",
        "twice",
        "envelope twice",
        "16",
    ],
)
def test_another_spelling_is_refused(change: Callable[[bytes], bytes]) -> None:
    """R61."""
    with pytest.raises(Refused):
        checked(io.BytesIO(change(b"".join(GOOD))).readlines())


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_nor_by_one_who_signs_it_again(data: st.DataObject) -> None:
    """R60, R61: the holder of the signing key cannot make up a session that stands in no log either: with digests and
    signature made anew, chain, head and seal still contradict."""
    statement = json.loads(base64.b64decode(json.loads(GOOD[0])["payload"]))
    lines = [json.loads(line) for line in GOOD[1:]]
    if data.draw(st.booleans()):
        statement = edited(statement, data)
    else:
        number = data.draw(st.integers(0, len(lines) - 1))
        lines[number] = edited(lines[number], data)
        digest = hashlib.sha256(dumped(lines[number])).hexdigest()
        statement["subject"][number + 1]["digest"]["sha256"] = digest
    envelope = dsse.sign(SIGNER, PAYLOAD_TYPE, dumped(statement))
    with pytest.raises(Refused):
        checked([dumped(envelope) + b"\n", *(dumped(line) + b"\n" for line in lines)])


def test_a_text_that_is_no_unicode_is_refused() -> None:
    """R61: half of a surrogate pair has no bytes that could be hashed."""
    statement = json.loads(base64.b64decode(json.loads(GOOD[0])["payload"]))
    lines = [json.loads(line) for line in GOOD[1:]]
    number = next(n for n, line in enumerate(lines) if line["kind"] == "event")
    lines[number]["headers"]["Assay-Actor"] = "\ud800"
    written = [json.dumps(line).encode() for line in lines]
    for one, line in zip(statement["subject"][1:], written, strict=True):
        one["digest"]["sha256"] = hashlib.sha256(line).hexdigest()
    envelope = dsse.sign(SIGNER, PAYLOAD_TYPE, dumped(statement))

    with pytest.raises(Refused, match="no Unicode"):
        checked([dumped(envelope) + b"\n", *(line + b"\n" for line in written)])


def remade(change: Callable[[list[BundledEvent]], list[BundledEvent]]) -> list[bytes]:
    """A bundle of changed events whose proofs are those of the log as it was."""
    anchor, placed = anchored(opened(stored(blob=2)))
    return bundle(SIGNER, str(SESSION), anchor, KEY, change(placed))


def in_partition(number: int, event: BundledEvent) -> BundledEvent:
    _, _, own, place = event.subject.split(".", 3)
    assert int(own) != number
    return replace(event, subject=f"assay.event.{number}.{place}")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda events: events[1:], "event/2 is not what should stand there"),
        (lambda events: [events[0], replace(events[1], blob=None), events[2]], "content/2 is not what should stand"),
        (lambda events: [events[0], replace(events[1], blob=b"x"), events[2]], "blob/2 is not the content that"),
        (lambda events: [replace(events[0], content=None), *events[1:]], "event/1: its opened content is missing"),
        (lambda events: [replace(events[0], content=b'{"text":"x"}'), *events[1:]], "content/1 is not what was sealed"),
        (lambda events: [replace(events[0], body=events[0].body + b" "), *events[1:]], "event/1 was altered"),
        (lambda events: [replace(events[0], position=2), *events[1:]], "event/1 is not in the log that the head signs"),
        (lambda events: [replace(events[0], inclusion=()), *events[1:]], "event/1 is not in the log"),
        (lambda events: [replace(events[0], subject="assay.event.5.x.1.y"), *events[1:]], "event/1 stands under a sub"),
        (
            lambda events: [*events[:2], in_partition(7, events[2])],
            "event/3 stands under a subject that is not its own",
        ),
    ],
)
def test_what_is_wrong_is_named(change: Callable[[list[BundledEvent]], list[BundledEvent]], reason: str) -> None:
    """R61, R75."""
    with pytest.raises(Refused, match=reason):
        checked(remade(change))


def test_a_forgery_with_a_chain_of_its_own_is_not_in_the_log() -> None:
    """R60, R61."""
    anchor, placed = anchored(stored())
    forged = [replace(one, inclusion=real.inclusion) for one, real in zip(stored(seal="none"), placed, strict=True)]
    with pytest.raises(Refused, match="event/1 is not in the log that the head signs"):
        checked(bundle(SIGNER, str(SESSION), anchor, None, forged))


def test_a_head_that_does_not_continue_the_earlier_one_is_refused() -> None:
    """R60, R61."""
    anchor, placed = anchored(stored())
    with pytest.raises(Refused, match="the head does not continue the earlier head"):
        checked(bundle(SIGNER, str(SESSION), replace(anchor, consistency=()), None, placed))
    with pytest.raises(Refused, match="there is a consistency proof, but no earlier head"):
        checked(bundle(SIGNER, str(SESSION), replace(anchor, earlier=None), None, placed))


def test_verification_needs_the_standard_library_and_cryptography_alone() -> None:
    """R61: a third party installs nothing else."""
    program = """
import sys
from handlers.cli import main
assert main(["bundle", "verify", "/dev/null", "--key", "/dev/null"]) == 2
import infra.audit.bundle_check
loaded = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
print(sorted(name for name in loaded if not name.startswith("_")))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "['cryptography', 'domain', 'handlers', 'infra']\n"
