"""R50, R66: the streams and consumers as they are created, and how a difference is named."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StorageType
from nats.js.errors import APIError

from infra.access import Role
from infra.embedded.nats_server import NatsServer
from infra.event_log.connection import Connection
from infra.streams import (
    ACCESS,
    EVENTS,
    VERDICTS,
    ack_wait_in_force,
    consumer_configs,
    drift,
    init_streams,
    set_ack_wait,
    stream_configs,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A server of this module's own: these tests spoil what they create."""
    running = NatsServer(tmp_path_factory.mktemp("nats"))
    running.ensure_running()
    yield running
    running.stop()


@asynccontextmanager
async def jetstream(server: NatsServer, role: Role = Role.ADMIN) -> AsyncIterator[JetStreamContext]:
    known = server.credentials[role]
    password = known.password.get_secret_value()
    connection = await Connection.open(server.url, known.user, password, role.inbox_prefix)
    try:
        yield connection.client.jetstream()
    finally:
        await connection.close()


@asynccontextmanager
async def initialised(server: NatsServer) -> AsyncIterator[JetStreamContext]:
    async with jetstream(server) as js:
        for stream in await js.streams_info():
            await js.delete_stream(str(stream.config.name))
        await init_streams(js)
        yield js


def test_the_log_only_grows(server: NatsServer) -> None:
    """R50: on disk, no limits, no expiry, no deletion; on a full disk new events are refused, none is dropped."""

    async def scenario() -> None:
        async with initialised(server) as js:
            config = (await js.stream_info(EVENTS)).config

            assert config.subjects == ["assay.event.>"]
            assert (config.storage, config.discard) == (StorageType.FILE, DiscardPolicy.NEW)
            assert (config.max_msgs, config.max_bytes, config.max_age, config.max_msgs_per_subject) == (-1, -1, 0, -1)
            assert (config.deny_delete, config.deny_purge) == (True, True)
            assert (config.allow_atomic, config.allow_direct) == (True, True)
            assert (config.metadata or {})["assay.partitions"] == "8"

    asyncio.run(scenario())


def test_even_the_admin_deletes_no_message(server: NatsServer) -> None:
    """R50."""

    async def scenario() -> None:
        async with initialised(server) as js:
            await js.publish("assay.event.0.x.1.T", b"")
            with pytest.raises(APIError, match="delete"):
                await js.delete_msg(EVENTS, 1)
            with pytest.raises(APIError, match="purge"):
                await js.purge_stream(EVENTS)

    asyncio.run(scenario())


def test_every_reaction_has_a_durable_consumer_with_one_filter(server: NatsServer) -> None:
    """R1, R66."""

    async def scenario() -> None:
        async with initialised(server) as js:
            consumers = {info.name: info.config.filter_subject for info in await js.consumers_info(EVENTS)}

            assert consumers == {
                "planner": "assay.event.*.*.*.RoundStarted",
                "executor": "assay.event.*.*.*.PlanProduced",
                "gatekeeper": "assay.event.*.*.*.ExecutorAnswered",
                "verifier": "assay.event.*.*.*.GatekeeperChecked",
                "composer": "assay.event.*.*.*.VerdictIssued",
                "verdict-publisher-VerdictIssued": "assay.event.*.*.*.VerdictIssued",
                "verdict-publisher-SessionCompleted": "assay.event.*.*.*.SessionCompleted",
                "verdict-publisher-SessionFailed": "assay.event.*.*.*.SessionFailed",
                "verdict-publisher-SessionCancelled": "assay.event.*.*.*.SessionCancelled",
                "verdict-publisher-VerdictOverridden": "assay.event.*.*.*.VerdictOverridden",
            }

    asyncio.run(scenario())


def test_creating_again_changes_nothing(server: NatsServer) -> None:
    async def scenario() -> None:
        async with initialised(server) as js:
            await js.publish("assay.event.0.x.1.T", b"")
            await init_streams(js)

            assert (await js.stream_info(EVENTS)).state.messages == 1
            assert await drift(js) == []

    asyncio.run(scenario())


def test_the_service_sees_no_drift_in_fresh_streams(server: NatsServer) -> None:
    """R66: the check needs no more than the service's permissions."""

    async def scenario() -> None:
        async with initialised(server), jetstream(server, Role.SERVICE) as service:
            assert await drift(service) == []

    asyncio.run(scenario())


def test_a_changed_stream_is_named_and_left_as_it_is(server: NatsServer) -> None:
    """R50, R66: an update can set limits that wipe events; it is reported, not silently repaired."""

    async def scenario() -> None:
        async with initialised(server) as js:
            await js.update_stream(replace(stream_configs()[0], max_msgs_per_subject=1, max_age=3600))
            await init_streams(js)

            assert await drift(js) == [
                "stream ASSAY_EVENTS: max_age is 3600000000000, not unset",
                "stream ASSAY_EVENTS: max_msgs_per_subject is 1, not unset",
            ]

    asyncio.run(scenario())


def test_changed_metadata_is_named(server: NatsServer) -> None:
    """The number of partitions stands in every subject: another one must not be taken up by chance."""

    async def scenario() -> None:
        async with initialised(server) as js:
            await js.update_stream(
                replace(stream_configs()[0], metadata={"assay.schema": "1", "assay.partitions": "4"})
            )

            assert await drift(js) == ["stream ASSAY_EVENTS: metadata assay.partitions is '4', not '8'"]

    asyncio.run(scenario())


def test_missing_streams_and_consumers_are_named(server: NatsServer) -> None:
    """R66: a durable that was deleted would silently stop its reaction."""

    async def scenario() -> None:
        async with initialised(server) as js:
            await js.delete_stream(ACCESS)
            await js.delete_consumer(EVENTS, "verifier")

            assert await drift(js) == ["stream ASSAY_ACCESS does not exist", "consumer verifier does not exist"]

    asyncio.run(scenario())


def test_a_changed_consumer_is_named(server: NatsServer) -> None:
    async def scenario() -> None:
        async with initialised(server) as js:
            planner = consumer_configs(ack_wait=30)[0]
            await js.delete_consumer(EVENTS, "planner")
            await js.add_consumer(EVENTS, replace(planner, max_deliver=5, filter_subject="assay.event.*.*.*.T"))

            assert await drift(js) == [
                "consumer planner: filter_subject is 'assay.event.*.*.*.T', not 'assay.event.*.*.*.RoundStarted'",
                "consumer planner: max_deliver is 5, not unset",
            ]

    asyncio.run(scenario())


def test_another_ack_wait_than_the_setting_is_named(server: NatsServer) -> None:
    async def scenario() -> None:
        async with initialised(server) as js:
            differences = await drift(js, ack_wait=60)

            assert len(differences) == len(consumer_configs(60))
            assert differences[0] == "consumer planner: ack_wait is 30000000000, not 60000000000"
            assert (await drift(js), await ack_wait_in_force(js)) == ([], 30.0)


def test_an_operator_changes_the_ack_wait_and_nothing_else(server: NatsServer) -> None:
    """What workers go by is what the consumers were made with, so that none of them refuses to work."""

    async def scenario() -> None:
        async with initialised(server) as js:
            await set_ack_wait(js, 5.0)
            assert (await ack_wait_in_force(js), await drift(js), await drift(js, ack_wait=5)) == (5.0, [], [])

    asyncio.run(scenario())


def test_verdicts_are_a_stream_of_their_own(server: NatsServer) -> None:
    """R52: other systems never touch the internal events."""

    async def scenario() -> None:
        async with initialised(server) as js:
            assert (await js.stream_info(VERDICTS)).config.subjects == ["assay.verdict.>"]

    asyncio.run(scenario())
