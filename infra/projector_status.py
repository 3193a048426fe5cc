"""How the read models stand, for `doctor` (R66)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import dict_row

from projections.read_model import ReadModel
from projections.registry import READ_MODELS


@dataclass(frozen=True, slots=True)
class ProjectorStatus:
    """One version of one read model. `positions` by partition of the log; empty while the table does not exist.

    `fingerprint_ok`: the table has the shape this code expects; None for a version that this code does not know or
    the database does not hold.
    """

    name: str
    version: int
    serving: bool = False
    positions: dict[int, int] = field(default_factory=dict)
    halted_at: datetime | None = None
    halted_reason: str | None = None
    fingerprint_ok: bool | None = None


QUERY = """
SELECT m.name, m.version, m.serving, m.halted_at, m.halted_reason, m.fingerprint,
       array_agg(p.partition ORDER BY p.partition) AS partitions,
       array_agg(p.position ORDER BY p.partition) AS positions
FROM assay_meta.read_model m JOIN assay_meta.position p ON p.read_model = m.name AND p.version = m.version
GROUP BY m.name, m.version ORDER BY m.name, m.version
"""


def projector_status(conn: psycopg.Connection[Any], models: Iterable[ReadModel] = READ_MODELS) -> list[ProjectorStatus]:
    """Every version that the database holds or this code expects, by name and version."""
    expected = {(model.name, model.version): model.fingerprint for model in models}
    stored = [_status(row, expected) for row in _stored(conn)]
    held = {(status.name, status.version) for status in stored}
    missing = [ProjectorStatus(name, version) for name, version in expected.keys() - held]
    return sorted(stored + missing, key=lambda status: (status.name, status.version))


def _stored(conn: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    with conn.cursor(row_factory=dict_row) as cursor:
        created = cursor.execute("SELECT to_regclass('assay_meta.position') IS NOT NULL AS created").fetchone()
        return cursor.execute(QUERY).fetchall() if created and created["created"] else []


def _status(row: dict[str, Any], expected: dict[tuple[str, int], str]) -> ProjectorStatus:
    fingerprint = expected.get((row["name"], row["version"]))
    return ProjectorStatus(
        name=row["name"],
        version=row["version"],
        serving=row["serving"],
        positions=dict(zip(row["partitions"], row["positions"], strict=True)),
        halted_at=row["halted_at"],
        halted_reason=row["halted_reason"],
        fingerprint_ok=None if fingerprint is None else fingerprint == row["fingerprint"],
    )
