"""`assay projection status|rebuild|verify|switch|rollback|drop`: changing read models while they are read (R56)."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from domain.subjects import PARTITIONS
from handlers.application import make_ready, open_log
from handlers.cli.errors import UsageError
from handlers.cli.plain import plain
from handlers.cli.progress_bar import ProgressBar
from handlers.rebuild import rebuild as rebuild_builds
from infra.embedded import Servers, running_servers_async
from infra.event_log.errors import by_newer_release
from infra.event_log.session_log import SessionLog
from infra.postgres import connect
from infra.read_models import builds
from infra.read_models.comparison import Comparison, Difference
from infra.read_models.comparison import verify as verify_builds
from infra.read_models.projector import stands
from infra.read_models.rows import Position
from infra.read_models.status import ProjectorStatus, build_statuses, not_built
from infra.read_models.tables import prepare
from infra.settings import Settings
from projections.read_model import by_name
from projections.registry import READ_MODELS

DIFFERENT = 3
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BuildState:
    """A build as `status` shows it. `chain_ok`: the log still holds the very events that its positions name.

    `lag_seconds`: since the oldest event that is not applied was recorded.
    """

    name: str
    build: str
    schema: str
    state: str
    position: int
    lag_events: int
    lag_seconds: float
    fingerprint_ok: bool | None
    chain_ok: bool | None
    halted: str | None
    waits: str | None  # for a release that reads the next event (R89)


def status(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 3 if a build that readers see is halted, of another shape, or not of this log."""

    async def examine(servers: Servers, log: SessionLog) -> list[BuildState]:
        async with await connect(servers.owner_dsn) as conn:
            await prepare(conn, READ_MODELS, PARTITIONS)
            found = await build_statuses(conn, READ_MODELS)
        return [await _state(one, log) for one in [*found, *not_built(found, READ_MODELS)]]

    states = _run(settings, examine)
    for state in states:
        print(_json(asdict(state)) if arguments.json else _line(state))
    wrong = [one for one in states if one.halted or one.fingerprint_ok is False or one.chain_ok is False]
    return DIFFERENT if any(one.state == "serving" for one in wrong) else 0


def rebuild(arguments: argparse.Namespace, settings: Settings) -> int:
    names, bar = _names(arguments), ProgressBar()

    async def build() -> list[dict[str, str]]:
        async with running_servers_async(settings) as servers:
            await make_ready(settings, servers)
            made = await rebuild_builds(
                settings, servers, READ_MODELS, names, workers=arguments.workers, report=bar.show
            )
        return [{"name": model.name, "build": model.label} for model in made]

    try:
        made = asyncio.run(build())
    finally:
        bar.end()
    return _told(arguments, made, lambda one: f"{one['name']} {one['build']} is built: `assay projection verify`")


def verify(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 3 if a rebuilt table differs from the one that readers see."""
    names = _names(arguments)
    found = _run(settings, lambda servers, log: verify_builds(log, servers.owner_dsn, READ_MODELS, names))
    for one in found:
        print(_json(asdict(one) | {"equal": one.equal}) if arguments.json else _compared(one))
    return 0 if all(one.equal for one in found) else DIFFERENT


def switch(arguments: argparse.Namespace, settings: Settings) -> int:
    names = _names(arguments)
    moved = _run(
        settings,
        lambda servers, log: builds.switch(log, servers.owner_dsn, READ_MODELS, names, force=arguments.force),
    )
    return _told(arguments, [asdict(one) for one in moved], _moved)


def rollback(arguments: argparse.Namespace, settings: Settings) -> int:
    names = _names(arguments)
    moved = _run(settings, lambda servers, log: builds.rollback(log, servers.owner_dsn, READ_MODELS, names))
    return _told(arguments, [asdict(one) for one in moved], _moved)


def drop(arguments: argparse.Namespace, settings: Settings) -> int:
    (name,) = _names(arguments)
    _run(settings, lambda servers, _: builds.drop(servers.owner_dsn, READ_MODELS, name, arguments.build))
    dropped = {"name": name, "build": arguments.build}
    return _told(arguments, [dropped], lambda one: f"{one['name']} {one['build']} is dropped")


# ---------------------------------------------------------------- connections and arguments


def _run(settings: Settings, work: Callable[[Servers, SessionLog], Awaitable[T]]) -> T:
    async def connected() -> T:
        async with running_servers_async(settings) as servers:
            await make_ready(settings, servers)
            async with open_log(settings, servers) as log:
                return await work(servers, log)

    return asyncio.run(connected())


def _names(arguments: argparse.Namespace) -> Sequence[str]:
    known = tuple(by_name(READ_MODELS))
    if getattr(arguments, "all", False) == bool(arguments.name):
        raise UsageError("name one read model, or all of them by --all")
    if arguments.name is None:
        return known
    if arguments.name not in known:
        raise UsageError(f"there is no read model {arguments.name}: they are {', '.join(known)}")
    return (arguments.name,)


async def _state(found: ProjectorStatus, log: SessionLog) -> BuildState:
    last = await log.last_position()
    unapplied = await log.headers(found.position, 1) if found.positions and found.position < last else ()
    applied = {Position(found.positions[one], found.hashes[one]) for one in found.positions}
    return BuildState(
        name=found.name,
        build=found.label,
        schema=found.schema,
        state=found.state,
        position=found.position,
        lag_events=max(0, last - found.position),
        lag_seconds=max(0.0, (datetime.now(UTC) - unapplied[0].time).total_seconds()) if unapplied else 0.0,
        fingerprint_ok=found.fingerprint_ok,
        chain_ok=all([await stands(log, one) for one in applied]) if applied else None,
        halted=found.halted_reason,
        waits=next((event.newer_shape for event in unapplied), None),
    )


# ---------------------------------------------------------------- what is printed


def _line(state: BuildState) -> str:
    notes = [
        note
        for note, is_so in (
            (f"halted: {state.halted}", bool(state.halted)),
            (f"waits: {by_newer_release(state.waits or '')}", bool(state.waits)),
            ("another shape than this release expects", state.fingerprint_ok is False),
            ("this release does not know it", state.fingerprint_ok is None and state.state != "missing"),
            ("the log does not hold what was applied", state.chain_ok is False),
            (f"`assay projection rebuild {state.name}` builds it", state.state == "missing"),
        )
        if is_so
    ]
    return plain(
        f"{state.name:18} {state.build:6} {state.state:9} at {state.position:>9,}  "
        f"{state.lag_events:>9,} events, {state.lag_seconds:,.0f} s behind  {'; '.join(notes)}".rstrip()
    )


def _compared(one: Comparison) -> str:
    lines = [
        f"{one.name} {one.rebuilt.label} {'equals' if one.equal else 'differs from'} {one.serving.label} "
        f"at position {one.position:,}",
        *(
            f"  {table.label:6} {table.rows:>9,} rows, checksum {table.checksum}"
            for table in (one.serving, one.rebuilt)
        ),
        *(f"  not compared, only in {label}: {', '.join(names)}" for label, names in _uncompared(one) if names),
        *(f"  {_difference(row)}" for row in one.differences),
    ]
    return "\n".join(lines)


def _uncompared(one: Comparison) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.serving.label, one.only_serving), (one.rebuilt.label, one.only_rebuilt)]


def _difference(row: Difference) -> str:
    key = ", ".join(f"{name} {value}" for name, value in row.key.items())
    return f"{key}: {', '.join(row.columns) or 'stands in one of them alone'}"


def _moved(one: dict[str, Any]) -> str:
    return f"{one['name']}: readers see {one['now']} now, {one['before']} before"


def _told(arguments: argparse.Namespace, rows: Sequence[dict[str, Any]], line: Callable[[dict[str, Any]], str]) -> int:
    for row in rows:
        print(_json(row) if arguments.json else line(row))
    return 0


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, default=str)
