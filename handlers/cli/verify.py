"""`assay verify`: is the log the one that was recorded and signed? (R60)"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import psycopg

from domain.audit.findings import Finding, Findings
from handlers.application import open_log
from handlers.audit.verification import verify_session
from handlers.audit.whole_verification import Verified, record_verification, verify_whole
from handlers.cli.errors import UsageError
from handlers.cli.plain import plain
from handlers.cli.progress_bar import ProgressBar
from infra.audit.heads_file import HeadsFile
from infra.audit.key_exchanges import exchanges
from infra.audit.key_ring import KeyRing, Trusted
from infra.audit.signed_heads import KeptHeads, heads_files, kept_heads, signed_leaves
from infra.audit.signing_key import existing_key, public_key
from infra.embedded import Servers, running_servers_async
from infra.event_log.session_log import SessionLog
from infra.postgres import Connection, connect
from infra.settings import Settings

QUIET_S = 2.0
"""What takes no longer needs no progress shown."""


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 if the log is sound, 3 if anything was found or no head is left to hold it against. Events that no head
    covers yet are no fault: they are counted."""
    if arguments.session is not None and arguments.all:
        raise UsageError("verify one session (ID) or the whole log (--all), not both")
    verified = asyncio.run(_verify(arguments, settings))
    if arguments.json:
        print(json.dumps(verified.document(), ensure_ascii=False))
    else:
        _print(verified)
    if not verified.is_vouched_for:
        print("assay: there is no head: nothing vouches for any of these events", file=sys.stderr)
    return 0 if verified.is_vouched_for and not verified.counts else 3


async def _verify(arguments: argparse.Namespace, settings: Settings) -> Verified:
    key, shipped = _key(arguments, settings), _shipped(arguments)
    session_id = _session_id(arguments.session)
    async with (
        running_servers_async(settings) as servers,
        _database(servers, needed=arguments.heads is None) as conn,
        open_log(settings, servers) as events,
    ):
        if session_id and conn:
            files = shipped or heads_files(settings, await events.log_id())
            verified = await _session(events, session_id, key, conn, await kept_heads(key, conn, files))
        else:
            bar = ProgressBar(quiet_s=QUIET_S)
            verified = await verify_whole(events, conn, key, settings, shipped, bar.show)
            bar.end()
        if session_id and not conn:
            verified.findings, verified.streams = _only(verified.findings, session_id), {}
        if arguments.record:
            await record_verification(events.connection, settings.actor, verified, session_id)
        return verified


async def _session(events: SessionLog, session_id: UUID, key: Trusted, conn: Connection, kept: KeptHeads) -> Verified:
    findings = Findings()
    total = len(await events.stored(session_id))
    if not total:
        raise UsageError(f"there is no session {session_id}")
    unsigned = await verify_session(events, session_id, signed_leaves(key, conn, kept), findings)
    findings.add(kept.findings)
    return Verified(total, 1, len(kept.heads), total - unsigned, unsigned, findings)


def _only(findings: Findings, session_id: UUID) -> Findings:
    """What concerns one session, or cannot be told of which."""
    kept = Findings()
    kept.add(one for one in findings.first if one.session_id in (None, str(session_id)))
    return kept


@asynccontextmanager
async def _database(servers: Servers, *, needed: bool) -> AsyncIterator[Connection | None]:
    try:
        conn = await connect(servers.reader_dsn)
    except psycopg.OperationalError as error:
        if needed:
            raise
        print(f"assay: without PostgreSQL a forgery is only known to lie between two heads: {error}", file=sys.stderr)
        yield None
        return
    async with conn:
        yield conn


def _key(arguments: argparse.Namespace, settings: Settings) -> KeyRing:
    known = exchanges(settings.signing_key)
    if arguments.key:
        return KeyRing.of(public_key(arguments.key), known)
    if not settings.signing_key.exists():
        raise UsageError(f"there is no signing key {settings.signing_key}; --key names the public key of the heads")
    return KeyRing.of(existing_key(settings.signing_key).public_key(), known)


def _shipped(arguments: argparse.Namespace) -> list[HeadsFile]:
    """The file that was given, which may hold heads of every stream; none if none was."""
    if not arguments.heads:
        return []
    if not arguments.heads.is_file():
        raise UsageError(f"--heads: there is no file {arguments.heads}")
    file = HeadsFile(arguments.heads)
    if file.last() is None:
        raise UsageError(f"--heads: {arguments.heads} holds no head")
    return [file]


def _session_id(text: str | None) -> UUID | None:
    try:
        return None if text is None else UUID(text)
    except ValueError:
        raise UsageError(f"{text!r} is no session id; `assay session list` shows them") from None


def _print(verified: Verified) -> None:
    print(f"checked   {verified.events} events of {verified.sessions} session{'s' * (verified.sessions != 1)}")
    print(f"signed    {verified.signed_events} events, by the {verified.heads} heads that are kept")
    print(f"unsigned  {verified.unsigned_events} events are not under a head yet")
    for name, stream in verified.streams.items():
        told = f"{stream.messages} messages, {stream.signed_messages} of them signed, by {stream.heads} heads"
        print(f"{name.removeprefix('ASSAY_').lower():9} {told}")
    for finding in verified.all_findings:
        print(plain(f"{finding.kind:19} {_place(finding)}{finding.detail}"))
    if not verified.counts and verified.is_vouched_for:
        print("faults    none")
    if verified.counts:
        total, shown = verified.counts.total(), len(verified.all_findings)
        more = f", the first {shown} of them shown" if total > shown else ""
        print(f"assay: {total} faults found{more}", file=sys.stderr)


def _place(finding: Finding) -> str:
    parts = [
        f"{name} {value}"
        for name, value in (
            ("stream", finding.stream),
            ("position", finding.position),
            ("session", finding.session_id),
            ("version", finding.version),
        )
        if value is not None
    ]
    return f"{', '.join(parts)}: " if parts else ""
