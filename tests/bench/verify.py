"""What tamper evidence costs: events verified a second, and the share of chaining and sealing in an append.

    python -m tests.bench.verify [--runs 5] [--events 100000] [--appends 2000]

Verifying is compared with SHA-256 over the same stored bytes, once alone, from memory, and once with the reading that
verifying cannot do without. The log is filled and signed first.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from uuid import UUID, uuid4

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.audit.findings import Findings
from domain.chain import GENESIS, event_hash
from domain.events import FeedbackGiven, FeedbackGivenContent, FeedbackGivenFacts, Recorded
from handlers.application import open_log, wall_clock
from handlers.audit.head_writer import HeadWriter
from handlers.audit.verification import PAGE, verify_log
from infra.audit.heads_file import HeadsFile
from infra.audit.signed_heads import kept_heads, signed_leaves
from infra.audit.signing_key import signing_key
from infra.event_log.keys import KeyDirectory
from infra.event_log.mapper import Entry, SessionMapper
from infra.event_log.session_log import SessionLog
from infra.postgres import connect
from tests.bench.figures import Ratio, Row, table
from tests.bench.ground import Ground, at_once, ground, progress

OF_SESSION = 20
AT_A_TIME = 10_000  # events between two lines of progress
VERIFY, READ, SHA = "verify", "read and SHA-256", "SHA-256 alone"
APPEND, CHAIN, SEAL = "append, one after the other", "chaining", "sealing"
EVENT = FeedbackGiven(
    facts=FeedbackGivenFacts(rating="helpful"), content=FeedbackGivenContent(text=os.urandom(300).hex())
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--events", type=int, default=100_000, help="in the log that is verified")
    parser.add_argument("--appends", type=int, default=2_000, help="in each run")
    arguments = parser.parse_args()
    with ground() as servers:
        print(asyncio.run(_measured(servers, arguments)))


async def _measured(servers: Ground, arguments: argparse.Namespace) -> str:
    rates, costs = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    async with open_log(servers.settings, servers.servers) as events:
        await _fill(events, arguments.events)
        progress("verify: signing")
        key = await _sign(events, servers)
        size = await _bytes(events)
        for run in range(-1, arguments.runs):  # the first warms up and does not count
            progress(f"verify: run {run + 1} of {arguments.runs}")
            rated = await _verify_rates(events, servers, key)
            cost = await _append_costs(events, servers, arguments.appends)
            for figures, found in ((rates, rated), (costs, cost)) if run >= 0 else ():
                for name, figure in found.items():
                    figures[name].append(figure)
    return "\n\n".join([_verify_table(rates, arguments.events, size), _append_table(costs)])


async def _fill(events: SessionLog, total: int) -> None:
    """Sessions of 20 events, a commit each, as many at once as the log takes."""

    async def session() -> None:
        await events.append(uuid4(), None, [EVENT] * OF_SESSION, actor="worker-1")

    for done in range(0, total, AT_A_TIME):
        progress(f"verify: {done:,} of {total:,} events written")
        await at_once(8, min(AT_A_TIME, total - done) // OF_SESSION, session)


async def _sign(events: SessionLog, servers: Ground) -> Ed25519PublicKey:
    settings = servers.settings
    await HeadWriter(
        events,
        servers.servers.postgres_dsn,
        key_file=settings.signing_key,
        heads_file=settings.heads_file,
        clock=wall_clock,
    ).finish(patience_s=600)
    return signing_key(settings.signing_key).public_key()


async def _verify_rates(events: SessionLog, servers: Ground, key: Ed25519PublicKey) -> Mapping[str, float]:
    """Events a second of each way to go through the log."""
    started = time.perf_counter()
    async with await connect(servers.servers.postgres_dsn) as conn:
        kept, findings = await kept_heads(key, conn, [HeadsFile(servers.settings.heads_file)]), Findings()
        audit = await verify_log(events, kept.heads, signed_leaves(key, conn, kept), findings, lambda _, __: None)
    verified = time.perf_counter() - started
    if findings or audit.unsigned_events > audit.events // 2:
        raise RuntimeError(f"not verified: {findings.counts}, {audit.unsigned_events} unsigned")
    hashed, after = 0.0, 0
    started = time.perf_counter()
    while page := await events.stored_page(after, PAGE):
        after = page[-1].position
        inputs = [_stored_bytes(event.headers, event.body) for event in page]
        begun = time.perf_counter()
        for data in inputs:
            hashlib.sha256(data).digest()
        hashed += time.perf_counter() - begun
    read = time.perf_counter() - started
    return {VERIFY: audit.events / verified, READ: audit.events / read, SHA: audit.events / hashed}


def _stored_bytes(headers: Mapping[str, str], body: bytes) -> bytes:
    return "".join(f"{name}:{value}" for name, value in headers.items()).encode() + body


async def _bytes(events: SessionLog) -> float:
    """Stored bytes of one event."""
    page = await events.stored_page(0, PAGE)
    return sum(len(_stored_bytes(event.headers, event.body)) for event in page) / len(page)


async def _append_costs(events: SessionLog, servers: Ground, appends: int) -> Mapping[str, float]:
    """Microseconds of a whole append, and of its parts done again by themselves."""
    session_id = uuid4()
    last: Recorded | None = None
    started = time.perf_counter()
    for _ in range(appends):
        (last,) = await events.append(session_id, last, [EVENT], actor="worker-1")
    append = time.perf_counter() - started
    (stored,) = await events.stored_page((last.position if last else 1) - 1, 1)
    chain = _seconds(appends, lambda: event_hash(GENESIS, stored.body, stored.headers))
    keys = KeyDirectory(servers.settings.key_dir)
    sealed, open_ = SessionMapper(keys, "aes-256-gcm"), SessionMapper(keys, "none")
    seal = _seconds(appends, lambda: sealed.to_stored_event(_entry(session_id)))
    seal -= _seconds(appends, lambda: open_.to_stored_event(_entry(session_id)))
    return {APPEND: append / appends * 1e6, CHAIN: chain / appends * 1e6, SEAL: seal / appends * 1e6}


def _entry(session_id: UUID) -> Entry:
    return Entry(session_id, 2, EVENT)


def _seconds(times: int, work: Callable[[], object]) -> float:
    started = time.perf_counter()
    for _ in range(times):
        work()
    return time.perf_counter() - started


def _verify_table(rates: Mapping[str, list[float]], events: int, size: float) -> str:
    rows = [Row(VERIFY, rates[VERIFY], (Ratio(READ), Ratio(SHA))), Row(READ, rates[READ]), Row(SHA, rates[SHA])]
    note = (
        f"{events:,} events of {size:,.0f} stored bytes, all signed. {VERIFY} checks every chain, the tree at every "
        "head, every leaf hash kept in PostgreSQL, and the signatures."
    )
    return table("Events verified a second", rows, note)


def _append_table(costs: Mapping[str, list[float]]) -> str:
    both = [chain + seal for chain, seal in zip(costs[CHAIN], costs[SEAL], strict=True)]
    rows = [
        Row(APPEND, costs[APPEND]),
        Row("chaining and sealing", both, (Ratio(APPEND, 0.1, at_most=True),)),
        Row(CHAIN, costs[CHAIN]),
        Row(SEAL, costs[SEAL]),
    ]
    return table("Microseconds of one append, on the disk when it returns", rows)


if __name__ == "__main__":
    main()
