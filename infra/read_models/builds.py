"""Which build of a read model its readers see: switching, rolling back, dropping (R56)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from psycopg import errors, sql

from domain.subjects import PARTITIONS
from infra.event_log.connection import attempts
from infra.postgres import Connection, connect
from infra.read_models.projector import LogReader, Projector
from infra.read_models.rows import Identified, identity, lock_positions, serving_build
from infra.read_models.status import ProjectorStatus, build_statuses
from infra.read_models.tables import prepare, view_statement
from projections.read_model import ReadModel, build_label, by_name

REBUILD_LOCK, SWITCH_LOCK = 0x61737361795F7262, 0x61737361795F7377
"""Advisory locks: one rebuild, and one switch, at a time in one database."""

PATIENCE_S = 30.0
LOCK_TIMEOUT = "200ms"
"""How long readers that come may have to wait behind a switch that itself waits for a reader."""


class BuildRefused(ValueError):
    """What was asked cannot be done with the builds as they stand; the message says what to do first."""


@dataclass(frozen=True, slots=True)
class Switched:
    """Labels of the build that readers saw before and of the one they see now."""

    name: str
    before: str
    now: str


@asynccontextmanager
async def no_rebuild(dsn: str) -> AsyncIterator[Connection]:
    """Keeps rebuilds away. Raises BuildRefused while one runs."""
    async with await connect(dsn) as conn:
        taken = await conn.execute("SELECT pg_try_advisory_lock(%s) AS free", [REBUILD_LOCK])
        row = await taken.fetchone()
        if not row or not row["free"]:
            raise BuildRefused("a rebuild is running on this database")
        yield conn


async def builds_of(dsn: str, versions: Sequence[ReadModel]) -> list[ProjectorStatus]:
    """All builds of one read model, the serving one among them."""
    async with await connect(dsn) as conn:
        await prepare(conn, versions, PARTITIONS)
        return await build_statuses(conn, versions)


async def waiting_build(dsn: str, versions: Sequence[ReadModel]) -> tuple[ReadModel, ProjectorStatus]:
    """The newest build that no reader has seen yet. Raises BuildRefused if there is none, or it is not finished."""
    name, builds = versions[0].name, await builds_of(dsn, versions)
    waiting = [one for one in builds if one.waits]
    if not waiting:
        raise BuildRefused(f"{name}: no build waits beside the serving one: `assay projection rebuild {name}` first")
    if not waiting[-1].loaded:
        raise BuildRefused(f"{name} {waiting[-1].label} is not finished: `assay projection rebuild {name}` goes on")
    return _known(versions, waiting[-1]), waiting[-1]


async def switch(
    log: LogReader, dsn: str, models: Sequence[ReadModel], names: Sequence[str], *, force: bool = False
) -> list[Switched]:
    """Let readers see what waits, of all `names` at once. `force`: also what was not verified, or differs.

    Raises BuildRefused and changes nothing, or ProjectorHalted.
    """
    targets = []
    for name in names:
        target, status = await waiting_build(dsn, by_name(models)[name])
        if not status.verified_at and not force:
            raise BuildRefused(f"{name} {status.label} is not verified: `assay projection verify {name}` first")
        targets.append(target)
    return await _serve(log, dsn, targets, back=False)


async def rollback(log: LogReader, dsn: str, models: Sequence[ReadModel], names: Sequence[str]) -> list[Switched]:
    """Let readers see what they saw before the last switch, brought up to date. Raises as `switch` does."""
    targets = []
    for name in names:
        versions = by_name(models)[name]
        replaced = [one for one in await builds_of(dsn, versions) if one.replaced_at]
        if not replaced:
            raise BuildRefused(f"{name}: no earlier build is kept to roll back to")
        targets.append(_known(versions, max(replaced, key=lambda one: str(one.replaced_at))))
    return await _serve(log, dsn, targets, back=True)


async def drop(dsn: str, models: Sequence[ReadModel], name: str, label: str) -> None:
    """Remove a build that readers do not see. Raises BuildRefused."""
    builds = {one.label: one for one in await builds_of(dsn, by_name(models)[name])}
    if (found := builds.get(label)) is None:
        raise BuildRefused(f"{name} has no build {label}, only {', '.join(builds)}")
    async with no_rebuild(dsn) as conn, conn.transaction():
        await conn.execute("SELECT pg_advisory_xact_lock(%s)", [SWITCH_LOCK])
        if identity(await serving_build(conn, name)) == identity(found):
            raise BuildRefused(f"{name} {label} is what readers see: it cannot be dropped")
        await conn.execute(
            "DELETE FROM assay_meta.read_model WHERE (name, version, build) = (%s, %s, %s)", identity(found)
        )
        await conn.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(found.schema)))


def _known(versions: Sequence[ReadModel], status: ProjectorStatus) -> ReadModel:
    """The code of a build. Raises BuildRefused if this release cannot bring it up to date."""
    model = next((one for one in versions if one.version == status.version), None)
    if model is None or not status.fingerprint_ok:
        raise BuildRefused(f"{status.name} {status.label} is of another release: that one can bring it up to date")
    return replace(model, build=status.build)


async def _serve(log: LogReader, dsn: str, targets: Sequence[ReadModel], *, back: bool) -> list[Switched]:
    last = await log.last_position()
    for target in targets:
        await Projector(target, log, dsn).catch_up(last)
    async for _ in attempts(PATIENCE_S):
        try:
            async with await connect(dsn) as conn, conn.transaction():
                return await _move_views(conn, log, dsn, targets, back)
        except (errors.LockNotAvailable, errors.DeadlockDetected):  # a reader is at it
            continue
        except errors.DependentObjectsStillExist as error:
            raise BuildRefused(f"{error.diag.message_primary}: {error.diag.message_detail}") from error
    raise BuildRefused(f"readers have held the views for {PATIENCE_S:g} s: try again")


async def _move_views(
    conn: Connection, log: LogReader, dsn: str, targets: Sequence[ReadModel], back: bool
) -> list[Switched]:
    """One transaction moves all views. Readers never see less than before: what serves now stands still until the
    other has come as far. The views are taken in the order in which readers take them, so that nobody deadlocks.
    """
    await conn.execute("SELECT pg_advisory_xact_lock(%s)", [SWITCH_LOCK])
    replaced = [await serving_build(conn, target.name) for target in targets]
    for before, target in zip(replaced, targets, strict=True):
        held = await lock_positions(conn, before)
        await Projector(target, log, dsn).catch_up(max(applied.position for applied in held.values()))
    await conn.execute(sql.SQL("SET LOCAL lock_timeout = {}").format(LOCK_TIMEOUT))
    for before, target in zip(replaced, targets, strict=True):
        await conn.execute(sql.SQL("DROP VIEW {}").format(sql.Identifier("assay", target.name)))
        await conn.execute(view_statement(target))
        await _mark(conn, before, target, back)
    return [
        Switched(target.name, build_label(before.version, before.build), target.label)
        for before, target in zip(replaced, targets, strict=True)
    ]


async def _mark(conn: Connection, before: Identified, target: ReadModel, back: bool) -> None:
    await conn.execute(
        """UPDATE assay_meta.read_model SET serving = false, replaced_at = CASE WHEN %s THEN NULL ELSE now() END
           WHERE (name, version, build) = (%s, %s, %s)""",
        [back, *identity(before)],
    )
    await conn.execute(
        """UPDATE assay_meta.read_model SET serving = true, replaced_at = NULL
           WHERE (name, version, build) = (%s, %s, %s)""",
        identity(target),
    )
