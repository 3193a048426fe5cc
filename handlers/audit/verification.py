"""Verification of the stored log, streamed as it is: nothing is decoded, no key of a session is needed (R60)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol, TypeVar
from uuid import UUID

from domain.audit.alignment import WINDOW, Leaf
from domain.audit.chain_walk import ChainWalk
from domain.audit.findings import Finding, Findings, Kind
from domain.audit.head import Head, leaf_of
from domain.audit.log_audit import LogAudit
from domain.audit.record import Record, RecordWalk
from infra.event_log.connection import pauses
from infra.event_log.errors import Unreadable
from infra.event_log.jetstream import Stored
from infra.event_log.records import RecordStream
from infra.event_log.session_log import SessionLog

PAGE = 4 * WINDOW
CATCH_UP_S = 2.0

_Message = TypeVar("_Message", Stored, Record)
_Given = TypeVar("_Given", covariant=True)
SignedLeaves = AsyncGenerator[Sequence[Leaf], None]
Progress = Callable[[int, int], None]
"""Told how many events are done, of how many."""


async def no_leaves() -> SignedLeaves:
    """Where none are kept."""
    return
    yield


async def verify_log(
    events: SessionLog, heads: Sequence[Head], leaves: SignedLeaves, findings: Findings, progress: Progress
) -> LogAudit:
    """The log as it is now, up to its last event at the beginning. Memory grows with sessions and heads alone."""
    audit, last = LogAudit(heads, findings), await events.end()
    async with aclosing(_pages(events, last)) as pages:
        async for page in pages:
            for start in range(0, len(page), WINDOW):
                await _feed(audit, leaves)
                audit.page(page[start : start + WINDOW])
            for event in page:
                findings.add(await _blob_findings(events, event))
            progress(audit.position, last)
    await _feed(audit, leaves)
    audit.end(last)
    return audit


async def verify_stream(
    stream: RecordStream, heads: Sequence[Head], leaves: SignedLeaves, findings: Findings
) -> LogAudit:
    """The accesses, or the public verdicts, as they are now (R75). An event is edited if its hash is another; a message
    of these has no hash but the signed one, so whatever stands in its place counts as an edit of it."""
    found = Findings(limit=findings.limit)
    audit, last = LogAudit(heads, found, RecordWalk()), await stream.end()
    async with aclosing(_pages(stream, last)) as pages:
        async for page in pages:
            for start in range(0, len(page), WINDOW):
                await _feed(audit, leaves)
                audit.page(page[start : start + WINDOW])
    await _feed(audit, leaves)
    audit.end(last)
    findings.add(replace(one, kind=_AS_RECORD.get(one.kind, one.kind), stream=stream.stream) for one in found.first)
    return audit


_AS_RECORD = {Kind.FORGED: Kind.EDITED, Kind.REUSED: Kind.EDITED}


async def verify_session(events: SessionLog, session_id: UUID, leaves: SignedLeaves, findings: Findings) -> int:
    """One session's chain, contents, and whether its events are those that were signed at their positions; how many of
    them are not signed yet. That nothing is missing behind its last event only `verify_log` can tell."""
    stored = await events.stored(session_id)
    walk = ChainWalk()
    for event in stored:
        walk.position = event.position - 1  # other sessions' events stand between
        findings.add(walk.findings(event))
        findings.add(await _blob_findings(events, event))
    findings.add(walk.end())
    unsigned = {event.position: event for event in stored}
    async for page in leaves:
        for leaf in page:
            if (found := unsigned.pop(leaf.position, None)) and leaf_of(found.headers) != leaf.hash:
                detail = f"not the event that was signed at position {leaf.position}"
                findings.add([Finding(Kind.FORGED, detail, found.position, found.originator, found.version)])
    return len(unsigned)


async def _feed(audit: LogAudit, leaves: SignedLeaves) -> None:
    while audit.wants_leaves and (page := await anext(leaves, None)) is not None:
        audit.expect(page)


class _Pages(Protocol[_Given]):
    async def stored_page(self, after: int, limit: int, /) -> Sequence[_Given]: ...


async def _pages(events: _Pages[_Message], last: int) -> AsyncGenerator[Sequence[_Message], None]:
    """The log up to a position, the next page on its way while one is looked at. A replica that lags is waited for."""
    after = 0
    coming = asyncio.ensure_future(events.stored_page(after, PAGE))
    try:
        while after < last:
            page = await coming or await _late_page(events, after)
            if not page:
                return
            after = page[-1].position
            coming = asyncio.ensure_future(events.stored_page(after, PAGE))
            yield [event for event in page if event.position <= last]
    finally:
        coming.cancel()


async def _late_page(events: _Pages[_Message], after: int) -> Sequence[_Message]:
    for pause in pauses(CATCH_UP_S):
        if page := await events.stored_page(after, PAGE):
            return page
        await asyncio.sleep(pause)
    return ()


async def _blob_findings(events: SessionLog, event: Stored) -> Sequence[Finding]:
    try:
        if not event.isolated:
            await events.sealed_beside(event)
    except Unreadable as error:
        return [Finding(Kind.BLOB, str(error), event.position, event.originator, event.version)]
    return ()
