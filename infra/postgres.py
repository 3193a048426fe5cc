"""Connections to PostgreSQL."""

from __future__ import annotations

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import DictRow, TupleRow, dict_row

Connection = AsyncConnection[DictRow]

CONNECT_SECONDS = 15
"""A server that takes the connection and then says nothing cannot be reached, either."""


async def connect(dsn: str) -> Connection:
    """A connection that commits each statement unless inside `transaction()`. Raises psycopg.OperationalError."""
    conn = await AsyncConnection.connect(dsn, autocommit=True, row_factory=dict_row, connect_timeout=CONNECT_SECONDS)
    await conn.execute("SET idle_in_transaction_session_timeout = '60s'")  # a frozen worker must not hold its locks
    return conn


def connect_blocking(dsn: str) -> psycopg.Connection[TupleRow]:
    """For commands that only read. Raises psycopg.OperationalError."""
    return psycopg.connect(dsn, connect_timeout=CONNECT_SECONDS)
