"""Connections to PostgreSQL."""

from __future__ import annotations

from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row

Connection = AsyncConnection[DictRow]


async def connect(dsn: str) -> Connection:
    """A connection that commits each statement unless inside `transaction()`. Raises psycopg.OperationalError."""
    conn = await AsyncConnection.connect(dsn, autocommit=True, row_factory=dict_row)
    await conn.execute("SET idle_in_transaction_session_timeout = '60s'")  # a frozen worker must not hold its locks
    return conn
