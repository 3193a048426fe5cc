"""Everything under signed heads, verified: the events and the streams beside them; and that it was (R60, R75)."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from domain.audit.findings import Finding, Findings, Kind
from handlers.audit.verification import no_leaves, verify_log, verify_stream
from infra.access_log import Access, Action, record_access, service_accesses
from infra.audit.heads_file import HeadsFile
from infra.audit.key_exchanges import own_ring
from infra.audit.key_ring import Trusted
from infra.audit.signed_heads import KeptHeads, heads_files, kept_heads, signed_leaves
from infra.event_log.connection import Connection as NatsConnection
from infra.event_log.errors import LogError
from infra.event_log.records import RecordStream
from infra.event_log.session_log import SessionLog
from infra.postgres import Connection, connect
from infra.settings import Settings
from infra.streams import SIGNED

log = logging.getLogger(__name__)

PASSED = "passed"
LOOK_S = 600.0

Progress = Callable[[float, int], None]
"""Told the share that is done, and of how many events."""


@dataclass(slots=True)
class VerifiedStream:
    """What was looked at of another stream than that of the events (R75)."""

    messages: int
    heads: int
    signed_messages: int
    unsigned_messages: int
    findings: Findings


@dataclass(slots=True)
class Verified:
    """What was looked at, and what was found."""

    events: int
    sessions: int
    heads: int
    signed_events: int
    unsigned_events: int
    findings: Findings
    streams: dict[str, VerifiedStream] = field(default_factory=dict)

    @property
    def all_findings(self) -> Sequence[Finding]:
        """The first of each stream."""
        return [*self.findings.first, *(one for stream in self.streams.values() for one in stream.findings.first)]

    @property
    def counts(self) -> Counter[Kind]:
        return sum((stream.findings.counts for stream in self.streams.values()), start=self.findings.counts)

    @property
    def is_vouched_for(self) -> bool:
        """A head covers something of it, or there is nothing to cover."""
        return self.heads > 0 or self.events == 0

    def document(self) -> dict[str, Any]:
        counts = {
            name: getattr(self, name) for name in ("events", "sessions", "heads", "signed_events", "unsigned_events")
        }
        streams = {
            name: {key: value for key, value in asdict(one).items() if key != "findings"}
            for name, one in self.streams.items()
        }
        findings = [asdict(one) for one in self.all_findings]
        return counts | {"streams": streams, "findings": findings, "found": dict(self.counts)}


async def verify_whole(
    events: SessionLog,
    conn: Connection | None,
    key: Trusted,
    settings: Settings,
    shipped: Sequence[HeadsFile] = (),
    progress: Progress = lambda share, total: None,  # noqa: ARG005
) -> Verified:
    """`shipped`: heads that are kept elsewhere, in place of the key folder's. `conn`: None without PostgreSQL."""
    files = shipped or heads_files(settings, await events.log_id())
    verified = await _log(events, key, conn, await kept_heads(key, conn, files), progress)
    for name in SIGNED:
        stream = RecordStream(events.connection, name)
        first = await stream.stored_page(0, 1)
        files = shipped or heads_files(settings, first[0].hash if first else "", name)
        verified.streams[name] = await _stream(stream, key, conn, await kept_heads(key, conn, files, name))
    return verified


async def _log(
    events: SessionLog, key: Trusted, conn: Connection | None, kept: KeptHeads, progress: Progress
) -> Verified:
    findings = Findings()
    leaves = signed_leaves(key, conn, kept) if conn else no_leaves()
    audit = await verify_log(
        events, kept.heads, leaves, findings, lambda done, total: progress(done / total if total else 1.0, total)
    )
    findings.add(kept.findings)
    return Verified(audit.events, audit.sessions, len(kept.heads), audit.signed_events, audit.unsigned_events, findings)


async def _stream(stream: RecordStream, key: Trusted, conn: Connection | None, kept: KeptHeads) -> VerifiedStream:
    findings = Findings()
    leaves = signed_leaves(key, conn, kept) if conn else no_leaves()
    audit = await verify_stream(stream, kept.heads, leaves, findings)
    findings.add(replace(one, stream=stream.stream) for one in kept.findings)
    return VerifiedStream(audit.events, len(kept.heads), audit.signed_events, audit.unsigned_events, findings)


# ---------------------------------------------------------------- that it was verified


async def record_verification(
    connection: NatsConnection, actor: str, verified: Verified, session_id: UUID | None = None
) -> None:
    """Into the access record: passed, or how many faults were found. Raises LogFull or LogUnavailable."""
    faults = verified.counts.total()
    result = PASSED if verified.is_vouched_for and not faults else f"{faults} faults" if faults else "no head"
    what = f"{result}: {verified.events} events, {verified.signed_events} signed"
    await record_access(connection, actor, Action.VERIFY, session_id, what=what)


async def last_verification(connection: NatsConnection, since: datetime | None = None) -> Access | None:
    """The newest that was recorded of the whole log. Raises LogUnavailable."""
    found = None
    async for access in service_accesses(connection, since):
        if access.action is Action.VERIFY:
            found = access
    return found


@dataclass(frozen=True, slots=True)
class ScheduledVerification:
    """Verifies the whole log when nobody has for so long, whoever of several workers comes first."""

    events: SessionLog
    dsn: str
    settings: Settings

    async def run(self) -> None:
        """Until cancelled; at once if the setting asks for none."""
        if not (hours := self.settings.verify_every):
            return
        while True:
            try:
                since = datetime.now(UTC) - timedelta(hours=hours)
                if await last_verification(self.events.connection, since) is None:
                    await self._verify()
            except (LogError, ValueError, psycopg.Error, OSError) as error:
                log.error("the log could not be verified: %s", error)
            await asyncio.sleep(LOOK_S)

    async def _verify(self) -> None:
        key = own_ring(self.settings.signing_key)
        async with await connect(self.dsn) as conn:
            verified = await verify_whole(self.events, conn, key, self.settings)
        await record_verification(self.events.connection, self.settings.actor, verified)
        for finding in verified.all_findings:
            log.critical("%s at position %s of %s: %s", finding.kind, finding.position, finding.stream, finding.detail)
