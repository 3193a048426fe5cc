"""`assay doctor`: is everything there, as defined, and moving? Exit 3 when a check finds a difference (R66)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import packages_distributions
from typing import Literal

import psycopg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from domain.events import EVENTS as EVENT_TYPES
from handlers.application import jetstream, open_log, other_ack_wait
from handlers.audit.whole_verification import PASSED, last_verification
from handlers.cli.isolate import is_ours
from handlers.cli.plain import plain
from infra.access import Role
from infra.audit.erasure_ledger import ErasureLedger
from infra.audit.key_exchanges import own_ring
from infra.audit.session_keys import RECENT, disagreement, lost_keys, surviving_keys
from infra.audit.signed_heads import last_heads
from infra.database_roles import rights_of
from infra.embedded import Servers, running_servers_async
from infra.event_log.connection import Connection, connected
from infra.event_log.errors import LogError, by_newer_release
from infra.event_log.keys import KeyDirectory
from infra.event_log.records import RecordStream
from infra.event_log.session_log import EventHeader
from infra.isolation import isolations
from infra.parked import ParkedDeliveries
from infra.postgres import connect_blocking
from infra.read_models.status import ProjectorStatus, projector_status
from infra.settings import Settings
from infra.streams import ACCESS, EVENTS, PARKED, REACTIONS, VERDICTS, ack_wait_in_force, drift

OUR_PACKAGES = ("domain", "handlers", "infra", "projections", "prompts")
DISTRIBUTION = "assay"
BEHIND = timedelta(minutes=1)
"""A read model that lacks older events must be seen to move."""
MOVES_S = 2.0
LOOKED_THROUGH, PAGE = 10_000, 1_000
"""How many of the newest events are looked at for what a newer release wrote."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check. `waits`: for workers of a newer release, which wrote some of the log (R89)."""

    check: str
    state: Literal["ok", "warning", "waits", "problem"]
    detail: str


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    findings = asyncio.run(_examine(settings))
    for finding in findings:
        if arguments.json:
            print(json.dumps(asdict(finding), ensure_ascii=False))
        else:
            print(plain(f"{finding.state:8} {finding.check:14} {finding.detail}"))
    problems = sum(finding.state == "problem" for finding in findings)
    if problems and not arguments.json:
        print(f"{problems} of {len(findings)} checks found a problem", file=sys.stderr)
    return 3 if problems else 0


async def _examine(settings: Settings) -> list[Finding]:
    """Every check, whatever another one fails with."""
    findings = [*_packages(), *_topics()]
    async with running_servers_async(settings) as servers:
        findings += await _tried("nats", _log(settings, servers))
        last = await _last_position(servers)
        if last is not None:
            heads = await _tried("heads", _one(_heads(settings, servers, last)))
            findings += heads
            findings += await _tried("keys", _one(_keys(settings, servers)))
            has_key = all(one.state == "ok" for one in heads)
            findings += await _tried("erasures", _one(_erasures(settings, servers, has_key=has_key)))
            findings += await _tried("releases", _releases(settings, servers, last))
            findings += await _tried("verified", _one(_verified(servers)))
            findings += await _tried("foreign", _foreign(servers))
        findings += await _tried("roles", _one(asyncio.to_thread(_roles, servers)))
        findings += await _tried("read models", _read_models(settings, servers, last or 0))
    return findings


async def _tried(check: str, found: AsyncIterator[Finding]) -> list[Finding]:
    findings: list[Finding] = []
    try:
        async for finding in found:
            findings.append(finding)
    except Exception as error:  # a check that cannot be made is a finding too
        told = str(error).partition("\n")[0] or type(error).__name__
        findings.append(Finding(check, "problem", f"this cannot be looked at: {told}"))
    return findings


async def _one(finding: Awaitable[Finding]) -> AsyncIterator[Finding]:
    yield await finding


async def _verified(servers: Servers) -> Finding:
    """When the whole log last passed a verification that was recorded (R75)."""
    async with connected(servers, Role.SERVICE) as connection:
        last = await last_verification(connection)
    if last is None:
        how = "`assay verify --record`, or ASSAY_VERIFY_EVERY=24 for workers to do it"
        return Finding("verified", "ok", f"no verification was recorded yet: {how}")
    state: Literal["ok", "problem"] = "ok" if last.what.startswith(PASSED) else "problem"
    return Finding("verified", state, f"{last.time:%Y-%m-%d %H:%M:%S} {last.what}")


async def _foreign(servers: Servers) -> AsyncIterator[Finding]:
    """Messages of other streams that are none of ours: named, and set aside by a command (R75)."""
    async with connected(servers, Role.SERVICE) as connection:
        for stream in (ACCESS, VERDICTS, PARKED):
            aside = await isolations(connection, stream)
            records, last = RecordStream(connection, stream), 0
            end = await records.end()
            while last < end and (page := await records.stored_page(last, PAGE)):
                last = page[-1].position
                for message in page:
                    if message.position not in aside and not is_ours(stream, message):
                        what = f"{stream} position {message.position} holds a foreign message"
                        how = f"`assay log isolate {stream} {message.position} --reason …` sets it aside"
                        yield Finding("foreign", "problem", f"{what}: {how}")


async def _last_position(servers: Servers) -> int | None:
    """End of the log, or None where it cannot be read: that is a finding of its own."""
    try:
        async with jetstream(servers, Role.SERVICE) as js:
            return (await js.stream_info(EVENTS)).state.last_seq
    except (LogError, NatsError, OSError):
        return None


def _packages() -> Iterator[Finding]:
    """Our packages are flat: another distribution with one of the same name would hide or be hidden (ARCHITECTURE)."""
    owners = packages_distributions()
    for package in OUR_PACKAGES:
        others = sorted(set(owners.get(package, ())) - {DISTRIBUTION})
        if others:
            yield Finding("packages", "problem", f"top-level package {package} is also brought by {', '.join(others)}")
            return
    yield Finding("packages", "ok", "no other distribution brings a package of the same name")


def _topics() -> Iterator[Finding]:
    unresolved = sorted(set(REACTIONS.values()) - EVENT_TYPES.keys())
    if unresolved:
        yield Finding("topics", "problem", f"no event class for {', '.join(unresolved)}")
    else:
        yield Finding("topics", "ok", f"{len(EVENT_TYPES)} event types resolve")


async def _log(settings: Settings, servers: Servers) -> AsyncIterator[Finding]:
    try:
        async with connected(servers, Role.SERVICE) as connection:
            js = connection.client.jetstream()
            differences = await drift(js)
            in_force = await ack_wait_in_force(js)
            if in_force and in_force != settings.ack_wait:
                yield Finding("streams", "warning", other_ack_wait(settings, in_force))
            for difference in differences:
                yield Finding("streams", "problem", difference)
            if not differences:
                yield Finding("streams", "ok", "streams and consumers are as defined")
            async for finding in _consumers(js):
                yield finding
            if f"stream {PARKED} does not exist" not in differences:
                yield await _parked(connection)
    except (LogError, NatsError, OSError) as error:
        yield Finding("nats", "problem", str(error) or type(error).__name__)


async def _consumers(js: JetStreamContext) -> AsyncIterator[Finding]:
    """Lag and redeliveries. A consumer that is missing is a difference of the streams already."""
    for durable in REACTIONS:
        try:
            info = await js.consumer_info(EVENTS, durable)
        except NatsError:
            continue
        waiting, unacknowledged, again = info.num_pending or 0, info.num_ack_pending or 0, info.num_redelivered or 0
        detail = f"{durable}: {waiting} waiting, {unacknowledged} in work, {again} delivered again"
        yield Finding("consumers", "ok", detail)


async def _releases(settings: Settings, servers: Servers, last: int) -> AsyncIterator[Finding]:
    """What of the newest events a newer release wrote: workers hand it back, and read models wait before it (R89)."""
    shapes: Counter[str] = Counter()
    try:
        async with open_log(settings, servers) as events:
            for after in range(max(0, last - LOOKED_THROUGH), last, PAGE):
                headers = await events.headers(after, PAGE)
                shapes.update(header.newer_shape for header in headers if header.newer_shape)
    except (LogError, NatsError, OSError) as error:
        yield Finding("releases", "problem", f"the newest events cannot be looked through: {error}")
    for shape, count in sorted(shapes.items()):
        yield Finding("releases", "waits", f"{count} of the newest events {by_newer_release(shape)}: start that one")


async def _heads(settings: Settings, servers: Servers, last: int) -> Finding:
    """The log must hold what the newest heads cover, and the key must not lie where the log does (R60)."""
    if settings.signing_key.absolute().is_relative_to(settings.data_dir.absolute()):
        return Finding("heads", "problem", f"the signing key {settings.signing_key} lies in the data folder")
    try:
        async with open_log(settings, servers) as events:
            heads = await last_heads(settings, servers.reader_dsn, await events.log_id())
            await events.confirm_heads()
    except (LogError, NatsError, OSError, ValueError) as error:
        return Finding("heads", "problem", f"{error} (heads file {settings.heads_file})")
    if not heads:
        return Finding("heads", "ok", f"no head is signed yet, {last} events wait for one; any worker signs")
    newest = max(heads, key=lambda head: head.size)
    behind = max(0, last - newest.size)
    return Finding("heads", "ok", f"{newest.size} events signed at {newest.time:%Y-%m-%d %H:%M:%S}, {behind} not yet")


async def _keys(settings: Settings, servers: Servers) -> Finding:
    """A key that is gone says "erased": an erasure, and nothing else, takes it away (R62)."""
    try:
        async with open_log(settings, servers) as events:
            lost = await lost_keys(events, servers.reader_dsn, ErasureLedger(settings.erasures_file))
            surviving = await surviving_keys(events, servers.reader_dsn)
    except (LogError, NatsError, OSError, ValueError, psycopg.OperationalError) as error:
        return Finding("keys", "problem", f"the sessions' keys cannot be looked through: {error}")
    if lost:
        what = f"{len(lost)} of the newest sessions have no key, or a wrong one, in {settings.key_dir}"
        return Finding("keys", "problem", f"{what}: put the key folder back; the newest is {lost[0]}")
    if surviving:
        what = f"{len(surviving)} of the newest erased sessions have a key in {settings.key_dir}"
        return Finding(
            "keys",
            "problem",
            f"{what}: start a worker, or `assay session erase` them again; the newest is {surviving[0]}",
        )
    return Finding("keys", "ok", f"the newest sessions, {RECENT} at most, have their keys or were erased")


async def _erasures(settings: Settings, servers: Servers, *, has_key: bool) -> Finding:
    """The ledger of erasures, the log and the key folder say the same (R76). Without the key that signs heads there is
    none to check the ledger with."""
    ledger, keys = ErasureLedger(settings.erasures_file), KeyDirectory(settings.key_dir)
    try:
        has_key &= settings.signing_key.exists()
        signers = list(own_ring(settings.signing_key).keys.values()) if has_key else None
        async with open_log(settings, servers) as events:
            found = await disagreement(events, servers.reader_dsn, ledger, keys, signers)
    except (LogError, NatsError, OSError, ValueError, psycopg.OperationalError) as error:
        return Finding("erasures", "problem", f"the ledger of erasures cannot be compared: {error}")
    for sessions, what in (
        (found.keys, f"that the ledger says were erased have a key in {settings.key_dir}"),
        (found.unrecorded, "that the ledger says were erased are not erased in the log"),
        (found.unentered, f"that were erased are not in the ledger {ledger.path}"),
    ):
        if sessions:
            told = f"{len(sessions)} sessions {what}: any worker sees to it when it starts; one is {sessions[-1]}"
            return Finding("erasures", "problem", told)
    return Finding("erasures", "ok", f"{found.entries} entries in {ledger.path} agree with the log and the keys")


async def _parked(connection: Connection) -> Finding:
    waiting = sum(one.settlement is None for one in await ParkedDeliveries(connection).all())
    if waiting:
        return Finding("parked", "problem", f"{waiting} verdicts could not be published: `assay parked list`")
    return Finding("parked", "ok", "no verdict waits to be looked at")


def _roles(servers: Servers) -> Finding:
    """Whoever gets hold of a worker should not be able to drop tables, or become somebody else (R74)."""
    try:
        found = {role: rights_of(dsn) for role, dsn in servers.dsns.items() if dsn}
    except psycopg.OperationalError as error:
        return Finding("roles", "problem", str(error).strip())
    if above := [f"{role} {one.user}" for role, one in found.items() if one.is_superuser]:
        return Finding("roles", "problem", f"a superuser of PostgreSQL is used as {', '.join(above)}")
    if len({one.user for one in found.values()}) == 1:
        user = found["writer"].user
        return Finding("roles", "warning", f"{user} owns, writes and reads: ASSAY_POSTGRES_WRITER_DSN, …_READER_DSN")
    if found["writer"].creates:
        return Finding("roles", "problem", f"the writer {found['writer'].user} may create schemas")
    if found["reader"].writes and found["reader"].user != found["writer"].user:
        return Finding("roles", "problem", f"the reader {found['reader'].user} may change rows")
    return Finding("roles", "ok", ", ".join(f"{role} {one.user}" for role, one in found.items()))


async def _read_models(settings: Settings, servers: Servers, last: int) -> AsyncIterator[Finding]:
    try:
        before = await asyncio.to_thread(_builds, servers)
        waiting = [status for status in before if await _waits_long(settings, servers, status, last)]
        await asyncio.sleep(MOVES_S if waiting else 0)
        for status in await asyncio.to_thread(_builds, servers) if waiting else before:
            next_event = await _next_event(settings, servers, status, last)
            newer = next_event.newer_shape if next_event else None
            yield _projector(status, last, stands_still=status in waiting, newer=newer)
    except psycopg.OperationalError as error:
        yield Finding("postgres", "problem", str(error).strip())


def _builds(servers: Servers) -> list[ProjectorStatus]:
    with connect_blocking(servers.reader_dsn) as connection:
        return projector_status(connection)


async def _waits_long(settings: Settings, servers: Servers, status: ProjectorStatus, last: int) -> bool:
    """The oldest event that it lacks was recorded a while ago."""
    lacking = await _next_event(settings, servers, status, last)
    return lacking is not None and datetime.now(UTC) - lacking.time > BEHIND


async def _next_event(settings: Settings, servers: Servers, status: ProjectorStatus, last: int) -> EventHeader | None:
    """The oldest event that a build lacks which readers see."""
    if not status.serving or status.position >= last:
        return None
    async with open_log(settings, servers) as events:
        return next(iter(await events.headers(status.position, 1)), None)


def _projector(status: ProjectorStatus, last: int, *, stands_still: bool, newer: str | None) -> Finding:
    """A build that nobody reads yet, or any more, is no problem whatever its state."""
    name = f"{status.name} {status.label}"
    if status.state == "missing":
        what = f"{name} does not exist yet: `assay projection rebuild` builds it beside another version"
        return Finding("read models", "problem", f"{what}, `assay init` or any worker makes the first")
    if status.serving and status.halted_reason:
        return Finding("read models", "problem", f"{name} halted: {status.halted_reason}")
    if status.serving and status.fingerprint_ok is False:
        return Finding("read models", "problem", f"{name} has another shape than this release expects")
    behind = f"{max(0, last - status.position)} events behind"
    if newer:
        return Finding("read models", "waits", f"{name} waits, {behind}: {by_newer_release(newer)}")
    if stands_still:
        return Finding("read models", "problem", f"{name} stands still, {behind}: does a worker run?")
    return Finding("read models", "ok", f"{name} {status.state}, {behind}")
