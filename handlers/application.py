"""The composition root: everything a worker is made of, wired once."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from faststream.nats import NatsBroker
from faststream.security import SASLPlaintext
from nats.js import JetStreamContext

from domain.contracts import Agent
from domain.subjects import PARTITIONS
from handlers.audit.erasure import Eraser
from handlers.audit.erasure_keeper import ErasureKeeper
from handlers.audit.head_writer import HeadWriter
from handlers.audit.whole_verification import ScheduledVerification
from handlers.letting_go import let_go
from handlers.ports import WorkbenchFor
from handlers.pump import Pump
from handlers.reactions import PHASES, Subscriptions, add_publisher, add_reactions
from handlers.runner import SessionRunner
from handlers.verdict_publisher import VerdictPublisher
from handlers.workbench import Workbenches
from infra.access import Role
from infra.audit import head_store
from infra.audit.erasure_ledger import ErasureLedger
from infra.audit.key_exchanges import own_ring
from infra.audit.signed_heads import last_heads, own_key
from infra.database_roles import grant
from infra.embedded import Servers
from infra.event_log.connection import addresses, connected
from infra.event_log.keys import KeyDirectory
from infra.event_log.records import RecordStream
from infra.event_log.session_log import SessionLog
from infra.head_stream import HeadPublisher
from infra.parked import ParkedDeliveries
from infra.postgres import connect, user_of
from infra.read_models.projector import run_projectors
from infra.read_models.tables import prepare
from infra.settings import Settings
from infra.streams import (
    EVENTS,
    SIGNED,
    ack_wait_in_force,
    drift,
    ensure_stream,
    init_streams,
    is_unused,
    remade_streams,
)
from infra.tools.contract import Tool
from infra.tools.hosted import hosted_tools
from projections.registry import READ_MODELS
from prompts.loader import load_prompt

log = logging.getLogger(__name__)
told = logging.getLogger("assay.told")  # shown whatever the level is: an operator has something to do

CONCURRENCY = 8
GRACE_S = 5.0


def wall_clock() -> datetime:
    return datetime.now(UTC)


class Drifted(Exception):
    """A stream or consumer is not as defined: `assay doctor` tells the same, `assay init` creates what is missing."""


class PromptFiles:
    """The prompt files as the port `Prompts`."""

    def text(self, agent: Agent) -> str:
        return load_prompt(agent).text

    def sha256(self, agent: Agent) -> str:
        return load_prompt(agent).sha256


@dataclass(frozen=True, slots=True)
class Consumers:
    """Reads how far the durable consumers have acknowledged; the service may read them, not change them."""

    js: JetStreamContext

    async def acknowledged_up_to(self) -> Mapping[str, int]:
        floors = {}
        for durable, topic in PHASES.items():
            info = await self.js.consumer_info(EVENTS, durable)
            floors[topic] = info.ack_floor.stream_seq if info.ack_floor else 0
        return floors


@asynccontextmanager
async def jetstream(servers: Servers, role: Role) -> AsyncIterator[JetStreamContext]:
    """JetStream as one NATS user sees it. Raises LogUnavailable, or SettingsError without that user's credentials."""
    async with connected(servers, role) as connection:
        yield connection.client.jetstream()


async def make_ready(settings: Settings, servers: Servers) -> None:
    """Create what an unused embedded server lacks; refuse to work on streams that are not as defined (R66).

    Raises Drifted naming every difference.
    """
    if settings.nats_url is None:
        async with jetstream(servers, Role.ADMIN) as js:
            if await is_unused(js):
                await init_streams(js, ack_wait=settings.ack_wait)
            for stream in remade_streams():  # which a data folder of the release before does not have
                await ensure_stream(js, stream)
    if not settings.has_postgres:
        await prepare_database(servers)
    async with jetstream(servers, Role.SERVICE) as js:
        differences = await drift(js)
    if differences:
        raise Drifted("; ".join(differences))


async def ack_wait_of(settings: Settings, servers: Servers) -> float:
    """The one in force; where the setting is another one, what to do about it is said."""
    async with jetstream(servers, Role.SERVICE) as js:
        in_force = await ack_wait_in_force(js) or settings.ack_wait
    if in_force != settings.ack_wait:
        told.warning(other_ack_wait(settings, in_force))
    return in_force


def other_ack_wait(settings: Settings, in_force: float) -> str:
    return (
        f"ASSAY_ACK_WAIT is {settings.ack_wait:g} s, but the consumers wait {in_force:g} s, and that holds: to change"
        " it, stop the workers and run `assay init` with the new value"
    )


async def prepare_database(servers: Servers) -> None:
    """As the owner: make the tables that are missing, and give writer and reader their rights (R74)."""
    async with await connect(servers.owner_dsn) as owner:
        await prepare(owner, READ_MODELS, PARTITIONS)
        await head_store.prepare(owner)
    await give_rights(servers)


async def give_rights(servers: Servers) -> None:
    """To writer and reader, where they are not the owner."""
    users = {"writer": user_of(servers.writer_dsn), "reader": user_of(servers.reader_dsn)}
    if set(users.values()) != {user_of(servers.owner_dsn)}:
        async with await connect(servers.owner_dsn) as owner:
            await grant(owner, users)


@asynccontextmanager
async def open_log(settings: Settings, servers: Servers, role: Role = Role.SERVICE) -> AsyncIterator[SessionLog]:
    """The event log as one NATS user sees it. Raises LogUnavailable."""
    async with connected(servers, role) as connection:
        heads = partial(last_heads, settings, servers.reader_dsn)
        yield SessionLog(connection, KeyDirectory(settings.key_dir), settings.seal, heads)


def injected_tools(settings: Settings) -> Sequence[Tool]:
    """Tools of the user's own, from the factory that the settings name (R3), each run in a process apart (R72)."""
    return hosted_tools(settings.tools) if settings.tools else ()


def runner_on(
    events: SessionLog, settings: Settings, workbench_for: WorkbenchFor | None = None, actor: str | None = None
) -> SessionRunner:
    """A runner of sessions on this process's settings; `workbench_for` takes the place of its tools and models,
    `actor` that of the worker as whose deeds events are recorded.
    """
    return SessionRunner(
        events=events,
        workbench_for=workbench_for or Workbenches(settings, injected_tools(settings)),
        prompts=PromptFiles(),
        clock=wall_clock,
        actor=actor or f"worker-{os.getpid()}",
        tool_timeout_s=settings.tool_seconds,
        ack_wait_s=settings.ack_wait,
    )


async def eraser_on(events: SessionLog, settings: Settings, servers: Servers, actor: str) -> Eraser:
    """Erases sessions as the deeds of one actor. Raises KeyFileError without the key that signs the ledger."""
    runner = runner_on(events, settings, actor=actor)
    key = await own_key(settings, servers.reader_dsn)
    ledger, ring = ErasureLedger(settings.erasures_file), own_ring(settings.signing_key)
    return Eraser(events, runner, servers.writer_dsn, ledger, key, ring)


def head_writer_on(events: SessionLog, settings: Settings, servers: Servers) -> HeadWriter:
    """Signs the log with this process's key, if no other process does."""
    return HeadWriter(
        events,
        servers.writer_dsn,
        key_file=settings.signing_key,
        heads_file=settings.heads_file,
        clock=wall_clock,
        streams=[RecordStream(events.connection, stream) for stream in SIGNED],
        publisher=HeadPublisher(events.connection),
    )


@asynccontextmanager
async def worker(
    settings: Settings, servers: Servers, workbench_for: WorkbenchFor | None = None
) -> AsyncIterator[tuple[SessionRunner, SessionLog]]:
    """All reactions, the verdict publisher, the projectors, the pump and the head writer, until the block ends.

    Raises HeadContradicted.
    """
    settings = settings.model_copy(update={"ack_wait": await ack_wait_of(settings, servers)})
    async with AsyncExitStack() as stack:
        events = await stack.enter_async_context(open_log(settings, servers))
        await events.confirm_heads()
        runner = runner_on(events, settings, workbench_for)
        service = servers.user(Role.SERVICE)
        inbox_prefix = Role.SERVICE.inbox_prefix.encode()
        broker = NatsBroker(
            addresses(servers.nats_url),
            security=SASLPlaintext(username=service.user, password=service.password.get_secret_value()),
            inbox_prefix=inbox_prefix,
            max_reconnect_attempts=-1,
            reconnect_time_wait=1,
            graceful_timeout=GRACE_S,
            logger=log,
        )
        subscriptions = Subscriptions(inbox_prefix, settings.ack_wait, CONCURRENCY)
        add_reactions(broker, runner, subscriptions)
        connection = await broker.connect()
        js = connection.jetstream()
        add_publisher(
            broker,
            VerdictPublisher(events, events.connection),
            ParkedDeliveries(events.connection),
            Subscriptions(inbox_prefix, settings.ack_wait, 1),
        )
        stack.push_async_callback(broker.stop)
        stack.push_async_callback(let_go, broker, connection)
        await broker.start()
        pump = Pump(
            events=events,
            consumers=Consumers(js),
            runner=runner,
            clock=wall_clock,
            patience=timedelta(seconds=settings.ack_wait * 2),
            every_s=settings.ack_wait,
        )
        heads = head_writer_on(events, settings, servers)
        stack.push_async_callback(heads.finish)
        keeper = ErasureKeeper(
            events,
            ErasureLedger(settings.erasures_file),
            KeyDirectory(settings.key_dir),
            servers.reader_dsn,
            partial(eraser_on, events, settings, servers, settings.actor),
        )
        scheduled = ScheduledVerification(events, servers.reader_dsn, settings)
        projectors = run_projectors(events, servers.writer_dsn)
        for task in (pump.run(), projectors, heads.run(), keeper.run(), scheduled.run()):
            stack.push_async_callback(_cancelled, asyncio.create_task(task))
        yield runner, events


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
