"""Verdicts for other systems on their stream: once each, whoever publishes and how often (R52)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.contracts import Outcome, Route, Verdict, VerifierEvaluation
from domain.events import (
    Event,
    SessionCancelled,
    SessionCancelledContent,
    SessionCompleted,
    SessionCompletedContent,
    SessionCompletedFacts,
    SessionFailed,
    SessionFailedContent,
    SessionFailedFacts,
    VerdictIssued,
    VerdictIssuedContent,
    VerdictIssuedFacts,
)
from domain.public_events import public_event
from handlers.reactions import PUBLISHERS
from handlers.runner import Behind
from handlers.verdict_publisher import VerdictPublisher
from infra import verdict_stream
from infra.access import Role
from infra.streams import VERDICTS

TEXT = "这句话是用户的内容"
ISSUED = VerdictIssued(
    facts=VerdictIssuedFacts(
        round=1,
        rule_version="2026-11",
        verdict=Verdict.PASS,
        groundedness_score="1.0",
        critical_fact_count=1,
        fact_classes={"direct_evidence": 1},
        route=Route.COMPOSE,
        decided_by="model",
        reason=None,
        adjusted_rules=(),
        traceability_version="v2",
    ),
    content=VerdictIssuedContent(
        evaluation=VerifierEvaluation(
            verdict=Verdict.PASS, groundedness_score="1.0", critical_fact_count=1, rationale=TEXT
        )
    ),
)
COMPLETED = SessionCompleted(
    facts=SessionCompletedFacts(outcome=Outcome.NORMAL, verdict=Verdict.PASS, groundedness_score="1.0", rounds=1),
    content=SessionCompletedContent(answer=TEXT),
)
FAILED = SessionFailed(
    facts=SessionFailedFacts(stage="planner", reason_code="model_auth"),
    content=SessionFailedContent(reason=TEXT, answer=TEXT),
)
CANCELLED = SessionCancelled(content=SessionCancelledContent(reason=TEXT))

Case = Callable[[Any, Any, UUID], Any]


@pytest.fixture
def published(
    connected: Callable[[Role], Any], open_log: Callable[..., Any], diagnosis: Callable[..., list[Any]]
) -> Callable[[Sequence[Event], Case], list[tuple[str, dict[str, str], dict[str, Any]]]]:
    """`published(events, case)`: record a session that ends with these events, let `case(publisher, nats, session_id)`
    publish, and return what stands on the stream about it: subject, headers and event, as a subscriber reads them."""

    async def run(events: Sequence[Event], case: Case) -> list[tuple[str, dict[str, str], dict[str, Any]]]:
        session_id = uuid4()
        opening = [entry.event for entry in diagnosis()[:2]]
        async with open_log() as log:
            await log.append(session_id, None, [*opening, *events], actor="test")
            await case(VerdictPublisher(log, log.connection), log.connection, session_id)
        return await _read(session_id)

    async def _read(session_id: UUID) -> list[tuple[str, dict[str, str], dict[str, Any]]]:
        async with connected(Role.SUBSCRIBER) as subscriber:
            js = subscriber.client.jetstream()
            subject = f"assay.verdict.*.{session_id}.*"
            inbox = Role.SUBSCRIBER.inbox_prefix.encode() + b"."
            reading = await js.pull_subscribe(subject, stream=VERDICTS, inbox_prefix=inbox)
            waiting = (await reading.consumer_info()).num_pending or 0
            messages = await reading.fetch(waiting, timeout=5) if waiting else []
            return [(m.subject, dict(m.headers or {}), verdict_stream.read(m.data)) for m in messages]

    return lambda events, case: asyncio.run(run(events, case))


async def once(publisher: VerdictPublisher, _: Any, session_id: UUID) -> None:
    for version in (3, 4):
        await publisher.publish(session_id, version)


def test_a_verdict_and_the_end_are_published_under_the_verdict(published: Any) -> None:
    """R52: NATS subjects that filter by verdict; CloudEvents in structured mode."""
    (issued, ended) = published([ISSUED, COMPLETED], once)
    session_id = issued[2]["subject"]
    assert [subject for subject, _, _ in (issued, ended)] == [
        f"assay.verdict.PASS.{session_id}.3",
        f"assay.verdict.PASS.{session_id}.4",
    ]
    assert [event["type"] for _, _, event in (issued, ended)] == [
        "assay.verdict.issued.v1",
        "assay.session.ended.v1",
    ]
    assert issued[1]["Content-Type"] == "application/cloudevents+json"
    assert issued[1]["Nats-Msg-Id"] == issued[2]["id"]


@pytest.mark.parametrize(
    ("end", "outcome", "reason"), [(FAILED, "DEGRADED", "model_auth"), (CANCELLED, None, "cancelled")]
)
def test_a_session_that_ends_without_a_verdict_is_published_under_none(
    published: Any, end: Event, outcome: str | None, reason: str
) -> None:
    """R52."""

    async def case(publisher: VerdictPublisher, _: Any, session_id: UUID) -> None:
        await publisher.publish(session_id, 3)

    ((subject, _, event),) = published([end], case)
    data = event["data"]
    assert subject == f"assay.verdict.NONE.{event['subject']}.3"
    assert (data["verdict"], data["outcome"], data["reason"]) == (None, outcome, reason)


def test_nothing_on_the_stream_holds_a_text_of_the_session(published: Any) -> None:
    """R52."""
    assert TEXT not in json.dumps([event for _, _, event in published([ISSUED, COMPLETED], once)], ensure_ascii=False)


def test_publishing_again_adds_nothing(published: Any) -> None:
    """R52: a redelivered message, a replay, two publishers at once."""

    async def case(publisher: VerdictPublisher, nats: Any, session_id: UUID) -> None:
        await asyncio.gather(*(once(VerdictPublisher(publisher.events, nats), nats, session_id) for _ in range(3)))
        await once(publisher, nats, session_id)

    assert len(published([ISSUED, COMPLETED], case)) == 2


def test_a_publisher_restored_after_the_deduplication_window_adds_nothing(published: Any) -> None:
    """R52: the subject is taken, whatever the message's id."""

    async def case(publisher: VerdictPublisher, nats: Any, session_id: UUID) -> None:
        history = await publisher.events.load(session_id)
        event = public_event(history[2])
        assert event is not None
        assert await verdict_stream.publish(nats, event, session_id, 3) is True
        event.attributes["id"] = str(uuid4())
        assert await verdict_stream.publish(nats, event, session_id, 3) is False

    assert len(published([ISSUED], case)) == 1


def test_what_is_not_public_is_not_published(published: Any) -> None:
    """R52."""

    async def case(publisher: VerdictPublisher, _: Any, session_id: UUID) -> None:
        for version in (1, 2):
            await publisher.publish(session_id, version)

    assert published([CANCELLED], case) == []


def test_an_event_that_the_replica_does_not_know_yet_is_not_forgotten(published: Any) -> None:
    """R52: at least once; the message comes again."""

    async def case(publisher: VerdictPublisher, _: Any, session_id: UUID) -> None:
        with pytest.raises(Behind):
            await publisher.publish(session_id, 4)

    assert published([CANCELLED], case) == []


def test_the_publisher_hears_of_every_event_that_is_public() -> None:
    """R52."""
    assert set(PUBLISHERS.values()) == {
        "VerdictIssued",
        "VerdictOverridden",
        "SessionCompleted",
        "SessionFailed",
        "SessionCancelled",
    }


@pytest.mark.parametrize("data", [b"[]", b'{"specversion": "0.3"}', b"\xff", b"{"])
def test_what_is_no_cloudevent_is_refused_by_name(data: bytes) -> None:
    """R52."""
    with pytest.raises(ValueError, match=r"CloudEvent|codec|JSON|Expecting"):
        verdict_stream.read(data)
