"""A projection of a user's own, in plain `eventsourcing`, on Assay's events (ARCHITECTURE: one log, one mapper)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from eventsourcing.application import Application
from eventsourcing.persistence import ProgrammingError, StoredEvent, Tracking
from eventsourcing.popo import POPOTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner

from domain.contracts import Verdict
from domain.events import Erased, Recorded, VerdictIssued
from infra.access import Role
from infra.embedded import Servers
from infra.event_log.mapper import Entry

OpenLog = Callable[..., Any]


class Diagnoses(Application[UUID]):
    """Assay as the library sees it."""


class VerdictCounts(POPOTrackingRecorder):
    """The view: how often each verdict was given. It counts an event and remembers its position in one step."""

    def __init__(self) -> None:
        super().__init__()
        self.by_verdict = Counter[Verdict]()

    def count(self, verdict: Verdict, tracking: Tracking) -> None:
        with self._database_lock:
            self._assert_tracking_uniqueness(tracking)
            self._insert_tracking(tracking)
            self.by_verdict[verdict] += 1


class CountVerdicts(Projection[VerdictCounts]):
    topics = ("VerdictIssued",)

    def process_event(self, domain_event: Entry, tracking: Tracking) -> None:
        assert isinstance(domain_event.event, VerdictIssued)
        assert isinstance(domain_event.event.content, Erased)
        self.view.count(domain_event.event.facts.verdict, tracking)


@pytest.fixture
def environment(nats: Servers) -> dict[str, str]:
    """The library's settings. The view, named after its projection, is kept in memory."""
    projector = nats.credentials[Role.PROJECTOR]
    return {
        "PERSISTENCE_MODULE": "infra.event_log.eventsourcing_module",
        "COUNTVERDICTS_PERSISTENCE_MODULE": "eventsourcing.popo",
        "NATS_URL": nats.nats_url,
        "NATS_USER": projector.user,
        "NATS_PASSWORD": projector.password.get_secret_value(),
        "NATS_INBOX_PREFIX": Role.PROJECTOR.inbox_prefix,
        "NATS_STREAM": "ASSAY_EVENTS",
    }


async def record(open_log: OpenLog, diagnosis: Callable[..., list[Recorded]]) -> int:
    """A whole diagnosis in a session of its own; the position of its verdict."""
    async with open_log() as log:
        appended = await log.append(uuid4(), None, [entry.event for entry in diagnosis()], actor="actor-1")
        return next(entry.position for entry in appended if isinstance(entry.event, VerdictIssued))


def test_verdicts_are_counted_as_they_are_issued(
    environment: dict[str, str], open_log: OpenLog, diagnosis: Callable[..., list[Recorded]]
) -> None:
    """R50, R52: with the projector's rights and no keys; what was there before, and what comes while it runs."""
    earlier = asyncio.run(record(open_log, diagnosis))
    with ProjectionRunner(
        application_class=Diagnoses, projection_class=CountVerdicts, view_class=VerdictCounts, env=environment
    ) as runner:
        runner.wait(earlier, timeout=20)
        before = Counter(runner.view.by_verdict)
        later = asyncio.run(record(open_log, diagnosis))
        runner.wait(later, timeout=20)
        assert before[Verdict.PASS] >= 1
        assert runner.view.by_verdict - before == {Verdict.PASS: 1}


def test_nothing_can_be_written_this_way(environment: dict[str, str]) -> None:
    """R50, R60: an event without chain and seal is refused before it reaches the server."""
    application = Diagnoses(environment)
    with pytest.raises(ProgrammingError, match="can only be read"):
        application.recorder.insert_events([StoredEvent(uuid4(), 1, "VerdictIssued", b"{}")])
    application.close()
