"""R50, R51: the `eventsourcing` library's own test cases for persistence modules, on a real nats-server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactoryError,
    ProcessRecorder,
    TrackingRecorder,
)
from eventsourcing.tests import application as application_cases
from eventsourcing.tests import persistence as persistence_cases
from eventsourcing.utils import Environment

from infra.access import Role
from infra.embedded import Servers
from infra.event_log.eventsourcing_module import JetStreamFactory
from infra.event_log.recorder import JetStreamAggregateRecorder, JetStreamApplicationRecorder


@pytest.fixture(autouse=True)
def _persistence_module(nats: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a stream of its own, made with the admin's credentials."""
    admin = nats.credentials[Role.ADMIN]
    monkeypatch.setenv("PERSISTENCE_MODULE", "infra.event_log.eventsourcing_module")
    monkeypatch.setenv("NATS_URL", nats.nats_url)
    monkeypatch.setenv("NATS_USER", admin.user)
    monkeypatch.setenv("NATS_PASSWORD", admin.password.get_secret_value())
    monkeypatch.setenv("NATS_INBOX_PREFIX", Role.ADMIN.inbox_prefix)
    monkeypatch.setenv("NATS_STREAM", f"TEST_{uuid4().hex}")


@pytest.fixture(autouse=True)
def _factory(request: pytest.FixtureRequest, _persistence_module: None) -> Iterator[None]:
    """`self.new_factory()` inside a test case; closed afterwards."""
    opened: list[JetStreamFactory] = []

    def new_factory() -> JetStreamFactory:
        opened.append(JetStreamFactory(Environment(env=os.environ)))
        return opened[-1]

    if request.cls is not None:
        request.cls.new_factory = staticmethod(new_factory)
    yield
    for factory in opened:
        factory.close()


class TestAggregateRecorder(persistence_cases.AggregateRecorderTestCase):
    new_factory: Callable[[], JetStreamFactory]

    def create_recorder(self) -> AggregateRecorder:
        return self.new_factory().aggregate_recorder()


class TestApplicationRecorder(persistence_cases.ApplicationRecorderTestCase):
    new_factory: Callable[[], JetStreamFactory]

    def create_recorder(self) -> ApplicationRecorder:
        return self.new_factory().application_recorder()

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestNotificationIdsDoNotInterleave(persistence_cases.NonInterleavingNotificationIDsBaseCase):
    new_factory: Callable[[], JetStreamFactory]

    def create_recorder(self) -> ApplicationRecorder:
        return self.new_factory().application_recorder()


class TestFactory(persistence_cases.InfrastructureFactoryTestCase[JetStreamFactory]):
    """Tracking and process recorders do not exist here: the last two cases check that they are refused."""

    def setUp(self) -> None:
        self.env = Environment(env=os.environ)
        super().setUp()

    def expected_factory_class(self) -> type[JetStreamFactory]:
        return JetStreamFactory

    def expected_aggregate_recorder_class(self) -> type[AggregateRecorder]:
        return JetStreamAggregateRecorder

    def expected_application_recorder_class(self) -> type[ApplicationRecorder]:
        return JetStreamApplicationRecorder

    def expected_tracking_recorder_class(self) -> type[TrackingRecorder]:
        return TrackingRecorder

    def tracking_recorder_subclass(self) -> type[TrackingRecorder]:
        return TrackingRecorder

    def expected_process_recorder_class(self) -> type[ProcessRecorder]:
        return ProcessRecorder

    def test_create_tracking_recorder(self) -> None:
        with pytest.raises(InfrastructureFactoryError, match="database of the view"):
            self.factory.tracking_recorder()

    def test_create_process_recorder(self) -> None:
        with pytest.raises(InfrastructureFactoryError, match="database of the view"):
            self.factory.process_recorder()


class TestExampleApplication(application_cases.ExampleApplicationTestCase):
    expected_factory_topic = "infra.event_log.eventsourcing_module:JetStreamFactory"


class TestApplication(application_cases.ApplicationTestCase):
    pass
