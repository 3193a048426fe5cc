"""Rows of formats, by what writes them. A line is of at most one row."""

from __future__ import annotations

from infra.log_reading.formats.row import Row
from infra.log_reading.formats.tables import applications, databases, general, servers, systems

ROWS: tuple[Row, ...] = (
    *general.ROWS,
    *applications.ROWS,
    *servers.ROWS,
    *databases.ROWS,
    *systems.ROWS,
)
