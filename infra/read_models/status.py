"""How the builds of the read models stand, for `doctor` and for whoever rebuilds (R56, R66)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import psycopg
from psycopg.rows import dict_row

from infra.postgres import Connection
from projections.read_model import ReadModel, build_label, by_name
from projections.registry import READ_MODELS


@dataclass(frozen=True, slots=True)
class ProjectorStatus:
    """One build of one version of a read model. `positions` and `hashes` by partition of the log; empty while the
    table does not exist.

    `loaded`: it has been brought to the end of the log. `replaced_at`: when another took its place. `fingerprint_ok`:
    the table has the shape this code expects; None for a version that this code does not know or the database does not
    hold.
    """

    name: str
    version: int
    build: int = 1
    schema: str = ""
    serving: bool = False
    loaded: bool = False
    verified_at: datetime | None = None
    replaced_at: datetime | None = None
    positions: dict[int, int] = field(default_factory=dict)
    hashes: dict[int, str] = field(default_factory=dict)
    halted_at: datetime | None = None
    halted_reason: str | None = None
    fingerprint_ok: bool | None = None

    @property
    def label(self) -> str:
        return build_label(self.version, self.build)

    @property
    def position(self) -> int:
        """Every event up to here is applied."""
        return min(self.positions.values(), default=0)

    @property
    def waits(self) -> bool:
        """It is being built or was, and no reader has seen it yet: the next to be verified and switched to."""
        return self.state in ("building", "built", "verified")

    @property
    def state(self) -> Literal["missing", "serving", "building", "replaced", "verified", "built"]:
        """Where the build is on its way."""
        if not self.positions:
            return "missing"
        if self.serving:
            return "serving"
        if not self.loaded:
            return "building"
        if self.replaced_at:
            return "replaced"
        return "verified" if self.verified_at else "built"


QUERY = """
SELECT m.*, array_agg(p.partition ORDER BY p.partition) AS partitions,
       array_agg(p.position ORDER BY p.partition) AS positions, array_agg(p.hash ORDER BY p.partition) AS hashes
FROM assay_meta.read_model m
JOIN assay_meta.position p ON (p.read_model, p.version, p.build) = (m.name, m.version, m.build)
GROUP BY m.name, m.version, m.build ORDER BY m.name, m.version, m.build
"""


def projector_status(conn: psycopg.Connection[Any], models: Iterable[ReadModel] = READ_MODELS) -> list[ProjectorStatus]:
    """Every build that the database holds, and the newest version that this code expects; by name and version."""
    models = tuple(models)
    expected = _fingerprints(models)
    stored = [_status(row, expected) for row in _stored(conn)]
    return sorted([*stored, *not_built(stored, models)], key=lambda status: (status.name, status.version, status.build))


def not_built(builds: Sequence[ProjectorStatus], models: Iterable[ReadModel]) -> list[ProjectorStatus]:
    """The newest versions that this code expects, of which there is no build."""
    held = {(build.name, build.version) for build in builds}
    newest = ((name, versions[0].version) for name, versions in by_name(models).items())
    return [ProjectorStatus(name, version) for name, version in newest if (name, version) not in held]


async def build_statuses(conn: Connection, models: Iterable[ReadModel]) -> list[ProjectorStatus]:
    """Every build of these read models that the prepared database holds, by name and version."""
    models = tuple(models)
    expected, names = _fingerprints(models), {model.name for model in models}
    rows = await (await conn.execute(QUERY)).fetchall()
    return [_status(row, expected) for row in rows if row["name"] in names]


def _fingerprints(models: Iterable[ReadModel]) -> dict[tuple[str, int], str]:
    return {(model.name, model.version): model.fingerprint for model in models}


def _stored(conn: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        created = cursor.execute("SELECT to_regclass('assay_meta.position') IS NOT NULL AS created").fetchone()
        return cursor.execute(QUERY).fetchall() if created and created["created"] else []


def _status(row: dict[str, Any], expected: dict[tuple[str, int], str]) -> ProjectorStatus:
    fingerprint = expected.get((row["name"], row["version"]))
    by_partition: dict[str, Any] = {
        name: dict(zip(row["partitions"], row[name], strict=True)) for name in ("positions", "hashes")
    }
    kept = {name: row[name] for name in _STORED_AS_THEY_ARE}
    return ProjectorStatus(
        **kept, **by_partition, fingerprint_ok=None if fingerprint is None else fingerprint == row["fingerprint"]
    )


_STORED_AS_THEY_ARE = (
    "name",
    "version",
    "build",
    "schema",
    "serving",
    "loaded",
    "verified_at",
    "replaced_at",
    "halted_at",
    "halted_reason",
)
