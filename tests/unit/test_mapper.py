"""R50, R62: the stored form of events: readable for ever, sealed, bound to its place, erasable."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from domain.events import (
    ERASED,
    EVENTS,
    FeedbackGiven,
    FeedbackGivenContent,
    FeedbackGivenFacts,
    SessionErased,
    SessionOpened,
    SessionOpenedContent,
    Source,
)
from infra.event_log.errors import ContentErased, Unreadable
from infra.event_log.keys import Key
from infra.event_log.mapper import Entry, SessionMapper, StoredEntry
from infra.event_log.sealing import Slot

SESSION = UUID("0198c0de-0000-7000-8000-000000000001")
OTHER = UUID("0198c0de-0000-7000-8000-000000000002")
GOLDEN: list[dict[str, Any]] = json.loads((Path(__file__).parent / "golden_events.json").read_text())
FEEDBACK = FeedbackGiven(
    facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text="日志来自演练环境")
)


class KeysInMemory:
    def __init__(self, *sessions: UUID) -> None:
        self.keys = {session: Key(bytes([number]) * 32) for number, session in enumerate(sessions)}

    def create(self, session_id: UUID) -> Key:
        return self.keys.setdefault(session_id, Key(b"\xff" * 32))

    def get(self, session_id: UUID) -> Key | None:
        return self.keys.get(session_id)

    def destroy(self, session_id: UUID) -> None:
        self.keys.pop(session_id, None)


def sealing(*sessions: UUID) -> SessionMapper:
    return SessionMapper(KeysInMemory(*sessions), "aes-256-gcm")


def stored(parts: dict[str, Any]) -> StoredEntry:
    """A golden entry as it stands in a log that does not seal."""
    data = base64.b64encode(json.dumps(parts["content"]).encode()).decode()
    slot = None if parts["content"] is None else {"alg": "none", "kid": "", "nonce": "", "data": data}
    state = json.dumps({"facts": parts["facts"], "content": slot}).encode()
    return StoredEntry(SESSION, 1, parts["topic"], state, parts["schema_version"])


def spelled(parts: Any) -> str:
    """As JSON text, where 1 and 1.0 differ."""
    return json.dumps(parts, sort_keys=True)


def test_the_golden_file_knows_every_version_of_every_event() -> None:
    """R50: a new version is added to the file, an old one is never taken out."""
    known = {(parts["topic"], parts["schema_version"]) for parts in GOLDEN}

    assert known == {(topic, version) for topic, cls in EVENTS.items() for version in range(1, cls.VERSION + 1)}


def empty(value: Any, path: str) -> Iterator[str]:
    """Where nothing stands in a golden event."""
    if value in (None, "", [], {}):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield from empty(inner, f"{path}.{key}")
    for inner in value if isinstance(value, list) else ():
        yield from empty(inner, f"{path}[]")


@pytest.mark.parametrize("topic", sorted(EVENTS))
def test_everything_that_can_be_stored_stands_in_a_golden_event(topic: str) -> None:
    """R50: an empty list proves nothing of what may stand in it."""
    latest = [parts for parts in GOLDEN if (parts["topic"], parts["schema_version"]) == (topic, EVENTS[topic].VERSION)]
    nothing = {"SessionCancelled.facts", "SessionErased.content", "StepRepeated.content"}  # none has a field

    assert set.intersection(*(set(empty(parts, topic)) for parts in latest)) <= nothing


@pytest.mark.parametrize("parts", GOLDEN, ids=lambda parts: f"{parts['topic']}-{parts['schema_version']}")
def test_what_was_ever_stored_is_still_read(parts: dict[str, Any]) -> None:
    """R50."""
    event = sealing().to_domain_event(stored(parts)).event

    assert type(event) is EVENTS[parts["topic"]]
    if parts["schema_version"] == type(event).VERSION:
        content = None if event.content == ERASED else event.content.model_dump(mode="json")
        assert spelled(event.facts.model_dump(mode="json")) == spelled(parts["facts"])
        assert spelled(content) == spelled(parts["content"])


def test_a_session_opened_before_sources_had_names_is_read_with_one_of_each_kind() -> None:
    """R50, R89: SessionOpened 1 named one place a kind; what it did not record yet is as it then was."""
    old = {"metrics": "http://127.0.0.1:9090", "logs": None, "knowledge": None, "skills": "/srv/skills"}
    parts = next(parts for parts in GOLDEN if (parts["topic"], parts["schema_version"]) == ("SessionOpened", 1))

    event = sealing().to_domain_event(stored(parts | {"content": parts["content"] | {"sources": old}})).event

    assert isinstance(event, SessionOpened)
    assert isinstance(event.content, SessionOpenedContent)
    assert event.content.sources == (
        Source(kind="metrics", name="metrics", address="http://127.0.0.1:9090"),
        Source(kind="skills", name="skills", address="/srv/skills"),
    )
    assert (event.facts.team, event.facts.origin, event.facts.language) == ("default", "own", "zh")
    assert (event.facts.follows, event.facts.request_hash, event.content.agent) == (None, None, "")


def test_a_sealed_event_comes_back_as_it_was() -> None:
    mapper = sealing(SESSION)

    assert mapper.to_domain_event(mapper.to_stored_event(Entry(SESSION, 3, FEEDBACK))) == Entry(SESSION, 3, FEEDBACK)


def test_facts_are_open_and_content_is_not() -> None:
    """R62: of the content nothing can be read in the stored form."""
    state = json.loads(sealing(SESSION).to_stored_event(Entry(SESSION, 3, FEEDBACK)).state)

    assert state["facts"] == {"rating": "wrong"}
    assert set(state["content"]) == {"alg", "kid", "nonce", "data"}
    assert "演练".encode() not in base64.b64decode(state["content"]["data"])


def test_long_content_is_packed_before_it_is_sealed() -> None:
    """ARCHITECTURE: tool outputs and prompts repeat themselves; the log keeps them for ever."""
    event = FEEDBACK.model_copy(update={"content": FeedbackGivenContent(text="HikariPool-1 连接池耗尽；" * 200)})
    mapper = sealing(SESSION)

    kept = mapper.to_stored_event(Entry(SESSION, 3, event))

    assert json.loads(kept.state)["content"]["zip"] == "deflate"
    assert len(kept.state) < 500
    assert mapper.to_domain_event(kept).event == event


def test_content_sealed_without_packing_is_still_read() -> None:
    """R50: events of before."""
    key = KeysInMemory(SESSION).get(SESSION)
    assert key is not None
    data = AESGCM(key.secret).encrypt(b"n" * 12, b'{"text":"x"}', f"{SESSION}:3:FeedbackGiven".encode())
    slot = Slot("aes-256-gcm", key.kid, b"n" * 12, data).as_json()
    state = json.dumps({"facts": {"rating": "wrong"}, "content": slot}).encode()

    event = sealing(SESSION).to_domain_event(StoredEntry(SESSION, 3, "FeedbackGiven", state)).event

    assert event.content == FeedbackGivenContent(text="x")


def test_content_without_its_key_reads_as_erased_and_facts_stay() -> None:
    """R62."""
    kept = sealing(SESSION).to_stored_event(Entry(SESSION, 3, FEEDBACK))

    event = sealing().to_domain_event(kept).event

    assert event == FeedbackGiven(facts=FeedbackGivenFacts(rating="wrong"), content=ERASED)


def test_content_stays_erased_when_the_session_gets_a_new_key() -> None:
    """R62: the same idempotency key asked again after an erasure must not look like damage."""
    kept = sealing(SESSION).to_stored_event(Entry(SESSION, 3, FEEDBACK))

    assert sealing(OTHER, SESSION).to_domain_event(kept).event.content == ERASED


def test_content_that_is_erased_needs_no_key() -> None:
    """R62: the erasure itself is recorded after the key is gone."""
    mapper = sealing()
    erased = Entry(SESSION, 9, SessionErased(content=ERASED))

    assert mapper.to_domain_event(mapper.to_stored_event(erased)) == erased


def test_new_content_of_an_erased_session_is_refused() -> None:
    with pytest.raises(ContentErased, match="has no key"):
        sealing().to_stored_event(Entry(SESSION, 9, FEEDBACK))


@pytest.mark.parametrize("place", [{"originator_version": 4}, {"topic": "VerdictOverridden"}])
def test_sealed_content_does_not_open_in_another_place(place: dict[str, Any]) -> None:
    """R60: a seal is bound to session, version and topic."""
    mapper = sealing(SESSION)
    kept = mapper.to_stored_event(Entry(SESSION, 3, FEEDBACK))
    moved = StoredEntry(**{**vars(kept), **place})

    with pytest.raises(Unreadable, match="does not open with its key"):
        mapper.to_domain_event(moved)


def test_unsealed_content_is_kept_by_setting() -> None:
    """R62: `alg: none`."""
    mapper = SessionMapper(KeysInMemory(), "none")
    kept = mapper.to_stored_event(Entry(SESSION, 3, FEEDBACK))

    assert base64.b64decode(json.loads(kept.state)["content"]["data"]).decode() == '{"text":"日志来自演练环境"}'
    assert mapper.to_domain_event(kept).event == FEEDBACK


def test_sealed_content_is_read_after_sealing_was_turned_off() -> None:
    keys = KeysInMemory(SESSION)
    kept = SessionMapper(keys, "aes-256-gcm").to_stored_event(Entry(SESSION, 3, FEEDBACK))

    assert SessionMapper(keys, "none").to_domain_event(kept).event == FEEDBACK


@pytest.mark.parametrize(
    ("stored_entry", "reason"),
    [
        (StoredEntry(SESSION, 1, "NoSuchEvent", b'{"facts":{},"content":null}'), r"release \(NoSuchEvent 1\)"),
        (StoredEntry(SESSION, 1, "FeedbackGiven", b'{"facts":{},"content":null}', 99), r"release \(FeedbackGiven 99\)"),
        (StoredEntry(SESSION, 1, "FeedbackGiven", b"not JSON"), "FeedbackGiven"),
        (StoredEntry(SESSION, 1, "FeedbackGiven", b"[]"), "FeedbackGiven"),
        (StoredEntry(SESSION, 1, "FeedbackGiven", b'{"facts":{},"content":null}'), "rating"),
        (StoredEntry(SESSION, 1, "FeedbackGiven", b'{"facts":{"rating":"wrong"},"content":{"alg":"rot13"}}'), "kid"),
        (StoredEntry(SESSION, 1, "FeedbackGiven", b'{"facts":{"rating":"wrong"},"content":"text"}'), "FeedbackGiven"),
    ],
)
def test_what_cannot_be_read_is_named(stored_entry: StoredEntry, reason: str) -> None:
    """R55: the projector halts with a message that says where and why."""
    with pytest.raises(Unreadable, match=reason):
        sealing(SESSION).to_domain_event(stored_entry)


@pytest.mark.parametrize(
    ("topic", "version", "shape"),
    [("FeedbackGiven", 2, "FeedbackGiven 2"), ("SessionMerged", 1, "SessionMerged 1"), ("FeedbackGiven", 1, None)],
)
def test_what_a_newer_release_wrote_is_told_from_damage(topic: str, version: int, shape: str | None) -> None:
    """R89: it is no fault, and its body is not even looked at."""
    body = b"of a shape that nobody here knows"
    with pytest.raises(Unreadable) as raised:
        sealing().to_domain_event(StoredEntry(SESSION, 4, topic, body, version))

    assert getattr(raised.value, "shape", None) == shape
    if shape:
        assert str(raised.value) == f"session {SESSION}, version 4: written by a newer release ({shape})"


def test_an_older_version_is_brought_up_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """R50: `upcast_v1_v2` changes facts and content as JSON before they are validated."""

    class Renamed(FeedbackGiven):
        VERSION = 2

        @staticmethod
        def upcast_v1_v2(parts: dict[str, Any]) -> None:
            parts["facts"]["rating"] = {"bad": "wrong"}[parts["facts"]["rating"]]

    monkeypatch.setitem(EVENTS, "FeedbackGiven", Renamed)
    old = {"topic": "FeedbackGiven", "schema_version": 1, "facts": {"rating": "bad"}, "content": {"text": "x"}}

    assert sealing().to_domain_event(stored(old)).event == Renamed(
        facts=FeedbackGivenFacts(rating="wrong"), content=FeedbackGivenContent(text="x")
    )


def test_numbers_of_any_length_in_content_are_read_back() -> None:
    """R50: a model may write a number no machine word holds; what was recorded stays readable."""
    step = EVENTS["AgentStepRecorded"].model_validate(
        {
            "facts": {
                "round": 1,
                "step_index": 0,
                "agent": "verifier",
                "model": "test",
                "prompt_hash": "0" * 64,
                "attempt": 1,
                "duration_ms": 1,
            },
            "content": {"input": [{"critical_fact_count": 10**400}], "output": "{}"},
        }
    )
    mapper = sealing(SESSION)
    assert mapper.to_domain_event(mapper.to_stored_event(Entry(SESSION, 1, step))).event == step
